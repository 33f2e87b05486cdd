"""`rc.advise`: the smallest additions to a training set that should make it compose, by the forecast."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeAlias

from recombine.core.errors import InputError, unknown
from recombine.data import Problem
from recombine.models import ModelSpec, models
from recombine.studies.additions import KINDS, check_addable, level_name, level_words, shown_anew
from recombine.studies.features import family
from recombine.studies.fitting import check_fit, check_loss
from recombine.studies.forecasting import scored_outlook
from recombine.studies.greedy import WHY, Addition, Oracle, Search
from recombine.studies.kernel_forecasting import by_kernels
from recombine.theory.outlook import COMPOSES_FROM, Outlook

Model: TypeAlias = "str | Mapping[str, Any] | ModelSpec | None"

TARGET = COMPOSES_FROM
LOSS = "mse"  # what a forecast speaks of unless told otherwise
FORECASTS = 400  # asked for at most, so that advice comes in seconds
LISTED = 24  # combinations of one addition that are printed; a dictionary has all of them


@dataclass(frozen=True)
class Grounds:
    """What the numbers of an advice are, and how they stand to those that `recombine forecast` prints."""

    measure: str = "by the oracle that was given"
    verdict: str = ""  # of the outlook, on the problem as it is
    notes: tuple[str, ...] = ()
    classes: bool = False  # whether performance is 2 x accuracy - 1


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
    stopped: bool  # whether that was as many as were allowed
    grounds: Grounds

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
        told = [self.grounds.verdict, self.sentence(), *self._lines(), *self.grounds.notes]
        if self.stopped and not self.composes:
            told.append("The search stopped at its limit of forecasts; raise `forecasts` to let it go on.")
        return "\n".join(filter(None, told))

    def sentence(self) -> str:
        """The advice in one sentence."""
        what = f"held-out performance ({self.grounds.measure})"
        asked = f"{self.target:g} is asked for"
        if self.grounds.classes:
            asked += f", an accuracy of {(1 + self.target) / 2:.3g}"
        if not self.additions and self.composes:
            return f"Nothing needs to be added: {what} is {self.before:z.2f}, and {asked}."
        if not self.additions:
            return f"Nothing that was tried helps enough: {what} is {self.before:z.2f}, and {asked}."
        found = f"{what} rises from {self.before:z.2f} to {self.after:z.2f}, and {asked}."
        many = _priced(self.count, self.price)
        return f"Add {many}: {found}" if self.composes else f"Nothing that was tried is enough: with {many} {found}"

    def _lines(self) -> Iterator[str]:
        """A line for every addition, and what it shows where the line does not say; the first of a kind says why."""
        explained, names = set(), self.original.grid.names
        for addition, listed in zip(self.additions, self._listed(), strict=True):
            why = "" if addition.kind in explained else f": {WHY[addition.kind]}"
            explained.add(addition.kind)
            many = _priced(addition.count, addition.price)
            yield f"- {addition.kind}: {addition.words} ({many}; then {addition.performance:z.2f}){why}."
            if listed and [addition.words] != [level_words(names, row) for row in listed]:
                rows = [f"({', '.join(map(level_name, row))})" for row in listed[:LISTED]]
                more = f" and {len(listed) - LISTED} more" if len(listed) > LISTED else ""
                yield f"    ({', '.join(names)}) = {', '.join(rows)}{more}"

    def _listed(self) -> list[list[tuple[Any, ...]]]:
        """For every addition the combinations that it shows."""
        stages = [self.original, *(addition.problem for addition in self.additions)]
        return [shown_anew(before, after) for before, after in pairwise(stages)]

    def to_dict(self) -> dict[str, Any]:
        """Everything as JSON values."""
        names = self.original.grid.names
        combinations = [[dict(zip(names, row, strict=True)) for row in rows] for rows in self._listed()]
        return {
            "composes": self.composes,
            "sentence": self.sentence(),
            "measure": self.grounds.measure,
            "verdict": self.grounds.verdict or None,
            "notes": list(self.grounds.notes),
            "before": self.before,
            "after": self.after,
            "target": self.target,
            "examples": self.count,
            "price": self.price,
            "prices": dict(self.prices),
            "additions": [
                {**addition.to_dict(), "combinations": rows}
                for addition, rows in zip(self.additions, combinations, strict=True)
            ],
            "original": self.original.settings(),
            "problem": self.problem.settings(),
            "forecasts": self.forecasts,
        }


def _priced(count: int, price: float) -> str:
    """A number of examples, and what they cost unless that is 1 each."""
    many = f"{count} example{'s' * (count != 1)}"
    return many if price == count else f"{many} at a price of {price:g}"


def expected_performance(problem: Problem, model: Model = None, loss: str = LOSS) -> float:
    """The performance that `recombine forecast` expects on what is held out: 1 right, 0 as good as knowing nothing.

    That is its outlook, which was tuned on trained networks and scored; where none were, it is that of the kernels.
    """
    return _outlook(problem, model, loss).held_out.expected


def _outlook(problem: Problem, model: Model, loss: str) -> Outlook:
    found = scored_outlook(problem, _asked_of(model), loss=loss)
    if found is None:
        raise InputError(
            f"task {problem.task.kind!r} has no true answers for what is held out, so that no forecast can be turned; "
            "use a task whose answers are known."
        )
    return found


def _asked_of(model: Model) -> ModelSpec | None:
    """The sort of network that the outlook is asked about; of what draws from noise no trial was made."""
    spec = None if model is None else models.parse(model)
    return None if spec is None or spec.generative else spec


def grounds_of(original: Problem, problem: Problem, model: Model = None, loss: str = LOSS) -> Grounds:
    """What `recombine forecast` says of the problem as it is, and as it is with the additions."""
    first = _outlook(original, model, loss)
    last = first if problem == original else _outlook(problem, model, loss)
    return Grounds(
        measure="the outlook of `recombine forecast`" + (f", for the loss {loss}" if loss != LOSS else ""),
        verdict=first.verdict,
        notes=tuple(_notes(problem, last, model, problem != original)),
        classes=family(original) == "classes",
    )


def _notes(problem: Problem, last: Outlook, model: Model, changed: bool) -> Iterator[str]:
    """What else is to be borne in mind: the verdict in the end, networks that differ, and what kernels say."""
    if changed:
        yield f"With the additions: {last.verdict}"
    if last.depends and model is None:
        yield "Networks differ here, and the number is their mean; name yours with --model."
    if model is not None and models.parse(model).generative:
        yield f"{models.parse(model).kind} draws from noise, and no trial did: the number is that of other networks."
    yield f"Kernels, with{'' if changed else 'out'} additions: {by_kernels(problem).verdict}"
    yield from last.notes


def advise(
    problem: Problem,
    model: Model = None,
    prices: Mapping[str, float] | None = None,
    target: float = TARGET,
    most: int | None = None,
    seed: int = 0,
    oracle: Oracle | None = None,
    forecasts: int = FORECASTS,
    loss: str = LOSS,
) -> Advice:
    """The smallest additions to the training set that turn the forecast, found greedily.

    The forecast is the outlook that `recombine forecast` prints. Round by round the candidate is added that raises it
    most for its price, until nothing does, the target is reached, or ``most`` examples are added; where that falls
    short, once more from the candidate that raises it most at any price. The cheapest way to the target that was met in
    any round is taken; then what turned out needless is dropped. ``prices`` are those of one example of each kind, 1
    unless given; an overlap costs what its combinations cost unless it has a price of its own. Whatever costs as much
    as showing all that is held out is not tried. ``oracle`` forecasts in place of `expected_performance`: the
    performance, from -1 to 1, on what a problem holds out. ``loss`` is what networks are trained with. ``seed`` draws
    what is tried; forecasts are those of seed 0, as everywhere.
    """
    check_addable(problem)
    check_loss(problem.task, loss)
    if model is not None:
        check_fit(problem, models.parse(model))
        if not models.parse(model).trainable:
            raise InputError(f"model {models.parse(model).kind!r} is not trained, so nothing helps it; choose another.")
    cost = check_prices(prices)
    if not 0 < target <= 1:
        raise InputError(f"target = {target:g} must be a performance above 0 and at most 1; the usual one is {TARGET}.")
    if most is not None and most < 1:
        raise InputError(f"most = {most} must be at least 1 example; leave it out for no limit.")
    if forecasts < 2:
        raise InputError(f"forecasts = {forecasts} must be at least 2, one of them of the problem as it is.")
    ask = oracle or (lambda each: expected_performance(each, model, loss))
    search = Search(problem, ask, cost, target, most, seed, forecasts)
    before, made = search.found()
    last = made[-1] if made else None
    new, after = (last.problem, last.performance) if last else (problem, before)
    grounds = grounds_of(problem, new, model, loss) if oracle is None else Grounds()
    asked = len(search.known)
    return Advice(problem, new, made, before, after, target, cost, asked, asked >= forecasts, grounds)


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
