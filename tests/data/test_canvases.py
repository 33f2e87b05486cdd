"""Canvases of the diffusion paper: centres beyond the border, faint stripes, and centres between levels."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recombine.core.errors import InputError
from recombine.data import Problem, drawn, encodings, tasks
from recombine.data.drawn import Drawn
from recombine.data.encodings import Axis
from recombine.splits import regions

SIDES = (5, 8)
HOLE = regions.block(y=(1, 3), x=(2, 5))
NAN = np.nan


def padded(kind="bump", **given):
    return tasks.pick(kind)(**{"n": SIDES, "sigma": 0.5, "pad": 3, "dark": False, **given})


def rows(positions):
    """Positions as a sorted list of pairs, rounded."""
    return sorted(map(tuple, np.round(positions, 6).tolist()))


# Absent factors as centres beyond the border


@pytest.mark.parametrize("kind", ["bump", "sum-of-stripes"])
@pytest.mark.parametrize("dark", [False, True])
def test_a_centre_too_far_out_to_be_seen_is_an_absent_factor(kind, dark):
    task = padded(kind, dark=dark, stripe_ink=0.5)
    beyond = np.array([[-3.0, 2.25], [7.0, 2.25], [1.5, -3.0], [1.5, 10.0]])
    absent = np.array([[NAN, 2.25], [NAN, 2.25], [1.5, NAN], [1.5, NAN]])
    assert np.array_equal(task.pictures(beyond), task.pictures(absent))
    assert not np.array_equal(task.codes(beyond), task.codes(absent))  # told by where it is, not by a code of its own


def test_the_reach_is_where_a_hundredth_of_the_ink_is_left():
    """exp(-d^2 / (2 sigma^2)) = 1/100 at d = sigma sqrt(2 ln 100), from the outermost pixel on either side."""
    task = padded(sigma=0.7, pad=4)
    assert task.reach == pytest.approx(0.7 * np.sqrt(2 * np.log(100)))
    near, far = task.reach - 1e-6, task.reach + 1e-6
    for seen, gone in (([-near, 3.0], [-far, 3.0]), ([4 + near, 3.0], [4 + far, 3.0]), ([2.0, 7 + near], [2, 7 + far])):
        seen_picture, gone_picture = task.pictures(np.array([seen, gone]))
        assert seen_picture.max() == pytest.approx(0.01, rel=1e-3)  # what is left of a bump
        assert gone_picture.max() == 1  # the lone stripe of the other factor


@pytest.mark.parametrize("kind", ["bump", "sum-of-stripes"])
@pytest.mark.parametrize("dark", [False, True])
def test_with_both_beyond_the_border_the_picture_is_blank(kind, dark):
    task = padded(kind, dark=dark, stripe_ink=0.5)
    blank = task.pictures(np.array([[-3.0, -3.0], [7.0, 10.0], [NAN, -3.0], [NAN, NAN]]))
    assert (blank == task.blank).all()


def test_within_the_picture_a_pad_changes_nothing():
    positions = np.random.default_rng(0).uniform(0, 4, size=(9, 2))
    for kind in ("bump", "sum-of-stripes"):
        assert np.array_equal(padded(kind).pictures(positions), padded(kind, pad=0).pictures(positions))


@pytest.mark.parametrize("ink", [0.25, 0.5, 1.0])
def test_stripe_ink_is_that_of_every_stripe_of_a_sum_and_of_lone_ones_beside_bumps(ink):
    positions = np.array([[2.0, 3.5], [NAN, 3.5], [2.0, NAN]])
    bump, sum_of = (tasks.pick(kind)(n=SIDES, stripe_ink=ink, dark=False) for kind in ("bump", "sum-of-stripes"))
    full_bump, full_sum = (tasks.pick(kind)(n=SIDES, dark=False) for kind in ("bump", "sum-of-stripes"))
    strength = np.array([1.0, ink, ink])[:, None, None]
    assert bump.pictures(positions) == pytest.approx(strength * full_bump.pictures(positions), abs=1e-6)
    assert sum_of.pictures(positions) == pytest.approx(ink * full_sum.pictures(positions), abs=1e-6)


def test_dark_stripes_of_half_the_ink_cross_in_black():
    task = tasks.sum_of_stripes(n=SIDES, stripe_ink=0.5, dark=True, sigma=0.3)
    picture = task.pictures(np.array([[2.0, 3.0]]))[0]
    assert (picture.min(), picture.max()) == pytest.approx((0, 1), abs=1e-6)
    assert np.unravel_index(picture.argmin(), SIDES) == (2, 3)
    assert picture[2, 6] == pytest.approx(0.5, abs=1e-6)


@pytest.mark.parametrize("ink", [0.6, 0.8, 1.0])
def test_dark_stripes_of_more_than_half_the_ink_are_refused_in_one_sentence(ink):
    """Where two cross, pictures would go below black."""
    says = rf"two stripes of stripe_ink = {ink:g} have {2 * ink:g} where they cross.* at most 0\.5, or dark = false\.$"
    with pytest.raises(InputError, match=says):
        tasks.sum_of_stripes(n=SIDES, stripe_ink=ink, dark=True)
    assert tasks.sum_of_stripes(n=SIDES, stripe_ink=ink).pictures(np.array([[2.0, 3.0]])).max() > 1
    assert tasks.bump(n=SIDES, stripe_ink=ink).pictures(np.array([[2.0, NAN]])).min() == pytest.approx(1 - ink)


def test_the_threshold_lies_between_a_stripe_and_a_crossing():
    for ink in (0.5, 1.0):
        task = tasks.sum_of_stripes(n=SIDES, stripe_ink=ink)
        stripe, crossing = task.pictures(np.array([[2.0, NAN], [2.0, 3.0]])).max(axis=(1, 2))
        assert task.threshold - stripe == pytest.approx(crossing - task.threshold)
    assert tasks.bump(n=SIDES, stripe_ink=0.5).threshold == 0.5


# What is shown alone, and nearly alone


def test_without_a_pad_an_absent_factor_has_no_place():
    alone = tasks.bump(n=SIDES).alone(("y", "x"), None, False)
    assert len(alone) == 5 + 8
    assert (np.isnan(alone).sum(axis=1) == 1).all()


def by_hand(task, names, apart, rim):
    """All places of the lattice around the picture, one by one."""
    before = (round(1 / apart) // 2) * apart
    found = []
    lines = [np.arange(-task.pad - before, side + task.pad - before - apart / 2, apart) for side in SIDES]
    for y in lines[0]:
        for x in lines[1]:
            inside = [-before - 1e-9 <= p < side - before - 1e-9 for p, side in zip((y, x), SIDES, strict=True)]
            beyond = [max(-p, p - (side - 1), 0) for p, side in zip((y, x), SIDES, strict=True)]
            seen = [not within and far <= task.reach for within, far in zip(inside, beyond, strict=True)]
            wanted = {
                (True, False): "y" in names,  # x lies outside, so y is shown alone
                (False, True): "x" in names,
                (False, False): names == ("y", "x"),
                (True, True): False,
            }[tuple(inside)]
            if wanted and (rim or not any(seen)):
                found.append((y, x))
    return rows(np.array(found))


@pytest.mark.parametrize("names", [("y", "x"), ("y",), ("x",)])
@pytest.mark.parametrize("apart", [1.0, 0.5, 0.25, 0.2])
@pytest.mark.parametrize("rim", [False, True])
def test_lone_places_are_those_of_a_lattice_around_the_picture(names, apart, rim):
    task = padded()
    assert rows(task.alone(names, apart, rim)) == by_hand(task, names, apart, rim)
    if apart == 1:
        assert rows(task.alone(names, None, rim)) == rows(task.alone(names, 1.0, rim))


def test_a_lone_factor_is_shown_alone_and_the_rim_adds_what_is_nearly_so():
    task = padded("sum-of-stripes")
    alone, more = (task.alone(("y", "x"), 0.5, rim) for rim in (False, True))
    assert set(rows(alone)) < set(rows(more))
    stripes = task.pictures(alone)
    flat = (np.ptp(stripes, axis=1) == 0).all(axis=1) | (np.ptp(stripes, axis=2) == 0).all(axis=1)
    assert flat.all()
    added = np.array(sorted(set(rows(more)) - set(rows(alone))))
    pictures = task.pictures(added)
    assert not ((np.ptp(pictures, axis=1) == 0).all(axis=1) & (np.ptp(pictures, axis=2) == 0).all(axis=1)).any()


# Centres between levels


def touched(task, place):
    """The cells, closed, in which a place lies: on a border several."""
    apart = np.abs(task.grid.values(task.grid.combinations()) - place)
    if task.periodic:
        apart = np.minimum(apart, np.array(task.image) - apart)
    return {tuple(cell) for cell in task.grid.combinations()[(apart <= task.step / 2 + 1e-6).all(axis=1)].tolist()}


@pytest.mark.parametrize("task", [tasks.bump(n=(3, 4)), tasks.bump(n=(3, 2), step=0.5), tasks.torus(n=(3, 4))])
@given(count=st.integers(1, 4), shown=st.sets(st.integers(0, 11), min_size=1))
@settings(deadline=None, max_examples=12)
def test_between_shows_all_places_that_lie_in_given_cells_only(task, count, shown):
    """A lattice over the whole picture, place by place."""
    combinations = task.grid.combinations()[sorted(shown)]
    given_cells = {tuple(cell) for cell in combinations.tolist()}
    apart = task.step / count
    first, sizes = -(count // 2) * apart, [round(side / apart) for side in task.image]
    lattice = first + apart * np.indices(sizes).reshape(2, -1).T
    expected = [place for place in lattice if touched(task, place) <= given_cells]
    assert rows(task.between(combinations, apart)) == rows(np.array(expected).reshape(-1, 2))


def test_every_level_that_is_shown_is_among_the_centres_of_its_cell():
    task = tasks.bump(n=(3, 4))
    combinations = task.grid.combinations()[[0, 3, 6]]
    for count in (1, 2, 3, 4, 5):
        places = task.between(combinations, 1 / count)
        assert set(rows(combinations.astype(float))) <= set(rows(places))
        assert {tuple(cell) for cell in task.cells(places).tolist()} == {tuple(cell) for cell in combinations.tolist()}


def test_all_cells_together_are_one_even_lattice():
    task = tasks.bump(n=(3, 4))
    places = task.between(task.grid.combinations(), 0.25)
    expected = [(y, x) for y in np.arange(-0.5, 2.5, 0.25) for x in np.arange(-0.5, 3.5, 0.25)]
    assert rows(places) == rows(np.array(expected))


def test_on_a_torus_the_lattice_goes_round():
    task = tasks.torus(n=(4, 8))
    places = task.between(task.grid.combinations(), 0.5)
    assert len({tuple(place) for place in np.mod(places, [4, 8]).round(6).tolist()}) == 4 * 8 * 4
    assert np.array_equal(task.cells(np.array([[-0.5, 0.0], [3.5, 7.5], [3.49, 7.49]])), [[0, 0], [0, 0], [3, 7]])


def test_cells_begin_half_a_step_before_their_level_and_end_at_the_border():
    task = tasks.bump(n=(3, 4))
    inside = np.array([[-0.5, 0.49], [0.5, 1.5], [2.49, 3.4]])
    assert np.array_equal(task.cells(inside), [[0, 0], [1, 2], [2, 3]])
    assert np.array_equal(task.cells(np.array([[-4.0, 9.0]])), [[0, 3]])


# Problems


def problem(task=None, **given):
    return Problem(tasks.bump(n=SIDES) if task is None else task, HOLE, **given)


def test_a_spacing_shows_every_centre_of_the_training_cells_and_none_of_the_held_out_ones():
    """Of 10 x 16 places 5 x 7 lie in the closed rectangle of the held-out cells."""
    found = problem(spacing=0.5)
    shown = found.training_set().positions
    assert len(shown) == found.most_examples == 160 - 35
    assert len(set(rows(shown))) == len(shown)
    assert not ((np.abs(shown - [1.5, 3]) <= [1 + 1e-6, 1.5 + 1e-6]).all(axis=1)).any()
    assert found.trained[found.grid.index(found.task.cells(shown))].all()
    assert len(problem(spacing=0.5, reveal=True).training_set()) == 40 * 4
    assert rows(problem(spacing=1.0).training_set().positions) == rows(problem().training_set().positions)


@given(few=st.integers(1, 125), many=st.integers(1, 125), seed=st.integers(0, 4))
@settings(deadline=None, max_examples=15)
def test_with_a_spacing_a_larger_training_set_contains_a_smaller_one(few, many, seed):
    few, many = sorted((few, many))
    small, large = (problem(spacing=0.5, examples=count).training_set(seed).positions for count in (few, many))
    assert np.array_equal(large[:few], small)


def test_what_is_shown_with_a_spacing_are_the_cells_of_the_examples():
    found = problem(spacing=0.25, examples=12)
    positions = found.training_set(3).positions
    expected = np.zeros(40, dtype=bool)
    expected[found.grid.index(found.task.cells(positions))] = True
    assert np.array_equal(found.shown(3), expected)
    assert found.shown(3).sum() <= 12
    assert np.array_equal(problem(spacing=0.25).shown(3), found.trained)


@pytest.mark.parametrize("examples", [None, 0, 7])
def test_lone_stripes_of_a_padded_canvas_follow_the_bumps_with_their_spacing(examples):
    task = padded()
    found = problem(task, spacing=0.5, isolated=("y", "x"), examples=examples)
    count = 160 - 35 if examples is None else examples
    shown = found.training_set()
    assert rows(shown.positions[count:]) == rows(task.alone(("y", "x"), 0.5, False))
    assert np.isfinite(shown.positions).all()
    assert np.array_equal(shown.targets, task.pictures(shown.positions))
    assert found.shown(0).sum() == {None: 34, 0: 0}.get(examples, found.shown(0).sum())
    assert found.lone(0).tolist() == [False] * count + [True] * (len(shown) - count)
    rim = problem(task, spacing=0.5, isolated=("y", "x"), examples=examples, rim=True)
    assert rows(rim.training_set().positions[count:]) == rows(task.alone(("y", "x"), 0.5, True))
    assert len({found.digest(), rim.digest()}) == 2


def test_what_is_asked_knows_of_no_spacing_and_no_stripes():
    found = problem(padded(), spacing=0.25, isolated=("x",), rim=True)
    assert np.array_equal(found.everything.positions, found.grid.values(found.grid.combinations()))


@pytest.mark.parametrize(
    ("made", "says"),
    [
        (lambda: tasks.torus(n=8, pad=3), "a periodic picture has no border; set margin = 0 and pad = 0, got 0 and 3"),
        (lambda: padded(pad=1), r"pad = 1 must reach beyond the 1.52 pixels .* raise pad or lower sigma"),
        (lambda: padded(margin=2), "goes without a margin; set margin = 0"),
        (lambda: tasks.bump(n=8, stripe_ink=0), "stripe_ink = 0: .* greater than 0"),
        (lambda: tasks.bump(n=8, stripe_ink=1.5), "stripe_ink = 1.5: .* less than or equal to 1"),
        (
            lambda: problem(spacing=0.3),
            "spacing = 0.3 must divide the 1 pixels from level to level; set it to 0.333333, for instance",
        ),
        (lambda: problem(spacing=2.0), "spacing = 2 must divide the 1 pixels"),
        (lambda: problem(spacing=0.0), "spacing = 0.0: .* greater than 0"),
        (lambda: problem(spacing=0.5, centres="uniform", examples=3), "spacing puts .* leave one of them out"),
        (lambda: problem(spacing=0.5, examples=126), "examples = 126 is more than the 125 training centres"),
        (lambda: problem(padded(), rim=True), "rim = true shows .* needs isolated factors and a task with a pad"),
        (
            lambda: problem(rim=True, isolated=("x",)),
            "rim = true shows .* needs isolated factors and a task with a pad",
        ),
        (lambda: problem(padded(), isolated=("x",), isolated_levels=2), "isolated_levels counts levels.* leave it out"),
        (lambda: Problem(tasks.locate(n=8), HOLE, spacing=0.5), "leave out `isolated`, `centres` and `spacing`"),
        (
            lambda: Problem(tasks.parallel(parts=3, levels=4), regions.several(count=2, low=2), spacing=0.5),
            "task 'parallel' has no lattice of centres; leave out `spacing`, or draw with centres = 'uniform'",
        ),
    ],
)
def test_nonsense_is_refused_in_one_sentence(made, says):
    with pytest.raises(InputError, match=says) as caught:
        made()
    assert "\n" not in str(caught.value)


# Codes


def test_raw_sines_code_a_ring_as_a_line_and_do_not_close():
    ring, line = (Axis(np.arange(6.0), np.arange(6.0), period) for period in (6.0, None))
    positions = np.array([0.0, 1.5, 5.9, NAN])
    raw, closed = (encodings.sinusoidal(pairs=4, raw=raw) for raw in (True, False))
    assert np.array_equal(raw.encode(positions, ring), closed.encode(positions, line))
    frequencies = 10000.0 ** (-np.arange(4) / 4)
    expected = np.concatenate([np.sin(1.5 * frequencies), np.cos(1.5 * frequencies)])
    assert raw.encode(positions, ring)[1] == pytest.approx(expected)
    here, around = (raw.encode(np.array([p]), ring) for p in (0.5, 6.5))
    assert np.abs(here - around).max() > 0.1
    assert closed.encode(np.array([0.5]), ring) == pytest.approx(closed.encode(np.array([6.5]), ring))


# Memory


@pytest.mark.parametrize("kind", ["bump", "sum-of-stripes"])
def test_large_sets_are_drawn_as_they_are_needed(kind, monkeypatch):
    """Two hundred pictures fit, one more does not."""
    task = padded(kind, stripe_ink=0.5)
    positions = np.random.default_rng(1).uniform(-3, 9, size=(201, 2))
    whole = task.at(positions).pictures
    assert isinstance(whole, np.ndarray)
    monkeypatch.setattr(drawn, "HELD_BYTES", 200 * 4 * 5 * 8)
    assert isinstance(task.at(positions[:200]).pictures, np.ndarray)
    lazy = task.at(positions).pictures
    assert isinstance(lazy, Drawn)
    assert (lazy.shape, lazy.size) == (whole.shape, whole.size)
    some = np.array([200, 3, 77])
    assert np.array_equal(lazy[some], whole[some])
    assert np.array_equal(np.asarray(lazy), whole)


def test_lone_stripes_beside_a_large_set_do_not_bring_it_into_memory(monkeypatch):
    found = problem(padded(), spacing=0.5, isolated=("y", "x"))
    whole = found.training_set().pictures
    monkeypatch.setattr(drawn, "HELD_BYTES", 1000)
    lazy = found.training_set().pictures
    assert isinstance(lazy, Drawn)
    assert np.array_equal(np.asarray(lazy), whole)


def test_a_large_set_is_never_in_memory_as_a_whole(monkeypatch):
    monkeypatch.setattr(tasks.bump, "pictures", lambda *_: pytest.fail("pictures were drawn"))
    held = drawn.HELD_BYTES // (4 * 32 * 32)
    large = tasks.bump(n=32).at(np.zeros((held + 1, 2)))
    assert isinstance(large.pictures, Drawn)
    assert len(large) == held + 1


@pytest.mark.parametrize("spacing", [None, 0.5, 0.25])
@pytest.mark.parametrize("kind", ["bump", "sum-of-stripes"])
def test_a_factor_is_absent_beyond_the_border_and_where_it_is_nan(kind, spacing):
    """Of lone stripes one factor is, of blank pictures both are, and of combinations none is."""
    problem = Problem(padded(kind), HOLE, isolated=("y", "x"), spacing=spacing)
    absent, lone = problem.task.absent(problem.training_set(0).positions), problem.lone(0)
    assert not absent[~lone].any()
    assert set(absent[lone].sum(axis=1)) == {1, 2}
    stripes = problem.training_set(0).positions[absent[:, 0] & ~absent[:, 1]]
    assert len(np.unique(stripes[:, 1])) == SIDES[1] * (1 if spacing is None else round(1 / spacing))
    given = np.array([[NAN, 2.0], [1.0, NAN], [-0.4, 7.4], [-0.6, 7.6]])
    assert problem.task.absent(given).tolist() == [[True, False], [False, True], [False, False], [True, True]]
    assert not tasks.torus(n=SIDES).absent(np.array([[-0.6, 9.0]])).any()
