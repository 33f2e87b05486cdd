"""Is what a generative model drew at the right place, by how strictly one reads it? And did it draw one thing at all?

Every accuracy is given for each section with members and for "all": "<section>-y" and "<section>-x" for one coordinate,
"<section>" for both together.
"""

import numpy as np

from recombine.core.shapes import Bool, Float
from recombine.measures.evidence import FACTORS, Evidence
from recombine.measures.reading import (
    apart,
    centroid_places,
    darkest_places,
    drawn_ink,
    find_marks,
    marginal_places,
    strict_places,
    true_places,
)
from recombine.measures.registry import measures

HIT, NEAR = 1.0, 1.5  # pixels; below the first a pixel read for a pixel must be the very one


def filled_sections(evidence: Evidence) -> dict[str, Bool[np.ndarray, " combinations"]]:
    """The sections that have members, and "all" combinations."""
    filled = {name: mask for name, mask in evidence.sections.items() if mask.any()}
    return {**filled, "all": np.ones(len(evidence.targets), dtype=bool)}


@measures.register("strict_accuracy")
def strict_accuracy(evidence: Evidence) -> dict[str, float]:
    """Share of pictures with one mark whose darkest pixel is the true one, by section and coordinate.

        share = mean_k 1[one mark and |μ_k − μ^_k| < 1],   along y, along x, or both

    The marks are those of `find_marks` at the evidence's threshold: none or many count as wrong in both coordinates.
    0: never right; 1: always. On a periodic canvas the distance goes the short way round.
    """
    return _shares_right(evidence, _strict(evidence), HIT)


@measures.register("near_accuracy")
def near_accuracy(evidence: Evidence) -> dict[str, float]:
    """Share of pictures with one mark whose darkest pixel is at most one pixel off, by section and coordinate.

    `strict_accuracy` with |μ − μ^| < 1.5: it counts snapping to the nearest trained place as right.
    """
    return _shares_right(evidence, _strict(evidence), NEAR)


@measures.register("centroid_accuracy")
def centroid_accuracy(evidence: Evidence) -> dict[str, float]:
    """Share of pictures at the true place where a failed one is read by the middle of its ink, as the paper does.

    One mark: its darkest pixel; none or many: the centroid of all ink, which is near the centre of the canvas and so
    right by accident for what is held out there. 0: never within one pixel; 1: always.
    """
    return _shares_right(evidence, _centroid(evidence), HIT)


@measures.register("marginal_accuracy")
def marginal_accuracy(evidence: Evidence) -> dict[str, float]:
    """Share of pictures whose row and column with most ink are the true ones, by section and coordinate.

    Each coordinate is read alone, which is fair to a picture with one of two stripes. Several equal ones are wrong.
    """
    return _shares_right(evidence, marginal_places(drawn_ink(evidence)), HIT)


@measures.register("darkest_accuracy")
def darkest_accuracy(evidence: Evidence) -> dict[str, float]:
    """Share of pictures whose extreme pixel is the true one, however many marks there are, by section and coordinate.

    Several equally extreme pixels, as in a blank picture, are wrong.
    """
    return _shares_right(evidence, darkest_places(evidence), HIT)


@measures.register("place_error")
def place_error(evidence: Evidence) -> dict[str, float]:
    """Mean distance in pixels between the true place and the one read by the centroid rule, by section.

        error = mean_k (|y_k − y^_k| + |x_k − x^_k|) / 2

    0: always there. A coordinate that cannot be read, as of a blank picture, has the mean distance of all its pixels:
    the error of guessing.
    """
    true, ring = true_places(evidence), _ring(evidence)
    distance = apart(_centroid(evidence), true, ring)
    rows, columns = evidence.targets.shape[1:]
    guessed = np.stack([_guess(true[:, axis], size, ring) for axis, size in enumerate((rows, columns))], axis=1)
    errors = np.where(np.isnan(distance), guessed, distance).mean(axis=1)
    return {name: float(errors[mask].mean()) for name, mask in filled_sections(evidence).items()}


@measures.register("drawn_status")
def drawn_status(evidence: Evidence) -> dict[str, float]:
    """Share of pictures with none, one and many marks, by section; the three of a section add up to 1."""
    numbers = find_marks(drawn_ink(evidence), evidence.threshold, evidence.periodic).numbers
    status = {"none": numbers == 0, "one": numbers == 1, "many": numbers > 1}
    return {
        f"{name}-{word}": float(so[mask].mean())
        for name, mask in filled_sections(evidence).items()
        for word, so in status.items()
    }


def _strict(evidence: Evidence) -> Float[np.ndarray, "combinations 2"]:
    return strict_places(drawn_ink(evidence), evidence.threshold, evidence.periodic)


def _centroid(evidence: Evidence) -> Float[np.ndarray, "combinations 2"]:
    return centroid_places(drawn_ink(evidence), evidence.threshold, evidence.periodic)


def _ring(evidence: Evidence) -> tuple[int, int] | None:
    rows, columns = evidence.targets.shape[1:]
    return (rows, columns) if evidence.periodic else None


def _shares_right(evidence: Evidence, found: Float[np.ndarray, "combinations 2"], tolerance: float) -> dict[str, float]:
    # A comparison with NaN is false: what cannot be read is wrong.
    right = apart(found, true_places(evidence), _ring(evidence)) < tolerance
    shares = {}
    for name, mask in filled_sections(evidence).items():
        for axis, factor in enumerate(FACTORS):
            shares[f"{name}-{factor}"] = float(right[mask, axis].mean())
        shares[name] = float(right[mask].all(axis=1).mean())
    return shares


def _guess(true: np.ndarray, size: int, ring: tuple[int, int] | None) -> Float[np.ndarray, " combinations"]:
    """Mean distance of the true places from every pixel along a coordinate."""
    distance = np.abs(true[:, None] - np.arange(size))
    return (distance if ring is None else np.minimum(distance, size - distance)).mean(axis=1)
