"""The fully connected decoder."""

from collections.abc import Iterator
from itertools import pairwise

import torch
from torch import nn
from torch.nn import functional as F

from recombine.core.shapes import Float
from recombine.models.feedforward_network import linear_reach
from recombine.models.network import Network, Through, unchanged


class MlpNetwork(Network):
    """code → [Linear width, ReLU] × depth → Linear rows · columns.

    Layers are the depth activations after the ReLU. Depth 0 is an affine map with no layer in between.
    """

    def __init__(self, inputs: int, width: int, depth: int, image: tuple[int, int]) -> None:
        super().__init__()
        sizes = [inputs] + [width] * depth
        self.image = image
        self.hidden = nn.ModuleList(nn.Linear(*pair) for pair in pairwise(sizes))
        self.output = nn.Linear(sizes[-1], image[0] * image[1])

    @property
    def layer_names(self) -> tuple[str, ...]:
        return tuple(f"layer{index}" for index in range(len(self.hidden)))

    def stages(
        self, codes: Float[torch.Tensor, "batch inputs"], through: Through = unchanged
    ) -> Iterator[tuple[str, torch.Tensor]]:
        hidden = codes
        for name, linear in zip(self.layer_names, self.hidden, strict=True):
            hidden = through(name, F.relu(linear(hidden)))
            yield name, hidden
        yield "output", self.output(hidden).unflatten(1, self.image)

    def matrices(self) -> list[Float[torch.Tensor, "outputs inputs"]]:
        """The weights, first to last."""
        return [linear.weight for linear in (*self.hidden, self.output)]

    def squared_reach(self, name: str, values: Float[torch.Tensor, "batch units"]) -> Float[torch.Tensor, ""]:
        return linear_reach(self.matrices()[1 + self.layer_names.index(name)], values)
