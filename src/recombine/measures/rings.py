"""Do the rings of two factors lie in orthogonal planes, and those of one factor in parallel ones?

The ring of x at one level is the activations with x at that level while y goes through all of its levels. Its plane
is that of its two directions of largest variance. In an ideal code of two circular factors (`clifford_torus`) the
rings of x are orthogonal to those of y and parallel to each other; on the torus of three dimensions (`ring_torus`)
neither holds.
"""

from numbers import Integral, Real
from typing import NamedTuple

import numpy as np

from recombine.core.arrays import Given, real_array, unit_of
from recombine.core.errors import InputError
from recombine.core.shapes import Bool, Float
from recombine.core.shapes import Real as Reals
from recombine.measures.registry import rotation_invariant

# A second variance below this share of the first is rounding: the ring is a line.
FLAT = 1e-10
# A second variance this near to the first is equal but for rounding: the ring is a circle and has no first component.
ROUND = 1e-6
# By which part of a turn the components of a circle go on from ring to ring: irrational, so that all angles occur.
ONWARD = {"x": (np.sqrt(5) - 1) / 2, "y": np.sqrt(2) - 1}


class RingTest(NamedTuple):
    """Two numbers in degrees and one share for each pair of rings.

    ``angles``: the principal angles between their planes, the smaller first. 0, 0: parallel; 90, 90: orthogonal.
    ``residuals``: the share of the first ring's variance outside the plane of the second. 0: inside, 1: orthogonal.
    """

    angles: Float[np.ndarray, "pairs 2"]
    residuals: Float[np.ndarray, " pairs"]


class _Rings(NamedTuple):
    points: Float[np.ndarray, "rings places features"]  # each ring around its own mean
    planes: Float[np.ndarray, "rings 2 features"]  # its two principal components


def ring_tests(activations: Given) -> dict[str, RingTest]:
    """Principal angles and relative residuals of all pairs of rings: ``x-on-y``, ``x-on-x`` and ``y-on-y``.

    ``activations`` are (y, x, features), a row and a column for every level.

        cos(angles) = singular values of U Vᵀ,   residual = 1 − Σ ‖V (h − h̄)‖² / Σ ‖h − h̄‖²

    U and V are orthonormal bases (rows) of the planes of the first and the second ring, h the points of the first.
    A ring of x has x fixed. Pairs of x-on-y go through all levels of x, for each through all of y; x-on-x and y-on-y
    are the ordered pairs of different levels. A ring of more than two dimensions leaves a residual on a parallel
    plane too; where its second and third variance are equal, its plane is any of several.
    """
    return {pair: _compare(*rings) for pair, rings in _pairs(activations).items()}


def component_angles(activations: Given) -> dict[str, Float[np.ndarray, "_pairs 4"]]:
    """Angles in degrees between the principal components of two rings, for the pairs of `ring_tests`, as published.

        angle = arccos |u · v|,   u one of the first two principal components of the first ring, v of the second

    In order 1-1, 1-2, 2-1, 2-2. All 90: orthogonal planes. Unlike principal angles they depend on which components a
    plane has, and a circle has no first one: its first points to its first place and is turned on by an irrational part
    of a turn from ring to ring, so that circles of one plane show all angles from 0 to 90.
    """
    return {
        pair: np.degrees(np.arccos(np.abs(_overlaps(*rings)).clip(0, 1))).reshape(-1, 4)
        for pair, rings in _pairs(activations).items()
    }


def clifford_torus(rows: Given, columns: Given) -> Float[np.ndarray, "rows columns 4"]:
    """The ideal code of two circular factors: (cos a, sin a, cos b, sin b), x turning a and y turning b.

    x-on-y: angles 90 and 90, residual 1; x-on-x and y-on-y: angles 0 and 0, residual 0.
    """
    a, b = _turns(rows, columns)
    return np.stack([np.cos(a), np.sin(a), np.cos(b), np.sin(b)], axis=-1)


def ring_torus(
    rows: Given, columns: Given, major: Given = 2.0, minor: Given = 1.0
) -> Float[np.ndarray, "rows columns 3"]:
    """The torus of three dimensions: ((R + r cos b) cos a, (R + r cos b) sin a, r sin b), x turning a and y turning b.

    R is the ``major`` radius, r the ``minor`` one; no test depends on them. x-on-y: angles 0 and 90, residual 1/2;
    x-on-x, turned by δ: angles 0 and the angle between two lines δ apart, residual sin²(δ)/2; y-on-y: angles 0 and 0,
    residual 0.
    """
    if not all(isinstance(radius, Real) for radius in (major, minor)) or not 0 < minor < major < np.inf:
        raise InputError(
            f"a ring torus needs a minor radius above 0 and below its major one, got {major=} and {minor=}; "
            "with others it meets itself."
        )
    a, b = _turns(rows, columns)
    out = major + minor * np.cos(b)
    return np.stack([out * np.cos(a), out * np.sin(a), minor * np.sin(b)], axis=-1)


def torus_distances(activations: Given) -> dict[str, float]:
    """How far the ring tests are from those of either ideal torus on the same grid, e.g. "x-on-y angles clifford".

        distance = ∫ |Q(p) − Q'(p)| dp,   Q and Q' the quantiles over all pairs: the Wasserstein-1 distance

    0: the same histogram; the most is 90 (degrees) for ``angles`` and ``components``, 1 for ``residuals``. The second
    ideal is ``ring``.
    """
    activations = real_array(activations, "activations", "(y, x, features)")
    sizes = activations.shape[0], activations.shape[1]
    found = all_tests(activations)
    ideals = {"clifford": all_tests(clifford_torus(*sizes)), "ring": all_tests(ring_torus(*sizes))}
    return {
        f"{pair} {quantity} {name}": _wasserstein(values, ideal[pair][quantity])
        for pair, by_quantity in found.items()
        for quantity, values in by_quantity.items()
        for name, ideal in ideals.items()
    }


def all_tests(activations: Given) -> dict[str, dict[str, Float[np.ndarray, "..."]]]:
    """By pair, the ``angles`` and ``residuals`` of `ring_tests` and the ``components`` of `component_angles`."""
    components = component_angles(activations)
    return {pair: {**test._asdict(), "components": components[pair]} for pair, test in ring_tests(activations).items()}


rotation_invariant.register("torus_distances")(torus_distances)


def _turns(rows: Given, columns: Given) -> tuple[Float[np.ndarray, "rows columns"], Float[np.ndarray, "rows columns"]]:
    """The angles a, by column, and b, by row, in even steps of a full turn."""
    if not all(isinstance(count, Integral) for count in (rows, columns)) or min(rows, columns) < 3:
        raise InputError(
            f"a torus needs whole numbers of rows and columns, 3 or more, as fewer make no ring, got {rows!r} and "
            f"{columns!r}; change them."
        )
    b, a = np.indices((rows, columns))
    return 2 * np.pi * a / columns, 2 * np.pi * b / rows


def _pairs(activations: Given) -> dict[str, tuple[_Rings, _Rings]]:
    activations = real_array(activations, "activations", "(y, x, features)")
    if min(activations.shape[:2]) < 3:
        raise InputError(
            f"ring tests need at least 3 levels of y and of x, as fewer span no plane, got {activations.shape[:2]}; "
            "use a larger grid."
        )
    activations = activations / unit_of(activations)
    of_x, of_y = _rings(activations.swapaxes(0, 1), "x"), _rings(activations, "y")
    return {"x-on-y": (of_x, of_y), "x-on-x": (of_x, of_x), "y-on-y": (of_y, of_y)}


def _rings(activations: Reals[np.ndarray, "rings places features"], fixed: str) -> _Rings:
    points = activations - activations.mean(axis=1, keepdims=True, dtype=np.float64)
    # A Gram matrix of each ring: layers have far more features than a ring has places.
    variances, weights = np.linalg.eigh(points @ points.swapaxes(1, 2))
    # A dead ring too: where the mean of equal floats rounds away from them, it does so along one line.
    lacking = variances[:, -2] <= FLAT * variances[:, -1]
    if lacking.any():
        raise InputError(
            f"the ring at {fixed} = {int(lacking.argmax())} has no plane, as its activations vary along fewer than "
            "2 directions; check that the layer is not dead or collapsed."
        )
    # The largest first: what rounding left of it in the other is then taken out.
    planes, _ = np.linalg.qr(points.swapaxes(1, 2) @ weights[:, :, :-3:-1])
    circles = variances[:, -2] > (1 - ROUND) * variances[:, -1]
    return _Rings(points, np.where(circles[:, None, None], _turned(points, planes.swapaxes(1, 2), ONWARD[fixed]),
                                   planes.swapaxes(1, 2)))  # fmt: skip


def _turned(
    points: Float[np.ndarray, "rings places features"], planes: Float[np.ndarray, "rings 2 features"], onward: float
) -> Float[np.ndarray, "rings 2 features"]:
    """The same planes, their first axis towards the first place and turned on by a part of a turn from ring to ring.

    On means towards the second place, so that no more is left to chance.
    """
    (across, up), (then, above) = (np.einsum("rf,raf->ar", points[:, place], planes) for place in (0, 1))
    mirrored = np.where(across * above - up * then < 0, -1.0, 1.0)
    up, planes = up * mirrored, planes * np.stack([np.ones_like(mirrored), mirrored], axis=1)[..., None]
    turns = np.arctan2(up, across) + 2 * np.pi * onward * np.arange(len(planes))
    axes = np.stack([np.stack([np.cos(turns), np.sin(turns)], -1), np.stack([-np.sin(turns), np.cos(turns)], -1)], 1)
    return axes @ planes


def _compare(first: _Rings, second: _Rings) -> RingTest:
    """All pairs of a ring of the first set and one of the second, but none of a ring with itself."""
    features = first.points.shape[2]
    onto = second.planes.reshape(-1, features).T
    inside = np.square(first.points.reshape(-1, features) @ onto).reshape(*first.points.shape[:2], -1, 2)
    shares = inside.sum(axis=(1, 3)) / np.square(first.points).sum(axis=(1, 2))[:, None]
    # clip: rounding may end a hair beyond.
    residuals = (1 - shares[_different(first, second)]).clip(0, 1)
    return RingTest(_principal_angles(_overlaps(first, second)), residuals)


def _overlaps(first: _Rings, second: _Rings) -> Float[np.ndarray, "pairs 2 2"]:
    """U Vᵀ of all pairs."""
    features = first.points.shape[2]
    products = first.planes.reshape(-1, features) @ second.planes.reshape(-1, features).T
    return products.reshape(len(first.planes), 2, -1, 2).swapaxes(1, 2)[_different(first, second)]


def _different(first: _Rings, second: _Rings) -> Bool[np.ndarray, "first second"]:
    sizes = len(first.planes), len(second.planes)
    return np.eye(*sizes) < 1 if first is second else np.full(sizes, True)


def _principal_angles(overlaps: Float[np.ndarray, "pairs 2 2"]) -> Float[np.ndarray, "pairs 2"]:
    """arccos of the singular values, in degrees; those of a 2 x 2 matrix have a closed form."""
    (a, b), (c, d) = np.moveaxis(overlaps, 0, -1)
    turned, mirrored = np.hypot(a + d, b - c), np.hypot(a - d, b + c)
    values = np.stack([turned + mirrored, np.abs(turned - mirrored)], axis=-1) / 2
    return np.degrees(np.arccos(values.clip(0, 1)))


def _wasserstein(found: Float[np.ndarray, "*shape"], ideal: Float[np.ndarray, "*shape"]) -> float:
    """Of two samples of the same size, the mean difference in order."""
    return float(np.abs(np.sort(found, axis=None) - np.sort(ideal, axis=None)).mean())
