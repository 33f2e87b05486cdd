"""What `rc.train` refuses before a worker is started."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import recombine as rc
from recombine.core.errors import InputError
from recombine.data import Problem, tasks
from recombine.models import ModelSpec, models
from recombine.splits import regions
from recombine.studies.training import Runs, check_fit
from recombine.training.observe import truth
from recombine.training.run import interface

PROBLEMS = [
    Problem(tasks.bump(n=(6, 8)), regions.block(x=(2, 5), y=(2, 4))),
    Problem(tasks.bump(n=8), regions.block(x=(2, 5), y=(2, 4)), examples=0, isolated=("x", "y")),
    Problem(tasks.locate(n=8), regions.corner(x=5, y=5)),
    Problem(tasks.rotated_digit(pictures="digits", digits=(3, 5), angles=12), regions.block(angle=(3, 5))),
    Problem(tasks.addition(), regions.corner(first=5, second=5)),
]


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda problem: problem.task.kind)
def test_a_model_is_asked_about_what_its_network_will_be_built_for(problem, monkeypatch):
    asked = []
    monkeypatch.setattr(ModelSpec, "check", lambda self, interface: asked.append(interface))
    check_fit(problem, models.mlp_decoder())
    assert asked == [interface(problem)]


@pytest.mark.parametrize(
    ("problem", "model", "says"),
    [
        (PROBLEMS[0], "cnn-decoder", "multiples of 4, got 6 x 8"),
        (PROBLEMS[0], "forced-rendering", r"got levels \(6, 8\)"),
        (PROBLEMS[2], "rotation-decoder", "multiples of 4, got 2 x 8"),
        (PROBLEMS[4], "vit", "vit reads pictures"),
    ],
)
def test_models_that_do_not_fit_are_refused_before_anything_starts(problem, model, says, tmp_path: Path, monkeypatch):
    monkeypatch.setattr("recombine.studies.training.execute", lambda *_: pytest.fail("workers were started"))
    with pytest.raises(InputError, match=says):
        rc.train(problem, model, store=tmp_path / "store")
    assert not (tmp_path / "store").exists()


def test_a_model_without_a_network_has_nothing_to_fit():
    check_fit(PROBLEMS[0], models.truth())


def test_all_images_are_those_of_every_combination():
    runs = Runs([SimpleNamespace(evidence=truth(PROBLEMS[0]))] * 2)
    everything = runs.images("all")
    assert everything.shape == (2, 48, 6, 8)
    assert np.array_equal(everything[1], PROBLEMS[0].everything.targets)
    assert np.array_equal(everything[:, PROBLEMS[0].parts.held_out], runs.images("ood"))
    with pytest.raises(InputError, match=r"no section 'every'; it has id, ood, .*all; use one of these\.$"):
        runs.images("every")
