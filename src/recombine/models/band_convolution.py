"""A 3 × 3 transposed convolution over a handful of channels, as products with band matrices."""

import torch
from torch import nn
from torch.nn import functional as F

from recombine.core.shapes import Float


class BandConvolution(nn.Module):
    """The same map, weights and initialisation as ``nn.ConvTranspose2d(inputs, outputs, 3, padding=1)``.

        y[o, r, c] = bias[o] + Σ_{i,u,v} x[i, r + 1 − u, c + 1 − v] weight[i, o, u, v]      (x is 0 outside)

    Library convolutions are slow when there are only two channels. Here the sum over v and i is one matrix product
    per u with a band matrix T_u of size (inputs · columns) × (outputs · columns). With the rows on the first axis a
    shift by u moves whole rows at once. The price is columns / 3 times more multiplications, which are nearly free up
    to 32 columns or so.
    """

    weight: torch.Tensor  # inputs, outputs, 3, 3
    bias: torch.Tensor  # outputs
    bands: torch.Tensor

    def __init__(self, inputs: int, outputs: int, columns: int) -> None:
        super().__init__()
        for name, parameter in nn.ConvTranspose2d(inputs, outputs, 3, padding=1).named_parameters():
            self.register_parameter(name, parameter)
        # bands[v, c, d] = 1 where column c of the input meets column d = c − 1 + v of the output.
        bands = torch.stack([torch.eye(columns + 2)[1:-1, 2 - v : columns + 2 - v] for v in range(3)])
        self.register_buffer("bands", bands, persistent=False)

    def forward(
        self, pictures: Float[torch.Tensor, "rows batch inputs columns"]
    ) -> Float[torch.Tensor, "rows batch outputs columns"]:
        rows, batch, _, columns = pictures.shape
        taps = torch.einsum("iouv,vcd->uicod", self.weight, self.bands).flatten(3, 4).flatten(1, 2)
        from_below, from_same, from_above = taps.unbind()  # u = 0, 1, 2
        flat = pictures.flatten(2).flatten(0, 1)
        result = torch.addmm(self.bias.repeat_interleave(columns), flat, from_same)
        # Padding by −batch and batch drops the first row and adds an empty last one: row r then holds row r + 1.
        result = torch.addmm(result, F.pad(flat, (0, 0, -batch, batch)), from_below)
        result = torch.addmm(result, F.pad(flat, (0, 0, batch, -batch)), from_above)
        return result.view(rows, batch, len(self.bias), columns)
