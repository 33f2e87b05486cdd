"""A stack of feedforward networks with noise and penalties, the backward pass written out on arrays allocated once.

Per layer, with members s, batch rows b of B, units i (in) and j (out), W as it acts (mask applied):

    forward    z = x W^T + c,   a = z (z > 0),  slope · z (z <= 0)              x₀ the code; output: y = x W^T + c
    noise      x = a + level |a|^(β/2) ξ         dx/da = 1 + level (β/2) |a|^(β/2 - 1) sign(a) ξ
    error      E = mean over b and outputs of (y - t)²                          g = 2 (y - t) / (B outputs)
    backward   dW = g^T x,   dc = Σ_b g,   dx = g W

and for the penalties, of strength λ and power p, with m_i = Σ_b |x_i|^p / B and r_i = Σ_j W_ji²

    weights             Σ |W|^q                 dW += λ q |W|^(q-1) sign W
    activity            Σ_i m_i                 dx_i += λ p |x_i|^(p-1) sign(x_i) / B
    weighted activity   Σ_i m_i r_i             dx_i += λ p |x_i|^(p-1) sign(x_i) r_i / B,   dW_ji += 2 λ m_i W_ji

It is the same arithmetic as autograd's, in the order of the formulas; a test compares the two.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import torch

from recombine.models.feedforward_network import SLOPES, FeedforwardNetwork
from recombine.training.noise import TINY, ActivityNoise, DropoutNoise
from recombine.training.penalties import ActivitySize, WeightedActivity, WeightSize, powered
from recombine.training.steppers import Member, NoiseOf, Stack, table

WRITTEN_OUT = (WeightSize, ActivitySize, WeightedActivity)


@dataclass
class Layer:
    """One weight matrix of all members, its gradient, and arrays for a batch, by member."""

    weight: torch.Tensor
    bias: torch.Tensor | None
    to_weight: torch.Tensor
    to_bias: torch.Tensor | None
    mask: torch.Tensor | None
    out: torch.Tensor  # members, batch, units: activations, or the outputs
    masked: torch.Tensor = field(init=False)
    slopes: torch.Tensor = field(init=False)

    def __post_init__(self) -> None:
        self.masked = self.weight if self.mask is None else torch.empty_like(self.weight)
        self.slopes = torch.empty_like(self.out)  # da/dz, then dx/dz

    def forward(self, incoming: torch.Tensor) -> None:
        if self.mask is not None:
            torch.mul(self.weight, self.mask, out=self.masked)
        if self.bias is None:
            torch.bmm(incoming, self.masked.mT, out=self.out)
        else:
            torch.baddbmm(self.bias[:, None], incoming, self.masked.mT, out=self.out)

    def bend(self, slope: float) -> None:
        """Sums become activations, and their slopes are kept."""
        if slope == 1:
            self.slopes.fill_(1)
            return
        torch.gt(self.out, 0, out=self.slopes)
        self.slopes.mul_(1 - slope).add_(slope)
        self.out.mul_(self.slopes)

    def disturb(self, draws: torch.Tensor, level: torch.Tensor, exponent: float) -> None:
        """Noise on the activations; ``draws`` are written over."""
        if exponent == 0:
            self.out.addcmul_(draws, level)
            return
        draws.mul_(level)
        sign = self.out.sign()
        if exponent == 2:
            self.slopes.mul_(torch.addcmul(draws.new_ones(()), sign, draws))
            self.out.addcmul_(self.out.abs(), draws)
            return
        size = self.out.abs().add_(TINY)
        root = size.sqrt() if exponent == 1 else size ** (exponent / 2)
        self.out.addcmul_(root, draws)
        self.slopes.mul_(sign.mul_(draws).mul_(root).div_(size).mul_(exponent / 2).add_(1))

    def drop(self, draws: torch.Tensor, rate: torch.Tensor) -> None:
        """Dropout of the activations; ``draws`` are written over."""
        kept = torch.special.ndtr(draws, out=draws).ge(rate).to(draws.dtype).div_(1 - rate)
        self.out.mul_(kept)
        self.slopes.mul_(kept)


class FeedforwardByHand(Stack):
    """Members are `FeedforwardNetwork`s of piecewise linear units, with noise and penalties written out above."""

    @staticmethod
    def fits(members: Sequence[Member]) -> bool:
        return all(
            type(member.network) is FeedforwardNetwork
            and member.network.nonlinearity in SLOPES
            and all(isinstance(penalty, WRITTEN_OUT) for penalty in member.recipe.penalties)
            and isinstance(member.recipe.noise, ActivityNoise | DropoutNoise | None)
            and member.recipe.loss == "mse"
            and all(parameter.requires_grad for parameter in member.network.parameters())
            for member in members
        )

    def __init__(self, members: Sequence[Member]) -> None:
        super().__init__(members)
        first, recipe, count = members[0].network, members[0].recipe, len(members)
        assert isinstance(first, FeedforwardNetwork)
        self.slope, self.batch = SLOPES[first.nonlinearity], members[0].batch
        self.gradients = torch.zeros_like(self.weights)
        weights, gradients = iter(self.cut(self.weights)), iter(self.cut(self.gradients))
        self.layers = []
        for index, linear in enumerate(first.each):
            weight, to_weight = next(weights), next(gradients)
            bias, to_bias = (next(weights), next(gradients)) if linear.bias is not None else (None, None)
            out = self.weights.new_empty(count, self.batch, linear.out_features)
            self.layers.append(Layer(weight, bias, to_weight, to_bias, first.mask(index), out))
        self.flows = [torch.empty_like(layer.out) for layer in self.layers[:-1]]
        self.before = self.weights.clone()
        self.means: dict[tuple[int, int], torch.Tensor] = {}  # m of each penalty and layer
        self.recipe = recipe
        self.noise = NoiseOf(members)
        self.named = first.layer_names
        self.strengths = [
            table([m.recipe.penalties[index].strengths() for m in members], members[0].device)["strength"][
                :, None, None
            ]
            for index in range(len(recipe.penalties))
        ]

    def step(self, codes: torch.Tensor, targets: torch.Tensor) -> None:
        self._forward(codes)
        flow = self.layers[-1].out.sub_(targets.flatten(2))
        scale = 2 / (flow.shape[1] * flow.shape[2])
        for index in reversed(range(len(self.layers))):
            layer = self.layers[index]
            incoming = self.layers[index - 1].out if index else codes
            torch.baddbmm(layer.to_weight, flow.mT, incoming, beta=0, alpha=scale, out=layer.to_weight)
            if layer.to_bias is not None:
                torch.sum(flow, dim=1, out=layer.to_bias)
                if scale != 1:
                    layer.to_bias.mul_(scale)
            back = self.flows[index - 1]  # of the first layer it is not looked at
            if index:
                torch.baddbmm(back, flow, layer.masked, beta=0, alpha=scale, out=back)
            self._penalise(index, back)
            if layer.mask is not None:
                layer.to_weight.mul_(layer.mask)
            if index:
                flow, scale = back.mul_(self.layers[index - 1].slopes), 1
        if self.recipe.penalties:
            self.before.copy_(self.weights)
        self.descend(self.gradients)

    def _forward(self, codes: torch.Tensor) -> None:
        noisy = self.noise.next(codes)
        incoming = codes
        for index, layer in enumerate(self.layers):
            layer.forward(incoming)
            incoming = layer.out
            if index == len(self.layers) - 1:
                return
            layer.bend(self.slope)
            if noisy is not None and self.named[index] in noisy[1]:
                level, draws = noisy[0][:, None, None], noisy[1][self.named[index]]
                if isinstance(self.recipe.noise, ActivityNoise):
                    layer.disturb(draws, level, self.recipe.noise.exponent)
                else:
                    layer.drop(draws, level)

    def _penalise(self, index: int, back: torch.Tensor) -> None:
        """Add the gradients of the penalties that belong to a weight matrix, and to the units it reads (``back``)."""
        layer = self.layers[index]
        for place, (penalty, strength) in enumerate(zip(self.recipe.penalties, self.strengths, strict=True)):
            if isinstance(penalty, WeightSize):
                grown = layer.masked if penalty.power == 2 else layer.masked.sign()
                layer.to_weight.addcmul_(grown, strength, value=penalty.power)
                continue
            assert isinstance(penalty, ActivitySize | WeightedActivity)
            if not index:
                continue  # the input is no unit
            units, power = self.layers[index - 1].out, penalty.power
            mean = powered(units, power).mean(1, keepdim=True)  # m: members, 1, units
            self.means[place, index] = mean
            reach = strength * (power / self.batch)
            if isinstance(penalty, WeightedActivity):
                layer.to_weight.addcmul_(layer.masked, mean * strength, value=2)
                reach = reach * layer.masked.square().sum(1, keepdim=True)  # r: members, 1, units
            slope = units.sign() if power == 1 else units if power == 2 else units.sign() * units.abs() ** (power - 1)
            back.addcmul_(slope, reach)

    def losses(self) -> torch.Tensor:
        # A step leaves output minus target in place of the output.
        error = self.layers[-1].out.square().mean((1, 2))
        total = error.clone()
        for place, (penalty, strength) in enumerate(zip(self.recipe.penalties, self.strengths, strict=True)):
            for index, weight in enumerate(self._weights_before()):
                if isinstance(penalty, WeightSize):
                    size = powered(weight, float(penalty.power))
                elif not index:
                    continue
                elif isinstance(penalty, WeightedActivity):
                    size = self.means[place, index] * weight.square().sum(1, keepdim=True)
                else:
                    size = self.means[place, index]
                total += strength[:, 0, 0] * size.sum((1, 2))
        return torch.stack([total, error], dim=1)

    def _weights_before(self) -> list[torch.Tensor]:
        """The weights as they acted in the last step, before it changed them."""
        weights = [part for part in self.cut(self.before) if part.ndim == 3]
        masks = [layer.mask for layer in self.layers]
        return [weight if mask is None else weight * mask for weight, mask in zip(weights, masks, strict=True)]
