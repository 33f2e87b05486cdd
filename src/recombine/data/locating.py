"""The inverse of drawing a bump: a picture comes in, the position of its bump goes out.

With g(p; q) = exp(-(p - q)^2 / (2 sigma^2)) as in `pictures`,

    input   ink[r, c] = g(r; y) g(c; x), flat
    units   g(i; y) above g(i; x), i = 0 .. n-1, two rows of n
    numbers y above x, in pixels
"""

from functools import cached_property
from typing import Literal

import numpy as np
from pydantic import Field

from recombine.core.shapes import Float, Int
from recombine.data.picture_task import PictureTask, Places
from recombine.data.pictures import Bump, Side
from recombine.data.task import Examples, tasks
from recombine.factors import Grid


@tasks.register("locate")
class Locate(PictureTask):
    """Read the position of a bright bump off its picture: as two populations of units, or as two numbers.

    The bump, and the tuning of the units, have the width ``sigma``; ``n`` is the side in pixels. With numbers a blank
    answer is the corner (0, 0), whose target is therefore blank.
    """

    n: Side = 28
    sigma: float = Field(default=1.0, ge=1e-3, le=1e6)
    answer: Literal["units", "numbers"] = "units"

    @cached_property
    def drawn(self) -> Bump:
        """The task that draws the pictures this one reads."""
        return Bump(n=self.n, sigma=self.sigma, dark=False)

    @property
    def grid(self) -> Grid:
        return self.drawn.grid

    @property
    def picture(self) -> tuple[int, int, int]:
        return 1, self.n, self.n

    @property
    def image(self) -> tuple[int, int]:
        return 2, self.n if self.answer == "units" else 1

    @property
    def places(self) -> Places:
        return self.answer

    @property
    def dark(self) -> bool:
        return False

    @property
    def periodic(self) -> bool:
        return False

    def examples(self, combinations: Int[np.ndarray, "items 2"], seed: int) -> Examples:
        positions = self.grid.values(combinations)
        pictures = self.drawn.pictures(positions)
        return Examples(positions, pictures.reshape(len(pictures), -1), self.answers(positions))

    def answers(self, positions: Float[np.ndarray, "items 2"]) -> Float[np.ndarray, "items 2 values"]:
        """What is to be answered for each row (y, x) of centres, as float32: a row for y above one for x."""
        if self.answer == "numbers":
            return positions[:, :, None].astype(np.float32)
        rows = [self.drawn.profile(column, self.n) for column in positions.T]
        return np.stack(rows, axis=1).astype(np.float32)
