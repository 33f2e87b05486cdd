"""The settings behind the claims: experiments that differ only in seed, with the run of each seed."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from recombine.papers import Claim, Interval, Scale
from recombine.papers.claims import Setting
from recombine.studies import Experiment, change

Arrays = Mapping[str, np.ndarray]


@dataclass(frozen=True, slots=True)
class Use:
    """A claim that a setting serves, itself or as its control."""

    claim: Claim
    name: str  # of the setting within the claim: "main", "released"
    control: bool


@dataclass(frozen=True, eq=False)
class SeedRun:
    """The run of one seed; no body while it is missing."""

    experiment: Experiment
    body: Mapping[str, Any] | None
    arrays: Arrays = field(default_factory=dict)

    @property
    def status(self) -> str:
        """``done``, ``failed`` or ``missing``."""
        return "missing" if self.body is None else str(self.body["status"])

    @property
    def measures(self) -> Mapping[str, Any]:
        return self.body["measures"] if self.body else {}

    @property
    def layers(self) -> Sequence[str]:
        """The network's layers in order, input first and output last."""
        return self.body["layers"] if self.body else ()


@dataclass(frozen=True, eq=False)
class SettingRuns:
    """One setting: what it is called, which claims use it, and its runs in order of seed."""

    label: str
    says: str
    uses: tuple[Use, ...]
    runs: tuple[SeedRun, ...]

    @cached_property
    def key(self) -> str:
        return key_of(self.experiment)

    @property
    def experiment(self) -> Experiment:
        """The experiment of the first seed."""
        return self.runs[0].experiment

    @property
    def anchor(self) -> str:
        """Where its part of the page is."""
        return f"setting-{self.key}"

    def with_status(self, status: str) -> list[SeedRun]:
        return [run for run in self.runs if run.status == status]

    def interval(self, quantity: str) -> Interval | None:
        """A measure that is one number, over the seeds that have it."""
        values = [run.measures[quantity] for run in self.with_status("done") if quantity in run.measures]
        numbers = [float(value) for value in values if isinstance(value, int | float)]
        return Interval.over_seeds(numbers) if numbers else None

    def claims(self) -> list[str]:
        """The claims it serves, each once, those it serves as a control last."""
        return list(dict.fromkeys(use.claim.id for use in sorted(self.uses, key=lambda use: use.control)))

    def serves_a_claim(self) -> bool:
        return any(not use.control for use in self.uses)


def key_of(experiment: Experiment) -> str:
    """What all seeds of a setting share: the digest of its experiment with seed 0."""
    return change(experiment, seed=0).digest()


def settings_of(
    claims: Iterable[Claim], scale: Scale, run_of: Callable[[Experiment], SeedRun]
) -> dict[str, SettingRuns]:
    """Every setting the claims use at a scale, by key, in order of first appearance; the seeds are all claims'."""
    uses: dict[str, list[Use]] = {}
    experiments: dict[str, dict[int, Experiment]] = {}
    named: dict[str, Setting] = {}
    for claim in claims:
        sides = ((claim.settings, claim.runs(scale)), (claim.control.settings, claim.control_runs(scale)))
        for control, (settings, runs) in enumerate(sides):
            for name, members in runs.items():
                key = key_of(members[0])
                named.setdefault(key, settings[name])
                uses.setdefault(key, []).append(Use(claim, name, bool(control)))
                experiments.setdefault(key, {}).update({member.seed: member for member in members})
    labels = _labels(named, uses)
    return {
        key: SettingRuns(
            label=labels[key],
            says=_says(setting),
            uses=tuple(uses[key]),
            runs=tuple(run_of(experiments[key][seed]) for seed in sorted(experiments[key])),
        )
        for key, setting in named.items()
    }


def counterparts(setting: SettingRuns, scale: Scale, settings: Mapping[str, SettingRuns]) -> list[SettingRuns]:
    """The controls that the claims of this setting compare it with, each once."""
    compared = (use.claim.control.settings.get(use.name) for use in setting.uses if not use.control)
    keys = dict.fromkeys(key_of(control(scale)) for control in compared if control is not None)
    return [settings[key] for key in keys if key in settings and key != setting.key]


def describe(experiment: Experiment) -> dict[str, str]:
    """Problem, model and training in words, for people who know the library."""
    problem, recipe = experiment.problem, experiment.recipe
    levels = ", ".join(f"{len(factor)} levels of {factor.name}" for factor in problem.grid.factors)
    task = f"{problem.task.kind}{_differing(problem.task)}: {levels}"
    shown = [f"{problem.examples} examples drawn by the seed"] if problem.examples is not None else []
    shown += [f"every level of {' and of '.join(problem.isolated)} alone"] if problem.isolated else []
    shown += ["the held-out combinations too (a control)"] if problem.reveal else []
    facts = {
        "Task": task,
        "Held out": f"{problem.split.kind}{_differing(problem.split)}{HALF_OPEN if _has_ranges(problem.split) else ''}",
        "Also shown" if problem.examples is None else "Shown": "; ".join(shown),
        "Model": f"{experiment.model.kind}{_differing(experiment.model)}",
    }
    if experiment.model.trainable:
        penalties = "".join(f", penalty {penalty.kind}{_differing(penalty)}" for penalty in recipe.penalties)
        facts["Training"] = f"{recipe.steps:,} steps of {recipe.batch}, {recipe.optimiser}, rate {recipe.rate:g}, "
        facts["Training"] += f"decay {recipe.decay:g}{penalties}"
    return {name: fact for name, fact in facts.items() if fact}


HALF_OPEN = ", each range without its end"


def _has_ranges(region: Any) -> bool:
    return any(isinstance(value, list) for value in region.settings().values())


def _differing(spec: Any) -> str:
    """The settings of a specification that differ from its defaults, in brackets."""
    listed = ", ".join(f"{name} = {_plain(value)}" for name, value in spec.settings().items())
    return f" ({listed})" if listed else ""


def _plain(value: Any) -> str:
    if isinstance(value, Mapping):
        return str(value.get("kind", "")) or ", ".join(f"{key} {_plain(item)}" for key, item in value.items())
    return f"({', '.join(_plain(item) for item in value)})" if isinstance(value, list) else str(value)


def _says(setting: Setting) -> str:
    """The first line of the setting's own docstring; nothing where it has none of its own."""
    own = hasattr(setting, "__name__")  # a partial shows the docstring of its class
    return ((setting.__doc__ or "").strip().splitlines() or [""])[0] if own else ""


def _labels(named: Mapping[str, Setting], uses: Mapping[str, list[Use]]) -> dict[str, str]:
    """A few words for each setting, no two alike: the name of its function, or the claim that uses it first."""
    labels: dict[str, str] = {}
    for key, setting in named.items():
        words = getattr(setting, "__name__", "").strip("_").replace("_", " ")
        if not re.fullmatch(r"[\w ]+", words):
            first = uses[key][0]
            words = f"{first.claim.id} {'control' if first.control else first.name}"
        labels[key] = words if words not in labels.values() else f"{words} ({key[:4]})"
    return labels
