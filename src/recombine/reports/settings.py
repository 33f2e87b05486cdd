"""The settings behind the claims: pieces of work that differ only in seed, with the run of each seed."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from recombine.data import Problem
from recombine.papers import Claim, Interval, Scale
from recombine.papers.claims import Setting
from recombine.studies import Experiment, Work, change

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

    work: Work
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
        return self.body.get("layers", ()) if self.body else ()


@dataclass(frozen=True, eq=False)
class SettingRuns:
    """One setting: what it is called, which claims use it, and its runs in order of seed."""

    label: str
    says: str
    uses: tuple[Use, ...]
    runs: tuple[SeedRun, ...]

    @cached_property
    def key(self) -> str:
        return key_of(self.work)

    @property
    def work(self) -> Work:
        """The work of the first seed."""
        return self.runs[0].work

    @property
    def anchor(self) -> str:
        """Where its part of the page is."""
        return f"setting-{self.key}"

    def with_status(self, status: str) -> list[SeedRun]:
        return [run for run in self.runs if run.status == status]

    def numbers(self, quantity: str) -> list[float]:
        """A measure that is one number, or ``name.part`` of one that has several, for the seeds that have it."""
        found = [numbers_of(run.measures).get(quantity) for run in self.with_status("done")]
        return [number for number in found if number is not None]

    def quantities(self) -> list[str]:
        """The names of all numbers that some seed has."""
        return sorted({name for run in self.with_status("done") for name in numbers_of(run.measures)})

    def interval(self, quantity: str) -> Interval | None:
        """A number over the seeds that have it; a point where nothing is left to chance."""
        numbers = self.numbers(quantity)
        if not numbers:
            return None
        return Interval.point(numbers[0]) if self.work.exact else Interval.over_seeds(numbers)

    def claims(self) -> list[str]:
        """The claims it serves, each once, those it serves as a control last."""
        return list(dict.fromkeys(use.claim.id for use in sorted(self.uses, key=lambda use: use.control)))

    def serves_a_claim(self) -> bool:
        return any(not use.control for use in self.uses)


def numbers_of(measures: Mapping[str, Any]) -> dict[str, float]:
    """Every number among measures by name; the values of a measure by layer or type are ``name.part``."""
    found: dict[str, float] = {}
    for name, value in measures.items():
        parts = (
            {f"{name}.{part}": each for part, each in value.items()} if isinstance(value, Mapping) else {name: value}
        )
        found |= {key: float(each) for key, each in parts.items() if isinstance(each, int | float)}
    return found


def problem_of(work: Work) -> Problem:
    """The problem of work that is trained."""
    assert isinstance(work, Experiment), f"{work.title()} has no problem"
    return work.problem


def key_of(work: Work) -> str:
    """What all seeds of a setting share: the digest of its work with seed 0."""
    return change(work, seed=0).digest()


def settings_of(claims: Iterable[Claim], scale: Scale, run_of: Callable[[Work], SeedRun]) -> dict[str, SettingRuns]:
    """Every setting the claims use at a scale, by key, in order of first appearance; the seeds are all claims'."""
    uses: dict[str, list[Use]] = {}
    works: dict[str, dict[int, Work]] = {}
    named: dict[str, Setting] = {}
    for claim in claims:
        sides = ((claim.settings, claim.runs(scale)), (claim.control.settings, claim.control_runs(scale)))
        for control, (settings, runs) in enumerate(sides):
            for name, members in runs.items():
                key = key_of(members[0])
                named.setdefault(key, settings[name])
                uses.setdefault(key, []).append(Use(claim, name, bool(control)))
                works.setdefault(key, {}).update({member.seed: member for member in members})
    labels = _labels(named, uses)
    return {
        key: SettingRuns(
            label=labels[key],
            says=_says(setting),
            uses=tuple(uses[key]),
            runs=tuple(run_of(works[key][seed]) for seed in sorted(works[key])),
        )
        for key, setting in named.items()
    }


def counterparts(setting: SettingRuns, scale: Scale, settings: Mapping[str, SettingRuns]) -> list[SettingRuns]:
    """What a setting is shown beside: the one that differs least in its support, else the controls of its claims."""
    near = nearest_support(setting, settings)
    if near is not None:
        return [near]
    compared = (use.claim.control.settings.get(use.name) for use in setting.uses if not use.control)
    keys = dict.fromkeys(key_of(control(scale)) for control in compared if control is not None)
    return [settings[key] for key in keys if key in settings and key != setting.key]


def nearest_support(setting: SettingRuns, settings: Mapping[str, SettingRuns]) -> SettingRuns | None:
    """The setting that differs in its support alone, and there in the fewest settings; None if there is none.

    Of several that differ as little, one that a claim looks at together with this one, then the first.
    """
    work = setting.work
    if not isinstance(work, Experiment) or work.problem.support is None:
        return None
    claims = {use.claim.id for use in setting.uses}
    found = {
        key: (support_differences(work, other.work), claims.isdisjoint(use.claim.id for use in other.uses))
        for key, other in settings.items()
        if isinstance(other.work, Experiment) and apart_from_support(other.work) == apart_from_support(work)
    }
    found = {key: rank for key, rank in found.items() if rank[0]}  # the same support is no neighbour
    return settings[min(found, key=found.__getitem__)] if found else None


def apart_from_support(work: Experiment) -> tuple[Any, ...]:
    """What is trained on what and how, but for the support."""
    problem = {name: value for name, value in work.problem.settings().items() if name != "support"}
    return problem, work.model, work.recipe


def support_differences(first: Experiment, second: Experiment) -> int:
    """In how many settings two supports differ; another kind is one more than all settings of both."""
    one, two = problem_of(first).support, problem_of(second).support
    assert one is not None
    assert two is not None
    here, there = dict(one), dict(two)
    differing = sum(here.get(name) != there.get(name) for name in {**here, **there})
    return differing + (len({**here, **there}) + 1) * (one.kind != two.kind)


def _says(setting: Setting) -> str:
    """The first line of the setting's own docstring; nothing where it has none of its own."""
    own = hasattr(setting, "__name__")  # a partial shows the docstring of its class
    return ((setting.__doc__ or "").strip().splitlines() or [""])[0] if own else ""


def _labels(named: Mapping[str, Setting], uses: Mapping[str, list[Use]]) -> dict[str, str]:
    """A few words for each setting, no two alike: the name of its function, or the claim that uses it first."""
    labels: dict[str, str] = {}
    for key, setting in named.items():
        words = getattr(setting, "__name__", "").strip("_").replace("_", " ")
        if not words or words.startswith("<"):  # a partial, a lambda
            first = uses[key][0]
            words = f"{first.claim.id} {'control' if first.control else first.name}"
        labels[key] = words if words not in labels.values() else f"{words} ({key[:4]})"
    return labels
