"""The models by name. A specification is plain settings; torch is imported only when a network is built."""

import math
from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import Field

from recombine.core.errors import InputError
from recombine.core.spec import Kinds, Spec, dump
from recombine.models.interface import Interface

if TYPE_CHECKING:
    import torch


DEEPEST = 1000  # layers; how wide they may be is left to the budget of all weights


class ModelSpec(Spec):
    """Settings of one model, and how to build its network.

    A new model gives `check`, which refuses what the network cannot fit, and `network`, which makes it; `build` sees
    to it that all of its random numbers come from the caller's generator.
    """

    trainable: ClassVar[bool] = True
    stackable: ClassVar[bool] = True  # whether training many at once is faster than one after the other
    generative: ClassVar[bool] = False  # whether it draws pictures from noise, of values from 0 to 1

    def check(self, interface: Interface) -> None:
        """Raise an `InputError` if the network cannot fit ``interface``. Needs no torch."""

    def shape(self) -> dict[str, Any]:
        """The settings that decide the shape of the computation: what members of a stack must have in common.

        By default the kind and every setting. A model leaves out what only changes the numbers its weights start from.
        """
        return dump(self)

    @property
    def passes(self) -> int:
        """How often the network is run for one answer."""
        return 1

    def in_passes(self, count: int) -> "ModelSpec":
        """The same network, run so often for one answer, where that can be chosen."""
        return self

    @abstractmethod
    def network(self, interface: Interface) -> "torch.nn.Module":
        """A new network for ``interface``, free to draw from the global generator; call `build` instead."""

    def build(self, interface: Interface, generator: "torch.Generator") -> "torch.nn.Module":
        """The network with fresh weights, as a function of the state of ``generator`` alone.

        The global generators are left as they were. The network takes codes (batch, inputs) to images
        (batch, rows, columns).
        """
        self.check(interface)
        from recombine.models.budget import Budget
        from recombine.models.weights import drawn_from

        with drawn_from(generator), Budget(self.kind):
            return self.network(interface)


models: Kinds[ModelSpec] = Kinds("model")


@models.register("mlp-decoder")
class MlpDecoder(ModelSpec):
    """Fully connected decoder: depth hidden layers of width ReLU units, then one linear unit per pixel."""

    width: int = Field(256, ge=1)
    depth: int = Field(4, ge=0, le=DEEPEST)  # hidden layers; 0 is a linear map

    def network(self, interface: Interface) -> "torch.nn.Module":
        from recombine.models.mlp_network import MlpNetwork

        return MlpNetwork(interface.inputs, self.width, self.depth, interface.image)


class DoublingDecoder(ModelSpec):
    """What decoders share that begin at a quarter of the image size and double it twice."""

    stackable: ClassVar[bool] = False  # bound by its convolutions, which are slower when grouped

    def check(self, interface: Interface) -> None:
        rows, columns = interface.image
        if rows % 4 or columns % 4:
            raise InputError(
                f"{self.kind} doubles its picture twice, so both sides of the image must be multiples of 4, "
                f"got {rows} x {columns}; use a task whose pictures have such sides, or the model mlp-decoder, "
                "which draws any size."
            )


@models.register("cnn-decoder")
class CnnDecoder(DoublingDecoder):
    """Transposed-convolution decoder: from a quarter of the image size, doubled twice, then depth - 2 layers more."""

    width: int = Field(64, ge=1)  # channels
    depth: int = Field(4, ge=2, le=DEEPEST)  # hidden layers after layer 0; the first two double the size

    def network(self, interface: Interface) -> "torch.nn.Module":
        from recombine.models.cnn import CnnNetwork

        return CnnNetwork(interface.inputs, self.width, self.depth, interface.image)


@models.register("rotation-decoder")
class RotationDecoder(DoublingDecoder):
    """Decoder of a turned picture: linear, doubled twice with BatchNorm, one last convolution, values from 0 to 1."""

    width: int = Field(128, ge=2, multiple_of=2)  # channels, half as many after the second doubling

    def network(self, interface: Interface) -> "torch.nn.Module":
        from recombine.models.rotation_network import RotationNetwork

        return RotationNetwork(interface.inputs, self.width, interface.image)


@models.register("forced-rendering")
class ForcedRendering(ModelSpec):
    """A learned picture per level of each factor, joined by a few tiny convolutions (Liang et al. 2025, Fig. 3).

    ``share: stripe`` makes each picture constant along its stripe by construction: along the rows for a level of x,
    along the columns for a level of y. Then there is nothing for the penalty ``rendering`` to do.
    """

    hidden: int = Field(2, ge=0, le=DEEPEST)  # blocks of PReLU and convolution before the last one
    share: Literal["none", "stripe"] = "none"

    def check(self, interface: Interface) -> None:
        rows, columns = interface.image
        if rows != columns or interface.levels != interface.image or rows < 2:
            raise InputError(
                f"forced-rendering draws each level as a square matrix: there must be two factors of n > 1 levels and "
                f"an image of n x n, got levels {interface.levels} and an image of {rows} x {columns}; "
                "use a task with as many levels as pixels each way, or the model mlp-decoder, which draws any size."
            )
        if interface.inputs != sum(interface.levels):
            raise InputError(
                f"forced-rendering mixes its pictures by one number per level, so inputs must be "
                f"{sum(interface.levels)} for levels {interface.levels}, got {interface.inputs}; "
                "use a task with such a code, e.g. bump with `encoding: one-hot`, or the model mlp-decoder, which "
                "takes any code."
            )

    def network(self, interface: Interface) -> "torch.nn.Module":
        from recombine.models.forced_rendering_network import ForcedRenderingNetwork
        from recombine.models.stripe_rendering_network import StripeRenderingNetwork

        if self.share == "stripe":
            return StripeRenderingNetwork(interface.levels[0], self.hidden)
        return ForcedRenderingNetwork(interface.levels[0], self.hidden)


@models.register("per-pixel")
class PerPixel(ModelSpec):
    """One small network shared by all pixels, told the code and where the pixel is."""

    width: int = Field(256, ge=4, multiple_of=4)  # units; a quarter of them for each of sin, cos of row and column
    depth: int = Field(2, ge=1, le=DEEPEST)  # hidden layers

    def network(self, interface: Interface) -> "torch.nn.Module":
        from recombine.models.per_pixel_network import PerPixelNetwork

        return PerPixelNetwork(interface.inputs, self.width, self.depth, interface.image)


@models.register("pixel-transformer")
class PixelTransformer(ModelSpec):
    """A token per pixel, told the code and where the pixel is as in per-pixel, and layers of attention between them."""

    stackable: ClassVar[bool] = False  # bound by large products, and what it drops is a seed's own

    width: int = Field(128, ge=4, multiple_of=4)  # numbers in a token
    depth: int = Field(2, ge=1, le=DEEPEST)  # encoder layers
    heads: int = Field(4, ge=1)
    feedforward: int = Field(2048, ge=1)  # hidden units of each encoder layer
    dropout: float = Field(0.1, ge=0, lt=1)

    def model_post_init(self, context: object) -> None:
        if self.width % self.heads:
            raise InputError(
                f"pixel-transformer cuts each token into one part per head, so width = {self.width} must be a multiple "
                f"of heads = {self.heads}; set heads to {math.gcd(self.width, self.heads)}, or change the width."
            )

    def network(self, interface: Interface) -> "torch.nn.Module":
        from recombine.models.pixel_transformer_network import PixelTransformerNetwork

        sizes = self.width, self.depth, self.heads, self.feedforward
        return PixelTransformerNetwork(interface.inputs, *sizes, self.dropout, interface.image)


@models.register("truth")
class Truth(ModelSpec):
    """The ground-truth images themselves: a control with nothing to train."""

    trainable: ClassVar[bool] = False

    def check(self, interface: Interface) -> None:
        raise InputError(
            "the model truth stands for the ground-truth images and has no network to build or train; "
            "measure the images of the task, or choose a trainable model such as mlp-decoder."
        )

    def network(self, interface: Interface) -> "torch.nn.Module":
        raise NotImplementedError("`check` refuses every interface first.")
