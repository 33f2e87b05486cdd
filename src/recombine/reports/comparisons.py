"""Forecasts scored: for every trained setting, the error that was predicted and the error that was measured."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from recombine.core.errors import InputError
from recombine.core.spec import canonical_json
from recombine.measures.correlation import rank_correlation
from recombine.papers import Interval
from recombine.reports.findings import Findings
from recombine.reports.quantities import Quantity, errors_of, quantity_of
from recombine.reports.settings import key_of
from recombine.reports.shown_words import no_combination
from recombine.studies import Experiment, Work

ENOUGH = 3  # problems, below which a rank correlation says nothing


@dataclass(frozen=True, slots=True)
class Pair:
    """The error of one section: forecast with its range, and measured over seeds."""

    section: str
    expected: float
    low: float
    high: float
    measured: Interval

    @property
    def inside(self) -> bool:
        """Whether the measured mean lies in the forecast range."""
        return self.low <= self.measured.estimate <= self.high


@dataclass(frozen=True, slots=True)
class Comparison:
    """One trained setting: its forecast and its sections."""

    label: str
    problem: str  # digest
    composes: bool | None
    quantity: Quantity
    pairs: tuple[Pair, ...]
    no_combination: bool = False  # training showed factors alone and nothing else

    @property
    def held_out(self) -> Pair | None:
        """The pair of all held-out combinations."""
        return next((pair for pair in self.pairs if pair.section == "ood"), None)


def compare(findings: Findings) -> tuple[list[Comparison], int]:
    """Every trained setting among the records on the page that has a forecast, and how many have none.

    Seeds of a setting are averaged. True pictures are left out: nothing is trained there. Records that are no
    experiments of this version have no setting, and are left out too. A forecast of another quantity than the one that
    was measured counts as none. What a support draws is left out: its forecast is a guarantee and no error.
    """
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for body in findings.bodies.values():
        specification = body.get("specification")
        if body.get("status") == "done" and isinstance(specification, Mapping):
            shared = {name: value for name, value in specification.items() if name != "seed"}
            groups.setdefault(canonical_json(shared), []).append(body)
    labels = findings.labels
    found, without = [], 0
    for bodies in groups.values():
        experiment = _experiment(bodies[0])
        if experiment is None or not comparable(experiment):
            continue
        if not findings.shows(experiment):
            continue
        digest = experiment.problem.digest()
        forecast, quantity = findings.forecasts.get(digest), quantity_of(experiment)
        if forecast is None or forecast.get("quantity", quantity.name) != quantity.name:
            without += 1
            continue
        label = labels.get(key_of(experiment)) or _other(experiment)
        pairs = tuple(_pairs(forecast, experiment, bodies))
        if pairs:
            found.append(
                Comparison(label, digest, forecast.get("composes"), quantity, pairs, no_combination(experiment.problem))
            )
    order = {label: place for place, label in enumerate(labels.values())}
    return sorted(found, key=lambda each: (order.get(each.label, len(order)), each.label)), without


def comparable(work: Work) -> bool:
    """Whether an error is both forecast and measured: of what is trained, and not drawn by a support."""
    return isinstance(work, Experiment) and work.model.trainable and work.problem.support is None


def held_out_rank(comparisons: Iterable[Comparison]) -> tuple[float, int, int] | None:
    """Spearman correlation of forecast with measured held-out error, the number of settings and that of problems.

    1: the forecast puts the settings in the right order; 0: no relation; −1: the reverse order. Settings that share
    a problem share its forecast. None with fewer than three problems. The comparisons must be of one quantity.
    """
    scored = [(each.problem, each.held_out) for each in comparisons if each.held_out is not None]
    problems = {problem for problem, _ in scored}
    if len(problems) < ENOUGH:
        return None
    expected = np.array([pair.expected for _, pair in scored])
    measured = np.array([pair.measured.estimate for _, pair in scored])
    return rank_correlation(expected, measured), len(scored), len(problems)


def _experiment(body: Mapping[str, Any]) -> Experiment | None:
    try:
        return Experiment.read(body["specification"])
    except InputError:
        return None


def _other(experiment: Experiment) -> str:
    """What to call a setting that no claim uses."""
    problem = experiment.problem
    return f"{experiment.model.kind} on {problem.task.kind}, {problem.rule.kind} ({key_of(experiment)[:8]})"


def _pairs(forecast: Mapping[str, Any], experiment: Experiment, bodies: Iterable[Mapping[str, Any]]) -> Iterable[Pair]:
    measured: dict[str, list[float]] = {}
    for body in bodies:
        for section, value in errors_of(experiment, body.get("measures") or {}).items():
            measured.setdefault(section, []).append(value)
    for section in forecast.get("sections", []):
        known = section["expected"] is not None  # None where the true answers are not known
        if known and section["name"] in measured:
            over_seeds = Interval.over_seeds(measured[section["name"]])
            expected, low, high = (float(section[name]) for name in ("expected", "low", "high"))
            yield Pair(section["name"], expected, low, high, over_seeds)
