"""Kernels of inputs made of components: similar by what they share, and what such a kernel predicts.

Definitions follow Lippl & Stachenfeld (2025), "When does compositional structure yield compositional
generalization? A kernel theory": Def. 3.1 for the kernel, Eq. 1 for the readout.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from recombine.core.errors import InputError, unknown
from recombine.core.shapes import Bool, Float, Integer, Real
from recombine.theory.margin import fit_margin
from recombine.theory.random_layers import random_layers
from recombine.theory.salience import Similarity, inverted, salience, similarity_table
from recombine.theory.solve import regress

__all__ = ["SOLVERS", "Readout", "Similarity", "overlap_kernel", "predict", "random_layers", "readout", "salience"]

SOLVERS = ("min-norm", "ridge", "max-margin")


@dataclass(frozen=True)
class Readout:
    """A linear readout in its dual form (Eq. 1): f(z) = Σ_i weights_i K(z, z_i) + intercept, i over seen rows."""

    outputs: Float[np.ndarray, "items *outputs"]  # f at every row
    weights: Float[np.ndarray, "seen *outputs"]
    intercept: Float[np.ndarray, "*outputs"]  # zero without a bias


def overlap_kernel(
    a: Integer[np.ndarray, "first components"], b: Integer[np.ndarray, "second components"], similarity: Similarity
) -> Float[np.ndarray, "first second"]:
    """Similarity of every row of `a` with every row of `b`, by the components they share.

        K(z, z') = κ(|{c : z_c = z'_c}|)          or, more generally,          K(z, z') = κ(1[z_1 = z'_1], ...)

    κ(0) is the similarity of inputs with nothing in common, κ(C) that of identical ones. Any two equal entries
    count as shared, also where both mark a factor as absent.
    """
    if a.ndim != 2 or b.ndim != 2 or a.shape[1] != b.shape[1]:
        raise InputError(
            f"combinations of shapes {a.shape} and {b.shape} cannot be compared; "
            "both must be (items, components) with the same components."
        )
    components = a.shape[1]
    table = similarity_table(similarity, components)
    # With a mapping every set of shared components has its own place: component c adds 2^(C-1-c).
    steps = 1 << np.arange(components)[::-1] if isinstance(similarity, Mapping) else np.ones(components, dtype=int)
    place = np.zeros((len(a), len(b)), dtype=np.int32)
    for c, step in enumerate(steps):
        place += (a[:, c, None] == b[None, :, c]) * np.int32(step)
    return table[place]


def predict(
    combinations: Integer[np.ndarray, "items components"],
    targets: Real[np.ndarray, "items *outputs"],
    seen: Bool[np.ndarray, " items"],
    similarity: Similarity,
    solver: str = "min-norm",
    ridge: float = 0.0,
    bias: bool = False,
) -> Float[np.ndarray, "items *outputs"]:
    """What a linear readout of the overlap representation says about every row, trained on the seen ones.

    `min-norm` is ridgeless least squares, `ridge` adds `ridge` to the diagonal of the kernel (ridge = 0 is the
    same as `min-norm`), `max-margin` gives the decision values of the widest-margin classifier of labels ±1.
    `bias` adds a constant that costs nothing. Targets of unseen rows are never read; they may be NaN.

    Whatever the solver, the answer for an unseen row is a sum of one value per conjunction of its components
    that was seen in training (Thm. 4.2); with two components it is f_0 + f_1(z_1) + f_2(z_2). A similarity whose
    kernel on the seen rows has a negative eigenvalue is refused: no representation has such inner products.
    """
    return readout(combinations, targets, seen, similarity, solver=solver, ridge=ridge, bias=bias).outputs


def readout(
    combinations: Integer[np.ndarray, "items components"],
    targets: Real[np.ndarray, "items *outputs"],
    seen: Bool[np.ndarray, " items"],
    similarity: Similarity,
    solver: str = "min-norm",
    ridge: float = 0.0,
    bias: bool = False,
) -> Readout:
    """The readout behind `predict`, with its dual coefficients (for `conjunctions.decompose`)."""
    if solver not in SOLVERS:
        raise unknown("solver", solver, SOLVERS)
    if ridge != 0 and solver != "ridge":
        raise InputError(f"ridge = {ridge} has no meaning for solver {solver!r}; use solver='ridge' or ridge=0.")
    if seen.dtype != np.bool_ or seen.shape != (len(combinations),) or len(targets) != len(combinations):
        raise InputError(
            f"{len(combinations)} combinations need as many targets and a boolean mask of that length, got "
            f"{len(targets)} targets and a {seen.dtype} mask of shape {seen.shape}; give one entry per combination."
        )
    if not seen.any():
        raise InputError(f"none of the {len(seen)} combinations is marked as seen; mark at least one.")
    known = targets[seen]
    cross = overlap_kernel(combinations, combinations[seen], similarity)
    gram = cross[seen]
    _refuse_indefinite(gram, similarity)
    if solver != "max-margin":
        fit = regress(gram, cross, known, ridge=ridge, bias=bias)
        return Readout(fit.outputs, fit.weights, fit.intercept)
    fits = [fit_margin(gram, cross, labels, bias=bias) for labels in known.reshape(len(known), -1).T]
    return Readout(
        outputs=np.stack([each.outputs for each in fits], axis=1).reshape(targets.shape),
        weights=np.stack([each.weights for each in fits], axis=1).reshape(known.shape),
        intercept=np.array([each.intercept for each in fits]).reshape(targets.shape[1:]),
    )


def _refuse_indefinite(gram: Float[np.ndarray, "seen seen"], similarity: Similarity) -> None:
    # A sum of indicator kernels with weights s_J ≥ 0 is positive semidefinite: most similarities end here.
    if inverted(similarity_table(similarity), isinstance(similarity, Mapping)).min() >= 0:
        return
    values = np.linalg.eigvalsh(gram)
    if values[0] < -16 * np.sqrt(len(gram)) * np.finfo(np.float64).eps * np.abs(values).max():
        raise InputError(
            f"the similarity is not positive semidefinite: its kernel on the {len(gram)} seen rows has the smallest "
            f"eigenvalue {values[0]:.6g}; eigenvalues must be at least 0, so raise kappa of larger overlaps "
            "(saliences of at least 0 always do)."
        )
