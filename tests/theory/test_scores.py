"""Errors in blank units and the accuracy of places."""

import numpy as np
import pytest

from recombine.core.errors import InputError
from recombine.core.seeds import stream
from recombine.theory.scores import blank_error, place_accuracy

SHAPE = (5, 7)


def spots(*places: tuple[int, int]) -> np.ndarray:
    """One bright spot per image, at (row, column)."""
    images = np.zeros((len(places), *SHAPE))
    for image, place in zip(images, places, strict=True):
        image[place] = 1.0
    return images.reshape(len(places), -1)


@pytest.mark.parametrize("blank", [0.0, 1.0])
def test_the_ends_of_the_error(blank):
    truth = stream(0, "truth").normal(size=(3, 8))
    assert blank_error(truth, truth, blank) == 0.0
    assert blank_error(np.full_like(truth, blank), truth, blank) == pytest.approx(1.0)
    assert blank_error(2 * blank - truth, truth, blank) == pytest.approx(4.0)  # the mirror image of the truth


def test_the_error_divides_means_not_images():
    truth = np.array([[1.0, 1.0], [3.0, 3.0]])
    outputs = np.array([[0.0, 0.0], [3.0, 3.0]])
    assert blank_error(outputs, truth, 0.0) == pytest.approx(1 / 10)


def test_an_error_against_blank_truth_is_undefined():
    says = "nothing is to be drawn in these pictures: all 2 true images equal the blank value 1.*; move the hold-out"
    with pytest.raises(InputError, match=says):
        blank_error(np.zeros((2, 4)), np.ones((2, 4)), 1.0)


@pytest.mark.parametrize("dark", [False, True])
def test_a_place_is_right_within_one_pixel_each_way(dark):
    truth = spots((1, 5), (1, 5), (1, 5), (1, 5))
    drawn = spots((2, 6), (3, 5), (1, 3), (5 - 1, 1))
    assert place_accuracy(drawn, truth, SHAPE, dark=False) == 0.25
    sign = -1 if dark else 1
    assert place_accuracy(sign * drawn, sign * truth, SHAPE, dark=dark) == 0.25


def test_rows_are_not_columns():
    assert place_accuracy(spots((1, 4)), spots((4, 1)), SHAPE, dark=False) == 0.0


def test_edges_touch_only_on_a_periodic_image():
    truth, drawn = spots((0, 0), (2, 6)), spots((4, 6), (2, 0))
    assert place_accuracy(drawn, truth, SHAPE, dark=False) == 0.0
    assert place_accuracy(drawn, truth, SHAPE, dark=False, periodic=True) == 1.0


def test_a_blank_names_no_place():
    truth = spots((0, 0), (0, 1))  # where a tie would be found
    assert place_accuracy(np.zeros_like(truth), truth, SHAPE, dark=False) == 0.0


def test_unknown_truth_has_no_accuracy():
    truth = spots((0, 0), (0, 1))
    truth[1, 3] = np.nan
    assert place_accuracy(spots((0, 0), (0, 1)), truth, SHAPE, dark=False) is None
