"""Is a task conjunction-wise additive on what training shows? A certificate either way.

Lippl & Stachenfeld (2025), Thm. 4.2: whatever a readout of an overlap kernel is trained on, all it can say is

    f(z) = f_0 + Σ_J f_J(z_J),        J over sets of components whose values z_J occur together in training.

A task that is not of this form on its held-out combinations cannot be solved by any such readout.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from recombine.core.errors import InputError, unknown
from recombine.core.shapes import Float, Integer
from recombine.theory.conjunctions import seen_design
from recombine.theory.contradiction import Contradiction, find_larger, find_up_to_four

if TYPE_CHECKING:
    from scipy.sparse import csr_array

# f_J(z_J) as values[J][z_J]: J a tuple of component indices, z_J of as many levels; values[()][()] is the constant.
Values: TypeAlias = Mapping[tuple[int, ...], Mapping[tuple[int, ...], float]]

KINDS = ("classification", "regression")
RELATIVE = 1e-9  # residuals below this share of the targets' range are rounding
ROUNDINGS = 64  # as are residuals of so many units in the last place of the largest target
ROUNDS = 6  # of iterative refinement; two suffice where the design is well conditioned
LARGE = 1000  # rows from which an interior point method is the faster


@dataclass(frozen=True)
class Certificate:
    """Whether all targets can be right at once, and why."""

    additive: bool
    kind: str  # "regression": targets are met exactly; "classification": target · f ≥ 1
    values: Values | None  # when additive; a conjunction that is not listed contributes 0
    contradiction: Integer[np.ndarray, " rows"] | None  # when not: held-out rows whose targets exclude each other
    weights: Float[np.ndarray, " rows"] | None  # on those rows: Σ weights · f = 0 for every f, Σ weights · target > 0
    smallest: bool | None  # of the contradiction: True if none has fewer rows; in any case no row can be left out
    text: str

    def reconstruct(self, combinations: Integer[np.ndarray, "items components"]) -> Float[np.ndarray, " items"]:
        """f at the given rows: the sum of the listed values of the conjunctions each one contains."""
        if self.values is None:
            raise InputError("a task that is not additive has no values to sum; look at its contradiction instead.")
        outputs = np.zeros(len(combinations))
        for members, table in self.values.items():
            parts = map(tuple, combinations[:, members].tolist())
            outputs += [table.get(part, 0.0) for part in parts]
        return outputs


def certificate(
    combinations: np.ndarray, targets: np.ndarray, seen: np.ndarray, kind: str | None = None
) -> Certificate:
    """Decide whether some f_0 + Σ_J f_J(z_J) over the conjunctions seen in training meets every target.

    `combinations` are integers (items, components), `targets` real numbers (items,), `seen` a boolean mask. Targets
    of rows that are not seen are read, for they define the task; where they are NaN the row belongs to no task.

    `kind`: "regression" asks for f = target, "classification" for target · f ≥ 1 with targets ±1, which is any
    positive margin, since values can be scaled. Left out, it is classification if all targets are ±1.

    Only held-out combinations constrain: a seen one has a conjunction of all its components to itself, which takes
    up whatever the others leave. So the problem is solved on the held-out rows alone, and equals the full one. For
    regression that is a linear system (least squares decide), for classification a linear program.

    `values` are not unique. Given what f must be on the held-out rows (their targets; for classification a solution
    of the program where the targets themselves are out of reach), those minimise Σ over held-out rows Σ_J f_J(z_J)²,
    apart from a constant; the seen rows' own conjunctions then make up the difference to their targets.
    """
    wanted = _checked(combinations, targets, seen)
    known = ~np.isnan(wanted)
    if kind is None:
        kind = "classification" if np.isin(wanted[known], (-1.0, 1.0)).all() else "regression"
    elif kind not in KINDS:
        raise unknown("kind of task", kind, KINDS)
    signs = kind == "classification"
    if signs and not np.isin(wanted[known], (-1.0, 1.0)).all():
        odd = int(np.flatnonzero(known & ~np.isin(wanted, (-1.0, 1.0)))[0])
        raise InputError(
            f"target {wanted[odd]:g} of row {odd} must be -1 or +1 for classification; use kind='regression'."
        )
    first = _first_of_each(combinations, wanted, seen, known)
    rows = first[~seen[first]]
    levels = combinations[rows]
    design, names = _design(combinations, seen, rows)

    size = float(np.abs(wanted[rows]).max(initial=0.0)) or 1.0
    scaled = wanted[rows] / size
    centre = 0.0 if signs or not len(rows) else float((scaled.max() + scaled.min()) / 2)
    theta, found = _decide(design, scaled - centre, levels, signs)
    if found is not None:
        text = _in_words(levels[found.rows], wanted[rows[found.rows]], found, signs)
        return Certificate(False, kind, None, rows[found.rows], found.weights, found.smallest, text)
    theta = theta * size
    theta[0] += centre * size
    text = f"All {len(rows)} held-out targets can be met by a sum over the conjunctions seen in training."
    values = _values(combinations, wanted, first[seen[first]], names, theta)
    return Certificate(True, kind, values, None, None, None, text)


def _decide(
    design: "csr_array", wanted: Float[np.ndarray, " rows"], levels: Integer[np.ndarray, "rows components"], signs: bool
) -> tuple[Float[np.ndarray, " columns"], Contradiction | None]:
    """Values of the conjunctions that meet the targets (scaled to at most 1 in size), or a contradiction."""
    spread = float(wanted.max() - wanted.min()) if len(wanted) else 0.0
    slack = RELATIVE * spread / 2 + ROUNDINGS * float(np.finfo(np.float64).eps)
    theta, residual = _least_squares(design, wanted, slack)
    worst = float(np.abs(residual).max(initial=0.0))
    if worst <= slack:
        return theta, None
    if signs:
        outputs, proof = _separate(design, wanted)
        if outputs is not None:
            theta, _ = _least_squares(design, outputs, slack)
            return theta / min(1.0, float((wanted * (design @ theta)).min())), None
        found = find_up_to_four(design, wanted, signs, slack)
        return theta, found or find_larger(design, wanted, levels, signs, slack, proof)
    # The residual contradicts itself as the targets do, and is free of what can be fitted.
    found = find_up_to_four(design, residual, signs, slack) or find_larger(design, residual, levels, signs, slack)
    if found is None and worst > 1000 * slack:
        raise ArithmeticError(
            f"{len(wanted)} held-out targets miss every sum over seen conjunctions by {worst:.3g} of their size, "
            "but no contradiction among them was found; this is a fault of the solver, so please report it."
        )
    return theta, found


def _design(
    combinations: np.ndarray, seen: np.ndarray, rows: np.ndarray
) -> tuple["csr_array", list[tuple[tuple[int, ...], tuple[int, ...]]]]:
    """The indicators of the seen conjunctions that held-out rows contain, after a first column of ones."""
    from scipy.sparse import csr_array, hstack

    design, names = seen_design(combinations, seen)
    part = design[rows]
    used = np.unique(part.indices)
    full = csr_array(hstack([csr_array(np.ones((len(rows), 1))), part[:, used]], format="csr"))
    return full, [((), ()), *(names[column] for column in used)]


def _least_squares(
    design: "csr_array", wanted: Float[np.ndarray, " rows"], slack: float
) -> tuple[Float[np.ndarray, " columns"], Float[np.ndarray, " rows"]]:
    """The fit of least Σ_c n_c θ_c², n_c ones in column c, and what it leaves, refined until that stops falling."""
    from scipy.sparse import csr_array, diags_array
    from scipy.sparse.linalg import lsmr

    theta, residual = np.zeros(design.shape[1]), wanted
    if not len(wanted):
        return theta, residual
    shrink = 1 / np.sqrt(np.maximum(design.sum(axis=0), 1.0))
    balanced = csr_array(design @ diags_array(shrink))
    for _ in range(ROUNDS):
        before = np.linalg.norm(residual)
        step = lsmr(balanced, residual, atol=1e-14, btol=1e-14, conlim=1e14, maxiter=5000)[0]
        theta = theta + shrink * step
        residual = wanted - design @ theta
        # Fitted to a hundredth of the slack, or as far as it goes.
        if np.abs(residual).max() <= slack / 100 or np.linalg.norm(residual) > 0.99 * before:
            break
    return theta, residual


def _separate(
    design: "csr_array", signs: Float[np.ndarray, " rows"]
) -> tuple[Float[np.ndarray, " rows"] | None, Float[np.ndarray, " rows"]]:
    """Outputs X θ with sign · output ≥ 1, or None; then the second array holds Farkas weights μ with μᵀ X = 0.

    maximise t ≤ 1 subject to sign · X θ ≥ t: the optimum is 1 or, where signs exclude each other, 0.
    """
    from scipy.optimize import linprog
    from scipy.sparse import csr_array, hstack

    count, columns = design.shape
    limits: Any = csr_array(hstack([-design.multiply(signs[:, None]), csr_array(np.ones((count, 1)))]))
    bounds: Any = np.array([(-np.inf, np.inf)] * columns + [(-np.inf, 1.0)])
    method: Literal["highs", "highs-ipm"] = "highs-ipm" if count >= LARGE else "highs"
    goal: Any = np.r_[np.zeros(columns), -1.0]
    answer = linprog(goal, A_ub=limits, b_ub=np.zeros(count), bounds=bounds, method=method)
    if answer.status != 0 or answer.x is None:
        raise ArithmeticError(f"the linear program on {count} held-out rows was not solved: {answer.message}")
    if answer.x[-1] > 0.5:
        return design @ answer.x[:-1], np.zeros(count)
    return None, -signs * answer.ineqlin.marginals


def _values(
    combinations: np.ndarray,
    wanted: np.ndarray,
    shown: np.ndarray,
    names: list[tuple[tuple[int, ...], tuple[int, ...]]],
    theta: np.ndarray,
) -> Values:
    values: dict[tuple[int, ...], dict[tuple[int, ...], float]] = {}
    for (members, levels), value in zip(names, theta.tolist(), strict=True):
        values.setdefault(members, {})[levels] = value
    parts = Certificate(True, "", values, None, None, None, "").reconstruct(combinations[shown])
    everything = tuple(range(combinations.shape[1]))
    whole = map(tuple, combinations[shown].tolist())
    values[everything] = dict(zip(whole, (wanted[shown] - parts).tolist(), strict=True))
    return values


def _in_words(levels: np.ndarray, targets: np.ndarray, found: Contradiction, signs: bool) -> str:
    count = len(levels)
    if count > 6 or not np.allclose(np.abs(found.weights), 1.0):
        return (
            f"The targets of {count} held-out combinations cannot all be right: one weighted sum of them is 0 for "
            f"every sum over the conjunctions seen in training, and {found.weights @ targets:g} for the targets."
        )
    plus, minus = (
        " + ".join(f"f({', '.join(map(str, each))})" for each in levels[found.weights * side > 0].tolist())
        for side in (1, -1)
    )
    high, low = (float(targets[found.weights * side > 0].sum()) for side in (1, -1))
    asked = "the left to be positive and the right negative" if signs else f"{high:g} on the left, {low:g} on the right"
    return f"Every sum over the conjunctions seen in training has {plus} = {minus}, but the targets ask for {asked}."


def _first_of_each(
    combinations: np.ndarray, wanted: np.ndarray, seen: np.ndarray, known: np.ndarray
) -> Integer[np.ndarray, " distinct"]:
    """One row per combination that has a target, a seen one where there is one; repeats must agree."""
    rows = np.flatnonzero(known)
    rows = rows[np.argsort(~seen[rows], kind="stable")]
    _, start, group = np.unique(combinations[rows], axis=0, return_index=True, return_inverse=True)
    first = rows[start][group.ravel()]
    # Relative to what the targets range over, like every other comparison of targets.
    slack = RELATIVE * (wanted[rows] / 2).max() - RELATIVE * (wanted[rows] / 2).min()
    slack += ROUNDINGS * np.finfo(np.float64).eps * np.abs(wanted[rows]).max()
    apart = np.abs(wanted[rows] / 2 - wanted[first] / 2) > slack
    if apart.any():
        one, other = sorted((int(first[apart][0]), int(rows[apart][0])))
        raise InputError(
            f"rows {one} and {other} are the same combination {tuple(combinations[one].tolist())} with targets "
            f"{wanted[one]:g} and {wanted[other]:g}; a combination has one target, so correct or drop one of them."
        )
    return np.sort(rows[start])


def _checked(combinations: np.ndarray, targets: np.ndarray, seen: np.ndarray) -> Float[np.ndarray, " items"]:
    if combinations.ndim != 2 or combinations.shape[1] < 1 or not np.issubdtype(combinations.dtype, np.integer):
        raise InputError(
            f"combinations are a {combinations.dtype} array of shape {combinations.shape}; "
            "give integers of shape (items, components) with at least one component."
        )
    count = len(combinations)
    if targets.shape != (count,) or seen.shape != (count,):
        raise InputError(
            f"{count} combinations need as many targets and mask entries, got targets of shape {targets.shape} and a "
            f"mask of shape {seen.shape}; give one of each per combination."
        )
    if seen.dtype != np.bool_:
        raise InputError(
            f"the mask of seen rows has type {seen.dtype}; it must be boolean, so compare it with 0 first."
        )
    if not seen.any():
        raise InputError(f"none of the {count} combinations is marked as seen; mark at least one.")
    wanted = np.asarray(targets, dtype=np.float64)
    bad = np.flatnonzero(np.where(seen, ~np.isfinite(wanted), np.isinf(wanted)))
    if len(bad):
        rule = "targets of seen rows must be finite" if seen[bad[0]] else "only NaN marks a held-out row of no task"
        raise InputError(f"target {wanted[bad[0]]} of row {bad[0]} is not finite; {rule}, so correct it.")
    return wanted
