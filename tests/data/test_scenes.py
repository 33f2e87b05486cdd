"""Scenes of sprites: what a model is given and must draw, and problems whose training set a support draws."""

import json

import numpy as np
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from recombine.core.compositions import compositions
from recombine.core.errors import InputError
from recombine.core.seeds import stream
from recombine.data import Problem, tasks
from recombine.data import drawn as drawn_pictures
from recombine.data.drawn import Drawn
from recombine.data.sprite_rendering import Canvas, colour, cover
from recombine.data.sprite_shapes import LATENTS, physical
from recombine.splits import regions, supports
from recombine.splits.designs import GAP, A, M, O, Plane

INPUTS = ["physical", "unit", "fourier"]
UNITS = {"physical": 5, "unit": 5, "fourier": 35}  # of one sprite
KINDS = ["addition", "hard", "soft", "over"]


def some_positions(items=7, count=2, *purpose):
    return stream(count, "scenes", *purpose).random((items, 5 * count))


def task(**given):
    return tasks.sprites(**{"size": 8, "tests": 6, **given})


def problem(support="planes", examples=10, **given):
    return Problem(task(**given), support=supports.parse(support), examples=examples)


# Codes


@pytest.mark.parametrize("inputs", INPUTS)
@pytest.mark.parametrize("count", [1, 2, 3])
def test_codes_of_sprites_follow_one_another(inputs, count):
    made = task(inputs=inputs, count=count)
    positions = some_positions(7, count)
    code = made.code(positions)
    assert code.shape == (7, count * UNITS[inputs])
    assert code.dtype == np.float32
    alone = task(inputs=inputs, count=1)
    for slot, part in enumerate(np.split(code, count, axis=1)):
        assert np.array_equal(part, alone.code(positions[:, 5 * slot : 5 * slot + 5]))


def test_physical_inputs_are_what_the_latents_stand_for():
    made = task(inputs="physical", scales=(0.09, 0.22))
    positions = some_positions()
    expected = physical(positions.reshape(7, 2, 5), (0.09, 0.22)).reshape(7, 10)
    assert made.code(positions) == pytest.approx(expected, rel=1e-6)


def test_unit_inputs_run_from_minus_one_to_one_and_a_shape_is_one_of_three():
    positions = np.array([[0.0] * 5, [1.0] * 5, [0.5] * 5, [0.1, 0.9, 0.3, 0.25, 0.6], [0.1, 0.9, 0.2, 0.25, 0.6]])
    expected = [[-1.0] * 5, [1.0] * 5, [0.0] * 5, [-0.8, 0.8, 0.0, -0.5, 0.2], [-0.8, 0.8, -1.0, -0.5, 0.2]]
    assert task(inputs="unit", count=1).code(positions) == pytest.approx(np.array(expected), abs=1e-6)


def test_fourier_inputs_are_the_unit_ones_with_their_sines_and_cosines():
    positions = some_positions()
    unit = task(inputs="unit").code(positions).reshape(7, 2, 5)
    code = task(inputs="fourier").code(positions).reshape(7, 2, 7, 5)
    angles = [np.pi / 2 * unit, np.pi * unit, 3 * np.pi / 2 * unit]
    expected = [unit, *map(np.sin, angles), *map(np.cos, angles)]
    for block, each in enumerate(expected):
        assert code[:, :, block] == pytest.approx(each, abs=1e-6)


@pytest.mark.parametrize("inputs", INPUTS)
def test_a_code_tells_the_shape_and_not_where_in_its_range_the_latent_is(inputs):
    made = task(inputs=inputs, count=1)
    positions = np.tile(some_positions(1, 1), (4, 1))
    positions[:, 2] = [0.25, 0.74, 0.75, 1.0]
    first, same, other, also = made.code(positions)
    assert np.array_equal(first, same)
    assert np.array_equal(other, also)
    assert not np.array_equal(first, other)


@pytest.mark.parametrize("inputs", ["unit", "fourier"])
def test_places_are_the_units_that_x_and_y_decide_and_no_others(inputs):
    made = task(inputs=inputs, count=1)
    place = list(made.place)
    rest = [unit for unit in range(UNITS[inputs]) if unit not in place]
    first, second = np.split(some_positions(2, 1, "place"), 2)
    second[:, 2] = 1 - first[:, 2]
    moved, changed = first.copy(), first.copy()
    moved[:, :2], changed[:, 2:] = second[:, :2], second[:, 2:]
    code, by_place, by_rest = (made.code(each)[0] for each in (first, moved, changed))
    assert np.array_equal(code[rest], by_place[rest])
    assert np.array_equal(code[place], by_rest[place])
    assert code[place[:2]] == pytest.approx(2 * first[0, :2] - 1, abs=1e-6)  # right and up come first
    assert not np.array_equal(code[place], by_place[place])


def test_physical_inputs_tell_no_place():
    assert task(inputs="physical").place == ()


# Pictures


@pytest.mark.parametrize("raster", ["soft", "hard"])
@pytest.mark.parametrize("count", [1, 2, 3])
def test_over_is_drawn_as_its_formula_says(count, raster):
    """From covers and colours alone, front to back."""
    made = task(count=count, raster=raster, size=9)
    positions = some_positions(6, count)
    through, expected = np.ones((6, 9, 9, 1)), np.zeros((6, 9, 9, 3))
    for latents in np.split(positions, count, axis=1):
        covered = cover(latents, Canvas(9, made.scales, raster))[..., None]
        expected += through * covered * colour(latents)[:, None, None]
        through *= 1 - covered
    drawn = made.draw(positions)
    assert drawn.shape == (6, 9, 27)
    assert drawn.reshape(6, 9, 9, 3) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_picture_is_its_components_joined(kind, count):
    made = task(composition=kind, count=count)
    positions = some_positions(5, count)
    parts = made.components(positions, made.composition)
    assert parts.shape == (count, 5, 8, 8, made.composition.channels)
    assert np.array_equal(made.draw(positions).reshape(5, 8, 8, 3), made.composition.join(list(parts)))
    for slot in range(count):
        assert np.array_equal(parts[slot], made.component(positions[:, 5 * slot : 5 * slot + 5], made.composition))


@pytest.mark.parametrize("kind", KINDS)
def test_components_are_written_as_the_composition_that_is_given_takes_them(kind):
    """A model may compose in another way than the data do."""
    positions, asked = some_positions(), compositions[kind]()
    assert np.array_equal(task().components(positions, asked), task(composition=kind).components(positions, asked))


def test_examples_hold_positions_codes_and_pictures():
    made, positions = task(), some_positions()
    examples = made.at(positions)
    assert np.array_equal(examples.positions, positions)
    assert np.array_equal(examples.codes, made.code(positions))
    assert np.array_equal(examples.targets, made.draw(positions))
    assert examples.targets.dtype == np.float32
    assert isinstance(examples.pictures, np.ndarray)
    assert np.array_equal(made.scenes(positions)[:, 1], positions[:, 5:])


def test_many_pictures_are_drawn_when_they_are_needed(monkeypatch):
    made, positions = task(), some_positions()
    held = made.at(positions)
    size = 7 * 8 * 24 * 4
    for most, drawn in ((size, False), (size - 1, True)):
        monkeypatch.setattr(drawn_pictures, "HELD_BYTES", most)
        examples = made.at(positions)
        assert isinstance(examples.pictures, Drawn) == drawn
        assert np.array_equal(examples.targets, held.targets)
        assert np.array_equal(examples.pictures[np.array([5, 0, 5])], held.targets[[5, 0, 5]])


def test_sprites_at_one_place_overlap_where_they_are_and_sprites_far_apart_nowhere():
    made = task(size=16)
    near = np.tile([0.4, 0.6, 0.5, 1.0, 0.3], (1, 2))
    far = np.array([[0.0, 0.0, 0.5, 0.0, 0.3, 1.0, 1.0, 0.5, 0.0, 0.3]])
    assert np.array_equal(made.overlap(near)[0], cover(near[:, :5], made.canvas)[0] > 0)
    assert made.overlap(near).any()
    assert not made.overlap(far).any()


def test_any_two_of_three_sprites_overlap():
    made = task(count=3)
    positions = some_positions(40, 3)
    pairs = [(0, 1), (0, 2), (1, 2)]
    two = task(count=2)
    parts = np.split(positions, 3, axis=1)
    some = [two.overlap(np.concatenate([parts[first], parts[second]], axis=1)) for first, second in pairs]
    assert np.array_equal(made.overlap(positions), np.any(some, axis=0))
    assert all(each.any() for each in some)


def test_one_sprite_overlaps_with_nothing():
    assert not task(count=1).overlap(some_positions(5, 1)).any()


@given(given=st.lists(st.floats(0, 1), min_size=10, max_size=10))
@settings(deadline=None, max_examples=30)
def test_where_nothing_overlaps_all_compositions_but_soft_draw_the_same(given):
    """A hard edge leaves no pixel half covered, so only pixels with two sprites can tell compositions apart."""
    positions = np.array([given])
    drawn = {kind: task(composition=kind, raster="hard").draw(positions).reshape(8, 8, 3) for kind in KINDS}
    apart = ~task(raster="hard").overlap(positions)[0]
    for kind in ("hard", "over"):
        assert drawn[kind][apart] == pytest.approx(drawn["addition"][apart], abs=1e-6)
    assert np.array_equal(drawn["hard"], drawn["over"])


def test_the_grid_holds_the_shapes():
    grid = task(count=3).grid
    assert grid.names == ("shape1", "shape2", "shape3")
    assert grid.shape == (3, 3, 3)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"scales": (0.4, 0.2)}, r"scales = \(0.4, 0.2\) must be two rising shares"),
        ({"scales": (0.0, 0.2)}, "above 0 and at most 1"),
        ({"scales": (0.5, 1.1)}, "above 0 and at most 1"),
        ({"composition": "learned"}, "'learned' has no formula, so it draws nothing; use addition, hard, soft or over"),
        ({"composition": "sotf"}, "did you mean 'soft'"),
        ({"count": 0}, "count = 0"),
        ({"count": 9}, "count = 9"),
        ({"size": 3}, "size = 3"),
        ({"tests": 1}, "tests = 1"),
        ({"raster": "sharp"}, "raster = 'sharp'"),
        ({"inputs": "pixels"}, "inputs = 'pixels'"),
    ],
)
def test_nonsense_is_refused_in_one_sentence(given, says):
    with pytest.raises(InputError, match=says) as refused:
        tasks.sprites(**given)
    assert str(refused.value).count("\n") == 0


def test_what_sprites_cannot_do_is_refused():
    with pytest.raises(InputError, match="no levels to combine; give it a support"):
        task().examples(np.zeros((1, 2), dtype=int), 0)
    positions = some_positions()
    positions[2, 3] = np.nan
    with pytest.raises(InputError, match="needs all of its latents at once; leave out `isolated`"):
        task().at(positions)
    with pytest.raises(InputError, match=r"a unit latent of 1\.5 must lie from 0 to 1"):
        task().at(np.full((1, 10), 1.5))


# Problems with a support


def test_a_training_set_is_drawn_by_the_support():
    shown = problem(examples=30).training_set(0)
    assert len(shown) == 30
    points = shown.positions.reshape(30, 2, 5)
    on_planes = [(points[:, 1] == A).all(axis=1), (points[:, 0] == O).all(axis=1), (points[:, 0] == M).all(axis=1)]
    assert [int(each.sum()) for each in on_planes] == [10, 10, 10]
    assert np.array_equal(shown.targets, task().draw(shown.positions))


@pytest.mark.parametrize("support", ["random", "planes", "diagonal"])
def test_training_sets_differ_by_seed_and_repeat(support):
    first, again, other = (problem(support).training_set(seed) for seed in (0, 0, 1))
    assert np.array_equal(first.positions, again.positions)
    assert not np.isin(first.positions, other.positions).all(axis=1).any()


@pytest.mark.parametrize("support", ["random", "planes", "diagonal"])
def test_what_is_asked_is_the_same_for_all_seeds_and_numbers_of_examples(support):
    """It is a value of the problem, and the whole space is drawn alike for every support."""
    few, many = problem(support, 10), problem(support, 20)
    assert np.array_equal(few.everything.positions, many.everything.positions)
    assert np.array_equal(few.everything.targets, task().draw(few.everything.positions))
    whole = few.everything.positions[few.asked_sections["all"]]
    assert np.array_equal(whole, problem({"kind": "random", "without": GAP}).everything.positions[6:])
    trained = few.training_set(0).positions
    assert not (few.everything.positions[:, None] == trained).all(axis=2).any()


@pytest.mark.parametrize("count", [2, 3])
def test_half_of_what_is_asked_is_of_the_support(count):
    made = problem("diagonal", count=count, tests=9)
    points, sections = made.everything.positions.reshape(18, count, 5), made.asked_sections
    assert np.array_equal(sections["id"], np.arange(18) < 9)
    assert np.array_equal(sections["all"], np.arange(18) >= 9)
    inside = made.support.contains(points)
    assert inside[sections["id"]].all()
    assert not inside[sections["all"]].any()  # five latents hardly ever fall into a narrow band by chance


@pytest.mark.parametrize("support", ["random", "planes", {"kind": "diagonal", "width": 0.2}])
def test_a_support_that_shows_every_value_has_no_unseen_section(support):
    sections = problem(support).asked_sections
    assert set(sections) == {"id", "all", "seen"} | ({"ood"} if support != "random" else set())
    assert np.array_equal(sections["seen"], sections["all"])


def test_what_is_held_out_lies_outside_the_support_though_all_its_values_are_shown():
    pair = {"kind": "random", "without": {"x1": (0.0, 0.5), "x2": (0.25, 1.0)}}
    made = problem(pair, tests=60)
    sections, points = made.asked_sections, made.everything.positions.reshape(120, 2, 5)
    first, second = points[:, :, LATENTS.index("x")].T
    assert np.array_equal(sections["ood"], sections["all"] & (first <= 0.5) & (second >= 0.25))
    assert 0 < sections["ood"].sum() < sections["all"].sum()
    assert "unseen" not in sections


@pytest.mark.parametrize("kind", ["random", "planes", "diagonal"])
def test_a_gap_is_unseen_by_the_latent_that_it_names(kind):
    made = problem({"kind": kind, "without": GAP}, tests=40)
    sections, points = made.asked_sections, made.everything.positions.reshape(80, 2, 5)
    first, second = points[:, :, LATENTS.index("x")].T
    inside = (first >= 0.05) & (first <= 0.45)
    if kind == "diagonal":  # the second sprite is never more than this away from the first
        away = np.sqrt(2) * 0.1
        inside |= (second - away >= 0.05) & (second + away <= 0.45)
    assert np.array_equal(sections["unseen"], sections["all"] & inside)
    assert np.array_equal(sections["seen"], sections["all"] & ~inside)
    assert sections["unseen"].any()
    shown = made.training_set(0).positions[:, 0]
    assert not ((shown >= 0.05) & (shown <= 0.45)).any()
    assert not inside[sections["id"]].any()


def test_a_sprite_that_never_varies_leaves_nothing_seen():
    sections = problem(supports.planes(planes=(Plane(free=0, at=A),))).asked_sections
    assert set(sections) == {"id", "all", "ood", "unseen"}
    assert np.array_equal(sections["unseen"], sections["all"])


@pytest.mark.parametrize(
    "support",
    [
        "random",
        {"kind": "planes", "planes": [{"free": 1, "at": A}], "spread": 0.3},
        {"kind": "diagonal", "width": 0.3, "without": {"x1": [0.1, 0.2], "hue2": [0.0, 1.0]}},
    ],
)
def test_a_problem_is_read_back_from_what_it_writes(support):
    written = problem(support, composition={"kind": "soft", "temperature": 2.0}, inputs="unit")
    for document in (yaml.safe_load(written.to_yaml()), json.loads(json.dumps(written.settings()))):
        again = Problem.read(document)
        assert again == written
        assert again.digest() == written.digest()
        assert np.array_equal(again.training_set(3).positions, written.training_set(3).positions)
    assert problem(support).rule == problem(support).support


def test_another_support_or_cut_is_another_problem():
    others = ({"kind": "diagonal", "width": 0.3}, {"kind": "random", "without": GAP})
    assert len({problem(support).digest() for support in ("random", "planes", "diagonal", *others)}) == 5


@pytest.mark.parametrize(
    "given",
    [
        {"split": regions.block(shape1=(0, 1), shape2=(0, 1))},
        {"isolated": ("shape1",)},
        {"centres": "uniform"},
        {"reveal": True},
    ],
    ids=lambda given: next(iter(given)),
)
def test_what_belongs_to_a_grid_is_refused(given):
    with pytest.raises(InputError, match="has no split, isolated factors, centres, spacing, rim or reveal; leave"):
        Problem(task(), support=supports.random(), examples=5, **given)


@pytest.mark.parametrize(
    "given", [{}, {"support": supports.random()}, {"examples": 5}, {"support": supports.random(), "examples": 0}]
)
def test_a_support_and_its_number_of_examples_are_needed(given):
    with pytest.raises(InputError, match="needs a support that draws its training examples, and their number"):
        Problem(task(), **given)


def test_a_grid_has_no_support():
    with pytest.raises(InputError, match="task 'bump' is a grid of combinations and has no support"):
        Problem(tasks.bump(n=8), regions.block(x=(3, 6), y=(2, 5)), support=supports.random())
    with pytest.raises(InputError, match="task 'bump' needs a split"):
        Problem(tasks.bump(n=8))


@pytest.mark.parametrize(
    ("count", "support", "says"),
    [
        (2, {"kind": "random", "without": {"x3": (0.0, 0.5)}}, "cuts by 'x3', but a scene has 2 slots"),
        (1, "planes", "a plane with the free slot 1, but a scene has 1 slots"),
        (1, "diagonal", "needs at least 2 slots, got 1"),
        (2, {"kind": "planes", "planes": [{"free": 0, "at": (0.5, 0.5)}]}, "which is 2 numbers; a slot has 5 latents"),
        (2, {"kind": "random", "without": {"x1": (0.0, 1.0)}}, "rejected all .* draws, because of its cut"),
        (2, {"kind": "random", "without": {"x1": (0.5, 0.2)}}, "a range needs 0 <= low <= high <= 1"),
    ],
)
def test_a_support_that_does_not_fit_is_refused_when_the_problem_is_built(count, support, says):
    with pytest.raises(InputError, match=says):
        problem(support, count=count)


@pytest.mark.parametrize(
    "ask",
    [lambda made: made.parts, lambda made: made.trained, lambda made: made.certificate(), lambda made: made.shown()],
    ids=["parts", "trained", "certificate", "shown"],
)
def test_there_are_no_parts_of_a_grid(ask):
    with pytest.raises(InputError, match="drawn by the support 'planes', which holds out no combinations of a grid"):
        ask(problem())
