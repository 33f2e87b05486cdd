"""Problems of pictures handed to the theory, those whose answers have no pixel to look for included."""

import numpy as np
import pytest

from recombine.data import Problem, tasks
from recombine.splits import regions
from recombine.studies.forecasting import forecast
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
    assert all(section.accuracy is None for section in found.sections)
    assert found.outputs.shape == (100, 20 if answer == "units" else 2)


def test_bumps_are_still_looked_for_by_their_pixel():
    found = forecast(Problem(tasks.bump(n=10), HOLE))
    assert {section.name: section.accuracy for section in found.sections}["id"] == 1


def test_the_evidence_knows_how_a_task_is_read_and_which_factors_are_rings():
    assert (truth(GAP).places, truth(GAP).on_ring, truth(GAP).periodic) == (None, (False, True), True)
    units, torus = (truth(Problem(task, HOLE)) for task in (tasks.locate(n=10), tasks.torus(n=10)))
    assert (units.places, units.on_ring) == ("units", (False, False))
    assert (torus.places, torus.on_ring) == ("pixel", (True, True))
    assert np.array_equal(units.targets.argmax(axis=2), units.levels)
