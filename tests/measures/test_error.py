"""Squared error against closed forms: what a blank costs, and what a gain on the ink leaves."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recombine.core.errors import InputError
from recombine.measures import error_map, measures, mse, nmse


@pytest.mark.parametrize("dark", [True, False])
@pytest.mark.parametrize(("n", "sigma", "hole", "cost"), [(28, 1.0, (6, 23), 0.00401), (32, 1.5, (12, 32), 0.00664)])
def test_a_blank_picture_costs_the_energy_of_the_bump(from_ink, bumps, dark, n, sigma, hole, cost):
    target = bumps((n, n), sigma)
    evidence = from_ink(np.zeros_like(target), target, shape=(n, n), hole=(hole, hole), dark=dark)
    assert measures["ood_mse"](evidence) == pytest.approx(cost, abs=5e-6)
    assert measures["ood_nmse"](evidence) == 1.0
    assert measures["id_nmse"](evidence) == 1.0


def test_far_from_the_border_the_energy_is_pi_sigma_squared_per_picture(from_ink, bumps):
    target = bumps((28, 30), 1.0)
    evidence = from_ink(np.zeros_like(target), target, shape=(28, 30), hole=((6, 22), (6, 24)))
    assert mse(evidence, "ood") == pytest.approx(np.pi / (28 * 30), rel=3e-4)


@settings(deadline=None, max_examples=25)
@given(gain=st.floats(-2, 3), dark=st.booleans())
def test_a_gain_on_the_ink_leaves_its_squared_distance_from_one(from_ink, bumps, gain, dark):
    evidence = from_ink(gain * bumps(), dark=dark)
    assert nmse(evidence, "ood") == pytest.approx((1 - gain) ** 2, abs=1e-12)
    assert error_map(evidence) == pytest.approx(np.full((9, 11), (1 - gain) ** 2), abs=1e-12)


def test_sections_are_scored_apart(from_ink, bumps):
    gain = np.ones(99)
    evidence = from_ink(bumps())
    gain[evidence.sections["rim"]], gain[evidence.sections["interior"]] = 0.8, 0.4
    evidence = from_ink(gain[:, None, None] * bumps())
    assert measures["id_mse"](evidence) == measures["id_nmse"](evidence) == 0
    assert measures["rim_nmse"](evidence) == pytest.approx(0.2**2)
    assert measures["interior_nmse"](evidence) == pytest.approx(0.6**2)
    assert measures["error_plateau"](evidence) == pytest.approx(9.0)
    by_section = measures["nmse_by_section"](evidence)
    assert list(by_section) == ["id", "ood", "rim", "interior"]
    assert by_section["rim"] < by_section["ood"] < by_section["interior"]


def test_nmse_is_a_ratio_of_means_not_a_mean_of_ratios(generic):
    evidence = generic()
    squared = np.square(evidence.outputs - evidence.targets)[evidence.sections["id"]].sum()
    blank = np.square(1 - evidence.targets)[evidence.sections["id"]].sum()
    assert nmse(evidence, "id") == pytest.approx(squared / blank)
    mean_of_ratios = error_map(evidence)[evidence.sections["id"].reshape(9, 11)].mean()
    assert abs(nmse(evidence, "id") - mean_of_ratios) > 1e-3  # bumps at the border have less energy


def test_the_map_has_y_in_rows_and_x_in_columns(from_ink, bumps):
    ink = bumps()
    ink[2 * 11 + 7] = 0
    expected = np.zeros((9, 11))
    expected[2, 7] = 1
    assert np.array_equal(error_map(from_ink(ink, dark=False)), expected)


def test_empty_sections_are_left_out_of_the_listing_and_refused_by_name(generic):
    evidence = generic()
    full = dataclasses.replace(evidence, sections={"id": np.ones(99, dtype=bool), "ood": np.zeros(99, dtype=bool)})
    assert list(measures["nmse_by_section"](full)) == ["id"]
    with pytest.raises(InputError, match="section 'ood' of this evidence is empty"):
        measures["ood_nmse"](full)
    with pytest.raises(InputError, match="no section 'interior', only id, ood"):
        measures["interior_nmse"](full)


def test_a_blank_target_has_no_nmse(from_ink, bumps):
    target = bumps()
    target[3 * 11 + 4] = 0
    evidence = from_ink(0.5 * target, target)
    expected = np.full((9, 11), 0.25)
    expected[3, 4] = np.nan
    assert error_map(evidence) == pytest.approx(expected, nan_ok=True)
    assert measures["ood_nmse"](evidence) == pytest.approx(0.25)  # a section counts what there is to draw
    assert measures["error_plateau"](evidence) == pytest.approx(1.0)
    with pytest.raises(InputError, match="undefined on section 'ood': every target there is blank"):
        nmse(from_ink(bumps(), np.zeros((99, 9, 11))), "ood")


def test_a_perfect_rim_has_no_plateau(from_ink, bumps):
    with pytest.raises(InputError, match="error_plateau is undefined"):
        measures["error_plateau"](from_ink(bumps(), dark=False))
