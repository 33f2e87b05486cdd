"""Numbers of things, and places in a table, in words."""

import numpy as np

from recombine.core.shapes import Bool, Int

NAMED = 5  # rows, or levels, that are listed


def counted(number: int, thing: str) -> str:
    """``1 row``, ``3 rows``."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def row_of(row: int) -> str:
    """A row by its number, which a reader of a file may count otherwise."""
    return f"row {row} (counted from 0)"


def rows_where(bad: Bool[np.ndarray, " rows"], numbers: Int[np.ndarray, " rows"] | None = None) -> str:
    """How many rows are bad, and the first of them; ``numbers`` are the rows' own, where some were left out before."""
    first = int(bad.argmax())
    return f"{counted(int(bad.sum()), 'row')}, first in {row_of(first if numbers is None else int(numbers[first]))}"


def rows_named(bad: Bool[np.ndarray, " rows"]) -> str:
    """The bad rows by number: ``rows 2 and 7 (counted from 0)``; of many the first few."""
    rows = [str(row) for row in np.flatnonzero(bad)]
    if len(rows) == 1:
        return row_of(int(rows[0]))
    if len(rows) <= NAMED:
        return f"rows {', '.join(rows[:-1])} and {rows[-1]} (counted from 0)"
    return f"{counted(len(rows), 'row')}, first {', '.join(rows[:NAMED])} (counted from 0)"
