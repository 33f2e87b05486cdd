"""Compositional support of samples: known gaps, exact coverage, and laws."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recombine.core.errors import InputError
from recombine.core.seeds import stream
from recombine.splits.designs import DiagonalSupport
from recombine.theory.coverage import coverage, from_sample


def cube(count, slots, latents, *purpose):
    return stream(0, "coverage test", *purpose).random((count, slots, latents))


def planes(count, latents, *purpose):
    """Each slot free on half of the points, at 1 on the others."""
    points = np.ones((2 * count, 2, latents))
    points[:count, 0] = cube(count, 1, latents, "first", *purpose)[:, 0]
    points[count:, 1] = cube(count, 1, latents, "second", *purpose)[:, 0]
    return points


@pytest.mark.parametrize(("latents", "count"), [(1, 400), (2, 900), (3, 1500)])
def test_planes_show_every_component_value(latents, count):
    found = coverage(planes(count, latents), cube(700, 2, latents, "test"))
    assert found.compositional
    assert all(slot.share >= 0.99 for slot in found.slots)
    assert not any(interval.gap for slot in found.slots for interval in slot.intervals)


def test_a_gap_in_one_latent_is_found_as_an_interval_and_as_a_region():
    train = planes(3000, 2)
    train = train[(train[:, 0, 0] < 0.05) | (train[:, 0, 0] > 0.45)]
    test = cube(2000, 2, 2, "test")
    found = coverage(train, test)
    assert not found.compositional
    front, back = found.slots
    gap = front.intervals[0]
    assert gap.gap
    assert (gap.low, gap.high) == pytest.approx((0.05, 0.45), abs=0.01)
    assert gap.width == pytest.approx(0.4, abs=0.02)
    assert not front.intervals[1].gap
    assert not any(interval.gap for interval in back.intervals)
    # Uncovered are the values deeper inside the gap than the reach, and no others.
    depth = np.minimum(test[:, 0, 0] - 0.05, 0.45 - test[:, 0, 0])
    assert front.uncovered[depth > front.reach + 0.01].all()
    assert not front.uncovered[depth < 0].any()
    assert back.share == 1.0
    assert (found.predicted_failures == front.uncovered).all()


@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 999), scale=st.floats(0.01, 100.0), shift=st.floats(-5.0, 5.0))
def test_units_do_not_matter(seed, scale, shift):
    rng = stream(seed, "units")
    train, test = rng.random((60, 2, 2)) ** 3, rng.random((50, 2, 2))
    one, other = coverage(train, test), coverage(train * scale + shift, test * scale + shift)
    for left, right in zip(one.slots, other.slots, strict=True):
        assert left.reach == pytest.approx(right.reach, rel=1e-6)
        assert left.intervals[1].width == pytest.approx(right.intervals[1].width, rel=1e-6)
    assert one.parts == other.parts


@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 999), size=st.integers(2, 40), slots=st.integers(1, 3))
def test_a_sample_covers_itself(seed, size, slots):
    points = stream(seed, "self").random((size, slots, 2))
    assert all(slot.share == 1.0 for slot in coverage(points, points).slots)


def test_discrete_latents_must_be_equal():
    rng = stream(1, "discrete")
    train, test = rng.random((500, 2, 2)), rng.random((300, 2, 2))
    train[:, :, 1], test[:, :, 1] = rng.integers(0, 2, (500, 2)), rng.integers(0, 3, (300, 2))
    train[:, 1, 1] = rng.integers(0, 3, 500)
    found = coverage(train, test, discrete=(1,))
    front, back = found.slots
    assert front.absent == ((), (2.0,))
    assert back.absent == ((), ())
    assert (front.uncovered == (test[:, 0, 1] == 2)).all()
    assert front.intervals[1] is None
    assert back.share == 1.0
    # Points of different discrete parts are never joined: 2 x 3 cells.
    assert found.parts == 6


def test_only_discrete_latents_are_a_grid_of_levels():
    train = np.array([[[0.0], [1.0]], [[1.0], [0.0]]])
    test = np.array([[[0.0], [0.0]], [[1.0], [1.0]], [[2.0], [1.0]]])
    found = coverage(train, test, discrete=(0,))
    assert [slot.uncovered.tolist() for slot in found.slots] == [[False, False, True], [False, False, False]]
    assert (found.parts, found.largest_part) == (2, 0.5)


def test_parts_are_clusters_farther_apart_than_the_radius():
    points = cube(300, 2, 1, "parts")
    together = coverage(points, cube(200, 2, 1, "test"))
    assert (together.parts, together.largest_part) == (1, 1.0)
    apart = points * 0.3
    apart[:120] += 0.7
    found = coverage(apart, cube(200, 2, 1, "test"))
    assert found.parts == 2
    assert found.largest_part == pytest.approx(180 / 300)
    assert 0 < found.part_radius < 0.4


def test_planes_that_meet_are_connected_and_planes_that_do_not_are_not():
    grid = np.linspace(0, 1, 41)
    meeting = np.concatenate([[[[x], [0.5]] for x in grid], [[[0.5], [x]] for x in grid]])
    assert coverage(meeting, meeting).parts == 1
    parallel = np.concatenate([[[[x], [0.0]] for x in grid], [[[x], [1.0]] for x in grid]])
    assert coverage(parallel, meeting).parts == 2


def test_training_outside_the_range_of_the_test_leaves_all_of_it_empty():
    found = coverage(cube(50, 1, 1, "train") + 3, cube(40, 1, 1, "test"))
    interval = found.slots[0].intervals[0]
    assert (found.slots[0].share, interval.width, interval.gap) == (0.0, 1.0, True)
    constant = coverage(np.full((9, 1, 1), 0.5), np.linspace(0, 1, 11)[:, None, None])
    assert constant.slots[0].intervals[0].gap


def test_the_result_is_plain_json():
    found = coverage(planes(30, 2), cube(20, 2, 2, "test"), discrete=()).to_dict()
    assert json.loads(json.dumps(found)) == found
    assert found["slots"][1]["intervals"][0]["high"] <= 1


@pytest.mark.parametrize(
    ("train", "test", "options", "message"),
    [
        (np.zeros((0, 2, 1)), np.zeros((3, 2, 1)), {}, r"training points have shape \(0, 2, 1\)"),
        (np.zeros((3, 2, 1)), np.zeros((0, 2, 1)), {}, r"test points have shape \(0, 2, 1\)"),
        (np.zeros((3, 2, 1)), np.zeros((3, 2, 2)), {}, r"shape \(2, 1\) and test points of shape \(2, 2\)"),
        (np.array([[[0.0], [np.nan]]]), np.zeros((3, 2, 1)), {}, "training point 0 has nan as latent 0 of slot 1"),
        (np.zeros((3, 2, 1)), np.array([[[np.inf], [0.0]]]), {}, "test point 0 has inf as latent 0 of slot 0"),
        (np.zeros((3, 2, 1)), np.zeros((3, 2, 1)), {"discrete": (1,)}, "discrete latent 1 does not exist"),
    ],
)
def test_bad_samples_are_refused(train, test, options, message):
    with pytest.raises(InputError, match=message):
        coverage(train, test, **options)


def test_a_sample_refuses_a_radius_that_is_no_distance():
    with pytest.raises(InputError, match=r"radius = -0\.1 must be a finite number"):
        from_sample(np.zeros((3, 2, 1)), -0.1)


@pytest.mark.parametrize(("width", "pairs"), [(0.05, 7), (0.1, 7), (0.2, 7), (0.4, 9), (0.6, 9)])
@pytest.mark.parametrize("seed", range(2))
def test_diagonals_have_a_part_for_each_pair_of_shapes_that_they_show(width, pairs, seed):
    """A shape is a third of its latent. Slots differ by at most √2 · width: 0 and 2 meet if that exceeds a third."""
    assert (pairs == 9) == (np.sqrt(2) * width > 1 / 3)
    rng = stream(seed, "tests", "diagonal")
    shown, asked = DiagonalSupport(width=width).points(2000, 2, 5, rng), rng.random((2000, 2, 5))
    for points in (shown, asked):
        points[..., 2] = np.minimum(np.floor(3 * points[..., 2]), 2)
    found = coverage(shown, asked, discrete=(2,), seed=seed)
    assert found.parts == pairs
    assert found.strays <= 0.01


@pytest.mark.parametrize(("apart", "parts"), [(2, 1), (3, 2), (5, 2)])
def test_a_part_counts_from_one_point_more_than_there_are_latents(apart, parts):
    """Two slots of a latent each: of three points on, a group far away is a part and no stray."""
    rng = stream(0, "tests", "strays")
    points = np.concatenate([rng.random((100, 2, 1)), 9 + 0.01 * rng.random((apart, 2, 1))])
    found = coverage(points, np.concatenate([points, np.full((1, 2, 1), 10.0)]))
    assert found.parts == parts
    assert found.strays == pytest.approx(0 if parts == 2 else apart / (100 + apart))
    assert found.to_dict()["strays"] == found.strays


def test_a_combination_of_discrete_latents_is_a_part_however_few_its_points():
    points = np.zeros((60, 1, 2))
    points[:, 0, 0] = np.linspace(0, 1, 60)
    points[0, 0, 1] = 1
    found = coverage(points, points, discrete=(1,))
    assert (found.parts, found.strays) == (2, 0)
