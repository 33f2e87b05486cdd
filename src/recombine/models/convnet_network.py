"""The convolutional network that reads a small picture."""

from collections.abc import Iterator
from itertools import pairwise

import torch
from torch import nn
from torch.nn import functional as F

from recombine.core.shapes import Float
from recombine.models.network import Network, Through, unchanged


class ConvNetwork(Network):
    """picture → [Conv kernel, ReLU, BatchNorm] × convolutions → MaxPool 2 → [Linear, ReLU] × dense → Linear.

    Convolutions are valid: each takes kernel − 1 off the height and the width of the picture. After n of them and the
    pool a side s is (s − n (kernel − 1)) / 2, rounded down, and the first dense layer has as many inputs as that
    leaves. BatchNorm comes after the ReLU, not before it.

    Weights start as N(0, 2 / fan_in) in every layer (He et al. 2015), biases as U(±1/√fan_in). Layers are the
    activations after each ReLU: ``conv1``, ``conv2``, ... (before their BatchNorm), then ``dense1``, ...
    """

    def __init__(
        self,
        picture: tuple[int, int, int],
        channels: tuple[int, ...],
        dense: tuple[int, ...],
        kernel: int,
        image: tuple[int, int],
    ) -> None:
        super().__init__()
        self.picture, self.image = picture, image
        sides = [(side - len(channels) * (kernel - 1)) // 2 for side in picture[1:]]
        sizes = (channels[-1] * sides[0] * sides[1], *dense)
        self.convolutions = nn.ModuleList(nn.Conv2d(*pair, kernel) for pair in pairwise((picture[0], *channels)))
        self.norms = nn.ModuleList(nn.BatchNorm2d(width) for width in channels)
        self.dense = nn.ModuleList(nn.Linear(*pair) for pair in pairwise(sizes))
        self.output = nn.Linear(sizes[-1], image[0] * image[1])
        for layer in (*self.convolutions, *self.dense, self.output):
            nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")

    @property
    def layer_names(self) -> tuple[str, ...]:
        parts = {"conv": self.convolutions, "dense": self.dense}
        return tuple(f"{part}{index}" for part, layers in parts.items() for index in range(1, len(layers) + 1))

    def stages(
        self, codes: Float[torch.Tensor, "batch inputs"], through: Through = unchanged
    ) -> Iterator[tuple[str, torch.Tensor]]:
        names = iter(self.layer_names)
        # Channels last, for speed on CPUs; written with permute because vmap has no `contiguous(memory_format=...)`.
        hidden = codes.unflatten(1, self.picture).permute(0, 2, 3, 1).contiguous().permute(0, 3, 1, 2)
        for convolution, norm in zip(self.convolutions, self.norms, strict=True):
            name = next(names)
            hidden = through(name, F.relu(convolution(hidden)))
            yield name, hidden
            hidden = norm(hidden)
        hidden = F.max_pool2d(hidden, 2).flatten(1)
        for linear in self.dense:
            name = next(names)
            hidden = through(name, F.relu(linear(hidden)))
            yield name, hidden
        yield "output", self.output(hidden).unflatten(1, self.image)
