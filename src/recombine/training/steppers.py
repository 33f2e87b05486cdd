"""How one step is taken: by one network alone, or by a stack of networks of one shape at once.

A stack gives each member what it would get alone, to rounding: members share no number, only the work.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from torch import nn
from torch.func import functional_call, vmap
from torch.nn.utils import parameters_to_vector, vector_to_parameters

from recombine.core.shapes import Float
from recombine.data import Examples, Problem
from recombine.models.network import device_of
from recombine.training.noise import Draws
from recombine.training.objective import Objective
from recombine.training.recipe import Recipe


@dataclass(frozen=True)
class Member:
    """One training: a network, what it is shown, how, and the seed of its batches.

    The last ``lone`` of the examples show a factor alone.
    """

    network: nn.Module
    examples: Examples
    recipe: Recipe
    seed: int
    lone: int = 0

    @classmethod
    def of(cls, network: nn.Module, problem: Problem, recipe: Recipe, seed: int) -> "Member":
        """The training of a network on what the problem shows for this seed."""
        return cls(network, problem.training_set(seed), recipe, seed, problem.lone_examples(seed))

    @property
    def batch(self) -> int:
        """Examples in a batch."""
        return len(self.examples) if self.recipe.batch == "all" else self.recipe.batch

    @property
    def device(self) -> torch.device:
        """Where it trains: where its network is."""
        return device_of(self.network)


class NoiseOf:
    """The noise of some members: their strengths, and their draws step by step."""

    def __init__(self, members: Sequence[Member]) -> None:
        self.members = members
        self.draws: Draws | None = None
        noises = [member.recipe.noise for member in members]
        self.strengths = torch.tensor([noise.strength if noise else 0.0 for noise in noises]).to(members[0].device)

    def next(self, codes: torch.Tensor) -> tuple[torch.Tensor, dict[str, torch.Tensor]] | None:
        """Strengths by member and the next draws by layer; None where there is no noise."""
        noise = self.members[0].recipe.noise
        if noise is None:
            return None
        if self.draws is None:
            self.draws = Draws(self.members[0].network, noise, codes[0], [member.seed for member in self.members])
        return self.strengths, self.draws.next()


class Stepper(ABC):
    """Takes training steps for its members and tells their losses when asked."""

    descent: torch.optim.Optimizer

    @abstractmethod
    def step(
        self,
        codes: Float[torch.Tensor, "members batch inputs"],
        targets: Float[torch.Tensor, "members batch rows columns"],
    ) -> None:
        """One step of every member on its own batch."""

    def set_rates(self, rates: Sequence[float]) -> None:
        """The rate of every member from now on."""
        groups = self.descent.param_groups
        for group, rate in zip(groups, rates, strict=len(groups) > 1):  # one group: all members have the first's
            group["lr"] = rate

    @abstractmethod
    def losses(self) -> Float[torch.Tensor, "members 2"]:
        """Loss and error of every member on its last batch, before the step."""

    @abstractmethod
    def stop(self, member: int) -> None:
        """Keep this member's weights as they are now, whatever steps the others still take."""

    @abstractmethod
    def finish(self) -> None:
        """Leave the trained weights in the members' networks."""

    @contextmanager
    def as_finished(self) -> Iterator[None]:
        """The networks as they would be if training ended here."""
        self.finish()
        yield


def optimiser(groups: Iterable[tuple[Iterable[nn.Parameter], Recipe]]) -> torch.optim.Optimizer:
    """The optimiser of parameters whose recipes differ in rate and decay only."""
    listed = [(list(parameters), recipe) for parameters, recipe in groups]
    kinds = {"adamw": torch.optim.AdamW, "adam": torch.optim.Adam, "sgd": torch.optim.SGD}
    first = listed[0][1]
    settings = [{"params": each, "lr": recipe.rate, "weight_decay": recipe.decay} for each, recipe in listed]
    extra = {"momentum": first.momentum} if first.optimiser == "sgd" else {}
    return kinds[first.optimiser](settings, lr=first.rate, fused=True, **extra)


class Alone(Stepper):
    """One network, by autograd.

    While it trains, its weights are views of one vector, and so are their gradients: an optimiser spends longer on
    going from array to array than on the sums of a small network.
    """

    def __init__(self, member: Member) -> None:
        self.objective = Objective(member.network, member.recipe)
        self.strengths = [penalty.strengths() for penalty in member.recipe.penalties]
        self.noise = NoiseOf([member])
        self.trained = [parameter for parameter in member.network.parameters() if parameter.requires_grad]
        self.weights = nn.Parameter(parameters_to_vector(self.trained).detach(), requires_grad=False)
        vector_to_parameters(self.weights, self.trained)
        self.weights.grad = torch.zeros_like(self.weights)
        parts = self.weights.grad.split([parameter.numel() for parameter in self.trained])
        self.slopes = [part.view_as(parameter) for part, parameter in zip(parts, self.trained, strict=True)]
        self.descent = optimiser([([self.weights], member.recipe)])
        self.clip = member.recipe.clip
        self.kept = member.recipe.ema
        self.mean = None if self.kept is None else self.weights.clone()

    def step(self, codes: torch.Tensor, targets: torch.Tensor) -> None:
        noisy = self.noise.next(codes)
        alone = None if noisy is None else (noisy[0][0], {name: draws[0] for name, draws in noisy[1].items()})
        self.last = self.objective(codes[0], targets[0], self.strengths, alone)
        torch._foreach_copy_(self.slopes, torch.autograd.grad(self.last[0], self.trained, materialize_grads=True))
        if self.clip is not None:
            nn.utils.clip_grad_norm_(self.weights, self.clip)
        self.descent.step()
        if self.mean is not None and self.kept is not None:
            self.mean.lerp_(self.weights, 1 - self.kept)

    def losses(self) -> torch.Tensor:
        return torch.stack(self.last).detach()[None]

    def stop(self, member: int) -> None:
        return  # it is the only one, so no more steps are taken

    @contextmanager
    def as_finished(self) -> Iterator[None]:
        trained = self.weights.clone()
        if self.mean is not None:
            self.weights.copy_(self.mean)
        yield
        self.weights.copy_(trained)

    def finish(self) -> None:
        # Arrays of their own again, so that whoever keeps one does not keep them all.
        vector_to_parameters(self.weights if self.mean is None else self.mean, self.trained)
        for parameter in self.trained:
            parameter.data = parameter.data.clone()


class Stack(Stepper):
    """Networks of one shape whose parameters are the rows of one matrix, in the order of `nn.Module.parameters`."""

    def __init__(self, members: Sequence[Member]) -> None:
        self.members = members
        self.kept: dict[int, torch.Tensor] = {}  # weights of members that have stopped
        self.shapes = [parameter.shape for parameter in members[0].network.parameters()]
        self.weights = torch.stack([parameters_to_vector(m.network.parameters()).detach() for m in members])
        recipes = [member.recipe for member in members]
        self.clip = recipes[0].clip
        # Updated as one matrix where all members are updated alike, else row by row; both share its memory.
        alike = len({(recipe.rate, recipe.decay) for recipe in recipes}) == 1
        self.updated = [nn.Parameter(part, requires_grad=False) for part in ([self.weights] if alike else self.weights)]
        self.descent = optimiser(zip([[part] for part in self.updated], recipes, strict=False))

    def cut(self, rows: Float[torch.Tensor, "members weights"]) -> list[torch.Tensor]:
        """Rows cut into parameters: for each parameter of a member a tensor (members, *shape)."""
        parts = rows.split([shape.numel() for shape in self.shapes], dim=1)
        return [part.unflatten(1, shape) for part, shape in zip(parts, self.shapes, strict=True)]

    def descend(self, gradients: Float[torch.Tensor, "members weights"]) -> None:
        """One step of the optimiser along these gradients, each member's shortened by itself; they are written over."""
        if self.clip is not None:
            # As in torch.nn.utils.clip_grad_norm_, its small number included.
            gradients.mul_((self.clip / (gradients.norm(dim=1, keepdim=True) + 1e-6)).clamp_max(1))
        for part, gradient in zip(self.updated, [gradients] if len(self.updated) == 1 else gradients, strict=True):
            part.grad = gradient.view_as(part)
        self.descent.step()

    def stop(self, member: int) -> None:
        self.kept[member] = self.weights[member].clone()

    def finish(self) -> None:
        for index, (member, row) in enumerate(zip(self.members, self.weights, strict=True)):
            parts = self.cut(self.kept.get(index, row)[None])
            for parameter, part in zip(member.network.parameters(), parts, strict=True):
                parameter.data.copy_(part[0])


def table(strengths: Sequence[Mapping[str, float]], device: torch.device) -> dict[str, Float[torch.Tensor, " members"]]:
    """The strengths of one penalty by name; a member that leaves one out has it at 0."""
    names = dict.fromkeys(name for each in strengths for name in each)
    return {name: torch.tensor([each.get(name, 0.0) for each in strengths]).to(device) for name in names}


class Mapped(Stack):
    """A stack of any networks: the forward pass is mapped over members, the backward pass is autograd's."""

    def __init__(self, members: Sequence[Member]) -> None:
        super().__init__(members)
        template = Objective(members[0].network, members[0].recipe)
        self.names = [f"network.{name}" for name, _ in members[0].network.named_parameters()]
        by_member = [[penalty.strengths() for penalty in member.recipe.penalties] for member in members]
        self.strengths = [table(each, members[0].device) for each in zip(*by_member, strict=True)]
        self.noise = NoiseOf(members)
        self.objectives = vmap(lambda weights, *rest: functional_call(template, weights, rest))

    def step(self, codes: torch.Tensor, targets: torch.Tensor) -> None:
        rows = self.weights.detach().requires_grad_()
        weights = dict(zip(self.names, self.cut(rows), strict=True))
        noisy = self.noise.next(codes)
        self.last = self.objectives(weights, codes, targets, self.strengths, *(() if noisy is None else (noisy,)))
        # Members share nothing, so the gradient of the sum has each member's own gradient in its row.
        self.descend(torch.autograd.grad(self.last[0].sum(), rows)[0])

    def losses(self) -> torch.Tensor:
        return torch.stack(self.last, dim=1).detach()
