"""The rendering network whose pictures are stripes by construction, with nothing left to regularise."""

import torch
from torch import nn

from recombine.core.shapes import Float
from recombine.models.rendering_network import FACTORS, RenderingNetwork


class StripeRenderingNetwork(RenderingNetwork):
    """One learned profile per level, shared along the stripe: the level of y decides the row, that of x the column.

        E_y[j][r, c] = s_y[j, r]   for every column c,        E_x[i][r, c] = s_x[i, c]   for every row r

    Every picture has rank one. Entries of s start as N(0, 1/levels). The rest is as in every `RenderingNetwork`.
    """

    def __init__(self, levels: int, hidden: int) -> None:
        super().__init__()
        self.profiles = nn.Parameter(torch.randn(len(FACTORS), levels, levels) / levels**0.5)  # factor, level, place
        self.add_convolutions(levels, hidden)

    def pictures(self) -> Float[torch.Tensor, "factors levels rows columns"]:
        profiles = dict(zip(FACTORS, self.profiles, strict=True))
        stripes = {"y": profiles["y"][:, :, None], "x": profiles["x"][:, None, :]}
        side = self.profiles.shape[-1]
        return torch.stack([stripes[factor].expand(-1, side, side) for factor in FACTORS])
