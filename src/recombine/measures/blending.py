"""A gap in one factor: is what lies in it drawn, or blended from what lies beside it? Does the factor stay in order?

Both measures look along the second factor only (the columns of the grid), for each level of the first.
"""

import numpy as np

from recombine.core.errors import InputError
from recombine.core.shapes import Bool, Float, Int
from recombine.measures.correlation import rank_correlation
from recombine.measures.evidence import Evidence
from recombine.measures.registry import measures

MOST = 120  # levels whose distances are compared; bounds the time on long factors
DIGITS = 6  # of distances in units of the largest: what differs by less is rounding


@measures.register("blend_index")
def blend_index(evidence: Evidence) -> float:
    """In the middle of a gap of the second factor, is the output the blend of both ends (1) or the truth (−1)?

        blend = (a + b)/2,   index = (‖out − truth‖² − ‖out − blend‖²) / ‖truth − blend‖²

    a and b are the targets of the nearest trained levels on both sides, the middle the held-out level farthest from
    them; mean over the levels of the first factor that have a gap. It tells where the output lies along the line from
    truth to blend and nothing else: 0 as near to the one as to the other, as for their mean; above 1 beyond the blend,
    below −1 beyond the truth. Undefined without a gap, and where truth and blend are one picture.
    """
    trained, held = (evidence.section(name).reshape(evidence.shape) for name in ("id", "ood"))
    targets, outputs = (each.reshape(*evidence.shape, -1) for each in (evidence.targets, evidence.outputs))
    by_row = []
    for row in range(evidence.shape[0]):
        middle, before, after = _gap(trained[row], held[row], evidence.on_ring[1])
        if len(middle):
            truth, left, right = (targets[row, levels].astype(np.float64) for levels in (middle, before, after))
            by_row.append(_along(truth, (left + right) / 2, outputs[row, middle].astype(np.float64)).mean())
    if not by_row:
        raise InputError(
            "blend_index is undefined: no held-out level of the second factor has trained levels on both sides; "
            "hold out a gap in it, e.g. block:angle=160..200."
        )
    return float(np.mean(by_row))


@measures.register("neighbour_order")
def neighbour_order(evidence: Evidence) -> float:
    """Does the last hidden layer keep the levels of the second factor in order: 1 yes, 0 it has no order.

        ρ = Spearman's correlation, over pairs i < j of levels, of d(i, j) and ‖A_i − A_j‖

    d is the distance in levels, the short way round where the factor is a ring; A the activations. Over at most 120
    evenly spaced levels, mean over the levels of the first factor. 1: the farther apart two levels, the farther apart
    the activations, so a ring stays a ring; 0: unrelated, or all the same; −1: neighbours are farthest apart. Undefined
    for fewer than 3 levels, and for a ring of fewer than 4, whose levels are all neighbours.
    """
    name, levels, ring = evidence.hidden_layers(at_least=1)[-1], evidence.shape[1], evidence.on_ring[1]
    if levels < (4 if ring else 3):
        raise InputError(
            f"neighbour_order is undefined: the second factor has {levels} levels{' on a ring' if ring else ''}, too "
            "few to be in or out of order; use more, or leave it out."
        )
    chosen = np.arange(min(levels, MOST)) * levels // min(levels, MOST)
    first, second = np.triu_indices(len(chosen), k=1)
    apart = np.abs(chosen[first] - chosen[second]).astype(np.float64)
    if ring:
        apart = np.minimum(apart, levels - apart)
    return float(np.mean([rank_correlation(apart, _distances(rows[chosen])) for rows in evidence.on_grid(name)]))


def _gap(
    known: Bool[np.ndarray, " levels"], held: Bool[np.ndarray, " levels"], ring: bool
) -> tuple[Int[np.ndarray, " middles"], Int[np.ndarray, " middles"], Int[np.ndarray, " middles"]]:
    """The held-out levels that are farthest from known ones on both sides, and the nearest known before and after."""
    levels, places, asked = len(known), np.flatnonzero(known), np.flatnonzero(held)
    if ring:
        places = np.concatenate([places - levels, places, places + levels])
    after = np.searchsorted(places, asked)
    inside = (after > 0) & (after < len(places))
    asked, after = asked[inside], after[inside]
    left, right = places[after - 1], places[after]
    away = np.minimum(asked - left, right - asked)
    farthest = away == away.max(initial=0)
    return asked[farthest], left[farthest] % levels, right[farthest] % levels


def _along(
    truth: Float[np.ndarray, "middles pixels"],
    blend: Float[np.ndarray, "middles pixels"],
    output: Float[np.ndarray, "middles pixels"],
) -> Float[np.ndarray, " middles"]:
    """Where each output lies along the line from truth (−1) to blend (1)."""
    from_truth, from_blend, whole = (
        np.square(a - b).sum(axis=1) for a, b in ((output, truth), (output, blend), (truth, blend))
    )
    if not whole.all():
        raise InputError(
            "blend_index is undefined: in the middle of a gap the truth is the blend of both ends; widen the gap."
        )
    return (from_truth - from_blend) / whole


def _distances(rows: Float[np.ndarray, "levels features"]) -> Float[np.ndarray, " pairs"]:
    """Euclidean distances of all pairs, in units of the largest, so that those equal up to rounding are equal."""
    from scipy.spatial.distance import pdist

    found = pdist(rows.astype(np.float64))
    return np.round(found / max(float(found.max()), np.finfo(np.float64).tiny), DIGITS)
