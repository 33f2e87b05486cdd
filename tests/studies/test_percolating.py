"""Percolation beside the forecast of pictures: what it says of a training set, and that it decides nothing."""

import json
import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from recombine.data import Problem, tasks
from recombine.records import Store
from recombine.splits import regions
from recombine.studies import percolating
from recombine.studies.forecasting import forecast, record_forecast
from recombine.studies.kernel_forecasting import check_forecast_size, forecast_pictures
from recombine.studies.percolating import (
    ALWAYS,
    NEVER,
    PLANE,
    Canvas,
    percolation,
    percolation_reason,
    takeover,
    with_percolation,
)
from recombine.theory import clusters, critical, curve, largest_share, overlap, reach, tangent_kernels

HOLE = regions.block(y=(3, 7), x=(4, 9))
SMALL = Problem(tasks.bump(n=(10, 12)), HOLE)


def at(problem, threshold=0.005, seed=0):
    (found,) = [part for part in percolation(problem, seed)["thresholds"] if part["threshold"] == threshold]
    return found


def test_sums_of_stripes_overlap_everywhere_so_that_it_is_left_out():
    """By the same definition, two drawn sums at (3, 3) and (12, 12), 12.7 pixels apart."""
    problem = Problem(tasks.sum_of_stripes(n=16, sigma=1.0, stripe_ink=0.5), HOLE)
    a, b = problem.task.pictures(np.array([[3.0, 3.0], [12.0, 12.0]])).astype(float)
    drawn = math.sqrt((a * b).sum() / (a * a).sum())
    assert drawn > 0.4 > 1e-6 > overlap(math.hypot(9, 9), 1.0, 2)
    assert percolation(problem) is None
    plain, found = forecast_pictures(problem, tangent_kernels()), forecast(problem)
    (*others, reason) = found.reasons
    assert tuple(others) == plain.reasons
    assert reason.name == "percolation"
    assert "overlap however far apart their centres lie" in reason.text
    assert "percolation" not in found.details
    assert found.verdict == plain.verdict


@pytest.mark.parametrize("task", [tasks.bump(n=(10, 12)), tasks.torus(n=12)])
def test_a_forecast_of_pictures_has_the_reason_and_is_otherwise_the_same(task):
    problem = Problem(task, HOLE)
    plain, found = forecast_pictures(problem, tangent_kernels()), forecast(problem)
    assert [reason.name for reason in found.reasons] == [*(reason.name for reason in plain.reasons), "percolation"]
    assert replace(found, reasons=plain.reasons, details=plain.details) == plain
    assert np.array_equal(found.outputs, plain.outputs)
    assert found.details == {"percolation": percolation(problem)}
    told = found.to_dict()
    assert json.loads(json.dumps(told, allow_nan=False)) == told


def test_bumps_that_are_read_hang_together_as_those_that_are_drawn():
    read, drawn = Problem(tasks.locate(n=12), HOLE), Problem(tasks.bump(n=12), HOLE)
    assert forecast(read).details["percolation"] == percolation(drawn)


def test_a_turned_picture_lies_nowhere_so_that_there_is_no_such_reason():
    turned = Problem(tasks.rotated_digit(pictures="digits", angles=12), regions.block(angle=(4, 7)))
    assert "percolation" not in {reason.name for reason in forecast(turned).reasons}


def test_why_it_is_left_out_is_said_of_functions_and_of_lone_stripes():
    found = forecast(Problem(tasks.hill(), regions.random(fraction=0.3)))
    assert found.reasons[-1].text == (
        "Inputs of hill are numbers and no pictures that overlap where they are near: percolation is left out."
    )
    assert "percolation" not in found.details


def test_the_overlap_at_the_reach_of_a_task_is_the_threshold_in_its_own_pictures():
    """A task's width is in exp(−r²/(2σ²)), so that the paper's factor of 4 would give too long a reach."""
    problem = Problem(tasks.bump(n=48, sigma=2.0, dark=False), regions.block(y=(3, 7), x=(4, 9)))
    for part in percolation(problem)["thresholds"]:
        a, b = problem.task.pictures(np.array([[24.0, 15.0], [24.0, 15.0 + part["reach"]]])).astype(float)
        assert math.sqrt((a * b).sum() / (a * a).sum()) == pytest.approx(part["threshold"], rel=1e-3)
        assert overlap(part["reach"], 2.0, 2) == pytest.approx(part["threshold"])


def test_it_counts_the_examples_with_both_factors_alone():
    problem = Problem(tasks.bump(n=(10, 12), margin=1, step=0.5), HOLE, isolated=("x",), examples=31)
    found = percolation(problem, seed=3)
    assert len(problem.training_set(3)) == 31 + 28
    assert found["examples"] == 31
    assert found["density"] == pytest.approx(31 / (12 * 14))
    assert percolation(Problem(SMALL.task, HOLE, isolated=("y", "x"), examples=0)) is None


@pytest.mark.parametrize("rim", [False, True])
def test_factors_that_lie_beyond_the_border_are_left_out_like_absent_ones(rim):
    task = tasks.bump(n=(10, 12), sigma=0.7, pad=4)
    plain = Problem(task, HOLE, spacing=0.5)
    told = Problem(task, HOLE, spacing=0.5, isolated=("y", "x"), rim=rim)
    assert len(told.training_set()) > len(plain.training_set()) == 381  # 400 in the cells, 19 on the border of the hole
    assert percolation(told) == percolation(plain)
    assert percolation(plain)["examples"] == 381
    assert percolation(plain)["density"] == pytest.approx(381 / 120)


def test_the_lattice_of_centres_is_as_fine_as_what_is_shown():
    """Half a pixel apart bumps overlap that whole pixels keep apart."""
    narrow = tasks.bump(n=10, sigma=0.12)
    coarse, fine = (Problem(narrow, HOLE, spacing=spacing) for spacing in (1.0, 0.5))
    assert 0.5 < at(coarse)["reach"] < 1
    assert (at(coarse)["random"], at(coarse)["largest_share"]) == (NEVER, pytest.approx(1 / 80))
    assert (at(fine)["critical"] is not None, at(fine)["largest_share"]) == (True, 1)


@pytest.mark.parametrize("kind", ["bump", "torus"])
def test_every_drawn_centre_counts(kind):
    for settings in ({"examples": 300, "centres": "uniform"}, {"spacing": 0.25}, {}):
        problem = Problem(tasks[kind](n=(10, 12), step=0.5), HOLE, **settings)
        assert percolation(problem)["examples"] == len(problem.training_set())


@pytest.mark.parametrize(
    ("task", "settings"),
    [
        ({}, {"spacing": 0.5}),
        ({}, {"spacing": 0.5, "examples": 50}),
        ({"step": 0.5}, {"spacing": 0.25, "isolated": ("x",)}),
        ({"sigma": 0.7, "pad": 4}, {"isolated": ("y", "x")}),
        ({"sigma": 0.7, "pad": 4}, {"isolated": ("y", "x"), "rim": True, "spacing": 0.5}),
    ],
)
def test_the_size_of_a_forecast_counts_centres_between_levels_and_beyond_the_border(task, settings, monkeypatch):
    problem, counted = Problem(tasks.bump(n=(10, 12), **task), HOLE, **settings), []
    monkeypatch.setattr("recombine.studies.kernel_forecasting.check_size", lambda *sizes: counted.append(sizes))
    check_forecast_size(problem)
    assert counted == [(problem.grid.size, len(problem.training_set()), 120)]


def test_a_training_set_of_lone_stripes_has_no_centres_and_says_so():
    stripes = Problem(SMALL.task, HOLE, isolated=("y", "x"), examples=0)
    found = forecast_pictures(stripes, tangent_kernels())
    told = with_percolation(found, stripes)
    assert told.reasons[-1].text.startswith("No example shows both factors, so that there are no centres to join")
    assert replace(told, reasons=found.reasons) == found


@pytest.mark.parametrize("kind", ["bump", "torus"])
@pytest.mark.parametrize("centres", ["grid", "uniform"])
def test_shares_are_those_of_the_drawn_centres_and_of_the_places_near_them(kind, centres):
    task = tasks[kind](n=(14, 11), sigma=0.4)
    problem = Problem(task, regions.block(y=(3, 9), x=(4, 10)), examples=40, centres=centres)
    points = problem.training_set(5).positions
    sides = np.array([14.0, 11.0]) if kind == "torus" else None
    part = at(problem, 0.05, seed=5)
    assert part["reach"] == reach(0.05, 0.4, 2)
    assert part["largest_share"] == largest_share(points, part["reach"], sides)
    labels = clusters(points, part["reach"], sides)
    members = points[labels == np.bincount(labels).argmax()]
    apart = np.abs(problem.grid.values(problem.grid.combinations())[:, None] - members)
    if sides is not None:
        apart = np.minimum(apart % sides, sides - apart % sides)
    near = (np.square(apart).sum(axis=2) < part["reach"] ** 2).any(axis=1)
    assert part["within_reach"] == {name: near[mask].mean() for name, mask in problem.parts.sections.items()}
    assert 0 < part["within_reach"]["ood"] < 1  # or there was nothing to tell


def test_the_largest_cluster_of_a_torus_goes_round_its_edge():
    """Two bands are held out: on the plane the rest is four pieces, on the torus one."""
    cross = regions.cross(y=(4, 8), x=(4, 8))
    plane, ring = (
        Problem(task(n=12, sigma=0.5), cross, isolated=("y", "x")) for task in (tasks.bump, tasks.torus)
    )  # the reach is less than the width of a band
    assert at(plane)["reach"] < 5
    assert at(plane)["largest_share"] == pytest.approx(1 / 4)
    assert at(ring)["largest_share"] == 1


def test_no_place_is_within_reach_of_bumps_that_are_smaller_than_a_pixel():
    narrow = Problem(tasks.bump(n=10, sigma=0.1), HOLE)
    part = at(narrow)
    assert part["largest_share"] == pytest.approx(1 / 80)
    assert part["within_reach"]["ood"] == 0
    assert (part["critical"], part["low"], part["high"], part["random"]) == (None, None, None, NEVER)
    text = percolation_reason(percolation(narrow)).text
    assert "they do not hang together (1.2% in the largest cluster)" in text
    assert "no held-out centre is within reach" in text
    assert "centres drawn at random would mostly do so at no density" in text


def test_bumps_wider_than_the_canvas_hang_together_from_the_first_few_on():
    wide = Problem(tasks.bump(n=10, sigma=20.0), HOLE)
    assert (at(wide)["largest_share"], at(wide)["critical"], at(wide)["random"]) == (1, None, ALWAYS)
    text = percolation_reason(percolation(wide)).text
    assert "they all hang together" in text
    assert "all held-out centres are within reach" in text
    assert (
        "canvas is too small beside the pictures for a critical density: centres drawn at random would mostly" in text
    )


@pytest.mark.parametrize("sigma", [0.5, 0.7, 1.0, 1.41, 2.0, 3.0])
@pytest.mark.parametrize("n", [8, 16, 32])
@pytest.mark.parametrize("centres", ["grid", "uniform"])
def test_a_critical_density_has_an_interval_and_more_centres_than_hang_together_by_chance(n, sigma, centres):
    problem = Problem(tasks.bump(n=n, sigma=sigma), regions.block(y=(2, 4), x=(2, 4)), examples=20, centres=centres)
    for part in percolation(problem)["thresholds"]:
        if part["critical"] is None:
            assert (part["low"], part["high"], part["random"]) == (None, None, ALWAYS)
        else:
            assert PLANE * (n / part["reach"]) ** 2 > percolating.FIRST
            assert part["low"] < part["critical"] < part["high"]
            assert part["critical"] * n**2 > percolating.FIRST
    assert percolation_reason(percolation(problem)).text.count(" to ") == sum(
        part["critical"] is not None for part in percolation(problem)["thresholds"]
    )


def test_words_and_evidence_are_those_of_the_numbers():
    found = percolation(Problem(tasks.torus(n=20, sigma=0.4), HOLE, examples=150))
    reason = percolation_reason(found)
    first, second = found["thresholds"]
    assert (first["threshold"], second["threshold"]) == (0.005, 0.05)
    assert reason.evidence["largest_share"] == [first["largest_share"], second["largest_share"]]
    assert reason.evidence["within_reach"] == [first["within_reach"]["ood"], second["within_reach"]["ood"]]
    assert f"{first['critical']:.3g} per pixel ({first['low']:.3g} to {first['high']:.3g})" in reason.text
    assert f"nearer than {second['reach']:.3g} pixels" in reason.text
    assert "\n" not in reason.text
    assert reason.text.endswith(".")


@pytest.mark.parametrize(("spacing", "periodic"), list(product([None, 1.0, 0.5], [False, True])))
def test_on_a_square_the_critical_density_is_that_of_the_theory(spacing, periodic, monkeypatch):
    kept = []
    monkeypatch.setattr(percolating, "critical", lambda found: kept.append(found) or critical(found))
    canvas = Canvas((12.0, 12.0), spacing, periodic)
    found = takeover.__wrapped__(canvas, 1.7)
    (drawn,) = kept
    theirs = curve(drawn.densities, 12, 1.7, seeds=range(percolating.DRAWS), periodic=periodic, spacing=spacing)
    assert np.allclose(drawn.shares, theirs.shares)
    assert found == critical(theirs)
    assert found.low < found.density < found.high


@pytest.mark.parametrize("sides", [(8.0, 8.0), (12.0, 16.0), (5.0, 40.0)])
@pytest.mark.parametrize("periodic", [False, True])
def test_the_numbers_of_centres_that_are_looked_at_hold_the_crossing(sides, periodic):
    """Nothing hangs together at most a step apart; a few centres may; else the crossing is found."""
    for spacing, radius in product((1.0, 0.5), (0.5, 0.8, 1.01, 1.42, 2.2, 5.0, 20.0)):
        found = takeover(Canvas(sides, spacing, periodic), radius)
        expected = PLANE * math.prod(sides) / radius**2
        assert (found.density == math.inf) == (radius <= spacing)
        if found.density == -math.inf:
            assert expected < 3 * percolating.FIRST
        elif found.density < math.inf:
            assert 0.2 < found.density * math.prod(sides) / expected < 2


def test_a_large_torus_comes_near_the_plane():
    found = takeover(Canvas((90.0, 60.0), None, True), 2.0)
    assert found.density * 2.0**2 == pytest.approx(PLANE, rel=0.15)


@pytest.mark.parametrize(("spacing", "periodic"), list(product([None, 1.0, 0.5], [False, True])))
@pytest.mark.parametrize("radius", [1.5, 3.1, 6.2])
def test_on_a_strip_centres_hang_together_at_last(spacing, periodic, radius):
    found = takeover(Canvas((1.0, 100.0), spacing, periodic), radius)
    assert math.isfinite(found.low)
    assert found.density < found.high < math.inf


def test_a_canvas_of_two_places_has_half_of_them_together_from_the_first_few_on():
    assert takeover(Canvas((2.0, 4.0), 2.0, False), 0.1) is None
    assert takeover(Canvas((2.0, 6.0), 2.0, False), 0.1).density == math.inf
    assert percolating._critical_numbers(None)["random"] == ALWAYS


def test_a_forecast_that_was_written_down_stands(tmp_path):
    store, digest = Store(tmp_path), SMALL.digest()
    earlier = {"problem": SMALL.settings(), **forecast_pictures(SMALL, tangent_kernels()).to_dict()}
    store.commit_forecast(digest, earlier)
    record_forecast(SMALL, store)
    kept = Store(tmp_path).forecast(digest)
    assert kept["reasons"] == earlier["reasons"]
    assert "details" not in kept
