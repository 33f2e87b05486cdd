"""Decoders that draw one component, or a whole scene: from a code to a picture with channels."""

from abc import ABC, abstractmethod
from collections.abc import Generator, Iterator
from itertools import pairwise

import torch
from torch import nn
from torch.nn import functional as F

from recombine.core.shapes import Float
from recombine.models.network import Through, unchanged

FIRST = 4  # side of the picture before the first doubling


class ComponentDecoder(nn.Module, ABC):
    """code → picture (batch, channels, rows, columns), told stage by stage like a `Network`.

    Every kind begins with ``depth`` layers: [Linear width, ELU] × depth. They are ``layer0``, ``layer1`` and so on.
    """

    def __init__(self, inputs: int, width: int, depth: int) -> None:
        super().__init__()
        self.hidden = nn.ModuleList(nn.Linear(*pair) for pair in pairwise([inputs] + [width] * depth))

    @property
    @abstractmethod
    def layer_names(self) -> tuple[str, ...]:
        """Names of the hidden stages, first to last."""

    @abstractmethod
    def stages(
        self, codes: Float[torch.Tensor, "batch inputs"], through: Through = unchanged
    ) -> Iterator[tuple[str, torch.Tensor]]:
        """Every hidden stage by name, after the ELU, then ``("output", pictures)``; see `Network.stages`."""

    def units(
        self, codes: Float[torch.Tensor, "batch inputs"], through: Through
    ) -> Generator[tuple[str, torch.Tensor], None, Float[torch.Tensor, "batch width"]]:
        """The layers of units, the stages that every kind begins with; the last of them is returned."""
        units = codes
        for index, linear in enumerate(self.hidden):
            units = through(f"layer{index}", bent(linear(units)))
            yield f"layer{index}", units
        return units

    def forward(self, codes: Float[torch.Tensor, "batch inputs"]) -> Float[torch.Tensor, "batch channels rows columns"]:
        for _, stage in self.stages(codes):  # noqa: B007
            pass
        return stage


class UnitDecoder(ComponentDecoder):
    """[Linear width, ELU] × depth → Linear, one unit for each channel of each pixel."""

    def __init__(self, inputs: int, width: int, depth: int, image: tuple[int, int], channels: int) -> None:
        super().__init__(inputs, width, depth)
        self.shape = (*image, channels)
        self.output = nn.Linear(width, image[0] * image[1] * channels)

    @property
    def layer_names(self) -> tuple[str, ...]:
        return tuple(f"layer{index}" for index in range(len(self.hidden)))

    def stages(
        self, codes: Float[torch.Tensor, "batch inputs"], through: Through = unchanged
    ) -> Iterator[tuple[str, torch.Tensor]]:
        units = yield from self.units(codes, through)
        yield "output", self.output(units).unflatten(1, self.shape).permute(0, 3, 1, 2)


class UpsamplingDecoder(ComponentDecoder):
    """[Linear width, ELU] × depth → Linear maps × 4 × 4 → [ELU, twice as large, Conv] until ``side`` is reached.

    Twice as large is bilinear interpolation. The convolutions keep the size, with zeros around the picture; a kernel of
    2 has them below and to the right only. The last one goes to ``channels``, the others to ``maps``. The stages after
    the layers of units are ``maps0``, 4 x 4 pixels, ``maps1``, and so on, all after the ELU.
    """

    def __init__(
        self, inputs: int, width: int, depth: int, maps: int, kernel: int, corners: bool, side: int, channels: int
    ) -> None:
        super().__init__(inputs, width, depth)
        doublings = (side // FIRST).bit_length() - 1
        self.maps, self.corners = maps, corners
        # Zeros before and after each axis, as padding="same" has them, without its warning for even kernels.
        before, after = (kernel - 1) // 2, kernel // 2
        self.margin = (before, after, before, after)
        self.first = nn.Linear(width, maps * FIRST * FIRST)
        padding = before if before == after else 0
        sizes = [maps] * doublings + [channels]
        self.convolutions = nn.ModuleList(nn.Conv2d(*pair, kernel, padding=padding) for pair in pairwise(sizes))

    @property
    def layer_names(self) -> tuple[str, ...]:
        layers = tuple(f"layer{index}" for index in range(len(self.hidden)))
        return layers + tuple(f"maps{index}" for index in range(len(self.convolutions)))

    def stages(
        self, codes: Float[torch.Tensor, "batch inputs"], through: Through = unchanged
    ) -> Iterator[tuple[str, torch.Tensor]]:
        units = yield from self.units(codes, through)
        # Units come channels last, which convolutions on CPUs want; their order means nothing before training.
        pictures = self.first(units).unflatten(1, (FIRST, FIRST, self.maps)).permute(0, 3, 1, 2)
        for index, convolution in enumerate(self.convolutions):
            pictures = through(f"maps{index}", bent(pictures))
            yield f"maps{index}", pictures
            pictures = convolution(self.framed(self.doubled(pictures)))
        yield "output", pictures

    def doubled(self, pictures: torch.Tensor) -> torch.Tensor:
        """Twice as many rows and columns, by bilinear interpolation."""
        return F.interpolate(pictures, scale_factor=2, mode="bilinear", align_corners=self.corners)

    def framed(self, pictures: torch.Tensor) -> torch.Tensor:
        """With the zeros that a convolution of an even kernel cannot add by itself."""
        return pictures if len(set(self.margin)) == 1 else F.pad(pictures, self.margin)


class RelativeDecoder(ComponentDecoder):
    """One small network for every pixel, told where the pixel is relative to the component and what the component is.

        offset = pixel − centre,   centre_j = 1/2 + reach_j · place_j
        [Linear width, ELU] × depth of the rest of the code → ELU(Linear + Linear offset) → [ELU Linear maps] → Linear

    ``place`` lists the inputs that tell where the component is: the first two are how far right and how far up, from -1
    to 1, and the others follow from them; what is drawn knows of none but through the offset, so that it moves with the
    component and does not change. ``reach`` is learned. Pixels lie from 0 to 1; row 0 is the top. The stages after the
    layers of units are ``maps0`` and ``maps1``.
    """

    def __init__(
        self, inputs: int, width: int, depth: int, maps: int, place: tuple[int, ...], side: int, channels: int
    ) -> None:
        super().__init__(inputs - len(place), width, depth)
        self.place = place[:2]
        self.register_buffer("kept", torch.tensor([i for i in range(inputs) if i not in place]), persistent=False)
        middles = (torch.arange(side) + 0.5) / side
        self.register_buffer("middles", middles, persistent=False)
        self.reach = nn.Parameter(torch.tensor([0.4, 0.4]))
        self.first = nn.Linear(width, maps)
        # Offsets of a pixel are small numbers, and edges are sharp: they come in units of a few pixels.
        self.offset = nn.Linear(2, maps)
        self.sharpness = side / 4
        self.second = nn.Linear(maps, maps)
        self.output = nn.Linear(maps, channels)

    @property
    def layer_names(self) -> tuple[str, ...]:
        return (*(f"layer{index}" for index in range(len(self.hidden))), "maps0", "maps1")

    def stages(
        self, codes: Float[torch.Tensor, "batch inputs"], through: Through = unchanged
    ) -> Iterator[tuple[str, torch.Tensor]]:
        units = yield from self.units(codes[:, self.get_buffer("kept")], through)
        # The two parts of an offset are added before any pixel is made: a row and a column each.
        middles, (across, up) = self.get_buffer("middles"), (codes[:, [place]] for place in self.place)
        right = self.sharpness * (middles - 0.5 - self.reach[0] * across)
        below = self.sharpness * (middles - 0.5 + self.reach[1] * up)
        columns, rows = (
            part[..., None] * weight for part, weight in zip((right, below), self.offset.weight.T, strict=True)
        )
        sums = (self.first(units) + self.offset.bias)[:, None, None] + rows[:, :, None] + columns[:, None]
        pixels = through("maps0", bent(sums).permute(0, 3, 1, 2))
        yield "maps0", pixels
        pixels = through("maps1", bent(self.second(pixels.permute(0, 2, 3, 1))).permute(0, 3, 1, 2))
        yield "maps1", pixels
        yield "output", self.output(pixels.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)


def bent(sums: torch.Tensor) -> torch.Tensor:
    """ELU: z above 0, exp(z) − 1 below."""
    # In place: nothing else reads what goes into it, and a fresh large array a layer costs page faults.
    return F.elu(sums, inplace=True)
