"""Planning: what shares a stack, that nothing is lost, and that no worker is idle."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recombine.data import Problem, tasks
from recombine.models import models
from recombine.splits import regions
from recombine.studies import Experiment, change, vary
from recombine.studies.cost import seconds
from recombine.studies.stacks import MOST, Stack, cut, plan_stacks
from recombine.training import Recipe, penalties, run, run_stack
from recombine.training.run import bytes_of

BASE = Experiment(
    problem=Problem(tasks.bump(n=8, encoding="one-hot"), regions.block(x=(3, 6), y=(2, 5))),
    model=models.forced_rendering(),
    recipe=Recipe(steps=6, batch=4, penalties=(penalties.rendering(),)),
    measures=("ood_nmse",),
)


@pytest.mark.parametrize(
    "same",
    [
        {"seed": 3},
        {"recipe": change(BASE.recipe, rate=0.1)},
        {"recipe": change(BASE.recipe, decay=0.0)},
        {"recipe": change(BASE.recipe, penalties=(penalties.rendering(entropy=0.0, variance=2.0),))},
        {"problem": change(BASE.problem, split=regions.corner(x=5, y=5))},
        {"problem": change(BASE.problem, examples=9, isolated=("x",))},
        {"measures": ("id_nmse",)},
    ],
)
def test_seeds_numbers_and_what_is_shown_share_a_stack(same):
    assert change(BASE, **same).shape() == BASE.shape()


@pytest.mark.parametrize(
    "other",
    [
        {"recipe": change(BASE.recipe, steps=7)},
        {"recipe": change(BASE.recipe, batch=5)},
        {"recipe": change(BASE.recipe, optimiser="sgd")},
        {"recipe": change(BASE.recipe, penalties=())},
        {"recipe": change(BASE.recipe, penalties=(penalties.rendering(reduce="mean"),))},
        {"model": models.forced_rendering(hidden=1)},
        {"problem": change(BASE.problem, task=tasks.bump(n=12, encoding="one-hot"))},
    ],
)
def test_other_shapes_do_not(other):
    assert change(BASE, **other).shape() != BASE.shape()


def test_convolutions_go_alone():
    first, second = vary(change(BASE, model="cnn-decoder", recipe=Recipe()), seed=range(2))
    assert first.shape() != second.shape()


@given(seeds=st.integers(1, 40), others=st.integers(0, 5), workers=st.integers(1, 8))
@settings(deadline=None, max_examples=25)
def test_every_experiment_is_in_one_stack_and_no_worker_is_idle(seeds, others, workers):
    experiments = [
        *vary(BASE, seed=range(seeds)),
        *vary(change(BASE, model="cnn-decoder", recipe=Recipe()), seed=range(others)),
    ]
    stacks = plan_stacks(experiments, workers)
    planned = [item.digest() for stack in stacks for item in stack.members]
    assert sorted(planned) == sorted(item.digest() for item in experiments)
    assert len(stacks) >= min(workers, len(experiments))
    assert all(1 <= len(stack) <= MOST for stack in stacks)
    assert [len(stack) for stack in stacks] == sorted((len(stack) for stack in stacks), reverse=True)


@given(count=st.integers(1, 30), parts=st.integers(1, 30))
@settings(deadline=None, max_examples=20)
def test_cutting_keeps_the_order_and_balances(count, parts):
    items = list(vary(BASE, seed=range(count)))
    pieces = cut(items, min(parts, count))
    assert [item for piece in pieces for item in piece] == items
    assert max(map(len, pieces)) - min(map(len, pieces)) <= 1


def test_a_stack_that_does_not_fit_in_memory_is_trained_in_parts():
    plans = [experiment.plan() for experiment in vary(BASE, seed=range(3))]
    told = []
    outcomes = run_stack(plans, lambda *news: told.append(news), memory=2 * bytes_of(plans[0]))
    assert sum(step == 6 for step, _, _ in told) == 2  # two parts, each to its end
    for outcome, plan in zip(outcomes, plans, strict=True):
        assert outcome.measures == pytest.approx(run(plan).measures, rel=1e-3)


def test_costs_are_shared_by_the_members_of_a_stack():
    stack = Stack(tuple(vary(BASE, seed=range(3))))
    longer = Stack(tuple(vary(change(BASE, recipe=change(BASE.recipe, steps=12)), seed=range(3))))
    expected = seconds([stack, longer])
    assert len(expected) == 6
    short = expected[stack.members[0].digest()]
    assert short > 0
    assert {expected[item.digest()] for item in stack.members} == {short}
