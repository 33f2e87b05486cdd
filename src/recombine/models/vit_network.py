"""The vision transformer that reads a small picture."""

from collections.abc import Iterator

import torch
from torch import nn
from torch.nn import functional as F

from recombine.core.shapes import Float
from recombine.models.network import Network, Through, unchanged


class ViTNetwork(Network):
    """picture → patches → Linear dim, class token in front, + positions → `Block` × depth → class token → Linear.

    A patch is patch × patch pixels of all channels. Positions (one per token, the class token's included) and the
    class token are learned and start as N(0, 1). The class token is normalised before the last linear layer. Dropout
    acts on the embedded tokens and inside every block, in training only.

    Layers: ``embedding`` and ``block1``, ``block2``, ... hold all tokens (batch, 1 + patches, dim), the class token
    first; ``readout`` is the normalised class token.
    """

    def __init__(
        self,
        picture: tuple[int, int, int],
        patch: int,
        dim: int,
        hidden: int,
        depth: int,
        heads: int,
        head: int,
        dropout: float,
        image: tuple[int, int],
    ) -> None:
        super().__init__()
        channels, rows, columns = picture
        self.picture, self.patch, self.image = picture, patch, image
        self.embed = nn.Linear(channels * patch**2, dim)
        self.token = nn.Parameter(torch.randn(dim))
        self.positions = nn.Parameter(torch.randn(1 + (rows // patch) * (columns // patch), dim))
        self.dropout = nn.Dropout(dropout)
        self.blocks = nn.ModuleList(Block(dim, hidden, heads, head, dropout) for _ in range(depth))
        self.norm = nn.LayerNorm(dim)
        self.output = nn.Linear(dim, image[0] * image[1])

    @property
    def layer_names(self) -> tuple[str, ...]:
        return ("embedding", *(f"block{index}" for index in range(1, len(self.blocks) + 1)), "readout")

    def stages(
        self, codes: Float[torch.Tensor, "batch inputs"], through: Through = unchanged
    ) -> Iterator[tuple[str, torch.Tensor]]:
        patches = self.embed(cut_patches(codes.unflatten(1, self.picture), self.patch))
        token = self.token.expand(len(codes), 1, -1)
        hidden = through("embedding", self.dropout(torch.cat([token, patches], dim=1) + self.positions))
        yield "embedding", hidden
        for name, block in zip(self.layer_names[1:-1], self.blocks, strict=True):
            hidden = through(name, block(hidden))
            yield name, hidden
        readout = through("readout", self.norm(hidden[:, 0]))
        yield "readout", readout
        yield "output", self.output(readout).unflatten(1, self.image)


class Block(nn.Module):
    """x → x + Attention(LayerNorm x) → x + Linear GELU Linear (LayerNorm x), with dropout after each linear layer.

        Attention(x) = W_o concat_h [softmax(q_h k_h^T / √head) v_h] + b_o,    q, k, v = W_q x, W_k x, W_v x

    The heads together may be wider than the tokens. Attention weights themselves are not dropped.
    """

    def __init__(self, dim: int, hidden: int, heads: int, head: int, dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.attention_norm, self.hidden_norm = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.queries_keys_values = nn.Linear(dim, 3 * heads * head, bias=False)
        self.project = nn.Linear(heads * head, dim)
        self.widen, self.narrow = nn.Linear(dim, hidden), nn.Linear(hidden, dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, tokens: Float[torch.Tensor, "batch tokens dim"]) -> Float[torch.Tensor, "batch tokens dim"]:
        tokens = tokens + self.dropout(self.project(self._attend(self.attention_norm(tokens))))
        hidden = self.dropout(F.gelu(self.widen(self.hidden_norm(tokens))))
        return tokens + self.dropout(self.narrow(hidden))

    def _attend(self, tokens: Float[torch.Tensor, "batch tokens dim"]) -> Float[torch.Tensor, "batch tokens inner"]:
        split = self.queries_keys_values(tokens).unflatten(2, (3, self.heads, -1))
        queries, keys, values = split.permute(2, 0, 3, 1, 4)  # each: batch, head, token, entry
        # Written out: with so few tokens it costs nothing, and the library's fused version has no rule for vmap.
        weights = (queries @ keys.mT / queries.shape[-1] ** 0.5).softmax(-1)
        return (weights @ values).transpose(1, 2).flatten(2)


def cut_patches(
    pictures: Float[torch.Tensor, "batch channels rows columns"], patch: int
) -> Float[torch.Tensor, "batch patches pixels"]:
    """The pictures cut into squares of side ``patch``, row by row; each one channel by channel and row by row."""
    cut = pictures.unflatten(3, (-1, patch)).unflatten(2, (-1, patch))  # batch, channel, row, y, column, x
    return cut.permute(0, 2, 4, 1, 3, 5).flatten(3).flatten(1, 2)
