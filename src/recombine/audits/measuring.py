"""How factors are laid out in activations, beside what shuffled factors would show.

Rows of activations are taken apart as an analysis of variance does: level means of single factors, their sum, and what
is left. Every number stands beside its null distribution: the same measure with the rows of the factor table shuffled.
"""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from recombine.audits.counting import row_of, rows_where
from recombine.audits.factor_table import Column, FactorTable, ReadTable, as_array, check_index
from recombine.core.errors import InputError
from recombine.core.seeds import stream
from recombine.core.shapes import Bool, Float, Int
from recombine.measures import participation_ratio, principal_components
from recombine.measures.probe import ridge_system

MOST_ROWS = 1000  # rows that are looked at; more are sampled by the seed
WIDEST = 256  # principal components that stand for a wider layer: no measure but `participation` sees how it is turned
SHUFFLES = 50
FOLDS = 5  # parts of the rows that a read-out is scored on in turn where nothing is held out
MOST_LEVELS = 100  # levels up to which each gets a mean of its own; of numbers with more, tenths of the rows share one


@dataclass(frozen=True)
class Rows:
    """Activations of one layer, the factors of its rows, and which of them were held out, if some were."""

    rows: Float[np.ndarray, "items features"]
    table: FactorTable
    held_out: Bool[np.ndarray, " items"] | None


def measure(
    activations: Any,
    factors: Any,
    train_mask: Any = None,
    shuffles: int = SHUFFLES,
    seed: int = 0,
) -> pd.DataFrame:
    """What a layer, or several, hold of the factors: a row per layer, measure and factor.

    ``activations``: an array with a row per example, or a mapping from names of layers to such arrays; ``factors``: a
    data frame, a mapping from names to columns, or an array with a column per factor; ``train_mask``: which rows were
    trained on; where all were, it says nothing. At most `MOST_ROWS` rows are looked at, drawn by the seed, and a layer
    wider than `WIDEST` along as many principal components. Factors, rows and layers of which nothing can be said are
    left out; a warning says which, and so do the ``notes`` in ``attrs`` of what is returned.

    Columns: ``layer``, ``measure``, ``of`` (a factor, a pair of them, or empty), ``value``, and of ``shuffles`` of the
    table the mean and the 2.5 and 97.5 percentiles (``null``, ``null_low``, ``null_high``) and the share that comes out
    as large or larger (``p``, counting the value itself).

    - ``participation``: effective number of directions in use; no factor enters, so it has no null.
    - ``share``: of the variance, what the level means of one factor explain.
    - ``additive_share``: what a sum of one vector per level of each factor explains.
    - ``alignment``: of two factors, how far their level means vary in the same directions: 0 orthogonal, 1 the same.
    - ``readout``: R² of a linear read-out of a factor of numbers, share of right levels of one of words; on held-out
      rows where there are some, else on fifths of the rows in turn.
    - ``additive_held_out``: R² on held-out rows of the sum of level vectors fitted on the trained ones: 1 where the
      layer composes exactly, 0 where the mean would do as well.
    """
    read = ReadTable.of(factors)
    table, left_out = read.table.usable()
    layers = activations if isinstance(activations, Mapping) else {"activations": activations}
    if not layers:
        raise InputError("there are no activations; give an array, or a mapping from names of layers to arrays.")
    trained = None if train_mask is None else read_mask(train_mask, len(read.kept), factors)[read.kept]
    if shuffles < 1:
        raise InputError(f"shuffles = {shuffles} must be at least 1; leave it out for {SHUFFLES}.")
    if seed < 0:
        raise InputError(f"seed = {seed} must be at least 0; leave it out for 0.")
    rows, refused = read_layers(layers, read.kept)
    if not rows:
        raise InputError(refused[0])
    found = measure_layers(rows, table, trained, shuffles, seed)
    found.attrs["notes"] = [*read.refused, *left_out, *refused, *dead_layers(found)]
    for words in found.attrs["notes"]:
        warnings.warn(words, stacklevel=2)
    return found


def read_layers(
    layers: Mapping[Any, Any], kept: Bool[np.ndarray, " rows"]
) -> tuple[dict[str, Float[np.ndarray, "items _features"]], list[str]]:
    """The rows that are kept of every layer that can be read, and a sentence for each that cannot."""
    found, refused = {}, []
    for name, given in layers.items():
        try:
            found[str(name)] = flat_rows(given, kept, f"layer {name!r}")
        except InputError as error:
            refused.append(str(error))
    return found, refused


def measure_layers(
    layers: Mapping[str, np.ndarray],
    table: FactorTable,
    trained: Bool[np.ndarray, " rows"] | None,
    shuffles: int = SHUFFLES,
    seed: int = 0,
) -> pd.DataFrame:
    """The measures of layers with a finite row for each of the table; see `measure`."""
    chosen = sample(len(table), seed)
    part, held_out = table.rows(chosen), None if trained is None else ~trained[chosen]
    if held_out is not None and (held_out.all() or not held_out.any()):
        held_out = None
    found = []
    for name, rows in layers.items():
        found += _layer(name, Rows(rows[chosen].astype(np.float64), part, held_out), shuffles, seed)
    return pd.DataFrame(found, columns=["layer", "measure", "of", "value", "null", "null_low", "null_high", "p"])


def dead_layers(measures: pd.DataFrame) -> list[str]:
    """A sentence for every layer that uses no direction at all."""
    dead = measures.loc[(measures["measure"] == "participation") & (measures["value"] == 0), "layer"]
    return [f"Layer {name!r} is dead: it puts out the same for every input." for name in dead]


def sample(count: int, seed: int) -> Int[np.ndarray, " rows"]:
    """The rows that are looked at, in order."""
    if count <= MOST_ROWS:
        return np.arange(count)
    return np.sort(stream(seed, "audit", "rows").choice(count, MOST_ROWS, replace=False))


def read_mask(mask: Any, rows: int, factors: Any = None) -> Bool[np.ndarray, " rows"]:
    """A mask over examples: True and False, or 1 and 0; of pandas, with the index of the factors."""
    found = np.asarray(as_array(mask, "the training mask") if hasattr(mask, "detach") else mask, dtype=object)
    if found.shape != (rows,):
        raise InputError(f"the training mask has shape {found.shape}; give one True or False for each of {rows} rows.")
    check_index("the training mask", mask, factors)
    fine = np.array([isinstance(each, bool | int | float | np.generic) and each in (0, 1) for each in found])
    if not fine.all():
        row = int(fine.argmin())
        raise InputError(
            f"the training mask has {found[row]!r} in {row_of(row)}; give True or False, or 1 or 0, for each row."
        )
    trained = found.astype(bool)
    if not trained.any():
        raise InputError("the training mask marks no row as trained on; mark those that were, or leave it out.")
    return trained


def flat_rows(given: Any, kept: Bool[np.ndarray, " rows"], what: str) -> np.ndarray:
    """Activations as a row of finite numbers per example that is kept."""
    array, count = as_array(given, what), len(kept)
    if array.ndim == 0 or len(array) != count:
        raise InputError(f"{what} has shape {array.shape}; give a row for each of the {count} rows of the factors.")
    if array.dtype.kind not in "fiub":
        raise InputError(f"{what} holds {array.dtype}; give numbers, real ones.")
    rows = array.reshape(count, -1)
    bad = kept & ~np.isfinite(rows).all(axis=1)
    if bad.any():
        raise InputError(f"{what} is not finite in {rows_where(bad)}; the layer is left out, so mend these rows.")
    return rows if kept.all() else rows[kept]


def _layer(name: str, given: Rows, shuffles: int, seed: int) -> list[tuple]:
    if not np.ptp(given.rows, axis=0).any():
        return [(name, "participation", "", 0.0, np.nan, np.nan, np.nan, np.nan)]
    lines = [(name, "participation", "", participation_ratio(given.rows), np.nan, np.nan, np.nan, np.nan)]
    if not given.table.columns:
        return lines
    if given.rows.shape[1] > WIDEST:
        given = replace(given, rows=principal_components(given.rows, WIDEST).scores)
    reader = Reader.of(given.rows, given.held_out)
    values = _taken(given, reader)
    nulls: dict[tuple[str, str], list[float]] = {key: [] for key in values}
    for shuffle in range(shuffles):
        order = stream(seed, "audit", "shuffle", str(shuffle)).permutation(len(given.table))
        for key, value in _taken(replace(given, table=given.table.rows(order)), reader).items():
            nulls[key].append(value)
    for (kind, of), value in values.items():
        null = np.array(nulls[kind, of])
        low, high = np.quantile(null, (0.025, 0.975))
        larger = (1 + int((null >= value).sum())) / (1 + len(null))
        lines.append((name, kind, of, value, float(null.mean()), float(low), float(high), larger))
    return lines


def _taken(given: Rows, reader: "Reader") -> dict[tuple[str, str], float]:
    """Every measure that factors enter, by its name and the factors it is of."""
    columns = given.table.columns
    parts = [groups(column) for column in columns]
    found: dict[tuple[str, str], float] = {}
    means = {}
    for column, codes in zip(columns, parts, strict=True):
        found["share", column.name], means[column.name] = share_of_factor(given.rows, codes)
    found["additive_share", ""] = additive_share(given.rows, parts)
    for one, other in combinations(columns, 2):
        found["alignment", f"{one.name}, {other.name}"] = alignment(means[one.name], means[other.name])
    for column in columns:
        found["readout", column.name] = reader.score(column)
    if given.held_out is not None:
        found["additive_held_out", ""] = additive_held_out(given.rows, parts, given.held_out)
    return found


@dataclass(frozen=True)
class Reader:
    """Linear read-outs of a layer, each scored on rows that it was not fitted on.

    The systems of equations do not depend on what is read, so that shuffled factors cost little.
    """

    parts: tuple[tuple[np.ndarray, np.ndarray, np.ndarray], ...]  # rows fitted, rows scored, the matrix between them

    @classmethod
    def of(cls, rows: Float[np.ndarray, "items features"], held_out: Bool[np.ndarray, " items"] | None) -> "Reader":
        """Fitted on trained rows and scored on held-out ones; without these, on fifths of the rows in turn."""
        fold = np.arange(len(rows)) % min(FOLDS, len(rows))
        scored = [fold == part for part in np.unique(fold)] if held_out is None else [held_out]
        parts = []
        for asked_rows in scored:
            known, asked, left = ridge_system(rows, ~asked_rows, asked_rows)
            read = np.linalg.solve(known, asked.T).T
            parts.append((~asked_rows, asked_rows, read if left is None else read @ left))
        return cls(tuple(parts))

    def score(self, column: Column) -> float:
        """R² of a factor of numbers, share of right levels of one of words; NaN where scored rows are all alike."""
        wanted = column.values[:, None] if column.numeric else _marks(column.codes)
        predicted, truth = [], []
        for fitted, scored, read in self.parts:
            middle = wanted[fitted].mean(axis=0)
            predicted.append(middle + read @ (wanted[fitted] - middle))
            truth.append(wanted[scored])
        told, true = np.concatenate(predicted), np.concatenate(truth)
        if not column.numeric:
            return float((told.argmax(axis=1) == true.argmax(axis=1)).mean())
        spread = np.square(true - true.mean(axis=0)).sum()
        return 1.0 - float(np.square(true - told).sum() / spread) if spread else np.nan


def groups(column: Column) -> Int[np.ndarray, " items"]:
    """Rows that share a mean: those of a level, or tenths of the rows in order where numbers hardly repeat."""
    if column.numeric and len(column.levels) > MOST_LEVELS:
        edges = np.quantile(column.values, np.linspace(0, 1, 11)[1:-1])
        return np.searchsorted(edges, column.values, side="right")
    return column.codes


def share_of_factor(
    rows: Float[np.ndarray, "items features"], codes: Int[np.ndarray, " items"]
) -> tuple[float, Float[np.ndarray, "levels features"]]:
    """Share of the variance between the groups, and their means about the mean of all, weighted by their number.

    η² = Σ_levels n_l ‖m_l − m‖² / Σ_items ‖a − m‖²
    """
    centred = rows - rows.mean(axis=0)
    marks = _marks(codes)
    numbers = marks.sum(axis=0)
    means = (marks.T @ centred) / np.maximum(numbers, 1)[:, None] * np.sqrt(numbers)[:, None]
    return float(np.square(means).sum() / np.square(centred).sum()), means


def alignment(one: Float[np.ndarray, "levels features"], other: Float[np.ndarray, "others features"]) -> float:
    """How far two sets of weighted means vary along the same directions.

        tr(C D) / √(tr C² tr D²),   C = MᵀM and D = NᵀN

    0: orthogonal subspaces; 1: the same directions in the same proportions.
    """
    between = np.square(one @ other.T).sum()
    norms = np.sqrt(np.square(one @ one.T).sum() * np.square(other @ other.T).sum())
    return float(between / norms) if norms else 0.0


def additive_share(rows: Float[np.ndarray, "items features"], parts: list[Int[np.ndarray, " items"]]) -> float:
    """Share of the variance that the least-squares sum of one vector per level of each factor explains."""
    centred = rows - rows.mean(axis=0)
    basis = _orthonormal(np.concatenate([_marks(codes) for codes in parts], axis=1))
    return float(np.square(basis.T @ centred).sum() / np.square(centred).sum())


def additive_held_out(
    rows: Float[np.ndarray, "items features"],
    parts: list[Int[np.ndarray, " items"]],
    held_out: Bool[np.ndarray, " items"],
) -> float:
    """R² on held-out rows of the sum of level vectors fitted on the others (least squares, of least norm).

    1 − Σ ‖a − â‖² / Σ ‖a − m_trained‖²   over the held-out rows
    """
    marks = np.concatenate([_marks(codes) for codes in parts], axis=1)
    middle = rows[~held_out].mean(axis=0)
    carried = marks[held_out] @ np.linalg.pinv(marks[~held_out], rcond=1e-10)
    missed = rows[held_out] - middle - carried @ (rows[~held_out] - middle)
    return 1.0 - float(np.square(missed).sum() / max(np.square(rows[held_out] - middle).sum(), 1e-300))


def _marks(codes: Int[np.ndarray, " items"]) -> Float[np.ndarray, "items levels"]:
    return np.eye(int(codes.max()) + 1)[codes]


def _orthonormal(columns: np.ndarray) -> np.ndarray:
    left, size, _ = np.linalg.svd(columns - columns.mean(axis=0), full_matrices=False)
    return left[:, size > 1e-10 * max(size.max(initial=0.0), 1e-300)]
