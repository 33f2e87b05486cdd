"""Weights of two kinds, those that matter and those that do not: where one ends, and a network without the latter."""

import warnings
from collections.abc import Callable

import numpy as np

from recombine.core.errors import InputError
from recombine.core.shapes import Float
from recombine.measures.layered import Layers

FEWEST = 4  # non-zero weights that two modes can be told from


def two_mode_threshold(weights: Float[np.ndarray, "..."]) -> float:
    """The size of weight that is as likely of the small as of the large kind.

    Two Gaussians are fitted to log10|w| of the weights that are not 0; the threshold is where, between their means,

        π_1 N(log10|w|; μ_1, σ_1) = π_2 N(log10|w|; μ_2, σ_2)

    or, where one of the two is likelier all the way, at the mean of the other. 0, which prunes nothing, when all are of
    one size or fewer than four are not 0. There is an answer also where one Gaussian would do.
    """
    if not np.isfinite(weights).all():
        raise InputError("weights hold values that are not finite; a network that diverged has nothing to prune.")
    present = np.abs(weights[weights != 0]).astype(np.float64)
    places = np.log10(present)
    if len(places) < FEWEST or np.ptp(places) == 0:
        return 0.0
    means, deviations, portions = _two_gaussians(places)

    def advantage(place: float) -> float:
        """How much likelier the lower mode is there, as a logarithm."""
        lower, upper = np.log(portions / deviations) - np.square((place - means) / deviations) / 2
        return float(lower - upper)

    return float(10.0 ** crossing(advantage, float(means[0]), float(means[1])))


def prune(weights: Layers) -> tuple[np.ndarray, ...]:
    """The same layers with 0 for every weight smaller than the `two_mode_threshold` of its own layer."""
    return tuple(np.where(np.abs(matrix) < two_mode_threshold(matrix), 0, matrix) for matrix in weights)


def _two_gaussians(
    places: Float[np.ndarray, " weights"],
) -> tuple[Float[np.ndarray, " 2"], Float[np.ndarray, " 2"], Float[np.ndarray, " 2"]]:
    """Means, in rising order, standard deviations and portions of the two."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.mixture import GaussianMixture

    with warnings.catch_warnings():
        # A fit that still creeps after a thousand rounds is as good as it gets.
        warnings.simplefilter("ignore", ConvergenceWarning)
        fitted = GaussianMixture(2, max_iter=1000, random_state=0).fit(places[:, None])
    order = np.argsort(fitted.means_[:, 0])
    return fitted.means_[order, 0], np.sqrt(fitted.covariances_[order, 0, 0]), fitted.weights_[order]


def crossing(advantage: Callable[[float], float], low: float, high: float) -> float:
    """Where the lower mode's advantage ends between the means; an end where it never begins, or never ends."""
    from scipy.optimize import brentq

    if advantage(low) <= 0:
        return low
    if advantage(high) >= 0:
        return high
    return float(brentq(advantage, low, high))
