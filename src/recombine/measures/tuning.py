"""What single units answer to: one factor, both, or their conjunction; and whether channels draw stripes."""

import numpy as np

from recombine.core.errors import InputError
from recombine.core.shapes import Float
from recombine.measures.evidence import Evidence
from recombine.measures.registry import measures


def main_effects(maps: Float[np.ndarray, "units rows columns"]) -> Float[np.ndarray, "2 units"]:
    """The variance of each map that its rows alone explain, and that its columns alone explain, over the sum of all.

        rows_u = Var_r mean_c A_u[r, c] / Σ_u Var A_u,   columns_u alike

    They add up to at most 1, and to 1 when every map is a function of the row plus a function of the column. A lone
    peak in n × n has 2/(n + 1). Maps that are constant carry no weight; when all are, this is undefined.
    """
    total = maps.var(axis=(1, 2), dtype=np.float64).sum()
    if not np.ptp(maps, axis=(1, 2)).any():  # the variance of equal numbers can round away from 0
        raise InputError("no unit of this layer answers differently to anything, so nothing can be said of its tuning.")
    by_row = maps.mean(axis=2, dtype=np.float64).var(axis=1)
    by_column = maps.mean(axis=1, dtype=np.float64).var(axis=1)
    return np.stack([by_row, by_column]) / total


def unit_maps(evidence: Evidence, layer: str) -> Float[np.ndarray, "units y x"]:
    """The activation of every unit of a layer over the plane of the two factors."""
    return np.moveaxis(evidence.on_grid(layer), -1, 0)


def layers_of_interest(evidence: Evidence) -> tuple[str, str]:
    """The first hidden layer and the fourth, or the last where there are fewer."""
    hidden = evidence.hidden_layers(at_least=1)
    return hidden[0], hidden[min(3, len(hidden) - 1)]


@measures.register("tuning_one_factor")
def tuning_one_factor(evidence: Evidence) -> dict[str, float]:
    """Share of the variance of a layer's units over the plane that x alone or y alone explains, by hidden layer.

    For each unit the better of the two. 1: every unit is tuned to one factor and blind to the other; 1/2: to the sum
    of both alike; lower: to conjunctions.
    """
    return {name: float(effects.max(axis=0).sum()) for name, effects in _effects(evidence).items()}


@measures.register("tuning_additive")
def tuning_additive(evidence: Evidence) -> dict[str, float]:
    """Share of the variance of a layer's units over the plane that their two tuning curves explain, by hidden layer.

    1: every unit answers with a function of x plus a function of y, so its two curves say all there is; low: units
    answer to conjunctions of x and y.
    """
    return {name: float(effects.sum()) for name, effects in _effects(evidence).items()}


@measures.register("stripe_channels")
def stripe_channels(evidence: Evidence) -> float:
    """Share of the spatial variance of the first hidden layer's channels that is drawn in stripes along an axis.

    Rows alone plus columns alone, over all channels and the answers to combinations deep in the held-out region. 1:
    every channel draws a stripe or a cross of two; a lone point in n × n has 2/(n + 1).
    """
    name = evidence.hidden_layers(at_least=1)[0]
    if name not in evidence.channels:
        raise InputError(f"layer {name!r} is no picture, so it has no channels; use a convolutional model.")
    rows = evidence.layers[name][evidence.section(evidence.deep)]
    return float(main_effects(rows.reshape(-1, *evidence.channels[name][1:])).sum())


def _effects(evidence: Evidence) -> dict[str, Float[np.ndarray, "2 units"]]:
    hidden = evidence.hidden_layers(at_least=1)
    return {name: main_effects(unit_maps(evidence, name)) for name in hidden}
