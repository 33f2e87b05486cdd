"""A table of factors as somebody has it: a column per factor, a row per example, words or numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from recombine.audits.counting import counted, rows_named
from recombine.core.arrays import as_array as as_array
from recombine.core.errors import InputError
from recombine.core.shapes import Bool, Float, Int

FEWEST_ROWS = 2
NONE = "none"  # the level of a factor that a row does not have


@dataclass(frozen=True)
class Column:
    """One factor: its levels in order, and which of them each row has."""

    name: str
    levels: tuple[Any, ...]  # numbers or words, each once, in order
    codes: Int[np.ndarray, " rows"]

    @property
    def numeric(self) -> bool:
        """Whether levels are numbers, so that they have distances and not only names."""
        return all(isinstance(level, int | float) and not isinstance(level, bool) for level in self.levels)

    @property
    def values(self) -> Float[np.ndarray, " rows"]:
        """The number of each row; the place of its level where levels are words."""
        numbers = np.array(self.levels if self.numeric else range(len(self.levels)), dtype=np.float64)
        return numbers[self.codes]

    @property
    def trouble(self) -> str | None:
        """Why nothing can be said of it, in words; None if something can."""
        if len(self.levels) == 1:
            return f"factor {self.name!r} is {self.levels[0]!r} in every row, so that nothing varies with it"
        if len(self.levels) == len(self.codes):
            return f"factor {self.name!r} has a level of its own in every row, so that none is ever combined anew"
        return None


@dataclass(frozen=True)
class FactorTable:
    """The factors of a set of examples; ``count`` is the number of rows where there is no factor."""

    columns: tuple[Column, ...]
    count: int = 0

    def __len__(self) -> int:
        return len(self.columns[0].codes) if self.columns else self.count

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    @property
    def combinations(self) -> Int[np.ndarray, "rows factors"]:
        """The level of every factor in every row, as numbers."""
        return np.stack([column.codes for column in self.columns], axis=1)

    @property
    def alone(self) -> Bool[np.ndarray, " rows"]:
        """Rows that show one of several factors alone, or none: all others have the level `NONE`."""
        absent = [column.levels.index(NONE) == column.codes for column in self.columns if NONE in column.levels]
        if len(self.columns) < 2 or not absent:
            return np.zeros(len(self), dtype=bool)
        return np.sum(absent, axis=0) >= len(self.columns) - 1

    @property
    def level_numbers(self) -> dict[str, int]:
        """How many levels each factor has; absence is none where it leaves factors alone."""
        absence = {NONE} if self.alone.any() else set()
        return {column.name: len(set(column.levels) - absence) for column in self.columns}

    @property
    def balance(self) -> dict[str, tuple[int, int]]:
        """Of each factor, in how many rows its rarest and its commonest level are; absence is a level."""
        numbers = {column.name: np.bincount(column.codes) for column in self.columns}
        return {name: (int(each.min()), int(each.max())) for name, each in numbers.items()}

    def rows(self, chosen: np.ndarray) -> "FactorTable":
        """The same factors and levels for some of the rows."""
        return FactorTable(tuple(Column(c.name, c.levels, c.codes[chosen]) for c in self.columns), len(chosen))

    def usable(self) -> tuple["FactorTable", list[str]]:
        """The factors that something can be said of, and why the others are left out, a sentence each."""
        kept = tuple(column for column in self.columns if column.trouble is None)
        troubles = [column.trouble for column in self.columns if column.trouble is not None]
        if not kept:
            raise InputError(f"no factor is left to look at: {'; '.join(troubles)}; give a factor whose levels recur.")
        return FactorTable(kept), [_sentence(f"{trouble}; it is left out.") for trouble in troubles]

    @classmethod
    def read(cls, factors: Any) -> "FactorTable":
        """A table from a data frame, a mapping from names to columns, or an array with a column per factor."""
        found = ReadTable.of(factors)
        if found.refused:
            raise InputError(found.refused[0])
        return found.table


@dataclass(frozen=True)
class ReadTable:
    """What could be read of a table: rows that lack a factor are left out, and so are columns of no use.

    ``refused`` has a sentence for each column that something is wrong with.
    """

    table: FactorTable
    kept: Bool[np.ndarray, " rows"]
    refused: tuple[str, ...]

    @classmethod
    def of(cls, factors: Any) -> "ReadTable":
        """All of a table that can be read; an `InputError` where nothing can."""
        named = _columns(factors)
        if not named:
            raise InputError("the table of factors has no columns; give a column for each factor.")
        lengths = {name: len(values) for name, values in named.items()}
        if len(set(lengths.values())) > 1:
            told = ", ".join(f"{name}: {length}" for name, length in lengths.items())
            raise InputError(f"the columns of the table of factors differ in length ({told}); give a row per example.")
        if min(lengths.values()) < FEWEST_ROWS:
            number = counted(min(lengths.values()), "row")
            raise InputError(f"the table of factors has {number}; give at least {FEWEST_ROWS}.")
        kept, refused, fine = np.ones(min(lengths.values()), dtype=bool), [], {}
        for name, values in named.items():
            lacking = np.array([_lacks(value) for value in values])
            trouble = _trouble(name, values, lacking)
            if trouble is not None:
                refused.append(f"{trouble}; it is left out.")
                continue
            fine[name] = values
            kept &= ~lacking
            if lacking.any():
                refused.append(
                    f"factor {name!r} has no value in {rows_named(lacking)}, left out of everything; give it one, or "
                    f"the level {NONE!r} where the factor is absent."
                )
        if not fine:
            raise InputError(" ".join(refused))
        if kept.sum() < FEWEST_ROWS:
            number = counted(int(kept.sum()), "row")
            raise InputError(f"the table of factors has {number} with all factors; give at least {FEWEST_ROWS}.")
        columns = tuple(
            _column(name, [v for v, keep in zip(values, kept, strict=True) if keep]) for name, values in fine.items()
        )
        return cls(FactorTable(columns, int(kept.sum())), kept, tuple(refused))


def check_index(what: str, given: Any, factors: Any) -> None:
    """Refuse what goes by another index of pandas than the table of factors: row by row it may belong elsewhere."""
    if all(hasattr(each, "iloc") for each in (given, factors)) and not given.index.equals(factors.index):
        raise InputError(
            f"{what} and the table of factors have different indexes; bring both in one order, e.g. by "
            ".loc[factors.index], or give an array where the order is right."
        )


def _columns(factors: Any) -> dict[str, Sequence[Any]]:
    if isinstance(factors, FactorTable):
        return {c.name: [c.levels[code] for code in c.codes] for c in factors.columns}
    if hasattr(factors, "columns") and hasattr(factors, "to_dict"):  # a data frame
        if not factors.columns.is_unique:
            twice = factors.columns[factors.columns.duplicated()][0]
            raise InputError(f"the table of factors has the column {twice!r} more than once; give each a name.")
        return {str(name): factors[name].tolist() for name in factors.columns}
    if isinstance(factors, Mapping):
        return {str(name): _plain(values) for name, values in factors.items()}
    array = as_array(factors, "the table of factors")
    if array.dtype.names:
        return {name: array[name].tolist() for name in array.dtype.names}
    if array.ndim == 1:
        array = array[:, None]
    if array.ndim != 2:
        raise InputError(
            f"the table of factors has shape {array.shape}; give a data frame, a mapping from names to columns, or an "
            "array with a row per example and a column per factor."
        )
    return {f"factor {place + 1}": array[:, place].tolist() for place in range(array.shape[1])}


def _plain(values: Any) -> Sequence[Any]:
    """A column as Python values; lists are taken as they are, since arrays would turn numbers beside words to words."""
    if isinstance(values, list | tuple):
        return values
    if hasattr(values, "detach"):
        values = values.detach().cpu()
    flat = np.asarray(values)
    if flat.ndim != 1:
        raise InputError(f"a column of the table of factors has shape {flat.shape}; give a value per example.")
    return flat.tolist()


def _lacks(value: Any) -> bool:
    """Whether a cell is empty, or no finite number."""
    return value is None or value != value or (isinstance(value, float) and not np.isfinite(value))


def _trouble(name: str, values: Sequence[Any], lacking: Bool[np.ndarray, " rows"]) -> str | None:
    """Why a column cannot be taken as a factor; None if it can."""
    there = [value for value, lacks in zip(values, lacking, strict=True) if not lacks]
    if not there:
        return f"factor {name!r} has no value in any row"
    if len({isinstance(value, str) for value in there}) > 1:
        return f"factor {name!r} has words and numbers, and levels are of one sort"
    strange = next((value for value in there if not isinstance(value, str | int | float | np.number | np.bool_)), None)
    return (
        None
        if strange is None
        else f"factor {name!r} has a value of type {type(strange).__name__}, and levels are numbers or words"
    )


def _column(name: str, values: Sequence[Any]) -> Column:
    levels, codes = np.unique(np.asarray(values), return_inverse=True)
    return Column(name, tuple(levels.tolist()), codes.reshape(-1).astype(np.int64))


def _sentence(words: str) -> str:
    return words[0].upper() + words[1:]
