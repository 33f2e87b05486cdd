"""How much room a layer gives to each combination, and whether the held-out ones stand out."""

import numpy as np

from recombine.core.errors import InputError
from recombine.core.shapes import Bool, Float, Real
from recombine.measures.correlation import rank_correlation
from recombine.measures.evidence import Evidence
from recombine.measures.metric_tensor import pullback_metric
from recombine.measures.registry import measures, rotation_invariant


def volume_map(activations: Real[np.ndarray, "y x features"], periodic: bool = False) -> Float[np.ndarray, "y x"]:
    """log10 of the area that a unit square of the grid takes up in activation space, at every combination.

        dv = sqrt(|g11 g22 − g12²|),   map = log10(dv + 10⁻¹²)

    0: area is kept; no upper end; −12: nothing moves. Where x and y move the activations along one line, what is
    left is the rounding of g11 g22 − g12², about 8 digits below dv. Scaling the activations by s adds 2 log10 s
    everywhere, so only the pattern within a layer means something.
    """
    g11, g22, g12 = pullback_metric(activations, periodic)
    return np.log10(np.sqrt(np.abs(g11 * g22 - np.square(g12))) + 1e-12)


rotation_invariant.register("volume_map")(volume_map)


@measures.register("volume_contrast")
def volume_contrast(evidence: Evidence) -> dict[str, float]:
    """How much the held-out region stands out in the volume map, by layer.

        D = mean log10 dv over held-out − mean log10 dv over trained combinations

    Without the outermost cells of the grid, where differences are one-sided (a ring has none). 0: the map is flat,
    as it is for true pictures; −1: held-out combinations have a tenth of the room; above 0: they have more room.
    Scaling the activations changes nothing.
    """
    return {name: _contrast(evidence, name) for name in evidence.every_layer()}


@measures.register("volume_contrast_max")
def volume_contrast_max(evidence: Evidence) -> float:
    """Largest size of the volume contrast |D| over hidden layers and output; 0 when the map is flat in all of them."""
    return max(_sizes(evidence))


@measures.register("volume_contrast_deepest")
def volume_contrast_deepest(evidence: Evidence) -> float:
    """Size of the volume contrast |D| in the last hidden layer; 0 when the held-out region does not stand out."""
    return abs(_contrast(evidence, evidence.hidden_layers(at_least=1)[-1]))


@measures.register("volume_contrast_trend")
def volume_contrast_trend(evidence: Evidence) -> float:
    """Rank correlation of the size of the volume contrast |D| with depth, over hidden layers and output.

    1: the held-out region stands out more with every layer; −1: less with every layer. Needs three layers after the
    input, output included.
    """
    evidence.hidden_layers(at_least=2)
    sizes = np.array(_sizes(evidence))
    return rank_correlation(np.arange(len(sizes), dtype=np.float64), sizes)


def _sizes(evidence: Evidence) -> list[float]:
    """|D| of every hidden layer and the output, in order."""
    return [abs(_contrast(evidence, name)) for name in (*evidence.hidden_layers(), "output")]


def _contrast(evidence: Evidence, layer: str) -> float:
    held, trained = _inside(evidence, "ood"), _inside(evidence, "id")
    volumes = volume_map(evidence.on_grid(layer), evidence.periodic)
    return float(volumes[held].mean() - volumes[trained].mean())


def _inside(evidence: Evidence, section: str) -> Bool[np.ndarray, "y x"]:
    """A section as a map, without the outermost cells of a grid that is not a ring."""
    members = evidence.section(section).reshape(evidence.shape).copy()
    if not evidence.periodic:
        members[[0, -1], :] = members[:, [0, -1]] = False
    if not members.any():
        raise InputError(
            f"volume contrast is undefined: section {section!r} has no combination off the border of the "
            f"{evidence.shape} grid; use a larger grid or another split."
        )
    return members
