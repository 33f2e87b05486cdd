"""The greedy search for additions, with a forecast as its oracle."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from recombine.core.errors import InputError
from recombine.core.seeds import stream
from recombine.data import Problem
from recombine.studies.additions import SHOWN_AT_MOST, Candidate, candidates, count_examples

Oracle = Callable[[Problem], float]

KEPT = 12  # candidates of one round that are tried again in the next, the best ones
SPARED = 100  # forecasts more, to find combinations of a set that are not needed
RISE = 1e-3  # a smaller rise of the forecast is no reason to add anything
WHY = {
    "isolated": "what one factor does is then shown by itself, so that whole combinations need not tell it",
    "combination": "its levels are then seen together with new partners",
    "overlap": "levels then share partners, which ties what is held out to what is shown",
}


@dataclass(frozen=True)
class Addition:
    """Examples to be added, what they cost, and the forecast once they and all additions before them are there."""

    kind: str  # "isolated", "combination" or "overlap"
    words: str
    count: int
    price: float
    performance: float
    problem: Problem

    def to_dict(self) -> dict[str, Any]:
        """Everything as JSON values."""
        told = {"kind": self.kind, "words": self.words, "examples": self.count, "price": self.price}
        return {**told, "performance": self.performance, "why": WHY[self.kind], "problem": self.problem.settings()}


class Search:
    """The greedy search: forecasts are remembered, so that what is asked twice is made once."""

    def __init__(
        self,
        problem: Problem,
        oracle: Oracle,
        prices: dict[str, float],
        target: float,
        most: int | None,
        seed: int,
        forecasts: int,
    ) -> None:
        self.original, self.oracle, self.prices, self.target, self.most = problem, oracle, prices, target, most
        self.rng, self.forecasts = stream(seed, "advise"), forecasts
        self.known: dict[str, float] = {}
        self.first: list[Candidate] = []  # what was offered in the first round
        alone = problem.examples is not None  # then combinations are not for sale
        self.dearest = math.inf if alone else int(problem.parts.held_out.sum()) * prices["combination"]

    def performance(self, problem: Problem) -> float:
        """The forecast of a problem."""
        name = problem.digest()
        if name not in self.known:
            found = float(self.oracle(problem))
            if not -1 <= found <= 1:
                raise InputError(
                    f"the forecast of held-out performance is {found:g}, and advice needs a number from -1 to 1; use a "
                    "task whose true answers are known, or another oracle."
                )
            self.known[name] = found
        return self.known[name]

    def plan(self, chosen: Sequence[Candidate]) -> tuple[Addition, ...]:
        """The candidates one after the other, priced and forecast; those that add nothing by then are left out."""
        problem, made = self.original, []
        for candidate in chosen:
            new = candidate.added_to(problem)
            count = count_examples(new) - count_examples(problem)
            if count > 0:
                price = count * self.prices[candidate.kind]
                made.append(Addition(candidate.kind, candidate.words, count, price, self.performance(new), new))
                problem = new
        return tuple(made)

    def found(self) -> tuple[float, tuple[Addition, ...]]:
        """The forecast as it is, and the additions that turn it, or raise it as far as any that were tried."""
        before = self.performance(self.original)
        if before >= self.target:
            return before, ()
        ways = [self.plan(self.thinned(self.greedy(before, self.forecasts * 2 // 3)))]
        if not ways[0] or ways[0][-1].performance < self.target:
            # What is dear for its rise at first, such as a factor shown alone, may lead further in the end.
            ways.append(self.plan(self.thinned(self.greedy(before, self.forecasts, boldly=True))))
        return before, max(ways, key=lambda made: made[-1].performance if made else before)

    def greedy(self, before: float, forecasts: int, boldly: bool = False) -> tuple[Candidate, ...]:
        """The cheapest way to the target that was met, or else the greedy way as far as it went.

        Boldly, the first step is the one that raises the forecast most, whatever it costs.
        """
        problem, now, spent, examples, cheapest = self.original, before, 0.0, 0, math.inf
        chosen: tuple[Candidate, ...] = ()
        reached: tuple[Candidate, ...] = ()
        kept: list[Candidate] = []
        while len(self.known) < forecasts or (boldly and not chosen):
            rated: list[tuple[float, float, int, float, Problem, Candidate]] = []
            have = count_examples(problem)
            bold = boldly and not chosen
            offered = self.first if bold else candidates(self.original, problem, self.rng)
            self.first = self.first or offered
            for candidate in dict.fromkeys([*kept, *offered]):
                new = self.possible(problem, candidate)
                count = 0 if new is None else count_examples(new) - have
                if new is None or count <= 0:
                    continue
                price = count * self.prices[candidate.kind]
                too_many = self.most is not None and examples + count > self.most
                if too_many or spent + price >= min(cheapest, self.dearest):
                    continue
                if len(self.known) >= forecasts and new.digest() not in self.known:
                    continue
                after = self.performance(new)
                rated.append(((after - now) / (1.0 if bold else price), after, count, price, new, candidate))
                if after >= self.target:
                    reached, cheapest = (*chosen, candidate), spent + price
            rated.sort(key=lambda entry: -entry[0])
            # What is shown alone is proposed anew, since it hangs on what is shown alone by then.
            kept = [entry[-1] for entry in rated[: KEPT + 1] if entry[-1].rows]
            if not rated or rated[0][1] - now < RISE:
                break
            _, now, count, price, problem, best = rated[0]
            chosen, spent, examples = (*chosen, best), spent + price, examples + count
            if now >= self.target:
                break
        return reached or chosen

    def possible(self, problem: Problem, candidate: Candidate) -> Problem | None:
        """The problem with a candidate, unless all of it is shown already or too little would stay held out."""
        if candidate.rows:
            held, first = problem.parts.held_out, int(self.original.parts.held_out.sum())
            news = int(held[problem.grid.index(np.array(candidate.rows))].sum())
            if not news or first - int(held.sum()) + news > SHOWN_AT_MOST * first:
                return None
        return candidate.added_to(problem)

    def thinned(self, chosen: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
        """Without the additions that turned out needless, the dearest first, then without needless combinations."""
        made = self.plan(chosen)
        if not made:
            return ()
        needed = min(made[-1].performance, self.target)
        price_of = {addition.words: addition.price for addition in made}
        for candidate in sorted(chosen, key=lambda each: -price_of.get(each.words, 0.0)):
            fewer = tuple(each for each in chosen if each is not candidate)
            if self.suffices(fewer, needed):
                chosen = fewer
        for place, candidate in enumerate(chosen):
            kept = candidate
            for row in candidate.rows if len(candidate.rows) > 1 else ():
                if len(self.known) >= self.forecasts + SPARED:
                    break
                spared = replace(kept, rows=tuple(each for each in kept.rows if each != row))
                fewer = (*chosen[:place], spared, *chosen[place + 1 :])
                if spared.rows and self.suffices(fewer, needed):
                    kept, chosen = spared, fewer
            if kept is not candidate:
                kept = replace(kept, words=f"{kept.words}, {len(kept.rows)} of {len(candidate.rows)} combinations")
                chosen = (*chosen[:place], kept, *chosen[place + 1 :])
        return chosen

    def suffices(self, chosen: Sequence[Candidate], needed: float) -> bool:
        """Whether these are something, and the forecast with them is as good as needed."""
        made = self.plan(chosen)
        return bool(made) and made[-1].performance >= needed
