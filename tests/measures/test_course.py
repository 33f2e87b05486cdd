"""Peaks, ends and humps of courses with known answers; noise at the beginning does not count."""

import numpy as np
import pytest

from recombine.core.errors import InputError
from recombine.measures import measures, participation_hump

# Noise uses many directions; half of the last accuracy, 0.4, is reached at the third checkpoint.
ACCURACY = [0.0, 0.1, 0.45, 0.4, 0.8]
PROBE = [40.0, 2.0, 9.0, 12.0, 8.0]
OTHER = [30.0, 3.0, 4.0, 5.0, 6.0]


def course(accuracy=ACCURACY, **ratios):
    ratios = ratios or {"probe": PROBE, "other": OTHER}
    found = {"steps": np.arange(len(accuracy)) * 100, "strict_accuracy.all": np.array(accuracy)}
    return {**found, **{f"participation.{name}": np.array(values) for name, values in ratios.items()}}


def test_the_peak_is_looked_for_once_pictures_are_drawn(generic):
    evidence = generic(course=course())
    assert measures["participation_peak"](evidence) == {"probe": 12.0, "other": 6.0}
    assert measures["participation_end"](evidence) == {"probe": 8.0, "other": 6.0}
    assert participation_hump(evidence) == pytest.approx({"probe": 0.5, "other": 0.0})


@pytest.mark.parametrize(
    ("accuracy", "peak"),
    [
        ([0.8, 0.8, 0.8, 0.8, 0.8], 40.0),  # drawn from the start
        ([0.0, 0.4, 0.0, 0.0, 0.8], 12.0),  # half of the last, then lost again: from there on
        ([0.0, 0.39, 0.39, 0.39, 0.8], 8.0),  # the last alone
        ([0.0, 0.0, 0.0, 0.01, 0.01], 12.0),  # poor, but as good as it gets
    ],
)
def test_the_noise_ends_at_half_of_the_last_accuracy(generic, accuracy, peak):
    found = measures["participation_peak"](generic(course=course(accuracy, probe=PROBE)))
    assert found == {"probe": peak}


def test_a_layer_that_is_dead_at_the_end_has_no_hump(generic):
    evidence = generic(course=course(probe=PROBE, dead=[1.0, 1.0, 1.0, 1.0, 0.0]))
    assert list(participation_hump(evidence)) == ["probe"]
    assert measures["participation_end"](evidence)["dead"] == 0.0
    with pytest.raises(InputError, match="no layer varies at the end of training"):
        participation_hump(generic(course=course(dead=[1.0, 1.0, 1.0, 1.0, 0.0])))


def test_single_and_whole_numbers_are_taken(generic):
    whole = {name: values.astype(np.float32) for name, values in course().items()}
    whole["participation.probe"] = np.array(PROBE).astype(int)
    assert measures["participation_peak"](generic(course=whole))["probe"] == 12.0


@pytest.mark.parametrize("name", ["participation_peak", "participation_end", "participation_hump"])
def test_without_a_course_there_is_nothing_to_say(generic, name):
    with pytest.raises(InputError, match="this evidence has no course; measure at checkpoints"):
        measures[name](generic(course={}))
    with pytest.raises(InputError, match=r"course of this evidence has steps, .* and no participation\.<layer>"):
        measures[name](generic(course={"steps": np.arange(3), "strict_accuracy.all": np.ones(3)}))


def test_a_peak_needs_to_know_when_pictures_are_drawn(generic):
    lacking = {name: values for name, values in course().items() if not name.startswith("strict")}
    assert measures["participation_end"](generic(course=lacking))["probe"] == 8.0
    with pytest.raises(InputError, match=r"no strict_accuracy\.all, by which the noise"):
        measures["participation_peak"](generic(course=lacking))
    with pytest.raises(InputError, match="no picture is drawn right at the end of training"):
        measures["participation_peak"](generic(course=course([0.0, 0.1, 0.2, 0.1, 0.0])))
