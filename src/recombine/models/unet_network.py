"""The UNet that predicts the noise in a picture, block by block as in the paper on factorizing diffusion models."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F

from recombine.core.errors import InputError
from recombine.core.shapes import Float
from recombine.models.denoiser import Denoiser, sinusoids

DEEP = 8  # three halvings: the sides of a picture must be multiples of this


class UnetDenoiser(Denoiser):
    """picture → stem → three `Down`s → three `DoubleConvolution`s → three `Up`s → 1 × 1 convolution → noise.

    With c for ``width`` and pictures of N × N, channels × side after each stage:

        stem c × N | layer0 2c × N/2 | layer1 4c × N/4 | layer2 4c × N/8 | bottleneck 8c, 8c, 4c × N/8
        layer3 2c × N/4 | layer4 c × N/2 | layer5 c × N | head 1 × N

    Every up stage is joined with what has its size on the way down: layer1, layer0, the stem. All six blocks are told
    the embedding (sinusoids(t, pairs), codes) and end in self-attention, unless their grid has more than ``attention``
    places; then they end without it. None: attention everywhere, as published.

    Layers are the blocks as they end, (batch, channels, rows, columns); the stem and the head are not among them. What
    the network represents is layer 4: as it ends or, with ``before``, as it enters its attention, then a layer too.
    """

    def __init__(
        self,
        units: int,
        image: tuple[int, int],
        width: int = 64,
        pairs: int = 128,
        attention: int | None = None,
        heads: int = 4,
        before: bool = False,
    ) -> None:
        super().__init__()
        if any(side < DEEP or side % DEEP for side in image):
            raise InputError(
                f"the unet cannot draw pictures of {image[0]} x {image[1]}: it halves them three times, so that both "
                f"sides must be multiples of {DEEP}; choose such a canvas, for example 16 x 16 or 32 x 32."
            )
        if width % heads:
            raise InputError(
                f"the unet's width {width} cannot be shared among {heads} heads of attention; choose a width that is "
                f"a multiple of heads, for example {heads * (width // heads + 1)}."
            )
        self.pairs, self.before = pairs, before
        embedding, places = 2 * pairs + units, image[0] * image[1]

        def heads_at(halvings: int) -> int:
            """The heads of attention on the grid after so many halvings; 0 where it has too many places."""
            return heads if attention is None or places // 4**halvings <= attention else 0

        c = width
        self.stem = DoubleConvolution(1, c)
        self.downs = nn.ModuleList(
            Down(inputs, outputs, embedding, heads_at(halvings))
            for inputs, outputs, halvings in ((c, 2 * c, 1), (2 * c, 4 * c, 2), (4 * c, 4 * c, 3))
        )
        self.bottleneck = nn.Sequential(
            DoubleConvolution(4 * c, 8 * c), DoubleConvolution(8 * c, 8 * c), DoubleConvolution(8 * c, 4 * c)
        )
        self.ups = nn.ModuleList(
            Up(inputs, outputs, embedding, heads_at(halvings))
            for inputs, outputs, halvings in ((8 * c, 2 * c, 2), (4 * c, c, 1), (2 * c, c, 0))
        )
        self.head = nn.Conv2d(c, 1, 1)

    @property
    def layer_names(self) -> tuple[str, ...]:
        inside = (self.probe,) if self.before else ()
        return ("layer0", "layer1", "layer2", "bottleneck", "layer3", *inside, "layer4", "layer5")

    @property
    def probe(self) -> str:
        return "layer4-before" if self.before else "layer4"

    def stages(
        self,
        pictures: Float[torch.Tensor, "batch rows columns"],
        times: Float[torch.Tensor, " batch"],
        codes: Float[torch.Tensor, "batch units"],
    ) -> Iterator[tuple[str, torch.Tensor]]:
        told = F.silu(torch.cat([sinusoids(times, self.pairs), codes], dim=1))
        # Channels first: channels last was measured to be slower at the published size on a CPU.
        hidden = self.stem(pictures[:, None])
        skips = [hidden]
        for name, down in zip(("layer0", "layer1", "layer2"), self.downs, strict=True):
            hidden = down(hidden, told)
            skips.append(hidden)
            yield name, hidden
        hidden = self.bottleneck(hidden)
        yield "bottleneck", hidden
        ups: list[Any] = list(self.ups)
        for name, up, skip in zip(("layer3", "layer4", "layer5"), ups, reversed(skips[:-1]), strict=True):
            with entering(up.block.attention) as convolved:
                hidden = up(hidden, skip, told)
            if self.before and name == "layer4":
                yield self.probe, convolved[0]
            yield name, hidden
        yield "output", self.head(hidden)[:, 0]


@contextmanager
def entering(module: nn.Module) -> Iterator[list[torch.Tensor]]:
    """What a module inside a block is given meanwhile."""
    seen: list[torch.Tensor] = []
    hook = module.register_forward_pre_hook(lambda _, given: seen.extend(given))
    try:
        yield seen
    finally:
        hook.remove()


class DoubleConvolution(nn.Module):
    """x → Norm Conv GELU Norm Conv x, kernels of 3, no biases; the residual form is GELU(x + that).

    Norm is GroupNorm with one group: over channels and pixels of each picture, then a scale and a shift per channel.
    """

    def __init__(self, inputs: int, outputs: int, middle: int | None = None, residual: bool = False) -> None:
        super().__init__()
        middle = outputs if middle is None else middle
        self.residual = residual
        self.first = nn.Conv2d(inputs, middle, 3, padding=1, bias=False)
        self.first_norm = nn.GroupNorm(1, middle)
        self.second = nn.Conv2d(middle, outputs, 3, padding=1, bias=False)
        self.second_norm = nn.GroupNorm(1, outputs)

    def forward(
        self, pictures: Float[torch.Tensor, "batch inputs rows columns"]
    ) -> Float[torch.Tensor, "batch outputs rows columns"]:
        hidden = F.gelu(self.first_norm(self.first(pictures)))
        hidden = self.second_norm(self.second(hidden))
        return F.gelu(pictures + hidden) if self.residual else hidden


class Block(nn.Module):
    """Residual `DoubleConvolution`, `DoubleConvolution`, + W told + b at every pixel, `Attention` (0 heads: without).

    ``told`` is SiLU of the embedding.
    """

    def __init__(self, inputs: int, outputs: int, middle: int, embedding: int, heads: int) -> None:
        super().__init__()
        self.convolutions = nn.Sequential(
            DoubleConvolution(inputs, inputs, residual=True), DoubleConvolution(inputs, outputs, middle)
        )
        self.project = nn.Linear(embedding, outputs)
        self.attention = Attention(outputs, heads) if heads else nn.Identity()

    def forward(
        self, pictures: Float[torch.Tensor, "batch inputs rows columns"], told: Float[torch.Tensor, "batch embedding"]
    ) -> Float[torch.Tensor, "batch outputs rows columns"]:
        return self.attention(self.convolutions(pictures) + self.project(told)[:, :, None, None])


class Down(nn.Module):
    """The largest of each 2 × 2 pixels, then a `Block`."""

    def __init__(self, inputs: int, outputs: int, embedding: int, heads: int) -> None:
        super().__init__()
        self.block = Block(inputs, outputs, outputs, embedding, heads)

    def forward(
        self, pictures: Float[torch.Tensor, "batch inputs rows columns"], told: Float[torch.Tensor, "batch embedding"]
    ) -> Float[torch.Tensor, "batch outputs _ _"]:
        return self.block(F.max_pool2d(pictures, 2), told)


class Up(nn.Module):
    """Both sides doubled (bilinear, corners on corners), joined behind the skip, then a `Block` of half the middle.

    ``inputs`` counts the channels of both: of the skip and of what comes from below.
    """

    def __init__(self, inputs: int, outputs: int, embedding: int, heads: int) -> None:
        super().__init__()
        self.block = Block(inputs, outputs, inputs // 2, embedding, heads)

    def forward(
        self,
        pictures: Float[torch.Tensor, "batch below _ _"],
        skip: Float[torch.Tensor, "batch beside rows columns"],
        told: Float[torch.Tensor, "batch embedding"],
    ) -> Float[torch.Tensor, "batch outputs rows columns"]:
        larger = F.interpolate(pictures, scale_factor=2, mode="bilinear", align_corners=True)
        return self.block(torch.cat([skip, larger], dim=1), told)


class Attention(nn.Module):
    """x → x + MultiHead(LayerNorm x) → x + Linear GELU Linear (LayerNorm x), every pixel a token, all of one width.

        MultiHead(x) = W_o concat_h [softmax(q_h k_h^T / √(channels / heads)) v_h] + b_o,    (q, k, v) = W x + b

    Tokens have no position. Weights start as those of nn.MultiheadAttention: W by Glorot and Bengio, biases at 0.
    """

    def __init__(self, channels: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.attention_norm, self.hidden_norm = nn.LayerNorm(channels), nn.LayerNorm(channels)
        self.queries_keys_values = nn.Linear(channels, 3 * channels)
        self.project = nn.Linear(channels, channels)
        self.widen, self.narrow = nn.Linear(channels, channels), nn.Linear(channels, channels)
        nn.init.xavier_uniform_(self.queries_keys_values.weight)
        nn.init.zeros_(self.queries_keys_values.bias)
        nn.init.zeros_(self.project.bias)

    def forward(
        self, pictures: Float[torch.Tensor, "batch channels rows columns"]
    ) -> Float[torch.Tensor, "batch channels rows columns"]:
        tokens = pictures.permute(0, 2, 3, 1).flatten(1, 2)
        tokens = tokens + self.project(self._attend(self.attention_norm(tokens)))
        tokens = tokens + self.narrow(F.gelu(self.widen(self.hidden_norm(tokens))))
        return tokens.unflatten(1, pictures.shape[2:]).permute(0, 3, 1, 2)

    def _attend(self, tokens: Float[torch.Tensor, "batch tokens channels"]) -> torch.Tensor:
        split = self.queries_keys_values(tokens).unflatten(2, (3, self.heads, -1))
        queries, keys, values = split.permute(2, 0, 3, 1, 4)  # each: batch, head, token, entry
        # The library's fused kernel: it never writes down the weights, tokens x tokens numbers a head.
        return F.scaled_dot_product_attention(queries, keys, values).transpose(1, 2).flatten(2)
