"""Pixels that are told the code and where they are, as per-pixel networks are, and then look at one another."""

from collections.abc import Iterator

import torch
from torch import nn
from torch.nn import functional as F

from recombine.core.shapes import Float
from recombine.models.network import Network, Through, unchanged
from recombine.models.per_pixel_network import position_codes

# Numbers in the attention weights that are computed at once: a picture of 28 x 28 has 2.5 million of them.
AT_ONCE = 2**24


class PixelTransformerNetwork(Network):
    """A token per pixel, W code + b + position(r, c) → `EncoderLayer` × depth → Linear 1 at every token.

    Layers are what each encoder layer gives, (batch, pixels, width), pixels row by row.
    """

    positions: torch.Tensor

    def __init__(
        self, inputs: int, width: int, depth: int, heads: int, feedforward: int, dropout: float, image: tuple[int, int]
    ) -> None:
        super().__init__()
        self.image = image
        self.embed = nn.Linear(inputs, width)
        self.layers = nn.ModuleList(
            EncoderLayer(width, heads, feedforward, dropout, batch_first=True) for _ in range(depth)
        )
        self.output = nn.Linear(width, 1)
        self.register_buffer("positions", position_codes(image, width), persistent=False)

    @property
    def layer_names(self) -> tuple[str, ...]:
        return tuple(f"layer{index}" for index in range(len(self.layers)))

    def stages(
        self, codes: Float[torch.Tensor, "batch inputs"], through: Through = unchanged
    ) -> Iterator[tuple[str, torch.Tensor]]:
        tokens = self.embed(codes)[:, None] + self.positions
        for name, layer in zip(self.layer_names, self.layers, strict=True):
            tokens = through(name, layer(tokens))
            yield name, tokens
        yield "output", self.output(tokens)[:, :, 0].unflatten(1, self.image)


class EncoderLayer(nn.TransformerEncoderLayer):
    """The library's layer, normalised after each sum:  x → N₁(x + Attention x) → N₂(x + W₂ max(W₁ x + b₁, 0) + b₂).

    Dropout acts on the attention weights, on the hidden units, and on what is added to x. The forward pass is written
    out because the library's fused ones have no rule for vmap, round otherwise without gradients than with, and those
    that drop attention weights hold those of a whole batch.
    """

    def forward(self, tokens: Float[torch.Tensor, "batch tokens width"]) -> torch.Tensor:  # type: ignore[override]
        at_once = max(1, AT_ONCE // (self.self_attn.num_heads * tokens.shape[1] ** 2))
        attended = torch.cat([self._attend(part) for part in tokens.split(at_once)])
        tokens = self.norm1(tokens + self.dropout1(attended))
        hidden = self.dropout(F.relu(self.linear1(tokens)))
        return self.norm2(tokens + self.dropout2(self.linear2(hidden)))

    def _attend(self, tokens: Float[torch.Tensor, "batch tokens width"]) -> Float[torch.Tensor, "batch tokens width"]:
        attention = self.self_attn
        joined = F.linear(tokens, attention.in_proj_weight, attention.in_proj_bias)
        queries, keys, values = joined.unflatten(2, (3, attention.num_heads, -1)).permute(2, 0, 3, 1, 4)
        weights = (queries @ keys.mT / queries.shape[-1] ** 0.5).softmax(-1)
        weights = F.dropout(weights, attention.dropout, self.training)
        return attention.out_proj((weights @ values).transpose(1, 2).flatten(2))
