"""Places read off pictures, against a flood fill, hand-made pictures and the laws of shifting and turning."""

import math
import re

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from recombine.core.errors import InputError
from recombine.core.seeds import stream
from recombine.measures import centroid_places, find_marks, marginal_places, strict_places
from recombine.measures.reading import FAINT, apart, drawn_ink, middle, true_places

SIZE = (5, 7)


def picture(*lines: str) -> np.ndarray:
    """Ink in tenths: "." is none, "5" a half, "X" all."""
    values = {".": 0.0, "X": 1.0, **{str(digit): digit / 10 for digit in range(10)}}
    return np.array([[values[sign] for sign in line] for line in lines])


def flood(ink: np.ndarray, threshold: float, periodic: bool) -> list[set[tuple[int, int]]]:
    """The marks of one picture, pixel by pixel."""
    rows, columns = ink.shape
    left = {(r, c) for r in range(rows) for c in range(columns) if ink[r, c] >= threshold}
    found = []
    while left:
        edge = [left.pop()]
        mark = set(edge)
        while edge:
            r, c = edge.pop()
            for near in [(r + i, c + j) for i in (-1, 0, 1) for j in (-1, 0, 1)]:
                place = (near[0] % rows, near[1] % columns) if periodic else near
                if place in left:
                    left.remove(place)
                    mark.add(place)
                    edge.append(place)
        found.append(mark)
    masses = [sum(ink[place] for place in mark) for mark in found]
    return [mark for mark, mass in zip(found, masses, strict=True) if mass >= FAINT * max(masses)]


@settings(deadline=None, max_examples=60)
@given(seed=st.integers(0, 10_000), threshold=st.floats(0.5, 0.95), periodic=st.booleans())
def test_marks_are_those_of_a_flood_fill(seed, threshold, periodic):
    rng = stream(seed, "measures", "marks")
    ink = rng.uniform(size=(6, *SIZE)) ** rng.uniform(0.5, 3.0, size=(6, 1, 1))
    found = find_marks(ink, threshold, periodic)
    for each, number, heaviest in zip(ink, found.numbers, found.heaviest, strict=True):
        expected = flood(each, threshold, periodic)
        assert number == len(expected)
        if expected:
            largest = max(expected, key=lambda mark: sum(each[place] for place in mark))
            assert set(zip(*(index.tolist() for index in np.nonzero(heaviest)), strict=True)) == largest
        else:
            assert not heaviest.any()


def test_no_picture_has_marks_when_all_are_blank():
    for periodic in (False, True):
        found = find_marks(np.zeros((3, *SIZE)), 0.5, periodic)
        assert found.numbers.tolist() == [0, 0, 0]
        assert not found.heaviest.any()


def test_marks_do_not_reach_from_one_picture_to_the_next():
    ink = np.ones((4, *SIZE))
    assert find_marks(ink, 0.5).numbers.tolist() == [1, 1, 1, 1]


CORNERS = picture("X.....X", ".......", ".......", ".......", "X.....X")


def test_marks_meet_around_edges_and_corners_of_a_periodic_canvas_only():
    assert find_marks(CORNERS[None], 0.5).numbers == [4]
    assert find_marks(CORNERS[None], 0.5, periodic=True).numbers == [1]
    diagonal = picture("X......", ".......", ".......", ".......", "......X")
    assert find_marks(diagonal[None], 0.5).numbers == [2]
    assert find_marks(diagonal[None], 0.5, periodic=True).numbers == [1]


@pytest.mark.parametrize(("second", "number"), [("XX", 2), ("X.", 2), ("9.", 1)])
def test_a_mark_of_less_than_a_quarter_of_the_heaviest_does_not_count(second, number):
    # The heaviest has the ink of four pixels.
    ink = picture("XX.....", "XX.....", ".......", f".....{second}", ".......")
    assert find_marks(ink[None], 0.5).numbers == [number]


NOT = np.nan
# By name: the picture, and (row, column) in the strict, the centroid and the marginal reading.
READ = {
    "a bump": (picture(".......", "..595..", "..9X9..", "..595..", "......."), (2, 3), (2, 3), (2, 3)),
    "a faint bump": (picture("242....", "141....", ".......", ".......", "......."), (NOT, NOT), (6 / 14, 1), (0, 1)),
    "a wide peak": (picture(".......", ".XX....", ".......", ".......", "......."), (1, 1.5), (1, 1.5), (1, NOT)),
    "two bumps": (picture(".......", "X.....X", ".......", ".......", "......."), (NOT, NOT), (1, 3), (1, NOT)),
    "one stripe": (picture("..4....", "..4....", "..4....", "..4....", "..4...."), (NOT, NOT), (2, 2), (NOT, 2)),
    "nothing": (np.zeros(SIZE), (NOT, NOT), (NOT, NOT), (NOT, NOT)),
    "a mark and a speck": (
        picture("88....9", "88.....", "88.....", ".......", "......."),
        (1, 0.5),
        (1, 0.5),
        (0, NOT),
    ),
}


@pytest.mark.parametrize("name", READ)
def test_hand_made_pictures_are_read_as_they_should(name):
    ink, strict, centroid, marginal = READ[name]
    assert strict_places(ink[None], 0.5)[0] == pytest.approx(strict, nan_ok=True)
    assert centroid_places(ink[None], 0.5)[0] == pytest.approx(centroid, nan_ok=True, abs=1e-6)
    assert marginal_places(ink[None])[0] == pytest.approx(marginal, nan_ok=True)


def test_the_middle_of_a_ring_goes_around_it():
    # Columns 6, 0 and 1 of 7, the last twice as dark: the middle lies between 0 and 1, not inside.
    ink = picture("5....5X", ".......", ".......", ".......", ".......")
    rows, columns = middle(ink[None], periodic=True)[0]
    assert rows == 0
    angles = 2 * np.pi * np.array([0, 5, 6]) / 7
    expected = np.angle(np.exp(1j * angles) @ [0.5, 0.5, 1.0]) * 7 / (2 * np.pi) % 7
    assert columns == pytest.approx(expected, abs=1e-6)
    assert 5 < columns < 7
    assert middle(ink[None])[0, 1] == pytest.approx((0.5 * 0 + 0.5 * 5 + 6) / 2)


def test_evenly_spread_ink_has_a_middle_on_a_plane_and_none_on_a_torus():
    even = np.full((1, *SIZE), 0.1)
    assert middle(even)[0] == pytest.approx([2, 3])
    assert np.isnan(middle(even, periodic=True)).all()
    stripe = picture(".......", "XXXXXXX", ".......", ".......", ".......")
    assert middle(stripe[None], periodic=True)[0] == pytest.approx([1, np.nan], nan_ok=True)
    # A full ring of equally dark pixels has a row but no column, and the strict reading says so.
    assert strict_places(stripe[None], 0.5, periodic=True)[0] == pytest.approx([1, np.nan], nan_ok=True)


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 10_000), by=st.tuples(st.integers(0, 4), st.integers(0, 6)))
def test_shifting_a_torus_shifts_what_is_read(seed, by):
    rng = stream(seed, "measures", "shift")
    ink = rng.uniform(size=(4, *SIZE)) ** 4
    moved = np.roll(ink, by, axis=(1, 2))
    for read in (strict_places, centroid_places):
        before, after = read(ink, 0.4, periodic=True), read(moved, 0.4, periodic=True)
        assert np.array_equal(np.isnan(before), np.isnan(after))
        turns = (after - before - by) / SIZE
        assert np.nan_to_num(turns - turns.round()) == pytest.approx(0, abs=1e-6)


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 10_000), periodic=st.booleans())
def test_turning_a_picture_over_its_diagonal_exchanges_row_and_column(seed, periodic):
    ink = stream(seed, "measures", "turn").uniform(size=(4, *SIZE)) ** 4
    turned = ink.swapaxes(1, 2)
    for read in (strict_places, centroid_places):
        assert read(turned, 0.4, periodic)[:, ::-1] == pytest.approx(read(ink, 0.4, periodic), nan_ok=True, abs=2e-6)
    assert marginal_places(turned)[:, ::-1] == pytest.approx(marginal_places(ink), nan_ok=True)


@pytest.mark.parametrize("size", [(16, 24), (7, 9)])
def test_a_neighbouring_pixel_is_never_nearer_than_one_by_rounding(size):
    ink = np.eye(size[0] * size[1]).reshape(-1, *size)
    at = np.indices(size).reshape(2, -1).T
    for periodic in (False, True):
        read = strict_places(ink, 0.5, periodic)
        assert np.array_equal(read, at)


def test_distances_go_the_short_way_round_a_ring():
    found, true = np.array([[0.5, 6.0], [np.nan, 3.0]]), np.array([[4, 0], [1, 3]])
    assert apart(found, true, None) == pytest.approx(np.array([[3.5, 6.0], [np.nan, 0.0]]), nan_ok=True)
    assert apart(found, true, SIZE) == pytest.approx(np.array([[1.5, 1.0], [np.nan, 0.0]]), nan_ok=True)


@pytest.mark.parametrize("dark", [True, False])
def test_ink_is_cut_off_at_what_a_picture_can_have(from_ink, bumps, dark):
    output = 3 * bumps() - 1
    assert drawn_ink(from_ink(output, dark=dark)) == pytest.approx(output.clip(0, 1))
    # Stripes that add up to more than 1 are not cut off.
    assert drawn_ink(from_ink(output, 1.5 * bumps(), dark=dark)) == pytest.approx(output.clip(0, 1.5))


def test_the_true_place_is_the_pixel_of_the_level(from_ink, bumps, generic):
    evidence = from_ink(bumps())
    assert np.array_equal(true_places(evidence), evidence.levels)
    flat = np.concatenate([bumps()[:50], np.zeros((49, 9, 11))])
    with pytest.raises(InputError, match="true place is undefined at y = 4, x = 6: the target has no single extreme"):
        true_places(from_ink(bumps(), flat))
    with pytest.raises(InputError, match=r"no pictures to read a place off \(places are None\); judge by nmse"):
        drawn_ink(generic(places=None))
    with pytest.raises(InputError, match="no pictures to read a place off"):
        true_places(generic(places=None))


def test_lists_tensors_and_whole_numbers_are_pictures_too():
    ink = np.array([[[1, 0, 0, 1], [1, 0, 0, 0], [0, 0, 0, 0]], [[0, 0, 0, 0], [0, 1, 1, 0], [0, 0, 0, 0]]])
    expected = find_marks(ink.astype(np.float64), 0.5)
    assert expected.numbers.tolist() == [2, 1]
    for same in (ink, ink.tolist(), torch.tensor(ink, dtype=torch.float64, requires_grad=True)):
        for found, right in zip(find_marks(same, 0.5), expected, strict=True):
            assert np.array_equal(found, right)
        assert strict_places(same, 0.5)[1].tolist() == [1, 1.5]
        assert centroid_places(same, 0.5).tolist() == [[0.333333, 1], [1, 1.5]]
        assert marginal_places(same)[:, 0].tolist() == [0, 1]


@pytest.mark.parametrize(
    ("ink", "says"),
    [
        (np.eye(3), "pictures of ink of shape (3, 3) must be (pictures, rows, columns)"),
        (np.eye(3), "write a single picture as picture[None]."),
        (np.zeros((0, 3, 3)), "pictures of ink of shape (0, 3, 3) must be"),
        ([[[0.0, np.nan]]], "pictures of ink are not all finite, first nan at (0, 0, 1);"),
    ],
)
def test_what_are_no_pictures_is_refused_in_a_sentence(ink, says):
    with pytest.raises(InputError, match=re.escape(says)):
        find_marks(ink, 0.5)


@pytest.mark.parametrize("threshold", ["a", math.nan, None])
def test_what_is_no_threshold_is_refused_in_a_sentence(threshold):
    with pytest.raises(InputError, match=re.escape(f"threshold = {threshold!r} of the ink of a mark must be a number")):
        find_marks(np.zeros((1, 3, 3)), threshold)
