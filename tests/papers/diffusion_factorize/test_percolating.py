"""Overlaps of drawn bumps and clusters of a lattice of them, against pictures, formulas and known lattices."""

import math
from functools import cache

import numpy as np
import pytest
from pydantic import ValidationError

from recombine.core.errors import InputError
from recombine.core.spec import dump
from recombine.data import tasks
from recombine.papers.diffusion_factorize.percolating import (
    FINE,
    PERCOLATING,
    SHARES,
    SIDE,
    WIDTHS,
    BumpOverlap,
    LatticePercolation,
    neighbours,
    overlaps,
    short,
)
from recombine.studies import Calculation, Computed, calculations, change
from recombine.theory import largest_share, overlap, reach

KINDS = {"bump-overlap": BumpOverlap, "lattice-percolation": LatticePercolation}
SMALL = {"lattice-percolation": {"draws": 2}}
each_kind = pytest.mark.parametrize("name", KINDS)


def small(name: str, **settings) -> Calculation:
    return calculations[name](**{**SMALL.get(name, {}), **settings})


@cache
def found_by(name: str, seed: int) -> Computed:
    return small(name, seed=seed).compute()


@each_kind
def test_it_measures_what_it_says(name):
    found = found_by(name, 0)
    assert calculations[name] is KINDS[name]
    assert set(found.measures) == set(calculations[name].quantities)
    assert all(np.isfinite(value) for value in found.measures.values())
    assert all(calculations[name].quantities.values())
    assert not any("." in quantity for quantity in found.measures)
    assert all(np.isfinite(array).all() for array in found.arrays.values())
    assert calculations.summaries()[name]


@each_kind
def test_exact_ones_come_out_the_same_and_the_others_depend_on_the_seed(name):
    first, second = (found_by(name, seed).measures for seed in (0, 1))
    assert (first == second) == calculations[name].exact
    assert small(name).compute().measures == first


@each_kind
def test_it_is_written_and_read_back(name):
    work = small(name, seed=3)
    assert calculations.parse(dump(work)) == work
    assert calculations.parse(work.settings()).digest() == work.digest()
    assert change(work, seed=4).digest() != work.digest()


def test_names_of_quantities_have_no_dot():
    assert [short(number) for number in (0.1, 0.5, 1.0)] == ["01", "05", "10"]
    assert len({short(width) for width in WIDTHS}) == len(WIDTHS)


@pytest.mark.parametrize(("sigma", "phase"), [(0.2, 0.0), (0.2, 0.5), (0.7, 0.3), (1.0, 0.0)])
def test_overlaps_are_those_of_whole_pictures(sigma, phase):
    """‖√(ab)‖ / ‖a‖ of ink with a 4 in the exponent, drawn here pixel by pixel; both axes at once."""
    pixels = np.arange(40)

    def ink(y, x):
        return np.exp(-(np.square(pixels - y)[:, None] + np.square(pixels - x)) / (4 * sigma**2))

    shifts = np.array([0.0, 0.5, 1.0, 2.25])
    along = overlaps(sigma, shifts, phase)
    base = ink(20 + phase, 20 + phase)
    for (down, first), (right, second) in [((0, 0), (2, 2)), ((1, 1), (3, 3)), ((2, 2), (1, 1))]:
        picture = ink(20 + phase + shifts[first], 20 + phase + shifts[second])
        whole = np.linalg.norm(np.sqrt(base * picture)) / np.linalg.norm(base)
        assert whole == pytest.approx(along[down] * along[right])


def test_overlaps_of_the_task_are_those_of_its_pictures():
    task = tasks.bump(n=SIDE, sigma=math.sqrt(2) * 0.4, dark=False)
    a, b = task.pictures(np.array([[16.0, 16.0], [17.0, 18.0]])).astype(float)
    rows, columns = overlaps(0.4, np.array([1.0, 2.0]))
    assert math.sqrt((a * b).sum() / (a * a).sum()) == pytest.approx(rows * columns, rel=1e-5)


def test_the_formula_holds_for_wide_bumps_and_fails_for_narrow_ones_beside_a_pixel():
    shifts = np.array([0.0, 0.5, 1.0, 3.0])
    formula = [overlap(float(shift), 1.0) for shift in shifts]
    for phase in (0.0, 0.5):
        assert overlaps(1.0, shifts, phase) == pytest.approx(formula, rel=1e-6)
    beside, on_pixel = (float(overlaps(0.2, np.array([0.5]), phase)[0]) for phase in (0.5, 0.0))
    assert beside == pytest.approx(1.55, abs=0.01)
    assert on_pixel == pytest.approx(0.46, abs=0.01)


@pytest.mark.parametrize(
    ("threshold", "sigma", "count"),
    [(0.005, 0.1, 0), (0.005, 0.2, 4), (0.005, 0.3, 20), (0.005, 0.5, 68), (0.05, 0.3, 12), (0.05, 0.5, 36),
     (0.5, 0.5, 8), (0.5, 1.0, 36)],
)  # fmt: skip
def test_neighbours_are_the_known_ones_and_all_nearer_than_their_reach(threshold, sigma, count):
    found = neighbours(sigma, threshold)
    assert found.plane == count
    rows, columns = np.indices((2 * SIDE + 1, 2 * SIDE + 1)) - SIDE
    inside = np.hypot(rows, columns) < found.reach
    assert inside.sum() - 1 == count
    assert inside[SIDE].sum() - 1 == found.line
    if sigma >= 0.3:
        assert (np.hypot(rows, columns) < reach(threshold, sigma)).sum() - 1 == count


@pytest.mark.parametrize("threshold", [1e-6, 0.005, 0.05, 0.5, 0.9])
def test_neighbours_form_a_disc_at_every_width(threshold):
    """So that a radius tells them, whatever the order in which places fill up."""
    rows, columns = np.indices((2 * SIDE - 1, 2 * SIDE - 1)) - SIDE + 1
    for sigma in WIDTHS:
        found = neighbours(sigma, threshold)
        assert (np.hypot(rows, columns) < found.reach).sum() - 1 == found.plane


def test_everything_overlaps_at_a_threshold_of_next_to_nothing():
    found = neighbours(1.0, 1e-300)
    assert found.line == 2 * (SIDE - 1)
    assert found.plane == (2 * SIDE - 1) ** 2 - 1
    assert found.reach > math.hypot(SIDE - 1, SIDE - 1)


def test_the_curves_of_bumps_show_what_the_figure_does():
    found = found_by("bump-overlap", 0)
    measures = found.measures
    assert measures["deviation_wide"] < 0.02 < measures["deviation_narrow"]
    assert measures["rise_on_pixel"] == 0 < measures["rise_beside"]
    assert measures["near_half_02"] == pytest.approx(1.55, abs=0.01)
    assert measures["near_half_10"] < 1
    assert measures["neighbours_05"] == 68
    assert found.arrays["on_pixel"].shape == (len(WIDTHS), len(found.arrays["distances"]))
    assert found.arrays["on_pixel"][:, 0] == pytest.approx(1)
    assert np.array_equal(found.arrays["neighbours"], [measures[f"neighbours_{short(w)}"] for w in WIDTHS])


def test_neighbours_grow_like_an_area_and_along_a_line_like_a_length():
    measures = found_by("bump-overlap", 0).measures
    assert measures["neighbour_slope"] == pytest.approx(2, abs=0.1)
    assert measures["line_slope"] == pytest.approx(1, abs=0.2)
    assert BumpOverlap(threshold=0.999).compute().measures["neighbour_slope"] == 0  # no neighbours, no slope


def test_bumps_on_a_pixel_never_overlap_by_more_than_all_and_another_formula_is_wrong():
    measures = BumpOverlap(phase=0.0).compute().measures
    assert max(measures[f"near_half_{short(width)}"] for width in WIDTHS) < 1
    assert measures["rise_beside"] == 0
    assert BumpOverlap(denominator=2.0).compute().measures["deviation_wide"] > 0.2


def test_shares_are_those_of_the_filled_places():
    """Places anew: the largest share of the first places of the order, joined within the reach."""
    from recombine.core.seeds import stream

    work = LatticePercolation(draws=1, seed=2)
    found = work.compute()
    sites = np.indices((SIDE, SIDE)).reshape(2, -1).T.astype(float)
    order = stream(2, "percolation").permutation(sites)
    for width, part in ((0.2, 0.6), (0.3, 0.2), (0.5, 0.1)):
        filled = order[: round(part * SIDE**2)]
        share = largest_share(filled, neighbours(width, 0.005).reach)
        assert found.measures[f"share_{short(width)}_{short(part)}"] == pytest.approx(share)


def test_draws_of_one_seed_are_not_those_of_another():
    one, other = (LatticePercolation(draws=1, seed=seed).compute() for seed in (0, 1))
    both = LatticePercolation(draws=2).compute()
    assert both.arrays["shares"] == pytest.approx((one.arrays["shares"] + other.arrays["shares"]) / 2, abs=1e-6)


def test_wider_bumps_hang_together_earlier_and_larger_thresholds_later():
    for seed in (0, 1):
        found = found_by("lattice-percolation", seed)
        measures = found.measures
        assert measures["critical_01"] == 1
        assert measures["share_01_10"] == pytest.approx(1 / SIDE**2)
        assert measures["critical_02"] == pytest.approx(0.593, abs=0.06)  # four neighbours: site percolation
        assert measures["critical_03"] == pytest.approx(0.18, abs=0.06)
        assert measures["width_gain"] > 0.01
        assert measures["delay_03"] > 0.03
        assert measures["delay_02"] == 0  # at both thresholds the four nearest
        assert measures["threshold_delay"] > 0.1
        assert (np.diff(found.arrays["critical"], axis=0) >= 0).all()
        assert found.arrays["shares"].shape == (3, len(PERCOLATING), len(FINE))
        for width in PERCOLATING[2:]:
            assert measures[f"share_{short(width)}_10"] == 1


def test_thresholds_in_falling_order_make_it_earlier_and_a_severe_one_keeps_all_apart():
    falling = LatticePercolation(draws=1, thresholds=(0.5, 0.05)).compute().measures
    assert falling["threshold_delay"] < 0
    apart = LatticePercolation(draws=1, thresholds=(0.999, 0.9999)).compute().measures
    assert [apart[f"critical_{short(width)}"] for width in PERCOLATING] == [1] * len(PERCOLATING)
    assert apart["width_gain"] == 0


def test_the_formula_joins_more_narrow_bumps_than_their_drawings():
    by_formula, by_pictures = (
        LatticePercolation(draws=1, joined=joined).compute() for joined in ("formula", "pictures")
    )
    assert by_formula.measures["critical_02"] == pytest.approx(0.407, abs=0.06)  # eight neighbours
    assert by_formula.measures["critical_02"] < by_pictures.measures["critical_02"]
    for width in (0.3, 0.5, 1.0):
        name = f"critical_{short(width)}"
        assert by_formula.measures[name] == by_pictures.measures[name]


def test_parts_of_the_lattice_are_among_those_that_are_looked_at():
    assert set(SHARES) <= set(FINE)
    assert (np.diff(np.rint(np.array(FINE) * SIDE**2)) > 0).all()


@pytest.mark.parametrize("settings", [{"thresholds": (0.005,)}, {"thresholds": (0.0, 0.5)}, {"draws": 0}])
def test_settings_without_a_meaning_are_refused(settings):
    with pytest.raises((InputError, ValidationError)):
        LatticePercolation(**settings)
