"""A small UNet for CPUs that keeps the depth, the conditioning and the read-out of the published one."""

from collections.abc import Iterator

import torch
from torch import nn
from torch.nn import functional as F

from recombine.core.shapes import Float
from recombine.models.denoiser import Denoiser, sinusoids


class LightBlock(nn.Module):
    """h = Conv(ReLU(Norm(x))) + Linear(SiLU(e));  x' + Conv(ReLU(Norm(h))), x' being x or a pointwise map of it.

    ReLU where the published network has GELU: of all that a CPU does here, bending is what convolutions wait for.
    """

    def __init__(self, inputs: int, outputs: int, units: int) -> None:
        super().__init__()
        self.norms = nn.ModuleList(nn.GroupNorm(1, size) for size in (inputs, outputs))
        self.convolutions = nn.ModuleList(nn.Conv2d(size, outputs, 3, padding=1) for size in (inputs, outputs))
        self.told = nn.Linear(units, outputs)
        self.across = nn.Identity() if inputs == outputs else nn.Conv2d(inputs, outputs, 1)

    def forward(self, pictures: torch.Tensor, told: Float[torch.Tensor, "batch units"]) -> torch.Tensor:
        first, second = zip(self.norms, self.convolutions, strict=True)
        # In place wherever nothing that is overwritten is needed on the way back: fresh arrays cost more than sums.
        hidden = first[1](F.relu_(first[0](pictures))).add_(self.told(told)[:, :, None, None])
        return second[1](F.relu_(second[0](hidden))).add_(self.across(pictures))


class Attention(nn.Module):
    """Every pixel looks at all others: x + Linear(attention of heads over LayerNorm(x))."""

    def __init__(self, channels: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm = nn.LayerNorm(channels)
        self.three = nn.Linear(channels, 3 * channels)
        self.output = nn.Linear(channels, channels)

    def forward(self, pictures: torch.Tensor) -> torch.Tensor:
        tokens = pictures.permute(0, 2, 3, 1).flatten(1, 2)
        parts = self.three(self.norm(tokens)).unflatten(2, (3, self.heads, -1))
        query, key, value = parts.permute(2, 0, 3, 1, 4)
        seen = F.scaled_dot_product_attention(query, key, value).transpose(1, 2).flatten(2)
        found = tokens + self.output(seen)
        return found.unflatten(1, pictures.shape[2:]).permute(0, 3, 1, 2)


class LightUnetDenoiser(Denoiser):
    """Two by two pixels become channels; two halvings and two doublings with skips; attention on the smallest grid.

    Blocks of ``width``, 2 width and 2 width channels on the way down, the same on the way up. Stages: ``layer0`` and
    ``layer1`` going down, ``bottleneck``, ``layer3`` (the probe) and ``layer4`` going up. A time has ``pairs`` sines
    and cosines; they and the code of the factors are told to every block.
    """

    def __init__(self, units: int, width: int, pairs: int, heads: int) -> None:
        super().__init__()
        self.pairs = pairs
        told = 2 * pairs + units
        self.stem = nn.Conv2d(4, width, 3, padding=1)
        self.down = nn.ModuleList([LightBlock(width, width, told), LightBlock(width, 2 * width, told)])
        self.middle = LightBlock(2 * width, 2 * width, told)
        self.attention = Attention(2 * width, heads)
        self.up = nn.ModuleList([LightBlock(4 * width, 2 * width, told), LightBlock(3 * width, width, told)])
        self.norm = nn.GroupNorm(1, width)
        self.head = nn.Conv2d(width, 4, 3, padding=1)

    @property
    def layer_names(self) -> tuple[str, ...]:
        return "layer0", "layer1", "bottleneck", "layer3", "layer4"

    @property
    def probe(self) -> str:
        return "layer3"

    def stages(
        self,
        pictures: Float[torch.Tensor, "batch rows columns"],
        times: Float[torch.Tensor, " batch"],
        codes: Float[torch.Tensor, "batch units"],
    ) -> Iterator[tuple[str, torch.Tensor]]:
        told = F.silu(torch.cat([sinusoids(times, self.pairs), codes], dim=1))
        # Channels last: on CPUs the normalisations and activations between small convolutions are faster so.
        seen = F.pixel_unshuffle(pictures[:, None], 2).contiguous(memory_format=torch.channels_last)
        fine = self.down[0](self.stem(seen), told)
        yield "layer0", fine
        coarse = self.down[1](F.avg_pool2d(fine, 2), told)
        yield "layer1", coarse
        middle = self.attention(self.middle(F.avg_pool2d(coarse, 2), told))
        yield "bottleneck", middle
        upper = self.up[0](torch.cat([F.interpolate(middle, scale_factor=2), coarse], dim=1), told)
        yield "layer3", upper
        last = self.up[1](torch.cat([F.interpolate(upper, scale_factor=2), fine], dim=1), told)
        yield "layer4", last
        yield "output", F.pixel_shuffle(self.head(F.relu(self.norm(last))), 2)[:, 0]
