"""Bars against closed forms: polygons, an octahedron, spanning trees, tori; landmarks and what they can change."""

import re
import subprocess
import sys
from itertools import combinations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial.distance import pdist, squareform

from recombine.core.errors import InputError
from recombine.core.seeds import stream
from recombine.measures import (
    HomologyCost,
    clifford_torus,
    diagram,
    furthest_points,
    homology,
    homology_cost,
    landmark_spread,
    long_bars,
)

# CPU seconds and megabytes measured for degrees 0 to 2 of points of a torus.
MEASURED = {300: (2.1, 145.0), 600: (21.0, 670.0), 1024: (103.0, 1200.0)}


def polygon(corners):
    turns = 2 * np.pi * np.arange(corners) / corners
    return np.stack([np.cos(turns), np.sin(turns)], axis=1)


def polygon_bar(corners):
    """A loop is born with the sides; it dies when a triangle reaches around the centre, a third of the way on."""
    return 2 * np.sin(np.pi * np.ceil(corners / 3) / corners) - 2 * np.sin(np.pi / corners)


def torus(rows, columns):
    return clifford_torus(rows, columns).reshape(-1, 4)


def klein_bottle(rows, columns):
    v, u = (2 * np.pi * place / size for place, size in zip(np.indices((rows, columns)), (rows, columns), strict=True))
    out = 2 + np.cos(v)
    coordinates = [out * np.cos(u), out * np.sin(u), np.sin(v) * np.cos(u / 2), np.sin(v) * np.sin(u / 2)]
    return np.stack(coordinates, axis=-1).reshape(-1, 4)


@pytest.mark.parametrize("corners", [4, 5, 7, 10, 12, 20])
def test_a_polygon_has_one_loop_of_known_lifetime(corners):
    components, loops = homology(polygon(corners), degrees=1)
    assert components == pytest.approx([np.inf] + (corners - 1) * [2 * np.sin(np.pi / corners)])
    assert loops == pytest.approx([polygon_bar(corners)])


def test_an_octahedron_encloses_one_cavity_until_opposite_corners_meet():
    components, loops, cavities = homology(np.concatenate([np.eye(3), -np.eye(3)]))
    assert components == pytest.approx([np.inf] + 5 * [np.sqrt(2)])
    assert loops.shape == (0,)
    assert cavities == pytest.approx([2 - np.sqrt(2)])


@settings(deadline=None, max_examples=30)
@given(seed=st.integers(0, 1000), number=st.integers(1, 12), features=st.integers(1, 5))
def test_components_are_joined_along_the_shortest_tree(seed, number, features):
    points = stream(seed, "measures", "tree").normal(size=(number, features))
    (components,) = homology(points, degrees=0)
    tree = minimum_spanning_tree(squareform(pdist(points))).data if number > 1 else np.zeros(0)
    assert components == pytest.approx([np.inf, *np.sort(tree)[::-1]])


@pytest.mark.parametrize(("rows", "columns"), [(10, 12), (9, 11)])
def test_a_torus_has_the_loops_of_its_two_polygons_and_one_cavity(rows, columns):
    # A polygon is a retract of the torus (drop the other angle), so its bar is one of the torus's bars exactly.
    bars = homology(torus(rows, columns))
    assert bars[1][:2] == pytest.approx(sorted([polygon_bar(rows), polygon_bar(columns)], reverse=True))
    assert [long_bars(each).number for each in bars] == [1, 2, 1]
    assert all(long_bars(each).ratio > 2 for each in bars)


def test_a_klein_bottle_is_no_torus():
    # Over the field of two elements it would show two long loops and a cavity.
    _, loops, cavities = homology(klein_bottle(9, 18))
    assert long_bars(loops).number == 1
    assert cavities.max(initial=0.0) < loops[0] / 3


@settings(deadline=None, max_examples=15)
@given(seed=st.integers(0, 1000), scale=st.floats(0.01, 100.0))
def test_moving_turning_and_reordering_change_nothing_and_scaling_scales(seed, scale):
    rng = stream(seed, "measures", "moved")
    points = rng.normal(size=(14, 3))
    rotation, _ = np.linalg.qr(rng.normal(size=(5, 5)))
    moved = scale * (np.pad(points, ((0, 0), (0, 2))) @ rotation)[rng.permutation(14)] + 10 * rng.normal(size=5)
    for before, after in zip(homology(points), homology(moved), strict=True):
        assert after == pytest.approx(scale * before, rel=1e-6, abs=1e-6 * scale)
        assert (np.diff(after[np.isfinite(after)]) <= 0).all()


def test_bars_that_are_rounding_are_left_out():
    # On a regular torus many cavities are born and filled at the same length.
    for turn in range(3):
        rotation, _ = np.linalg.qr(stream(turn, "measures", "rounding").normal(size=(4, 4)))
        found = homology(torus(6, 7) @ rotation)
        assert min(each.min() for each in found) > 1e-6
        assert [len(each) for each in found] == [len(each) for each in homology(torus(6, 7))]


def test_points_at_one_place_count_once():
    twice = np.repeat(polygon(7), 2, axis=0)
    for once, doubled in zip(homology(polygon(7)), homology(twice), strict=True):
        assert doubled == pytest.approx(once)
    assert [each.tolist() for each in homology(np.ones((6, 2)))] == [[np.inf], [], []]


def test_single_precision_and_integers_are_taken():
    for taken in (polygon(10).astype(np.float32), np.round(1000 * polygon(10)).astype(np.int64) / 1000):
        assert homology(taken, degrees=1)[1] == pytest.approx([polygon_bar(10)], abs=2e-3)
    assert homology(np.array([[0], [1], [3]]), degrees=0)[0] == pytest.approx([np.inf, 2, 1])


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 1000), number=st.integers(1, 15), data=st.data())
def test_every_landmark_is_the_furthest_from_those_before(seed, number, data):
    points = stream(seed, "measures", "cloud").normal(size=(number, 3))
    chosen = furthest_points(points, number, seed)
    assert sorted(chosen) == list(range(number))
    apart = squareform(pdist(points))
    for turn in range(1, number):
        assert chosen[turn] == np.argmax(apart[chosen[:turn]].min(axis=0))
    fewer = data.draw(st.integers(1, number))
    assert np.array_equal(furthest_points(points, fewer, seed), chosen[:fewer])


def test_ties_are_broken_alike_however_the_cloud_is_turned():
    points = torus(6, 8)
    rotation, _ = np.linalg.qr(stream(0, "measures", "turned").normal(size=(4, 4)))
    assert np.array_equal(furthest_points(points @ rotation + 3.0, 30, 5), furthest_points(points, 30, 5))


def test_repeated_points_are_chosen_last():
    places = np.repeat(np.arange(5.0)[:, None], 3, axis=0)
    chosen = furthest_points(places, 15, 2)
    assert sorted(places[chosen[:5], 0]) == [0, 1, 2, 3, 4]
    assert sorted(chosen) == list(range(15))


def test_the_seed_draws_the_first_landmark():
    points = torus(6, 8)
    firsts = {int(furthest_points(points, 1, seed)[0]) for seed in range(20)}
    assert len(firsts) > 5
    again = [homology(points, 1, landmarks=20, seed=3)[1] for _ in range(2)]
    assert np.array_equal(*again)


def test_landmarks_are_the_points_looked_at():
    points = torus(8, 10)
    chosen = furthest_points(points, 33, 4)
    for some, same in zip(homology(points, 1, 33, 4), homology(points[chosen], 1), strict=True):
        assert np.array_equal(some, same)
    assert len(homology(points, 0, 33)[0]) == 33


def test_few_landmarks_show_the_torus():
    bars = homology(torus(14, 17), landmarks=90, seed=1)
    assert [long_bars(each).number for each in bars] == [1, 2, 1]


@pytest.mark.parametrize("seed", [0, 1])
def test_landmark_sets_agree_with_each_other_and_with_all_points_within_the_bound(seed):
    points = torus(9, 12) + 0.1 * stream(seed, "measures", "rough").normal(size=(108, 4))
    spread, bound = landmark_spread(points, 60, degrees=1, seeds=(0, 1, 2, 3))
    sets = [homology(points, 1, 60, each) for each in (0, 1, 2, 3)]
    assert len(spread) == 2
    # The longest loops are among the places that are compared.
    assert max(abs(a[1][0] - b[1][0]) for a, b in combinations(sets, 2)) <= spread[1]
    assert all(0 < each <= bound for each in spread)
    everything = homology(points, 1)[1]
    for _, loops in sets:
        padded = np.pad(loops, (0, len(everything)))[: len(everything)]
        assert np.abs(padded - everything).max() <= bound
    apart = squareform(pdist(points))
    reach = max(apart[furthest_points(points, 60, each)].min(axis=0).max() for each in (0, 1, 2, 3))
    assert bound == pytest.approx(4 * reach)


def test_choosing_every_point_leaves_nothing_to_differ():
    spread, bound = landmark_spread(torus(4, 5), 20, seeds=(0, 1))
    assert spread == pytest.approx((0, 0, 0))
    assert bound == 0


@pytest.mark.parametrize(
    ("lifetimes", "known"),
    [
        ([], (0, 1.0)),
        ([0.7], (1, np.inf)),
        ([np.inf, 0.3, 0.1], (1, np.inf)),
        ([0.9, 0.85, 0.44, 0.4], (2, 0.85 / 0.44)),
        ([8.0, 4.0, 1.0], (2, 4.0)),
        ([8.0, 1.0, 0.7, 0.0001], (1, 8.0)),
        ([8.0, 7.0, 0.01, 1e-9], (2, 700.0)),
        ([np.inf, np.inf, 3.0], (2, np.inf)),
    ],
)
def test_long_bars_come_before_the_largest_fall(lifetimes, known):
    assert long_bars(np.array(lifetimes)) == pytest.approx(known)


@pytest.mark.parametrize("number", MEASURED)
def test_the_estimate_is_near_what_was_measured_and_not_below(number):
    for estimated, measured in zip(homology_cost(number), MEASURED[number], strict=True):
        assert 0.95 * measured <= estimated <= 2 * measured


def test_more_points_and_higher_degrees_take_more():
    costs = [homology_cost(number, degrees) for number in (100, 1000) for degrees in (0, 1, 2)]
    for smaller, larger in [(0, 1), (1, 2), (3, 4), (4, 5), (0, 3), (1, 4), (2, 5)]:
        assert costs[smaller].seconds < costs[larger].seconds
        assert costs[smaller].megabytes < costs[larger].megabytes


def test_what_takes_too_long_is_refused_before_it_starts_and_can_be_allowed():
    cloud = np.zeros((3000, 1))
    message = re.escape("homology up to degree 2 of 3000 points takes about 2.7e+03 seconds and 1.71e+04 megabytes")
    with pytest.raises(InputError, match=message + r".*landmarks=200, or lift it with limit=None\.$"):
        homology(cloud)
    assert len(homology(cloud, landmarks=5)) == 3
    for tight in (HomologyCost(0.0, 1e9), HomologyCost(1e9, 0.0)):
        with pytest.raises(InputError, match=r"of 7 points .* more than the limit of"):
            homology(polygon(7), limit=tight)
        with pytest.raises(InputError, match=r"of 5 points .* more than the limit of"):
            landmark_spread(polygon(7), 5, limit=tight)
    assert len(homology(polygon(7), limit=None)) == 3


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: homology(polygon(5), degrees=3), "up to 0, 1 or 2, got degrees=3;"),
        (lambda: homology(polygon(5), degrees=-1), "up to 0, 1 or 2, got degrees=-1;"),
        (lambda: homology(polygon(5), landmarks=0), "at least 1 point, got 0;"),
        (
            lambda: homology(polygon(5), landmarks=2.5),
            "a whole number of points or landmarks, at least 1 point, got 2.5",
        ),
        (lambda: homology(polygon(5), landmarks=4, seed=-1), "seed = -1 draws the first landmark and must be a whole"),
        (lambda: homology(polygon(5), landmarks=4, seed=0.5), "seed = 0.5 draws the first landmark"),
        (lambda: homology_cost("a"), "a whole number of points or landmarks, at least 1 point, got 'a'"),
        (lambda: homology_cost(np.nan), "at least 1 point, got nan"),
        (lambda: homology_cost(100, degrees=1.0), "up to 0, 1 or 2, got degrees=1.0;"),
        (lambda: furthest_points(polygon(5), 2.0), "2.0 furthest points cannot be chosen from 5;"),
        (lambda: homology(polygon(5), landmarks=6), "6 furthest points cannot be chosen from 5;"),
        (lambda: furthest_points(polygon(5), 0), "0 furthest points cannot be chosen from 5;"),
        (lambda: homology(np.zeros((0, 3))), "points of shape (0, 3) must be (points, features)"),
        (lambda: homology([0.0, 1.0]), "points of shape (2,) must be (points, features)"),
        (lambda: landmark_spread([[0.0], [np.nan]], 1), "first nan at (1, 0)"),
        (lambda: homology(np.array([[0.0], [np.nan]])), "not all finite"),
        (lambda: furthest_points(np.array([[0.0], [np.inf]]), 1), "not all finite"),
        (lambda: landmark_spread(polygon(5), 3, seeds=(0,)), "at least 2 seeds, got 1;"),
        (lambda: long_bars(np.array([1.0, 2.0])), "longest first; sort them"),
        (lambda: long_bars(np.array([np.nan])), "leave NaN out"),
    ],
)
def test_nonsense_is_refused_in_a_sentence(ask, message):
    with pytest.raises(InputError, match=re.escape(message)) as refused:
        ask()
    assert str(refused.value).endswith(".")


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_tiny_and_huge_clouds_have_the_same_bars(scale):
    for here, there in zip(homology(scale * torus(6, 7)), homology(torus(6, 7)), strict=True):
        assert here / scale == pytest.approx(there)
    assert np.array_equal(furthest_points(scale * torus(6, 7), 9, 3), furthest_points(torus(6, 7), 9, 3))
    spread, bound = landmark_spread(torus(6, 7), 20, degrees=1)
    scaled, far = landmark_spread(scale * torus(6, 7), 20, degrees=1)
    assert (np.array(scaled) / scale, far / scale) == (pytest.approx(np.array(spread)), pytest.approx(bound))


def test_the_package_does_not_load_the_library_by_itself():
    code = "import sys, recombine.measures; sys.exit(any(name.split('.')[0] == 'gudhi' for name in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("landmarks", [None, 20])
def test_a_diagram_has_the_ends_of_the_bars(landmarks):
    points = torus(6, 7)
    for ends, lifetimes in zip(
        diagram(points, landmarks=landmarks), homology(points, landmarks=landmarks), strict=True
    ):
        assert ends.shape == (len(lifetimes), 2)
        assert ends[:, 1] - ends[:, 0] == pytest.approx(lifetimes)


@pytest.mark.parametrize("corners", [5, 12])
def test_the_loop_of_a_polygon_is_born_with_its_sides(corners):
    components, loops = diagram(polygon(corners), degrees=1)
    side = 2 * np.sin(np.pi / corners)
    assert components == pytest.approx(np.array([[0, np.inf]] + (corners - 1) * [[0, side]]))
    assert loops == pytest.approx(np.array([[side, side + polygon_bar(corners)]]))


def test_lists_and_tensors_are_clouds_too():
    points = torus(4, 5)
    bars, chosen, spread = homology(points), furthest_points(points, 4), landmark_spread(points, 6)
    for same in (points.tolist(), torch.tensor(points, requires_grad=True)):
        assert all(np.array_equal(*pair) for pair in zip(homology(same), bars, strict=True))
        assert np.array_equal(furthest_points(same, 4), chosen)
        assert landmark_spread(same, 6) == spread


def test_bars_that_do_not_last_do_not_stand_out():
    assert long_bars(np.zeros(2)) == long_bars(np.zeros(0)) == (0, 1.0)
