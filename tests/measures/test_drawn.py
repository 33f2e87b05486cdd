"""Accuracies by reading, on pictures drawn at a known distance from where they should be."""

import dataclasses

import numpy as np
import pytest

from recombine.core.errors import InputError
from recombine.measures import measures

ACCURACIES = ("strict_accuracy", "near_accuracy", "centroid_accuracy", "marginal_accuracy", "darkest_accuracy")

# Constructed evidence has 9 levels of y and 11 of x, a pixel per level; the hole is y in 2..6, x in 3..8.


def shifted(bumps, y, x, sigma=1.0):
    """Every bump moved by so many pixels, around the edges."""
    return np.roll(bumps(sigma=sigma), (y, x), axis=(1, 2))


@pytest.mark.parametrize("name", ACCURACIES)
@pytest.mark.parametrize("periodic", [False, True])
@pytest.mark.parametrize("dark", [False, True])
def test_the_truth_is_always_right(from_ink, bumps, name, periodic, dark):
    found = measures[name](from_ink(bumps(), periodic=periodic, dark=dark))
    sections = ("id", "ood", "rim", "interior", "all")
    assert list(found) == [f"{section}{end}" for section in sections for end in ("-y", "-x", "")]
    assert set(found.values()) == {1.0}


def test_one_pixel_off_along_x_is_wrong_there_and_right_along_y(from_ink, bumps):
    evidence = from_ink(shifted(bumps, 0, 1), periodic=True)
    for name in ACCURACIES:
        found = measures[name](evidence)
        right = {"ood-y": 1.0, "ood-x": float(name == "near_accuracy"), "ood": float(name == "near_accuracy")}
        assert {key: found[key] for key in right} == right, name
    assert measures["place_error"](evidence)["ood"] == pytest.approx(0.5)


def test_two_pixels_off_are_not_near(from_ink, bumps):
    found = measures["near_accuracy"](from_ink(shifted(bumps, 2, 1), periodic=True))
    assert (found["all-y"], found["all-x"], found["all"]) == (0.0, 1.0, 0.0)


def test_distances_go_round_a_torus_only(from_ink, bumps):
    """Moved by one pixel, the bumps of the last column are at the first: one pixel away, or ten."""
    output = shifted(bumps, 0, 1, sigma=0.2)
    assert measures["near_accuracy"](from_ink(output, periodic=True))["all-x"] == 1.0
    assert measures["near_accuracy"](from_ink(output))["all-x"] == pytest.approx(10 / 11)


def test_each_section_has_the_mean_over_its_members(from_ink, bumps, sections_of):
    masks = sections_of()
    output = np.where(masks["rim"][:, None, None], shifted(bumps, 3, 0), bumps())
    found = measures["strict_accuracy"](from_ink(output, periodic=True))
    assert (found["id"], found["rim"], found["interior"]) == (1.0, 0.0, 1.0)
    assert found["ood"] == pytest.approx(12 / 30)
    assert found["all"] == pytest.approx(81 / 99)
    assert (found["rim-y"], found["rim-x"]) == (0.0, 1.0)


def test_both_coordinates_may_be_wrong_in_different_pictures(from_ink, bumps):
    half = (np.arange(99) % 2 == 0)[:, None, None]
    found = measures["strict_accuracy"](
        from_ink(np.where(half, shifted(bumps, 3, 0), shifted(bumps, 0, 3)), periodic=True)
    )
    assert found["all-y"] == pytest.approx(49 / 99)
    assert found["all-x"] == pytest.approx(50 / 99)
    assert found["all"] == 0.0


def test_an_empty_section_is_left_out(from_ink, bumps):
    everything = np.ones(99, dtype=bool)
    evidence = from_ink(bumps(), sections={"id": everything, "ood": ~everything})
    assert list(measures["strict_accuracy"](evidence)) == ["id-y", "id-x", "id", "all-y", "all-x", "all"]
    assert list(measures["place_error"](evidence)) == ["id", "all"]


def test_two_marks_are_wrong_but_their_middle_may_be_right(from_ink, bumps):
    """A failed picture has two marks on either side: right by the centroid, wrong by the strict reading."""
    evidence = from_ink(shifted(bumps, 0, 2, sigma=0.2) + shifted(bumps, 0, -2, sigma=0.2), periodic=True)
    strict, centroid = (measures[name](evidence) for name in ("strict_accuracy", "centroid_accuracy"))
    assert (strict["all"], strict["all-y"]) == (0.0, 0.0)
    assert centroid["all"] == 1.0
    assert measures["place_error"](evidence)["all"] == pytest.approx(0.0, abs=1e-5)
    assert measures["drawn_status"](evidence)["all-many"] == 1.0
    assert measures["darkest_accuracy"](evidence)["all-x"] == 0.0


def test_one_stripe_is_right_in_its_coordinate_by_the_marginal_reading_alone(from_ink, bumps):
    output = 0.5 * bumps().max(axis=1, keepdims=True).repeat(9, axis=1)  # along the rows, at its column
    evidence = from_ink(output, threshold=0.75)
    found = measures["marginal_accuracy"](evidence)
    assert (found["all-y"], found["all-x"], found["all"]) == (0.0, 1.0, 0.0)
    assert measures["strict_accuracy"](evidence)["all-x"] == 0.0
    assert measures["drawn_status"](evidence)["all-none"] == 1.0


def test_the_threshold_says_what_counts_as_drawn(from_ink, bumps):
    evidence = from_ink(0.6 * bumps())
    assert measures["strict_accuracy"](evidence)["all"] == 1.0
    fainter = dataclasses.replace(evidence, threshold=0.75)
    assert measures["strict_accuracy"](fainter)["all"] == 0.0
    assert measures["darkest_accuracy"](fainter)["all"] == 1.0
    # By the middle of its ink a faint bump is at its place, unless the edge cuts it off.
    assert measures["centroid_accuracy"](fainter)["interior"] == 1.0


def test_a_blank_picture_is_wrong_in_every_reading_and_has_the_error_of_guessing(from_ink, bumps):
    evidence = from_ink(np.zeros_like(bumps()))
    for name in ACCURACIES:
        assert set(measures[name](evidence).values()) == {0.0}, name
    y, x = np.indices((9, 11)).reshape(2, -1)
    by_hand = np.mean(
        [(np.abs(r - np.arange(9)).mean() + np.abs(c - np.arange(11)).mean()) / 2 for r, c in zip(y, x, strict=True)]
    )
    assert measures["place_error"](evidence)["all"] == pytest.approx(by_hand)
    # On rings of 9 and 11: 0, 1, 1, ..., 4, 4 and 0, 1, 1, ..., 5, 5.
    around = dataclasses.replace(evidence, periodic=True)
    assert measures["place_error"](around)["ood"] == pytest.approx((20 / 9 + 30 / 11) / 2)


def test_statuses_add_up_to_one(generic):
    found = measures["drawn_status"](generic())
    for section in ("id", "ood", "rim", "interior", "all"):
        assert sum(found[f"{section}-{word}"] for word in ("none", "one", "many")) == pytest.approx(1.0)
    assert found["all-none"] > 0.1
    assert found["all-one"] > 0.1


def test_statuses_are_counted_by_section(from_ink, bumps, sections_of):
    masks = sections_of()
    twice = np.minimum(1, bumps() + shifted(bumps, 4, 5))
    output = np.where(masks["id"][:, None, None], bumps(), np.where(masks["rim"][:, None, None], 0.0, twice))
    found = measures["drawn_status"](from_ink(output, periodic=True))
    assert (found["id-one"], found["rim-none"], found["interior-many"]) == (1.0, 1.0, 1.0)
    assert (found["ood-none"], found["ood-one"], found["ood-many"]) == pytest.approx((18 / 30, 0, 12 / 30))


@pytest.mark.parametrize("name", [*ACCURACIES, "place_error", "drawn_status"])
def test_answers_that_are_no_pictures_are_refused(generic, name):
    with pytest.raises(InputError, match="no pictures to read a place off"):
        measures[name](generic(places=None))
