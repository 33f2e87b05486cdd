"""Tasks given as a table: a row per combination, a column per component, and the answer."""

import csv
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import Field

from recombine.core.errors import InputError
from recombine.core.shapes import Float
from recombine.data.components import LARGEST, ComponentTask
from recombine.data.problem import Problem
from recombine.data.task import tasks
from recombine.factors import Factor, Grid
from recombine.splits import regions

ANSWER, TRAINED = "target", "trained"
YES, NO = {"1", "true", "yes"}, {"0", "false", "no"}


@tasks.register("table")
class Table(ComponentTask):
    """Any finite task: a row per combination with its levels, as words, and its answer, a number.

    Combinations that have no row have no answer and are neither trained on nor asked. Levels come in order of first
    appearance.
    """

    components: tuple[str, ...] = Field(min_length=1)
    rows: tuple[tuple[tuple[str, ...], float], ...] = Field(min_length=1)

    def model_post_init(self, context: object) -> None:
        first: dict[tuple[str, ...], tuple[int, float]] = {}
        for number, (levels, answer) in enumerate(self.rows, start=1):
            if len(levels) != len(self.components):
                raise InputError(
                    f"table: row {number} has {len(levels)} levels for {len(self.components)} components "
                    f"({', '.join(self.components)}); give one for each."
                )
            if levels in first:
                before, said = first[levels]
                words = ", ".join(levels)
                trouble = "contradicts" if said != answer else "repeats"
                raise InputError(
                    f"table: row {number} ({words} -> {answer:g}) {trouble} row {before} ({words} -> {said:g}); "
                    "a combination has one row, so drop one of them."
                )
            first[levels] = number, answer
        if self.grid.size > LARGEST:
            raise InputError(f"table: its levels make {self.grid.size} combinations; at most {LARGEST} are supported.")

    @cached_property
    def grid(self) -> Grid:
        columns = zip(*(levels for levels, _ in self.rows), strict=True)
        return Grid(
            tuple(Factor(name, tuple(dict.fromkeys(c))) for name, c in zip(self.components, columns, strict=True))
        )

    @cached_property
    def labels(self) -> Float[np.ndarray, " combinations"]:
        answers = np.full(self.grid.size, np.nan)
        answers[self.grid.index(self.indices(levels for levels, _ in self.rows))] = [answer for _, answer in self.rows]
        return answers

    def indices(self, rows: Iterable[Sequence[str]]) -> np.ndarray:
        """Level indices of rows of words."""
        place = [{level: index for index, level in enumerate(factor.levels)} for factor in self.grid.factors]
        return np.array([[of[level] for of, level in zip(place, row, strict=True)] for row in rows])


def read_table(path: str | Path) -> dict[str, Any]:
    """The problem in a CSV file, as the settings of a `Problem`: components, ``target`` and, if there, ``trained``.

    Every column but ``target`` and ``trained`` is a component. Rows with ``trained`` = 0, no or false are held out;
    without that column the file gives the task alone, and what is held out must be said.
    """
    where = str(path)
    try:
        with Path(path).open(encoding="utf-8-sig", newline="") as file:  # spreadsheets write a mark before the header
            header, *rows = [row for row in csv.reader(file) if row] or [[]]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"cannot read the table {where!r}: {error}.") from None
    names = [name.strip() for name in header]
    components = [name for name in names if name not in (ANSWER, TRAINED)]
    if ANSWER not in names or not components or len(set(names)) < len(names) or not rows:
        raise InputError(
            f"table {where!r} has the columns {', '.join(names) or 'none'} and {len(rows)} rows; it needs a header "
            f"with a column per component, each once, and one called {ANSWER!r}, then a row per combination."
        )
    answers, held_out = [], []
    for number, row in enumerate(rows, start=1):
        if len(row) != len(names):
            raise InputError(f"table {where!r}: row {number} has {len(row)} cells for {len(names)} columns.")
        cells = {name: cell.strip() for name, cell in zip(names, row, strict=True)}
        levels = tuple(cells[name] for name in components)
        answers.append((levels, _number(cells[ANSWER], where, number)))
        if TRAINED in cells and not _trained(cells[TRAINED], where, number):
            held_out.append(levels)
    task = Table(components=tuple(components), rows=tuple(answers))
    if TRAINED not in names:
        return {"task": task}
    if not held_out:
        raise InputError(f"table {where!r} marks no row as held out; set {TRAINED} = 0 in at least one.")
    return {"task": task, "split": regions.cells(rows=task.indices(held_out).tolist())}


def problem_from_table(path: str | Path) -> Problem:
    """The problem in a CSV file whose ``trained`` column says what is held out."""
    found = read_table(path)
    if "split" not in found:
        raise InputError(f"table {str(path)!r} has no column {TRAINED!r} to say what is held out; add one.")
    return Problem(**found)


def _number(cell: str, where: str, row: int) -> float:
    try:
        answer = float(cell)
    except ValueError:
        answer = float("nan")
    if not np.isfinite(answer):
        raise InputError(f"table {where!r}: row {row} has {ANSWER} = {cell!r}; it must be a finite number.")
    return answer


def _trained(cell: str, where: str, row: int) -> bool:
    if cell.lower() not in YES | NO:
        raise InputError(
            f"table {where!r}: row {row} has {TRAINED} = {cell!r}; write 1 or 0, yes or no, true or false."
        )
    return cell.lower() in YES
