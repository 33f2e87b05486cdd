"""The maximum-margin classifier of a kernel, solved exactly."""

import numpy as np

from recombine.core.errors import InputError
from recombine.core.shapes import Float, Real

# The kernel is scaled to at most 1. A bias is a feature of this size: it then costs b² / HEAVY², next to nothing.
HEAVY = 1e4


def max_margin(
    gram_seen: Real[np.ndarray, "seen seen"],
    cross: Real[np.ndarray, "asked seen"],
    labels: Real[np.ndarray, " seen"],
    bias: bool = False,
) -> Float[np.ndarray, " asked"]:
    """Decision values of the classifier with the widest margin (a support vector machine with C = ∞).

        minimise ‖w‖²  subject to  y_i (w·φ(z_i) + b) ≥ 1  for all seen i;   b = 0 without a bias

    Values ≥ 1 in size are at least as sure as the nearest training example; the sign is the class. Solved as a
    least-distance problem by non-negative least squares (Lawson & Hanson 1974, ch. 23), which takes no cost
    parameter and finds out whether the labels can be separated at all.
    """
    from scipy.optimize import nnls

    signs = np.asarray(labels, dtype=np.float64)
    odd = signs[~np.isin(signs, (-1.0, 1.0))]
    if len(odd):
        raise InputError(f"max-margin label {odd[0]:g} must be -1 or +1; code the two classes that way.")
    gram = np.asarray(gram_seen, dtype=np.float64)
    scale = np.abs(gram).max() or 1.0
    values, vectors = np.linalg.eigh((gram + gram.T) / (2 * scale))
    floor = 16 * np.sqrt(len(gram)) * np.finfo(np.float64).eps * np.abs(values).max()
    if values.min() < -floor:
        raise InputError(
            f"the kernel has the negative eigenvalue {values.min() * scale:.3g} on the seen items; max-margin needs "
            "a positive semidefinite kernel, so change the similarity or use solver='min-norm'."
        )
    kept = values > floor
    features = vectors[:, kept] * np.sqrt(values[kept])
    if bias:
        features = np.column_stack([features, np.full(len(signs), HEAVY)])
    constraints = np.vstack([(signs[:, None] * features).T, np.ones(len(signs))])
    goal = np.zeros(len(constraints))
    goal[-1] = 1.0
    dual, distance = nnls(constraints, goal, maxiter=30 * len(signs))
    # distance² = 1 / (1 + ‖w‖²): zero means that no w, however long, satisfies the constraints.
    if distance < 1e-7:
        raise InputError(
            f"the {len(signs)} seen labels cannot be separated by this kernel, so there is no maximum margin; "
            "give conjunctions more similarity or use solver='min-norm'."
        )
    weights = signs * dual / distance**2
    offset = 0.0
    if bias:
        support = dual > 0
        offset = float((signs - gram @ weights / scale)[support].mean())
    return np.asarray(cross, dtype=np.float64) @ weights / scale + offset
