"""Does training show every component value of the test? (Wiedemer et al. 2023, compositional support, A2 of Theorem 1.)

Latents are continuous, so no test value is ever met exactly: a value counts as shown when a training value is as near
as a set that covers everything would have one. Distances are max-norms; discrete latents must be equal.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from recombine.core.errors import InputError
from recombine.core.seeds import stream
from recombine.core.shapes import Bool, Float, Real

# complete(slot, value, count): points (found, slots, latents) of a support whose component `slot` is the value.
Complete: TypeAlias = Callable[[int, np.ndarray, int], np.ndarray]

JOINT_POINTS = 2000  # at most so many training points enter the graph: pairs grow with the square of their number


@dataclass(frozen=True)
class EmptyInterval:
    """The widest interval inside the test range of one latent that no training value enters."""

    low: float
    high: float
    width: float  # as a share of the test range
    expected: float  # ln(n)/n, the widest of n uniform spacings to leading order
    gap: bool  # wider than `factor` times the expected one


@dataclass(frozen=True, eq=False)
class SlotCoverage:
    """How much of one slot's test values training shows."""

    slot: int
    share: float  # of the test values within `reach` of a training value
    reach: float  # in units of the test range
    uncovered: Bool[np.ndarray, " test"]  # which test values are not
    intervals: tuple[EmptyInterval | None, ...]  # one per latent, None for a discrete one
    absent: tuple[tuple[float, ...], ...]  # per latent, the discrete levels of the test that training lacks


@dataclass(frozen=True, eq=False)
class Coverage:
    """Compositional support of a training sample with respect to a test sample."""

    slots: tuple[SlotCoverage, ...]
    enough: float
    parts: int  # connected parts of the training points, strays left out; each needs an initial point of its own (A4)
    largest_part: float  # share of the points in the largest part
    part_radius: float  # points closer than this, in units of the test ranges, are joined
    strays: float = 0.0  # share of the points in parts too small to be told from the chance of a finite sample

    @property
    def compositional(self) -> bool:
        """Whether every slot is covered."""
        return all(slot.share >= self.enough for slot in self.slots)

    @property
    def predicted_failures(self) -> Bool[np.ndarray, " test"]:
        """The test points with an uncovered component: where the theory promises nothing."""
        return np.logical_or.reduce([slot.uncovered for slot in self.slots])

    def to_dict(self) -> dict[str, Any]:
        """JSON values; masks as their shares."""
        return {
            "compositional": self.compositional,
            "enough": self.enough,
            "predicted_failures": float(self.predicted_failures.mean()),
            "parts": self.parts,
            "largest_part": self.largest_part,
            "part_radius": self.part_radius,
            "strays": self.strays,
            "slots": [
                {
                    "slot": slot.slot,
                    "share": slot.share,
                    "reach": slot.reach,
                    "intervals": [each and dict(vars(each)) for each in slot.intervals],
                    "absent": [list(levels) for levels in slot.absent],
                }
                for slot in self.slots
            ],
        }


def coverage(
    train: Real[np.ndarray, "points slots latents"],
    test: Real[np.ndarray, "asked _ _"],
    discrete: tuple[int, ...] = (),
    *,
    factor: float = 2.0,
    enough: float = 0.99,
    seed: int = 0,
) -> Coverage:
    """Which component values of the test a training sample shows, slot by slot.

        share_k = share of test points q with  min_p ‖p_k − q_k‖_∞ ≤ factor · e_k

    Continuous latents are scaled to [0, 1] by the test's range. e_k is the 95th percentile of nearest-neighbour
    distances among test values, as many as training has distinct values in the slot (fewer test values are stretched by
    (m/n)^(1/D), D continuous latents). 1: every value has been seen; A2 holds when all shares reach `enough`.

    The graph behind `parts` joins training points in the space of all slots whose discrete latents are equal and whose
    distance is at most `factor` times the 95th percentile of their own nearest-neighbour distances. A finite sample has
    points that are farther from all others by chance. A part counts if it has more than D points, D continuous latents
    of all slots: fewer lie in a plane and fill no volume. The largest part of every combination of discrete latents
    counts whatever its size, since no path leads to it from another one. All other parts are `strays`.
    """
    seen, asked = _checked("training", train, discrete), _checked("test", test, discrete)
    if seen.shape[1:] != asked.shape[1:]:
        raise InputError(
            f"training points of shape {seen.shape[1:]} and test points of shape {asked.shape[1:]} must have the same "
            "slots and latents; sample both from one space."
        )
    kept = [latent for latent in range(seen.shape[2]) if latent not in discrete]
    low, span = asked.min(axis=0), np.ptp(asked, axis=0)
    span = np.where(span > 0, span, 1.0)
    span[:, list(discrete)], low[:, list(discrete)] = 1.0, 0.0
    seen_unit, asked_unit = (seen - low) / span, (asked - low) / span
    slots = []
    for slot in range(seen.shape[1]):
        known = np.unique(seen_unit[:, slot], axis=0)
        values = asked_unit[:, slot]
        reach = factor * _typical(values, len(known), kept, discrete, stream(seed, "coverage", str(slot)))
        # Rounding of the scaled values must not separate equal ones when the reach is 0.
        uncovered = _nearest(values, known, kept, discrete) > reach + 1e-12
        slots.append(
            SlotCoverage(
                slot=slot,
                share=float(1 - uncovered.mean()),
                reach=reach,
                uncovered=uncovered,
                intervals=tuple(
                    None if latent in discrete else _emptiest(seen[:, slot, latent], asked[:, slot, latent], factor)
                    for latent in range(seen.shape[2])
                ),
                absent=tuple(
                    tuple(map(float, np.setdiff1d(asked[:, slot, latent], seen[:, slot, latent])))
                    if latent in discrete
                    else ()
                    for latent in range(seen.shape[2])
                ),
            )
        )
    found = _parts(seen_unit, discrete, factor, stream(seed, "coverage", "parts"))
    return Coverage(tuple(slots), enough, *found)


def from_sample(
    sample: Real[np.ndarray, "points slots latents"], radius: float, discrete: tuple[int, ...] = ()
) -> Complete:
    """A `complete` for a finite sample: the nearest points within `radius` of a value, snapped to it.

    Snapping moves the component by at most `radius`, and the derivative of a composition with it: compare the verdict
    with that at half the radius. Discrete latents must be equal. Radius in the units of the sample.
    """
    points = _checked("sample", sample, discrete)
    if not 0 <= radius < np.inf:
        raise InputError(f"radius = {radius} must be a finite number of at least 0; 0 takes exact matches only.")
    kept = [latent for latent in range(points.shape[2]) if latent not in discrete]

    def complete(slot: int, value: np.ndarray, count: int) -> np.ndarray:
        apart = np.abs(points[:, slot][:, kept] - np.asarray(value)[kept]).max(axis=1, initial=0.0)
        equal = (points[:, slot][:, list(discrete)] == np.asarray(value)[list(discrete)]).all(axis=1)
        near = np.flatnonzero((apart <= radius) & equal)
        found = points[near[np.argsort(apart[near], kind="stable")[:count]]]
        found[:, slot] = value
        return found

    return complete


def latin_hypercube(count: int, latents: int, rng: "np.random.Generator") -> Float[np.ndarray, "count latents"]:
    """Points of the unit cube, one in each of `count` equal slices of every latent."""
    slices = rng.permuted(np.tile(np.arange(count)[:, None], (1, latents)), axis=0)
    return (slices + rng.random((count, latents))) / count


def _checked(what: str, points: np.ndarray, discrete: tuple[int, ...]) -> np.ndarray:
    """The points as floats, refused when there are none, when one is not a number, or `discrete` names no latent."""
    if 0 in points.shape:
        raise InputError(f"the {what} points have shape {points.shape}; give at least one point, slot and latent.")
    floats = np.asarray(points, dtype=np.float64)
    if not np.isfinite(floats).all():
        point, slot, latent = np.argwhere(~np.isfinite(floats))[0]
        raise InputError(
            f"the {what} point {point} has {floats[point, slot, latent]} as latent {latent} of slot {slot}; latents "
            "must be finite numbers, so leave such points out."
        )
    for latent in discrete:
        if not 0 <= latent < points.shape[2]:
            raise InputError(f"discrete latent {latent} does not exist; there are {points.shape[2]}, counted from 0.")
    return floats


def _cells(values: np.ndarray, discrete: tuple[int, ...]) -> dict[tuple[float, ...], np.ndarray]:
    """Row numbers by the values of the discrete latents."""
    if not discrete:
        return {(): np.arange(len(values))}
    levels, group = np.unique(values[:, list(discrete)], axis=0, return_inverse=True)
    return {tuple(level): np.flatnonzero(group.ravel() == number) for number, level in enumerate(levels)}


def _nearest(
    asked: np.ndarray, known: np.ndarray, kept: list[int], discrete: tuple[int, ...], *, other: bool = False
) -> np.ndarray:
    """The distance of each asked value to the nearest known one of equal discrete part, infinite without one.

    ``other``: both are the same values, and a value is not its own neighbour.
    """
    from scipy.spatial import cKDTree

    distance = np.full(len(asked), np.inf)
    cells = _cells(known, discrete)
    for level, rows in _cells(asked, discrete).items():
        there = cells.get(level)
        if there is None or (other and len(there) < 2):
            continue
        if not kept:
            distance[rows] = 0.0
            continue
        neighbours = cKDTree(known[there][:, kept]).query(asked[rows][:, kept], k=[2 if other else 1], p=np.inf)[0]
        distance[rows] = np.asarray(neighbours)[:, 0]
    return distance


def _typical(
    values: np.ndarray, count: int, kept: list[int], discrete: tuple[int, ...], rng: "np.random.Generator"
) -> float:
    """e: the 95th percentile of nearest-neighbour distances that `count` values like these have among themselves."""
    drawn = values[rng.permutation(len(values))[:count]] if count < len(values) else values
    apart = _nearest(drawn, drawn, kept, discrete, other=True)
    apart = apart[np.isfinite(apart)]
    if not len(apart):
        return 0.0
    varying = sum(np.ptp(values[:, latent]) > 0 for latent in kept)
    return float(np.percentile(apart, 95) * (len(drawn) / count) ** (1 / max(varying, 1)))


def _emptiest(seen: np.ndarray, asked: np.ndarray, factor: float) -> EmptyInterval:
    low, high = float(asked.min()), float(asked.max())
    inside = np.unique(seen[(seen >= low) & (seen <= high)])
    edges = np.concatenate([[low], inside, [high]])
    widest = int(np.argmax(np.diff(edges)))
    # Without a training value inside, all of the range is empty, even a range that is a point.
    width = float(edges[widest + 1] - edges[widest]) / ((high - low) or 1.0) if len(inside) else 1.0
    count = max(len(inside), 1)
    expected = float(np.log(count) / count)
    return EmptyInterval(float(edges[widest]), float(edges[widest + 1]), width, expected, width > factor * expected)


def _parts(
    points: np.ndarray, discrete: tuple[int, ...], factor: float, rng: "np.random.Generator"
) -> tuple[int, float, float, float]:
    """Number of connected parts, share of the largest, the radius within which points are joined, share of strays."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components
    from scipy.spatial import cKDTree

    slots, latents = points.shape[1:]
    flat = np.unique(points.reshape(len(points), -1), axis=0)
    flat = flat[rng.permutation(len(flat))[:JOINT_POINTS]]
    labels = tuple(slot * latents + latent for slot in range(slots) for latent in discrete)
    kept = [column for column in range(slots * latents) if column not in labels]
    apart = _nearest(flat, flat, kept, labels, other=True)
    apart = apart[np.isfinite(apart)]
    radius = factor * float(np.percentile(apart, 95)) if len(apart) else 0.0
    sizes: list[int] = []  # of the parts that count
    for rows in _cells(flat, labels).values():
        if not kept:
            sizes.append(len(rows))
            continue
        pairs = cKDTree(flat[rows][:, kept]).query_pairs(radius, p=np.inf, output_type="ndarray")
        joined = coo_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(len(rows), len(rows)))
        largest, *others = sorted(np.bincount(connected_components(joined, directed=False)[1]).tolist(), reverse=True)
        sizes += [largest, *(size for size in others if size > len(kept))]
    return len(sizes), max(sizes) / len(flat), radius, 1 - sum(sizes) / len(flat)
