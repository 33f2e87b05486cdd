"""Decoders of scenes: one of the whole code, or one of each component and a composition that joins what they draw.

Sizes and layers are those of Wiedemer et al., *Compositional Generalization from First Principles* (2023), and of the
code they released; ``kernel=2`` with ``corners=True`` is theirs, and so are a width of 256 and 32 maps for each
component, and a width of 320 and 64 maps for the whole.
"""

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from recombine.core.compositions import COLOURS, Composition, SoftOcclusion, compositions
from recombine.core.errors import InputError
from recombine.core.spec import MemberOf
from recombine.models.catalogue import DEEPEST, ModelSpec, models
from recombine.models.interface import Interface

if TYPE_CHECKING:
    import torch

    from recombine.models.component_decoders import ComponentDecoder


class SceneSpec(ModelSpec):
    """What decoders of scenes share: layers of ELU units, then a picture that doubles, or one unit per number.

    ``upsampling`` begins at 4 x 4 and doubles: bilinear interpolation (with ``corners``, corner pixels stay corner
    pixels), then a convolution. ``mlp`` has no convolutions, draws any size, and leaves ``maps``, ``kernel`` and
    ``corners`` unused. ``relative`` has a small network of ``maps`` units for every pixel, which knows where the pixel
    is relative to the component, so that a component moves without changing.
    """

    family: Literal["upsampling", "mlp", "relative"] = "upsampling"
    depth: int = Field(3, ge=1, le=DEEPEST)  # hidden layers of width units
    width: int = Field(96, ge=1)
    maps: int = Field(24, ge=1)  # channels of the picture while it doubles
    kernel: Literal[2, 3] = 3  # side of the convolutions; 2 sees a pixel and those after it
    corners: bool = True

    @property
    def stackable(self) -> bool:  # type: ignore[override]
        """Convolutions are slower when grouped; layers of units gain."""
        return self.family == "mlp"

    def check(self, interface: Interface) -> None:
        rows, columns = pixels(interface)
        # A power of two has one bit.
        if self.family == "upsampling" and (rows != columns or rows < 8 or rows.bit_count() != 1):
            raise InputError(
                f"{self.kind} doubles a picture of 4 x 4 once or more, so the image must be a square whose side is 8, "
                f"16, 32 or so on, got {rows} x {columns} pixels; use a task with such pictures, or family = mlp, "
                "which draws any size."
            )
        if self.family == "relative" and (rows != columns or len(interface.place) < 2 or self.kind == "monolithic"):
            raise InputError(
                f"family = relative draws a component where it is, so it needs square pictures, a code that tells the "
                f"place of each component, and the model compositional; got {rows} x {columns} pixels, "
                f"{len(interface.place)} inputs of place and {self.kind}; use sprites with inputs = unit or fourier, "
                "or another family."
            )

    def decoder(
        self, inputs: int, image: tuple[int, int], channels: int, place: tuple[int, ...] = ()
    ) -> "ComponentDecoder":
        """A new decoder from ``inputs`` numbers to a picture of so many rows, columns and channels."""
        from recombine.models.component_decoders import RelativeDecoder, UnitDecoder, UpsamplingDecoder

        if self.family == "mlp":
            return UnitDecoder(inputs, self.width, self.depth, image, channels)
        if self.family == "relative":
            return RelativeDecoder(inputs, self.width, self.depth, self.maps, place, image[0], channels)
        layers = self.width, self.depth, self.maps, self.kernel, self.corners
        return UpsamplingDecoder(inputs, *layers, image[0], channels)


def pixels(interface: Interface) -> tuple[int, int]:
    """Rows and columns of pixels, however many channels each has."""
    return interface.image[0], interface.image[1] // interface.channels


@models.register("monolithic")
class Monolithic(SceneSpec):
    """One decoder from the codes of all components to the picture: it knows of no components."""

    # About as many parameters as `compositional` has for two components on pictures of 16 x 16.
    width: int = Field(124, ge=1)
    maps: int = Field(40, ge=1)

    def network(self, interface: Interface) -> "torch.nn.Module":
        from recombine.models.scene_networks import MonolithicNetwork

        return MonolithicNetwork(self.decoder(interface.inputs, pixels(interface), interface.channels))


@models.register("compositional")
class Compositional(SceneSpec):
    """A decoder of each component, or one ``shared`` by all, and a composition that joins their pictures."""

    shared: bool = False
    composition: Annotated[Composition, MemberOf(compositions)] = SoftOcclusion()

    def check(self, interface: Interface) -> None:
        if interface.slots < 2:
            raise InputError(
                f"compositional draws each component of a scene by itself, but the code of {interface.inputs} numbers "
                "is of one component alone; it needs a task of components, e.g. sprites, or use the model monolithic."
            )
        if interface.channels != COLOURS:
            raise InputError(
                f"compositional joins components into pictures of {COLOURS} channels, got a task of "
                f"{interface.channels}; use a task of coloured pictures, e.g. sprites, or the model monolithic."
            )
        super().check(interface)

    def network(self, interface: Interface) -> "torch.nn.Module":
        from recombine.models.scene_networks import CompositionalNetwork, try_composition

        if not self.composition.learned:
            try_composition(self.composition, interface.slots, pixels(interface))
        sizes = interface.inputs // interface.slots, pixels(interface), self.composition.channels, interface.place
        decoders = [self.decoder(*sizes) for _ in range(1 if self.shared else interface.slots)]
        return CompositionalNetwork(decoders, interface.slots, self.composition)
