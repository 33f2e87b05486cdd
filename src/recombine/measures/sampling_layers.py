"""How a diffusion model's inside differs between places of the network and between steps of noise."""

import numpy as np

from recombine.core.errors import InputError
from recombine.core.shapes import Float
from recombine.measures.evidence import Evidence
from recombine.measures.gram import gram
from recombine.measures.registry import measures

NOISED = "noised-"  # beginning of the names of layers that were shown noisy pictures


@measures.register("bottleneck_share")
def bottleneck_share(evidence: Evidence) -> float:
    """Variance of a unit of the bottleneck over that of a unit of the probe, over combinations: 1 as much.

    mean_i var(b_i) / mean_i var(p_i)
    """
    bottleneck, probe = (_layer(evidence, name) for name in ("bottleneck", "probe"))
    if _dead(probe):
        raise InputError("bottleneck_share is undefined: the probe does not vary; check that it is not dead.")
    return float(bottleneck.var(axis=0).mean() / probe.var(axis=0).mean())


@measures.register("step_similarity")
def step_similarity(evidence: Evidence) -> dict[str, float]:
    """How alike the probe holds combinations at a noisy step and at the last one, by step: 1 the same up to rotation.

    ⟨K, L⟩ / (‖K‖ ‖L‖),   K and L the centred Gram matrices of the two (Kornblith et al. 2019, linear)
    """
    noisy = [name for name in evidence.every_layer() if name.startswith(NOISED)]
    if not noisy:
        raise InputError("step_similarity is undefined: no layer was shown noisy pictures; use a diffusion model.")
    last = _centred(_layer(evidence, "true"))
    return {name.removeprefix(NOISED): float((last * _centred(_layer(evidence, name))).sum()) for name in noisy}


def _layer(evidence: Evidence, name: str) -> Float[np.ndarray, "items features"]:
    layers = evidence.every_layer()
    if name not in layers:
        raise InputError(f"there is no layer {name!r} in this evidence; only diffusion models have one.")
    return layers[name].astype(np.float64)


def _centred(rows: Float[np.ndarray, "items features"]) -> Float[np.ndarray, "items items"]:
    """The Gram matrix of centred rows, of length 1."""
    if _dead(rows):
        raise InputError("step_similarity is undefined: a layer does not vary; check that it is not dead.")
    products = gram(rows, rows.mean(axis=0))
    return products / np.linalg.norm(products)


def _dead(rows: Float[np.ndarray, "items features"]) -> bool:
    # ptp, not the variance: the mean of equal floats can round away from them.
    return not np.ptp(rows, axis=0).any()
