"""Calculations: work that is computed and recorded like a run, alone, with nothing trained."""

from collections.abc import Iterator
from typing import ClassVar

import numpy as np
import pytest

from recombine.core.errors import InputError
from recombine.core.spec import Kinds
from recombine.studies import Calculation, Computed, Work, calculations, change, distinct, vary
from recombine.studies.stacks import plan_stacks


class Squares(Calculation):
    """The sum of squares up to a number."""

    quantities: ClassVar = {"total": "the sum", "mean": "the mean"}
    upto: int = 3

    def compute(self) -> Computed:
        squares = np.arange(self.upto + 1) ** 2
        return Computed({"total": float(squares.sum()), "mean": float(squares.mean())}, {"squares": squares})


class Drawn(Calculation):
    """A number by chance."""

    exact: ClassVar[bool] = False

    def compute(self) -> Computed:
        return Computed({"number": float(np.random.default_rng(self.seed).random())})


@pytest.fixture
def known() -> Iterator[Kinds[Calculation]]:
    """A registry of its own, so that no other test finds these."""
    registry: Kinds[Calculation] = Kinds("calculation")
    registry.register("squares")(Squares)
    registry.register("drawn")(Drawn)
    return registry


def test_an_outcome_has_numbers_arrays_and_costs(known):
    (outcome,) = Squares.run_together([Squares(upto=4)])
    assert outcome.status == "done"
    assert outcome.reason is None
    assert outcome.measures == {"total": 30.0, "mean": 6.0}
    assert outcome.arrays["squares"].tolist() == [0, 1, 4, 9, 16]
    assert outcome.cost["training_seconds"] == 0
    assert outcome.cost["seconds"] >= 0
    assert outcome.cost["peak_mb"] > 0
    assert outcome.weights == {}


def test_members_are_computed_in_order(known):
    outcomes = Squares.run_together([Squares(upto=upto) for upto in (2, 1)])
    assert [outcome.measures["total"] for outcome in outcomes] == [5.0, 1.0]


def test_settings_name_the_kind_so_that_records_can_be_read(known):
    work = Squares(upto=5, seed=2)
    assert work.settings() == {"kind": "squares", "upto": 5, "seed": 2}
    assert known.parse(work.settings()) == work
    assert Squares().settings() == {"kind": "squares"}
    assert Squares().digest() != Drawn().digest()


def test_words_for_progress_and_plans(known):
    assert Squares().title() == "squares"
    assert Drawn(seed=3).title() == "drawn, seed 3"
    assert Squares().line() == "calculation squares"
    assert Squares(upto=5).line() == "calculation squares (upto 5)"


def test_there_is_nothing_to_forecast_and_nothing_to_share_a_stack_with(known):
    works: list[Work] = [*vary(Drawn(), seed=range(3)), Squares()]
    assert {work.forecast_digest for work in works} == {None}
    assert len({work.shape() for work in works}) == 4
    stacks = plan_stacks(works, workers=1)
    assert [len(stack) for stack in stacks] == [1, 1, 1, 1]
    assert {stack.title() for stack in stacks} == {work.title() for work in works}


def test_values_are_changed_varied_and_kept_once(known):
    made = list(vary(Squares(), upto=(1, 2), seed=(0, 1)))
    assert [(work.upto, work.seed) for work in made] == [(1, 0), (1, 1), (2, 0), (2, 1)]
    assert distinct([*made, *made]) == made
    with pytest.raises(InputError, match="did you mean 'upto'"):
        change(Squares(), upo=3)
    with pytest.raises(InputError, match="seed = -1"):
        change(Squares(), seed=-1)


def test_chance_comes_from_the_seed(known):
    first, again, other = Drawn.run_together([Drawn(seed=1), Drawn(seed=1), Drawn(seed=2)])
    assert first.measures == again.measures != other.measures
    assert (Drawn.exact, Squares.exact) == (False, True)


def test_unknown_calculations_are_refused():
    with pytest.raises(InputError, match="unknown calculation 'squares'"):
        calculations.parse({"kind": "squares"})
