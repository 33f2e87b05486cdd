"""Are the answers a sum of one value per conjunction of components that was seen in training?

Lippl & Stachenfeld (2025), Thm. 4.2: a kernel that looks at shared components answers f(z) = Σ_J f_J(z_J), summed over
the conjunctions z_J that occur in training. Here the same sum is fitted to the answers of any model.
"""

from dataclasses import dataclass
from itertools import chain
from itertools import combinations as choose

import numpy as np

from recombine.core.errors import InputError
from recombine.core.shapes import Bool, Float, Int
from recombine.measures.component_evidence import ComponentEvidence, Conjunction
from recombine.measures.registry import measures

RIDGE = 1e-10  # as published: picks the smallest of equally good coefficients, and biases nothing
STILL = 1e-9  # answers that differ by less than this, relative to the largest, differ by rounding
CERTAIN = 1 - 1e-9  # a leverage above this: nothing but the row itself says what its value is


@dataclass(frozen=True, eq=False)
class AdditivityFit:
    """A value per conjunction seen in training, and an intercept, fitted to the answers.

    The design has fewer independent columns than columns (the levels of a component always sum to one), so that other
    coefficients give the same answers; these are the smallest. What is fitted is unique, its parts are not.
    """

    conjunctions: tuple[Conjunction, ...]
    coefficients: Float[np.ndarray, " conjunctions"]
    intercept: float

    def predict(self, combinations: Int[np.ndarray, "rows components"]) -> Float[np.ndarray, " rows"]:
        """The intercept and the values of each row's conjunctions, summed."""
        return self.intercept + indicators(combinations, self.conjunctions) @ self.coefficients


def fit_additivity(
    outputs: Float[np.ndarray, " rows"],
    combinations: Int[np.ndarray, "rows components"],
    seen: Bool[np.ndarray, " rows"],
) -> AdditivityFit:
    """Fit a value per conjunction that occurs in a seen row to all rows, seen or not, as published.

    β, b = argmin Σ_rows (f − b − Σ_J 1[z_J] β_J)² + 10⁻¹⁰ ‖β‖²,   J over the conjunctions of 1, ..., C components
    """
    if not seen.any():
        raise InputError(f"none of the {len(seen)} combinations is marked as seen; mark those trained on.")
    conjunctions = conjunctions_of(combinations[seen])
    design = indicators(combinations, conjunctions)
    offset, middle = design.mean(axis=0), float(outputs.mean())
    # Singular values, not the normal equations: those would square rounding errors up to the size of the ridge.
    left, size, right = np.linalg.svd(design - offset, full_matrices=False)
    real = size > STILL * size[0]  # the others are 0 but for rounding, which 1 / RIDGE would make visible
    gains = np.where(real, size / (size**2 + RIDGE), 0.0)
    coefficients = right.T @ (gains * (left.T @ (outputs - middle)))
    return AdditivityFit(conjunctions, coefficients, float(middle - offset @ coefficients))


def additivity_r2(
    outputs: Float[np.ndarray, " rows"],
    combinations: Int[np.ndarray, "rows components"],
    seen: Bool[np.ndarray, " rows"],
) -> float:
    """Share of the variance of the outputs of unseen rows that a sum over seen conjunctions explains.

        R² = 1 − Σ_unseen (f − f̂)² / Σ_unseen (f − f̄_unseen)²

    1: the outputs are such a sum; 0: no better than their mean, which is the lower end, as unseen rows are fitted too
    (see `fit_additivity`).
    """
    if seen.all():
        raise InputError(f"all {len(seen)} combinations are marked as seen; leave some unseen to be explained.")
    fitted = fit_additivity(outputs, combinations, seen).predict(combinations)
    return _r2(outputs[~seen], fitted[~seen], outputs)


@measures.register("additivity_test")
def additivity_test(evidence: ComponentEvidence) -> float:
    """R² on held-out combinations of a sum over conjunctions seen in training, fitted to all combinations.

    Below 1: the answers are no such sum, so no kernel that looks at shared components gives them. 1: they can be
    written as one, which is certain where held-out combinations are no more than their free values (with two of them,
    say); `additivity_held_out` tells. As each trained combination has a conjunction to itself, trained ones constrain
    nothing and this equals `additivity_test_only`.
    """
    return additivity_r2(*_rows(evidence))


@measures.register("additivity_train")
def additivity_train(evidence: ComponentEvidence) -> float:
    """R² of the same sum on trained combinations: always 1, for each has its full conjunction to itself.

    It can only show that the fit was computed well, and says nothing about the model; `additivity_test` does.
    """
    outputs, combinations, seen = _rows(evidence)
    fitted = fit_additivity(outputs, combinations, seen).predict(combinations)
    return _r2(outputs[seen], fitted[seen], outputs)


@measures.register("additivity_test_only")
def additivity_test_only(evidence: ComponentEvidence) -> float:
    """R² on held-out combinations of a sum over their conjunctions seen in training, fitted to them alone.

    It shows that `additivity_test` owes nothing to the trained combinations, and shares its blind spot: the scored
    answers are the fitted ones. 1: such a sum; 0: no better than the mean.
    """
    outputs, combinations, seen = _rows(evidence)
    basis = _held_out_basis(combinations, seen)
    return _r2(outputs[~seen], basis @ (basis.T @ outputs[~seen]), outputs)


@measures.register("additivity_held_out")
def additivity_held_out(evidence: ComponentEvidence) -> float:
    """R² of predicting each held-out answer from the other held-out ones by a sum over seen conjunctions.

        R² = 1 − Σ_i (f_i − f̂_i)² / Σ_i (f_i − f̄)²,   f̂_i fitted without row i, so that f_i − f̂_i = e_i / (1 − h_i)

    e are the residuals and h the leverages of the fit to all held-out rows. 1: such a sum, and not for want of data;
    0: no better than the mean; below 0: worse, as for answers without any additive part; no lower end. Undefined where
    a held-out combination has a value that no other one bears on.
    """
    outputs, combinations, seen = _rows(evidence)
    basis, answers = _held_out_basis(combinations, seen), outputs[~seen]
    leverage = np.square(basis).sum(axis=1)
    if leverage.max() > CERTAIN:
        row = tuple(map(int, combinations[~seen][leverage.argmax()]))
        raise InputError(
            f"additivity_held_out is undefined: no other held-out combination tells what {row} must be; "
            "hold out more combinations, or use additivity_test and mind that it is 1 there by itself."
        )
    residual = answers - basis @ (basis.T @ answers)
    return _r2(answers, answers - residual / (1 - leverage), outputs)


def conjunctions_of(combinations: Int[np.ndarray, "rows components"]) -> tuple[Conjunction, ...]:
    """Every conjunction of 1, ..., C components that occurs in the rows, by order, components and levels."""
    everything = range(combinations.shape[1])
    sets = chain.from_iterable(choose(everything, order) for order in range(1, combinations.shape[1] + 1))
    return tuple(
        (where, tuple(levels)) for where in sets for levels in np.unique(combinations[:, where], axis=0).tolist()
    )


def indicators(
    combinations: Int[np.ndarray, "rows components"], conjunctions: tuple[Conjunction, ...]
) -> Float[np.ndarray, "rows conjunctions"]:
    """1 where a row contains a conjunction, else 0."""
    columns = [(combinations[:, where] == np.array(levels)).all(axis=1) for where, levels in conjunctions]
    return np.stack(columns, axis=1).astype(np.float64)


def _rows(
    evidence: ComponentEvidence,
) -> tuple[Float[np.ndarray, " rows"], Int[np.ndarray, "rows components"], Bool[np.ndarray, " rows"]]:
    """Mean answers, levels, and whether they were trained on, of the combinations trained on or held out."""
    used = evidence.section("id") | evidence.section("ood")
    return evidence.mean[used], evidence.combinations[used], evidence.sections["id"][used]


def _held_out_basis(
    combinations: Int[np.ndarray, "rows components"], seen: Bool[np.ndarray, " rows"]
) -> Float[np.ndarray, "unseen rank"]:
    """An orthonormal basis of what sums over seen conjunctions, with an intercept, can be on the unseen rows."""
    active = indicators(combinations[~seen], conjunctions_of(combinations[seen]))
    left, size, _ = np.linalg.svd(np.column_stack([np.ones(len(active)), active]), full_matrices=False)
    return left[:, size > STILL * size[0]]


def _r2(
    outputs: Float[np.ndarray, " scored"], fitted: Float[np.ndarray, " scored"], everything: Float[np.ndarray, " rows"]
) -> float:
    if np.ptp(outputs) <= STILL * np.abs(everything).max():
        raise InputError(
            f"additivity is undefined: the {len(outputs)} answers to explain are all the same, about {outputs[0]:.3g}; "
            "look at margin or slope instead."
        )
    return float(1 - np.square(outputs - fitted).sum() / np.square(outputs - outputs.mean()).sum())
