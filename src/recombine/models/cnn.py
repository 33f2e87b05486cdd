"""The transposed-convolution decoder."""

from collections.abc import Iterator

import torch
from torch import nn
from torch.nn import functional as F

from recombine.core.shapes import Float
from recombine.models.network import Network, Through, unchanged


class CnnNetwork(Network):
    """code (d, 1, 1) → ConvT d→h, kernel (rows/4, columns/4) → depth hidden ConvT h→h → ConvT h→1, kernel 3.

    The first two hidden layers have kernel 4 and stride 2 and double the size; the rest have kernel 3 and keep it.
    ReLU after every layer but the last. Layers are the depth + 1 activations after the ReLU, the first of them a
    quarter of the image on each side.
    """

    def __init__(self, inputs: int, width: int, depth: int, image: tuple[int, int]) -> None:
        super().__init__()
        rows, columns = image
        doubling = [nn.ConvTranspose2d(width, width, 4, stride=2, padding=1) for _ in range(2)]
        keeping = [nn.ConvTranspose2d(width, width, 3, padding=1) for _ in range(depth - 2)]
        self.first = nn.ConvTranspose2d(inputs, width, (rows // 4, columns // 4))
        self.hidden = nn.ModuleList(doubling + keeping)
        self.output = nn.ConvTranspose2d(width, 1, 3, padding=1)

    @property
    def layer_names(self) -> tuple[str, ...]:
        return tuple(f"layer{index}" for index in range(1 + len(self.hidden)))

    def stages(
        self, codes: Float[torch.Tensor, "batch inputs"], through: Through = unchanged
    ) -> Iterator[tuple[str, torch.Tensor]]:
        # ReLU in place: nothing else reads what goes into it, and a fresh large array a layer costs page faults.
        hidden = F.relu(self.first(codes[:, :, None, None]), inplace=True)
        # Channels last from here on, for speed on CPUs. The weights stay as they are, so that saving them is plain.
        # Written with permute because vmap has no `contiguous(memory_format=...)`.
        hidden = hidden.permute(0, 2, 3, 1).contiguous().permute(0, 3, 1, 2)
        hidden = through(self.layer_names[0], hidden)
        yield self.layer_names[0], hidden
        for name, convolution in zip(self.layer_names[1:], self.hidden, strict=True):
            hidden = through(name, F.relu(convolution(hidden), inplace=True))
            yield name, hidden
        yield "output", self.output(hidden)[:, 0]

    def squared_reach(
        self, name: str, values: Float[torch.Tensor, "batch channels rows columns"]
    ) -> Float[torch.Tensor, ""]:
        reader = (*self.hidden, self.output)[self.layer_names.index(name)]
        return F.conv_transpose2d(values, reader.weight.square(), stride=reader.stride, padding=reader.padding).sum()
