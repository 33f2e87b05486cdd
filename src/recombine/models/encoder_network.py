"""The inverse of a decoder: a picture in, the code of what it shows out."""

from collections.abc import Iterator
from itertools import pairwise

import torch
from torch import nn
from torch.nn import functional as F

from recombine.core.shapes import Float
from recombine.models.network import Network, Through, unchanged


class EncoderNetwork(Network):
    """picture → [Conv kernel 3, stride 2, ReLU] × 3 of w, 2w, 4w channels → Linear 4w, ReLU → Linear rows · columns.

    Convolutions are padded by 1, so each halves the sides of its picture, rounded up: 28, 14, 7, 4. Layers are the
    activations after each ReLU: ``conv1``, ``conv2``, ``conv3`` and ``dense1``.
    """

    def __init__(self, picture: tuple[int, int, int], width: int, image: tuple[int, int]) -> None:
        super().__init__()
        self.picture, self.image = picture, image
        channels = (picture[0], width, 2 * width, 4 * width)
        places = -(-picture[1] // 8) * -(-picture[2] // 8)  # halving thrice, rounded up each time, is one eighth so
        self.convolutions = nn.ModuleList(
            nn.Conv2d(*pair, kernel_size=3, stride=2, padding=1) for pair in pairwise(channels)
        )
        self.dense = nn.Linear(channels[-1] * places, 4 * width)
        self.output = nn.Linear(4 * width, image[0] * image[1])

    @property
    def layer_names(self) -> tuple[str, ...]:
        return (*(f"conv{index}" for index in range(1, len(self.convolutions) + 1)), "dense1")

    def stages(
        self, codes: Float[torch.Tensor, "batch inputs"], through: Through = unchanged
    ) -> Iterator[tuple[str, torch.Tensor]]:
        hidden = codes.unflatten(1, self.picture)
        for name, convolution in zip(self.layer_names[:-1], self.convolutions, strict=True):
            hidden = through(name, F.relu(convolution(hidden)))
            yield name, hidden
        hidden = through(self.layer_names[-1], F.relu(self.dense(hidden.flatten(1))))
        yield self.layer_names[-1], hidden
        yield "output", self.output(hidden).unflatten(1, self.image)
