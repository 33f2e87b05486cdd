"""Training on pictures that are drawn as they are needed is training on pictures in memory, bit for bit."""

import numpy as np
import pytest
import torch

from recombine.data import Examples, Problem, tasks
from recombine.data import drawn as drawn_pictures
from recombine.data.drawn import Drawn
from recombine.models import models
from recombine.splits import supports
from recombine.studies import change
from recombine.training import Recipe
from recombine.training.loop import Member, _pictures, fit
from recombine.training.run import build

torch.set_num_threads(1)

PLANES = Problem(tasks.sprites(size=8, tests=3), support=supports.planes(), examples=15)
DIAGONAL = change(PLANES, support=supports.diagonal(width=0.3), examples=22)
RECIPE = Recipe(steps=7, batch=6)
MODELS = {
    "upsampling": models.compositional(width=6, maps=3, depth=1),
    "mlp": models.compositional(family="mlp", width=6, depth=1, composition="over"),
}


def in_memory(examples):
    return Examples(examples.positions, examples.codes, examples.targets)


def drawn(examples):
    task = PLANES.task
    return Examples(examples.positions, examples.codes, Drawn(task.draw, examples.positions, task.image))


def trained(model, sets, holdings):
    """Histories and weights of members with these training sets, held as said."""
    members = [
        Member(build(PLANES, model, seed), hold(examples), RECIPE, seed)
        for seed, (examples, hold) in enumerate(zip(sets, holdings, strict=True))
    ]
    histories = fit(members)
    weights = [torch.nn.utils.parameters_to_vector(member.network.parameters()).detach() for member in members]
    return np.stack([history.losses for history in histories]), torch.stack(weights)


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_one_network(model):
    shown = PLANES.training_set(0)
    losses, weights = trained(model, [shown], [in_memory])
    again, drawn_weights = trained(model, [shown], [drawn])
    assert np.array_equal(losses, again)
    assert torch.equal(weights, drawn_weights)
    other, _ = trained(model, [PLANES.training_set(1)], [in_memory])
    assert not np.array_equal(losses, other)  # what is shown does matter


@pytest.mark.parametrize(
    "holdings",
    [(drawn, drawn, drawn), (in_memory, drawn, in_memory), (drawn, in_memory, drawn)],
    ids=["all", "second", "others"],
)
@pytest.mark.parametrize("same", [False, True], ids=["three sets", "one set twice"])
def test_a_stack_of_sets_of_other_sizes_some_of_them_drawn(holdings, same):
    sets = [PLANES.training_set(0), DIAGONAL.training_set(1), PLANES.training_set(0 if same else 2)]
    losses, weights = trained(MODELS["mlp"], sets, [in_memory] * 3)
    again, drawn_weights = trained(MODELS["mlp"], sets, holdings)
    assert np.array_equal(losses, again)
    assert torch.equal(weights, drawn_weights)


def test_rows_over_several_sets_are_those_of_one_table():
    sets = [problem.training_set(seed) for seed, problem in enumerate((PLANES, DIAGONAL, PLANES))]
    table = np.concatenate([each.targets for each in sets])
    pick = _pictures([sets[0].targets, drawn(sets[1]).pictures, sets[2].targets], torch.device("cpu"))
    starts = [0, 14, 15, 36, 37, 51]  # the first and the last row of each
    for rows in (starts, starts[::-1], [36, 0, 36, 51, 15, 15], list(range(52)), []):
        found = pick(torch.tensor(rows, dtype=torch.int64))
        assert found.dtype == torch.float32
        assert np.array_equal(found.numpy(), table[rows])


def test_only_the_rows_that_are_shown_are_drawn():
    counted = []

    def draw(positions):
        counted.append(len(positions))
        return PLANES.task.draw(positions)

    shown = PLANES.training_set(0)
    lazy = Examples(shown.positions, shown.codes, Drawn(draw, shown.positions, PLANES.task.image))
    fit([Member(build(PLANES, MODELS["mlp"], 0), lazy, RECIPE, 0)])
    assert counted == [6] * 7  # a batch a step


def test_a_problem_whose_pictures_are_too_many_to_hold_trains_alike(monkeypatch):
    held = trained(MODELS["upsampling"], [PLANES.training_set(0)], [lambda examples: examples])
    monkeypatch.setattr(drawn_pictures, "HELD_BYTES", 1)
    shown = PLANES.training_set(0)
    assert isinstance(shown.pictures, Drawn)
    found = trained(MODELS["upsampling"], [shown], [lambda examples: examples])
    assert np.array_equal(held[0], found[0])
    assert torch.equal(held[1], found[1])
