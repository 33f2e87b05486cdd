"""Held-out targets that cannot all be right: small sets of rows which no sum over seen conjunctions satisfies.

The rows of a design X say which conjunctions a held-out combination contains (a column of ones among them). A set of
rows contradicts itself if and only if there are weights μ on it with

    μᵀ X = 0   and   μ·y ≠ 0 (values, Fredholm's alternative)   or   μ_i y_i ≥ 0, not all 0 (signs ±1, Farkas' lemma)

for then every f = X θ has μ·f = 0 and the targets do not. The set is irreducible (any row left out makes it
satisfiable) if and only if μ is unique up to its size and zero nowhere on it.

The fewest rows: 2 if two rows contain the same conjunctions. Never 3, for a column that holds two of three rows with
Σμ = 0 gives the third no weight. 4 if X_a + X_c = X_b + X_d, the only pattern two different pairings of four rows
allow. Both are searched exhaustively, so an irreducible set of 5 that is found afterwards is a smallest one too, and
of 6 with up to two components, where sets are cycles of a bipartite graph. Beyond that, finding a smallest set is
NP-hard in general, and what is returned is irreducible, the smallest of several attempts.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from recombine.core.seeds import stream
from recombine.core.shapes import Float, Integer

if TYPE_CHECKING:
    from scipy.sparse import csr_array

PAIRS_AT_ONCE = 4_000_000  # pairs of rows that are sorted together: some 100 MB
TRIES = 12  # boxes of each size
ROWS_IN_BOXES = 6000  # all linear programs on boxes together; beyond that they take longer than the answer is worth
DENSE_ROWS = 600  # up to here irreducibility is checked by a singular value decomposition


@dataclass(frozen=True)
class Contradiction:
    """Rows whose targets exclude each other, with the weights that prove it."""

    rows: Integer[np.ndarray, " rows"]  # ascending
    weights: Float[np.ndarray, " rows"]  # μ, scaled to a least size of 1 and to μ·y > 0
    smallest: bool  # True: no contradiction has fewer rows


def find_up_to_four(
    design: "csr_array", targets: Float[np.ndarray, " rows"], signs: bool, slack: float
) -> Contradiction | None:
    """A contradiction of two or else of four rows; None proves that there is none.

    `targets` may be anything that differs from the true values by some X θ, such as a least-squares residual;
    for `signs` they are ±1. Values that agree to `slack` per row count as equal.
    """
    codes = stream(0, "contradiction", "codes").integers(2**64, size=design.shape[1], dtype=np.uint64)
    # Equal rows have equal sums of codes, also modulo 2^64; that unequal ones have too is checked in the end.
    signature = np.add.reduceat(codes[design.indices], design.indptr[:-1])
    found = _widest(signature, targets, 0.5 if signs else 2 * slack)
    if found is not None:
        return _verified(design, targets, found, np.array([1.0, -1.0]))
    rows = np.unique(signature, return_index=True)[1]
    signature, values = signature[rows], targets[rows]
    passes = 1 + len(rows) ** 2 // (2 * PAIRS_AT_ONCE)
    for residue in range(passes):
        first, second = _pairs(signature, values, signs, passes, residue)
        found = _widest(
            signature[first] + signature[second], values[first] + values[second], 1.0 if signs else 4 * slack
        )
        if found is not None:
            high, low = found
            four = rows[[first[high], second[high], first[low], second[low]]]
            return _verified(design, targets, four, np.array([1.0, 1.0, -1.0, -1.0]))
    return None


def find_larger(
    design: "csr_array",
    targets: Float[np.ndarray, " rows"],
    levels: Integer[np.ndarray, "rows components"],
    signs: bool,
    slack: float,
    known: Float[np.ndarray, " rows"] | None = None,
) -> Contradiction | None:
    """An irreducible contradiction, where `find_up_to_four` has found none; None where the solver finds none.

    Boxes of few levels per component are tried first, larger ones when no smaller box contradicts itself, and then
    all rows. `known` are weights μ of a contradiction already at hand, which then stands in for the last step.
    """
    best = _in_boxes(design, targets, levels, signs, slack)
    if best is None:
        best = _circuit(design, targets, signs, slack, np.ones(len(targets))) if known is None else _trimmed(known)
    if best is None:
        return None
    rows, weights = _irreducible(design, targets, signs, slack, *best)
    proved = len(rows) <= (6 if levels.shape[1] <= 2 else 5)
    return _oriented(rows, weights, targets, proved)


def _pairs(
    signature: np.ndarray, values: np.ndarray, signs: bool, passes: int, residue: int
) -> tuple[Integer[np.ndarray, " pairs"], Integer[np.ndarray, " pairs"]]:
    """Pairs of rows (for signs, of the same sign) whose summed signature falls to this pass."""
    first, second = [], []
    for i in range(len(signature) - 1):
        kept = (signature[i] + signature[i + 1 :]) % np.uint64(passes) == np.uint64(residue)
        if signs:
            kept &= values[i + 1 :] == values[i]
        partners = np.flatnonzero(kept) + i + 1
        first.append(np.full(len(partners), i, dtype=np.int32))
        second.append(partners.astype(np.int32))
    empty = np.empty(0, dtype=np.int32)
    return np.concatenate([empty, *first]), np.concatenate([empty, *second])


def _widest(signature: np.ndarray, values: np.ndarray, least: float) -> np.ndarray | None:
    """Two entries of one signature whose values differ most, the larger first; None if by no more than `least`."""
    ordered = np.sort(signature)
    repeated = np.unique(ordered[1:][ordered[1:] == ordered[:-1]])
    if not len(repeated):
        return None
    # Most signatures occur once, and sorting numbers is much faster than sorting places.
    members = np.flatnonzero(repeated[np.searchsorted(repeated, signature).clip(max=len(repeated) - 1)] == signature)
    order = members[np.lexsort((values[members], signature[members]))]
    starts = np.flatnonzero(np.r_[True, np.diff(signature[order]) != 0])
    ends = np.r_[starts[1:], len(order)] - 1
    spread = values[order[ends]] - values[order[starts]]
    widest = int(spread.argmax())
    return order[[ends[widest], starts[widest]]] if spread[widest] > least else None


def _verified(design: "csr_array", targets: np.ndarray, rows: np.ndarray, weights: np.ndarray) -> Contradiction | None:
    if np.any(weights @ design[rows].toarray()):
        return None
    return _oriented(rows, weights, targets, smallest=True)


def _oriented(rows: np.ndarray, weights: np.ndarray, targets: np.ndarray, smallest: bool) -> Contradiction:
    order = np.argsort(rows)
    rows, weights = rows[order], weights[order] / np.abs(weights).min()
    return Contradiction(rows, weights * np.sign(weights @ targets[rows]), smallest)


def _in_boxes(
    design: "csr_array", targets: np.ndarray, levels: np.ndarray, signs: bool, slack: float
) -> tuple[np.ndarray, np.ndarray] | None:
    """The smallest contradiction found in boxes of the smallest size that has any."""
    rng = stream(0, "contradiction", "boxes")
    most = max(len(np.unique(column)) for column in levels.T)
    size, spent, best = 2, 0, None
    while size < most and best is None:
        for _ in range(TRIES):
            centre = levels[rng.integers(len(levels))]
            inside = np.ones(len(levels), dtype=bool)
            for column, level in zip(levels.T, centre, strict=True):
                others = np.setdiff1d(column, [level])
                chosen = rng.choice(others, min(size - 1, len(others)), replace=False)
                inside &= np.isin(column, np.append(chosen, level))
            rows = np.flatnonzero(inside)
            spent += len(rows)
            if spent > ROWS_IN_BOXES:
                return best
            for _ in range(3 if len(rows) < DENSE_ROWS else 1):
                found = _circuit(design[rows], targets[rows], signs, slack, rng.uniform(1.0, 2.0, len(rows)))
                if found is None:
                    break
                if best is None or len(found[0]) < len(best[0]):
                    best = rows[found[0]], found[1]
        size += 1 + size // 2
    return best


def _circuit(
    design: "csr_array", targets: np.ndarray, signs: bool, slack: float, cost: np.ndarray
) -> tuple[np.ndarray, np.ndarray] | None:
    """Rows and weights μ of the cheapest contradiction, Σ cost_i |μ_i| least at μ·y = 1; None if there is none.

    A vertex of the feasible set has a support on which μ is unique: it is irreducible.
    """
    from scipy.optimize import linprog
    from scipy.sparse import csr_array, hstack, vstack

    size = float(np.abs(targets).max(initial=0.0))
    if len(targets) < 2 or size <= slack:
        return None
    across = csr_array(design[:, np.unique(design.indices)].T)
    across = across.multiply(targets) if signs else hstack([across, -across])
    gain = np.ones(len(targets)) if signs else np.r_[targets, -targets] / size
    goal = np.zeros(across.shape[0] + 1)
    goal[-1] = 1.0
    equations: Any = csr_array(vstack([across, csr_array(gain[None])]))
    price: Any = cost if signs else np.r_[cost, cost]
    answer = linprog(price, A_eq=equations, b_eq=goal, method="highs")
    if answer.status != 0 or answer.x is None:
        return None
    weights = targets * answer.x if signs else answer.x[: len(targets)] - answer.x[len(targets) :]
    # A violation of less than the slack per unit of weight is rounding, not a contradiction.
    if not signs and np.abs(weights).sum() * slack >= size:
        return None
    return _trimmed(weights)


def _trimmed(weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    rows = np.flatnonzero(np.abs(weights) > 1e-7 * np.abs(weights).max())
    return rows, weights[rows]


def _irreducible(
    design: "csr_array", targets: np.ndarray, signs: bool, slack: float, rows: np.ndarray, weights: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The same contradiction with weights to full precision, or less of it where rows can be left out."""
    if len(rows) > DENSE_ROWS:
        return rows, weights  # a vertex of the linear program
    for row in rows:
        null = _left_null(design[rows])
        if len(null) == 1 and np.abs(null).min() > 1e-9:
            return rows, null[0]
        others = rows[rows != row]
        less = _circuit(design[others], targets[others], signs, slack, np.ones(len(others)))
        if less is not None:
            rows, weights = others[less[0]], less[1]
    return rows, weights


def _left_null(design: "csr_array") -> Float[np.ndarray, "null rows"]:
    """An orthonormal basis of all μ with μᵀ X = 0."""
    dense = design[:, np.unique(design.indices)].toarray()
    left, values, _ = np.linalg.svd(dense)
    return left[:, int((values > 1e-10 * values[0]).sum()) :].T
