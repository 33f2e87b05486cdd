"""The residual network that reads a small picture."""

from collections.abc import Iterator
from itertools import pairwise

import torch
from torch import nn
from torch.nn import functional as F

from recombine.core.shapes import Float
from recombine.models.network import Network, Through, unchanged

BLOCKS = 2  # per width


class ResNetwork(Network):
    """picture → Conv 3, BatchNorm, ReLU → two `BasicBlock`s per width → mean over places → Linear.

    The first block of every width but the first halves both sides (rounded up), so that with four widths a picture
    of 32 × 32 ends as 4 × 4. The mean over all places is then the usual average pool of 4, and it stays defined for
    any other size. Layers: ``stem``, ``block1``, ``block2``, ... (each after its last ReLU), ``pool``.
    """

    def __init__(self, picture: tuple[int, int, int], channels: tuple[int, ...], image: tuple[int, int]) -> None:
        super().__init__()
        self.picture, self.image = picture, image
        self.stem = nn.Conv2d(picture[0], channels[0], 3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(channels[0])
        widths = [channels[0]] + [width for width in channels for _ in range(BLOCKS)]
        strides = [2 if index and index % BLOCKS == 0 else 1 for index in range(len(widths) - 1)]
        self.blocks = nn.ModuleList(
            BasicBlock(*pair, stride) for pair, stride in zip(pairwise(widths), strides, strict=True)
        )
        self.output = nn.Linear(channels[-1], image[0] * image[1])

    @property
    def layer_names(self) -> tuple[str, ...]:
        return ("stem", *(f"block{index}" for index in range(1, len(self.blocks) + 1)), "pool")

    def stages(
        self, codes: Float[torch.Tensor, "batch inputs"], through: Through = unchanged
    ) -> Iterator[tuple[str, torch.Tensor]]:
        # Channels last, for speed on CPUs; written with permute because vmap has no `contiguous(memory_format=...)`.
        pictures = codes.unflatten(1, self.picture).permute(0, 2, 3, 1).contiguous().permute(0, 3, 1, 2)
        hidden = through("stem", F.relu(self.norm(self.stem(pictures))))
        yield "stem", hidden
        for name, block in zip(self.layer_names[1:-1], self.blocks, strict=True):
            hidden = through(name, block(hidden))
            yield name, hidden
        hidden = through("pool", hidden.mean((2, 3)))
        yield "pool", hidden
        yield "output", self.output(hidden).unflatten(1, self.image)


class BasicBlock(nn.Module):
    """x → ReLU(BatchNorm Conv ReLU BatchNorm Conv x + shortcut x), kernels of 3 (He et al. 2016, Fig. 2).

    The shortcut is x itself, or BatchNorm of a 1 × 1 convolution where the block changes the size or the channels.
    The stride is that of the first convolution. No convolution has a bias, as BatchNorm would take it away.
    """

    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        self.first = nn.Conv2d(inputs, outputs, 3, stride, padding=1, bias=False)
        self.first_norm = nn.BatchNorm2d(outputs)
        self.second = nn.Conv2d(outputs, outputs, 3, padding=1, bias=False)
        self.second_norm = nn.BatchNorm2d(outputs)
        self.shortcut: nn.Module = nn.Identity()
        if stride != 1 or inputs != outputs:
            # A pool of 1 takes the strides, which is the same: a strided 1 x 1 convolution of a few channels, channels
            # last, writes beyond its memory in torch 2.13 on CPUs.
            self.shortcut = nn.Sequential(
                nn.AvgPool2d(1, stride), nn.Conv2d(inputs, outputs, 1, bias=False), nn.BatchNorm2d(outputs)
            )

    def forward(
        self, pictures: Float[torch.Tensor, "batch inputs rows columns"]
    ) -> Float[torch.Tensor, "batch outputs _ _"]:
        hidden = F.relu(self.first_norm(self.first(pictures)))
        return F.relu(self.second_norm(self.second(hidden)) + self.shortcut(pictures))
