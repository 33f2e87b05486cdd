"""Minimum-norm regression with an overlap kernel on many combinations, without ever writing the kernel down.

By Moebius inversion the kernel is a sum over conjunctions J of indicators, K = Σ_J s_J G_J G_Jᵀ, with G_J the groups of
rows that share z_J. A product with it costs 2^C passes over the rows, so conjugate gradients solve ten thousand
combinations of five components in about a second, where a factorisation would take minutes and gigabytes.
"""

from collections.abc import Mapping

import numpy as np

from recombine.core.errors import InputError
from recombine.core.shapes import Bool, Float, Integer
from recombine.theory.conjunctions import conjunction_groups
from recombine.theory.kernels import Readout
from recombine.theory.salience import Similarity, inverted, similarity_table

TOLERANCE = 1e-11  # of the residual, relative to the targets
MOST_STEPS = 20_000


class OverlapOperator:
    """The kernel of every row with the seen rows, as a product."""

    def __init__(
        self,
        combinations: Integer[np.ndarray, "items components"],
        seen: Bool[np.ndarray, " items"],
        similarity: Similarity,
    ) -> None:
        count = combinations.shape[1]
        by_flags = isinstance(similarity, Mapping)
        self.parts = inverted(similarity_table(similarity, count), by_flags)
        if self.parts.min() < 0:
            raise InputError(
                f"the similarity has the negative salience {self.parts.min():.3g}, so its kernel may have negative "
                "eigenvalues; with this many combinations all saliences must be at least 0, so change the similarity."
            )
        if self.parts[-1] == 0:
            raise InputError(
                "the similarity gives whole combinations no salience of their own, so the training set may not be "
                "fitted; with this many combinations kappa(C) must be raised a little."
            )
        self.seen = seen
        self.groups = [
            (self.parts[sum(1 << (count - 1 - c) for c in members) if by_flags else len(members)], groups, number)
            for members, groups, number in conjunction_groups(combinations)
        ]

    def everywhere(self, weights: Float[np.ndarray, " seen"]) -> Float[np.ndarray, " items"]:
        """Σ_i weights_i K(z, z_i) at every row z."""
        found = np.full(len(self.seen), self.parts[0] * weights.sum())
        for part, groups, number in self.groups:
            found += part * np.bincount(groups[self.seen], weights, minlength=number)[groups]
        return found

    def solve(self, targets: Float[np.ndarray, " seen"]) -> Float[np.ndarray, " seen"]:
        """Weights with which the seen rows get ``targets``, by conjugate gradients."""
        weights = np.zeros_like(targets)
        residual = targets.copy()
        direction = residual.copy()
        power = residual @ residual
        goal = TOLERANCE**2 * power
        for _ in range(MOST_STEPS):
            if power <= goal:
                return weights
            pushed = self.everywhere(direction)[self.seen]
            step = power / (direction @ pushed)
            weights += step * direction
            residual -= step * pushed
            before, power = power, residual @ residual
            direction = residual + power / before * direction
        raise InputError(
            f"kernel regression on {len(targets)} combinations did not settle in {MOST_STEPS} steps; its similarity "
            "leaves whole combinations too little salience of their own, so raise kappa(C)."
        )


def overlap_regression(
    combinations: Integer[np.ndarray, "items components"],
    targets: Float[np.ndarray, " items"],
    seen: Bool[np.ndarray, " items"],
    similarity: Similarity,
    bias: bool = False,
) -> Readout:
    """The same answer as `kernels.readout` with the solver min-norm, for any number of rows, each seen one different.

    With a bias b: K a + b 1 = y and 1ᵀa = 0, so a = u − b v for K u = y, K v = 1 and b = 1ᵀu / 1ᵀv.
    """
    kernel = OverlapOperator(combinations, seen, similarity)
    known = np.asarray(targets[seen], dtype=np.float64)
    weights, intercept = kernel.solve(known), 0.0
    if bias:
        ones = kernel.solve(np.ones_like(known))
        intercept = float(weights.sum() / ones.sum())
        weights = weights - intercept * ones
    return Readout(kernel.everywhere(weights) + intercept, weights, np.asarray(intercept))
