"""Numbers of things, and places in a table, in words."""

import numpy as np

from recombine.core.shapes import Bool


def counted(number: int, thing: str) -> str:
    """``1 row``, ``3 rows``."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def row_of(row: int) -> str:
    """A row by its number, which a reader of a file may count otherwise."""
    return f"row {row} (counted from 0)"


def rows_where(bad: Bool[np.ndarray, " rows"]) -> str:
    """How many rows are bad, and the first of them."""
    return f"{counted(int(bad.sum()), 'row')}, first in {row_of(int(bad.argmax()))}"
