"""Models that read an input and answer with few numbers, most often one: an image of 1 x 1.

Sizes are those of Lippl & Stachenfeld, *When does compositional structure yield compositional generalization? A
kernel theory* (2025), and of the code they released; those of the encoder are of the code of Liang et al. (2025).
"""

import math
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import Field

from recombine.core.errors import InputError
from recombine.models.catalogue import DEEPEST, ModelSpec, models
from recombine.models.interface import Interface

if TYPE_CHECKING:
    import torch


@models.register("mlp")
class Mlp(ModelSpec):
    """Fully connected ReLU network whose initial weights are scaled: near 1 it is lazy, near 0 it learns features.

        weight ~ N(0, scale² · 2 / fan_in),   bias ~ U(−scale / √fan_in, scale / √fan_in)   in every layer

    The same generator gives the same weights at every scale, up to the factor.
    """

    width: int = Field(1000, ge=1)
    depth: int = Field(1, ge=0, le=DEEPEST)  # hidden layers; 0 is a linear map
    scale: float = Field(1.0, gt=0)

    def shape(self) -> dict[str, Any]:
        return {name: value for name, value in super().shape().items() if name != "scale"}

    def network(self, interface: Interface) -> "torch.nn.Module":
        from torch import nn

        from recombine.models.mlp_network import MlpNetwork

        network = MlpNetwork(interface.inputs, self.width, self.depth, interface.image)
        for layer in (*network.hidden, network.output):
            nn.init.normal_(layer.weight, std=self.scale * math.sqrt(2 / layer.in_features))
            bound = self.scale / math.sqrt(layer.in_features)
            nn.init.uniform_(layer.bias, -bound, bound)
        return network


class PictureReader(ModelSpec):
    """What models that read a picture share: they need to know its shape, and are trained one at a time."""

    stackable: ClassVar[bool] = False  # bound by large products, and stacks do not keep the statistics of batches

    def check(self, interface: Interface) -> None:
        self.picture(interface)

    def picture(self, interface: Interface) -> tuple[int, int, int]:
        """(channels, rows, columns) of the input, or an `InputError` if it is a plain code."""
        if interface.picture is None:
            raise InputError(
                f"{self.kind} reads pictures, but the input is a plain code of {interface.inputs} numbers; "
                "choose a task whose inputs are pictures, or the model mlp, which reads any code."
            )
        return interface.picture


@models.register("encoder")
class Encoder(PictureReader):
    """Three convolutions of stride 2 with w, 2w and 4w channels, a dense layer of 4w: the inverse of a decoder."""

    width: int = Field(32, ge=1)  # w

    def network(self, interface: Interface) -> "torch.nn.Module":
        from recombine.models.encoder_network import EncoderNetwork

        return EncoderNetwork(self.picture(interface), self.width, interface.image)


class ScaledReader(PictureReader):
    """A reader of pictures of published sizes, which ``width`` scales: 1 is as published."""

    width: float = Field(1.0, gt=0)  # factor on all widths, rounded, never less than one unit

    def wide(self, *published: int) -> tuple[int, ...]:
        """The published widths, scaled."""
        return tuple(max(1, round(size * self.width)) for size in published)


@models.register("convnet")
class ConvNet(ScaledReader):
    """Four valid convolutions with BatchNorm (32, 32, 64, 64 channels), a max-pool, dense layers of 512 and 1024.

    The pool comes once, after the fourth convolution, and 512 and 1024 are hidden widths, as in the released code.
    The other reading of "512 → 1024 → 1", that 512 numbers come out of the pool, holds for no size of 28 x (28 + d):
    they are 64 · 6 · (6 + d/2) there, with d/2 rounded down.
    """

    kernel: int = Field(5, ge=1)  # side of every convolution; 3 suits pictures of 14 x 14

    def check(self, interface: Interface) -> None:
        _, rows, columns = self.picture(interface)
        least = 4 * (self.kernel - 1) + 2
        if min(rows, columns) < least:
            largest = (min(rows, columns) - 2) // 4 + 1
            smaller = f", or set kernel to {largest} or less" if largest > 0 else ""
            raise InputError(
                f"convnet takes {least - 2} pixels off each side with its convolutions of kernel = {self.kernel} and "
                f"then halves the rest, so a picture must be {least} x {least} or larger, got {rows} x {columns}; "
                f"use larger pictures{smaller}."
            )

    def network(self, interface: Interface) -> "torch.nn.Module":
        from recombine.models.convnet_network import ConvNetwork

        channels, dense = self.wide(32, 32, 64, 64), self.wide(512, 1024)
        return ConvNetwork(self.picture(interface), channels, dense, self.kernel, interface.image)


@models.register("resnet")
class ResNet(ScaledReader):
    """Residual network: a stem, then two blocks each of 16, 32, 64 and 128 channels, and the mean over places."""

    def network(self, interface: Interface) -> "torch.nn.Module":
        from recombine.models.resnet_network import ResNetwork

        return ResNetwork(self.picture(interface), self.wide(16, 32, 64, 128), interface.image)


@models.register("vit")
class ViT(ScaledReader):
    """Vision transformer: 4 blocks of 6 heads over patches and a class token, which is read out; dropout 0.1.

    ``width`` scales the tokens (256), the hidden layer of each block (256) and each head (64); heads stay 6.
    """

    patch: int = Field(8, ge=1)  # side of a patch in pixels

    def check(self, interface: Interface) -> None:
        _, rows, columns = self.picture(interface)
        if rows % self.patch or columns % self.patch:
            side = math.gcd(rows, columns)
            near = max(patch for patch in range(1, min(self.patch, side) + 1) if side % patch == 0)
            raise InputError(
                f"vit cuts its picture into squares, so both sides must be multiples of patch = {self.patch}, "
                f"got {rows} x {columns}; set patch to {near}, or use pictures of another size."
            )

    def network(self, interface: Interface) -> "torch.nn.Module":
        from recombine.models.vit_network import ViTNetwork

        dim, hidden, head = self.wide(256, 256, 64)
        picture, image = self.picture(interface), interface.image
        return ViTNetwork(picture, self.patch, dim, hidden, 4, 6, head, 0.1, image)
