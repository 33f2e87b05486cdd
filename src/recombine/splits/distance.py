"""How far a held-out combination is from the nearest trained one, in levels."""

import numpy as np

from recombine.core.errors import InputError
from recombine.core.shapes import Bool, Int
from recombine.factors import Grid
from recombine.splits.region import Mask


def distance_to_training(grid: Grid, held_out: Mask) -> Int[np.ndarray, " combinations"]:
    """Chebyshev distance, in level indices, from each combination to the nearest trained one.

        d(c) = min over trained t of max_f |c_f − t_f|

    On a periodic factor with n levels the difference is min(|c_f − t_f|, n − |c_f − t_f|). 0: the combination is
    trained; 1: it has a trained neighbour, diagonals included; at most the number of levels of the longest factor
    less one.
    """
    if held_out.all():
        raise InputError("distance to training is undefined: nothing is trained on; shrink the held-out region.")
    reached = ~held_out.reshape(grid.shape)
    distance = np.zeros(grid.shape, dtype=int)
    # A combination still unreached after k steps of growth is more than k away.
    while not reached.all():
        distance += ~reached
        for axis, factor in enumerate(grid.factors):
            reached = _grown(reached, axis, factor.periodic)
    return distance.ravel()


def _grown(reached: Bool[np.ndarray, "*shape"], axis: int, periodic: bool) -> Bool[np.ndarray, "*shape"]:
    """``reached`` together with the next and the previous level along one axis."""
    grown = np.moveaxis(reached.copy(), axis, 0)
    before = np.moveaxis(reached, axis, 0)
    grown[1:] |= before[:-1]
    grown[:-1] |= before[1:]
    if periodic:
        grown[0] |= before[-1]
        grown[-1] |= before[0]
    return np.moveaxis(grown, 0, axis)
