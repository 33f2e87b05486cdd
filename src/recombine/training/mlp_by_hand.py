"""A stack of plain MLPs with the backward pass written out on arrays that are allocated once.

Per layer, with members s, batch rows b and units i (in), o (out):

    forward    a = h W^T + c,  h' = max(a, 0)            output: y = h W^T + c
    mse        E = mean over b and pixels of (y - t)^2           g = 2 (y - t) / (batch pixels)
    logistic   E = mean of log(1 + exp(-t y)), t = -1 or 1       g = -t / (1 + exp(t y)) / (batch pixels)
    backward   dW = g^T h,  dc = sum_b g,  g' = (g W) [h > 0]

It is the same arithmetic as autograd's, in the order of the formulas; a test compares the two.
"""

from collections.abc import Sequence

import torch
from torch.nn import functional

from recombine.models.mlp_network import MlpNetwork
from recombine.training.steppers import Member, Stack


class MlpByHand(Stack):
    """Members are `MlpNetwork`s without penalties or noise, with a loss whose gradient is written out above."""

    @staticmethod
    def fits(members: Sequence[Member]) -> bool:
        return all(
            type(member.network) is MlpNetwork
            and not member.recipe.penalties
            and member.recipe.noise is None
            and member.recipe.loss in ("mse", "logistic")
            and all(parameter.requires_grad for parameter in member.network.parameters())
            for member in members
        )

    def __init__(self, members: Sequence[Member]) -> None:
        super().__init__(members)
        count, batch = len(members), members[0].batch
        self.logistic = members[0].recipe.loss == "logistic"
        self.gradients = torch.zeros_like(self.weights)
        weights, gradients = self.cut(self.weights), self.cut(self.gradients)
        self.layers = list(zip(weights[::2], weights[1::2], gradients[::2], gradients[1::2], strict=True))
        self.outputs = [weight.new_empty(count, batch, weight.shape[1]) for weight, *_ in self.layers]
        self.flows = [torch.empty_like(output) for output in self.outputs[:-1]]

    def step(self, codes: torch.Tensor, targets: torch.Tensor) -> None:
        inputs = [codes, *self.outputs[:-1]]
        for (weight, bias, _, _), incoming, output in zip(self.layers, inputs, self.outputs, strict=True):
            torch.baddbmm(bias[:, None], incoming, weight.mT, out=output)
            if output is not self.outputs[-1]:
                output.clamp_min_(0)
        wanted = targets.flatten(2)
        if self.logistic:
            self.margins = self.outputs[-1] * wanted
            flow = torch.sigmoid(-self.margins, out=self.outputs[-1]).mul_(wanted).neg_()
        else:
            flow = self.outputs[-1].sub_(wanted)
        # The factor of g; the first products carry it along.
        scale = (1 if self.logistic else 2) / (flow.shape[1] * flow.shape[2])
        for index in reversed(range(len(self.layers))):
            weight, _, to_weight, to_bias = self.layers[index]
            torch.baddbmm(to_weight, flow.mT, inputs[index], beta=0, alpha=scale, out=to_weight)
            torch.sum(flow, dim=1, out=to_bias)
            if index == len(self.layers) - 1:
                to_bias.mul_(scale)
            if index:
                back = torch.baddbmm(
                    self.flows[index - 1], flow, weight, beta=0, alpha=scale, out=self.flows[index - 1]
                )
                # The layer's own output is not needed any more: where it was positive becomes the mask.
                flow, scale = back.mul_(inputs[index].sign_()), 1
        self.descend(self.gradients)

    def losses(self) -> torch.Tensor:
        # For the squared error a step leaves output minus target in place of the output.
        each = functional.softplus(-self.margins) if self.logistic else self.outputs[-1].square()
        error = each.mean((1, 2))
        return torch.stack([error, error], dim=1)
