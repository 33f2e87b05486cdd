"""The decoder that draws a picture turned by an angle."""

from collections.abc import Iterator

import torch
from torch import nn
from torch.nn import functional as F

from recombine.core.shapes import Float
from recombine.models.network import Network, Through, unchanged


class RotationNetwork(Network):
    """code → Linear (rows/4 · columns/4 · w) → [ConvT kernel 4, stride 2, BatchNorm, ReLU] × 2 → Conv w/2→1 → Sigmoid.

    The linear stage has no activation. The transposed convolutions have w and w/2 channels and double the size; the
    last one has kernel 3 and keeps it. Weights start as N(0, 2 / fan_out), biases as 0, with the library's fan_out: of
    a transposed convolution that is kernel² · inputs. Layers: ``layer0``, the linear stage as a picture, and
    ``layer1``, ``layer2``, the activations after each ReLU.
    """

    layer_names = ("layer0", "layer1", "layer2")

    def __init__(self, inputs: int, width: int, image: tuple[int, int]) -> None:
        super().__init__()
        self.start = (width, image[0] // 4, image[1] // 4)  # channels, rows, columns
        outs = (width, width // 2)
        self.first = nn.Linear(inputs, self.start[0] * self.start[1] * self.start[2])
        self.doubling = nn.ModuleList(nn.ConvTranspose2d(width, out, 4, stride=2, padding=1) for out in outs)
        self.norms = nn.ModuleList(nn.BatchNorm2d(out) for out in outs)
        self.output = nn.Conv2d(outs[-1], 1, 3, padding=1)
        for layer in (self.first, *self.doubling, self.output):
            nn.init.kaiming_normal_(layer.weight, mode="fan_out", nonlinearity="relu")
            nn.init.zeros_(layer.bias)

    def stages(
        self, codes: Float[torch.Tensor, "batch inputs"], through: Through = unchanged
    ) -> Iterator[tuple[str, torch.Tensor]]:
        hidden = through(self.layer_names[0], self.first(codes).unflatten(1, self.start))
        yield self.layer_names[0], hidden
        # Channels last, for speed on CPUs; written with permute because vmap has no `contiguous(memory_format=...)`.
        hidden = hidden.permute(0, 2, 3, 1).contiguous().permute(0, 3, 1, 2)
        for name, convolution, norm in zip(self.layer_names[1:], self.doubling, self.norms, strict=True):
            hidden = through(name, F.relu(norm(convolution(hidden))))
            yield name, hidden
        yield "output", self.output(hidden)[:, 0].sigmoid()
