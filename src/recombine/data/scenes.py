"""Scenes of sprites: components that are drawn one by one and composed (Wiedemer et al. 2023)."""

from functools import cached_property
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from recombine.core.compositions import AlphaOver, Composition, composed, compositions
from recombine.core.errors import InputError
from recombine.core.shapes import Bool, Float, Int
from recombine.core.spec import MemberOf
from recombine.data.drawn import held_or_drawn
from recombine.data.sprite_rendering import Canvas, colour, cover
from recombine.data.sprite_shapes import LATENTS, SHAPES, physical
from recombine.data.task import Examples, Task, tasks
from recombine.factors import Factor, Grid

CHANNELS = 3
MOST_TESTS = 1_000_000
WAVES = (1, 2, 3)  # of the Fourier inputs, in quarters of a turn from the middle of a latent's range to its end

Scenes = Float[np.ndarray, "items slots latents"]  # unit latents


@tasks.register("sprites")
class Sprites(Task):
    """Sprites with a place, a shape, a size and a hue each, drawn one by one and composed, the first in front.

    A scene is given by unit latents, five for each sprite: x1, y1, shape1, scale1, hue1, x2, ... Training shows what a
    support draws. ``composition`` makes the pictures; ``raster: soft`` gives edges one pixel wide; ``hard`` fills
    pixels whose middle a sprite covers, ``touched`` those whose middle is half a pixel away, as the released pictures
    do. ``inputs`` says what a model is given of each latent: its ``physical`` value, its ``unit`` value from -1 to 1,
    or that with sines and cosines of it (``fourier``). ``tests`` scenes are asked of the support and as many of the
    whole space, the same for every seed. Released: two sprites, 64 x 64 pixels, sizes 0.09 to 0.22, touched,
    composition hard, physical inputs.
    """

    count: int = Field(default=2, ge=1, le=8)
    size: int = Field(default=16, ge=4, le=256)
    scales: tuple[float, float] = (0.2, 0.4)
    raster: Literal["soft", "hard", "touched"] = "soft"
    composition: Annotated[Composition, MemberOf(compositions)] = AlphaOver()
    inputs: Literal["fourier", "unit", "physical"] = "fourier"
    tests: int = Field(default=1000, ge=2, le=MOST_TESTS)

    continuous: ClassVar[bool] = True

    def model_post_init(self, context: object) -> None:
        low, high = self.scales
        if not 0 < low <= high <= 1:
            raise InputError(
                f"task sprites: scales = {self.scales} must be two rising shares of the picture's side above 0 and at "
                "most 1."
            )
        if self.composition.learned:
            raise InputError(
                f"task sprites: the composition {self.composition.kind!r} has no formula, so it draws nothing; use "
                "addition, hard, soft or over."
            )

    @cached_property
    def grid(self) -> Grid:
        """The discrete part of the latents: the shapes of the sprites."""
        return Grid(tuple(Factor(f"shape{slot + 1}", SHAPES) for slot in range(self.count)))

    @property
    def canvas(self) -> Canvas:
        return Canvas(self.size, self.scales, self.raster)

    @property
    def slots(self) -> int:
        return self.count

    @property
    def channels(self) -> int:
        return CHANNELS

    @property
    def latents(self) -> int:
        """Latents of one sprite."""
        return len(LATENTS)

    @property
    def asked_count(self) -> int:
        return self.tests

    @property
    def image(self) -> tuple[int, int]:
        """Rows of a picture, and columns with their channels side by side."""
        return self.size, self.size * CHANNELS

    @property
    def place(self) -> tuple[int, ...]:
        if self.inputs == "physical":
            return ()
        blocks = 1 if self.inputs == "unit" else 1 + 2 * len(WAVES)
        return tuple(block * self.latents + latent for block in range(blocks) for latent in (0, 1))

    def scenes(self, positions: Float[np.ndarray, "items all"]) -> Scenes:
        """Positions as scenes: unit latents by sprite."""
        return positions.reshape(len(positions), self.count, self.latents)

    def examples(self, combinations: Int[np.ndarray, "items factors"], seed: int) -> Examples:
        raise InputError("task 'sprites' has no levels to combine; give it a support, which draws its latents.")

    def at(self, positions: Float[np.ndarray, "items all"], seed: int = 0) -> Examples:
        if np.isnan(positions).any():
            raise InputError("task 'sprites' needs all of its latents at once; leave out `isolated`.")
        return Examples(positions, self.code(positions), held_or_drawn(self.draw, positions, self.image))

    def draw(self, positions: Float[np.ndarray, "items all"]) -> Float[np.ndarray, "items rows columns"]:
        """The composed pictures, channels side by side."""
        made = composed(self.composition, list(self.components(positions, self.composition)))
        return made.reshape(len(positions), *self.image)

    def components(
        self, positions: Float[np.ndarray, "items all"], composition: Composition, every: int = 1
    ) -> Float[np.ndarray, "slots items rows columns parts"]:
        """Every sprite on its own, as `component` gives it."""
        scenes = self.scenes(positions)
        return np.stack([self.component(scenes[:, slot], composition, every) for slot in range(self.count)])

    def component(
        self, values: Float[np.ndarray, "items latents"], composition: Composition, every: int = 1
    ) -> Float[np.ndarray, "items rows columns parts"]:
        """One sprite on its own, given its unit latents, written as a composition takes it.

        Its pixels are those of every so many rows and columns.
        """
        covered = cover(values, self.canvas)[:, ::every, ::every, None]
        return composition.component(colour(values)[:, None, None, :] * np.ones_like(covered), covered)

    def overlap(self, positions: Float[np.ndarray, "items all"]) -> Bool[np.ndarray, "items rows columns"]:
        """Pixels that two sprites or more cover, be it in part."""
        scenes = self.scenes(positions)
        covering = [cover(scenes[:, slot], self.canvas) > 0 for slot in range(self.count)]
        return np.sum(covering, axis=0) > 1

    def code(self, positions: Float[np.ndarray, "items all"]) -> Float[np.ndarray, "items units"]:
        """What a model is given, the sprites one after another."""
        scenes = self.scenes(positions)
        values = physical(scenes, self.scales)
        if self.inputs != "physical":
            # A shape is one of three, wherever its latent lies within the shape's share of the range.
            unit = np.where(np.array(LATENTS) == "shape", values / (len(SHAPES) - 1), scenes)
            values = 2 * unit - 1
        if self.inputs == "fourier":
            angles = [np.pi / 2 * wave * values for wave in WAVES]
            values = np.concatenate([values, *map(np.sin, angles), *map(np.cos, angles)], axis=-1)
        return values.reshape(len(positions), -1).astype(np.float32)
