"""A kernel's answer taken apart: one value per conjunction of components that training has shown.

Lippl & Stachenfeld (2025), Thm. 4.2: a readout of an overlap kernel is conjunction-wise additive,

    f(z) = Σ_J f_J(z_J),        J over sets of components whose values z_J occur together in training.
"""

from collections.abc import Iterator, Mapping
from itertools import combinations as choose
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from recombine.core.errors import InputError
from recombine.core.shapes import Bool, Float, Integer, Real
from recombine.theory.salience import Similarity, inverted, similarity_table

if TYPE_CHECKING:
    from scipy.sparse import csr_array

# The components of a conjunction: (0, 2) is the first with the third. Flags of a similarity are (1, 0, 1).
Components: TypeAlias = tuple[int, ...]

DENSE_ENTRIES = 4_000_000  # least squares on a design of at most this size is solved exactly, larger ones iteratively


def decompose(
    combinations: Integer[np.ndarray, "items components"],
    weights: Float[np.ndarray, "seen *outputs"],
    seen: Bool[np.ndarray, " items"],
    similarity: Similarity,
    intercept: float | Float[np.ndarray, "*outputs"] = 0.0,
) -> dict[Components, Float[np.ndarray, "items *outputs"]]:
    """What each conjunction contributes to every row, for the readout with these dual coefficients.

        f_J(z_J) = s_J · Σ_{i seen, (z_i)_J = z_J} weights_i

    s_J are the un-normalised saliences (`salience.moebius`). The key () holds the empty conjunction and the
    intercept, a constant. The arrays sum to the prediction; a conjunction never seen contributes exactly 0.
    `weights` come from `kernels.readout`, `solve.regress` or `margin.fit_margin`.
    """
    _check(combinations, seen)
    if len(weights) != seen.sum():
        raise InputError(
            f"{len(weights)} weights do not fit {int(seen.sum())} seen rows; give one dual coefficient per seen row."
        )
    count = combinations.shape[1]
    by_flags = isinstance(similarity, Mapping)
    parts = inverted(similarity_table(similarity, count), by_flags)
    values: dict[Components, np.ndarray] = {
        (): np.broadcast_to(parts[0] * weights.sum(axis=0) + intercept, (len(seen), *weights.shape[1:])).copy()
    }
    for members, groups, number in conjunction_groups(combinations):
        place = sum(1 << (count - 1 - c) for c in members) if by_flags else len(members)
        sums = np.zeros((number, *weights.shape[1:]))
        np.add.at(sums, groups[seen], weights)
        values[members] = parts[place] * sums[groups]
    return values


def seen_design(
    combinations: Integer[np.ndarray, "items components"], seen: Bool[np.ndarray, " items"]
) -> tuple["csr_array", list[tuple[Components, tuple[int, ...]]]]:
    """Which rows contain which of the conjunctions seen in training: a sparse 0/1 matrix and what its columns mean.

    A column (J, z_J) is 1 in every row, seen or not, whose components J have the values z_J; J runs over orders 1 to
    C. There is no column for the empty conjunction. A row of the design of a seen row has 2^C − 1 ones.
    """
    from scipy.sparse import csr_array

    _check(combinations, seen)
    rows, columns = [], []
    names: list[tuple[Components, tuple[int, ...]]] = []
    shown = np.flatnonzero(seen)
    for members, groups, number in conjunction_groups(combinations):
        example = np.full(number, -1)
        example[groups[shown]] = shown  # any row that shows it
        kept = example >= 0
        column = np.cumsum(kept) - 1 + len(names)
        inside = np.flatnonzero(kept[groups])
        rows.append(inside)
        columns.append(column[groups[inside]])
        names += [(members, tuple(each)) for each in combinations[example[kept]][:, members].tolist()]
    where = np.concatenate(rows), np.concatenate(columns)
    return csr_array((np.ones(len(where[0])), where), shape=(len(seen), len(names))), names


def additivity_residual(
    outputs: Real[np.ndarray, "items *outputs"],
    combinations: Integer[np.ndarray, "items components"],
    seen: Bool[np.ndarray, " items"],
) -> float:
    """How far outputs are from a sum over the conjunctions seen in training (and a constant).

        max |f − P f| / max |f − mean f|,        P the least-squares projection of all rows on `seen_design` and 1

    0: conjunction-wise additive, as every overlap kernel is (to rounding, some 1e-12); of order 1: a row that was not
    seen gets an answer that its parts do not explain. 0 also where all outputs are equal.
    """
    design, _ = seen_design(combinations, seen)
    if len(outputs) != len(seen) or not np.isfinite(outputs).all():
        raise InputError(
            f"outputs of shape {outputs.shape} must hold a finite number for each of {len(seen)} combinations; "
            "predict every row first."
        )
    flat = np.asarray(outputs, dtype=np.float64).reshape(len(seen), -1)
    # The mean of equal numbers can round away from them: a spread within rounding is none.
    if np.ptp(flat, axis=0).max() <= 16 * np.finfo(np.float64).eps * np.abs(flat).max():
        return 0.0
    flat = flat - flat.mean(axis=0)
    flat = flat / np.abs(flat).max()
    # Every seen combination is a column of its own and can be fitted whatever the others do: repeated rows get their
    # mean, and the other columns are free to serve the rows outside.
    groups = _whole(combinations)
    size = np.bincount(groups[seen], minlength=len(seen))
    inside = size[groups] > 0
    worst = 0.0
    if inside.any():
        sums = np.zeros((len(seen), flat.shape[1]))
        np.add.at(sums, groups[inside], flat[inside])
        repeats = np.bincount(groups[inside], minlength=len(seen))[groups[inside]]
        worst = float(np.abs(flat[inside] - sums[groups[inside]] / repeats[:, None]).max())
    if not inside.all():
        residual = _outside(design[np.flatnonzero(~inside)], flat[~inside])
        worst = max(worst, float(np.abs(residual).max()))
    return worst


def _outside(design: "csr_array", wanted: Float[np.ndarray, "rows outputs"]) -> Float[np.ndarray, "rows outputs"]:
    """What the least-squares fit of columns of the design and a constant leaves of `wanted`."""
    from scipy.sparse import csr_array, hstack
    from scipy.sparse.linalg import lsmr

    used = np.flatnonzero(np.diff(design.tocsc().indptr))
    full = csr_array(hstack([design[:, used], csr_array(np.ones((len(wanted), 1)))]))
    if full.shape[0] * full.shape[1] <= DENSE_ENTRIES:
        dense = full.toarray()
        return wanted - dense @ np.linalg.lstsq(dense, wanted)[0]
    fits = [
        lsmr(full, column, atol=1e-15, btol=1e-15, conlim=0.0, maxiter=4 * max(full.shape))[0] for column in wanted.T
    ]
    return wanted - full @ np.stack(fits, axis=1)


def conjunction_groups(
    combinations: Integer[np.ndarray, "items components"],
) -> Iterator[tuple[Components, Integer[np.ndarray, " items"], int]]:
    """For every non-empty set of components, by order: the number of the values each row has there, and how many."""
    count = combinations.shape[1]
    groups: dict[Components, np.ndarray] = {}
    for c in range(count):
        groups[(c,)] = np.unique(combinations[:, c], return_inverse=True)[1]
    for order in range(1, count + 1):
        for members in choose(range(count), order):
            if order > 1:
                first, last = groups[members[:-1]], groups[members[-1:]]
                groups[members] = np.unique(first * (last.max(initial=0) + 1) + last, return_inverse=True)[1]
            yield members, groups[members], int(groups[members].max(initial=-1)) + 1


def _whole(combinations: Integer[np.ndarray, "items components"]) -> Integer[np.ndarray, " items"]:
    """The number of the combination in each row: equal where all components are."""
    *_, (_, groups, _) = conjunction_groups(combinations)
    return groups


def _check(combinations: np.ndarray, seen: np.ndarray) -> None:
    if combinations.ndim != 2 or combinations.shape[1] < 1:
        raise InputError(f"combinations of shape {combinations.shape} must be (items, components), components >= 1.")
    if seen.dtype != np.bool_ or seen.shape != (len(combinations),) or not seen.any():
        raise InputError(
            f"a {seen.dtype} mask of shape {seen.shape} with {int(np.count_nonzero(seen))} set does not fit "
            f"{len(combinations)} combinations; give one boolean per combination, at least one of them true."
        )
