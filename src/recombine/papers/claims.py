"""A paper's claim is an object that is run, judged with intervals over seeds, and can come out contradicted."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from typing import Any, TypeVar

import numpy as np

from recombine.studies import Work, distinct, vary

T = TypeVar("T")


class Scale(StrEnum):
    """How large a reproduction is; see the design: minutes, hours, or the papers' own settings."""

    QUICK = "quick"
    LAPTOP = "laptop"
    PAPER = "paper"


class Verdict(StrEnum):
    CONFIRMED = "confirmed"
    CONTRADICTED = "contradicted"
    UNDECIDED = "undecided"
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class Range:
    """Where a quantity must lie; an end that is not given is open."""

    low: float = -math.inf
    high: float = math.inf

    def __str__(self) -> str:
        if self.low == -math.inf:
            return f"at most {self.high:g}"
        return f"at least {self.low:g}" if self.high == math.inf else f"{self.low:g} to {self.high:g}"

    def to_dict(self) -> dict[str, float | None]:
        ends = {"low": self.low, "high": self.high}
        return {name: value if math.isfinite(value) else None for name, value in ends.items()}


class Average(StrEnum):
    """What stands for the seeds of a setting."""

    MEAN = "mean"
    GEOMETRIC = "geometric mean"  # for numbers from 0 up that differ between seeds by factors, as errors do
    MEDIAN = "median"  # where a seed may get stuck, far from all others


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate with its 95% interval over seeds.

        mean ± t(0.975; n - 1) s / √n

    One seed has no interval: its ends are infinite, so that nothing is decided by it. What is computed without
    chance is a point.
    """

    estimate: float
    low: float
    high: float
    seeds: int

    @classmethod
    def over_seeds(cls, values: "list[float]", average: Average = Average.MEAN) -> "Interval":
        """The interval of the mean; of the geometric mean: the same, taken of logarithms.

        A geometric mean is 0 if a value is; unless all are, logarithms then have no interval, and nothing is decided.
        That of the median lies between two of the values, the k-th from below and from above, with the largest k for
        which P(Binomial(n, 1/2) < k) <= 0.025; fewer than six values have none.
        """
        from scipy.special import stdtrit

        if average is Average.MEDIAN:
            return cls._of_median(sorted(values))
        if average is Average.GEOMETRIC and max(values) > 0:
            if min(values) <= 0:
                return cls(0.0, 0.0, math.inf, len(values))
            logs = cls.over_seeds([math.log(value) for value in values])
            return cls(math.exp(logs.estimate), math.exp(logs.low), math.exp(logs.high), logs.seeds)
        mean, count = float(np.mean(values)), len(values)
        if count < 2:
            return cls(mean, -math.inf, math.inf, count)
        half = float(stdtrit(count - 1, 0.975) * np.std(values, ddof=1) / math.sqrt(count))
        return cls(mean, mean - half, mean + half, count)

    @classmethod
    def _of_median(cls, values: "list[float]") -> "Interval":
        from scipy.stats import binom

        count = len(values)
        within = int(binom.ppf(0.025, count, 0.5))  # the largest k with P(fewer than k below the median) <= 0.025
        middle = float(np.median(values))
        if within < 1:
            return cls(middle, -math.inf, math.inf, count)
        return cls(middle, values[within - 1], values[count - within], count)

    @classmethod
    def point(cls, value: float) -> "Interval":
        return cls(value, value, value, 1)

    def to_dict(self) -> dict[str, float | int | None]:
        ends = {"low": self.low, "high": self.high}
        finite = {name: value if math.isfinite(value) else None for name, value in ends.items()}
        return {"estimate": self.estimate, **finite, "seeds": self.seeds}


# What may have a quantity without any training, or without drawing, by the name that stands in its layer's place.
BASELINES = {
    "pixels": "true pictures as they are",
    "untrained": "the untrained network, shown them",
    "true": "the trained network, shown them",
}


@dataclass(frozen=True, slots=True)
class Check:
    """One quantity of a claim and the range it must lie in, written before the run, with its source."""

    quantity: str  # the name of a registered measure
    expected: Range
    source: str  # how the range was obtained
    of: str = "main"  # which of the claim's settings it is measured in
    minus: str | None = None  # the setting whose value is subtracted, seed by seed, where a difference is asked for
    least: Scale = Scale.QUICK  # the smallest scale at which it is asked
    over: str | None = None  # the setting whose value it is divided by, where a ratio is asked for
    average: Average = Average.MEAN
    baselines: tuple[str, ...] = ()  # those of `BASELINES` that stand beside it; they decide nothing

    def __post_init__(self) -> None:
        if self.minus is not None and self.over is not None:
            raise ValueError(f"check of {self.quantity}: a difference or a ratio, not both.")

    @property
    def beside(self) -> str | None:
        """The setting that ``of`` is compared with, seed by seed; None: it is taken as it is."""
        return self.over if self.minus is None else self.minus

    @property
    def settings(self) -> tuple[str, ...]:
        """The names of the settings it looks at."""
        return (self.of,) if self.beside is None else (self.of, self.beside)

    def of_baseline(self, name: str) -> "Check":
        """The same check of a baseline: ``holes.probe-h1`` becomes ``holes.pixels-h1``."""
        whole, _, part = self.quantity.partition(".")
        return replace(self, quantity=f"{whole}.{name}{part.removeprefix(part.partition('-')[0])}", baselines=())

    def where(self) -> str:
        """The setting, or the difference or ratio of two."""
        if self.beside is None:
            return self.of
        return f"{self.of} {'over' if self.minus is None else 'minus'} {self.beside}"

    def compare(self, value: float, other: float) -> float:
        """The value of one seed with that of the setting beside it."""
        return value - other if self.minus is not None else value / other

    def judge(self, measured: Interval) -> Verdict:
        """Undecided whenever the measured interval lies only partly inside."""
        if measured.low >= self.expected.low and measured.high <= self.expected.high:
            return Verdict.CONFIRMED
        if measured.high < self.expected.low or measured.low > self.expected.high:
            return Verdict.CONTRADICTED
        return Verdict.UNDECIDED


# The work of the first seed at a scale; the other seeds are copies of it.
Setting = Callable[[Scale], Work]

# Makes a part of such work, or all of it, when a setting is asked for it: a support, a penalty, a calculation. Papers
# name very many of them, and what only lists claims should build none.
Maker = Callable[[], T]


def setting(name: str, says: str, make: Setting) -> Setting:
    """A setting with a name and a sentence of its own, for the report."""
    built: dict[Scale, Work] = {}

    def work(scale: Scale) -> Work:
        if scale not in built:
            built[scale] = make(scale)
        return built[scale]

    work.__name__, work.__doc__ = name, says
    return work


@cache
def _seeds(setting: Setting, scale: Scale, seeds: int) -> tuple[Work, ...]:
    """One piece of work per seed; just one where nothing is left to chance. Kept, since pages ask again and again."""
    first = setting(scale)
    return (first,) if first.exact else tuple(vary(first, seed=range(seeds)))


@dataclass(frozen=True, slots=True)
class Control:
    """Settings in which the same checks must come out contradicted."""

    says: str
    settings: Mapping[str, Setting]
    most_seeds: int = 3  # an effect that must be absent is far from its range; it needs no more


@dataclass(frozen=True, slots=True)
class Claim:
    """One statement of a paper: what it says, what must be seen, and the control that must not show it."""

    id: str
    paper: str  # key of the paper
    place: str  # where the paper says it: "Fig. 4b"
    says: str  # the statement, in our words
    checks: tuple[Check, ...]  # the first is the headline
    settings: Mapping[str, Setting]
    control: Control
    seeds: Mapping[Scale, int]
    least: Scale = Scale.QUICK  # the smallest scale at which it is asked: minutes do not suffice for every claim

    def __post_init__(self) -> None:
        for settings in (self.settings, self.control.settings):
            unknown = {name for check in self.checks for name in check.settings} - set(settings)
            if unknown:
                raise ValueError(f"claim {self.id}: checks name settings {sorted(unknown)} that are not given.")

    def works(self, scale: Scale) -> list[Work]:
        """All the work the claim and its control need, each piece once."""
        runs = [*self.runs(scale).values(), *self.control_runs(scale).values()]
        return distinct(work for seeds in runs for work in seeds)

    def runs(self, scale: Scale) -> dict[str, list[Work]]:
        """For each setting of the claim one piece of work per seed; just one where nothing is left to chance."""
        return self._by_seed(self.settings, scale, self.seeds[scale])

    def control_runs(self, scale: Scale) -> dict[str, list[Work]]:
        """The same for the control."""
        return self._by_seed(self.control.settings, scale, min(self.seeds[scale], self.control.most_seeds))

    def asked_at(self, scale: Scale) -> bool:
        """Whether it is asked at a scale."""
        return list(Scale).index(self.least) <= list(Scale).index(scale)

    def checks_at(self, scale: Scale) -> tuple[Check, ...]:
        """The checks that are asked at a scale."""
        order = list(Scale)
        return tuple(check for check in self.checks if order.index(check.least) <= order.index(scale))

    def _by_seed(self, settings: Mapping[str, Setting], scale: Scale, seeds: int) -> dict[str, list[Work]]:
        needed = {name for check in self.checks_at(scale) for name in check.settings}
        return {name: list(_seeds(setting, scale, seeds)) for name, setting in settings.items() if name in needed}

    def describe(self) -> dict[str, Any]:
        """What ``recombine list claims --json`` gives."""
        headline = self.checks[0]
        return {
            "id": self.id,
            "paper": self.paper,
            "place": self.place,
            "says": self.says,
            "quantity": headline.quantity,
            "expected": headline.expected.to_dict(),
            "source": headline.source,
            "control": self.control.says,
            "least_scale": self.least,
            "checks": [
                {
                    "quantity": c.quantity,
                    "of": c.where(),
                    "expected": c.expected.to_dict(),
                    "source": c.source,
                    "average": c.average,
                }
                for c in self.checks
            ],
        }
