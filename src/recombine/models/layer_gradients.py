"""Inner products of weight gradients, layer by layer, without the gradients of single examples where products factor.

The gradient of an answer with respect to a dense layer is the outer product of what goes in, a, and of the slope g of
the answer with respect to what comes out:

    ⟨g a^T, g' a'^T⟩ = ⟨g, g'⟩ ⟨a, a'⟩,     ⟨g, g'⟩ for the bias.

A transposed convolution of one place is such a layer. Of other convolutions, and of dense layers asked at many places,
gradients are sums of outer products over places, and these are made, for all or some of the channels.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F

from recombine.core.shapes import Float

TOGETHER = 4096  # numbers whose products are summed before they are added in float64


@dataclass
class Tap:
    """What went into a layer, and a zero that was added to what came out, whose slope is that of the answer."""

    layer: nn.Module
    entered: torch.Tensor
    added: torch.Tensor


def factored_layers(network: nn.Module) -> list[nn.Module]:
    """The layers whose gradients are known here: dense ones, plain convolutions and PReLUs of one slope, if trained."""
    return [
        layer
        for layer in network.modules()
        if (type(layer) is nn.Linear or _plain_convolution(layer) or _one_slope(layer))
        and all(weight.requires_grad for weight in layer.parameters())
    ]


def _one_slope(layer: nn.Module) -> bool:
    return isinstance(layer, nn.PReLU) and layer.weight.numel() == 1


def _plain_convolution(layer: nn.Module) -> bool:
    if type(layer) not in (nn.Conv2d, nn.ConvTranspose2d):
        return False
    assert isinstance(layer, nn.Conv2d | nn.ConvTranspose2d)
    return layer.groups == 1 and layer.padding_mode == "zeros" and not isinstance(layer.padding, str)


@contextmanager
def tapped(layers: Sequence[nn.Module]) -> Iterator[list[Tap]]:
    """Meanwhile every call of one of these layers leaves a tap in the list."""
    taps: list[Tap] = []

    def hook(layer: nn.Module, entered: tuple[torch.Tensor, ...], left: torch.Tensor) -> torch.Tensor:
        # Added to, since a network may change what a layer gave in place.
        added = torch.zeros_like(left, requires_grad=True)
        taps.append(Tap(layer, entered[0].detach(), added))
        return left + added

    handles = [layer.register_forward_hook(hook) for layer in layers]
    try:
        yield taps
    finally:
        for handle in handles:
            handle.remove()


@dataclass(frozen=True)
class Slopes:
    """The gradients of a layer for some examples: two factors of an outer product each, or whole ones; and the bias."""

    factors: tuple[torch.Tensor, torch.Tensor] | None  # (items, out), (items, in)
    whole: torch.Tensor | None  # (items, weights)
    bias: torch.Tensor | None  # (items, out)

    @property
    def bytes(self) -> int:
        held = (*(self.factors or ()), self.whole, self.bias)
        return sum(each.numel() * each.element_size() for each in held if each is not None)


def multiplications(tap: Tap) -> int:
    """How many products one call of a layer takes."""
    layer, entered, left = tap.layer, tap.entered, tap.added
    if isinstance(layer, nn.Linear):
        return left.numel() * layer.in_features
    if isinstance(layer, nn.Conv2d):
        return left.numel() * layer.weight[0].numel()
    if isinstance(layer, nn.ConvTranspose2d):
        return entered.numel() * layer.weight[0].numel()
    return left.numel()


def drawn_channels(layer: nn.Module, share: float, generator: torch.Generator) -> torch.Tensor | None:
    """Which channels of a layer are looked at: a ``share`` of them by chance, or all (None).

    They are those that go in; of a transposed convolution those that come out, which are spread over windows there.
    """
    if isinstance(layer, nn.PReLU):
        return None
    if isinstance(layer, nn.ConvTranspose2d):
        count = layer.out_channels
    else:
        count = layer.in_features if isinstance(layer, nn.Linear) else layer.in_channels  # type: ignore[assignment]
    kept = max(1, round(share * count))
    if kept == count:
        return None
    return torch.randperm(count, generator=generator, device=generator.device)[:kept].sort().values


def slopes(tap: Tap, slope: torch.Tensor, channels: torch.Tensor | None = None) -> Slopes:
    """The gradients of a layer, from what went in and the slope of the answer with respect to what came out.

    Of whole gradients those of some ``channels`` stand for all: scaled, so that inner products are right on average
    over the draw. Factors are always of all channels.
    """
    layer, entered = tap.layer, tap.entered
    bias: torch.Tensor | None
    if isinstance(layer, nn.PReLU):
        return Slopes(None, (slope * entered.clamp(max=0)).flatten(1).sum(dim=1, keepdim=True), None)
    if isinstance(layer, nn.Linear):
        places = slope.reshape(len(slope), -1, slope.shape[-1])
        bias = None if layer.bias is None else places.sum(dim=1)
        if entered.ndim == 2:
            return Slopes((slope, entered), None, bias)
        some, scale = _some(entered.reshape(len(entered), -1, entered.shape[-1]).transpose(1, 2), channels)
        return Slopes(None, scale * (some @ places).flatten(1), bias)
    assert isinstance(layer, nn.Conv2d | nn.ConvTranspose2d)
    bias = None if layer.bias is None else slope.sum(dim=(2, 3))
    window: dict[str, Any] = {
        "kernel_size": layer.kernel_size,
        "dilation": layer.dilation,
        "padding": layer.padding,
        "stride": layer.stride,
    }
    if isinstance(layer, nn.Conv2d):
        some, scale = _some(entered, channels)
        return Slopes(None, scale * (F.unfold(some, **window) @ slope.flatten(2).transpose(1, 2)).flatten(1), bias)
    if entered.shape[2:] == (1, 1) and slope.shape[2:] == layer.kernel_size:
        return Slopes((slope.flatten(1), entered.flatten(1)), None, bias)
    some, scale = _some(slope, channels)
    whole = entered.flatten(2) @ F.unfold(some, **window).transpose(1, 2)
    return Slopes(None, scale * whole.flatten(1), bias)


def _some(entered: torch.Tensor, channels: torch.Tensor | None) -> tuple[torch.Tensor, float]:
    """Some channels (the second axis), and what their gradients are multiplied with to stand for all."""
    if channels is None:
        return entered, 1.0
    return entered[:, channels.to(entered.device)], float(entered.shape[1] / len(channels)) ** 0.5


def joined(parts: Sequence[Slopes]) -> Slopes:
    """The gradients of one layer for the examples of all parts."""
    first = parts[0]
    return Slopes(
        factors=None
        if first.factors is None
        else (
            torch.cat([part.factors[0] for part in parts if part.factors]),
            torch.cat([part.factors[1] for part in parts if part.factors]),
        ),
        whole=None if first.whole is None else torch.cat([part.whole for part in parts if part.whole is not None]),
        bias=None if first.bias is None else torch.cat([part.bias for part in parts if part.bias is not None]),
    )


def products(ours: Slopes, theirs: Slopes) -> Float[torch.Tensor, "first second"]:
    """The inner products of all gradients of a layer, every example of ours with every one of theirs."""
    if ours.factors is not None and theirs.factors is not None:
        (one, ones), (other, others) = ours.factors, theirs.factors
        total = inner(one, other) * inner(ones, others)
    else:
        assert ours.whole is not None
        assert theirs.whole is not None
        total = inner(ours.whole, theirs.whole)
    if ours.bias is not None and theirs.bias is not None:
        total = total + inner(ours.bias, theirs.bias)
    return total


def inner(ours: torch.Tensor, theirs: torch.Tensor) -> Float[torch.Tensor, "first second"]:
    """Products in the precision of the weights, a few thousand of them at a time, summed in float64 on the CPU."""
    total = torch.zeros(len(ours), len(theirs), dtype=torch.float64)
    for one, other in zip(ours.split(TOGETHER, 1), theirs.split(TOGETHER, 1), strict=True):
        total += (one @ other.T).to(total)
    return total
