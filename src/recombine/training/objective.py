"""What training lowers: the error over a batch, plus penalties on the network."""

from collections.abc import Callable, Mapping, Sequence

import torch
from torch import nn

from recombine.core.shapes import Float
from recombine.training.recipe import Recipe

Strengths = Sequence[Mapping[str, float | torch.Tensor]]  # of each penalty, by name


def squared_and_absolute(outputs: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """mean (f - t)^2 + 0.1 mean |f - t|."""
    return nn.functional.mse_loss(outputs, targets) + 0.1 * nn.functional.l1_loss(outputs, targets)


def logistic_loss(outputs: torch.Tensor, classes: torch.Tensor) -> torch.Tensor:
    """mean log(1 + exp(-y f)), y = -1 or 1."""
    return nn.functional.softplus(-classes * outputs).mean()


ERRORS: dict[str, Callable[[torch.Tensor, torch.Tensor], torch.Tensor]] = {
    "mse": nn.functional.mse_loss,
    "mse-l1": squared_and_absolute,
    "logistic": logistic_loss,
}


class Objective(nn.Module):
    """A network with its error and its penalties, so that both see the same parameters under `functional_call`."""

    def __init__(self, network: nn.Module, recipe: Recipe) -> None:
        super().__init__()
        self.network = network
        self.penalties = recipe.penalties
        self.error = ERRORS[recipe.loss]

    def forward(
        self,
        codes: Float[torch.Tensor, "batch inputs"],
        targets: Float[torch.Tensor, "batch rows columns"],
        strengths: Strengths,
    ) -> tuple[Float[torch.Tensor, ""], Float[torch.Tensor, ""]]:
        """The loss and, of it, the error alone."""
        error = self.error(self.network(codes), targets)
        terms = [p.term(self.network, **s) for p, s in zip(self.penalties, strengths, strict=True)]
        return torch.stack([error, *terms]).sum() if terms else error, error
