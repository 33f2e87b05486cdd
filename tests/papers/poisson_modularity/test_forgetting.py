"""One function replaced: what a mask keeps exactly and a dense network does not, in tiny trainings."""

from functools import cache

import numpy as np
import pytest
import torch

from recombine.core.errors import InputError
from recombine.data import Problem, tasks
from recombine.models import models
from recombine.papers.poisson_modularity.forgetting import Forgetting
from recombine.splits import regions
from recombine.studies import calculations, change
from recombine.training import Recipe, noises, penalties
from recombine.training.loop import Member, fit
from recombine.training.run import build

CORNERS = regions.several(count=2, low=3)
DENSE = Forgetting(
    problem=Problem(tasks.parallel(parts=3), CORNERS, examples=60, centres="uniform", reveal=True),
    model=models.feedforward(widths=(12, 12)),
    recipe=Recipe(steps=20, batch=20, penalties=(penalties.weights(),)),
    again=20,
)
MASKED = change(DENSE, model=models.feedforward(widths=(12, 12), modules=3))


@cache
def found(masked: bool, seed: int = 0, again: int = 20) -> dict[str, float]:
    return dict(change(MASKED if masked else DENSE, seed=seed, again=again).compute().measures)


def test_behind_a_mask_nothing_is_forgotten_and_in_a_dense_network_something_is():
    assert found(True)["after"] == found(True)["before"]  # to the last bit: no gradient reaches other modules
    assert found(False)["after"] != found(False)["before"]


def test_noise_while_it_learned_is_off_when_a_function_is_replaced():
    noisy = change(MASKED, recipe=change(MASKED.recipe, noise=noises.activity(level=0.1)))
    measures = noisy.compute().measures
    assert measures["after"] == measures["before"]
    assert measures["before"] != found(True)["before"]


@pytest.mark.parametrize("masked", [False, True])
def test_it_gives_what_it_promises(masked):
    assert set(found(masked)) == set(Forgetting.quantities)
    assert all(np.isfinite(value) and value > 0 for value in found(masked).values())


@pytest.mark.parametrize("masked", [False, True])
def test_the_longer_it_learns_the_new_function_the_better_it_knows_it(masked):
    assert found(masked, again=100)["learned"] < found(masked, again=1)["learned"]


@pytest.mark.parametrize("masked", [False, True])
def test_before_is_the_error_of_the_other_outputs_of_the_trained_network(masked):
    it = MASKED if masked else DENSE
    network = build(it.problem, it.model, it.seed)
    fit([Member(network, it.problem.training_set(it.seed), it.recipe, it.seed)])
    asked = it.problem.task.asked(it.seed)
    with torch.no_grad():
        answers = network(torch.from_numpy(asked.codes)).numpy()
    expected = np.square(answers - asked.targets)[:, 0, 1:].mean()
    assert found(masked)["before"] == pytest.approx(expected, rel=1e-5)


def test_the_same_seed_finds_the_same_and_another_something_else():
    assert DENSE.compute().measures == found(False)
    assert found(False, seed=1)["after"] != found(False)["after"]


def test_the_second_training_has_a_rate_of_its_own():
    slow = change(DENSE, rate=1e-9).compute().measures
    assert slow["before"] == found(False)["before"]
    assert slow["after"] == pytest.approx(slow["before"], rel=1e-5)


@pytest.mark.parametrize(
    "problem",
    [
        Problem(tasks.hill(levels=4), regions.block(x1=(0, 2), x2=(0, 2))),
        Problem(tasks.composed(), regions.random(fraction=0.2, seed=0)),
        Problem(tasks.bump(n=8), regions.corner(x=4, y=4)),
        Problem(tasks.addition(), regions.anchors(first=4, second=4)),
    ],
    ids=lambda problem: problem.task.kind,
)
def test_a_task_without_several_functions_is_refused(problem):
    says = rf"forgetting needs a task of several functions, such as parallel; got '{problem.task.kind}'\.$"
    with pytest.raises(InputError, match=says):
        change(DENSE, problem=problem)


@pytest.mark.parametrize(("changed", "says"), [({"again": 0}, "again = 0"), ({"rate": 0.0}, "rate = 0")])
def test_nonsense_is_refused(changed, says):
    with pytest.raises(InputError, match=says):
        change(DENSE, **changed)


def test_a_model_without_a_network_is_refused():
    with pytest.raises(InputError, match=r"the model truth .* has no network to build or train"):
        change(DENSE, model="truth").compute()


def test_it_depends_on_chance_says_how_long_it_will_take_and_is_read_back():
    assert not Forgetting.exact
    assert DENSE.expected_seconds() > 0
    assert change(DENSE, seed=1).expected_seconds() == DENSE.expected_seconds()
    assert calculations.parse(MASKED.settings()) == MASKED
