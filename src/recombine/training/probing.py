"""A trained network asked again under disturbance: noisy units, an input out of range, small weights cut away."""

from collections.abc import Iterator, Mapping
from copy import deepcopy
from functools import cached_property

import numpy as np
import torch
from torch import nn

from recombine.core.seeds import torch_seed
from recombine.core.shapes import Float
from recombine.data.functions import FunctionTask
from recombine.measures import probe_names, prune
from recombine.models.activations import eval_mode
from recombine.models.network import Network, device_of, matrices_of
from recombine.training.noise import ActivityNoise

EXPONENTS = {"additive": 0.0, "poisson": 1.0, "multiplicative": 2.0}
DIFFERENTIATED = 256  # items at which the sensitivity is taken


class Probes(Mapping[str, np.ndarray]):
    """What a network answers under each disturbance of `probe_names`, computed when it is looked at."""

    def __init__(
        self, task: FunctionTask, network: nn.Module, points: Float[np.ndarray, "items parts"], seed: int
    ) -> None:
        self.task, self.network, self.points, self.seed = task, network, points, seed
        self.found: dict[str, np.ndarray] = {}

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self.found:
            self.found[name] = self._compute(name)
        return self.found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(probe_names() if matrices_of(self.network) else ())

    def __len__(self) -> int:
        return len(list(iter(self)))

    def _compute(self, name: str) -> np.ndarray:
        if name not in set(self):
            raise KeyError(name)
        if name == "sensitivity":
            return self._sensitivity()
        network = self._pruned if name.startswith("pruned") else self.network
        kind, _, size = name.removeprefix("pruned").strip().partition(" ")
        if kind in EXPONENTS:
            return self._noisy(ActivityNoise(level=float(size), exponent=EXPONENTS[kind]))
        points = self.points.copy()
        if kind == "shift":
            points[:, 0] += float(size)
        elif kind == "scale":
            points[:, 0] *= float(size)
        with torch.no_grad(), eval_mode(network):
            return network(self._codes(points)).flatten(1).cpu().double().numpy()

    def _codes(self, points: np.ndarray) -> torch.Tensor:
        return torch.from_numpy(self.task.code(points)).to(device_of(self.network))

    def _noisy(self, noise: ActivityNoise) -> np.ndarray:
        """The answers with fresh noise on every hidden unit."""
        assert isinstance(self.network, Network)
        generator = torch.Generator().manual_seed(torch_seed(self.seed, "measures", "noise"))

        def through(name: str, stage: torch.Tensor) -> torch.Tensor:
            return noise.on(stage, torch.randn(stage.shape, generator=generator).to(stage.device), noise.level)

        with torch.no_grad(), eval_mode(self.network):
            answers = dict(self.network.stages(self._codes(self.points), through))["output"]
        return answers.flatten(1).cpu().double().numpy()

    def _sensitivity(self) -> np.ndarray:
        """The mean size of the derivative of each output with respect to each unit of the code."""
        codes = self._codes(self.points[:: max(1, len(self.points) // DIFFERENTIATED)])

        def answer(code: torch.Tensor) -> torch.Tensor:
            return self.network(code[None]).flatten()

        with eval_mode(self.network):
            slopes = torch.func.vmap(torch.func.jacrev(answer))(codes)
        return slopes.detach().abs().mean(0).cpu().double().numpy()

    @cached_property
    def _pruned(self) -> nn.Module:
        """The same network without its small weights."""
        network = deepcopy(self.network)
        kept = prune([matrix.detach().cpu().numpy() for matrix in matrices_of(network)])
        weights = [parameter for parameter in network.parameters() if parameter.ndim > 1]
        with torch.no_grad():
            for weight, matrix in zip(weights, kept, strict=True):
                weight.mul_(torch.from_numpy(matrix != 0).to(weight.device))
        return network
