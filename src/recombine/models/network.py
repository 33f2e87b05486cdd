"""A network whose layers can be looked at: it tells its stages one by one, and its output is the last of them."""

from abc import ABC, abstractmethod
from collections.abc import Iterator

import torch
from torch import nn

from recombine.core.shapes import Float


class Network(nn.Module, ABC):
    """A network from codes to images, told stage by stage.

    A code may be a flat picture, and an image a single number (1 × 1). Subclasses give `stages` and `layer_names`
    and nothing else; looking inside and running are then the same code.
    """

    @property
    @abstractmethod
    def layer_names(self) -> tuple[str, ...]:
        """Names of the hidden stages, first to last, without the input and the output."""

    @abstractmethod
    def stages(self, codes: Float[torch.Tensor, "batch inputs"]) -> Iterator[tuple[str, torch.Tensor]]:
        """Every hidden stage by name, in the order of `layer_names`, then ``("output", images)``.

        A stage has the batch on its first axis. Do not write into it: the next stage is computed from it.
        """

    def forward(self, codes: Float[torch.Tensor, "batch inputs"]) -> Float[torch.Tensor, "batch rows columns"]:
        for _, stage in self.stages(codes):  # noqa: B007
            pass
        return stage
