"""Levels and ranges of levels in the settings of a region, and the combinations they pick from a grid."""

from typing import Annotated, Any, TypeAlias

import numpy as np
from pydantic import BeforeValidator

from recombine.core.errors import InputError
from recombine.core.shapes import Bool, Int
from recombine.factors import Grid
from recombine.splits.region import Mask


def _whole(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool) and bool(value >= 0)


def _level(value: Any) -> int:
    if not _whole(value):
        raise ValueError("a level is given by its index, a whole number from 0")
    return int(value)


def _range(value: Any) -> tuple[int, int]:
    if not isinstance(value, list | tuple) or len(value) != 2 or not all(map(_whole, value)):
        raise ValueError(
            "a range is a pair (low, high) of level indices from 0, high not included; "
            "write e.g. (6, 23), or 6..22 on the command line"
        )
    low, high = map(int, value)
    if low == high:
        raise ValueError(f"the range is empty because high is not included; write ({low}, {low + 1}) for level {low}")
    return low, high


Level: TypeAlias = Annotated[int, BeforeValidator(_level)]
"""The index of one level of a factor."""

LevelRange: TypeAlias = Annotated[tuple[int, int], BeforeValidator(_range)]
"""Half-open like Python's: (6, 23) is 6, 7, ..., 22. On a periodic factor low > high runs through the seam."""


def check_named(kind: str, named: dict[str, Any], example: str) -> None:
    """Refuse a region whose factors are its settings when it names none, or one that YAML could not write."""
    if not named:
        raise InputError(f"{kind} names no factor; name at least one, e.g. {example}.")
    if "kind" in named:
        raise InputError(f"{kind} cannot name a factor 'kind', which names the region in YAML; rename the factor.")


def pick_levels(grid: Grid, axis: int, chosen: Bool[np.ndarray, " levels"]) -> Mask:
    """The combinations whose level of one factor is among the ``chosen`` ones."""
    along = [1] * len(grid.shape)
    along[axis] = len(chosen)
    return np.broadcast_to(chosen.reshape(along), grid.shape).ravel()


def at_level(kind: str, grid: Grid, name: str, level: int) -> Mask:
    """The combinations in which the factor ``name`` has this level."""
    axis = grid.axis(name)
    return pick_levels(grid, axis, _levels(kind, grid, axis, level) == level)


def at_or_above(kind: str, grid: Grid, name: str, level: int) -> Mask:
    """The combinations in which the factor ``name`` has this level or a later one."""
    axis = grid.axis(name)
    return pick_levels(grid, axis, _levels(kind, grid, axis, level) >= level)


def _levels(kind: str, grid: Grid, axis: int, level: int) -> Int[np.ndarray, " levels"]:
    """Every level index of one factor, once ``level`` is known to be among them."""
    name, count = grid.names[axis], grid.shape[axis]
    if level >= count:
        raise InputError(
            f"{kind}: {name} = {level} is outside the grid; {name} has {count} levels, so give an index from 0 to "
            f"{count - 1}."
        )
    return np.arange(count)


def in_range(kind: str, grid: Grid, name: str, span: tuple[int, int]) -> Mask:
    """The combinations in which the factor ``name`` has a level in the half-open range ``span``."""
    axis, (low, high) = grid.axis(name), span
    count, levels = grid.shape[axis], np.arange(grid.shape[axis])
    if low >= count or high > count:
        raise InputError(
            f"{kind}: {name} = ({low}, {high}) is outside the grid; {name} has {count} levels, so give a range "
            f"within (0, {count})."
        )
    if low < high:
        return pick_levels(grid, axis, (low <= levels) & (levels < high))
    if not grid.factors[axis].periodic:
        raise InputError(
            f"{kind}: {name} = ({low}, {high}) is reversed; {name} has {count} levels and is not periodic, so low "
            f"must be less than high, e.g. ({high}, {low})."
        )
    return pick_levels(grid, axis, (low <= levels) | (levels < high))
