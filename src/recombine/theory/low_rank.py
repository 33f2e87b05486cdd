"""What a network that learns features may make of a table of answers: its completion of least nuclear norm.

Gradient descent from small weights on a product of matrices leans towards completions of low rank (Gunasekar et al.
2017). Where such a completion is right and no sum over seen conjunctions is, networks that learn features may compose
what kernels cannot.
"""

import numpy as np

from recombine.core.shapes import Bool, Float

WEIGHT = 0.01  # of the nuclear norm beside half the squared error on what is seen, as a share of the largest it can be
STEPS = 300  # soft thresholds, which converge long before on tables of a few hundred entries
LARGEST = 128  # levels of a factor


def complete(
    answers: Float[np.ndarray, "rows columns"], seen: Bool[np.ndarray, "rows columns"]
) -> Float[np.ndarray, "rows columns"]:
    """The table that agrees with what is seen and has nearly the least nuclear norm, about the mean of what is seen.

        min over X   ½ Σ_seen (X − Y)² + w ‖X‖_*        by soft-impute (Mazumder, Hastie & Tibshirani 2010)

    w is `WEIGHT` of the spectral norm of the seen entries, above which X would be 0. Entries of ``answers`` that are
    not seen are not looked at.
    """
    middle = answers[seen].mean() if seen.any() else 0.0
    known = np.where(seen, answers - middle, 0.0)
    weight = WEIGHT * np.linalg.norm(known, 2)
    found = known
    for _ in range(STEPS):
        left, sizes, right = np.linalg.svd(np.where(seen, known, found), full_matrices=False)
        found = (left * np.maximum(sizes - weight, 0.0)) @ right
    return found + middle
