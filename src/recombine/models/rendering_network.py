"""Networks that draw each factor alone before they join the drawings: what they share.

Liang, Qian, Ziyin & Fiete, *Compositional Generalization via Forced Rendering of Disentangled Latents* (2025),
with the settings of the code they released.
"""

from abc import abstractmethod
from collections.abc import Iterator

import torch
from torch import nn

from recombine.core.shapes import Float
from recombine.models.band_convolution import BandConvolution
from recombine.models.network import Network, Through, unchanged

FACTORS = ("y", "x")  # first axis of the weights, and order of the halves of the code
CHANNELS = ("x", "y")  # as released


class RenderingNetwork(Network):
    """A square picture E_f[i] per level of each factor, mixed by the code, then tiny convolutions.

        picture of factor f = Σ_i code_f[i] E_f[i]          (a one-hot code picks E_f[i]; no factor, no picture)
        [x picture, y picture] → [PReLU, ConvT 2→2] × hidden → PReLU → ConvT 2→1        (kernel 3)

    Note the PReLU on the pictures themselves. Layers: ``embedding`` (the two pictures), then ``prelu0``, ``conv0``,
    ``prelu1``, ``conv1``, ..., the last ``prelu``; the last convolution is the output. Every slope starts at 0.25.

    A subclass makes the pictures, and calls `add_convolutions` once it has made what they are made of.
    """

    slopes: nn.ModuleList
    convolutions: nn.ModuleList

    @abstractmethod
    def pictures(self) -> Float[torch.Tensor, "factors levels rows columns"]:
        """E, factors in the order of `FACTORS`."""

    def add_convolutions(self, levels: int, hidden: int) -> None:
        """Everything after the pictures, with fresh weights."""
        self.slopes = nn.ModuleList(nn.PReLU() for _ in range(hidden + 1))
        self.convolutions = nn.ModuleList(BandConvolution(2, out, levels) for out in [2] * hidden + [1])

    @property
    def layer_names(self) -> tuple[str, ...]:
        blocks = range(len(self.convolutions) - 1)
        names = [name for block in blocks for name in (f"prelu{block}", f"conv{block}")]
        return ("embedding", *names, f"prelu{len(blocks)}")

    @property
    def unit_layers(self) -> tuple[str, ...]:
        return tuple(name for name in self.layer_names if name.startswith("prelu"))

    def squared_reach(
        self, name: str, values: Float[torch.Tensor, "batch channels rows columns"]
    ) -> Float[torch.Tensor, ""]:
        reader = self.convolutions[self.unit_layers.index(name)]
        assert isinstance(reader, BandConvolution)
        return nn.functional.conv_transpose2d(values, reader.weight.square(), padding=1).sum()

    def embeddings(self) -> dict[str, Float[torch.Tensor, "levels rows columns"]]:
        """The pictures E_f by factor; ``embeddings()["x"][i]`` is what level i of x looks like, rows first."""
        return dict(zip(FACTORS, self.pictures(), strict=True))

    def stages(
        self, codes: Float[torch.Tensor, "batch inputs"], through: Through = unchanged
    ) -> Iterator[tuple[str, torch.Tensor]]:
        codes_by_factor = codes.unflatten(1, (len(FACTORS), -1))
        mixed = torch.einsum("bfi,firc->frbc", codes_by_factor, self.pictures())
        # Rows first (rows, batch, channels, columns), which is what the convolutions want.
        pictures = torch.stack([mixed[FACTORS.index(channel)] for channel in CHANNELS], dim=2)
        pictures = _rows_first(through("embedding", _batch_first(pictures)))
        yield "embedding", _batch_first(pictures)
        last = len(self.convolutions) - 1
        for block, (slope, convolution) in enumerate(zip(self.slopes, self.convolutions, strict=True)):
            pictures = _rows_first(through(f"prelu{block}", _batch_first(slope(pictures))))
            yield f"prelu{block}", _batch_first(pictures)
            pictures = convolution(pictures)
            if block < last:
                pictures = _rows_first(through(f"conv{block}", _batch_first(pictures)))
                yield f"conv{block}", _batch_first(pictures)
        yield "output", _batch_first(pictures)[:, 0]


def _batch_first(pictures: Float[torch.Tensor, "rows batch channels columns"]) -> torch.Tensor:
    return pictures.permute(1, 2, 0, 3)


def _rows_first(pictures: Float[torch.Tensor, "batch channels rows columns"]) -> torch.Tensor:
    return pictures.permute(2, 0, 1, 3)
