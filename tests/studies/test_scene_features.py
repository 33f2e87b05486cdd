"""The numbers of a scene forecast: shares with a closed form, and networks told apart as their kernels are."""

import numpy as np
import pytest

from recombine.core.seeds import stream
from recombine.data import Problem, tasks
from recombine.models import models
from recombine.splits.designs import GAP, DiagonalSupport, RandomSupport, orthogonal
from recombine.studies import scene_forecast
from recombine.studies.fitting import check_fit
from recombine.studies.kernel_forecasting import by_kernels
from recombine.studies.scene_features import (
    held_out,
    scene_features,
    scene_network,
    sort_in_words,
    together,
    with_scene_network,
)
from recombine.studies.scene_kernels import shown_scenes
from recombine.studies.scene_trials import scenes
from recombine.training import Recipe

TASK = tasks.sprites(size=8, composition="soft", scales=(0.3, 0.6))


@pytest.fixture(autouse=True)
def hurry(monkeypatch):
    monkeypatch.setattr(scene_forecast, "ANCHORS", 8)
    monkeypatch.setattr(scene_forecast, "SAMPLED", 500)


def problem(support, examples=80):
    return Problem(TASK, support=support, examples=examples)


@pytest.mark.parametrize(
    ("support", "share"),
    [
        (RandomSupport(), 0.0),
        (RandomSupport(without=GAP), 0.4),
        (RandomSupport(without={"x1": (0.0, 0.5), "hue2": (0.25, 1.0)}), 0.375),
        (orthogonal(), 1.0),
    ],
)
def test_the_share_that_is_held_out_is_that_of_the_cut(support, share):
    found, asked = held_out(TASK, support)
    assert found == pytest.approx(share, abs=0.02)
    assert not support.has(asked).any()
    assert len(asked) == (200 if share else 0)


@pytest.mark.parametrize(("support", "expected"), [(orthogonal(), 0), (DiagonalSupport(width=0.1), 1)])
def test_sprites_vary_together_or_one_at_a_time(support, expected):
    assert together(shown_scenes(problem(support), 0)) == expected
    assert together(shown_scenes(Problem(tasks.sprites(size=8, count=3), support=support, examples=50), 0)) == expected


def test_where_nothing_is_held_out_there_are_no_features():
    whole = problem(RandomSupport())
    assert scene_features(whole, None, by_kernels(whole)) == {}


def test_sections_are_told_where_training_shows_some_of_the_values_and_not_others():
    cut = problem(orthogonal(without=GAP))
    found = scene_features(cut, models.compositional(composition="soft"), by_kernels(cut))
    assert list(found) == ["ood", "seen", "unseen"]
    assert [found[name]["unseen"] for name in ("seen", "unseen")] == [0, 1]
    assert found["ood"]["unseen"] == pytest.approx(0.4, abs=0.12)  # 200 scenes: three deviations
    assert found["unseen"]["composed"] < found["ood"]["composed"] < found["seen"]["composed"]
    assert all(np.isfinite(list(each.values())).all() for each in found.values())
    gap = problem(RandomSupport(without=GAP))  # all that is held out has a value that is never shown
    assert list(scene_features(gap, None, by_kernels(gap))) == ["ood"]


@pytest.mark.parametrize(
    ("model", "like", "words"),
    [
        ({"kind": "compositional", "composition": "soft", "family": "mlp"}, "composed", "compositional"),
        (
            {"kind": "compositional", "composition": "learned", "family": "mlp"},
            "composed",
            "compositional, learned composition",
        ),
        (
            {"kind": "compositional", "composition": "addition", "family": "mlp", "shared": True},
            "added",
            "compositional, another composition, shared decoder",
        ),
        ({"kind": "monolithic"}, "joint", "monolithic, convolutional"),
        ({"kind": "mlp-decoder"}, "joint", "mlp-decoder"),
    ],
)
def test_a_network_is_compared_with_kernels_that_compose_as_it_does(model, like, words):
    spec = models.parse(model)
    sort = scene_network(spec, TASK)
    told = with_scene_network({"joint": 0.1, "added": 0.2, "composed": 0.3}, sort)
    assert told["kernels"] == told[like]
    assert sort_in_words(spec.kind, sort) == words


def test_drawn_scenes_can_be_trained_and_are_of_many_sorts():
    found = [scenes(stream(9, "test", str(index))) for index in range(60)]
    for each in found:
        check_fit(each.problem, each.model)
        assert held_out(each.problem.task, each.problem.support)[0] > 0.01
        assert isinstance(each.recipe, Recipe)
    assert {each.model.kind for each in found} == {"compositional", "monolithic"}
    assert {each.problem.support.kind for each in found} == {"planes", "diagonal", "random"}
    agreeing = {scene_network(each.model, each.problem.task)["agrees"] for each in found}
    assert agreeing == {0.0, 1.0}
