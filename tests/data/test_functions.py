"""Functions of several numbers against their formulas; cells that partition the box; draws that nest."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recombine.core.errors import InputError
from recombine.core.seeds import stream
from recombine.data import Problem, tasks
from recombine.data.functions import ASKED, sines
from recombine.splits import regions

KINDS = {
    "parallel": tasks.parallel(parts=3, levels=5),
    "hill": tasks.hill(levels=7, reach=1.5),
    "composed": tasks.composed(levels=6),
}
each_kind = pytest.mark.parametrize("task", KINDS.values(), ids=KINDS)
PARTED = Problem(
    tasks.parallel(parts=3, levels=4), regions.several(count=2, low=2), examples=100, centres="uniform"
)  # each input is seen in every cell, two upper ones never together


# Cells


@given(
    kind=st.sampled_from(["parallel", "hill", "composed"]),
    levels=st.integers(2, 30),
    reach=st.floats(0.01, 100),
    seed=st.integers(0, 1000),
)
@settings(deadline=None, max_examples=60)
def test_a_place_drawn_from_a_cell_lies_in_it_and_in_no_other(kind, levels, reach, seed):
    task = tasks.pick(kind)(levels=levels, reach=reach, **({"parts": 3} if kind == "parallel" else {}))
    rng = stream(seed, "places")
    rows = rng.integers(levels, size=(50, task.count))
    places = task.scatter(rows, rng)
    assert places.shape == rows.shape
    assert (np.abs(places - task.grid.values(rows)) <= task.width / 2 * (1 + 1e-9)).all()
    assert np.array_equal(task.cells(places), rows)


@given(levels=st.integers(1, 30), reach=st.floats(0.01, 100), share=st.lists(st.floats(-1, 1), min_size=2, max_size=2))
@settings(deadline=None, max_examples=60)
def test_every_place_of_the_box_has_one_cell_whose_middle_is_near(levels, reach, share):
    task = tasks.parallel(parts=2, levels=levels, reach=reach)
    place = reach * np.array([share])
    cell = task.cells(place)
    assert ((cell >= 0) & (cell < levels)).all()
    assert (np.abs(place - task.grid.values(cell)) <= task.width / 2 * (1 + 1e-9)).all()


def test_the_cells_fill_the_box_from_end_to_end():
    task = tasks.parallel(parts=2, levels=4, reach=2.0)
    assert task.width == 1.0
    assert task.grid.names == ("x1", "x2")
    assert task.grid.factors[0].levels == (-1.5, -0.5, 0.5, 1.5)
    edges = np.array(
        [[-2.0, 2.0], [-1.0, 0.0], [-1e-9, 1.0]]
    )  # a border belongs to the upper cell, the end to the last
    assert task.cells(edges).tolist() == [[0, 3], [1, 2], [1, 3]]


def test_places_fill_a_cell_evenly():
    """Uniform on a side of w: variance w² / 12, whose estimate has a standard error of w² / √180 / √n."""
    task = tasks.composed(levels=8)
    rows = np.tile([[2, 6]], (40_000, 1))
    off = task.scatter(rows, stream(0, "places")) - task.grid.values(rows)
    side = task.width
    assert np.abs(off.mean(axis=0)).max() < 5 * side / np.sqrt(12 * 40_000)
    assert np.abs(off.var(axis=0) - side**2 / 12).max() < 5 * side**2 / np.sqrt(180 * 40_000)


# What is asked


@each_kind
def test_every_cell_is_asked_about_equally_often_and_a_thousand_places_at_least(task):
    asked = task.asked(seed=4)
    assert task.asked_each == -(-ASKED // task.grid.size)
    assert len(asked) == task.asked_each * task.grid.size >= ASKED
    assert np.array_equal(
        task.grid.index(task.cells(asked.positions)), np.repeat(np.arange(task.grid.size), task.asked_each)
    )


def test_a_large_grid_is_asked_once_in_every_cell():
    assert tasks.parallel(parts=2, levels=40).asked_each == 1
    assert tasks.parallel(parts=1, levels=6).asked_each == 167


def test_what_is_asked_is_a_function_of_the_seed_and_is_not_what_was_shown():
    task = PARTED.task
    assert np.array_equal(task.asked(1).positions, task.asked(1).positions)
    assert not np.array_equal(task.asked(1).positions, task.asked(2).positions)
    shown = PARTED.training_set(1).positions
    assert not (task.asked(1).positions[:, None] == shown[None]).all(axis=2).any()


# The functions


def test_parallel_functions_are_sines_of_an_input_each():
    task, points = tasks.parallel(parts=3, frequencies=(0.5, 3.0)), stream(0, "points").uniform(-2, 2, size=(20, 3))
    height, frequency, phase = sines(3, (0.5, 3.0), 5)
    found = task.at(points, seed=5)
    expected = [[height[k] * np.sin(frequency[k] * row[k] + phase[k]) for k in range(3)] for row in points]
    assert found.targets.shape == (20, 1, 3)
    assert found.targets[:, 0] == pytest.approx(np.array(expected), abs=1e-6)
    assert np.array_equal(found.positions, points)
    assert found.codes == pytest.approx(points, abs=1e-6)
    assert found.codes.dtype == found.targets.dtype == np.float32


def test_an_identity_gives_back_its_inputs():
    points = stream(0, "points").uniform(-2, 2, size=(7, 4))
    assert tasks.parallel(functions="identity").at(points).targets[:, 0] == pytest.approx(points, abs=1e-6)


def test_an_output_depends_on_its_own_input_alone():
    task = tasks.parallel(parts=4)
    assert np.array_equal(task.modules_out, np.arange(4))
    for moved in range(4):
        here, there = np.zeros((1, 4)), np.zeros((1, 4))
        there[0, moved] = 1.0
        changed = task.at(here).targets[0, 0] != task.at(there).targets[0, 0]
        assert np.array_equal(changed, np.arange(4) == moved)


@pytest.mark.parametrize("sigma", [0.2, 0.5, 3.0])
def test_a_hill_is_its_formula_whatever_the_seed(sigma):
    task, points = tasks.hill(sigma=sigma), stream(1, "points").uniform(-1, 1, size=(15, 2))
    expected = [np.exp(-(x**2 + y**2) / (2 * sigma**2)) for x, y in points]
    for seed in (0, 3):
        assert task.at(points, seed).targets[:, 0, 0] == pytest.approx(np.array(expected), abs=1e-6)


def test_a_composed_function_is_a_sine_of_a_sum_of_sines():
    task, points = tasks.composed(), stream(2, "points").uniform(-1, 1, size=(15, 2))
    (a, b, c), (u, v, w), (p, q, r) = sines(3, (0.8, 3.6), 6)
    expected = [c * np.sin(w * (a * np.sin(u * x + p) + b * np.sin(v * y + q)) + r) for x, y in points]
    assert task.at(points, seed=6).targets[:, 0, 0] == pytest.approx(np.array(expected), abs=1e-6)
    assert np.array_equal(task.modules_out, [0])


@given(count=st.integers(1, 16), draw=st.integers(0, 100), low=st.floats(0, 2), span=st.floats(0, 3))
@settings(deadline=None, max_examples=40)
def test_sines_lie_in_their_ranges_and_more_of_them_begin_with_the_same_ones(count, draw, low, span):
    height, frequency, phase = found = sines(count, (low, low + span), draw)
    assert ((height >= 0.7) & (height <= 1)).all()
    assert ((frequency >= low) & (frequency <= low + span)).all()
    assert ((phase >= 0) & (phase <= 2 * np.pi)).all()
    for fewer, all_of_them in zip(found, sines(count + 3, (low, low + span), draw), strict=True):
        assert np.array_equal(fewer, all_of_them[:count])


def test_sines_fill_their_ranges_evenly():
    """Uniform on [low, high]: mean in the middle, variance (high − low)² / 12."""
    many = 20_000
    for found, (low, high) in zip(sines(many, (0.4, 1.8), 0), [(0.7, 1.0), (0.4, 1.8), (0, 2 * np.pi)], strict=True):
        side = high - low
        assert found.mean() == pytest.approx((low + high) / 2, abs=5 * side / np.sqrt(12 * many))
        assert found.var() == pytest.approx(side**2 / 12, abs=5 * side**2 / np.sqrt(180 * many))


def test_a_task_of_more_parts_begins_with_the_same_functions():
    points = stream(0, "points").uniform(-2, 2, size=(9, 5))
    few, many = tasks.parallel(parts=2).at(points[:, :2], 3), tasks.parallel(parts=5).at(points, 3)
    assert np.array_equal(few.targets[:, 0], many.targets[:, 0, :2])


@pytest.mark.parametrize("kind", ["parallel", "composed"])
def test_seeds_have_functions_of_their_own_unless_one_is_named(kind):
    free, named = tasks.pick(kind)(), tasks.pick(kind)(draw=7)
    points = np.zeros((1, free.count))
    assert not np.array_equal(free.at(points, 0).targets, free.at(points, 1).targets)
    assert np.array_equal(named.at(points, 0).targets, named.at(points, 1).targets)
    assert np.array_equal(named.at(points, 0).targets, free.at(points, 7).targets)


# Inputs


def test_sparse_inputs_have_one_that_is_not_zero_and_each_has_its_turn():
    task = tasks.parallel(parts=3, levels=4, inputs="sparse")
    places = task.asked(0).positions
    assert ((places != 0).sum(axis=1) == 1).all()
    turns = (places != 0).mean(axis=0)
    assert np.abs(turns - 1 / 3).max() < 5 * np.sqrt(2 / 9 / len(places))
    dense = tasks.parallel(parts=3, levels=4).asked(0).positions
    assert np.array_equal(places[places != 0], dense[places != 0])


def test_outside_the_disc_a_hill_has_no_cells():
    task = tasks.hill(levels=4, reach=1.0)  # middles at ±0.25 and ±0.75: only the four corners lie outside
    corners = np.zeros((4, 4), dtype=bool)
    corners[np.ix_([0, 3], [0, 3])] = True
    assert np.array_equal(task.outside.reshape(4, 4), corners)
    assert not tasks.composed(levels=4).outside.any()


@pytest.mark.parametrize("levels", [20, 60])
def test_the_cells_of_a_hill_cover_the_disc(levels):
    """π/4 of the square, up to the cells that the circle cuts."""
    inside = 1 - tasks.hill(levels=levels, reach=3.0).outside.mean()
    assert inside == pytest.approx(np.pi / 4, abs=2 / levels)


def test_what_lies_outside_the_disc_is_neither_shown_nor_held_out():
    problem = Problem(tasks.hill(levels=6), regions.block(x1=(0, 3), x2=(3, 6)), examples=300, centres="uniform")
    cells = problem.grid.index(problem.task.cells(problem.training_set(0).positions))
    assert problem.task.outside.sum() == 4
    assert not (problem.task.outside & (problem.parts.train | problem.parts.held_out)).any()
    assert not problem.task.outside[cells].any()


@pytest.mark.parametrize(
    ("settings_", "units"),
    [
        ({"encoding": "ramp"}, 1),
        ({"encoding": {"kind": "ramp", "presence": True}}, 2),
        ({"encoding": {"kind": "bump", "sigma": 0.4}}, 7),
        ({"encoding": {"kind": "sinusoidal", "pairs": 5}}, 10),
    ],
)
def test_units_of_the_code_belong_to_the_input_that_moves_them(settings_, units):
    task = tasks.parallel(parts=3, levels=7, **settings_)
    assert np.array_equal(task.modules_in, np.repeat([0, 1, 2], units))
    still = task.code(np.zeros((1, 3)))
    for part in range(3):
        moved = np.zeros((1, 3))
        moved[0, part] = 0.7
        changed = (task.code(moved) != still)[0]
        assert changed.any()
        assert not changed[task.modules_in != part].any()


def test_a_bump_code_is_a_gaussian_around_every_middle():
    task = tasks.parallel(parts=2, levels=5, encoding={"kind": "bump", "sigma": 0.6})
    middles = task.grid.factors[0].levels
    (code,) = task.code(np.array([[0.3, -1.1]]))
    expected = [np.exp(-((x - m) ** 2) / (2 * 0.6**2)) for x in (0.3, -1.1) for m in middles]
    assert code == pytest.approx(np.array(expected), abs=1e-6)


# As part of a problem


@given(few=st.integers(1, 60), more=st.integers(0, 60), seed=st.integers(0, 5))
@settings(deadline=None, max_examples=30)
def test_more_examples_begin_with_the_fewer(few, more, seed):
    task, region = PARTED.task, PARTED.split
    small, large = (
        Problem(task, region, examples=count, centres="uniform").training_set(seed) for count in (few, few + more)
    )
    assert len(small) == few
    for name in ("positions", "codes", "targets"):
        assert np.array_equal(getattr(small, name), getattr(large, name)[:few])


@pytest.mark.parametrize("seed", [0, 1])
def test_no_example_lies_in_a_held_out_cell(seed):
    cells = PARTED.grid.index(PARTED.task.cells(PARTED.training_set(seed).positions))
    assert PARTED.parts.train[cells].all()
    assert np.array_equal(np.flatnonzero(PARTED.shown(seed)), np.unique(cells))
    upper = PARTED.task.cells(PARTED.training_set(seed).positions) >= 2
    assert upper.any(axis=0).all()
    assert (upper.sum(axis=1) <= 1).all()


def test_on_the_grid_the_middles_are_shown():
    problem = Problem(tasks.parallel(parts=2, levels=4), regions.several(count=2, low=2))
    shown = problem.training_set(0)
    assert len(shown) == 12
    assert np.array_equal(shown.positions, problem.grid.values(problem.grid.combinations()[problem.parts.train]))


# Refusals


def test_an_input_cannot_be_shown_alone():
    problem = Problem(tasks.parallel(parts=2, levels=4), regions.several(count=2, low=2), isolated=("x1",))
    with pytest.raises(InputError, match="task 'parallel' needs all of its inputs at once; leave out `isolated`"):
        problem.training_set(0)


@pytest.mark.parametrize(
    ("kind", "settings_", "says"),
    [
        ("parallel", {"parts": 8}, "levels = 6 of 8 inputs make 1679616 cells, more than 100000; use fewer levels"),
        ("parallel", {"levels": 400, "parts": 2}, "levels = 400 of 2 inputs make 160000 cells"),
        ("parallel", {"parts": 0}, "parts = 0: .* greater than or equal to 1"),
        ("parallel", {"reach": 0.0}, "reach = 0.0: .* greater than 0"),
        ("parallel", {"functions": "cosine"}, "functions = 'cosine'"),
        ("parallel", {"encoding": "bumb"}, "did you mean 'bump'"),
        ("hill", {"sigma": -1.0}, "sigma = -1.0: .* greater than 0"),
        ("hill", {"levels": 1}, "levels = 1: .* greater than or equal to 2"),
        ("composed", {"frequency": (1.0, 2.0)}, "did you mean 'frequencies'"),
        ("composed", {"draw": -1}, "draw = -1"),
    ],
)
def test_nonsense_is_refused_when_built(kind, settings_, says):
    with pytest.raises(InputError, match=says):
        tasks.pick(kind)(**settings_)


def test_a_code_for_levels_only_has_none_for_places_between():
    with pytest.raises(InputError, match=re.escape("one-hot codes have no unit for position")):
        tasks.parallel(parts=2, encoding="one-hot").asked(0)


def test_sparse_sets_are_nested_and_hold_nothing_out():
    task = tasks.parallel(parts=3, levels=4, inputs="sparse")
    region = regions.several(count=2, low=2)
    few, many = (
        Problem(task, region, examples=count, centres="uniform", reveal=True).training_set(3) for count in (20, 50)
    )
    assert np.array_equal(few.codes, many.codes[:20])
    with pytest.raises(InputError, match="leave their cells, so nothing can be held out; set reveal = true"):
        Problem(task, region, examples=20, centres="uniform")
