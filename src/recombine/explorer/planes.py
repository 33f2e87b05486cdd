"""The plane that the page draws: two factors of a grid, the others held at one level."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from recombine.core.errors import InputError, shown
from recombine.core.shapes import Integer, Real
from recombine.data import Problem
from recombine.data.functions import FunctionTask
from recombine.explorer import plain
from recombine.factors import Grid
from recombine.splits.split import RESERVED

OUTSIDE, SHOWN, NOT_SHOWN, HELD_OUT = "outside", "shown", "not shown", "ood"


@dataclass(frozen=True)
class Plane:
    """Two factors of a grid by index, and the level of every other factor, in order."""

    rows: int
    columns: int
    fixed: tuple[int, ...]

    def to_dict(self) -> dict[str, Any]:
        return {"rows": self.rows, "columns": self.columns, "fixed": list(self.fixed)}

    def combinations(self, grid: Grid) -> Integer[np.ndarray, "rows columns"]:
        """The index of every combination of the plane in grid order."""
        whole = np.arange(grid.size).reshape(grid.shape)
        order = [self.rows, self.columns, *self.others(grid)]
        there: Any = (slice(None), slice(None), *self.fixed)
        return np.asarray(whole.transpose(order)[there])

    def others(self, grid: Grid) -> list[int]:
        """The factors that are held, in order."""
        return [axis for axis in range(len(grid.shape)) if axis not in (self.rows, self.columns)]


def plane_of(problem: Problem) -> Plane | None:
    """The plane of the two factors with the most levels, the others where most is held out; None for scenes."""
    if problem.support is not None or len(problem.grid.shape) < 2:
        return None
    shape = problem.grid.shape
    rows, columns = sorted(sorted(range(len(shape)), key=lambda axis: -shape[axis])[:2])
    held = problem.parts.held_out.reshape(shape).sum(axis=(rows, columns))
    fixed = np.unravel_index(int(held.argmax()), held.shape) if held.ndim else ()
    return Plane(rows, columns, tuple(int(level) for level in fixed))


def chosen_plane(problem: Problem, asked: dict[str, Any] | None) -> Plane | None:
    """The plane that a client asks for, or the usual one."""
    if asked is None or problem.support is not None:
        return plane_of(problem)
    shape = problem.grid.shape
    try:
        plane = Plane(asked["rows"], asked["columns"], tuple(asked.get("fixed", ())))
        levels = [shape[axis] for axis in plane.others(problem.grid)]
        numbers = [plane.rows, plane.columns, *plane.fixed]
        fits = (
            all(type(each) is int for each in numbers)
            and plane.rows != plane.columns
            and {plane.rows, plane.columns} <= set(range(len(shape)))
            and len(plane.fixed) == len(levels)
            and all(0 <= level < count for level, count in zip(plane.fixed, levels, strict=True))
        )
    except (KeyError, TypeError):
        fits = False
    if not fits:
        raise InputError(
            f"plane = {shown(asked)} must name two of the {len(shape)} factors by index as rows and columns, and in "
            "fixed a level of every other; leave it out for the usual plane."
        )
    return plane


def sections_of(problem: Problem, seed: int = 0) -> Sequence[str]:
    """For every combination in grid order the section it is in, or whether training shows it.

    Sections of the split's own come before rim and interior; "outside" has no answer at all.
    """
    parts = problem.parts
    found = np.full(problem.grid.size, NOT_SHOWN, dtype=object)
    found[problem.shown(seed)] = SHOWN
    found[parts.held_out] = HELD_OUT
    own = [name for name in parts.sections if name not in RESERVED]
    for name in own or [name for name in ("rim", "interior") if name in parts.sections]:
        found[parts.sections[name]] = name
    found[parts.outside] = OUTSIDE
    return [str(name) for name in found]


def map_of(
    problem: Problem, plane: Plane | None, errors: Real[np.ndarray, " items"] | None, quantity: str
) -> dict[str, Any] | None:
    """What is forecast of every held-out combination as a map over the plane; None without a plane or numbers."""
    if plane is None or errors is None:
        return None
    each = problem.task.asked_each if isinstance(problem.task, FunctionTask) else 1
    by_cell = errors.reshape(problem.grid.size, each).mean(axis=1)
    by_cell = np.where(problem.parts.held_out, by_cell, np.nan)
    return {"quantity": quantity, "values": plain.rows(by_cell[plane.combinations(problem.grid)])}
