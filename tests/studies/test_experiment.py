"""Experiments: digests, changes, sweeps, and the snapshot of every default."""

import json
from pathlib import Path

import pytest
from pydantic_core import PydanticUndefined, to_jsonable_python

from recombine.core.errors import InputError
from recombine.data import Problem, encodings, tasks
from recombine.data.component_pictures import ComponentPictures
from recombine.models import models
from recombine.papers import papers  # whose calculations are registered with them
from recombine.splits import regions
from recombine.studies import Experiment, calculations, change, distinct, vary
from recombine.training import Recipe, noises, penalties

SNAPSHOT = Path(__file__).with_name("defaults.json")
BASE = Experiment(
    problem=Problem(tasks.bump(n=6), regions.block(x=(2, 4), y=(2, 4))), model="mlp-decoder", measures=("ood_nmse",)
)


def test_vary_makes_every_combination_the_first_axis_slowest():
    made = list(vary(BASE, seed=(0, 1), recipe=(Recipe(steps=1), Recipe(steps=2))))
    assert [(e.seed, e.recipe.steps) for e in made] == [(0, 1), (0, 2), (1, 1), (1, 2)]
    assert len({e.digest() for e in made}) == 4


def test_a_misspelt_field_is_an_error_not_a_default():
    with pytest.raises(InputError, match="did you mean 'seed'"):
        list(vary(BASE, sed=(0, 1)))


def test_change_checks_anew():
    with pytest.raises(InputError, match="steps"):
        change(BASE, recipe={"steps": 0})
    with pytest.raises(InputError, match="did you mean 'ood_nmse'"):
        change(BASE, measures=("od_nmse",))


def test_the_order_and_repetition_of_measures_do_not_matter():
    once = change(BASE, measures=("id_nmse", "ood_nmse"))
    assert once.digest() == change(BASE, measures=("ood_nmse", "id_nmse", "id_nmse")).digest()


def test_distinct_keeps_the_first_of_each():
    other = change(BASE, seed=1)
    assert distinct([BASE, other, change(BASE)]) == [BASE, other]


SYMBOLS = Experiment(
    problem=Problem(tasks.addition(), regions.anchors(first=4, second=4)),
    model=models.mlp(width=8),
    recipe=Recipe(batch="all"),
    measures=("slope",),
)


@pytest.mark.parametrize(
    "same",
    [
        {"seed": 5},
        {"model": models.mlp(width=8, scale=0.1)},
        {"recipe": Recipe(batch="all", rate=0.3, decay=0.5)},
        {"measures": ("id_slope",)},
        {"problem": Problem(tasks.addition(), regions.anchors(first=0, second=0))},
    ],
)
def test_seeds_scales_and_numbers_are_of_one_shape(same):
    assert change(SYMBOLS, **same).shape() == SYMBOLS.shape()


@pytest.mark.parametrize(
    "other",
    [
        {"model": models.mlp(width=9)},
        {"recipe": Recipe(batch="all", stop=0.1)},
        {"recipe": Recipe(batch="all", optimiser="sgd")},
        {"recipe": Recipe(batch="all", optimiser="sgd", momentum=0.5)},
        {"recipe": Recipe(batch=17)},
        # A batch of all examples has another size: 32 pairs have one of two anchors, 17 one of one.
        {"problem": Problem(tasks.addition(), regions.anchors(first=(0, 8), second=(0, 8)))},
        {"problem": Problem(tasks.addition(values=(1.0, 2.0, 3.0)), regions.anchors(first=0, second=0))},
    ],
)
def test_other_networks_losses_and_batches_are_not(other):
    assert change(SYMBOLS, **other).shape() != SYMBOLS.shape()


def test_the_loss_is_part_of_the_shape_and_must_fit_the_task():
    classes = change(SYMBOLS, problem=Problem(tasks.equivalence(), regions.anchors(first=(0, 2), second=(0, 2))))
    assert change(classes, recipe=Recipe(batch="all", loss="logistic")).shape() != classes.shape()
    with pytest.raises(InputError, match="logistic loss needs a task whose answers are the classes -1 and 1"):
        change(SYMBOLS, recipe=Recipe(loss="logistic"))


def test_with_batches_of_one_size_the_number_of_examples_does_not_matter():
    few = change(SYMBOLS, recipe=Recipe(batch=5))
    more = change(few, problem=Problem(tasks.addition(), regions.anchors(first=(0, 8), second=(0, 8))))
    assert few.shape() == more.shape()


def test_what_reads_pictures_goes_alone():
    pictures = tasks.addition(images={"set": "digits"})
    made = change(SYMBOLS, problem=Problem(pictures, regions.anchors(first=4, second=4)), model="convnet")
    assert made.shape() == made.digest()
    assert change(made, seed=1).shape() != made.shape()


def test_a_line_tells_what_is_not_usual():
    assert SYMBOLS.line() == "mlp on addition, seed 0, anchors, 3000 steps"
    pairs = Problem(tasks.equivalence(), regions.anchors(first=(0, 2), second=(0, 2)), reveal=True, examples=3)
    unusual = change(SYMBOLS, recipe=Recipe(loss="logistic"), problem=pairs)
    assert unusual.line().endswith("3 examples, held-out revealed, logistic loss")


def test_the_forecast_of_an_experiment_is_that_of_its_problem():
    assert SYMBOLS.forecast_digest == SYMBOLS.problem.digest() == change(SYMBOLS, seed=3).forecast_digest


def defaults() -> dict:
    """Every setting of every specification with its default; settings without one are marked."""
    assert papers
    known = {
        "Problem": Problem, "Recipe": Recipe, "Experiment": Experiment, "ComponentPictures": ComponentPictures,
    }  # fmt: skip
    for registry in (tasks, encodings, regions, models, penalties, noises, calculations):
        known |= {f"{registry.noun} {name}": cls for name, cls in registry.items()}
    return {
        name: {
            key: "required" if field.default is PydanticUndefined else to_jsonable_python(field.default)
            for key, field in cls.model_fields.items()
        }
        for name, cls in known.items()
    }


def test_no_default_has_changed():
    """Digests leave defaults out: a changed one silently gives every earlier record another meaning.

    Adding a setting or a specification is fine: run this file as a script to renew the snapshot.
    """
    now = json.loads(json.dumps(defaults()))
    for name, settings in json.loads(SNAPSHOT.read_text()).items():
        assert name in now, f"{name} is gone, and with it the meaning of its records"
        for key, value in settings.items():
            assert now[name].get(key) == value, f"the default of {name}.{key} has changed"
    assert now == json.loads(SNAPSHOT.read_text()), "a setting was added: renew tests/studies/defaults.json"


if __name__ == "__main__":
    SNAPSHOT.write_text(json.dumps(defaults(), indent=1, sort_keys=True) + "\n")
