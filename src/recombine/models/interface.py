"""What a network must fit: the length of its input, the levels behind it, the size of the picture it draws."""

from dataclasses import dataclass

from recombine.core.errors import InputError


@dataclass(frozen=True, slots=True)
class Interface:
    """The two ends of a decoder.

    Factors come in the order (y, x) and pictures as (rows, columns), so that the first factor moves along the rows.
    """

    inputs: int  # length of the input code
    levels: tuple[int, ...]  # levels per factor, (y, x)
    image: tuple[int, int]  # rows, columns of the output

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
