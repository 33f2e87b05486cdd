"""Levels that training never shows: finding them, and declaring that they are meant."""

import numpy as np

from recombine.factors import Grid
from recombine.splits.region import Mask, Member, Region, regions


@regions.register("extrapolation")
class Extrapolation(Region):
    """The same region, declaring that levels never seen in training are meant: extrapolation(of=cross(...)).

    The declaration counts when it is outermost; inside a union or another region it is only that region.
    """

    of: Member

    def contains(self, grid: Grid) -> Mask:
        return self.of.contains(grid)

    def sections(self, grid: Grid) -> dict[str, Mask]:
        return self.of.sections(grid)


def unseen_levels(grid: Grid, held_out: Mask) -> dict[str, tuple[int, ...]]:
    """The level indices that no trained combination has, by factor; factors with none are left out."""
    train = ~held_out.reshape(grid.shape)
    found = {}
    for axis, name in enumerate(grid.names):
        others = tuple(other for other in range(len(grid.shape)) if other != axis)
        missing = np.flatnonzero(~train.any(axis=others))
        if len(missing):
            found[name] = tuple(missing.tolist())
    return found
