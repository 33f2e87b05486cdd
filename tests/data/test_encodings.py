"""Codes: shapes, known values, absence, and closing on a ring."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recombine.core.errors import InputError
from recombine.data import encodings, tasks
from recombine.data.encodings import Axis

LINE = Axis(np.arange(6.0), np.arange(6.0))
RING = Axis(np.arange(6.0), np.arange(6.0), period=6.0)
ABSENT = np.array([np.nan])


def test_one_hot_is_the_identity_on_levels():
    assert np.array_equal(encodings["one-hot"]().encode(np.arange(6.0), LINE), np.eye(6))


def test_bump_code_is_its_formula_with_the_width_on_the_variance():
    code = encodings.bump(sigma=0.8, width=9).encode(np.array([2.5]), LINE)
    assert code[0] == pytest.approx(np.exp(-((np.arange(6) - 2.5) ** 2) / (2 * 9 * 0.8**2)))


def test_ramp_is_the_position_and_a_flag():
    code = encodings.ramp(presence=True).encode(np.array([4.0, np.nan, 0.0]), LINE)
    assert np.array_equal(code, [[4, 1], [0, 0], [0, 1]])


def test_sinusoidal_pairs_lie_on_circles():
    code = encodings.sinusoidal(pairs=3).encode(np.array([0.0, 1.5, 5.0]), LINE)
    assert np.square(code[:, :3]) + np.square(code[:, 3:]) == pytest.approx(np.ones((3, 3)))


@pytest.mark.parametrize("kind", ["one-hot", "bump", "sinusoidal"])
def test_on_a_ring_a_full_turn_changes_nothing(kind):
    encoding = encodings.pick(kind)()
    here, around = (encoding.encode(np.array([p]), RING) for p in (1.0, 7.0))
    assert around == pytest.approx(here)


@pytest.mark.parametrize("kind", ["one-hot", "bump", "sinusoidal", "ramp"])
@given(position=st.integers(0, 5))
@settings(deadline=None, max_examples=10)
def test_an_absent_factor_has_a_code_no_position_has(kind, position):
    encoding = encodings.ramp(presence=True) if kind == "ramp" else encodings.pick(kind)()
    absent, there = encoding.encode(ABSENT, LINE), encoding.encode(np.array([float(position)]), LINE)
    assert not absent.any()
    assert np.abs(there).max() > 0.5


def test_a_plain_ramp_cannot_say_absent():
    with pytest.raises(InputError, match="presence: true"):
        encodings.ramp().encode(ABSENT, LINE)


def test_one_hot_has_no_unit_between_levels():
    with pytest.raises(InputError, match=r"no unit for position 1\.5"):
        encodings["one-hot"]().encode(np.array([1.5]), LINE)


def test_codes_are_concatenated_rows_first_on_unequal_sides():
    code = tasks.bump(n=(3, 5), encoding="one-hot").codes(np.array([[2.0, 1.0]]))
    assert np.flatnonzero(code[0]).tolist() == [2, 3 + 1]
