"""Problems of pictures handed to the theory, those whose answers have no pixel to look for included."""

import numpy as np
import pytest

from recombine.data import Problem, tasks
from recombine.models import models
from recombine.records import Store
from recombine.splits import regions
from recombine.studies import kernel_forecasting
from recombine.studies.forecasting import forecast, record_forecast, scored_outlook
from recombine.studies.kernel_forecasting import check_forecast_size
from recombine.theory.forecast import TooLarge
from recombine.training.observe import truth

GAP = Problem(tasks.rotated_digit(pictures="digits", angles=36), regions.block(angle=(16, 21)))
HOLE = regions.block(y=(2, 6), x=(3, 7))


def reasons(problem):
    return {reason.name for reason in forecast(problem).reasons}


def test_a_gap_of_a_turned_digit_is_forecast_without_places_or_sums():
    found = forecast(GAP)
    assert [section.name for section in found.sections] == ["id", "ood", "rim", "interior"]
    assert all(section.accuracy is None for section in found.sections)
    assert found.outputs.shape == (36, 64)
    by_name = {section.name: section.expected for section in found.sections}
    assert by_name["id"] < 1e-6 < by_name["rim"] < by_name["interior"]
    assert "superposition" not in reasons(GAP)


def test_revealing_the_gap_leaves_nothing_to_forecast():
    revealed = forecast(Problem(GAP.task, GAP.split, reveal=True))
    assert revealed.composes
    assert {reason.name for reason in revealed.reasons} == {"seen"}


@pytest.mark.parametrize("answer", ["units", "numbers"])
def test_locating_is_forecast_without_a_pixel_to_look_for(answer):
    found = forecast(Problem(tasks.locate(n=10, answer=answer), HOLE))
    assert "1 is always answering 0" in found.verdict  # there is no picture to leave blank
    assert all(section.accuracy is None for section in found.sections)
    assert found.outputs.shape == (100, 20 if answer == "units" else 2)


def test_pictures_are_compared_with_a_blank_one():
    assert "1 is a blank picture" in forecast(Problem(tasks.bump(n=10), HOLE)).verdict
    assert "1 is a blank picture" in forecast(GAP).verdict


def test_bumps_are_still_looked_for_by_their_pixel():
    found = forecast(Problem(tasks.bump(n=10), HOLE))
    assert {section.name: section.accuracy for section in found.sections}["id"] == 1


def test_the_outlook_of_a_network_goes_by_the_kernels_it_was_scored_with_alone():
    problem, model = Problem(tasks.bump(n=10), HOLE), models.parse({"kind": "mlp-decoder", "width": 16})
    found = forecast(problem, model)
    assert "tangent kernel of mlp-decoder" in found.method
    assert found.outlook.to_dict() == scored_outlook(problem, model).to_dict()
    assert not found.answers  # they are large, and of use within the forecast only


def test_the_evidence_knows_how_a_task_is_read_and_which_factors_are_rings():
    assert (truth(GAP).places, truth(GAP).on_ring, truth(GAP).periodic) == (None, (False, True), True)
    units, torus = (truth(Problem(task, HOLE)) for task in (tasks.locate(n=10), tasks.torus(n=10)))
    assert (units.places, units.on_ring) == ("units", (False, False))
    assert (torus.places, torus.on_ring) == ("pixel", (True, True))
    assert np.array_equal(units.targets.argmax(axis=2), units.levels)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"examples": 20},
        {"reveal": True},
        {"isolated": ("y", "x")},
        {"isolated": ("x",), "isolated_levels": 3, "examples": 5},
        {"examples": 200, "centres": "uniform"},
    ],
)
def test_the_size_is_counted_as_it_will_be(settings, monkeypatch):
    problem, counted = Problem(tasks.bump(n=(7, 9)), HOLE, **settings), []
    monkeypatch.setattr("recombine.studies.kernel_forecasting.check_size", lambda *sizes: counted.append(sizes))
    check_forecast_size(problem)
    assert counted == [(63, len(problem.training_set()), 63)]


def test_a_problem_too_large_is_refused_before_a_picture_is_drawn(monkeypatch):
    monkeypatch.setattr(Problem, "training_set", lambda *_: pytest.fail("pictures were drawn"))
    problem = Problem(tasks.bump(n=200), HOLE)
    for model in (None, "mlp-decoder"):
        with pytest.raises(TooLarge, match="for 40000 combinations by 2000 training examples of 40000 pixels"):
            forecast(problem, model)


def test_a_problem_too_large_to_forecast_may_still_be_trained(tmp_path):
    record_forecast(Problem(tasks.bump(n=200), HOLE), Store(tmp_path))
    assert list(tmp_path.iterdir()) == []
    small = Problem(tasks.bump(n=8), HOLE)
    record_forecast(small, Store(tmp_path))
    assert Store(tmp_path).forecast(small.digest()) is not None


def test_too_many_examples_are_sampled_by_the_seed_and_say_about_the_same(monkeypatch):
    problem = Problem(tasks.bump(n=8), regions.block(x=(3, 5), y=(3, 5)), spacing=0.5)
    whole = forecast(problem)
    count = len(problem.training_set())
    monkeypatch.setattr(kernel_forecasting, "LARGEST_MATRIX", 200**2)
    monkeypatch.setattr(kernel_forecasting, "SAMPLED", 180)
    part = forecast(problem)
    (told,) = (reason for reason in part.reasons if reason.name == "sample")
    assert told.evidence == {"examples": count, "sample": 180}
    assert "sample" not in {reason.name for reason in whole.reasons}
    assert part == forecast(problem)
    expected = {section.name: section.expected for section in whole.sections}
    assert part.sections[1].expected == pytest.approx(expected["ood"], rel=0.3)
