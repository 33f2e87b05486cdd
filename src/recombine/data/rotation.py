"""A handwritten digit, turned: one ring to interpolate along, and the digit as a second factor where there are several.

Every digit is the first picture of its class in an image set, turned about its centre (linear interpolation between
pixels, black outside). The code is (cos t, sin t) for the angle t, after a one-hot of the digit if there are several.
"""

from functools import cached_property, lru_cache
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field, field_validator

from recombine.core.errors import InputError
from recombine.core.shapes import Float, Int
from recombine.data.image_sets import image_sets, load_images
from recombine.data.picture_task import PictureTask
from recombine.data.task import Examples, tasks
from recombine.factors import Factor, Grid


@tasks.register("rotated-digit")
class RotatedDigit(PictureTask):
    """A handwritten digit turned by an angle, given the cosine and sine of the angle (and the digit, if several).

    ``digits`` are classes of the image set ``pictures``, ``angles`` the number of levels on [0, 360) degrees. The code
    of an angle runs through a gap, so angles may be held out for all digits: ``block:angle=160..200``.
    """

    digits: tuple[Annotated[int, Field(ge=0)], ...] = Field(default=(4,), min_length=1)
    angles: int = Field(default=360, ge=4, le=3600)
    pictures: str = "mnist-5k"

    interpolates: ClassVar[tuple[str, ...]] = ("angle",)

    @field_validator("digits")
    @classmethod
    def _each_once(cls, digits: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(sorted(set(digits)))

    @field_validator("pictures")
    @classmethod
    def _known(cls, name: str) -> str:
        image_sets.pick(name)
        return name

    @cached_property
    def grid(self) -> Grid:
        """The factors digit and angle; the angle, in degrees, is a ring."""
        degrees = tuple(360 * level / self.angles for level in range(self.angles))
        return Grid((Factor("digit", self.digits), Factor("angle", degrees, periodic=True)))

    @property
    def image(self) -> tuple[int, int]:
        _, _, rows, columns = self.turned.shape
        return rows, columns

    @property
    def places(self) -> None:
        return None

    @property
    def dark(self) -> bool:
        return False

    @property
    def periodic(self) -> bool:
        return len(self.digits) == 1  # digits are no ring, but one alone does not matter

    @property
    def turned(self) -> Float[np.ndarray, "digits angles rows columns"]:
        """Every picture of the grid."""
        return _turned(self.pictures, self.digits, self.angles)

    def codes(self, combinations: Int[np.ndarray, "items 2"]) -> Float[np.ndarray, "items units"]:
        """The input code of each combination, as float32: the one-hot of the digit if there are several, cos, sin."""
        digit, angle = combinations.T
        turn = 2 * np.pi * angle / self.angles
        which = np.eye(len(self.digits))[digit] if len(self.digits) > 1 else np.empty((len(digit), 0))
        return np.column_stack([which, np.cos(turn), np.sin(turn)]).astype(np.float32)

    def examples(self, combinations: Int[np.ndarray, "items 2"], seed: int) -> Examples:
        digit, angle = combinations.T
        return Examples(self.grid.values(combinations), self.codes(combinations), self.turned[digit, angle])

    def cells(self, positions: Float[np.ndarray, "items 2"]) -> Int[np.ndarray, "items 2"]:
        digit = np.searchsorted(self.digits, positions[:, 0])
        angle = np.round(positions[:, 1] * self.angles / 360).astype(int) % self.angles
        return np.stack([digit, angle], axis=1)


@lru_cache(maxsize=4)  # every seed of a sweep asks for the same pictures
def _turned(name: str, digits: tuple[int, ...], angles: int) -> Float[np.ndarray, "digits angles rows columns"]:
    from scipy.ndimage import rotate

    images = load_images(name)
    channels = images.pictures.shape[1]
    if channels != 1:
        raise InputError(
            f"task 'rotated-digit' turns pictures of one channel, and image set {name!r} has {channels}; "
            "use e.g. pictures = 'mnist-5k'."
        )
    known = np.unique(images.labels).tolist()
    for digit in digits:
        if digit not in known:
            raise InputError(
                f"image set {name!r} has no class {digit} to turn; its classes are {known[0]} to {known[-1]}."
            )
    degrees = 360 * np.arange(angles) / angles
    upright = [images.pictures[np.flatnonzero(images.labels == digit)[0], 0] for digit in digits]
    turned = np.stack([[rotate(each, t, reshape=False, order=1, cval=0.0) for t in degrees] for each in upright])
    turned.setflags(write=False)  # shared by all who ask
    return turned
