"""A problem handed to the theory as arrays: what kernel regression says of it."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from recombine.core.errors import InputError
from recombine.core.seeds import stream, torch_seed
from recombine.core.shapes import Integer
from recombine.data import Problem
from recombine.data.components import ComponentTask
from recombine.data.functions import FunctionTask
from recombine.data.picture_task import picture_task
from recombine.data.pictures import Picture
from recombine.data.task import Examples
from recombine.models import ModelSpec, models
from recombine.splits import unseen_levels
from recombine.studies.percolating import with_percolation
from recombine.theory import (
    ComponentKernel,
    Forecast,
    forecast_components,
    forecast_images,
    relu_kernels,
    tangent_kernels,
)
from recombine.theory.forecast import BLANK_PICTURE, LARGEST_MATRIX, KernelAnswer, check_size
from recombine.theory.reasons import Reason

Kernel = Callable[[np.ndarray, np.ndarray], np.ndarray]

NO_ANSWER = "always answering 0"  # has an nMSE of 1 where answers are no pictures
SAMPLED = 2000  # training pictures that stand for more than kernels can hold
# How a model's own kernel is estimated, and the operations up to which it is: probes, share of the channels. A core of
# our machines makes some 6e10 of them a second, so that a forecast stays below ten seconds.
CAREFUL, THRIFTY = (4, 1.0), (1, 1 / 8)
CAREFUL_UP_TO, THRIFTY_UP_TO = 1e11, 4e11


def by_kernels(
    problem: Problem,
    model: "str | Mapping[str, Any] | ModelSpec | None" = None,
    seed: int = 0,
    known: Mapping[str, KernelAnswer] | None = None,
) -> Forecast:
    """What kernel regression says about every held-out combination.

    ``known`` are the answers of an earlier forecast of this problem and seed, whose kernels are not asked again.
    """
    if isinstance(problem.task, ComponentTask):
        return _forecast_components(problem, problem.task, model, seed)
    if problem.support is not None:
        from recombine.studies.scene_forecast import forecast_scenes

        return forecast_scenes(problem, model, seed)
    check_forecast_size(problem)  # before a kernel of a model is computed
    draws = forecast_functions if isinstance(problem.task, FunctionTask) else forecast_pictures
    kernels = tangent_kernels()
    own = None
    if model is not None:
        spec = models.parse(model)
        own = model_kernel(problem, spec, seed, hurry=True)
        kernels |= own.named(spec)
    found = draws(problem, kernels, seed, known)
    if own is not None:
        found = replace(found, reasons=(*found.reasons, *own.reasons(spec)))
    return with_percolation(found, problem, seed)


def forecast_pictures(
    problem: Problem, kernels: Mapping[str, Kernel], seed: int = 0, known: Mapping[str, KernelAnswer] | None = None
) -> Forecast:
    """What regression with these kernels says about the pictures of every held-out combination."""
    check_forecast_size(problem)
    task = picture_task(problem.task)
    everything = problem.everything
    rows = sampled_rows(problem, seed)
    shown, alone = problem.training_set(seed), problem.lone(seed)
    codes, targets = shown.codes[rows], np.asarray(shown.pictures[rows])
    levels = (problem.grid.shape[0], problem.grid.shape[1])
    # Pictures of factors add up where both factors vary and every level has a picture: not in a gap.
    gap = set(unseen_levels(problem.grid, ~problem.trained)).intersection(task.interpolates)
    found = forecast_images(
        codes=everything.codes,
        train=codes,
        train_targets=_flat(targets),
        truth=_flat(everything.targets),
        sections=problem.parts.sections,
        blank=task.blank,
        kernels=kernels,
        dark=task.dark,
        image=task.image if task.places == "pixel" else None,  # other places are not scored
        grid=levels if min(levels) > 1 and not gap else None,
        alone=alone[rows],
        periodic=task.periodic,
        nothing=BLANK_PICTURE if task.places in (None, "pixel") else NO_ANSWER,
        known=known,
    )
    return found if len(rows) == len(shown) else replace(found, reasons=(*found.reasons, _sample(rows, shown)))


def sampled_rows(problem: Problem, seed: int) -> Integer[np.ndarray, " rows"]:
    """The training examples that a forecast of pictures looks at: all, or `SAMPLED` of them where they are too many."""
    count = len(problem.training_set(seed))
    if count**2 <= LARGEST_MATRIX:
        return np.arange(count)
    return np.sort(stream(seed, "theory", "sample").choice(count, SAMPLED, replace=False))


def _sample(rows: np.ndarray, shown: Examples) -> Reason:
    return Reason(
        "sample",
        f"The forecast is made of {len(rows)} of the {len(shown)} training examples, drawn by the seed.",
        {"examples": len(shown), "sample": len(rows)},
    )


def forecast_functions(
    problem: Problem, kernels: Mapping[str, Kernel], seed: int = 0, known: Mapping[str, KernelAnswer] | None = None
) -> Forecast:
    """What regression with these kernels says about the answers of functions, at places of every held-out cell."""
    check_forecast_size(problem)
    assert isinstance(problem.task, FunctionTask)
    shown, everything = problem.training_set(seed), problem.task.asked(seed)
    return forecast_images(
        codes=everything.codes,
        train=shown.codes,
        train_targets=_flat(shown.targets),
        truth=_flat(everything.targets),
        sections={name: np.repeat(mask, problem.task.asked_each) for name, mask in problem.parts.sections.items()},
        blank=0.0,
        kernels=kernels,
        dark=False,
        image=None,
        grid=None,
        alone=np.zeros(len(shown), dtype=bool),
        periodic=False,
        nothing=NO_ANSWER,
        known=known,
    )


def check_forecast_size(problem: Problem) -> None:
    """Refuse a forecast of pictures that would not fit in memory, by counting; no picture is drawn."""
    if isinstance(problem.task, FunctionTask):
        shown = int(problem.trained.sum()) if problem.examples is None else problem.examples
        check_size(problem.grid.size * problem.task.asked_each, shown, len(problem.task.modules_out))
        return
    task = picture_task(problem.task)
    combinations = problem.most_examples if problem.examples is None else problem.examples
    if problem.isolated_levels is not None:
        alone = problem.isolated_levels * len(problem.isolated)
    else:
        alone = len(task.alone(problem.isolated, problem.spacing, problem.rim)) if problem.isolated else 0
    examples = combinations + alone
    check_size(problem.grid.size, examples if examples**2 <= LARGEST_MATRIX else SAMPLED, math.prod(task.image))


def _forecast_components(
    problem: Problem, task: ComponentTask, model: "str | Mapping[str, Any] | ModelSpec | None", seed: int
) -> Forecast:
    """Random ReLU layers and, with a model, what its own network holds alike before training."""
    combinations = problem.grid.combinations()
    kernels: dict[str, ComponentKernel] = {**relu_kernels(combinations.shape[1])}
    if model is not None:
        from recombine.training.observe import similarities
        from recombine.training.run import build

        spec = models.parse(model)
        if not spec.trainable:
            raise InputError(f"model {spec.kind!r} is not trained, so it has no kernel; choose another.")
        found = similarities(task, build(problem, spec, seed), "initial", seed, of_means=True)
        if not found:
            raise InputError(
                f"the grid has {problem.grid.size} combinations, too many to compare in a network; leave out --model."
            )
        kernels |= {f"{spec.kind}: {name}": matrix for name, matrix in found.items()}
    return forecast_components(
        combinations, task.labels, problem.shown(seed), problem.parts.sections, kernels, problem.grid.factors
    )


@dataclass(frozen=True)
class OwnKernel:
    """The tangent kernel of a network at its initial weights, as a function of two sets of codes, or none."""

    kernel: Kernel | None  # None where it would take too long
    estimate: tuple[int, float] = CAREFUL
    operations: float = 0.0  # of a careful estimate

    def __call__(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        assert self.kernel is not None
        return self.kernel(a, b)

    def named(self, spec: ModelSpec) -> dict[str, Kernel]:
        """The kernel under its name, for a forecast; nothing where there is none."""
        return {} if self.kernel is None else {f"tangent kernel of {spec.kind}": self.kernel}

    def reasons(self, spec: ModelSpec) -> tuple[Reason, ...]:
        """What was done to stay within seconds, if anything."""
        probes, share = self.estimate
        evidence: dict[str, Any] = {"operations": self.operations, "probes": probes, "share": share}
        much = f"with {CAREFUL[0]} probes and all channels it takes {self.operations:.1g} operations"
        if self.kernel is None:
            text = (
                f"the tangent kernel of {spec.kind} was left out, since it takes too long here ({much}); the kernels "
                "are those of wide ReLU networks, so use fewer levels or a smaller network to have its own."
            )
            return (Reason("own kernel", text, {**evidence, "probes": 0, "share": 0.0}),)
        if self.estimate == CAREFUL:
            return ()
        text = (
            f"the tangent kernel of {spec.kind} was estimated with {probes} probe and {share:.3g} of the channels of "
            f"layers that are asked at many places ({much})."
        )
        return (Reason("own kernel", text, evidence),)


def model_kernel(
    problem: Problem, model: "str | Mapping[str, Any] | ModelSpec", seed: int, hurry: bool = False
) -> OwnKernel:
    """The tangent kernel of a network; in a ``hurry`` a cheaper estimate of it, or none, where it would take long."""
    spec = models.parse(model)
    if not spec.trainable:
        raise InputError(f"model {spec.kind!r} is not trained, so it has no tangent kernel; choose another.")
    if spec.generative:
        raise InputError(
            f"model {spec.kind!r} draws its answers from noise, so it has no tangent kernel; choose a decoder, "
            "or leave it out."
        )
    # Of functions every seed is asked about places of its own.
    asked = problem.task.asked(seed) if isinstance(problem.task, FunctionTask) else problem.everything
    shown = problem.training_set(seed).codes
    if isinstance(problem.task, Picture):
        shown = shown[sampled_rows(problem, seed)]
    return kernel_over(np.concatenate([asked.codes, shown]), problem, spec, seed, hurry)


def kernel_over(codes: np.ndarray, problem: Problem, model: ModelSpec, seed: int, hurry: bool = False) -> OwnKernel:
    """The tangent kernel of a network at its initial weights; asked for rows of these codes only."""
    import torch

    from recombine.models.tangent import operations, tangent_kernel
    from recombine.training.run import build

    # Once over all codes: the rows and columns asked for are then looked up.
    distinct = np.unique(codes, axis=0)
    network, inputs = build(problem, model, seed), torch.from_numpy(distinct)
    estimate, needed = CAREFUL, 0.0
    if hurry:
        needed = operations(network, inputs, *CAREFUL)
        if needed > CAREFUL_UP_TO:
            estimate = THRIFTY
            if operations(network, inputs, *THRIFTY) > THRIFTY_UP_TO:
                return OwnKernel(None, estimate, needed)
    generator = torch.Generator().manual_seed(torch_seed(seed, "theory", "probes"))
    probes, share = estimate
    whole = tangent_kernel(network, inputs, probes, generator=generator, share=share)
    row_of = {row.tobytes(): index for index, row in enumerate(distinct)}

    def kernel(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        rows, columns = ([row_of[code.astype(np.float32).tobytes()] for code in block] for block in (a, b))
        # In the precision of the weights, so that the solver's cut-off fits it.
        return whole[np.ix_(rows, columns)].astype(np.float32)

    return OwnKernel(kernel, estimate, needed)


def _flat(pictures: np.ndarray) -> np.ndarray:
    return pictures.reshape(len(pictures), -1)
