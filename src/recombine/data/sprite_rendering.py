"""Sprites as pixels: which share of each pixel a sprite covers, from its signed distance to the pixel's centre.

    soft     cover = clip(1/2 - d, 0, 1)        d the signed distance in pixels, so that edges are one pixel wide
    hard     cover = 1 where d <= 0, else 0     soft cover cut at one half: pixels whose centre is inside
    touched  cover = 1 where d <= 1/2, else 0   where soft cover begins: pixels that are reached, one more each way

Row 0 is the top of the picture; y grows upwards. Wiedemer et al. (2023) filled polygons with their borders, which makes
sprites a pixel wider than they are; ``touched`` draws them so, and only with it are the published variances met.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil
from typing import Literal

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from recombine.core.compositions import Array, namespace
from recombine.core.errors import InputError, unknown
from recombine.core.shapes import Float, Int
from recombine.data.sprite_shapes import GEOMETRY, LATENTS, Shape, colour, physical

__all__ = ["Canvas", "colour", "cover", "soft_cover"]

RUN_PIXELS = 2**16  # computed at once, few enough for a processor's cache
SLACK = 0.51  # pixels a window reaches past a sprite: half of a soft edge, and what rounding may move
EDGE = {"hard": 0.0, "touched": 0.5}  # the largest distance in pixels that counts as covered
SHAPE, SCALE = LATENTS.index("shape"), LATENTS.index("scale")


@dataclass(frozen=True)
class Canvas:
    """What sprites are drawn on: pixels a side, smallest and largest sprite as shares of the side, kind of edges."""

    size: int = 16
    scales: tuple[float, float] = (0.2, 0.4)
    raster: Literal["soft", "hard", "touched"] = "soft"

    def __post_init__(self) -> None:
        if self.size < 1:
            raise InputError(f"canvas size = {self.size} must be at least 1; give the number of pixels a side.")
        low, high = self.scales
        if not 0 < low <= high < float("inf"):
            raise InputError(
                f"canvas scales = {self.scales} must satisfy 0 < low <= high; give two shares of the side."
            )
        if self.raster not in ("soft", *EDGE):
            raise unknown("raster", self.raster, ("soft", *EDGE))


def cover(unit: Float[np.ndarray, "items 5"], canvas: Canvas) -> Float[np.ndarray, "items rows columns"]:
    """The share of each pixel that each sprite covers, from 0 to 1, as float32.

    Only a window around each sprite is computed. Sprites of one shape and of similar size go together, so that their
    windows are equally large and fit the sprites closely.
    """
    outside = unit[~((unit >= 0) & (unit <= 1))]
    if len(outside):
        raise InputError(f"a unit latent of {outside[0]:g} must lie from 0 to 1; bring latents to the unit cube first.")
    values = physical(unit.astype(np.float64), canvas.scales)
    column, row, scale = _in_pixels(values, canvas)
    pixels = np.arange(canvas.size) + 0.5
    covered = np.zeros((len(unit), canvas.size, canvas.size), dtype=np.float32)
    for shape, items in _alike(values, canvas):
        reach = float(scale[items[-1]])  # of the largest of these sprites
        wide = min(canvas.size, ceil(2 * (reach * shape.sideways + SLACK)))
        high = min(canvas.size, ceil(reach * (shape.up + shape.down) + 2 * SLACK))
        # Windows at the border are moved inwards: what they lose lies outside the canvas.
        left = _first(column[items] - reach * shape.sideways, canvas.size - wide)
        top = _first(row[items] - reach * shape.up, canvas.size - high)
        x = pixels[left[:, None] + np.arange(wide)] - column[items, None]
        y = row[items, None] - pixels[top[:, None] + np.arange(high)]
        x, y, sizes = (each.astype(np.float32) for each in (x[:, None, :], y[:, :, None], scale[items, None, None]))
        distance = shape.distance(x, y, sizes)
        windows = sliding_window_view(covered, (high, wide), axis=(1, 2), writeable=True)
        windows[items, top, left] = _soft(distance) if canvas.raster == "soft" else distance <= EDGE[canvas.raster]
    return covered


def soft_cover(unit: Array, canvas: Canvas) -> Array:
    """The soft cover (items, rows, columns) of unit latents (items, 5), differentiable in x, y and scale.

    It takes NumPy arrays and torch tensors, keeps their precision, and computes every pixel. Latents may leave the unit
    cube, as they do when somebody descends a gradient. Its derivative with respect to shape is 0.
    """
    library = namespace(unit)
    values = physical(unit, canvas.scales)
    column, row, scale = _in_pixels(values, canvas)
    pixels = library.arange(canvas.size, dtype=unit.dtype, device=unit.device) + 0.5
    order, made = [], []
    for number, shape in enumerate(GEOMETRY):
        (items,) = library.where(values[:, SHAPE] == number)
        x = pixels[None, None, :] - column[items, None, None]
        y = row[items, None, None] - pixels[None, :, None]
        order.append(items)
        made.append(_soft(shape.distance(x, y, scale[items, None, None])))
    return library.concatenate(made)[library.argsort(library.concatenate(order))]


def _soft(distance: Array) -> Array:
    return (0.5 - distance).clip(0, 1)


def _in_pixels(values: Array, canvas: Canvas) -> tuple[Array, Array, Array]:
    """Of physical latents: the centre's distances from the left and upper border, and the scale."""
    return canvas.size * values[:, 0], canvas.size * (1 - values[:, 1]), canvas.size * values[:, SCALE]


def _first(edge: Float[np.ndarray, " items"], last: int) -> Int[np.ndarray, " items"]:
    """The first pixel whose centre lies past this edge of a sprite, less the slack; ``last`` at most."""
    return np.clip(np.ceil(edge - SLACK - 0.5), 0, last).astype(np.intp)


def _alike(values: Float[np.ndarray, "items 5"], canvas: Canvas) -> Iterator[tuple[Shape, Int[np.ndarray, " some"]]]:
    """Sprites to be drawn together: of one shape, smallest first, and few enough for RUN_PIXELS."""
    for number, shape in enumerate(GEOMETRY):
        items = np.flatnonzero(values[:, SHAPE] == number)
        items = items[np.argsort(values[items, SCALE])]
        largest = canvas.size * canvas.scales[1]
        area = (2 * largest * shape.sideways + 2) * (largest * (shape.up + shape.down) + 2)
        run = max(1, int(RUN_PIXELS / min(area, canvas.size**2)))
        yield from ((shape, items[start : start + run]) for start in range(0, len(items), run))
