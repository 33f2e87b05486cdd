"""Ink at crossings and along stripes: sums and averages of stripes against their closed forms."""

import numpy as np
import pytest

from recombine.core.errors import InputError
from recombine.measures import crossing_ink, measures, stripe_ink

SHAPE = (9, 11)


def crosses(across, along):
    """Ink of a one-pixel column at x of so much, plus a row at y."""
    y, x = np.indices(SHAPE).reshape(2, -1)
    rows, columns = (np.eye(size)[level] for size, level in zip(SHAPE, (y, x), strict=True))
    return across * columns[:, None, :] + along * rows[:, :, None]


@pytest.mark.parametrize("periodic", [False, True])
@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize(("each", "at"), [(0.5, 1.0), (0.25, 0.5), (0.1, 0.2)])
def test_a_sum_and_an_average_of_stripes_differ_in_ink_alone(from_ink, periodic, dark, each, at):
    evidence = from_ink(crosses(each, each), crosses(0.5, 0.5), periodic=periodic, dark=dark)
    assert set(crossing_ink(evidence)) == {"id", "ood", "rim", "interior", "all"}
    assert list(crossing_ink(evidence).values()) == pytest.approx([at] * 5)
    assert list(stripe_ink(evidence).values()) == pytest.approx([each] * 5)
    assert measures["darkest_accuracy"](evidence)["all"] == 1.0


def test_stripes_count_by_their_pixels_away_from_the_crossing(from_ink):
    """On rings of 9 and 11 a column has 2 pixels more than 3 away, a row 4."""
    found = stripe_ink(from_ink(crosses(0.2, 0.5), crosses(0.5, 0.5), periodic=True))
    assert found["ood"] == pytest.approx((2 * 0.2 + 4 * 0.5) / 6)


def test_ink_near_the_crossing_and_off_the_stripes_does_not_count(from_ink):
    truth = crosses(0.5, 0.5)
    y, x = np.indices(SHAPE).reshape(2, -1)
    r, c = np.indices(SHAPE)
    off_row, off_column = np.abs(r - y[:, None, None]), np.abs(c - x[:, None, None])
    elsewhere = (off_row > 0) & (off_column > 0) | ((off_row <= 3) & (off_column <= 3))
    assert stripe_ink(from_ink(np.where(elsewhere, 0.9, truth), truth)) == pytest.approx(
        stripe_ink(from_ink(truth, truth))
    )


def test_sections_have_the_means_of_their_members(from_ink, sections_of):
    held = sections_of()["ood"][:, None, None]
    found = crossing_ink(from_ink(np.where(held, crosses(0.25, 0.25), crosses(0.5, 0.5)), crosses(0.5, 0.5)))
    assert (found["id"], found["ood"]) == pytest.approx((1.0, 0.5))
    assert found["all"] == pytest.approx((69 + 30 * 0.5) / 99)


def test_a_canvas_without_room_for_stripes_is_refused(from_ink, bumps):
    shape = (4, 5)
    evidence = from_ink(bumps(shape), shape=shape, hole=((1, 2), (1, 3)))
    with pytest.raises(
        InputError, match="undefined at y = 0, x = 1: no pixel of its row and column is more than 3 from"
    ):
        stripe_ink(evidence)
    assert crossing_ink(evidence)["all"] == pytest.approx(1.0)
