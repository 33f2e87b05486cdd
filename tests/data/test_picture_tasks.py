"""What every task of pictures over two factors must do. Registering one is all it takes to be held to this."""

import numpy as np
import pytest

from recombine.core.errors import InputError
from recombine.data import PictureTask, Problem, tasks
from recombine.data.picture_task import picture_task
from recombine.splits import regions

# Small and quick versions; what is not named here is built from its defaults.
SMALL = {
    "bump": {"n": (5, 8)},
    "torus": {"n": (5, 8)},
    "sum-of-stripes": {"n": (5, 8)},
    "locate": {"n": 6},
    "rotated-digit": {"pictures": "digits", "angles": 12, "digits": (3, 5, 8)},
}
OTHERS = [("bump", {"n": (5, 8), "margin": 2, "dark": False}), ("locate", {"n": 6, "answer": "numbers"}),
          ("rotated-digit", {"pictures": "digits", "angles": 12})]  # fmt: skip
KINDS = [(name, SMALL.get(name, {})) for name, cls in tasks.items() if issubclass(cls, PictureTask)] + OTHERS


@pytest.fixture(params=KINDS, ids=lambda kind: f"{kind[0]} {kind[1]}")
def task(request):
    name, settings = request.param
    return tasks.pick(name)(**settings)


def test_it_says_how_its_answers_are_read(task):
    assert picture_task(task) is task
    assert isinstance(task.dark, bool)
    assert isinstance(task.periodic, bool)
    assert task.blank == (1.0 if task.dark else 0.0)
    assert task.places in ("pixel", "units", "numbers", None)
    assert len(task.grid.factors) == 2


def test_every_combination_has_a_code_and_an_answer_of_one_shape(task):
    everything = task.asked(0)
    assert len(everything) == task.grid.size
    assert everything.targets.shape[1:] == task.image
    assert everything.codes.dtype == everything.targets.dtype == np.float32
    assert np.isfinite(everything.codes).all()
    assert np.isfinite(everything.targets).all()
    if task.picture is not None:
        assert everything.codes.shape[1] == np.prod(task.picture)


def test_combinations_have_codes_of_their_own_and_are_found_from_their_positions(task):
    everything = task.asked(0)
    assert len(np.unique(everything.codes, axis=0)) == task.grid.size
    assert np.array_equal(task.cells(everything.positions), task.grid.combinations())


def test_some_examples_are_those_rows_of_all(task):
    everything, chosen = task.asked(0), np.array([7, 2, 11])
    some = task.examples(task.grid.combinations()[chosen], seed=3)
    for ours, all_of_them in zip(vars(some).values(), vars(everything).values(), strict=True):
        assert np.array_equal(ours, all_of_them[chosen])


def test_a_problem_holds_out_and_reveals(task):
    split = regions.random(fraction=0.2, seed=1)
    plain, revealed = (Problem(task, split, reveal=reveal) for reveal in (False, True))
    assert len(plain.training_set()) == plain.parts.train.sum() < task.grid.size == len(revealed.training_set())
    assert Problem.read(plain.settings()) == plain


def test_a_task_without_pictures_is_refused():
    with pytest.raises(InputError, match="'addition' draws no pictures of two factors, which this needs"):
        picture_task(tasks.addition())
