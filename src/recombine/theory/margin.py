"""The maximum-margin classifier of a kernel, solved exactly."""

from dataclasses import dataclass

import numpy as np

from recombine.core.errors import InputError
from recombine.core.shapes import Float, Real

# The kernel is scaled to at most 1. A bias is a feature of this size: it then costs b² / HEAVY², next to nothing. Where
# rounding spoils the answer (on some processors, for kernels of low rank), a smaller one is tried.
HEAVY = (1e4, 1e3, 1e2)
SPOILT = 1e-6  # a seen label that is missed by more than this, of a margin of 1


# Non-negative least squares usually ends after about as many steps as there are examples; it stops here at the latest.
STEPS_PER_EXAMPLE = 30


@dataclass(frozen=True)
class MarginFit:
    """A fitted classifier, f(z) = Σ_i weights_i k(z, z_i) + intercept, and what it says."""

    outputs: Float[np.ndarray, " asked"]  # decision values at the rows of `cross`
    weights: Float[np.ndarray, " seen"]  # the dual coefficients: the sign of the label, or 0 beyond the margin
    intercept: float  # zero without a bias
    margin: float  # 1 / ‖w‖, the distance of the nearest example to the boundary; infinite if the bias does it all


def max_margin(
    gram_seen: Real[np.ndarray, "seen seen"],
    cross: Real[np.ndarray, "asked seen"],
    labels: Real[np.ndarray, " seen"],
    bias: bool = False,
) -> Float[np.ndarray, " asked"]:
    """Decision values of the classifier with the widest margin (a support vector machine with C = ∞).

        minimise ‖w‖²  subject to  y_i (w·φ(z_i) + b) ≥ 1  for all seen i;   b = 0 without a bias

    Values ≥ 1 in size are at least as sure as the nearest training example; the sign is the class.
    """
    return fit_margin(gram_seen, cross, labels, bias=bias).outputs


def fit_margin(
    gram_seen: Real[np.ndarray, "seen seen"],
    cross: Real[np.ndarray, "asked seen"],
    labels: Real[np.ndarray, " seen"],
    bias: bool = False,
) -> MarginFit:
    """The classifier of `max_margin` with its dual coefficients.

    Solved as a least-distance problem by non-negative least squares (Lawson & Hanson 1974, ch. 23), which takes no
    cost parameter and finds out whether the labels can be separated at all.
    """
    signs = np.asarray(labels, dtype=np.float64)
    odd = signs[~np.isin(signs, (-1.0, 1.0))]
    if len(odd):
        raise InputError(f"max-margin label {odd[0]:g} must be -1 or +1; code the two classes that way.")
    gram = np.asarray(gram_seen, dtype=np.float64)
    scale = np.abs(gram).max() or 1.0
    features = _features((gram + gram.T) / (2 * scale), scale)
    for heavy in HEAVY if bias else (0.0,):
        dual, distance = _least_distance(signs[:, None] * np.column_stack([features, np.full(len(signs), heavy)]))
        # distance² = 1 / (1 + ‖w‖²): zero means that no w, however long, satisfies the constraints.
        if distance < 1e-7:
            raise InputError(
                f"the {len(signs)} seen labels cannot be separated by this kernel, so there is no maximum margin; "
                "give conjunctions more similarity or use solver='min-norm'."
            )
        weights = signs * dual / (distance**2 * scale)
        pull = gram @ weights
        intercept = float((signs - pull)[dual > 0].mean()) if bias else 0.0
        if (signs * (pull + intercept)).min() > 1 - SPOILT:
            break
    length = np.sqrt(max(float(weights @ pull), 0.0))
    return MarginFit(
        outputs=np.asarray(cross, dtype=np.float64) @ weights + intercept,
        weights=weights,
        intercept=intercept,
        margin=float(1 / length) if length > 0 else np.inf,
    )


def _features(gram: Float[np.ndarray, "n n"], scale: float) -> Float[np.ndarray, "n rank"]:
    """Rows whose inner products are the kernel, from its eigenvectors."""
    values, vectors = np.linalg.eigh(gram)
    floor = 16 * np.sqrt(len(gram)) * np.finfo(np.float64).eps * np.abs(values).max()
    if values.min() < -floor:
        raise InputError(
            f"the kernel has the negative eigenvalue {values.min() * scale:.3g} on the seen items; max-margin needs "
            "a positive semidefinite kernel, so change the similarity."
        )
    kept = values > floor
    return vectors[:, kept] * np.sqrt(values[kept])


def _least_distance(rows: Float[np.ndarray, "n features"]) -> tuple[Float[np.ndarray, " n"], float]:
    """The dual of: minimise ‖w‖² with rows · w ≥ 1, as min ‖Gᵀd − e‖ over d ≥ 0; and that distance."""
    from scipy.optimize import nnls

    constraints = np.vstack([rows.T, np.ones(len(rows))])
    goal = np.zeros(len(constraints))
    goal[-1] = 1.0
    cap = max(int(STEPS_PER_EXAMPLE * len(rows)), 1)
    try:
        dual, distance = nnls(constraints, goal, maxiter=cap)
    except RuntimeError as stopped:
        raise InputError(
            f"max-margin stopped at its cap of {cap} steps without an answer for {len(rows)} seen labels; they are "
            "hardly separable by this kernel, so give conjunctions more similarity or use solver='min-norm'."
        ) from stopped
    return dual, float(distance)
