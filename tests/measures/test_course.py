"""Peaks, ends, rises and humps of courses with known answers; noise at the beginning does not count."""

import numpy as np
import pytest

from recombine.core.errors import InputError
from recombine.measures import measures, participation_hump

# Noise uses many directions; half of the pictures are right from the third checkpoint on, but for the fourth.
ACCURACY = [0.0, 0.1, 0.55, 0.4, 0.8, 0.8]
# Medians of three: 40, 9, 9, 11, 11, 7.
PROBE = [40.0, 2.0, 9.0, 12.0, 11.0, 7.0]
OTHER = [30.0, 3.0, 4.0, 5.0, 6.0, 7.0]


def course(accuracy=ACCURACY, **ratios):
    ratios = ratios or {"probe": PROBE, "other": OTHER}
    found = {"steps": np.arange(len(accuracy)) * 100, "strict_accuracy.all": np.array(accuracy)}
    return {**found, **{f"participation.{name}": np.array(values) for name, values in ratios.items()}}


def test_the_peak_is_looked_for_once_pictures_are_drawn(generic):
    evidence = generic(course=course())
    assert measures["participation_peak"](evidence) == pytest.approx({"probe": 11.0, "other": 7.0})
    assert measures["participation_end"](evidence) == pytest.approx({"probe": 10.0, "other": 6.0})
    assert participation_hump(evidence) == pytest.approx({"probe": 1 / 10, "other": 1 / 6})
    assert measures["participation_rise"](evidence) == pytest.approx({"probe": 11 / 9 - 1, "other": 7 / 4 - 1})


def test_a_checkpoint_that_jumps_is_no_peak(generic):
    calm, jumping = [9.0, 9.0, 9.0, 10.0, 9.0, 9.0], [9.0, 9.0, 9.0, 99.0, 10.0, 9.0]
    for values, peak in ((calm, 9.0), (jumping, 10.0)):
        evidence = generic(course=course(probe=values))
        assert measures["participation_peak"](evidence) == {"probe": peak}
        assert measures["participation_rise"](evidence) == pytest.approx({"probe": peak / 9 - 1})


@pytest.mark.parametrize(
    ("accuracy", "peak"),
    [
        ([0.8, 0.8, 0.8, 0.8, 0.8, 0.8], 40.0),  # drawn from the start
        ([0.0, 0.5, 0.0, 0.0, 0.0, 0.8], 11.0),  # half, then lost again: from there on
        ([0.0, 0.49, 0.49, 0.49, 0.49, 0.8], 7.0),  # the last alone
        ([0.0, 0.0, 0.0, 0.5, 0.6, 0.4], 11.0),  # lost at the end
    ],
)
def test_the_noise_ends_where_half_of_the_pictures_are_right(generic, accuracy, peak):
    found = measures["participation_peak"](generic(course=course(accuracy, probe=PROBE)))
    assert found == {"probe": peak}


def test_a_layer_that_is_dead_at_the_end_has_no_hump(generic):
    dead = [1.0, 1.0, 1.0, 0.0, 0.0, 0.0]
    evidence = generic(course=course(probe=PROBE, dead=dead))
    assert list(participation_hump(evidence)) == ["probe"]
    assert measures["participation_end"](evidence)["dead"] == 0.0
    with pytest.raises(InputError, match="no layer varies at the end of training"):
        participation_hump(generic(course=course(dead=dead)))


def test_a_layer_that_is_dead_when_pictures_are_first_drawn_has_no_rise(generic):
    dead = [1.0, 0.0, 0.0, 0.0, 1.0, 1.0]
    assert list(measures["participation_rise"](generic(course=course(probe=PROBE, dead=dead)))) == ["probe"]
    with pytest.raises(InputError, match="no layer varies when pictures are first drawn"):
        measures["participation_rise"](generic(course=course(dead=dead)))


def test_single_and_whole_numbers_are_taken(generic):
    whole = {name: values.astype(np.float32) for name, values in course().items()}
    whole["participation.probe"] = np.array(PROBE).astype(int)
    assert measures["participation_peak"](generic(course=whole))["probe"] == pytest.approx(11.0)


@pytest.mark.parametrize(
    "name", ["participation_peak", "participation_end", "participation_rise", "participation_hump"]
)
def test_without_a_course_there_is_nothing_to_say(generic, name):
    with pytest.raises(InputError, match="this evidence has no course; measure at checkpoints"):
        measures[name](generic(course={}))
    with pytest.raises(InputError, match=r"course of this evidence has steps, strict_accuracy and no participation;"):
        measures[name](
            generic(course={"steps": np.arange(3), **{f"strict_accuracy.{part}": np.ones(3) for part in ("all", "id")}})
        )


def test_a_peak_needs_to_know_when_pictures_are_drawn(generic):
    lacking = {name: values for name, values in course().items() if not name.startswith("strict")}
    assert measures["participation_end"](generic(course=lacking))["probe"] == pytest.approx(10.0)
    with pytest.raises(InputError, match=r"no strict_accuracy\.all, by which the noise"):
        measures["participation_peak"](generic(course=lacking))
    for few in ([0.0, 0.1, 0.2, 0.1, 0.1, 0.0], [0.0, 0.1, 0.2, 0.3, 0.4, 0.49]):
        with pytest.raises(InputError, match="half of the pictures are right at no checkpoint"):
            measures["participation_peak"](generic(course=course(few)))
