"""Regions with sides along the factors: blocks, bands, crosses and corners. Ranges of levels are half-open."""

from functools import reduce
from typing import Any

import numpy as np
from pydantic import ConfigDict, Field

from recombine.core.errors import InputError
from recombine.factors import Grid
from recombine.splits.levels import Level, LevelRange, at_or_above, check_named, in_range
from recombine.splits.region import Mask, Region, regions


@regions.register("block")
class Block(Region):
    """Every named factor inside its own range: block(x=(6, 23), y=(6, 23)).

    The settings are the factors. Ranges are half-open like Python's: (6, 23) is 6, 7, ..., 22. On a periodic factor a
    range may run through the seam: (26, 3) of 28 levels is 26, 27, 0, 1, 2. Factors that are not named may be
    anything.
    """

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, LevelRange]

    def model_post_init(self, context: Any, /) -> None:
        check_named(self.kind, self.__pydantic_extra__, "block(x=(6, 23), y=(6, 23))")

    def contains(self, grid: Grid) -> Mask:
        sides = (in_range(self.kind, grid, name, span) for name, span in self.__pydantic_extra__.items())
        return reduce(np.logical_and, sides)


@regions.register("band")
class Band(Region):
    """One factor inside a range, whatever the others: band(factor="x", low=6, high=9).

    The levels of a band are never seen in training, so a split by a band alone is extrapolation. The range is
    half-open and may run through the seam of a periodic factor.
    """

    factor: str
    low: Level
    high: Level

    def model_post_init(self, context: Any, /) -> None:
        if self.low == self.high:
            raise InputError(
                f"band: low = high = {self.low} is empty because high is not included; "
                f"write high = {self.low + 1} for the one level {self.low}."
            )

    def contains(self, grid: Grid) -> Mask:
        return in_range(self.kind, grid, self.factor, (self.low, self.high))


@regions.register("cross")
class Cross(Region):
    """At least one named factor inside its range, a union of bands: cross(x=(13, 19), y=(13, 19)).

    With two factors its sections are ``vertical`` (only the column factor inside its range), ``horizontal`` (only
    the row factor) and ``intersection`` (both). The column factor is x; without an x, the later one in the grid.
    No level of a band is seen in training unless it is shown alone, so a cross alone is extrapolation.
    """

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, LevelRange]

    def model_post_init(self, context: Any, /) -> None:
        example = "cross(x=(13, 19), y=(13, 19))"
        check_named(self.kind, self.__pydantic_extra__, example)
        if len(self.__pydantic_extra__) < 2:
            raise InputError(
                f"cross names only the factor {next(iter(self.__pydantic_extra__))!r}; name at least two, "
                f"e.g. {example}, or use a band."
            )

    def contains(self, grid: Grid) -> Mask:
        return reduce(np.logical_or, self._bands(grid).values())

    def sections(self, grid: Grid) -> dict[str, Mask]:
        bands = self._bands(grid)
        if len(bands) != 2:
            return {}
        column = "x" if "x" in bands else max(bands, key=grid.axis)
        (row,) = set(bands) - {column}
        return {
            "vertical": bands[column] & ~bands[row],
            "horizontal": bands[row] & ~bands[column],
            "intersection": bands[row] & bands[column],
        }

    def _bands(self, grid: Grid) -> dict[str, Mask]:
        return {name: in_range(self.kind, grid, name, span) for name, span in self.__pydantic_extra__.items()}


@regions.register("corner")
class Corner(Region):
    """Every named factor at or above its level, a block to the end: corner(x=12, y=12).

    The settings are the factors. Factors that are not named may be anything.
    """

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, Level]

    def model_post_init(self, context: Any, /) -> None:
        check_named(self.kind, self.__pydantic_extra__, "corner(x=12, y=12)")

    def contains(self, grid: Grid) -> Mask:
        sides = (at_or_above(self.kind, grid, name, level) for name, level in self.__pydantic_extra__.items())
        return reduce(np.logical_and, sides)


@regions.register("several")
class Several(Region):
    """At least so many factors, whichever they are, at or above a level: several(count=2, low=3).

    Training then shows each factor's upper levels, and never ``count`` of them together. 1 holds out whole levels.
    """

    count: int = Field(ge=1)
    low: Level

    def contains(self, grid: Grid) -> Mask:
        if self.count > len(grid.shape):
            raise InputError(
                f"several: count = {self.count} is more than the {len(grid.shape)} factors of the grid; lower it."
            )
        if self.low >= max(grid.shape):
            raise InputError(
                f"several: low = {self.low} is above every level; the largest factor has levels 0 to "
                f"{max(grid.shape) - 1}, so lower it."
            )
        return (grid.combinations() >= self.low).sum(axis=1) >= self.count
