"""A network whose layers can be looked at: it tells its stages one by one, and its output is the last of them."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import TypeAlias

import torch
from torch import nn

from recombine.core.errors import InputError
from recombine.core.shapes import Float

# What happens to a hidden stage, by name, before the next one is computed from it: noise, most often nothing.
Through: TypeAlias = Callable[[str, torch.Tensor], torch.Tensor]


def unchanged(name: str, stage: torch.Tensor) -> torch.Tensor:
    """The stage as it is."""
    return stage


class Network(nn.Module, ABC):
    """A network from codes to images, told stage by stage.

    A code may be a flat picture, and an image a single number (1 × 1). Subclasses give `stages` and `layer_names`
    and nothing else; looking inside and running are then the same code.
    """

    @property
    @abstractmethod
    def layer_names(self) -> tuple[str, ...]:
        """Names of the hidden stages, first to last, without the input and the output."""

    @property
    def unit_layers(self) -> tuple[str, ...]:
        """The hidden stages that are activations read by weights, on which noise and penalties act; usually all."""
        return self.layer_names

    @abstractmethod
    def stages(
        self, codes: Float[torch.Tensor, "batch inputs"], through: Through = unchanged
    ) -> Iterator[tuple[str, torch.Tensor]]:
        """Every hidden stage by name, in the order of `layer_names`, then ``("output", images)``.

        A stage has the batch on its first axis. Do not write into it: the next stage is computed from it. Each hidden
        stage goes ``through`` before it is told and before the next is computed from it.
        """

    def matrices(self) -> list[Float[torch.Tensor, "_outputs _inputs"]]:
        """The weights as they act, first layer to last; empty where the network is not plain layers."""
        return []

    def squared_reach(self, name: str, values: Float[torch.Tensor, "batch *shape"]) -> Float[torch.Tensor, ""]:
        """Σ over batch, i and j of values_i W_ji², W the weights that read stage ``name``, i its units.

        What independent noise of variance ``values_i`` on every unit adds to the variance of what reads them.
        """
        raise InputError(
            f"{type(self).__name__} does not say which weights read its layer {name!r}; use a model whose layers "
            "follow one another plainly: feedforward, mlp, mlp-decoder, cnn-decoder or forced-rendering."
        )

    def forward(self, codes: Float[torch.Tensor, "batch inputs"]) -> Float[torch.Tensor, "batch rows columns"]:
        for _, stage in self.stages(codes):  # noqa: B007
            pass
        return stage


def device_of(network: nn.Module) -> torch.device:
    """Where the weights of a network are; the CPU if it has none."""
    weight = next(network.parameters(), None)
    return torch.device("cpu") if weight is None else weight.device


def matrices_of(network: nn.Module) -> list[torch.Tensor]:
    """The weights of a network of plain layers, first to last; empty for any other module."""
    return network.matrices() if isinstance(network, Network) else []
