"""A small UNet for CPUs that keeps the depth, the conditioning and the read-out of the published one."""

from collections.abc import Iterator, Sequence
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F

from recombine.core.shapes import Float
from recombine.models.denoiser import Denoiser, sinusoids

LAST = torch.channels_last
# From the 3 x 3 numbers of a kernel to the 4 x 4 sums of those that fall together on pictures of half the side, turned.
SUMS = torch.kron(*[torch.tensor([[0.0, 0, 1, 1], [0, 1, 1, 0], [1, 1, 0, 0]])] * 2)


def bent(norm: Any, pictures: torch.Tensor) -> torch.Tensor:
    """ReLU(Norm(x)), in place: what a normalisation gives is not needed on its way back.

    Called by its operation, not as a module: of a norm of so few numbers a tenth of the time is the way there.
    """
    return F.relu_(torch.group_norm(pictures, norm.num_groups, norm.weight, norm.bias, norm.eps))


class LightBlock(nn.Module):
    """h = Conv(ReLU(Norm(x))) + Linear(SiLU(e));  x' + Conv(ReLU(Norm(h))), x' being x or a pointwise map of it.

    ReLU where the published network has GELU: of all that a CPU does here, bending is what convolutions wait for.
    Of the channels that enter, the first ``doubled`` are known to be small pictures that `Joined` has made twice as
    large; it changes nothing but how the first convolution is computed.
    """

    def __init__(self, inputs: int, outputs: int, units: int, doubled: int = 0) -> None:
        super().__init__()
        self.doubled = doubled
        self.norms = nn.ModuleList(nn.GroupNorm(1, size) for size in (inputs, outputs))
        self.convolutions = nn.ModuleList(nn.Conv2d(size, outputs, 3, padding=1) for size in (inputs, outputs))
        self.told = nn.Linear(units, outputs)
        self.across: Any = nn.Identity() if inputs == outputs else nn.Conv2d(inputs, outputs, 1)

    def forward(self, pictures: torch.Tensor, added: Float[torch.Tensor, "batch outputs"]) -> torch.Tensor:
        """What `additions` gives for this block is added after the first convolution, whose bias it has."""
        layers: list[Any] = [*self.norms, *self.convolutions]
        before, between, first, second = layers
        # In place wherever nothing that is overwritten is needed on the way back: fresh arrays cost more than sums.
        hidden = entering(bent(before, pictures), first.weight, self.doubled).add_(added[:, :, None, None])
        if isinstance(self.across, nn.Identity):
            return second(bent(between, hidden)).add_(pictures)
        # Channels last a pointwise map is a matrix product, in half the time of a convolution of one pixel.
        weight, bias = self.across.weight.flatten(1), self.across.bias + second.bias
        across = F.linear(pictures.permute(0, 2, 3, 1), weight, bias).permute(0, 3, 1, 2)
        return F.conv2d(bent(between, hidden), second.weight, padding=1).add_(across)


def entering(pictures: torch.Tensor, weight: torch.Tensor, doubled: int) -> torch.Tensor:
    """A 3 x 3 convolution of pictures whose first ``doubled`` channels have every pixel two by two times.

    On those it is a transposed convolution of the small pictures with sums of its kernel, in 4 of 9 operations.
    """
    if not doubled:
        return F.conv2d(pictures, weight, padding=1)
    small, large = Parted.apply(pictures, doubled)
    sums = (weight.flatten(2) @ SUMS.to(weight)).unflatten(2, (4, 4))[:, :doubled].transpose(0, 1)
    beside = F.conv2d(large, weight[:, doubled:], padding=1)
    return beside.add_(F.conv_transpose2d(small, sums, stride=2, padding=1))


def additions(blocks: Sequence[LightBlock], told: Float[torch.Tensor, "batch units"]) -> Sequence[torch.Tensor]:
    """Linear(told) of every block plus the bias of its first convolution: one product for all of them.

    A bias of a convolution costs a pass over its gradient; the sums that are taken anyway have it for nothing.
    """
    weights = torch.cat([block.told.weight for block in blocks])
    biases = torch.cat([block.told.bias for block in blocks])
    firsts: list[Any] = [block.convolutions[0] for block in blocks]
    entering = torch.cat([first.bias for first in firsts])
    return F.linear(told, weights, biases + entering).split([block.told.out_features for block in blocks], dim=1)


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


class Joined(torch.autograd.Function):
    """Small pictures, every pixel of which becomes two by two, and large ones beside them: one array, written once.

    The channels of the small pictures come first. On the way back a pixel has the sum of its four.
    """

    @staticmethod
    def forward(ctx: Any, small: torch.Tensor, large: torch.Tensor) -> torch.Tensor:
        batch, channels, rows, columns = small.shape
        joined = small.new_empty(batch, rows, 2, columns, 2, channels + large.shape[1])
        joined[..., :channels] = small.permute(0, 2, 3, 1)[:, :, None, :, None]
        pictures = joined.view(batch, 2 * rows, 2 * columns, -1)
        pictures[..., channels:] = large.permute(0, 2, 3, 1)
        ctx.channels = channels
        return pictures.permute(0, 3, 1, 2)

    @staticmethod
    def backward(ctx: Any, *slopes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        channels = ctx.channels
        return F.avg_pool2d(slopes[0], 2, divisor_override=1)[:, :channels], slopes[0][:, channels:]


class Parted(torch.autograd.Function):
    """Small pictures, of which the first ``channels`` hold every pixel two by two times, and the others beside them.

    On the way back one of the four has all of the slope: `Joined` takes their sum, and what lies between the two treats
    equal pixels of a picture equally.
    """

    @staticmethod
    def forward(ctx: Any, pictures: torch.Tensor, channels: int) -> tuple[torch.Tensor, torch.Tensor]:
        ctx.channels = channels
        parts = pictures[:, :channels, ::2, ::2], pictures[:, channels:]
        return parts[0].contiguous(memory_format=LAST), parts[1].contiguous(memory_format=LAST)

    @staticmethod
    def backward(ctx: Any, *slopes: torch.Tensor) -> tuple[torch.Tensor, None]:
        (small, large), channels = slopes, ctx.channels
        batch, beside, rows, columns = large.shape
        both = large.new_empty(batch, rows, columns, channels + beside).permute(0, 3, 1, 2)
        both[:, :channels] = 0
        both[:, :channels, ::2, ::2] = small
        both[:, channels:] = large
        return both, None


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
        self.up = nn.ModuleList([LightBlock(4 * width, 2 * width, told), LightBlock(3 * width, width, told, 2 * width)])
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
        added = additions([*self.down, self.middle, *self.up], told)
        # Channels last: on CPUs the normalisations and activations between small convolutions are faster so.
        seen = F.pixel_unshuffle(pictures[:, None], 2).contiguous(memory_format=LAST)
        fine = self.down[0](self.stem(seen), added[0])
        yield "layer0", fine
        coarse = self.down[1](F.avg_pool2d(fine, 2), added[1])
        yield "layer1", coarse
        middle = self.attention(self.middle(F.avg_pool2d(coarse, 2), added[2]))
        yield "bottleneck", middle
        upper = self.up[0](Joined.apply(middle, coarse), added[3])
        yield "layer3", upper
        last = self.up[1](Joined.apply(upper, fine), added[4])
        yield "layer4", last
        yield "output", F.pixel_shuffle(self.head(bent(self.norm, last)), 2)[:, 0]
