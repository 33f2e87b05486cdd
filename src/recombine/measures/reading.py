"""Reading the place of what is drawn off a picture: how many marks there are, and where.

A mark is a connected stretch of pixels with enough ink. A picture with none or several has no place in the strict
reading, the middle of its ink in the centroid reading (the paper's), and one for each coordinate alone in the marginal
reading. A coordinate that cannot be read is NaN.
"""

from numbers import Real
from typing import NamedTuple

import numpy as np

from recombine.core.arrays import Given, real_array
from recombine.core.errors import InputError
from recombine.core.shapes import Bool, Float, Int
from recombine.measures.accuracy import extreme_pixels
from recombine.measures.evidence import Evidence

FAINT = 0.25  # a mark with less than this share of the ink of the picture's heaviest does not count
EVEN = 1e-9  # ink whose circular mean is shorter than this is spread evenly around its ring: it has no middle


class Marks(NamedTuple):
    """How many marks each picture has, and the pixels of its heaviest one."""

    numbers: Int[np.ndarray, " pictures"]
    heaviest: Bool[np.ndarray, "pictures rows columns"]


def drawn_ink(evidence: Evidence) -> Float[np.ndarray, "combinations rows columns"]:
    """The ink of every output: 1 − v where marks are dark, v where they are bright, cut off below 0 and above 1.

    Where a target has more ink than 1, as stripes that add up may, it is cut off above the most that any has.
    """
    _need_pictures(evidence)
    truth, drawn = (
        1.0 - pictures if evidence.dark else pictures
        for pictures in (evidence.targets.astype(np.float64), evidence.outputs.astype(np.float64))
    )
    return drawn.clip(0, max(1.0, truth.max()))


def true_places(evidence: Evidence) -> Int[np.ndarray, "combinations 2"]:
    """The (row, column) of the extreme pixel of every target; an `InputError` where it is not a single one."""
    _need_pictures(evidence)
    found, single = extreme_pixels(evidence.targets, evidence.dark)
    if not single.all():
        y, x = evidence.levels[~single][0]
        raise InputError(
            f"the true place is undefined at y = {y}, x = {x}: the target has no single extreme pixel; "
            "use targets with one mark on a pixel, or judge by nmse."
        )
    return found


def find_marks(ink: Given, threshold: Given, periodic: bool = False) -> Marks:
    """The marks of each picture: the 8-neighbour components of {ink ≥ threshold}, around the edges if periodic.

    ``ink`` is (pictures, rows, columns). A mark counts when its ink is at least a quarter of that of the heaviest mark
    of its picture.
    """
    from scipy.ndimage import label  # slow to load, and few need it

    ink = _pictures(ink)
    if not isinstance(threshold, Real) or threshold != threshold:
        raise InputError(f"threshold = {threshold!r} of the ink of a mark must be a number, e.g. 0.5; change it.")
    neighbours = np.zeros((3, 3, 3))
    neighbours[1] = 1  # within a picture, not from one to the next
    labels, number = label(ink >= threshold, neighbours)
    if periodic and number:
        labels, number = _joined_around(labels, number)
    owners = np.zeros(number + 1, dtype=np.int64)
    owners[labels] = np.arange(len(ink))[:, None, None]
    owners = owners[1:]
    masses = np.bincount(labels.ravel(), ink.ravel(), number + 1)[1:]
    heaviest = np.zeros(len(ink), dtype=np.int64)
    lightest_first = masses.argsort(kind="stable")
    heaviest[owners[lightest_first]] = lightest_first + 1
    counted = masses >= FAINT * masses[heaviest[owners] - 1]
    numbers = np.bincount(owners[counted], minlength=len(ink))
    return Marks(numbers, (labels == heaviest[:, None, None]) & (labels > 0))


def strict_places(ink: Given, threshold: float, periodic: bool = False) -> Float[np.ndarray, "pictures 2"]:
    """The (row, column) of the darkest pixel of the one mark, the mean of equally dark ones; NaN for none or many."""
    ink = _pictures(ink)
    marks = find_marks(ink, threshold, periodic)
    inside = np.where(marks.heaviest, ink, -1.0)
    darkest = inside == inside.max(axis=(1, 2), keepdims=True)
    return np.where(marks.numbers[:, None] == 1, middle(darkest.astype(np.float64), periodic), np.nan)


def centroid_places(ink: Given, threshold: float, periodic: bool = False) -> Float[np.ndarray, "pictures 2"]:
    """Like `strict_places`, but the middle of all ink for none or many marks; NaN only where there is no middle.

    The middle of a failed picture often lies near the centre of the canvas: what is held out there looks right.
    """
    ink = _pictures(ink)
    strict = strict_places(ink, threshold, periodic)
    return np.where(np.isnan(strict).all(axis=1, keepdims=True), middle(ink, periodic), strict)


def marginal_places(ink: Given) -> Float[np.ndarray, "pictures 2"]:
    """The row with most ink and the column with most ink, each read alone; NaN where several have equally much."""
    ink = _pictures(ink)
    return np.stack([_largest(ink.sum(axis=2)), _largest(ink.sum(axis=1))], axis=1)


def darkest_places(evidence: Evidence) -> Float[np.ndarray, "combinations 2"]:
    """The (row, column) of the extreme pixel of every output, marks or not; NaN where several are equally extreme."""
    found, single = extreme_pixels(evidence.outputs, evidence.dark)
    return np.where(single[:, None], found, np.nan)


def middle(ink: Float[np.ndarray, "pictures rows columns"], periodic: bool = False) -> Float[np.ndarray, "pictures 2"]:
    """The mean (row, column), weighted by ink: NaN without ink.

        μ = Σ u k / Σ u,   on a ring of N: μ = N/2π · arg Σ u exp(2πi k / N), NaN for evenly spread ink

    k is the row or the column, u the ink.
    """
    return np.stack([_mean_place(ink.sum(axis=other), periodic) for other in (2, 1)], axis=1)


def apart(
    found: Float[np.ndarray, "pictures 2"], true: Int[np.ndarray, "pictures 2"], ring: tuple[int, int] | None
) -> Float[np.ndarray, "pictures 2"]:
    """Distance in pixels along y and along x, the short way round a ring of so many; NaN where nothing was read."""
    distance = np.abs(found - true)
    return distance if ring is None else np.minimum(distance, np.array(ring) - distance)


def _pictures(ink: Given) -> Float[np.ndarray, "pictures rows columns"]:
    single = "write a single picture as picture[None]"
    read = real_array(ink, "pictures of ink", "(pictures, rows, columns)", way_out=single)
    return read if read.dtype.kind == "f" else read.astype(np.float64)


def _need_pictures(evidence: Evidence) -> None:
    if evidence.places != "pixel":
        raise InputError(
            f"this task's answers are no pictures to read a place off (places are {evidence.places!r}); "
            "judge by nmse, or leave out the measures of what is drawn."
        )


def _mean_place(profile: Float[np.ndarray, "pictures places"], periodic: bool) -> Float[np.ndarray, " pictures"]:
    size = profile.shape[1]
    total = profile.sum(axis=1)
    nowhere = np.full(len(profile), np.nan)
    if not periodic:
        return _rounded(np.divide(profile @ np.arange(size), total, out=nowhere, where=total > 0))
    around = profile @ np.exp(2j * np.pi * np.arange(size) / size)
    place = _rounded(np.angle(around) * size / (2 * np.pi)) % size
    return np.where(np.abs(around) > EVEN * total, place, np.nan)


def _rounded(places: Float[np.ndarray, " pictures"]) -> Float[np.ndarray, " pictures"]:
    """A pixel next to the true one must not come nearer than 1 by rounding."""
    return places.round(6)


def _largest(profile: Float[np.ndarray, "pictures places"]) -> Float[np.ndarray, " pictures"]:
    single = (profile == profile.max(axis=1, keepdims=True)).sum(axis=1) == 1
    return np.where(single, profile.argmax(axis=1), np.nan)


def _joined_around(
    labels: Int[np.ndarray, "pictures rows columns"], number: int
) -> tuple[Int[np.ndarray, "pictures rows columns"], int]:
    """The same labels where marks that touch across opposite edges, or corners, have become one."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    seams = ((labels[:, 0], labels[:, -1]), (labels[:, :, 0], labels[:, :, -1]))
    touching = [np.stack([one, np.roll(other, by, axis=1)]) for one, other in seams for by in (-1, 0, 1)]
    pairs = np.concatenate([each.reshape(2, -1) for each in touching], axis=1)
    first, second = pairs[:, (pairs > 0).all(axis=0)] - 1
    joined = coo_array((np.ones(len(first)), (first, second)), shape=(number, number))
    fewer, names = connected_components(joined, directed=False)
    return np.append(0, names + 1)[labels], int(fewer)
