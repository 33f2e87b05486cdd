"""What training lowers: the error over a batch, plus penalties on the network."""

from collections.abc import Callable, Mapping, Sequence

import torch
from torch import nn

from recombine.core.errors import InputError
from recombine.core.shapes import Float
from recombine.models.diffusion_network import DiffusionNetwork
from recombine.models.network import Network, Through, unchanged
from recombine.training.penalties import layers_of
from recombine.training.recipe import Recipe

Strengths = Sequence[Mapping[str, float | torch.Tensor]]  # of each penalty, by name
Noisy = tuple[float | torch.Tensor, Mapping[str, torch.Tensor]]  # the strength of the noise, and its draws by layer


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
        if isinstance(network, DiffusionNetwork) and (recipe.penalties or recipe.noise or recipe.loss != "mse"):
            raise InputError(
                "a diffusion model is trained by the squared error of the noise it predicts, with no penalty and "
                "no noise in its layers; leave out loss, penalties and noise."
            )
        self.network = network
        self.penalties = recipe.penalties
        self.noise = recipe.noise
        self.error = ERRORS[recipe.loss]
        self.looks_inside = any(penalty.looks_inside for penalty in recipe.penalties)

    def forward(
        self,
        codes: Float[torch.Tensor, "batch inputs"],
        targets: Float[torch.Tensor, "batch rows columns"],
        strengths: Strengths,
        noisy: Noisy | None = None,
    ) -> tuple[Float[torch.Tensor, ""], Float[torch.Tensor, ""]]:
        """The loss and, of it, the error alone."""
        if isinstance(self.network, DiffusionNetwork):
            error = self.network.error(codes, targets)
            return error, error
        stages = self.stages(codes, noisy)
        error = self.error(stages["output"], targets)
        terms = [p.term(self.network, stages, **s) for p, s in zip(self.penalties, strengths, strict=True)]
        return torch.stack([error, *terms]).sum() if terms else error, error

    def stages(self, codes: torch.Tensor, noisy: Noisy | None) -> dict[str, torch.Tensor]:
        """The output, and the hidden stages where something looks at them."""
        if not self.looks_inside and noisy is None:
            return {"output": self.network(codes)}
        layers_of(self.network)  # says so where there are none
        assert isinstance(self.network, Network)
        return dict(self.network.stages(codes, unchanged if noisy is None else self.disturb(*noisy)))

    def disturb(self, level: float | torch.Tensor, draws: Mapping[str, torch.Tensor]) -> Through:
        """What the noise does to each hidden stage."""

        def through(name: str, stage: torch.Tensor) -> torch.Tensor:
            return self.noise.on(stage, draws[name], level) if self.noise and name in draws else stage

        return through
