"""What training lowers: the mean squared error over all pixels of a batch, plus penalties on the network."""

from collections.abc import Mapping, Sequence

import torch
from torch import nn

from recombine.core.shapes import Float
from recombine.training.penalties import Penalty

Strengths = Sequence[Mapping[str, float | torch.Tensor]]  # of each penalty, by name


class Objective(nn.Module):
    """A network with its error and its penalties, so that both see the same parameters under `functional_call`."""

    def __init__(self, network: nn.Module, penalties: Sequence[Penalty]) -> None:
        super().__init__()
        self.network = network
        self.penalties = tuple(penalties)

    def forward(
        self,
        codes: Float[torch.Tensor, "batch inputs"],
        targets: Float[torch.Tensor, "batch rows columns"],
        strengths: Strengths,
    ) -> tuple[Float[torch.Tensor, ""], Float[torch.Tensor, ""]]:
        """The loss and, of it, the error alone."""
        error = nn.functional.mse_loss(self.network(codes), targets)
        terms = [p.term(self.network, **s) for p, s in zip(self.penalties, strengths, strict=True)]
        return torch.stack([error, *terms]).sum() if terms else error, error
