"""Which trained outputs does a held-out output overlap: those that share a level, or those that lie near?

Asked of the interior of the held-out set where there is one (`Evidence.deep`): at its rim a held-out picture is near
trained ones, and any answer overlaps them.
"""

import numpy as np

from recombine.core.shapes import Float
from recombine.measures.correlation import pearson
from recombine.measures.evidence import Evidence
from recombine.measures.registry import measures

LENGTH = 2.0  # of the radial kernel, in levels


def similarity_matrix(evidence: Evidence) -> Float[np.ndarray, "trained held"]:
    """Overlap of the outputs for trained and held-out combinations, without a threshold.

        M_ij = Σ_p clip(ink_ip, 0, 1) · clip(ink_jp, 0, 1)

    0: no pixel in common; the most is the number of pixels, when both pictures are all ink.
    """
    trained, held = (evidence.ink(section).clip(0, 1) for section in ("id", evidence.deep))
    return trained @ held.T


def factorised_kernel(evidence: Evidence, band: int = 0) -> Float[np.ndarray, "trained held"]:
    """1 where a trained and a held-out combination have x or y within ``band`` levels of each other, else 0."""
    in_y, in_x = evidence.apart("id", evidence.deep) <= band
    return (in_y | in_x).astype(np.float64)


def radial_kernel(evidence: Evidence, length: float = LENGTH) -> Float[np.ndarray, "trained held"]:
    """exp(−d²/(2 length²)), d the distance in levels between a trained and a held-out combination."""
    in_y, in_x = evidence.apart("id", evidence.deep)
    return np.exp(-(in_y**2 + in_x**2) / (2 * length**2))


@measures.register("similarity_factorised")
def similarity_factorised(evidence: Evidence) -> float:
    """Correlation of the trained-by-held-out overlap of outputs with "shares x or y".

    1: outputs overlap exactly when a level is shared; 0: unrelated, or the overlap is the same everywhere; −1: they
    overlap exactly when none is.
    """
    return _agreement(evidence, factorised_kernel(evidence))


@measures.register("similarity_radial")
def similarity_radial(evidence: Evidence) -> float:
    """Correlation of the trained-by-held-out overlap of outputs with nearness (Gaussian of length 2 levels).

    1: outputs overlap as much as their combinations are near; 0: unrelated, or the same everywhere.
    """
    return _agreement(evidence, radial_kernel(evidence))


@measures.register("similarity_advantage")
def similarity_advantage(evidence: Evidence) -> float:
    """Factorised minus radial similarity; above 0 the outputs overlap along shared levels rather than nearby.

    In [−2, 2].
    """
    return similarity_factorised(evidence) - similarity_radial(evidence)


@measures.register("similarity_factorised_band1")
def similarity_factorised_band1(evidence: Evidence) -> float:
    """Factorised similarity with levels one step apart counted as shared, for codes that overlap (bumps)."""
    return _agreement(evidence, factorised_kernel(evidence, band=1))


@measures.register("similarity_advantage_band1")
def similarity_advantage_band1(evidence: Evidence) -> float:
    """Factorised (one step apart counts as shared) minus radial similarity; in [−2, 2]."""
    return similarity_factorised_band1(evidence) - similarity_radial(evidence)


def _agreement(evidence: Evidence, kernel: Float[np.ndarray, "trained held"]) -> float:
    return float(pearson(similarity_matrix(evidence).reshape(1, -1), kernel.reshape(1, -1))[0])
