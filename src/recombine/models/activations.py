"""What goes on inside a network: the activations of its layers, by name."""

from collections.abc import Iterator, Sequence

import torch
from torch import nn

from recombine.core.errors import unknown
from recombine.core.shapes import Float
from recombine.models.network import Network


@torch.no_grad()
def activations(
    network: nn.Module, codes: Float[torch.Tensor, "batch inputs"], names: Sequence[str] | None = None, chunk: int = 256
) -> dict[str, Float[torch.Tensor, "batch _"]]:
    """The activations of every stage for every code, flattened per example.

    In order: ``"input"`` (the codes themselves), the network's `layer_names`, ``"output"``. A module that is no
    `Network` shows its input and output only. With ``names``, those stages only, still in the network's order, and
    nothing else is kept. Codes go through ``chunk`` at a time.
    """
    known = ("input", *(network.layer_names if isinstance(network, Network) else ()), "output")
    for name in names or ():
        if name not in known:
            raise unknown(f"layer of {type(network).__name__}", name, known)
    parts: dict[str, list[torch.Tensor]] = {name: [] for name in known if names is None or name in names}
    for some in codes.split(chunk):
        for name, stage in _stages(network, some):
            if name in parts:
                parts[name].append(stage.flatten(1))
    return {name: torch.cat(pieces) for name, pieces in parts.items()}


def _stages(network: nn.Module, codes: torch.Tensor) -> Iterator[tuple[str, torch.Tensor]]:
    yield "input", codes
    if isinstance(network, Network):
        yield from network.stages(codes)
    else:
        yield "output", network(codes)
