"""When does what training shows hang together? Percolation of points that are joined when near.

Liang et al. (2024), section 3.3 and appendices A.5 and D: two pictures of a bump help each other when they overlap by
more than a threshold, that is when their centres are nearer than a reach (`overlap`, `reach`). As points are added to
a box, the largest cluster takes over at a critical density (`curve`, `critical`).
"""

import math
from dataclasses import dataclass
from numbers import Real
from typing import TypeAlias

import numpy as np

from recombine.core.arrays import Given, as_array, real_array
from recombine.core.errors import InputError
from recombine.core.seeds import stream
from recombine.core.shapes import Float, Integer

Number: TypeAlias = float | int
Sides: TypeAlias = np.ndarray | None  # the checked period: a length per axis

PAIRS = 10_000_000  # more near pairs than this are not listed (16 bytes each)
NEIGHBOURS = 5  # each point's first links where pairs are not listed, itself among them
CHUNK = 65_536  # points asked for their neighbours at a time
LARGEST = 20_000_000  # coordinates that are drawn at once: a gigabyte with the search tree
SAMPLE = 1_000  # points whose neighbours are counted to guess the number of pairs


def overlap(distance: Given, sigma: Given, denominator: Given = 4) -> float:
    """How much two bumps exp(−r²/(c σ²)) overlap whose centres lie D apart, c being `denominator`.

        ‖√(ab)‖₂ / ‖a‖₂ = (∫ab / ∫a²)^½ = exp(−D² / (4 c σ²))

    The definition of appendix A.5, the root of the normalised inner product, for bumps that many pixels show: of
    narrow ones (σ near a quarter of a pixel) pictures show less than this. 1: the same bump; 0: nothing in common.
    """
    _check_positive(sigma=sigma, denominator=denominator)
    if not _is_number(distance) or not distance >= 0:
        raise InputError(f"distance {distance!r} between two bumps must be at least 0; give its size.")
    return math.exp(-((distance / sigma) ** 2) / (4 * denominator))


def reach(threshold: Given, sigma: Given, denominator: Given = 4) -> float:
    """The distance D = 2σ √(c ln(1/θ)) at which the overlap of two bumps falls to a threshold θ."""
    _check_positive(sigma=sigma, denominator=denominator)
    if not _is_number(threshold) or not 0 < threshold < 1:
        raise InputError(f"threshold {threshold!r} of the overlap must lie strictly between 0 and 1; choose one there.")
    distance = 2.0 * sigma * math.sqrt(denominator * -math.log(threshold))
    if distance == math.inf:
        raise InputError(f"bumps of sigma {sigma!r} overlap beyond the range of floats; choose a smaller one.")
    return float(distance)


def largest_share(points: Given, radius: Number, period: Given = None) -> float:
    """The share of points (items, axes) in the largest cluster, where points strictly nearer than `radius` are joined.

    1: all hang together; 1/items: no two are joined. `period` closes every axis to a ring of that length, or of its
    own where one is given per axis: distances are the shorter way round, and points outside are wrapped.
    """
    labels = clusters(points, radius, period)
    return float(np.bincount(labels).max() / len(labels))


def clusters(points: Given, radius: Number, period: Given = None) -> Integer[np.ndarray, " items"]:
    """The number of each point's cluster, from 0: a chain of steps shorter than `radius` joins equal numbers.

    Time and memory stay near linear in the number of points, however many of them are near each other.
    """
    places, sides = _checked(points, radius, period)
    pairs = _near_pairs(places, radius, sides)
    return _crowded(places, radius, sides) if pairs is None else _joined(np.arange(len(places)), *pairs.T)


def prefix_shares(points: Given, counts: Given, radius: Number, period: Given = None) -> Float[np.ndarray, " counts"]:
    """`largest_share` of the first points, for each of the rising `counts`, from one list of near pairs."""
    (places, sides), steps = _checked(points, radius, period), _whole(counts, "counts", 1)
    if steps[-1] > len(places) or (steps[1:] < steps[:-1]).any():
        raise InputError(
            f"counts {steps.tolist()} of points must rise from at least 1 to at most the {len(places)} there are; "
            "sort them and leave out the rest."
        )
    pairs = _near_pairs(places, radius, sides)
    if pairs is None:
        return np.array([largest_share(places[:count], radius, period) for count in steps.tolist()])
    # A pair is there once its later point is.
    pairs = pairs[np.argsort(pairs.max(axis=1), kind="stable")]
    ends = np.searchsorted(pairs.max(axis=1), steps)
    shares, labels = [], np.empty(0, dtype=np.intp)
    for count, start, end in zip(steps.tolist(), [0, *ends[:-1]], ends, strict=True):
        # The clusters so far enter as one node each, so every pair is looked at once.
        labels = np.concatenate([labels, labels.max(initial=-1) + 1 + np.arange(count - len(labels))])
        labels = _joined(labels, *labels[pairs[start:end]].T)
        shares.append(np.bincount(labels).max() / count)
    return np.array(shares)


@dataclass(frozen=True)
class Curve:
    """The largest share against density, for several random orders of arrival."""

    densities: Float[np.ndarray, " densities"]  # points per unit of volume, as drawn
    counts: Integer[np.ndarray, " densities"]
    shares: Float[np.ndarray, "seeds densities"]

    @property
    def mean(self) -> Float[np.ndarray, " densities"]:
        """The mean over seeds."""
        return self.shares.mean(axis=0)

    def interval(self) -> tuple[Float[np.ndarray, " densities"], Float[np.ndarray, " densities"]]:
        """Where the mean lies with 95 % confidence (Student's t over seeds), within 0 and 1; one seed says nothing."""
        seeds = len(self.shares)
        if seeds < 2:
            return np.zeros(len(self.counts)), np.ones(len(self.counts))
        half = _student(seeds) * self.shares.std(axis=0, ddof=1) / math.sqrt(seeds)
        return np.maximum(self.mean - half, 0.0), np.minimum(self.mean + half, 1.0)


def curve(
    densities: Given,
    side: Number,
    radius: Number,
    *,
    seeds: Given = range(5),
    periodic: bool = False,
    spacing: Given = None,
    axes: Given = 2,
) -> Curve:
    """The largest share in a box of this side as points arrive one after another, once per seed.

    Points fall anywhere in the box; with `spacing` they are the sites of a lattice, in random order without repeats
    (unit spacing makes the density the share of sites that are filled). Each density takes the first
    round(density · volume) points of one order, which depends on nothing but the seed, the box and the spacing.
    """
    _check_positive(side=side, axes=axes)
    seeds = _whole(seeds, "seeds", 0).tolist()
    if axes != int(axes):
        raise InputError(f"axes {axes!r} of a box must be a whole number; choose 2 for a canvas.")
    axes = int(axes)
    volume = _power(side, axes)
    wanted = real_array(densities, "densities", "(densities,)", finite=False).astype(np.float64)
    counts = np.rint(wanted * volume)
    sites = _sites(side, spacing, axes) if spacing is not None else None
    room = math.inf if sites is None else len(sites)
    if not np.isfinite(counts).all() or not np.all(np.diff(counts, prepend=0, append=room + 1) > 0):
        raise InputError(
            f"densities {wanted.tolist()} put {counts.tolist()} points into a volume of {volume:g}; these must rise "
            f"from at least 1 to at most {room}, so change the densities or the box."
        )
    _check_size(counts[-1], axes)
    counts = counts.astype(np.int64)
    shares = []
    for seed in seeds:
        rng = stream(seed, "percolation")
        points = side * rng.random((int(counts[-1]), axes)) if sites is None else rng.permutation(sites)[: counts[-1]]
        shares.append(prefix_shares(points, counts, radius, side if periodic else None))
    return Curve(counts / volume, counts, np.stack(shares))


@dataclass(frozen=True)
class Critical:
    """Where the largest cluster takes over. Infinite ends decide nothing, as for one seed."""

    density: float  # at which the mean share crosses the level; inf: never, −inf: below the first density
    low: float  # 95 % interval of that density over seeds
    high: float
    each: tuple[float, ...]  # the same crossing of each seed's own curve
    steepest: float  # the middle of the step over which the mean rises fastest


def critical(found: Given, level: Given = 0.5) -> Critical:
    """The density above which the mean share stays at `level` or more, interpolated between the curve's densities.

    The interval is Student's t around it, with the jackknife's spread: the crossing of the mean without each seed.
    The threshold of an endless plane is met only as the box grows: a small periodic one crosses early, for a cluster
    that closes on itself takes up much of it; open edges, whose points have fewer neighbours, make the crossing later.
    """
    if not isinstance(found, Curve):
        raise InputError(f"a critical density is read off a Curve, got {type(found).__name__}; compute one by `curve`.")
    if len(found.densities) < 2:
        raise InputError("a curve of one density crosses nothing; compute it at two densities or more.")
    if not _is_number(level) or not 0 < level < 1:
        raise InputError(f"level {level!r} of the largest share must lie strictly between 0 and 1; choose one there.")
    seeds, density = len(found.shares), _crossing(found.densities, found.mean, level)
    each = tuple(_crossing(found.densities, shares, level) for shares in found.shares)
    others = (found.shares.sum(axis=0) - found.shares) / max(seeds - 1, 1)
    without = [_crossing(found.densities, shares, level) for shares in others]
    low, high = -math.inf, math.inf
    if seeds > 1 and np.isfinite([density, *without]).all():
        half = _student(seeds) * math.sqrt((seeds - 1) * float(np.var(without)))
        low, high = density - half, density + half
    rise = int(np.argmax(np.diff(found.mean) / np.diff(found.densities)))
    return Critical(density, low, high, each, float(found.densities[rise : rise + 2].mean()))


def _crossing(densities: np.ndarray, shares: np.ndarray, level: Number) -> float:
    # The last time below, for a single point is a cluster of share 1.
    below = np.flatnonzero(shares < level)
    if not len(below):
        return -math.inf
    step = slice(below[-1], below[-1] + 2)
    return float(np.interp(level, shares[step], densities[step], right=math.inf))


def _student(seeds: int) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(seeds - 1, 0.975))


def _sites(side: Number, spacing: Given, axes: int) -> Float[np.ndarray, "sites axes"]:
    along = side / spacing if _is_number(spacing) and spacing > 0 else 0
    _check_size(_power(along, axes), axes)
    if along < 0.5 or not math.isclose(round(along) * spacing, side, rel_tol=1e-9):
        raise InputError(f"spacing {spacing!r} must divide the side {side:g} of the box; choose a whole part of it.")
    return np.indices((round(along),) * axes).reshape(axes, -1).T * float(spacing)


def _power(length: Number, axes: int) -> float:
    with np.errstate(over="ignore"):  # too much is infinite, and refused as such
        return float(np.float64(length) ** axes)


def _near_pairs(places: np.ndarray, radius: Number, sides: Sides) -> Integer[np.ndarray, "pairs 2"] | None:
    """The pairs of points to be joined, or None where they are too many to list."""
    from scipy.spatial import cKDTree

    tree = cKDTree(places, boxsize=sides)
    near = tree.query_ball_point(places[:: max(1, len(places) // SAMPLE)], radius, return_length=True)
    if (np.mean(near) - 1) * len(places) / 2 > PAIRS:
        return None
    # The tree joins at its radius too; the next smaller number makes that strict.
    return np.asarray(tree.query_pairs(np.nextafter(radius, 0.0), output_type="ndarray"))


def _joined(labels: np.ndarray, left: np.ndarray, right: np.ndarray) -> Integer[np.ndarray, " items"]:
    """Labels after the clusters named on the left were joined to those on the right."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    size = int(labels.max(initial=-1)) + 1
    graph = coo_array((np.ones(len(left), dtype=np.bool_), (left, right)), shape=(size, size))
    return connected_components(graph, directed=False)[1][labels]


def _crowded(places: np.ndarray, radius: Number, sides: Sides) -> Integer[np.ndarray, " items"]:
    """Clusters without a list of pairs: only ever the nearest points of another cluster are asked for."""
    # A tree cannot part equal points, and would search through all of them for each.
    distinct, again = np.unique(places, axis=0, return_inverse=True)
    everything = np.arange(len(distinct))
    labels = _joined(everything, *_nearest(distinct, everything, everything, radius, sides, NEIGHBOURS))
    largest = np.flatnonzero(labels == np.bincount(labels).argmax())
    rest = np.setdiff1d(everything, largest, assume_unique=True)
    labels = _joined(labels, *labels[_nearest(distinct, rest, largest, radius, sides)])
    while True:
        # Two clusters differ in some bit of their number: asking one half for its nearest in the other meets all.
        names, own = np.unique(labels[rest], return_inverse=True)
        links = [np.empty((2, 0), dtype=np.intp)]
        for bit in range(len(names).bit_length()):
            ones = (own >> bit) % 2 == 1
            links.append(_nearest(distinct, rest[ones], rest[~ones], radius, sides))
        found = np.concatenate(links, axis=1)
        if not found.size:
            return labels[again.ravel()]
        labels = _joined(labels, *labels[found])


def _nearest(
    places: np.ndarray, asked: np.ndarray, known: np.ndarray, radius: Number, sides: Sides, count: int = 1
) -> Integer[np.ndarray, "2 links"]:
    """Those asked that are nearer than `radius` to one of their nearest known points, and those points."""
    from scipy.spatial import cKDTree

    links = [np.empty((2, 0), dtype=np.intp)]
    tree = cKDTree(places[known], boxsize=sides)
    for start in range(0, len(asked) if len(known) else 0, CHUNK):
        part = asked[start : start + CHUNK]
        distance, found = map(np.asarray, tree.query(places[part], k=list(range(1, count + 1))))
        near = distance < radius
        links.append(np.stack([part[np.nonzero(near)[0]], known[found[near]]]))
    return np.concatenate(links, axis=1)


def _check_positive(**values: Given) -> None:
    for name, value in values.items():
        if not _is_number(value) or not 0 < value < math.inf:
            raise InputError(f"{name} {value!r} must be positive and finite; choose another.")


def _check_size(points: float, axes: int) -> None:
    if points * axes > LARGEST:
        raise InputError(
            f"{points:.3g} points on {axes} axes have more than the {LARGEST:,} coordinates that are drawn at once; "
            "choose lower densities, a smaller box or a wider spacing."
        )


def _whole(given: Given, what: str, least: int) -> Integer[np.ndarray, " items"]:
    numbers = as_array(given, what)
    if numbers.dtype.kind not in "iu" or numbers.ndim != 1 or not numbers.size or numbers.min() < least:
        raise InputError(f"{what} {given!r} must be a list of whole numbers from {least} on; give one or more.")
    return numbers


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _checked(points: Given, radius: Number, period: Given) -> tuple[np.ndarray, Sides]:
    """The points as floats, wrapped into the period, and the length of each axis."""
    line = "write points on a line as points[:, None]"
    places = real_array(points, "points", "(items, axes)", way_out=line, finite=False).astype(np.float64)
    if not np.isfinite(places).all():
        row = int(np.flatnonzero(~np.isfinite(places).all(axis=1))[0])
        raise InputError(f"point {row} is {places[row].tolist()}; coordinates must be finite, so drop or repair it.")
    _check_positive(radius=radius)
    if period is None:
        return places, None
    sides = as_array(period, "period")
    fits = sides.dtype.kind in "fiu" and sides.shape in ((), (places.shape[1],))
    if not fits or not (np.isfinite(sides) & (sides > 0)).all():
        raise InputError(
            f"period {period!r} of points on {places.shape[1]} axes must be one positive length, or one per axis; "
            "leave it out where no axis closes."
        )
    sides = np.broadcast_to(sides, places.shape[1:]).astype(np.float64)
    places %= sides
    # A tiny negative number rounds up to the period itself, which is 0.
    return np.where(places < sides, places, 0.0), sides
