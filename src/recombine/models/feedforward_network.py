"""Layers of units one after another, all of them joined or only those of one module."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import torch
from torch import nn
from torch.nn import functional as F

from recombine.core.shapes import Float, Int
from recombine.models.network import Network, Through, unchanged

# a = z where z > 0, slope · z below; the rest bend smoothly.
SLOPES = {"leaky-relu": 0.1, "relu": 0.0, "linear": 1.0}
SMOOTH = {"tanh": torch.tanh, "sigmoid": torch.sigmoid}


class FeedforwardNetwork(Network):
    """code → [(W ∘ mask) h + b, bend] × hidden layers → (W ∘ mask) h + b.

    A mask has 1 between units of one module and ``crossing`` between units of two; the first ``modular_layers`` weight
    matrices have one, the others join all. Units belong to ``modules`` equal runs, in order. Weights and biases start
    as U(±1/√fan_in), where an input that comes through a mask of m counts m² towards fan_in: with ``crossing`` = 0 each
    module starts as a network of its own would.
    """

    def __init__(
        self,
        inputs: int,
        widths: Sequence[int],
        image: tuple[int, int],
        nonlinearity: str = "leaky-relu",
        bias: bool = True,
        modules: int = 1,
        modular_layers: int = 0,
        crossing: float = 0.0,
    ) -> None:
        super().__init__()
        self.image, self.nonlinearity, self.masked = image, nonlinearity, modular_layers
        sizes = (inputs, *widths, image[0] * image[1])
        self.linears = nn.ModuleList(nn.Linear(*pair, bias=bias) for pair in pairwise(sizes))
        for index, (before, after) in enumerate(pairwise(sizes[: modular_layers + 1])):
            same = module_of(after, modules)[:, None] == module_of(before, modules)
            mask = torch.where(same, 1.0, crossing)
            self.register_buffer(f"mask{index}", mask, persistent=False)
            with torch.no_grad():
                for parameter in self.linears[index].parameters():
                    parameter.mul_(mask.square().mean().rsqrt())

    @property
    def each(self) -> list[nn.Linear]:
        """The linear maps, first to last."""
        return [linear for linear in self.linears if isinstance(linear, nn.Linear)]

    @property
    def layer_names(self) -> tuple[str, ...]:
        return tuple(f"layer{index}" for index in range(len(self.linears) - 1))

    def mask(self, index: int) -> torch.Tensor | None:
        """The mask of a weight matrix; None: it joins all units."""
        return self.get_buffer(f"mask{index}") if index < self.masked else None

    def matrices(self) -> list[Float[torch.Tensor, "outputs inputs"]]:
        """The weights as they act, first to last, masks applied."""
        masks = [self.mask(index) for index in range(len(self.each))]
        weights = [linear.weight for linear in self.each]
        return [weight if mask is None else weight * mask for weight, mask in zip(weights, masks, strict=True)]

    def stages(
        self, codes: Float[torch.Tensor, "batch inputs"], through: Through = unchanged
    ) -> Iterator[tuple[str, torch.Tensor]]:
        *hidden_weights, last = self.matrices()
        hidden = codes
        for name, linear, weight in zip(self.layer_names, self.each, hidden_weights, strict=False):
            hidden = through(name, self.bend(F.linear(hidden, weight, linear.bias)))
            yield name, hidden
        yield "output", F.linear(hidden, last, self.each[-1].bias).unflatten(1, self.image)

    def bend(self, sums: torch.Tensor) -> torch.Tensor:
        """The nonlinearity."""
        if self.nonlinearity in SMOOTH:
            return SMOOTH[self.nonlinearity](sums)
        slope = SLOPES[self.nonlinearity]
        return sums if slope == 1 else F.leaky_relu(sums, slope)

    def squared_reach(self, name: str, values: Float[torch.Tensor, "batch units"]) -> Float[torch.Tensor, ""]:
        return linear_reach(self.matrices()[1 + self.layer_names.index(name)], values)


def module_of(units: int, modules: int) -> Int[torch.Tensor, " units"]:
    """The module of each of so many units: equal runs, in order."""
    return torch.arange(units) * modules // units


def linear_reach(
    weight: Float[torch.Tensor, "outputs inputs"], values: Float[torch.Tensor, "batch inputs"]
) -> Float[torch.Tensor, ""]:
    """Σ over batch, i and j of values_i W_ji²."""
    return values.sum(0) @ weight.square().sum(0)
