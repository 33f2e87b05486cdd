import math
from itertools import pairwise
from math import comb

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from recombine.core.errors import InputError
from recombine.core.seeds import stream
from recombine.theory import percolation
from recombine.theory.percolation import (
    Curve,
    clusters,
    critical,
    curve,
    largest_share,
    overlap,
    prefix_shares,
    reach,
)

# n r² at which discs of radius r/2, n per unit of area, first span the plane: their filling is 1.128 there.
PLANE = 1.12808737 * 4 / math.pi


def searched(points, radius, period=None):
    """Clusters by breadth-first search over all pairs, in whole numbers where the points are whole."""
    apart = np.abs(points[:, None] - points[None])
    if period is not None:
        apart = apart % period
        apart = np.minimum(apart, period - apart)
    near = (apart**2).sum(axis=-1) < radius**2
    labels = np.full(len(points), -1)
    for start in range(len(points)):
        front = [start] if labels[start] < 0 else []
        while front:
            item = front.pop()
            labels[item] = start
            front += np.flatnonzero(near[item] & (labels < 0)).tolist()
    return labels


def same_partition(one, other):
    return (
        len(set(zip(one.tolist(), other.tolist(), strict=True))) == len(set(one.tolist())) == len(set(other.tolist()))
    )


@pytest.fixture(params=["listed", "crowded"])
def way(request, monkeypatch):
    """Both ways to find clusters, the second with chunks so small that there are several."""
    if request.param == "crowded":
        monkeypatch.setattr(percolation, "PAIRS", -1)
        monkeypatch.setattr(percolation, "CHUNK", 7)
        monkeypatch.setattr(percolation, "NEIGHBOURS", 2)
    return request.param


@st.composite
def scattered(draw):
    """Whole points on unequal axes: ties at the radius, repeats and points on the seam are common."""
    axes = draw(st.integers(1, 3))
    sides = np.array(draw(st.lists(st.integers(3, 12), min_size=axes, max_size=axes)))
    count = draw(st.integers(1, 40))
    points = stream(draw(st.integers(0, 10**6)), "test").integers(0, sides, (count, axes))
    return points, draw(st.integers(1, 8)), sides


class TestClusters:
    @pytest.mark.parametrize("pairs", [percolation.PAIRS, -1])
    @given(scattered(), st.booleans())
    @settings(max_examples=40, deadline=None)
    def test_a_search_over_all_pairs_finds_the_same(self, pairs, case, closed):
        points, radius, sides = case
        period = sides if closed else None
        expected = searched(points, radius, period)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(percolation, "PAIRS", pairs)
            patch.setattr(percolation, "NEIGHBOURS", 2)
            assert same_partition(clusters(points, radius, period), expected)
            assert largest_share(points, radius, period) == np.bincount(expected).max() / len(points)

    @given(scattered(), st.lists(st.integers(-50, 50), min_size=3, max_size=3), st.integers(0, 99))
    @settings(max_examples=40, deadline=None)
    def test_moving_turning_round_and_reordering_change_nothing_on_a_torus(self, case, shift, seed):
        points, radius, sides = case
        moved = stream(seed, "test").permutation(points + np.array(shift[: len(sides)]))
        assert largest_share(moved, radius, sides) == largest_share(points, radius, sides)

    @given(st.integers(0, 10**6), st.integers(1, 3), st.booleans())
    @settings(max_examples=20, deadline=None)
    def test_a_wider_radius_never_shrinks_the_largest_cluster(self, seed, axes, closed):
        points = stream(seed, "test").random((30, axes))
        shares = [largest_share(points, radius, 1 if closed else None) for radius in (1e-12, 0.05, 0.1, 0.2, 0.4, 2.0)]
        assert all(small <= large for small, large in pairwise(shares))
        assert (shares[0], shares[-1]) == (1 / 30, 1.0)

    def test_points_at_the_radius_are_not_joined(self, way):
        points = np.array([[0.0, 0.0], [3.0, 4.0], [20.0, 0.0]])
        assert largest_share(points, 5.0) == 1 / 3
        assert largest_share(points, np.nextafter(5.0, 6.0)) == 2 / 3

    def test_an_axis_of_its_own_length_closes_at_it(self, way):
        points = np.array([[0.5, 0.5], [9.5, 0.5], [0.5, 4.5]])
        assert largest_share(points, 1.5) == 1 / 3
        assert largest_share(points, 1.5, 10) == 2 / 3  # along the first axis only
        assert largest_share(points, 1.5, (10.0, 5.0)) == 1.0
        assert largest_share(points, 1.5, np.array([20.0, 5.0])) == 2 / 3

    def test_a_point_just_below_zero_is_wrapped_to_it(self, way):
        assert largest_share(np.array([[-1e-20], [0.25]]), 0.5, 1.0) == 1.0

    def test_a_radius_wider_than_the_ring_joins_all(self, way):
        assert largest_share(np.array([[0.0], [0.5], [0.7]]), 30, 1.0) == 1.0

    def test_repeated_points_count_each(self, way):
        points = np.repeat([[0.0, 0.0], [9.0, 9.0], [5.0, 0.0]], [4, 7, 2], axis=0)
        assert largest_share(points, 1e-300) == 7 / 13
        assert largest_share(points, 6) == 7 / 13
        assert largest_share(points, 10) == 1.0

    def test_many_separate_clumps_are_told_apart_and_bridged(self, way):
        rng = stream(0, "test")
        centres = 10.0 * np.arange(9)[:, None] * np.array([1.0, 0.0])
        clumps = (centres[:, None] + rng.uniform(-1, 1, (9, 30, 2))).reshape(-1, 2)
        assert largest_share(clumps, 3) == 1 / 9
        assert same_partition(clusters(clumps, 3), np.repeat(np.arange(9), 30))
        bridge = np.array([[33.0, 0.0], [35.0, 0.0], [37.0, 0.0]])  # from the fourth clump to the fifth
        assert largest_share(np.concatenate([clumps, bridge]), 3) == 63 / 273

    def test_crowds_need_no_list_of_pairs(self):
        points = np.concatenate([stream(0, "test").random((4_000, 2)), 5 + stream(1, "test").random((3_000, 2))])
        assert percolation._near_pairs(points, 1.5, None) is None
        assert largest_share(points, 1.5) == 4 / 7
        assert largest_share(points, 7) == 1.0


class TestLine:
    def test_clusters_on_a_line_are_runs_of_short_gaps(self):
        points = stream(0, "test").random((20_000, 1)) * 1_000
        gaps = np.diff(np.sort(points[:, 0]))
        runs = np.diff(np.concatenate([[-1], np.flatnonzero(gaps >= 0.4), [len(gaps)]]))
        assert largest_share(points, 0.4) == runs.max() / 20_000

    def test_the_number_of_clusters_on_a_ring_is_that_of_its_long_gaps(self):
        # A gap is at least r with probability (1 − r)^(n−1), on a ring of length 1.
        count, radius = 2_000, 1.5 / 2_000
        numbers = [clusters(stream(seed, "test").random((count, 1)), radius, 1).max() + 1 for seed in range(40)]
        expected = count * (1 - radius) ** (count - 1)
        assert abs(np.mean(numbers) - expected) < 4 * np.std(numbers, ddof=1) / math.sqrt(40)
        assert np.std(numbers) < 0.1 * expected  # so the line above can fail

    def test_a_ring_hangs_together_as_often_as_the_closed_form_says(self):
        # Stevens (1939): the chance that exactly m of n gaps are at least r; one long gap leaves one cluster.
        count, radius, draws = 6, 0.25, 400

        def gaps(m):
            terms = ((-1) ** j * comb(count - m, j) * max(1 - (m + j) * radius, 0) ** (count - 1) for j in range(7 - m))
            return comb(count, m) * sum(terms)

        assert sum(gaps(m) for m in range(7)) == pytest.approx(1)
        chance = gaps(0) + gaps(1)
        rounds = stream(0, "test").random((draws, count, 1))
        found = np.mean([largest_share(points, radius, 1) == 1 for points in rounds])
        assert abs(found - chance) < 4 * math.sqrt(chance * (1 - chance) / draws)
        assert 0.2 < chance < 0.8


class TestBumps:
    @pytest.mark.parametrize("denominator", [4, 2, 3.0])
    @pytest.mark.parametrize(("sigma", "distance"), [(1.0, 1.0), (1.5, 4.0), (2.0, 0.0)])
    def test_the_closed_form_is_that_of_the_pictures(self, sigma, distance, denominator):
        rows, columns = np.meshgrid(np.arange(-20, 21), np.arange(-20, 25), indexing="ij")
        a, b = (np.exp(-(rows**2 + (columns - x) ** 2) / (denominator * sigma**2)) for x in (0, distance))
        pictures = np.linalg.norm(np.sqrt(a * b)) / np.linalg.norm(a)
        assert overlap(distance, sigma, denominator) == pytest.approx(pictures, rel=1e-3)

    def test_the_values_of_the_paper(self):
        assert overlap(1, 1) == pytest.approx(math.exp(-1 / 16))
        assert reach(0.005, 1) == pytest.approx(4 * math.sqrt(math.log(200)))

    @given(st.floats(0.001, 0.999), st.floats(0.01, 100), st.sampled_from([2, 4]))
    def test_the_reach_is_where_the_overlap_is_the_threshold(self, threshold, sigma, denominator):
        distance = reach(threshold, sigma, denominator)
        assert overlap(distance, sigma, denominator) == pytest.approx(threshold)
        assert overlap(1.01 * distance, sigma, denominator) < threshold < overlap(0.99 * distance, sigma, denominator)

    @pytest.mark.parametrize(
        ("threshold", "sigma", "neighbours"),
        [(0.005, 0.1, 0), (0.005, 0.2, 8), (0.005, 0.3, 20), (0.005, 0.5, 68), (0.05, 0.3, 12), (0.5, 0.5, 8)],
    )
    def test_the_reach_holds_so_many_neighbours_on_a_lattice(self, threshold, sigma, neighbours):
        steps = np.arange(-9, 10)
        apart = np.hypot(steps[:, None], steps[None])
        assert (apart < reach(threshold, sigma)).sum() - 1 == neighbours

    def test_pictures_of_a_bump_narrower_than_a_pixel_overlap_less(self):
        # The diagonal neighbour of a bump of width 0.2 is within reach by the closed form, and not by the pictures.
        rows, columns = np.meshgrid(np.arange(-5, 6), np.arange(-5, 7), indexing="ij")
        a, b = (np.exp(-((rows - at) ** 2 + (columns - at) ** 2) / (4 * 0.2**2)) for at in (0, 1))
        assert np.linalg.norm(np.sqrt(a * b)) / np.linalg.norm(a) < 0.005 < overlap(math.sqrt(2), 0.2)

    @pytest.mark.parametrize(
        ("call", "words"),
        [
            (lambda: overlap(-1, 1), "distance -1 between two bumps must be at least 0"),
            (lambda: overlap(math.nan, 1), "distance nan"),
            (lambda: overlap(1, 0), "sigma 0 must be positive"),
            (lambda: overlap(1, 1, -2), "denominator -2 must be positive"),
            (lambda: reach(0.5, 1e308), "bumps of sigma 1e\\+308 overlap beyond the range of floats"),
            (lambda: critical(None), "a critical density is read off a Curve, got NoneType"),
            (lambda: reach(1, 1), "threshold 1 of the overlap must lie strictly between 0 and 1"),
            (lambda: reach(0.5, math.inf), "sigma inf"),
            (lambda: overlap("a", 1), "distance 'a' between two bumps must be at least 0"),
            (lambda: overlap(1, "wide"), "sigma 'wide' must be positive"),
            (lambda: reach("a", 1), "threshold 'a' of the overlap"),
        ],
    )
    def test_nonsense_is_refused(self, call, words):
        with pytest.raises(InputError, match=words):
            call()


class TestCurve:
    def test_prefixes_are_computed_as_if_alone(self, way):
        points = stream(0, "test").random((150, 2))
        counts = [1, 2, 3, 40, 40, 97, 150]
        expected = [largest_share(points[:count], 0.08, (1, 2)) for count in counts]
        assert prefix_shares(points, counts, 0.08, (1, 2)).tolist() == expected
        assert len(set(expected)) > 4

    def test_arrival_orders_are_nested_and_shared_by_all_radii(self):
        coarse = curve([0.2, 0.6], 6, 1.2, spacing=1, seeds=[3, 8])
        fine = curve([0.2, 0.4, 0.6], 6, 1.2, spacing=1, seeds=[3, 8])
        assert fine.counts.tolist() == [7, 14, 22]
        assert fine.densities.tolist() == [7 / 36, 14 / 36, 22 / 36]
        assert np.array_equal(fine.shares[:, [0, 2]], coarse.shares)
        wider = curve([0.2, 0.4, 0.6], 6, 2.5, spacing=1, seeds=[3, 8])
        assert (wider.shares >= fine.shares).all()
        assert not np.array_equal(fine.shares[0], fine.shares[1])

    def test_a_full_lattice_hangs_together_beyond_its_spacing(self):
        full = curve([1 / 0.125], 2, 0.5001, spacing=0.5, axes=3, seeds=[0])
        assert full.counts.tolist() == [64]
        assert full.shares.item() == 1.0
        assert curve([1 / 0.125], 2, 0.5, spacing=0.5, axes=3, seeds=[0]).shares.item() == 1 / 64

    def test_closing_the_box_only_adds_neighbours(self):
        open_box, closed = (curve([0.5, 1.0, 1.4], 12, 1, periodic=each) for each in (False, True))
        assert (closed.shares >= open_box.shares).all()
        assert closed.mean[-1] > open_box.mean[-1]

    def test_the_interval_is_students(self):
        shares = np.array([[0.2, 0.9], [0.4, 1.0], [0.3, 1.0]])
        low, high = Curve(np.array([1.0, 2.0]), np.array([10, 20]), shares).interval()
        half = 4.302653 * 0.1 / math.sqrt(3)
        assert (low[0], high[0]) == pytest.approx((0.3 - half, 0.3 + half))
        assert high[1] == 1.0
        one = Curve(np.array([1.0, 2.0]), np.array([10, 20]), shares[:1]).interval()
        assert [each.tolist() for each in one] == [[0, 0], [1, 1]]


class TestCritical:
    def test_the_crossing_is_interpolated_and_its_interval_is_the_jackknifes(self):
        # Straight lines that share their slope: the mean crosses at the mean of the crossings, with Student's interval.
        at = np.array([1.0, 1.2, 1.7])
        densities = np.array([0.0, 1.0, 1.5, 3.0, 4.0])
        shares = 0.5 + 0.1 * (densities - at[:, None])
        found = critical(Curve(densities, np.arange(5), shares))
        half = 4.302653 * at.std(ddof=1) / math.sqrt(3)
        assert found.density == pytest.approx(at.mean())
        assert found.each == pytest.approx(at)
        assert (found.low, found.high) == pytest.approx((at.mean() - half, at.mean() + half))
        assert critical(Curve(densities, np.arange(5), shares), 0.6).density == pytest.approx(at.mean() + 1)

    def test_a_single_point_is_no_crossing(self):
        found = critical(Curve(np.array([1.0, 2.0, 4.0, 5.0]), np.arange(1, 5), np.array([[1.0, 0.2, 0.3, 0.9]])))
        assert found.density == pytest.approx(4 + 0.2 / 0.6)
        assert found.steepest == 4.5
        assert (found.low, found.high) == (-math.inf, math.inf)

    @pytest.mark.parametrize(("shares", "density"), [([0.1, 0.4], math.inf), ([0.6, 0.9], -math.inf)])
    def test_a_mean_that_does_not_cross_says_on_which_side(self, shares, density):
        found = critical(Curve(np.array([1.0, 2.0]), np.array([1, 2]), np.array([shares, shares])))
        assert (found.density, found.each, found.low) == (density, (density, density), -math.inf)

    def test_a_seed_that_never_crosses_leaves_the_interval_open_where_it_matters(self):
        shares = np.array([[0.0, 0.9], [0.0, 0.4]])
        found = critical(Curve(np.array([1.0, 2.0]), np.array([1, 2]), shares))
        assert found.density == pytest.approx(1 + 0.5 / 0.65)
        assert found.each[1] == math.inf
        assert (found.low, found.high) == (-math.inf, math.inf)

    def test_discs_in_the_plane_percolate_at_their_known_density(self):
        radius, side = 0.7, 42.0  # sixty radii, where the crossing may be off by some percent
        found = critical(curve(np.linspace(1.1, 1.8, 29) / radius**2, side, radius, periodic=True, seeds=range(12)))
        assert found.density * radius**2 == pytest.approx(PLANE, rel=0.04)
        assert found.steepest * radius**2 == pytest.approx(PLANE, rel=0.08)
        assert (found.high - found.low) * radius**2 < 0.08

    def test_a_small_box_crosses_early_if_closed_and_late_with_open_edges(self):
        densities = np.linspace(0.5, 2.3, 46)

        def found(side, periodic):
            return critical(curve(densities, side, 1, periodic=periodic, seeds=range(10)))

        small, large, edges = found(10, True), found(50, True), found(50, False)
        assert small.high < large.low
        assert large.density < PLANE
        assert large.density < edges.density
        assert np.std(large.each) < np.std(small.each)

    def test_bumps_on_a_lattice_percolate_as_the_paper_simulates(self):
        # Figs. 6c and 13: earlier for wide bumps, later for high thresholds, never for those of one pixel.
        filled = np.arange(1, 11) / 10

        def found(threshold, sigma):
            return critical(curve(filled, 32, reach(threshold, sigma), spacing=1))

        wide, middle, strict = found(0.005, 0.5), found(0.005, 0.3), found(0.05, 0.3)
        assert wide.density == -math.inf
        assert 0.1 < middle.density < 0.2 < strict.density < 0.3
        assert found(0.005, 0.1).density == math.inf

    @pytest.mark.parametrize(("radius", "threshold"), [(1.2, 0.5927), (1.5, 0.4073)])
    def test_sites_of_a_square_lattice_percolate_at_their_known_thresholds(self, radius, threshold):
        # Four neighbours or eight; the two thresholds sum to 1.
        found = critical(curve(np.arange(6, 15) / 20, 40, radius, spacing=1))
        assert found.density == pytest.approx(threshold, abs=0.03)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: largest_share(np.zeros((0, 2)), 1.0), r"points of shape \(0, 2\) must be \(items, axes\)"),
        (lambda: largest_share(np.zeros((2, 0)), 1.0), r"points of shape \(2, 0\)"),
        (lambda: largest_share(np.zeros(3), 1.0), r"write points on a line as points\[:, None\]"),
        (lambda: largest_share(np.array([[0.0], [np.nan]]), 1.0), r"point 1 is \[nan\]; coordinates must be fin"),
        (lambda: largest_share(np.array([["a"]]), 1.0), "must be real numbers"),
        (lambda: largest_share([0.0, 1.0], 1.0), r"points of shape \(2,\) must be \(items, axes\)"),
        (lambda: largest_share([[0.0], [1.0, 2.0]], 1.0), "points must be of one sort and shape"),
        (lambda: largest_share([[0.0, 1.0], [math.inf, 2.0]], 1.0), r"point 1 is \[inf, 2.0\]"),
        (lambda: largest_share(np.zeros((2, 1)), 0), "radius 0 must be positive and finite"),
        (lambda: largest_share(np.zeros((2, 1)), -1.5), "radius -1.5"),
        (lambda: largest_share(np.zeros((2, 1)), math.nan), "radius nan"),
        (lambda: largest_share(np.zeros((2, 1)), 1.0, 0), "period 0 of points on 1 axes must be one positive length"),
        (lambda: largest_share(np.zeros((2, 3)), 1.0, (1.0, 2.0)), r"period \(1.0, 2.0\) of points on 3 axes"),
        (lambda: largest_share(np.zeros((2, 1)), 1.0, math.inf), "period inf"),
        (lambda: largest_share(np.zeros((2, 1)), 1.0, "a"), "period 'a' of points on 1 axes must be one positive len"),
        (lambda: prefix_shares(np.zeros((3, 1)), [2, 4], 1.0), r"counts \[2, 4\] .* at most the 3 there are"),
        (lambda: prefix_shares(np.zeros((3, 1)), [0, 2], 1.0), r"counts \[0, 2\]"),
        (lambda: prefix_shares(np.zeros((3, 1)), [3, 2], 1.0), r"counts \[3, 2\]"),
        (lambda: prefix_shares(np.zeros((3, 1)), [], 1.0), r"counts \[\]"),
        (lambda: prefix_shares(np.zeros((3, 1)), [1.5], 1.0), r"counts \[1.5\] must be a list of whole numbers from 1"),
        (lambda: curve([0.5], 0, 1), "side 0 must be positive"),
        (lambda: curve([0.5], 3, 1, axes=0), "axes 0 must be positive"),
        (lambda: curve([0.5, 0.5], 3, 1), r"densities \[0.5, 0.5\] put .* these must rise from at least 1"),
        (lambda: curve([0.45, 0.48], 3, 1), r"put \[4.0, 4.0\] points into a volume of 9"),
        (lambda: curve([0.5, math.inf], 3, 1), r"densities \[0.5, inf\]"),
        (lambda: curve([], 3, 1), r"densities of shape \(0,\) must be \(densities,\)"),
        (lambda: curve([[0.5]], 3, 1), r"densities of shape \(1, 1\) must be"),
        (lambda: curve(0.5, 3, 1), r"densities of shape \(\) must be"),
        (lambda: curve(["many"], 3, 1), "densities of type <U4 must be real numbers"),
        (lambda: curve([0.5, math.nan], 3, 1), r"densities \[0.5, nan\]"),
        (lambda: curve([0.01], 3, 1), r"put \[0.0\] points"),
        (lambda: curve([0.5, 1.5], 3, 1, spacing=1), r"put \[4.0, 14.0\] points .* at most 9,"),
        (lambda: curve([0.5], 3, 1, spacing=2), "spacing 2 must divide the side 3"),
        (lambda: curve([0.5], 3, 1, spacing=0), "spacing 0 must divide the side 3"),
        (lambda: curve([0.5], 3, 1, spacing="a"), "spacing 'a' must divide the side 3"),
        (lambda: curve([0.5], 3, 1, spacing=math.inf), "spacing inf must divide the side 3"),
        (lambda: curve([0.5], 3, 1, spacing=5e-324), "inf points on 2 axes have more than"),
        (lambda: curve([0.1, 0.2], 1e5, 1, spacing=0.1), r"1e\+12 points on 2 axes .* a wider spacing"),
        (lambda: curve([1e9, 2e9], 1000, 1), r"2e\+15 points on 2 axes .* choose lower densities"),
        (lambda: curve([0.5, 1.5], 1, 1, axes=10**9), "must rise from at least 1"),
        (lambda: curve([1, 2], 1, 1, axes=10**9), "2 points on 1000000000 axes"),
        (lambda: curve([1, 2], 9, 1, axes=10**3), r"put \[inf, inf\] points into a volume of inf"),
        (lambda: curve([0.5], 3, 1, seeds=[]), r"seeds \[\] must be a list of whole numbers from 0 on"),
        (lambda: curve([0.5], 3, 1, seeds=[-1]), r"seeds \[-1\] must be a list of whole numbers"),
        (lambda: curve([0.5], 3, 1, seeds=[0.5]), r"seeds \[0.5\]"),
        (lambda: curve([0.5], 3, 1, seeds=5), "seeds 5 must be a list"),
        (lambda: curve([0.5], 3, 1, axes=1.5), "axes 1.5 of a box must be a whole number"),
        (lambda: critical(curve([0.5], 3, 1)), "a curve of one density crosses nothing"),
        (lambda: critical(curve([0.5, 1], 3, 1), 1), "level 1 of the largest share"),
        (lambda: critical(curve([0.5, 1], 3, 1), "a"), "level 'a' of the largest share"),
    ],
)
def test_nonsense_is_refused_in_one_sentence(call, words):
    with pytest.raises(InputError, match=words) as error:
        call()
    assert str(error.value).endswith(".")
    assert ". " not in str(error.value)


def test_points_and_densities_may_be_lists_or_tensors():
    points = np.array([[0, 0], [0, 1], [3, 3]])
    for same in (points, points.tolist(), torch.tensor(points, dtype=torch.float64, requires_grad=True)):
        assert largest_share(same, 1.5) == 2 / 3
        assert prefix_shares(same, [1, 2, 3], 1.5).tolist() == [1, 1, 2 / 3]
    densities = [0.5, 1.0]
    expected = curve(np.array(densities), 3, 1)
    for same in (densities, torch.tensor(densities, dtype=torch.float64, requires_grad=True)):
        assert np.array_equal(curve(same, 3, 1).shares, expected.shares)
