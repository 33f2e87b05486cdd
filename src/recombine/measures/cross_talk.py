"""How much of one module reaches the outputs of another: along the weights, and in how far the answers react."""

import numpy as np

from recombine.core.errors import InputError
from recombine.core.shapes import Float
from recombine.measures.layered import Labels, Layers, forward_shares, living, scaled, sizes
from recombine.measures.module_evidence import ModuleEvidence
from recombine.measures.registry import measures


def path_cross_talk(weights: Layers, modules_in: Labels, modules_out: Labels) -> float:
    """Share of the path mass from inputs to outputs that leads from one module to another.

        X = Σ_kj P_kj [k and j are of different modules] / Σ_kj P_kj,   P = |W_L| ... |W_1|

    With one input and one output per module this is 1 − tr(P)/ΣP. 0: modules are apart; (K − 1)/K: K equal modules, all
    mixed; 1: every path leaves its module.
    """
    first, *deeper = sizes(weights, len(modules_in), len(modules_out))
    paths = scaled(first)
    for matrix in deeper:
        paths = scaled(scaled(matrix) @ paths)
    if not paths.any():
        raise InputError(
            "cross-talk is undefined: no path leads from an input to an output; check that it was trained."
        )
    return _between(paths, modules_in, modules_out)


def unit_selectivity(weights: Layers, modules_in: Labels) -> tuple[float, ...]:
    """Largest share of one module in the path mass that reaches a unit, averaged over living units, by hidden layer.

    1: each unit hears one module; 1/K: every unit hears all alike.
    """
    return tuple(
        _mean_of_largest(shares[alive], place)
        for place, (shares, alive) in enumerate(zip(forward_shares(weights, modules_in), living(weights), strict=True))
    )


@measures.register("cross_talk")
def cross_talk(evidence: ModuleEvidence) -> float:
    """Share of path mass |W_L|...|W_1| that leads from one module to another: 0 apart, (K − 1)/K all mixed."""
    evidence.need_modules()
    return path_cross_talk(evidence.need_weights(), evidence.modules_in, evidence.modules_out)


@measures.register("path_modularity")
def path_modularity(evidence: ModuleEvidence) -> float:
    """Cross-talk X on a scale from mixed to modular, 1 − X·K/(K − 1): 1 modules are apart, 0 all mixed."""
    parts = evidence.parts
    return 1.0 - cross_talk(evidence) * parts / (parts - 1)


@measures.register("unit_selectivity")
def selectivity_by_layer(evidence: ModuleEvidence) -> dict[str, float]:
    """Mean over living units of the largest share of one module in what reaches them: 1 one module, 1/K all alike."""
    evidence.need_modules()
    found = unit_selectivity(evidence.need_weights(), evidence.modules_in)
    return {f"layer{place}": share for place, share in enumerate(found)}


@measures.register("jacobian_cross_talk")
def jacobian_cross_talk(evidence: ModuleEvidence) -> float:
    """Share of the outputs' mean |∂y_k/∂x_j| that is to inputs of other modules: 0 none, (K − 1)/K all alike."""
    evidence.need_modules()
    sensitivity = evidence.probe("sensitivity").astype(np.float64)
    if not sensitivity.any():
        raise InputError("jacobian_cross_talk is undefined: no output reacts to any input; check that it was trained.")
    return _between(sensitivity, evidence.modules_in, evidence.modules_out)


def _between(mass: Float[np.ndarray, "outputs inputs"], modules_in: Labels, modules_out: Labels) -> float:
    # The sum of what is outside, not 1 minus that inside: a masked network then has exactly 0.
    outside = np.asarray(modules_out)[:, None] != np.asarray(modules_in)
    return float((mass * outside).sum() / mass.sum())


def _mean_of_largest(shares: Float[np.ndarray, "_units _modules"], place: int) -> float:
    if not len(shares):
        raise InputError(
            f"unit_selectivity is undefined: no unit of layer{place} lives; use a network that passes something on."
        )
    return float(shares.max(axis=1).mean())
