"""What an audit is given: rows that belong together, checked before any model is loaded or run.

What is wrong is told in a sentence and left out, so that the rest can be done.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from recombine.audits.counting import rows_where
from recombine.audits.dataset import Chosen, DatasetRows
from recombine.audits.factor_table import FactorTable, ReadTable, as_array, check_index
from recombine.audits.measuring import read_mask
from recombine.audits.reading import Pictures
from recombine.audits.watching import BATCH, in_floats
from recombine.core.errors import InputError
from recombine.core.shapes import Bool, Int

INPUTS, TARGETS, MASK = "inputs", "targets", "mask"  # what can be given and be of no use
SECONDS = "No targets were given; the second parts of the items are taken as targets."


@dataclass(frozen=True, eq=False)
class Given:
    """A row of each per example; what was not given, or is of no use, is None."""

    table: FactorTable
    inputs: Any
    targets: np.ndarray | None
    trained: Bool[np.ndarray, " rows"] | None
    repeated: Bool[np.ndarray, " rows"] | None  # rows whose input, finite and byte by byte, is that of a trained row
    notes: tuple[str, ...]  # which factors are left out, and why
    refused: tuple[str, ...]  # a sentence for each thing that is wrong with what was given
    unusable: frozenset[str]  # of INPUTS, TARGETS and MASK, those that were given and are of no use
    offered: bool  # targets were found in the items of a dataset
    whole: Bool[np.ndarray, " rows"]  # rows whose input and target are finite
    numbers: Int[np.ndarray, " rows"]  # of the rows as they were given
    count: int  # of the rows as they were given

    def only(self, rows: Bool[np.ndarray, " rows"]) -> "Given":
        """The same with some of the rows."""
        if rows.all():
            return self
        chosen = np.flatnonzero(rows)
        return replace(
            self,
            table=self.table.rows(chosen),
            inputs=None if self.inputs is None else Chosen(self.inputs, chosen),
            targets=None if self.targets is None else self.targets[chosen],
            trained=None if self.trained is None else self.trained[chosen],
            repeated=None if self.repeated is None else self.repeated[chosen],
            whole=self.whole[chosen],
            numbers=self.numbers[chosen],
        )


def check(
    inputs: Any = None, targets: Any = None, factors: Any = None, train_mask: Any = None, refused: Sequence[str] = ()
) -> Given:
    """The data of an audit with a sentence for each thing that is wrong with them; refused where nothing is left.

    ``refused`` are sentences of those who read the data.
    """
    found = _Checked(list(refused))
    if refused and inputs is None:  # they could not be read
        found.unusable.add(INPUTS)
    table, kept = found.factors(factors, inputs, targets, train_mask)
    count = len(kept)
    trained = found.part(MASK, train_mask, lambda mask: read_mask(mask, count, factors))
    rows = found.part(INPUTS, inputs, lambda each: _rows(each, count, factors))
    look = None if rows is None else found.part(INPUTS, rows, lambda each: _Look.at(each, trained))
    if look is None or not look.finite.any():
        rows = None
    if look is not None:
        found.not_finite(INPUTS, look.finite)
    answers, offered = found.part(TARGETS, targets, lambda each: _targets(each, count, factors)), False
    if targets is None and rows is not None and look is not None and look.seconds is not None:
        answers = found.seconds(look.seconds, count)
        offered = answers is not None
    finite = np.ones(count, dtype=bool) if answers is None else _finite(answers)
    found.not_finite(TARGETS, finite)
    if not finite.any():
        answers, finite = None, np.ones(count, dtype=bool)
    if look is not None and rows is not None:
        finite &= look.finite
    given = Given(
        table=FactorTable((), count),
        inputs=rows,
        targets=answers,
        trained=trained,
        repeated=None if look is None else look.repeated,
        notes=tuple(found.notes),
        refused=tuple(found.refused),
        unusable=frozenset(found.unusable),
        offered=offered,
        whole=finite,
        numbers=np.arange(count),
        count=count,
    )
    return replace(given.only(kept), table=table)  # which has no other rows


class _Checked:
    """Parts that are checked one after the other, each refused in a sentence of its own."""

    def __init__(self, refused: list[str]) -> None:
        self.refused, self.notes, self.unusable = refused, list[str](), set[str]()

    def part(self, name: str, given: Any, read: Callable[[Any], Any]) -> Any:
        """What is read of a part; None where there is none, or none of use."""
        if given is None:
            return None
        try:
            return read(given)
        except InputError as error:
            self.refused.append(str(error))
            self.unusable.add(name)
            return None

    def seconds(self, given: Sequence[Any], count: int) -> np.ndarray | None:
        """The second parts of a dataset's items as targets, with a note on whether they can be."""
        try:
            found = _targets(given, count)
        except InputError:
            self.notes.append("The second parts of the items are not taken as targets: they are no numbers or words.")
            return None
        self.notes.append(SECONDS)
        return found

    def not_finite(self, name: str, finite: Bool[np.ndarray, " rows"]) -> None:
        """A sentence about the rows that are not finite."""
        if finite.all():
            return
        told = f"{name} are not finite in {rows_where(~finite)}"
        if not finite.any():
            self.refused.append(f"{told}; give finite numbers.")
            self.unusable.add(name)
        else:
            self.refused.append(f"{told}; such rows are left out of answers, layers and the forecast.")

    def factors(self, factors: Any, *others: Any) -> tuple[FactorTable, Bool[np.ndarray, " rows"]]:
        """The factors that something can be said of, and which rows have them; no factor where there is none."""
        try:
            if factors is None:
                raise InputError(
                    ""
                    if self.refused
                    else "an audit needs the factors of the examples; give a table with a column for each."
                )
            read = ReadTable.of(factors)
            self.refused += read.refused
            table, left_out = read.table.usable()
            self.notes += left_out
            return table, read.kept
        except InputError as error:
            if str(error):
                self.refused.append(str(error))
            lengths = [len(each) for each in others if hasattr(each, "__len__")]
            if not lengths:
                raise InputError(self.refused[-1]) from None
            return FactorTable((), lengths[0]), np.ones(lengths[0], dtype=bool)


def _rows(given: Any, count: int, factors: Any) -> Any:
    """Inputs as they are, if there are as many as rows of factors."""
    if not hasattr(given, "__len__") or not hasattr(given, "__getitem__"):
        raise InputError(f"inputs are of type {type(given).__name__}; give an array, or anything with rows.")
    if isinstance(given, list | tuple):
        given = as_array(given, "inputs")
    if hasattr(given, "shape") and not given.shape:
        raise InputError("inputs are a single number; give a row for each example.")
    if len(given) != count:
        raise InputError(f"there are {len(given)} inputs and {count} rows of factors; give a row of each per example.")
    check_index("inputs", given, factors)
    if hasattr(given, "to_numpy"):  # a data frame, whose rows are not what its brackets give
        given = given.to_numpy()
    if hasattr(given, "shape") or isinstance(given, Pictures):
        return given
    dataset = DatasetRows(given)
    if isinstance(dataset.item(0), Mapping):
        raise InputError(
            "items of inputs are mappings; give a dataset of tuples that begin with the input, or an array."
        )
    return dataset


def _targets(targets: Any, count: int, factors: Any = None) -> np.ndarray:
    """Targets as an array of numbers, or of one word per example."""
    array = as_array(targets, "targets")
    if array.ndim == 0 or len(array) != count:
        raise InputError(f"targets have shape {array.shape}; give a row for each of the {count} rows of factors.")
    check_index("targets", targets, factors)
    if array.dtype.kind in "US":
        if array.size != count:
            raise InputError(f"targets are words of shape {array.shape}; give one word for each example.")
        return array.reshape(count)
    if array.dtype.kind not in "fiub":
        raise InputError(f"targets hold {array.dtype}; give numbers, or a word for each example.")
    return array


def _finite(targets: np.ndarray) -> Bool[np.ndarray, " rows"]:
    """Rows whose target is there: finite numbers, or a word."""
    if targets.dtype.kind in "US":
        return targets != np.zeros(1, targets.dtype)[0]
    finite = np.ones(len(targets), dtype=bool)
    for start in range(0, len(targets) if targets.dtype.kind == "f" else 0, BATCH):
        batch = targets[start : start + BATCH]
        finite[start : start + BATCH] = np.isfinite(batch.reshape(len(batch), -1)).all(axis=1)
    return finite


@dataclass(frozen=True, eq=False)
class _Look:
    """What one pass over the inputs shows."""

    finite: Bool[np.ndarray, " rows"]
    repeated: Bool[np.ndarray, " rows"] | None  # None: without a mask nothing is known to be trained on
    seconds: Any  # the second parts of a dataset's items; None where it has none

    @classmethod
    def at(cls, inputs: Any, trained: Bool[np.ndarray, " rows"] | None) -> "_Look":
        digests: list[int] = []
        finite = np.ones(len(inputs), dtype=bool)
        seconds: list[Any] = []
        for start in range(0, len(inputs), BATCH):
            rows = slice(start, start + BATCH)
            if isinstance(inputs, DatasetRows):
                batch, further = inputs.parts(rows)
                seconds += further
            else:
                batch = as_array(inputs[rows], "inputs")
            if batch.dtype.kind not in "iub":
                finite[rows] = np.isfinite(in_floats(batch).reshape(len(batch), -1)).all(axis=1)
            if trained is not None:
                digests += [hash(np.ascontiguousarray(row).tobytes()) for row in batch]
        names = np.array(digests)
        repeated = None if trained is None else finite & np.isin(names, names[trained])
        return cls(finite, repeated, seconds if len(seconds) == len(inputs) else None)
