"""A quantity of every hidden layer for which it is defined."""

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np

from recombine.core.errors import InputError
from recombine.core.shapes import Real
from recombine.measures.evidence import Evidence

# What the shape of a generative model's representation is compared with: the true pictures, the same network before
# training, the trained one shown the true pictures, and the trained one while it draws.
COMPARED = ("pixels", "untrained", "true", "probe")

T = TypeVar("T")


def compared_layers(evidence: Evidence, among: Sequence[str] = COMPARED) -> tuple[str, ...]:
    """Those of the named hidden layers that the evidence has, in its order; all hidden layers where it has none."""
    hidden = evidence.hidden_layers(at_least=1)
    return tuple(name for name in hidden if name in among) or hidden


def by_layer(
    evidence: Evidence, compute: Callable[[Real[np.ndarray, "y x features"]], T], names: Sequence[str] | None = None
) -> dict[str, T]:
    """``compute`` of each layer as an array (y, x, features), without the layers that it refuses.

    The layers are all hidden ones unless named; where every one is refused, so is the whole.
    """
    chosen = evidence.hidden_layers(at_least=1) if names is None else names
    found: dict[str, T] = {}
    refused: list[str] = []
    for name in chosen:
        try:
            found[name] = compute(evidence.on_grid(name))
        except InputError as error:
            refused.append(f"{name} ({str(error).rstrip('.')})")
    if not found:
        raise InputError(f"this is undefined for every layer there is, first of all for {refused[0]}.")
    return found
