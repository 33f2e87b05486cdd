"""What a network must fit: the size of its input, the levels behind it, the size of the picture it draws."""

import math
from dataclasses import dataclass

from recombine.core.errors import InputError


@dataclass(frozen=True, slots=True)
class Interface:
    """The two ends of a network.

    Factors come in the order (y, x) and images as (rows, columns), so that the first factor moves along the rows.
    An input that is a picture comes flat like any other code, channel by channel and row by row; ``picture`` tells
    its shape.
    """

    inputs: int  # length of the input code
    levels: tuple[int, ...]  # levels per factor, (y, x)
    image: tuple[int, int]  # rows, columns of the output
    picture: tuple[int, int, int] | None = None  # channels, rows, columns of the input; None: a plain code
    slots: int = 1  # components whose codes follow one another in the input, all of one length
    channels: int = 1  # of the output: a row of the image has them side by side, pixel by pixel
    # Inputs of each slot that tell where the component is: how far right, how far up, and what follows from these.
    place: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if self.inputs < 1:
            raise InputError(f"Interface: inputs = {self.inputs} must be at least 1, the length of the input code.")
        if not self.levels or min(self.levels) < 1:
            raise InputError(
                f"Interface: levels = {self.levels} must name at least one factor and give each one level or more."
            )
        if len(self.image) != 2 or min(self.image) < 1:
            raise InputError(
                f"Interface: image = {self.image} must be (rows, columns), both at least 1; "
                "give a single number as an image of 1 x 1."
            )
        if self.slots < 1 or self.inputs % self.slots:
            raise InputError(
                f"Interface: inputs = {self.inputs} must be slots = {self.slots} codes of one length, one by one."
            )
        if self.channels < 1 or self.image[1] % self.channels:
            raise InputError(
                f"Interface: image = {self.image} must have channels = {self.channels} numbers for each pixel of a row."
            )
        if self.picture is not None:
            if len(self.picture) != 3 or min(self.picture) < 1:
                raise InputError(
                    f"Interface: picture = {self.picture} must be (channels, rows, columns), all at least 1; "
                    "leave it out when the input is a plain code."
                )
            if self.inputs != math.prod(self.picture):
                raise InputError(
                    f"Interface: inputs = {self.inputs} must be the {math.prod(self.picture)} numbers of "
                    f"picture = {self.picture}, which come as one flat code."
                )
