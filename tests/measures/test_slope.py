"""Slopes and offsets are recovered exactly, whatever scatters about the line."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recombine.core.errors import InputError
from recombine.measures import fitted_line, measures


@pytest.mark.parametrize(("slope", "offset"), [(1.0, 0.0), (0.5, -1.5), (0.0, 2.0), (-0.7, 0.1)])
def test_a_straight_line_is_recovered(addition, slope, offset):
    truth = addition().targets
    evidence = addition(slope * truth + offset)
    assert measures["slope"](evidence) == pytest.approx(slope)
    assert measures["offset"](evidence) == pytest.approx(offset)
    assert measures["id_slope"](evidence) == pytest.approx(slope)


def test_held_out_and_trained_combinations_have_their_own_line(addition):
    plain = addition()
    evidence = addition(np.where(plain.sections["ood"], 0.25 * plain.targets + 3, plain.targets))
    assert measures["slope"](evidence) == pytest.approx(0.25)
    assert measures["offset"](evidence) == pytest.approx(3)
    assert measures["id_slope"](evidence) == pytest.approx(1)
    assert measures["id_mse"](evidence) == 0
    held = plain.targets[plain.sections["ood"]]
    assert measures["ood_mse"](evidence) == pytest.approx(np.square(3 - 0.75 * held).mean())


def test_samples_are_averaged_for_the_slope_and_not_for_the_error(addition):
    truth = addition().targets
    evidence = addition(truth[:, None] + np.array([-2.0, 0.0, 2.0]))
    assert measures["slope"](evidence) == pytest.approx(1)
    assert measures["ood_mse"](evidence) == pytest.approx(8 / 3)


@given(
    st.lists(st.tuples(st.floats(-5, 5), st.integers(-4, 4)), min_size=3, max_size=12).filter(
        lambda pairs: len({target for _, target in pairs}) > 1
    )
)
def test_the_line_is_that_of_a_polynomial_of_degree_one(pairs):
    answers, targets = np.array(pairs, dtype=np.float64).T
    assert fitted_line(answers, targets) == pytest.approx(np.polyfit(targets, answers, 1), abs=1e-9)


@pytest.mark.parametrize("name", ["slope", "offset", "id_slope"])
def test_equal_targets_have_no_slope(addition, name):
    evidence = addition(values=((0.1, 0.1, 0.1), (0.2, 0.2)), anchors=((0,), (1,)))
    with pytest.raises(InputError, match=r"slope is undefined: all \d targets are 0.3; use a section"):
        measures[name](evidence)


def test_the_leak_compares_held_out_slopes_with_trained_ones(addition):
    """Answers of slope .6 where 0.8 is reached in training: a quarter is lost, whatever the offsets."""
    plain = addition()
    held_out = plain.sections["ood"]
    evidence = addition(np.where(held_out, 0.6 * plain.targets + 2, 0.8 * plain.targets - 1))
    assert measures["leak"](evidence) == pytest.approx(0.25)
    assert measures["leak"](addition(0.3 * plain.targets)) == pytest.approx(0, abs=1e-12)
    assert measures["leak"](addition(np.where(held_out, 7.0, plain.targets))) == pytest.approx(1)
    assert measures["leak"](addition(np.where(held_out, -plain.targets, plain.targets))) == pytest.approx(2)


def test_a_leak_needs_something_to_lose(addition):
    plain = addition()
    evidence = addition(np.where(plain.sections["ood"], plain.targets, 2.0))
    with pytest.raises(InputError, match="the leak is undefined: the slope on trained combinations is "):
        measures["leak"](evidence)


@given(shift=st.floats(-3, 3), slope=st.floats(0.1, 2))
def test_the_compositional_gap_is_the_difference_of_the_errors(shift, slope, addition):
    plain = addition()
    held_out = plain.sections["ood"]
    evidence = addition(np.where(held_out, slope * plain.targets, plain.targets + shift))
    expected = (1 - slope) ** 2 * np.square(plain.targets[held_out]).mean() - shift**2
    assert measures["compositional_gap"](evidence) == pytest.approx(expected, abs=1e-9)
    difference = measures["ood_mse"](evidence) - measures["id_mse"](evidence)
    assert measures["compositional_gap"](evidence) == pytest.approx(difference)
