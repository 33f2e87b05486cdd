"""`rc.advise`: the smallest additions to a training set that should make it compose, by the forecast."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from recombine.core.errors import InputError, unknown
from recombine.data import Problem
from recombine.data.picture_task import PictureTask
from recombine.models import ModelSpec
from recombine.studies.additions import KINDS, check_addable
from recombine.studies.greedy import WHY, Addition, Oracle, Search
from recombine.studies.shared_kernel import forecast_again
from recombine.theory.forecast import COMPOSES_BELOW

TARGET = 0.9
FORECASTS = 400  # asked for at most, so that advice comes in seconds


@dataclass(frozen=True)
class Advice:
    """What to add to the training set of ``original``; ``problem`` has it all.

    ``before`` and ``after`` are forecasts of the performance on combinations that were held out in ``original`` and are
    not shown, 1 right and 0 as good as nothing.
    """

    original: Problem
    problem: Problem
    additions: tuple[Addition, ...]
    before: float
    after: float
    target: float
    prices: Mapping[str, float]
    forecasts: int  # how many were made

    @property
    def count(self) -> int:
        """How many examples are added."""
        return sum(addition.count for addition in self.additions)

    @property
    def price(self) -> float:
        return sum((addition.price for addition in self.additions), 0.0)

    @property
    def composes(self) -> bool:
        """Whether the forecast reaches the target with what is added."""
        return self.after >= self.target

    def __str__(self) -> str:
        now = f"the forecast of held-out performance is {self.before:.2f}"
        if not self.additions and self.composes:
            return f"Nothing needs to be added: {now}, and {self.target:g} is asked for."
        if not self.additions:
            return f"Nothing that was tried helps: {now}, {self.target:g} is asked for, and no addition raises it."
        found = f"rises from {self.before:.2f} to {self.after:.2f}"
        many = f"{self.count} example{'s' * (self.count != 1)} at a price of {self.price:g}"
        head = (
            f"Add {many}: the forecast of held-out performance {found}, and {self.target:g} is asked for."
            if self.composes
            else f"Nothing that was tried turns the forecast: with {many} it {found}, and {self.target:g} is asked for."
        )
        lines = [
            f"- {a.kind}: {a.words} ({a.count} example{'s' * (a.count != 1)}, price {a.price:g}; forecast then "
            f"{a.performance:.2f}): {WHY[a.kind]}."
            for a in self.additions
        ]
        return "\n".join([head, *lines])

    def to_dict(self) -> dict[str, Any]:
        """Everything as JSON values."""
        return {
            "composes": self.composes,
            "before": self.before,
            "after": self.after,
            "target": self.target,
            "examples": self.count,
            "price": self.price,
            "prices": dict(self.prices),
            "additions": [addition.to_dict() for addition in self.additions],
            "original": self.original.settings(),
            "problem": self.problem.settings(),
            "forecasts": self.forecasts,
        }


def expected_performance(
    problem: Problem, model: "str | Mapping[str, Any] | ModelSpec | None" = None, seed: int = 0
) -> float:
    """The forecast performance on what is held out: 1 right, 0 as good as a blank picture, the mean answer or chance.

        1 - min(1, nMSE)  for pictures and numbers,   max(0, 1 - 2 error rate)  for classes

    Kernels cannot use factors that are shown alone as networks do: with all levels of all factors alone decoders
    compose (FR11 of forced rendering), and with a share of the levels of each, as much of the way is counted as the
    product of these shares.
    """
    found = forecast_again(problem, model, seed)
    error = next(section.expected for section in found.sections if section.name == "ood")
    lost = 2 * error if found.quantity == "error rate" else error
    known = 1 - min(1.0, lost)
    if not isinstance(problem.task, PictureTask) or set(problem.isolated) != set(problem.grid.names):
        return known
    levels = problem.isolated_levels
    share = math.prod(1.0 if levels is None else levels / count for count in problem.grid.shape)
    return known + max(0.0, 1 - COMPOSES_BELOW - known) * share


def advise(
    problem: Problem,
    model: "str | Mapping[str, Any] | ModelSpec | None" = None,
    prices: Mapping[str, float] | None = None,
    target: float = TARGET,
    most: int | None = None,
    seed: int = 0,
    oracle: Oracle | None = None,
    forecasts: int = FORECASTS,
) -> Advice:
    """The smallest additions to the training set that turn the forecast, found greedily.

    Round by round the candidate is added that raises the forecast most for its price, until nothing does, the target
    is reached, or ``most`` examples are added. The cheapest way to the target that was met in any round is taken;
    then what turned out needless is dropped. ``prices`` are those of one example of each kind, 1 unless given; an
    overlap costs what its combinations cost unless it has a price of its own. Whatever costs as much as showing all
    that is held out is not tried. ``oracle`` forecasts in place of `expected_performance`: the performance, from 0 to
    1, on what a problem holds out.
    """
    check_addable(problem)
    cost = check_prices(prices)
    if not 0 < target <= 1:
        raise InputError(f"target = {target:g} must be a performance above 0 and at most 1; the usual one is {TARGET}.")
    if most is not None and most < 1:
        raise InputError(f"most = {most} must be at least 1 example; leave it out for no limit.")
    if forecasts < 2:
        raise InputError(f"forecasts = {forecasts} must be at least 2, one of them of the problem as it is.")
    ask = oracle or (lambda each: expected_performance(each, model, seed))
    search = Search(problem, ask, cost, target, most, seed, forecasts)
    before, made = search.found()
    last = made[-1] if made else None
    new, after = (last.problem, last.performance) if last else (problem, before)
    return Advice(problem, new, made, before, after, target, cost, len(search.known))


def check_prices(prices: Mapping[str, float] | None) -> dict[str, float]:
    """The price of one example of every kind."""
    given = dict(prices or {})
    for kind, price in given.items():
        if kind not in KINDS:
            raise unknown("kind of addition", kind, KINDS)
        if not (isinstance(price, int | float) and math.isfinite(price) and price > 0):
            raise InputError(f"the price of an example, {kind} = {price!r}, must be a number above 0, e.g. {kind}=1.")
    usual = dict.fromkeys(KINDS, 1.0) | {"overlap": float(given.get("combination", 1.0))}
    return usual | {kind: float(price) for kind, price in given.items()}
