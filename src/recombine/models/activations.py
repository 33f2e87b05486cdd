"""What goes on inside a network: the activations of its layers, by name."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import torch
from torch import nn

from recombine.core.errors import unknown
from recombine.core.shapes import Float
from recombine.models.network import Network, device_of


@torch.no_grad()
def activations(
    network: nn.Module, codes: Float[torch.Tensor, "batch inputs"], names: Sequence[str] | None = None, chunk: int = 256
) -> dict[str, Float[torch.Tensor, "batch _"]]:
    """The activations of every stage for every code, flattened per example.

    In order: ``"input"`` (the codes themselves), the network's `layer_names`, ``"output"``. A module that is no
    `Network` shows its input and output only. With ``names``, those stages only, still in the network's order, and
    nothing else is kept. Codes go through ``chunk`` at a time.

    Codes and activations are on the CPU, wherever the network is. It is in `eval_mode` meanwhile.
    """
    known = ("input", *(network.layer_names if isinstance(network, Network) else ()), "output")
    for name in names or ():
        if name not in known:
            raise unknown(f"layer of {type(network).__name__}", name, known)
    wanted = known if names is None else names
    found: dict[str, torch.Tensor] = {}
    with eval_mode(network):
        for start in range(0, max(len(codes), 1), chunk):
            for name, stage in _stages(network, codes[start : start + chunk]):
                if name in wanted:
                    rows = stage.flatten(1)
                    # Written in place: joining pieces at the end would hold everything twice.
                    whole = found.setdefault(name, rows.new_empty(len(codes), rows.shape[1], device="cpu"))
                    whole[start : start + chunk] = rows
    return found


def _stages(network: nn.Module, codes: torch.Tensor) -> Iterator[tuple[str, torch.Tensor]]:
    codes = codes.to(device_of(network))
    yield "input", codes
    if isinstance(network, Network):
        yield from network.stages(codes)
    else:
        yield "output", network(codes)


@torch.no_grad()
def channels(network: nn.Module, code: Float[torch.Tensor, "1 inputs"]) -> dict[str, tuple[int, int, int]]:
    """Channels, rows and columns of the hidden stages that are pictures, by name."""
    found = {name: tuple(shape) for name, shape in shapes(network, code).items()}
    return {name: (shape[0], shape[1], shape[2]) for name, shape in found.items() if len(shape) == 3}


@torch.no_grad()
def shapes(network: nn.Module, code: Float[torch.Tensor, "1 inputs"]) -> dict[str, torch.Size]:
    """The shape of every stage for one code, by name, without the batch."""
    with eval_mode(network):
        return {name: stage.shape[1:] for name, stage in _stages(network, code)}


@contextmanager
def eval_mode(network: nn.Module) -> Iterator[None]:
    """Inside, dropout and the statistics of a batch play no part; afterwards every module is in its own mode again."""
    modes = {module: module.training for module in network.modules()}
    network.eval()
    try:
        yield
    finally:
        # One by one: part of a network may have been put into eval mode on purpose.
        for module, mode in modes.items():
            module.training = mode
