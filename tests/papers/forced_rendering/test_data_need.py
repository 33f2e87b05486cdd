"""The search for the smallest training set, on predicates that are known, and a tiny one that is really trained."""

import math
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recombine.core.errors import InputError
from recombine.papers import Scale
from recombine.papers.forced_rendering.data_need import CLOSE, DataNeed, smallest
from recombine.papers.forced_rendering.settings import need_bumps, need_stripes
from recombine.studies import Computed, calculations, change
from recombine.training.loop import Member, fit
from recombine.training.run import build

TINY = DataNeed(sizes=(8,), steps=3, width=2, most=0.2)

few = settings(deadline=None)
ranges = st.tuples(st.integers(0, 6), st.integers(1, 20_000)).map(lambda ends: (ends[0], ends[0] + ends[1]))


class Asked:
    """A predicate that writes down what it was asked."""

    def __init__(self, answer):
        self.answer = answer
        self.seen: dict[int, bool] = {}

    def __call__(self, number: int) -> bool:
        assert number not in self.seen, "every question is a training"
        self.seen[number] = bool(self.answer(number))
        return self.seen[number]


@few
@given(ends=ranges, share=st.floats(0, 1))
def test_the_smallest_is_enough_and_not_much_less_is(ends, share):
    fewest, most = ends
    threshold = round(fewest + share * (most - fewest))
    found = smallest(lambda number: number >= threshold, fewest, most)
    assert fewest <= found <= most
    assert found >= threshold
    assert found == fewest or found - 1 < threshold or found / CLOSE < threshold


@few
@given(ends=ranges, seed=st.integers(0, 100))
def test_where_more_is_not_always_better_it_is_a_place_where_the_answer_turns(ends, seed):
    fewest, most = ends
    enough = Asked(lambda number: number == most or np.random.default_rng((seed, number)).random() < 0.5)
    found = smallest(enough, fewest, most)
    assert enough.seen[found]
    if found > fewest:
        below = max(number for number, answer in enough.seen.items() if not answer and number < found)
        assert found == below + 1 or found <= CLOSE * below


@few
@given(ends=ranges, share=st.floats(0, 1))
def test_few_trainings_find_it(ends, share):
    """Both ends, then halving the logarithm of their ratio down to that of `CLOSE`; rounding may cost one more."""
    fewest, most = ends
    threshold = round(fewest + share * (most + 1 - fewest))
    enough = Asked(lambda number: number >= threshold)
    smallest(enough, fewest, most)
    halvings = math.log2(max(math.log(most / max(fewest, 1)) / math.log(CLOSE), 1))
    assert len(enough.seen) <= 2 + math.ceil(halvings) + 1
    assert all(fewest <= number <= most for number in enough.seen)


@few
@given(ends=ranges)
def test_out_of_reach_is_none_after_both_ends(ends):
    enough = Asked(lambda number: False)
    assert smallest(enough, *ends) is None
    assert list(enough.seen) == list(ends)


@few
@given(ends=ranges)
def test_when_the_fewest_are_enough_nothing_else_is_tried(ends):
    enough = Asked(lambda number: True)
    assert smallest(enough, *ends) == ends[0]
    assert list(enough.seen) == [ends[0]]


@pytest.mark.parametrize("threshold", range(15))
def test_small_numbers_are_found_exactly(threshold):
    """Two numbers with another between them lie within a factor of 1.15 from 2/(1.15 - 1) = 13.3 on, not before."""
    assert smallest(lambda number: number >= threshold, 0, 100) == threshold


# Needs, with a decoder whose need is known


@pytest.fixture
def needing(monkeypatch):
    """Lets the goal be reached from a number of bumps on that is a function of N."""

    def of(law):
        monkeypatch.setattr(DataNeed, "reaches", lambda self, n, bumps: bumps >= law(n))

    return of


@pytest.mark.parametrize("power", [1, 2, 3])
def test_the_slope_is_the_power_of_n(needing, power):
    """Each need is at most 1.15 times too large, so over N = 8 to 64 the slope is off by log 1.15 / log 8 at most."""
    needing(lambda n: n**power)
    found = DataNeed(sizes=(8, 64), most=64.0).compute().measures
    assert found["reached"] == 1.0
    assert found["slope"] == pytest.approx(power, abs=math.log(CLOSE) / math.log(8))
    for n in (8, 64):
        assert n**power <= found[f"need_{n}"] <= CLOSE * n**power


def test_stripes_count(needing):
    needing(lambda n: 0)
    assert DataNeed(sizes=(8, 12), stripes=True).compute().measures == pytest.approx(
        {"reached": 1.0, "need_8": 16.0, "need_12": 24.0, "slope": 1.0}
    )
    assert DataNeed(sizes=(8,)).need(8) == 1  # without them there must be a bump


def test_sizes_that_are_out_of_reach_have_no_need(needing):
    """At most N^2 bumps are tried, and N^3/10 are needed: too many from N = 12 on."""
    needing(lambda n: n**3 / 10)
    found = DataNeed(sizes=(8, 12), most=1.0).compute().measures
    assert found["reached"] == 0.5
    assert set(found) == {"reached", "need_8"}


# Trained


@cache
def trained(stripes: bool) -> Computed:
    return change(TINY, stripes=stripes).compute()


@pytest.mark.parametrize("stripes", [False, True])
def test_a_tiny_search_gives_the_names_it_promises(stripes):
    found = trained(stripes).measures
    assert set(found) == ({"reached", "need_8"} if found["reached"] else {"reached"})
    assert set(found) <= set(DataNeed.quantities)
    assert found["reached"] in (0.0, 1.0)


def test_the_same_seed_finds_the_same():
    assert change(TINY).compute().measures == trained(False).measures


@pytest.mark.parametrize(("measure", "value"), [("place", 0.9), ("picture", 0.1)])
@pytest.mark.parametrize(("where", "section"), [("outside", "id"), ("hole", "ood")])
def test_the_goal_is_a_measure_in_a_section(monkeypatch, measure, value, where, section):
    need = change(TINY, goal=measure, where=where)
    name = f"{section}_{'accuracy' if measure == 'place' else 'nmse'}"
    assert need.measure == name
    assert need.training(8, 5).measures == (name,)

    class Measured:
        measures = {name: value}  # noqa: RUF012

    monkeypatch.setattr("recombine.papers.forced_rendering.data_need.run", lambda plan: Measured)
    assert need.reaches(8, 5)
    better = 0.01 if measure == "place" else -0.01
    Measured.measures = {name: value - better}
    assert not need.reaches(8, 5)


def test_larger_training_sets_contain_smaller_ones():
    small, large = (TINY.training(8, bumps).problem.training_set(TINY.seed) for bumps in (5, 13))
    assert (len(small), len(large)) == (5, 13)
    assert np.array_equal(large.codes[:5], small.codes)
    assert np.array_equal(large.targets[:5], small.targets)
    other = change(TINY, seed=1).training(8, 5)
    assert not np.array_equal(other.problem.training_set(other.seed).codes, small.codes)


def test_stripes_come_after_the_bumps_and_are_2n():
    striped = change(TINY, stripes=True)
    small, large = (striped.training(8, bumps).problem.training_set(0) for bumps in (0, 5))
    assert (len(small), len(large)) == (16, 21)
    assert np.array_equal(large.codes[5:], small.codes)
    assert np.isnan(large.positions[5:]).any(axis=1).all()
    assert not np.isnan(large.positions[:5]).any()


def test_no_centre_lies_in_the_corner_that_is_held_out():
    problem = TINY.training(8, 200).problem
    cells = problem.task.cells(problem.training_set(0).positions)
    assert not problem.parts.held_out[problem.grid.index(cells)].any()
    assert problem.parts.held_out.sum() == 16


def test_it_says_how_long_it_will_take():
    assert TINY.expected_seconds() > 0
    # The time is measured once for all seeds.
    assert change(TINY, seed=1).expected_seconds() == TINY.expected_seconds()


def test_it_depends_on_chance_and_is_written_and_read_back():
    assert not DataNeed.exact
    assert calculations.parse(TINY.settings()) == TINY


@pytest.mark.parametrize(
    ("changed", "says"),
    [({"most": 0.0}, "most = 0.0"), ({"steps": 0}, "steps = 0"), ({"width": 0}, "width = 0"), ({"goal": "x"}, "goal")],
)
def test_nonsense_is_refused(changed, says):
    with pytest.raises(InputError, match=says):
        change(TINY, **changed)


def test_the_search_of_the_paper_scale_takes_its_first_steps():
    """Its largest picture with every bump it may ask for, for two steps."""
    for made in (need_bumps, need_stripes):
        work = made(Scale.PAPER)
        n = max(work.sizes)
        wanted = work.training(n, round(work.most * n * n))
        few = change(wanted, recipe=change(wanted.recipe, steps=2, batch=4))
        (history,) = fit([Member(build(few.problem, few.model, 0), few.problem.training_set(0), few.recipe, 0)])
        assert history.diverged is None
        assert np.isfinite(history.losses).all()
