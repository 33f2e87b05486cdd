"""What single units answer to: one factor, both, or their conjunction; and whether channels draw stripes."""

import numpy as np

from recombine.core.errors import InputError
from recombine.core.shapes import Float
from recombine.measures.evidence import Evidence
from recombine.measures.registry import measures


def one_factor_share(maps: Float[np.ndarray, "units rows columns"]) -> float:
    """Share of the units' variance that one axis alone explains, the better of the two for each unit.

        share = Σ_u max(Var_rows mean_columns A_u, Var_columns mean_rows A_u) / Σ_u Var A_u

    1: every map is constant along one axis, a stripe; a lone peak in n × n has 1/(n + 1). Units that never move
    carry no weight; when none does, this is undefined.
    """
    total = maps.var(axis=(1, 2), dtype=np.float64)
    if not total.sum() > 0:
        raise InputError("no unit of this layer answers differently to anything, so nothing can be said of its tuning.")
    by_row = maps.mean(axis=2, dtype=np.float64).var(axis=1)
    by_column = maps.mean(axis=1, dtype=np.float64).var(axis=1)
    return float(np.maximum(by_row, by_column).sum() / total.sum())


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

    1: every unit is tuned to one factor and blind to the other; low: units answer to conjunctions.
    """
    return {name: one_factor_share(unit_maps(evidence, name)) for name in evidence.hidden_layers(at_least=1)}


@measures.register("stripe_channels")
def stripe_channels(evidence: Evidence) -> float:
    """Share of the spatial variance of the first hidden layer's channels that rows alone or columns alone explain.

    Over all channels and the answers to combinations deep in the held-out region. 1: every channel draws a stripe.
    """
    name = evidence.hidden_layers(at_least=1)[0]
    if name not in evidence.channels:
        raise InputError(f"layer {name!r} is no picture, so it has no channels; use a convolutional model.")
    rows = evidence.layers[name][evidence.section(evidence.deep)]
    return one_factor_share(rows.reshape(-1, *evidence.channels[name][1:]))
