"""What is seen of a network while it trains: its error on every combination, its answers, and how both go on.

The same is read off a recorded run, where its record has kept enough.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from recombine.core.shapes import Float
from recombine.data import Problem
from recombine.data.components import ComponentTask
from recombine.data.functions import FunctionTask
from recombine.data.picture_task import PictureTask
from recombine.data.scenes import Sprites
from recombine.measures import error_map, nmse, position_accuracy
from recombine.measures.exhibit import evenly, half
from recombine.theory.component_forecast import combination_errors
from recombine.theory.scores import item_errors

if TYPE_CHECKING:
    from torch import nn

SHARE = 0.2  # of the time that looking may take
SAMPLES = 6
MOST_PASSES = 100  # of a network for one answer, with which it is looked at on the way
NMSE, ERROR_RATE, MSE = "nMSE", "error rate", "MSE"


@dataclass(frozen=True)
class Seen:
    """What a network shows at one step."""

    step: int
    quantity: str
    errors: Float[np.ndarray, "..."]  # of every item in grid order, or a map over two latents of scenes
    outputs: np.ndarray | None = None  # a picture or a number for every combination, in half precision
    course: Mapping[str, float] = field(default_factory=dict)
    scenes: Mapping[str, np.ndarray] = field(default_factory=dict)  # true pictures and answers of a few


class Watcher:
    """Looks at a network now and then, so that looking takes no more than a share of the time."""

    def __init__(self, problem: Problem, seed: int) -> None:
        self.problem, self.seed = problem, seed
        self.next = 0.0  # when it may look again
        self.step = -1  # of the last look

    def look(self, network: "nn.Module", step: int) -> Seen | None:
        """What the network shows now; None while it is too early to look again, or where there is nothing to see."""
        began = time.perf_counter()
        if began < self.next:
            return None
        found = see(self.problem, network, self.seed, step)
        self.step, self.next = step, began + (time.perf_counter() - began) / SHARE
        return found

    def last_look(self, network: "nn.Module", step: int) -> Seen | None:
        """What the network shows at the end, unless that was looked at already."""
        return None if step == self.step else see(self.problem, network, self.seed, step)


def see(problem: Problem, network: "nn.Module", seed: int, step: int) -> Seen | None:
    """What a network shows on a problem; None where it is not finite, or takes too many passes to be asked."""
    import torch

    from recombine.models.activations import activations
    from recombine.models.diffusion_network import DiffusionNetwork

    if isinstance(network, DiffusionNetwork):
        sampler = network.sampler
        if (network.schedule.steps if sampler.kind == "ddpm" else sampler.steps) > MOST_PASSES:
            return None

    def answers(codes: np.ndarray) -> np.ndarray:
        return activations(network, torch.from_numpy(codes), ["output"])["output"].double().numpy()

    task = problem.task
    if isinstance(task, Sprites):
        chosen = np.flatnonzero(problem.asked_sections["all"])
        found = answers(problem.everything.codes[chosen])
        return _scenes(problem, task, chosen, found, step) if np.isfinite(found).all() else None
    if isinstance(task, ComponentTask):
        found = answers(task.asked_of("held-out", seed).codes).reshape(problem.grid.size, -1).mean(axis=1)
        return _numbers(problem, task, found, step) if np.isfinite(found).all() else None
    if isinstance(task, FunctionTask):
        asked = task.asked(seed)
        found = answers(asked.codes)
        return _functions(problem, found, asked.targets[:, 0], step) if np.isfinite(found).all() else None
    outputs = answers(problem.everything.codes).reshape(problem.everything.targets.shape)
    return _pictures(problem, outputs, step) if np.isfinite(outputs).all() else None


def _pictures(problem: Problem, outputs: np.ndarray, step: int) -> Seen:
    from recombine.training.observe import drawn

    evidence = drawn(problem, outputs.astype(np.float32))
    course = {f"{name}_nmse": nmse(evidence, name) for name in ("id", "ood")}
    assert isinstance(problem.task, PictureTask)
    if problem.task.places is not None:
        course |= {f"{name}_accuracy": position_accuracy(evidence, name) for name in ("id", "ood")}
    return Seen(step, NMSE, error_map(evidence).ravel(), half(outputs), course)


def component_errors(problem: Problem, task: ComponentTask, answers: np.ndarray) -> tuple[str, np.ndarray]:
    """The error of every combination as forecasts have it, and what it is."""
    parts = problem.parts
    errors = combination_errors(answers, task.labels, parts.held_out, problem.trained, task.binary)
    return ERROR_RATE if task.binary else NMSE, errors


def _numbers(problem: Problem, task: ComponentTask, answers: np.ndarray, step: int) -> Seen:
    quantity, errors = component_errors(problem, task, answers)
    word = "error" if task.binary else "nmse"
    course = {f"{name}_{word}": float(errors[problem.parts.sections[name]].mean()) for name in ("id", "ood")}
    return Seen(step, quantity, errors, answers, course)


def _functions(problem: Problem, answers: np.ndarray, targets: np.ndarray, step: int) -> Seen:
    each = len(targets) // problem.grid.size
    held_out = np.repeat(problem.parts.held_out, each)
    errors = item_errors([answers], targets.astype(np.float64), 0.0, held_out)
    errors = errors.reshape(problem.grid.size, each).mean(axis=1)
    outputs = answers.reshape(problem.grid.size, each, -1).mean(axis=1)[:, None]
    course = {f"{name}_nmse": float(errors[problem.parts.sections[name]].mean()) for name in ("id", "ood")}
    return Seen(step, NMSE, errors, half(outputs), course)


def _scenes(problem: Problem, task: Sprites, chosen: np.ndarray, found: np.ndarray, step: int) -> Seen:
    from recombine.measures.scene_exhibits import mean_by_cell

    targets = problem.everything.pictures[chosen].astype(np.float64)
    outputs = found.reshape(targets.shape)
    errors = np.square(outputs - targets).mean(axis=(1, 2))
    latents = task.scenes(problem.everything.positions[chosen])
    cells, _ = mean_by_cell(errors, latents[:, -1, 0], latents[:, 0, 0])  # rows are the sprite behind
    course = {"all_mse": float(errors.mean())}
    for name in {"seen", "unseen"} & problem.asked_sections.keys():  # parts of "all", with items
        course[f"{name}_mse"] = float(errors[problem.asked_sections[name][chosen]].mean())
    some = evenly(len(chosen), SAMPLES)
    return Seen(step, MSE, cells, None, course, {"targets": targets[some], "outputs": outputs[some]})


def sample_places(problem: Problem) -> np.ndarray:
    """A few combinations whose answers are shown, evenly spread over what is held out, by index in grid order."""
    held = np.flatnonzero(problem.parts.held_out)
    return held[evenly(len(held), SAMPLES)]
