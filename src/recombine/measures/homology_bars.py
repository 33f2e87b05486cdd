"""Components, loops and cavities of a cloud of points, by how long they last: persistent homology.

Points are joined when nearer than a length, and the length grows (the Vietoris-Rips filtration). A bar is the stretch
of lengths over which a component (degree 0), a loop (degree 1) or a cavity (degree 2) is there; its lifetime is how
long that stretch is. A torus has one long bar in degree 0, two in degree 1 and one in degree 2.
"""

from collections.abc import Sequence
from numbers import Integral
from typing import NamedTuple, TypeAlias

import numpy as np

from recombine.core.arrays import Given, real_array, unit_of
from recombine.core.errors import InputError
from recombine.core.seeds import stream
from recombine.core.shapes import Float, Int, Real

# A whole number that is checked here. No narrower: where annotations are checked, others would be refused unread.
Whole: TypeAlias = Given

# Over the field of two elements a Klein bottle has the bars of a torus; over an odd prime it has not.
FIELD = 11

# What differs by less than this share is equal but for rounding: the ends of a bar, or squared distances to landmarks.
ROUNDING = 1e-10

# Bars below this share of the longest count as that long: tiny bars have large ratios that mean nothing.
SHORT = 0.1


class HomologyCost(NamedTuple):
    """What a computation takes: CPU seconds of one core, and memory on top of what the process has already."""

    seconds: float
    megabytes: float


LIMIT = HomologyCost(seconds=600.0, megabytes=4000.0)

# By degree: seconds, the power of the number of points they grow with, and megabytes, which grow with its square.
# Fitted to points drawn from a torus, rather above than below what was measured; clouds without loops take less, and
# regular grids, many of whose distances are equal, took up to three times as long and half as much memory again.
_COSTS = ((1e-7, 2, 5e-5), (5e-9, 3, 3e-4), (1e-7, 3, 1.9e-3))


class LongBars(NamedTuple):
    """How many bars stand out, and by what factor the last of them outlasts the next."""

    number: int
    ratio: float


class LandmarkSpread(NamedTuple):
    """How far the bars of several landmark sets lie apart, by degree, and how far they can at most."""

    spread: tuple[float, ...]
    bound: float


def homology(
    points: Given,
    degrees: Whole = 2,
    landmarks: Whole | None = None,
    seed: Whole = 0,
    limit: HomologyCost | None = LIMIT,
) -> list[Float[np.ndarray, " bars"]]:
    """Lifetimes of the bars of points (points, features) in degree 0, 1, ..., ``degrees``, longest first.

    The one component that is never joined to another has lifetime infinity and comes first in degree 0; every other
    lifetime is finite, in the unit of the points. Points at the same place count once, and bars whose ends differ by
    rounding alone are left out. ``landmarks`` looks at so many `furthest_points` only, the first drawn by ``seed``.
    What would take more than ``limit`` by `homology_cost` is refused before it starts; None lifts the limit.
    """
    return [deaths - births for births, deaths in (each.T for each in diagram(points, degrees, landmarks, seed, limit))]


def diagram(
    points: Given,
    degrees: Whole = 2,
    landmarks: Whole | None = None,
    seed: Whole = 0,
    limit: HomologyCost | None = LIMIT,
) -> list[Float[np.ndarray, "_bars 2"]]:
    """Births and deaths of the bars of `homology`, in the same order: a persistence diagram for each degree."""
    points = _cloud(points)
    _allow(len(points) if landmarks is None else landmarks, degrees, limit)
    if landmarks is not None:
        points = points[_choose(points, landmarks, seed)[0]]

    from gudhi.sklearn import RipsPersistence  # slow to load, and few need it

    rips = RipsPersistence(homology_dimensions=range(degrees + 1), homology_coeff_field=FIELD)
    unit = unit_of(points)
    bars = rips.fit_transform([points.astype(np.float64) / unit])[0]
    return [_longest_first(each) * unit for each in bars]


def homology_cost(points: Whole, degrees: Whole = 2) -> HomologyCost:
    """What `homology` of so many points takes, up to a degree: an estimate from measured points of a torus.

    Time grows with the cube of the number of points from degree 1 on, memory with its square. A regular grid, with its
    many equal distances, can take three times as long.
    """
    if not _whole(degrees) or degrees not in range(len(_COSTS)):
        raise InputError(
            f"homology goes from degree 0 up to 0, 1 or 2, got degrees={degrees!r}; there is no estimate beyond."
        )
    if not _whole(points) or points < 1:
        raise InputError(
            f"homology needs a whole number of points or landmarks, at least 1 point, got {points!r}; change it."
        )
    seconds, power, megabytes = _COSTS[degrees]
    return HomologyCost(seconds * points**power, megabytes * points**2)


def furthest_points(points: Given, count: Whole, seed: Whole = 0) -> Int[np.ndarray, " landmarks"]:
    """Indices of points that cover the cloud evenly: each is the one furthest from all that were chosen before.

    The first is drawn by ``seed``. Among equally far points the first counts, up to rounding, so that turning the
    cloud chooses the same ones. More points only add to the choice: fewer are its beginning.
    """
    return _choose(_cloud(points), count, seed)[0]


def long_bars(lifetimes: Float[np.ndarray, " bars"]) -> LongBars:
    """How many bars come before the largest fall from one lifetime (longest first) to the next, and its ratio.

        number = argmax over k of l_k / max(l_{k+1}, l_1 / 10)

    A ratio near 1 means that no bar stands out, whatever the number; look at both. A single bar stands out infinitely,
    and so does an infinite one: to see clusters in degree 0, give the finite lifetimes alone. If no bar lasts, (0, 1).
    """
    lifetimes = np.asarray(lifetimes)
    if lifetimes.ndim != 1 or np.isnan(lifetimes).any() or (lifetimes[1:] > lifetimes[:-1]).any():
        raise InputError("lifetimes of bars must be one list of numbers, longest first; sort them, and leave NaN out.")
    if not len(lifetimes) or lifetimes[0] == 0:
        return LongBars(0, 1.0)
    if len(lifetimes) == 1 or np.isinf(lifetimes[0]):
        return LongBars(max(1, int(np.isinf(lifetimes).sum())), np.inf)
    falls = lifetimes[:-1] / np.maximum(lifetimes[1:], SHORT * lifetimes[0])
    last = int(falls.argmax())
    return LongBars(last + 1, float(lifetimes[last] / lifetimes[last + 1]))


def landmark_spread(
    points: Given,
    landmarks: Whole,
    degrees: Whole = 2,
    seeds: Sequence[int] = (0, 1, 2),
    limit: HomologyCost | None = LIMIT,
) -> LandmarkSpread:
    """Do the bars depend on which landmarks are chosen? One set of landmarks for each seed.

        spread_d = max over places k of (max over sets of l_k − min over sets of l_k),   bound = 4 ε

    l_k is the k-th longest finite lifetime in degree d (0 where there are fewer), ε the largest distance of a point
    from the nearest landmark of a set. Leaving points out moves both ends of a bar by 2 ε at most, so the bound holds
    for any two sets, and for a set and all points: a bar longer than 4 ε is no accident of the choice.
    """
    sets, radius = landmark_sets(points, landmarks, degrees, seeds, limit)
    return LandmarkSpread(spread_of(sets), 4 * radius)


def landmark_sets(
    points: Given,
    landmarks: Whole,
    degrees: Whole = 2,
    seeds: Sequence[int] = (0, 1, 2),
    limit: HomologyCost | None = LIMIT,
) -> tuple[list[list[Float[np.ndarray, " _"]]], float]:
    """Lifetimes by degree for the landmarks of each seed, and how far a point is from its nearest landmark at most."""
    if len(seeds) < 2:
        raise InputError(f"a spread of landmark sets needs at least 2 seeds, got {len(seeds)}; give more.")
    _allow(landmarks, degrees, limit)
    points = _cloud(points)
    chosen = [_choose(points, landmarks, seed) for seed in seeds]
    return [homology(points[places], degrees, limit=limit) for places, _ in chosen], max(far for _, far in chosen)


def spread_of(sets: Sequence[Sequence[Float[np.ndarray, " _"]]]) -> tuple[float, ...]:
    """By degree, the largest difference at one place between the finite lifetimes of several sets."""
    return tuple(_spread(by_set) for by_set in zip(*sets, strict=True))


def _choose(
    points: Real[np.ndarray, "points features"], count: Whole, seed: Whole
) -> tuple[Int[np.ndarray, " landmarks"], float]:
    """The furthest points, and the largest distance of a point from the nearest of them."""
    if not _whole(count) or not 1 <= count <= len(points):
        raise InputError(
            f"{count!r} furthest points cannot be chosen from {len(points)}; choose a whole number from 1 to all."
        )
    if not _whole(seed) or seed < 0:
        raise InputError(f"seed = {seed!r} draws the first landmark and must be a whole number from 0 on; change it.")
    unit = unit_of(points)
    scaled = points / unit
    centred = scaled - scaled.mean(axis=0, dtype=np.float64)
    squares = np.einsum("pf,pf->p", centred, centred)
    nearest = np.full(len(points), np.inf)
    chosen = np.empty(count, dtype=np.int64)
    place = int(stream(seed, "measures", "landmarks").integers(len(points)))
    for turn in range(count):
        chosen[turn] = place
        nearest = np.minimum(nearest, squares + squares[place] - 2 * (centred @ centred[place]))
        nearest[place] = -np.inf
        place = int(np.argmax(nearest >= nearest.max() - ROUNDING * squares.max()))
    return chosen, unit * float(np.sqrt(max(0.0, nearest.max())))


def _longest_first(ends: Float[np.ndarray, "_all 2"]) -> Float[np.ndarray, "_bars 2"]:
    """Longest first, without the bars whose ends differ by rounding alone; those come and go as the cloud is turned."""
    births, deaths = ends.T
    lasting = ends[births < deaths * (1 - ROUNDING)]
    return lasting[np.argsort(lasting[:, 0] - lasting[:, 1], kind="stable")]


def _spread(several: Sequence[Float[np.ndarray, " _"]]) -> float:
    """Largest difference at one place between lists of lifetimes, the shorter ones continued by zeros."""
    finite = [lifetimes[np.isfinite(lifetimes)] for lifetimes in several]
    places = np.zeros((len(finite), max(map(len, finite)) + 1))
    for row, lifetimes in zip(places, finite, strict=True):
        row[: len(lifetimes)] = lifetimes
    return float(np.ptp(places, axis=0).max())


def _allow(points: Whole, degrees: Whole, limit: HomologyCost | None) -> None:
    cost = homology_cost(points, degrees)
    if limit is not None and (cost.seconds > limit.seconds or cost.megabytes > limit.megabytes):
        raise InputError(
            f"homology up to degree {degrees} of {points} points takes about {cost.seconds:.3g} seconds and "
            f"{cost.megabytes:.3g} megabytes, more than the limit of {limit.seconds:g} and {limit.megabytes:g}; "
            "choose fewer landmarks, such as landmarks=200, or lift it with limit=None."
        )


def _whole(number: object) -> bool:
    return isinstance(number, Integral) and not isinstance(number, bool)


def _cloud(points: Given) -> Real[np.ndarray, "points features"]:
    return real_array(points, "points", "(points, features)")
