"""Networks that draw scenes: all at once, or component by component (Wiedemer et al. 2023)."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial

import torch
from torch import nn

from recombine.core.compositions import COLOURS, Composition, LearnedComposition, composed
from recombine.core.seeds import stream
from recombine.core.shapes import Float
from recombine.models.component_decoders import ComponentDecoder, bent
from recombine.models.network import Network, Through, unchanged

PROBES = 2  # pictures of each component that a composition is tried on


class MonolithicNetwork(Network):
    """x = φ(z): one decoder of the whole code. Its hidden stages are those of the decoder."""

    def __init__(self, decoder: ComponentDecoder) -> None:
        super().__init__()
        self.decoder = decoder

    @property
    def layer_names(self) -> tuple[str, ...]:
        return self.decoder.layer_names

    def stages(
        self, codes: Float[torch.Tensor, "batch inputs"], through: Through = unchanged
    ) -> Iterator[tuple[str, torch.Tensor]]:
        for name, stage in self.decoder.stages(codes, through):
            yield name, folded(channels_last(stage)) if name == "output" else stage


class CompositionalNetwork(Network):
    """x = C(φ_1(z_1), ..., φ_K(z_K)): a decoder of each slot's part of the code, the first in front.

    There are ``slots`` decoders, or one that all slots share. Hidden stages are those of the decoders, slot by slot
    (``slot0_layer0``), each followed by the picture it draws, ``component0``. A composition that is learned has one
    more, ``composition``: its hidden units, a picture too.
    """

    def __init__(self, decoders: Sequence[ComponentDecoder], slots: int, composition: Composition) -> None:
        super().__init__()
        # One that is shared is listed once: the weights of a network are saved once.
        self.decoders = nn.ModuleList(decoders)
        self.slots, self.composition = slots, composition
        self.mixer: PixelMixer | None = None
        if isinstance(composition, LearnedComposition):
            self.mixer = PixelMixer(slots * composition.channels, composition.hidden)

    @property
    def each(self) -> list[ComponentDecoder]:
        """The decoder of every slot."""
        listed = [decoder for decoder in self.decoders if isinstance(decoder, ComponentDecoder)]
        return listed if len(listed) == self.slots else listed * self.slots

    @property
    def layer_names(self) -> tuple[str, ...]:
        names: list[str] = []
        for slot, decoder in enumerate(self.each):
            names += [*(stage_name(slot, name) for name in decoder.layer_names), stage_name(slot, "output")]
        return (*names, *(() if self.mixer is None else ("composition",)))

    @property
    def unit_layers(self) -> tuple[str, ...]:
        """All but the pictures of components, which are answers rather than units."""
        pictures = {stage_name(slot, "output") for slot in range(self.slots)}
        return tuple(name for name in self.layer_names if name not in pictures)

    def stages(
        self, codes: Float[torch.Tensor, "batch inputs"], through: Through = unchanged
    ) -> Iterator[tuple[str, torch.Tensor]]:
        parts = []
        for slot, (decoder, code) in enumerate(zip(self.each, self.by_slot(codes), strict=True)):
            for name, stage in decoder.stages(code, partial(_through_slot, through, slot)):
                told = through(stage_name(slot, name), stage) if name == "output" else stage
                yield stage_name(slot, name), told
            parts.append(channels_last(told))
        if self.mixer is None:
            yield "output", folded(composed(self.composition, parts, finite=False))
            return
        units = through("composition", channels_first(self.mixer.units(parts)))
        yield "composition", units
        yield "output", folded(self.mixer.output(channels_last(units)))

    def by_slot(self, codes: Float[torch.Tensor, "batch inputs"]) -> tuple[torch.Tensor, ...]:
        """The part of the code that belongs to each slot."""
        return codes.unflatten(1, (self.slots, -1)).unbind(1)

    def components(
        self, codes: Float[torch.Tensor, "batch inputs"]
    ) -> Float[torch.Tensor, "slots batch rows columns channels"]:
        """The picture of every component, as the composition takes it."""
        pairs = zip(self.each, self.by_slot(codes), strict=True)
        return torch.stack([channels_last(decoder(code)) for decoder, code in pairs])

    def compose(
        self, parts: Iterable[Float[torch.Tensor, "batch rows columns channels"]]
    ) -> Float[torch.Tensor, "batch rows columns 3"]:
        """The scene of these components, one for each slot, the first in front."""
        return composed(self.composition, list(parts), finite=False) if self.mixer is None else self.mixer(parts)


def try_composition(composition: Composition, slots: int, image: tuple[int, int]) -> None:
    """Refuse a composition that makes no finite picture of components of either sign, or none of empty ones."""
    shape = (slots, PROBES, *image, composition.channels)
    drawn = stream(0, "models", "composition").normal(size=shape).astype("float32")
    composed(composition, list(torch.from_numpy(drawn)))
    composed(composition, list(torch.zeros(shape)), finite=False)


class PixelMixer(nn.Module):
    """Linear hidden, ELU, Linear 3, of the numbers that all components have at a pixel; the same for every pixel."""

    def __init__(self, inputs: int, hidden: int) -> None:
        super().__init__()
        self.hidden = nn.Linear(inputs, hidden)
        self.output = nn.Linear(hidden, COLOURS)

    def units(
        self, parts: Iterable[Float[torch.Tensor, "batch rows columns channels"]]
    ) -> Float[torch.Tensor, "batch rows columns hidden"]:
        """The hidden units of every pixel, after the ELU."""
        return bent(self.hidden(torch.cat(list(parts), dim=-1)))

    def forward(
        self, parts: Iterable[Float[torch.Tensor, "batch rows columns channels"]]
    ) -> Float[torch.Tensor, "batch rows columns 3"]:
        return self.output(self.units(parts))


def stage_name(slot: int, name: str) -> str:
    """The name that a stage of a slot's decoder has in the whole network."""
    return f"component{slot}" if name == "output" else f"slot{slot}_{name}"


def _through_slot(through: Through, slot: int, name: str, stage: torch.Tensor) -> torch.Tensor:
    return through(stage_name(slot, name), stage)


def channels_last(pictures: Float[torch.Tensor, "batch channels rows columns"]) -> torch.Tensor:
    """(batch, rows, columns, channels), as compositions take pictures."""
    return pictures.permute(0, 2, 3, 1)


def channels_first(pictures: Float[torch.Tensor, "batch rows columns channels"]) -> torch.Tensor:
    """(batch, channels, rows, columns), as layers tell pictures."""
    return pictures.permute(0, 3, 1, 2)


def folded(pictures: Float[torch.Tensor, "batch rows columns channels"]) -> Float[torch.Tensor, "batch rows _"]:
    """With the channels of a pixel side by side in its row."""
    return pictures.flatten(2)
