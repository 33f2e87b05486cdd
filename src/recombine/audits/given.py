"""What an audit is given: rows that belong together, checked before any model is loaded or run."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from recombine.audits.counting import rows_where
from recombine.audits.factor_table import FactorTable, as_array
from recombine.audits.measuring import read_mask
from recombine.audits.watching import BATCH, as_floats
from recombine.core.errors import InputError
from recombine.core.shapes import Bool


@dataclass(frozen=True, eq=False)
class Given:
    """A row of each per example; what was not given is None. ``notes`` say which factors are left out, and why."""

    table: FactorTable
    inputs: Any
    targets: np.ndarray | None
    trained: Bool[np.ndarray, " rows"] | None
    repeated: Bool[np.ndarray, " rows"] | None  # rows whose input, byte by byte, is that of a trained row
    notes: tuple[str, ...]


def check(inputs: Any = None, targets: Any = None, factors: Any = None, train_mask: Any = None) -> Given:
    """The data of an audit, or one sentence about what is wrong with them."""
    if factors is None:
        raise InputError("an audit needs the factors of the examples; give a table with a column for each.")
    table, left_out = FactorTable.read(factors).usable()
    count = len(table)
    trained = None if train_mask is None else read_mask(train_mask, count)
    given = None if inputs is None else _rows(inputs, count)
    return Given(
        table=table,
        targets=None if targets is None else _targets(targets, count),
        trained=trained,
        inputs=given,
        repeated=None if given is None else _look_over(given, trained),
        notes=tuple(words[0].upper() + words[1:] for words in left_out),
    )


def _rows(given: Any, count: int) -> Any:
    """Inputs as they are, if there are as many as rows of factors."""
    if not hasattr(given, "__len__") or not hasattr(given, "__getitem__"):
        raise InputError(f"inputs are a {type(given).__name__}; give an array, or anything with rows.")
    if isinstance(given, list | tuple):
        given = as_array(given, "inputs")
    if hasattr(given, "to_numpy"):  # a data frame, whose rows are not what its brackets give
        given = given.to_numpy()
    if hasattr(given, "shape") and not given.shape:
        raise InputError("inputs are a single number; give a row for each example.")
    if len(given) != count:
        raise InputError(f"there are {len(given)} inputs and {count} rows of factors; give a row of each per example.")
    if hasattr(given, "shape"):
        return given
    if isinstance(given[0], Mapping):
        raise InputError(
            "items of inputs are mappings; give a dataset of tuples that begin with the input, or an array."
        )
    return DatasetRows(given) if _is_dataset(given) else given


def _is_dataset(given: Any) -> bool:
    return isinstance(given[0], tuple | list) or hasattr(given[0], "detach")


class DatasetRows:
    """The inputs of a torch Dataset, whose items are inputs or tuples that begin with one."""

    def __init__(self, dataset: Any) -> None:
        self.dataset = dataset

    def __len__(self) -> int:
        return len(self.dataset)

    def __getitem__(self, rows: Any) -> np.ndarray:
        items = [self.dataset[int(row)] for row in np.arange(len(self))[rows]]
        firsts = [item[0] if isinstance(item, tuple | list) else item for item in items]
        return np.stack([as_array(first, "an item of the dataset") for first in firsts])


def _targets(targets: Any, count: int) -> np.ndarray:
    """Targets as an array of finite numbers, or of one word per example."""
    array = as_array(targets, "targets")
    if array.ndim == 0 or len(array) != count:
        raise InputError(f"targets have shape {array.shape}; give a row for each of the {count} rows of factors.")
    if array.dtype.kind in "US":
        if array.size != count:
            raise InputError(f"targets are words of shape {array.shape}; give one word for each example.")
        return array.reshape(count)
    if array.dtype.kind not in "fiub":
        raise InputError(f"targets hold {array.dtype}; give numbers, or a word for each example.")
    bad = np.zeros(count, dtype=bool)
    for start in range(0, count if array.dtype.kind == "f" else 0, BATCH):
        batch = array[start : start + BATCH]
        bad[start : start + BATCH] = ~np.isfinite(batch.reshape(len(batch), -1)).all(axis=1)
    if bad.any():
        raise InputError(f"targets are not finite in {rows_where(bad)}; leave such rows out.")
    return array


def _look_over(inputs: Any, trained: np.ndarray | None) -> Bool[np.ndarray, " rows"] | None:
    """Refuse inputs that are no finite numbers; mark those that repeat the input of a trained row."""
    digests: list[int] = []
    for start in range(0, len(inputs), BATCH):
        batch = as_array(inputs[start : start + BATCH], "inputs")
        if batch.dtype.kind not in "iub":
            as_floats(batch, start)
        if trained is not None:
            digests += [hash(np.ascontiguousarray(row).tobytes()) for row in batch]
    if trained is None:
        return None
    names = np.array(digests)
    return np.isin(names, names[trained])
