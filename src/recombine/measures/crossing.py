"""How much ink is where two stripes cross, and how much along them: a sum of stripes, or their average?"""

import numpy as np

from recombine.core.errors import InputError
from recombine.core.shapes import Bool, Float
from recombine.measures.drawn import filled_sections
from recombine.measures.evidence import Evidence
from recombine.measures.reading import drawn_ink, true_places
from recombine.measures.registry import measures

AWAY = 3  # pixels from the crossing up to which its own ink may reach


@measures.register("crossing_ink")
def crossing_ink(evidence: Evidence) -> dict[str, float]:
    """Mean ink at the true place, by section: 1 for a full mark or the sum of two stripes of 1/2, 0 for none.

    The average of two one-stripe pictures has 1/2.
    """
    row, column = true_places(evidence).T
    ink = drawn_ink(evidence)[np.arange(len(row)), row, column]
    return {name: float(ink[mask].mean()) for name, mask in filled_sections(evidence).items()}


@measures.register("halo_ink")
def halo_ink(evidence: Evidence) -> dict[str, float]:
    """Mean ink on the pixels around the true place, less what the true picture has there, by section: 0 no halo.

    The pixels are the eight neighbours, or fewer at a border. Above 0 what is drawn is wider than it should be.
    """
    from_row, from_column = _from_true(evidence)
    around = (np.maximum(from_row[:, :, None], from_column[:, None, :]) == 1).astype(float)
    truth = 1.0 - evidence.targets if evidence.dark else evidence.targets
    extra = drawn_ink(evidence) - truth
    means = (around * extra).sum(axis=(1, 2)) / around.sum(axis=(1, 2))
    return {name: float(means[mask].mean()) for name, mask in filled_sections(evidence).items()}


@measures.register("stripe_ink")
def stripe_ink(evidence: Evidence) -> dict[str, float]:
    """Mean ink along the true row and column, more than 3 pixels from where they cross, by section.

        ink = mean over pixels (r*, c) with |c − c*| > 3 and (r, c*) with |r − r*| > 3,   (r*, c*) the true place

    A sum of stripes has 1/2, the average of two one-stripe pictures 1/4, a bump next to nothing. A sum and an average
    are told apart here even where both have the right place.
    """
    ink = drawn_ink(evidence)
    along = _stripes(evidence)
    short = ~along.any(axis=(1, 2))
    if short.any():
        y, x = evidence.levels[short][0]
        raise InputError(
            f"stripe_ink is undefined at y = {y}, x = {x}: no pixel of its row and column is more than {AWAY} from "
            f"their crossing on a canvas of {ink.shape[1]} x {ink.shape[2]}; use a larger one."
        )
    means = np.where(along, ink, 0.0).sum(axis=(1, 2)) / along.sum(axis=(1, 2))
    return {name: float(means[mask].mean()) for name, mask in filled_sections(evidence).items()}


def _stripes(evidence: Evidence) -> Bool[np.ndarray, "combinations rows columns"]:
    """The pixels of the true row and column of each combination, away from where they cross."""
    from_row, from_column = _from_true(evidence)
    across = (from_row == 0)[:, :, None] & (from_column > AWAY)[:, None, :]
    down = (from_row > AWAY)[:, :, None] & (from_column == 0)[:, None, :]
    return across | down


def _from_true(evidence: Evidence) -> tuple[Float[np.ndarray, "items rows"], Float[np.ndarray, "items columns"]]:
    """How far each row and each column is from the true place of each combination."""
    rows, columns = true_places(evidence).T.astype(np.float64)
    height, width = evidence.targets.shape[1:]
    return _distances(rows, height, evidence.periodic), _distances(columns, width, evidence.periodic)


def _distances(
    places: Float[np.ndarray, " combinations"], size: int, periodic: bool
) -> Float[np.ndarray, "combinations pixels"]:
    distance = np.abs(places[:, None] - np.arange(size))
    return np.minimum(distance, size - distance) if periodic else distance
