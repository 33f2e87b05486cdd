"""Sprites as geometry: what five unit latents mean, how far a point is from a shape, and what colour a hue is.

Each function is written once and serves NumPy arrays (data) and torch tensors (models, derivatives) alike. Lengths are
shares of the image side, or pixels, as the caller likes; x grows to the right and y upwards.
"""

from collections.abc import Callable
from math import pi, sqrt
from typing import NamedTuple

import numpy as np

from recombine.core.compositions import Array, namespace

LATENTS = ("x", "y", "shape", "scale", "hue")
SHAPES = ("triangle", "square", "circle")

# Of shapes of area 1. An equilateral triangle of inradius r has the area 3 sqrt(3) r^2.
INRADIUS = (3 * sqrt(3)) ** -0.5
HALF_SIDE = 0.5
RADIUS = pi**-0.5


def physical(unit: Array, scales: tuple[float, float]) -> Array:
    """What unit latents (..., 5) stand for: x, y and scale as shares of the side, the shape's number, the hue in turns.

        x = 0.1 + 0.8 u    y = 0.2 + 0.6 u    hue = 0.05 + 0.9 u
        shape = floor(2 u + 1/2)    scale = low + (high - low) u

    A shape's number is 2 u rounded, halves upwards: u = 1/4 is a square and u = 3/4 a circle. Uniform u therefore draws
    triangles, squares and circles with shares 1/4, 1/2 and 1/4. Its derivative is 0.
    """
    low, high = scales
    library = namespace(unit)
    x, y, shape, scale, hue = (unit[..., column] for column in range(len(LATENTS)))
    number = library.floor(2 * shape + 0.5).clip(0, len(SHAPES) - 1)
    values = [0.1 + 0.8 * x, 0.2 + 0.6 * y, number, low + (high - low) * scale, 0.05 + 0.9 * hue]
    return library.stack(values, -1)


def colour(unit: Array) -> Array:
    """Red, green and blue (..., 3) of unit latents (..., 5): the hue wheel at full saturation and value.

        rgb = clip(|(6 hue + (0, 4, 2)) mod 6 - 3| - 1, 0, 1)

    NumPy arrays come back as float32, tensors as they are.
    """
    hue = 0.05 + 0.9 * unit[..., LATENTS.index("hue")]
    library = namespace(unit)
    made = library.stack([(abs((6 * hue + turn) % 6 - 3) - 1).clip(0, 1) for turn in (0, 4, 2)], -1)
    return made.astype(np.float32) if isinstance(made, np.ndarray) else made


class Shape(NamedTuple):
    """A shape of area 1 around the origin: its signed distance, and how far it reaches from there."""

    distance: Callable[[Array, Array, Array], Array]
    sideways: float
    up: float
    down: float


def triangle(x: Array, y: Array, scale: Array) -> Array:
    """Signed distance to an equilateral triangle of area scale^2 that points up, its centroid at the origin.

    Mirroring at the axes of the triangle takes every point to the sixth that holds the right half of the lower side;
    ``beyond`` is how far the point then lies past the line of that side, and ``past`` how far past the side's end.
    """
    inradius = INRADIUS * scale
    x = abs(x)
    over_axis = (x / 2 + (sqrt(3) / 2) * y).clip(0, None)
    past = abs(x - over_axis) - sqrt(3) * inradius
    beyond = sqrt(3) * over_axis - (y + inradius)
    return _length(past.clip(0, None), beyond.clip(0, None)) + beyond.clip(None, 0)


def square(x: Array, y: Array, scale: Array) -> Array:
    """Signed distance to a square of side ``scale`` around the origin."""
    aside, above = abs(x) - HALF_SIDE * scale, abs(y) - HALF_SIDE * scale
    return _length(aside.clip(0, None), above.clip(0, None)) + namespace(x).maximum(aside, above).clip(None, 0)


def circle(x: Array, y: Array, scale: Array) -> Array:
    """Signed distance to a circle of area scale^2 around the origin."""
    return _length(x, y) - RADIUS * scale


def _length(first: Array, second: Array) -> Array:
    squared = first * first + second * second
    if isinstance(squared, np.ndarray):
        return np.sqrt(squared)
    # The root has no derivative at 0, and infinity times 0 would be NaN: constants there have the derivative 0.
    there = squared > 0
    library = namespace(squared)
    return library.where(there, library.sqrt(library.where(there, squared, 1)), 0)


#: The geometry of each of SHAPES, in their order.
GEOMETRY = (
    Shape(triangle, sqrt(3) * INRADIUS, 2 * INRADIUS, INRADIUS),
    Shape(square, HALF_SIDE, HALF_SIDE, HALF_SIDE),
    Shape(circle, RADIUS, RADIUS, RADIUS),
)
