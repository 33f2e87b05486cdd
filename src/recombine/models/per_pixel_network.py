"""One network for all pixels, told where it is."""

from collections.abc import Iterator

import torch
from torch import nn
from torch.nn import functional as F

from recombine.core.shapes import Float
from recombine.models.network import Network, Through, unchanged


class PerPixelNetwork(Network):
    """(W code + b + position(r, c)) → [Linear width, PReLU] × depth → Linear 1, with the same weights at every pixel.

    Layers are the depth activations after the PReLU, for all pixels together. Pixels never see one another: what is
    drawn at a place depends only on the code and the place.
    """

    positions: torch.Tensor

    def __init__(self, inputs: int, width: int, depth: int, image: tuple[int, int]) -> None:
        super().__init__()
        self.image = image
        self.embed = nn.Linear(inputs, width)
        self.first = nn.Linear(width, width)
        self.hidden = nn.ModuleList(nn.Linear(width, width) for _ in range(depth - 1))
        self.slopes = nn.ModuleList(nn.PReLU() for _ in range(depth))
        self.output = nn.Linear(width, 1)
        self.register_buffer("positions", position_codes(image, width), persistent=False)

    @property
    def layer_names(self) -> tuple[str, ...]:
        return tuple(f"layer{index}" for index in range(len(self.slopes)))

    def stages(
        self, codes: Float[torch.Tensor, "batch inputs"], through: Through = unchanged
    ) -> Iterator[tuple[str, torch.Tensor]]:
        # Nothing bends before the first hidden layer, so it maps the code and the places apart and adds the two:
        # batch + pixels products in place of batch · pixels, half of the work at depth 2.
        hidden = self.first(self.embed(codes))[:, None] + F.linear(self.positions, self.first.weight)
        for index, (name, slope) in enumerate(zip(self.layer_names, self.slopes, strict=True)):
            if index:
                hidden = self.hidden[index - 1](hidden)
            hidden = through(name, slope(hidden))
            yield name, hidden
        yield "output", self.output(hidden)[:, :, 0].unflatten(1, self.image)


def position_codes(image: tuple[int, int], width: int) -> Float[torch.Tensor, "pixels width"]:
    """A code of length ``width`` for every pixel, row by row, from its integer row r and column c.

        [sin r k_m, cos r k_m, sin c k_m, cos c k_m],   k_m = 10000^(−4m/width),   m = 0, ..., width/4 − 1

    The four are interleaved: entries 4m to 4m + 3 belong to k_m, the fastest first.
    """
    rows, columns = image
    rates = 10000.0 ** (-4.0 * torch.arange(width // 4, dtype=torch.float64) / width)
    row, column = torch.meshgrid(torch.arange(rows), torch.arange(columns), indexing="ij")
    by_row, by_column = (place.reshape(-1, 1) * rates for place in (row, column))
    waves = torch.stack([by_row.sin(), by_row.cos(), by_column.sin(), by_column.cos()], dim=-1)
    return waves.flatten(1).to(torch.get_default_dtype())
