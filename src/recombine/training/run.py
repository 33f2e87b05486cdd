"""Runs: build the networks, train them, alone or as a stack, then observe and measure each."""

import math
import resource
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from recombine.core.errors import InputError
from recombine.core.seeds import torch_seed
from recombine.data import Problem
from recombine.measures import (
    AnyEvidence,
    ComponentEvidence,
    Evidence,
    ModuleEvidence,
    NotFinite,
    SceneEvidence,
    error_map,
    exhibits,
    measures,
)
from recombine.models import Interface, ModelSpec
from recombine.training.recipe import Recipe

if TYPE_CHECKING:
    import torch
    from torch import nn

    from recombine.training.loop import History, Progress
    from recombine.training.steppers import Member

# How many held-out combinations have their picture kept in the record.
SAMPLES = 6
ARMS = ("vertical", "horizontal", "intersection")  # where there are these, some of each
# Exhibits that are kept at checkpoints too.
ON_THE_WAY = ("spectrum_probe", "portrait_probe")
# Measures and exhibits that take seconds and are of the end alone.
AT_THE_END = ("holes", "bars")
Watch = Callable[["nn.Module", int, int], None]  # the network as training would leave it, step, steps
# Bytes that a stack may take.
MEMORY = 2**30


@dataclass(frozen=True)
class Outcome:
    """What came out of one run, ready to be recorded: plain numbers, small arrays, weights."""

    status: str  # "done" or "failed"
    reason: str | None
    measures: dict[str, Any]
    cost: dict[str, float]  # seconds of training, seconds in all, peak memory of the process, and of a GPU, in MB
    arrays: dict[str, np.ndarray] = field(default_factory=dict)
    weights: dict[str, np.ndarray] = field(default_factory=dict)
    layers: tuple[str, ...] = ()  # in order; a record's mappings are sorted by name
    undefined: dict[str, str] = field(default_factory=dict)  # measures that this run has not, and why


def interface(problem: Problem) -> Interface:
    some = problem.everything
    return fitting(problem, some.codes.shape[1], some.pictures.shape[1:])


def fitting(problem: Problem, inputs: int, image: tuple[int, int]) -> Interface:
    """The two ends of a network for this problem, given the sizes of its codes and pictures."""
    task = problem.task
    return Interface(inputs, problem.grid.shape, image, task.picture, task.slots, task.channels, task.place)


def check_values(problem: Problem, model: ModelSpec) -> None:
    """Refuse a model that draws values from 0 to 1 where pictures have others."""
    if model.generative and not 0 <= problem.everything.targets.min() <= problem.everything.targets.max() <= 1:
        raise InputError(
            f"model {model.kind!r} draws pictures of values from 0 to 1, and task {problem.task.kind!r} has others; "
            "give its stripes half the ink, e.g. stripe_ink = 0.5."
        )


def build(problem: Problem, model: ModelSpec, seed: int) -> "nn.Module":
    """The untrained network of one seed."""
    import torch

    ends = interface(problem)
    model.check(ends)  # first: tasks that are no pictures have values of all sizes
    check_values(problem, model)
    return model.build(ends, torch.Generator().manual_seed(torch_seed(seed, "model", "init")))


@dataclass(frozen=True)
class Plan:
    """One run to be: everything `run` needs to know about it."""

    problem: Problem
    model: ModelSpec
    recipe: Recipe
    seed: int
    measures: tuple[str, ...]
    exhibits: tuple[str, ...] = ()
    checkpoints: int = 0  # how often it is measured on the way, evenly, beside the start


def run(plan: Plan, progress: "Progress | None" = None, device: str = "cpu", watch: Watch | None = None) -> Outcome:
    """Train and measure one plan. Training that diverges is an outcome, with its reason; bad input is an error.

    ``watch`` is shown the network again and again, before the first step too. It must leave it as it is; then the
    outcome is what it is without.
    """
    (outcome,) = run_stack([plan], progress, device=device, watch=watch)
    return outcome


def run_stack(
    plans: Sequence[Plan],
    progress: "Progress | None" = None,
    memory: int = MEMORY,
    device: str = "cpu",
    watch: Watch | None = None,
) -> list[Outcome]:
    """Train plans of one shape together, then measure each.

    A stack that would take more than about ``memory`` bytes is trained in parts. Networks are built on the CPU, train
    and are observed on ``device``, and come back. ``watch`` is for a plan alone.
    """
    if not plans[0].model.trainable:
        from recombine.training.observe import truth

        return [_true_outcome(plan, truth(plan.problem)) for plan in plans]
    from recombine.training.devices import device_named, forget_peak, full_precision

    there = device_named(device)
    forget_peak(there)
    at_once = max(1, memory // bytes_of(plans[0]))
    with full_precision(there):
        parts = [plans[start : start + at_once] for start in range(0, len(plans), at_once)]
        return [outcome for part in parts for outcome in _train_together(part, progress, there, watch)]


def _train_together(
    plans: Sequence[Plan], progress: "Progress | None", device: "torch.device", watch: Watch | None
) -> list[Outcome]:
    from recombine.training.loop import Member, fit

    members = [Member.of(build(p.problem, p.model, p.seed).to(device), p.problem, p.recipe, p.seed) for p in plans]
    if plans[0].checkpoints:
        return [watched(plan, member, progress) for plan, member in zip(plans, members, strict=True)]
    histories = fit(members, progress, None if watch is None else partial(watch, members[0].network))
    return [_outcome(p, m.network, history) for p, m, history in zip(plans, members, histories, strict=True)]


def watched(plan: Plan, member: "Member", progress: "Progress | None") -> Outcome:
    """Train one plan and take its measures at checkpoints too."""
    from recombine.training.loop import fit

    quick = replace(plan, measures=on_the_way(plan.measures), exhibits=on_the_way(plan.exhibits))
    course: dict[str, list[float]] = {"steps": []}
    pictured: dict[str, list[np.ndarray]] = {}

    def look(step: int, steps: int) -> None:
        if step * plan.checkpoints < len(course["steps"]) * steps:
            return
        try:
            evidence, measured, _ = measure_network(quick, member.network)
        except NotFinite:  # it has diverged, which the loss will tell
            return
        for name, value in {"steps": float(step), **by_part(measured)}.items():
            course.setdefault(name, []).append(value)
        for name, array in exhibited(quick, evidence).items():
            if name in ON_THE_WAY:
                pictured.setdefault(name, []).append(array)

    (history,) = fit([member], progress, look)
    whole = len(course["steps"])
    # A measure that was undefined at some checkpoint has no course.
    found = {name: np.array(values) for name, values in course.items() if len(values) == whole}
    outcome = _outcome(plan, member.network, history, found)
    arrays = {f"course_{name}": np.stack(each) for name, each in pictured.items() if len(each) == whole}
    return replace(outcome, arrays={**outcome.arrays, **arrays})


def on_the_way(names: tuple[str, ...]) -> tuple[str, ...]:
    """Of measures or exhibits, those that are taken at checkpoints too."""
    return tuple(name for name in names if name not in AT_THE_END)


def by_part(found: dict[str, Any]) -> dict[str, float]:
    """Measures as single numbers; the parts of a mapping by "measure.part"."""
    flat: dict[str, float] = {}
    for name, value in found.items():
        flat |= {f"{name}.{part}": each for part, each in value.items()} if isinstance(value, dict) else {name: value}
    return flat


def bytes_of(plan: Plan) -> int:
    """Roughly what one member of a stack takes: weights with their optimiser, a batch forward and back, examples."""
    import torch

    from recombine.models.activations import activations
    from recombine.models.feedforward_network import FeedforwardNetwork
    from recombine.models.mlp_network import MlpNetwork

    network = build(plan.problem, plan.model, plan.seed)
    weights = sum(parameter.numel() for parameter in network.parameters())
    layers = activations(network, torch.from_numpy(plan.problem.everything.codes[:1]))
    per_example = sum(layer.numel() for layer in layers.values())
    examples = math.prod(plan.problem.everything.pictures.shape)
    batch = len(plan.problem.training_set(plan.seed)) if plan.recipe.batch == "all" else plan.recipe.batch
    # Forward, backward and what they need in between: measured 2 to 4 times more where autograd maps over members.
    copies = 3 if type(network) in (MlpNetwork, FeedforwardNetwork) else 12
    return 4 * (5 * weights + copies * batch * per_example + examples)


def _outcome(
    plan: Plan, network: "nn.Module", history: "History", course: dict[str, np.ndarray] | None = None
) -> Outcome:
    started = time.perf_counter()
    arrays = {"steps": history.steps, "losses": history.losses, "errors": history.errors}
    arrays |= {f"course_{name}": values.astype(np.float32) for name, values in (course or {}).items()}
    if history.diverged:
        return Outcome("failed", history.diverged, {}, _cost(started, history.seconds, network), arrays)
    try:
        evidence, found, undefined = measure_network(plan, network, course)
    except NotFinite as error:  # the last step was one too many: no loss was looked at after it
        cost = _cost(started, history.seconds, network)
        return Outcome("failed", f"diverged at the end: {error}", {}, cost, arrays)
    weights = {name: tensor.cpu().numpy() for name, tensor in network.state_dict().items()}
    layers = () if isinstance(evidence, ComponentEvidence | SceneEvidence) else tuple(evidence.layers)
    arrays |= {**shown(evidence), **exhibited(plan, evidence)}
    cost = _cost(started, history.seconds, network)
    return Outcome("done", None, found, cost, arrays, weights, layers, undefined)


def measure_network(
    plan: Plan, network: "nn.Module", course: dict[str, np.ndarray] | None = None
) -> tuple[AnyEvidence, dict[str, Any], dict[str, str]]:
    """What a network shows on the problem of a plan, its measures, and those it has not, with the reason."""
    from recombine.models.network import device_of
    from recombine.training.observe import observe

    untrained = build(plan.problem, plan.model, plan.seed).to(device_of(network))
    evidence = observe(plan.problem, network, untrained, plan.seed, course)
    return evidence, *_measures(plan, evidence)


def _true_outcome(plan: Plan, evidence: Evidence) -> Outcome:
    started = time.perf_counter()
    found, undefined = _measures(plan, evidence)
    arrays = {**shown(evidence), **exhibited(plan, evidence)}
    return Outcome("done", None, found, _cost(started, 0.0), arrays, {}, tuple(evidence.layers), undefined)


def _measures(plan: Plan, evidence: AnyEvidence) -> tuple[dict[str, Any], dict[str, str]]:
    """The measures of a plan, and those that are undefined here, with the reason: what was trained is kept."""
    found, undefined = {}, {}
    for name in plan.measures:
        try:
            found[name] = measures.pick(name)(evidence)
        except InputError as error:
            undefined[name] = str(error)
    return found, undefined


def exhibited(plan: Plan, evidence: AnyEvidence) -> dict[str, np.ndarray]:
    """The arrays for figures that a plan asks for; what cannot be drawn of this run is left out."""
    found: dict[str, np.ndarray] = {}
    for name in plan.exhibits:
        with suppress(InputError):
            found |= exhibits.pick(name)(evidence)
    return found


def shown(evidence: AnyEvidence) -> dict[str, np.ndarray]:
    """What a record keeps of the evidence: small arrays for figures."""
    if isinstance(evidence, ComponentEvidence):
        return {"answers": evidence.mean, "targets": evidence.targets}
    if isinstance(evidence, ModuleEvidence | SceneEvidence):
        return {}  # what there is to see are numbers, and exhibits
    errors = np.minimum(error_map(evidence), np.finfo(np.float32).max)  # a network may be wrong beyond all bounds
    return {"error_map": errors.astype(np.float32), **samples(evidence)}


def samples(evidence: Evidence) -> dict[str, np.ndarray]:
    """A few held-out combinations, evenly spread over the held-out set: where they are, the truth and the answer."""
    arms = [np.flatnonzero(evidence.sections[name]) for name in ARMS if name in evidence.sections]
    parts = arms or [np.flatnonzero(evidence.sections["ood"])]
    each = SAMPLES // len(parts)
    chosen = np.concatenate(
        [part[np.linspace(0, len(part) - 1, min(each, len(part))).round().astype(int)] for part in parts]
    )
    return {
        "sample_combinations": np.stack(np.unravel_index(chosen, evidence.shape), axis=1),
        "sample_targets": evidence.targets[chosen].astype(np.float32),
        "sample_outputs": evidence.outputs[chosen].astype(np.float32),
    }


def _cost(started: float, training: float, network: "nn.Module | None" = None) -> dict[str, float]:
    """What it took: seconds, the peak of this process, and of the GPU that the network is on, if it is on one."""
    cost = {
        "training_seconds": training,
        "seconds": training + time.perf_counter() - started,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }
    if network is None:
        return cost
    from recombine.models.network import device_of
    from recombine.training.devices import peak_mb

    return cost | peak_mb(device_of(network))
