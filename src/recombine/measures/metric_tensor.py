"""How a layer moves when a factor moves: the metric it pulls back onto the grid, and whether the factors stay apart."""

from typing import NamedTuple

import numpy as np

from recombine.core.errors import InputError
from recombine.core.shapes import Float, Real
from recombine.measures.evidence import Evidence
from recombine.measures.registry import measures, rotation_invariant

BLOCK = 4096  # features taken at a time; bounds the memory of wide layers


class MetricTensor(NamedTuple):
    """The metric that activations A pull back onto the grid, at every combination [row = y, column = x].

    g11 = ‖∂x A‖², g22 = ‖∂y A‖², g12 = ⟨∂x A, ∂y A⟩
    """

    g11: Float[np.ndarray, "y x"]
    g22: Float[np.ndarray, "y x"]
    g12: Float[np.ndarray, "y x"]


def pullback_metric(activations: Real[np.ndarray, "y x features"], periodic: bool = False) -> MetricTensor:
    """The metric tensor by central differences on a grid of unit steps, as `numpy.gradient` takes them.

    Differences are one-sided at the border, unless the grid is ``periodic`` and has none.
    """
    if min(activations.shape[:2]) < 2:
        raise InputError(
            f"a metric tensor needs at least 2 levels of y and of x, got {activations.shape[:2]}; use a larger grid."
        )
    if not np.isfinite(activations).all():
        raise InputError("a metric tensor of activations that are not all finite means nothing; check the layer.")
    g11, g22, g12 = np.zeros((3, *activations.shape[:2]))
    for start in range(0, activations.shape[2], BLOCK):
        # float64 before anything is added up: wide layers sum thousands of small squares.
        block = activations[:, :, start : start + BLOCK].astype(np.float64)
        along_y, along_x = _slopes(block, 0, periodic), _slopes(block, 1, periodic)
        g11 += np.einsum("yxf,yxf->yx", along_x, along_x)
        g22 += np.einsum("yxf,yxf->yx", along_y, along_y)
        g12 += np.einsum("yxf,yxf->yx", along_x, along_y)
    return MetricTensor(g11, g22, g12)


def factorisation_score(activations: Real[np.ndarray, "y x features"], periodic: bool = False) -> float:
    """Do x and y move the activations in orthogonal directions?

        F = 1 − mean |g12| / (mean (g11 + g22) + 10⁻⁹),   means over the grid

    1: orthogonal everywhere, and also when nothing moves at all; 1/2: x and y move the activations along the same
    line by the same amount (|g12| ≤ (g11 + g22)/2, so it cannot be lower). Scaling the activations changes nothing
    as long as they move by far more than 10⁻⁹.
    """
    g11, g22, g12 = pullback_metric(activations, periodic)
    # max: rounding may end a hair below the bound.
    return max(0.5, float(1.0 - np.abs(g12).mean() / ((g11 + g22).mean() + 1e-9)))


rotation_invariant.register("factorisation_score")(factorisation_score)


@measures.register("factorisation")
def factorisation(evidence: Evidence) -> dict[str, float]:
    """Factorisation score by layer: 1 when x and y move the layer in orthogonal directions, 1/2 when in the same."""
    return {name: _score(evidence, name) for name in evidence.every_layer()}


@measures.register("factorisation_input")
def factorisation_input(evidence: Evidence) -> float:
    """Factorisation score of the input code; exactly 1 when x and y have features of their own."""
    return _score(evidence, "input")


@measures.register("factorisation_fall")
def factorisation_fall(evidence: Evidence) -> float:
    """Factorisation score of the input minus that of the last hidden layer.

    0: depth keeps x and y apart; 1/2: from fully apart to fully mixed; below 0: depth takes them apart.
    """
    last = evidence.hidden_layers(at_least=1)[-1]
    return _score(evidence, "input") - _score(evidence, last)


@measures.register("factorisation_trend")
def factorisation_trend(evidence: Evidence) -> float:
    """Least-squares slope of the factorisation score per hidden layer; below 0 when it falls with depth.

    In [−1/2, 1/2]; needs at least two hidden layers.
    """
    scores = np.array([_score(evidence, name) for name in evidence.hidden_layers(at_least=2)])
    depth = np.arange(len(scores)) - (len(scores) - 1) / 2
    return float(depth @ scores / (depth @ depth))


def _score(evidence: Evidence, layer: str) -> float:
    return factorisation_score(evidence.on_grid(layer), evidence.periodic)


def _slopes(block: Float[np.ndarray, "y x features"], axis: int, periodic: bool) -> Float[np.ndarray, "y x features"]:
    if periodic:
        return (np.roll(block, -1, axis) - np.roll(block, 1, axis)) / 2
    return np.gradient(block, axis=axis)
