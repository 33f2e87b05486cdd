"""Pictures against their formula, pixel by pixel, on unequal sides."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recombine.core.errors import InputError
from recombine.data import tasks

SIDES = (5, 8)


def plain_bump(y: float, x: float, sigma: float, sides: tuple[int, int]) -> np.ndarray:
    """The formula of the notes, one pixel at a time."""
    rows, columns = sides
    return np.array(
        [[np.exp(-((c - x) ** 2 + (r - y) ** 2) / (2 * sigma**2)) for c in range(columns)] for r in range(rows)]
    )


@given(y=st.floats(-2, 6), x=st.floats(-2, 9), sigma=st.floats(0.5, 3))
@settings(deadline=None, max_examples=30)
def test_a_bump_is_its_formula_for_real_valued_centres(y, x, sigma):
    (dark,) = tasks.bump(n=SIDES, sigma=sigma).pictures(np.array([[y, x]]))
    (bright,) = tasks.bump(n=SIDES, sigma=sigma, dark=False).pictures(np.array([[y, x]]))
    assert bright == pytest.approx(plain_bump(y, x, sigma, SIDES), abs=1e-6)
    assert dark == pytest.approx(1 - bright, abs=1e-6)


def test_row_is_y_and_column_is_x():
    (picture,) = tasks.bump(n=SIDES).pictures(np.array([[1.0, 6.0]]))
    assert np.unravel_index(picture.argmin(), picture.shape) == (1, 6)


@pytest.mark.parametrize("kind", ["bump", "sum-of-stripes"])
def test_a_lone_factor_is_a_stripe_that_runs_through(kind):
    task = tasks.pick(kind)(n=SIDES, sigma=1.3, dark=False)
    vertical, horizontal = task.pictures(np.array([[np.nan, 3.0], [2.0, np.nan]]))
    along_columns = np.exp(-((np.arange(8) - 3.0) ** 2) / (2 * 1.3**2))
    along_rows = np.exp(-((np.arange(5) - 2.0) ** 2) / (2 * 1.3**2))
    assert vertical == pytest.approx(np.tile(along_columns, (5, 1)), abs=1e-6)
    assert horizontal == pytest.approx(np.tile(along_rows[:, None], (1, 8)), abs=1e-6)


def test_a_sum_of_stripes_is_the_sum_of_its_lone_stripes():
    task = tasks.sum_of_stripes(n=SIDES)
    both, vertical, horizontal = task.pictures(np.array([[2.0, 3.0], [np.nan, 3.0], [2.0, np.nan]]))
    assert both == pytest.approx(vertical + horizontal, abs=1e-6)


def test_a_bump_is_the_product_of_its_lone_stripes():
    task = tasks.bump(n=SIDES, dark=False)
    both, vertical, horizontal = task.pictures(np.array([[2.0, 3.0], [np.nan, 3.0], [2.0, np.nan]]))
    assert both == pytest.approx(vertical * horizontal, abs=1e-6)


@given(shift_y=st.integers(0, 4), shift_x=st.integers(0, 7))
@settings(deadline=None, max_examples=20)
def test_on_a_torus_moving_the_centre_rolls_the_picture(shift_y, shift_x):
    task = tasks.torus(n=SIDES)
    first, moved = task.pictures(np.array([[0.0, 0.0], [float(shift_y), float(shift_x)]]))
    assert moved == pytest.approx(np.roll(first, (shift_y, shift_x), axis=(0, 1)), abs=1e-6)


def test_a_margin_clips_bumps_at_the_border():
    task = tasks.bump(n=6, margin=3, dark=False)
    assert task.grid.shape == (12, 12)
    assert task.grid.factors[0].levels[0] == -3
    (outside,) = task.pictures(np.array([[-3.0, -3.0]]))
    assert outside.max() == pytest.approx(np.exp(-9), abs=1e-6)
    assert task.codes(np.array([[-3.0, 2.0]])).shape == (1, 24)


def test_finer_centres_between_pixels():
    task = tasks.bump(n=4, step=0.5)
    assert task.grid.shape == (8, 8)
    assert task.grid.factors[1].levels == (0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5)


def test_many_pictures_agree_with_one_at_a_time_across_runs():
    task = tasks.bump(n=SIDES)
    positions = np.random.default_rng(0).uniform(0, 5, size=(700, 2))  # more than one run of the renderer
    together = task.pictures(positions)
    assert together.dtype == np.float32
    for i in (0, 255, 256, 511, 699):
        assert np.array_equal(together[i], task.pictures(positions[i : i + 1])[0])


def test_blank_picture_energy_is_that_of_the_notes():
    """Drawing nothing costs about pi sigma^2 / N^2; 0.00401 in the hole 6..22 of N = 28."""
    hole = np.array([[y, x] for y in range(6, 23) for x in range(6, 23)], dtype=float)
    task = tasks.bump(n=28)
    assert np.square(task.pictures(hole) - task.blank).mean() == pytest.approx(0.00401, abs=5e-6)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"sigma": -1.0}, "sigma"),
        ({"sigma": 0}, "sigma"),
        ({"n": 1}, "greater than or equal to 2"),
        ({"n": 10, "step": 0.3}, "must divide"),
        ({"periodic": True, "margin": 2}, "no border"),
        ({"sigmma": 1.0}, "did you mean 'sigma'"),
        ({"encoding": "onehot"}, "did you mean 'one-hot'"),
        ({"sigma": float("nan")}, "sigma"),
    ],
)
def test_nonsense_is_refused_when_built(settings, says):
    with pytest.raises(InputError, match=says):
        tasks.bump(**settings)


def test_nothing_present_is_no_picture():
    with pytest.raises(InputError, match="at least one factor"):
        tasks.bump(n=4).pictures(np.array([[np.nan, np.nan]]))


def test_a_torus_without_rings_is_refused():
    assert tasks.torus(n=SIDES, periodic=True) == tasks.torus(n=SIDES)
    with pytest.raises(InputError, match=r"^task torus: periodic = false gives it borders, .*; use the task bump\.$"):
        tasks.torus(n=SIDES, periodic=False)
    with pytest.raises(InputError, match="no border"):
        tasks.torus(n=SIDES, margin=1)
