"""What is expected of networks on scenes: a number by section, and the name of what a support lacks."""

import json

import numpy as np
import pytest

import recombine as rc
from recombine.core.failures import Failure
from recombine.splits.designs import GAP, orthogonal, orthogonal_single
from recombine.studies import scene_forecast, scene_outlook
from recombine.studies.forecasting import scored_outlook
from recombine.studies.kernel_forecasting import by_kernels
from recombine.studies.scene_features import scene_features
from recombine.theory.calibration import Calibration

SOFT = rc.models.compositional(composition="soft", family="mlp")


@pytest.fixture(autouse=True)
def hurry(monkeypatch):
    monkeypatch.setattr(scene_forecast, "ANCHORS", 8)
    monkeypatch.setattr(scene_forecast, "SAMPLED", 500)


def problem(kind="soft", support=None, examples=50):
    raster = "hard" if kind == "hard" else "soft"
    task = rc.tasks.sprites(size=8, composition=kind, raster=raster, scales=(0.3, 0.6))
    return rc.Problem(task, support=support or orthogonal(), examples=examples)


def planted(made, performance, model=SOFT, **changed):
    """A calibration of four trials, all nearly like this problem but for some features."""
    told = {**scene_features(made, model, by_kernels(made))["ood"], **changed}
    rows = np.tile(list(told.values()), (4, 1)) + np.linspace(-1e-3, 1e-3, 4)[:, None]
    return Calibration(tuple(told), rows, np.full(4, performance), 1.0, 0.01, 1e-4, (model.kind,) * 4)


def expected(made, performance=-0.2, model=SOFT):
    return scene_outlook.scene_outlook(
        made, by_kernels(made), model, calibration=planted(made, performance, model=model or SOFT)
    )


def test_the_number_is_that_of_trials_that_are_alike_and_what_composes_has_no_failure():
    found = expected(problem(), 0.97)
    assert found.held_out.name == "ood"
    assert found.held_out.expected == pytest.approx(0.97, abs=1e-3)
    assert found.held_out.low <= found.held_out.expected <= found.held_out.high
    assert (found.failures, found.calibrated, found.composes) == ((), True, True)
    json.dumps(found.to_dict(), allow_nan=False)


@pytest.mark.parametrize(
    ("made", "model", "failures"),
    [
        (problem("soft"), SOFT, [Failure.TOO_LITTLE_DATA]),
        (problem("hard", orthogonal_single()), SOFT, [Failure.TOO_LITTLE_OVERLAP]),
        (problem("soft", rc.supports.random(without=GAP)), SOFT, [Failure.UNSEEN_LEVEL]),
        (
            problem("soft", orthogonal(without={"x1": (0.1, 0.3)})),
            SOFT,
            [Failure.TOO_LITTLE_DATA, Failure.UNSEEN_LEVEL],
        ),
        (problem("soft"), rc.models.monolithic(), [Failure.NO_COMPOSITIONAL_EXAMPLE]),
        (problem("soft", rc.supports.diagonal(width=0.2)), rc.models.monolithic(), [Failure.TOO_LITTLE_DATA]),
    ],
    ids=["few", "hidden", "gap", "small gap", "planes", "band"],
)
def test_what_a_support_lacks_is_named_and_what_most_scenes_lack_first(made, model, failures):
    found = expected(made, model=model)
    assert [each.failure for each in found.failures] == failures
    assert all(each.text.endswith(".") and each.evidence for each in found.failures)
    assert f"expected failure: {failures[0]}" in found.verdict


def test_sections_that_are_never_shown_are_told_apart():
    found = expected(problem(support=orthogonal(without=GAP)))
    assert [each.name for each in found.sections] == ["ood", "seen", "unseen"]
    assert all(-1 <= each.low <= each.expected <= each.high <= 1 for each in found.sections)


def test_without_a_model_it_is_over_the_sorts_of_networks_that_were_tried():
    made = problem()
    told = [scene_features(made, each, by_kernels(made))["ood"] for each in (SOFT, rc.models.monolithic(family="mlp"))]
    names = tuple(told[0])
    rows = np.array([[each[name] for name in names] for each in told])
    known = Calibration(names, rows, np.array([0.8, -0.4]), 0.1, 1.0, 1e-6, ("compositional", "monolithic"))
    found = scene_outlook.scene_outlook(made, by_kernels(made), calibration=known)
    by_name = {each.name: each.expected for each in found.networks}
    assert by_name == pytest.approx({"compositional": 0.8, "monolithic": -0.4}, abs=1e-3)
    assert found.depends
    assert found.held_out.expected == pytest.approx(0.2, abs=1e-3)


def test_what_is_larger_than_all_trials_is_called_so():
    made = problem(examples=50)
    found = scene_outlook.scene_outlook(
        made, by_kernels(made), SOFT, calibration=planted(made, 0.2, pixels=6.0, examples=1.0)
    )
    words = " ".join(found.notes)
    assert "more than 6 rows of pixels, and this problem has 8" in words
    assert "more than 10 training examples, and this problem has 50" in words
    other = scene_outlook.scene_outlook(made, by_kernels(made), rc.models.monolithic(), calibration=planted(made, 0.2))
    assert "network of kind 'monolithic'; they had compositional" in " ".join(other.notes)


@pytest.mark.parametrize("model", [None, "monolithic", {"kind": "compositional", "composition": "addition"}])
def test_a_forecast_has_the_outlook_by_what_it_says_of_the_model(model, monkeypatch):
    made = problem()
    known = planted(made, 0.3)
    monkeypatch.setattr(scene_outlook, "standing", lambda of: {"scenes": known}[of])
    told = rc.forecast(made, model).outlook
    spec = None if model is None else rc.models.parse(model)
    assert told == scene_outlook.scene_outlook(made, by_kernels(made, model), spec, calibration=known)
    assert told == scored_outlook(made, spec)
    assert told.held_out.name == "ood"


def test_nothing_is_expected_where_nothing_is_held_out_or_nothing_was_trained(monkeypatch):
    whole = problem(support=rc.supports.random())
    assert scene_outlook.scene_outlook(whole, by_kernels(whole), calibration=planted(problem(), 0.3)) is None
    monkeypatch.setattr(scene_outlook, "standing", lambda of: None)
    assert rc.forecast(problem()).outlook is None
