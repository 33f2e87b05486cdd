"""Is the answer to an unseen pair a sum of remembered pictures, those that share its x and those that share its y?

Asked of the interior of the held-out set where there is one (`Evidence.deep`): at its rim codes that overlap leak
from trained neighbours, and what is nearly remembered is nearly right.
"""

import numpy as np

from recombine.core.shapes import Bool, Float, Int
from recombine.measures.correlation import pearson
from recombine.measures.evidence import Evidence
from recombine.measures.registry import measures

MOST = 40  # held-out combinations that are decomposed; bounds the time on large grids


def sharers(evidence: Evidence, band: int = 0) -> Bool[np.ndarray, "held trained"]:
    """Which trained combinations have y or x within ``band`` levels of which held-out ones."""
    return np.any(evidence.apart(evidence.deep, "id") <= band, axis=0)


@measures.register("superposition_correlation")
def superposition_correlation(evidence: Evidence) -> float:
    """Correlation of held-out outputs with the sum of the outputs for trained combinations that share x or y.

        mean over held-out (y, x) of corr( Σ_{trained k: y_k = y or x_k = x} ink_k , ink_(y,x) )

    Over pixels, in ink. 1: the answer is that sum, up to brightness; 0: unrelated, or a constant picture.
    """
    return float(_with_memory(evidence).mean())


@measures.register("truth_correlation")
def truth_correlation(evidence: Evidence) -> float:
    """Correlation over pixels of held-out outputs with their targets: 1 the right picture, 0 unrelated or constant."""
    return float(_with_truth(evidence).mean())


@measures.register("superposition_index")
def superposition_index(evidence: Evidence) -> float:
    """Superposition correlation minus truth correlation; above 0 the answer looks more remembered than true.

    2: it is the sum of sharers and the opposite of the truth; −2: the other way round; about −1: it is the truth.
    """
    return float((_with_memory(evidence) - _with_truth(evidence)).mean())


@measures.register("sharer_weight")
def sharer_weight(evidence: Evidence) -> float:
    """Share of the non-negative weight, explaining held-out outputs by trained ones, that lies on sharers of x or y.

        w = argmin_{w ≥ 0} ‖ink_(y,x) − Σ_k w_k ink_k‖,   share = Σ_{k shares} w_k / Σ_k w_k

    Mean over at most 40 evenly spaced held-out combinations; no weight at all counts 0. 1: made of sharers only;
    compare with `sharer_chance`, which is what blind weights would give. Trained outputs that depend on each other
    linearly allow several w; this is one of them.
    """
    return _weight_on(evidence, band=0)


@measures.register("sharer_chance")
def sharer_chance(evidence: Evidence) -> float:
    """Share of trained combinations that share x or y with a held-out one: what `sharer_weight` is by chance.

    Mean over the same held-out combinations as `sharer_weight`. 0: no trained one shares; 1: all do.
    """
    return float(sharers(evidence)[chosen_held_out(evidence)].mean())


@measures.register("sharer_weight_band1")
def sharer_weight_band1(evidence: Evidence) -> float:
    """`sharer_weight` with levels one step apart counted as shared, for codes that overlap (bumps)."""
    return _weight_on(evidence, band=1)


@measures.register("sharer_chance_band1")
def sharer_chance_band1(evidence: Evidence) -> float:
    """`sharer_chance` with levels one step apart counted as shared: what `sharer_weight_band1` is by chance."""
    return float(sharers(evidence, band=1)[chosen_held_out(evidence)].mean())


@measures.register("superposition_energy")
def superposition_energy(evidence: Evidence) -> float:
    """Share of held-out outputs' energy that non-negative sums of trained outputs explain.

        1 − ‖ink − Σ_k w_k ink_k‖² / ‖ink‖²,   w as in `sharer_weight`, mean over the same combinations

    1: nothing but remembered pictures; 0: nothing of them, or nothing was drawn.
    """
    _, explained = decompose_held_out(evidence)
    return float(explained.mean())


def _with_memory(evidence: Evidence) -> Float[np.ndarray, " held"]:
    return pearson(sharers(evidence).astype(np.float64) @ evidence.ink("id"), evidence.ink(evidence.deep))


def _with_truth(evidence: Evidence) -> Float[np.ndarray, " held"]:
    return pearson(evidence.target_ink(evidence.deep), evidence.ink(evidence.deep))


def share_on(
    weights: Float[np.ndarray, "pictures remembered"], counted: Bool[np.ndarray, "pictures remembered"]
) -> Float[np.ndarray, " pictures"]:
    """Share of each picture's weight that lies on the counted remembered ones; 0 where there is no weight at all."""
    total = weights.sum(axis=1)
    return np.divide((weights * counted).sum(axis=1), total, out=np.zeros_like(total), where=total > 0)


def decompose(
    drawn: Float[np.ndarray, "pictures pixels"], remembered: Float[np.ndarray, "remembered pixels"]
) -> tuple[Float[np.ndarray, "pictures remembered"], Float[np.ndarray, " pictures"]]:
    """Non-negative weights that make up each drawn picture from remembered ones, and the share of its energy explained.

        w = argmin_{w ≥ 0} ‖ink − Σ_k w_k ink_k‖,   energy = 1 − ‖ink − Σ_k w_k ink_k‖² / ‖ink‖²

    Energy 1: the picture is such a sum; 0: nothing of it is, or nothing was drawn. Remembered pictures that depend on
    each other linearly allow several w; this is one of them.
    """
    from scipy.optimize import nnls

    if not len(remembered):
        return np.zeros((len(drawn), 0)), np.zeros(len(drawn))
    # ‖A w − b‖² = ‖R w − Qᵀ b‖² + constant: the same weights, on fewer rows when there are more pixels than pictures.
    basis, triangle = np.linalg.qr(remembered.T)
    weights = np.stack([nnls(triangle, target)[0] for target in drawn @ basis])
    energy = np.square(drawn).sum(axis=1)
    left = np.square(drawn - weights @ remembered).sum(axis=1)
    share = np.divide(left, energy, out=np.ones_like(energy), where=energy > 0)
    return weights, np.clip(1.0 - share, 0.0, 1.0)


def decompose_held_out(
    evidence: Evidence,
) -> tuple[Float[np.ndarray, "chosen trained"], Float[np.ndarray, " chosen"]]:
    """`decompose` of at most 40 evenly spaced held-out outputs into the trained ones: weights, and energy explained."""
    return decompose(evidence.ink(evidence.deep)[chosen_held_out(evidence)], evidence.ink("id"))


def chosen_held_out(evidence: Evidence) -> Int[np.ndarray, " chosen"]:
    """At most `MOST` held-out combinations, evenly spaced in grid order, first and last included."""
    held = int(evidence.section(evidence.deep).sum())
    return np.linspace(0, held - 1, min(held, MOST)).round().astype(int)


def _weight_on(evidence: Evidence, band: int) -> float:
    weights, _ = decompose_held_out(evidence)
    return float(share_on(weights, sharers(evidence, band)[chosen_held_out(evidence)]).mean())
