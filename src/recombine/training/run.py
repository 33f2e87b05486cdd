"""One run: build the network, train it, observe it, measure it."""

import resource
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from recombine.core.seeds import torch_seed
from recombine.data import Problem
from recombine.measures import Evidence, error_map, measures
from recombine.models import Interface, ModelSpec
from recombine.training.recipe import Recipe

if TYPE_CHECKING:
    from torch import nn

    from recombine.training.loop import Progress

# How many held-out combinations have their picture kept in the record.
SAMPLES = 6


@dataclass(frozen=True)
class Outcome:
    """What came out of one run, ready to be recorded: plain numbers, small arrays, weights."""

    status: str  # "done" or "failed"
    reason: str | None
    measures: dict[str, Any]
    cost: dict[str, float]  # seconds of training, seconds in all, peak memory of the process in MB
    arrays: dict[str, np.ndarray] = field(default_factory=dict)
    weights: dict[str, np.ndarray] = field(default_factory=dict)
    layers: tuple[str, ...] = ()  # in order; a record's mappings are sorted by name


def interface(problem: Problem) -> Interface:
    return Interface(
        inputs=problem.everything.codes.shape[1], levels=problem.grid.shape, image=problem.everything.targets.shape[1:]
    )


def build(problem: Problem, model: ModelSpec, seed: int) -> "nn.Module":
    """The untrained network of one seed."""
    import torch

    return model.build(interface(problem), torch.Generator().manual_seed(torch_seed(seed, "model", "init")))


def run(
    problem: Problem,
    model: ModelSpec,
    recipe: Recipe,
    seed: int,
    quantities: tuple[str, ...],
    progress: "Progress | None" = None,
) -> Outcome:
    """Train and measure. Training that diverges is an outcome, with its reason; bad input is an error."""
    started = time.perf_counter()
    chosen = {name: measures.pick(name) for name in quantities}
    arrays: dict[str, np.ndarray] = {}
    weights: dict[str, np.ndarray] = {}
    training_seconds = 0.0
    if model.trainable:
        from recombine.training.loop import fit
        from recombine.training.observe import observe

        network = build(problem, model, seed)
        history = fit(network, problem.training_set(seed), recipe, seed, progress)
        training_seconds = history.seconds
        arrays = {"steps": history.steps, "losses": history.losses, "errors": history.errors}
        if history.diverged:
            return Outcome("failed", history.diverged, {}, _cost(started, training_seconds), arrays)
        weights = {name: tensor.numpy() for name, tensor in network.state_dict().items()}
        evidence = observe(problem, network)
    else:
        from recombine.training.observe import truth

        evidence = truth(problem)
    found = {name: measure(evidence) for name, measure in chosen.items()}
    arrays |= {"error_map": error_map(evidence).astype(np.float32), **samples(evidence)}
    return Outcome("done", None, found, _cost(started, training_seconds), arrays, weights, tuple(evidence.layers))


def samples(evidence: Evidence) -> dict[str, np.ndarray]:
    """A few held-out combinations, evenly spread over the held-out set: where they are, the truth and the answer."""
    held_out = np.flatnonzero(evidence.sections["ood"])
    chosen = held_out[np.linspace(0, len(held_out) - 1, min(SAMPLES, len(held_out))).round().astype(int)]
    return {
        "sample_combinations": np.stack(np.unravel_index(chosen, evidence.shape), axis=1),
        "sample_targets": evidence.targets[chosen].astype(np.float32),
        "sample_outputs": evidence.outputs[chosen].astype(np.float32),
    }


def _cost(started: float, training: float) -> dict[str, float]:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"training_seconds": training, "seconds": time.perf_counter() - started, "peak_mb": peak}
