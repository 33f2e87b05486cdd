"""Drawn pictures behave like the array they stand for, and are drawn in short runs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recombine.core.errors import InputError
from recombine.data import drawn
from recombine.data.drawn import Drawn

IMAGE = (3, 5)


def draw(positions: np.ndarray) -> np.ndarray:
    """A picture whose every pixel tells its position, its row and its column."""
    rows, columns = np.arange(IMAGE[0])[:, None], np.arange(IMAGE[1])
    return (positions[:, :1, None] + 10 * positions[:, 1:, None] + 100 * rows + 1000 * columns).astype(np.float32)


def positions(count: int) -> np.ndarray:
    return np.arange(2.0 * count).reshape(count, 2)


@pytest.fixture(params=[1, 2, 1000])
def run(request, monkeypatch) -> int:
    """Runs of one, of two and of all pictures."""
    monkeypatch.setattr(drawn, "RUN_BYTES", 4 * IMAGE[0] * IMAGE[1] * request.param)
    return request.param


@pytest.mark.parametrize("rows", [slice(None), slice(1, 6, 2), slice(0, 0), np.array([4, 0, 4]), np.array([-1]), 3, -2])
def test_rows_are_those_of_the_whole_array(run, rows):
    pictures, whole = Drawn(draw, positions(7), IMAGE), draw(positions(7))
    assert np.array_equal(pictures[rows], whole[rows])
    assert pictures[rows].dtype == np.float32
    assert np.array_equal(np.asarray(pictures), whole)


def test_it_has_the_shape_of_the_array():
    pictures = Drawn(draw, positions(7), IMAGE)
    whole = np.asarray(pictures)
    assert (pictures.shape, pictures.ndim, pictures.size, len(pictures)) == (whole.shape, 3, whole.size, 7)
    assert pictures.dtype == whole.dtype == np.float32


@given(count=st.integers(0, 20), length=st.integers(1, 8))
def test_runs_are_never_longer_than_allowed_and_draw_everything_once(count, length):
    seen = []

    def watched(rows: np.ndarray) -> np.ndarray:
        seen.append(rows[:, 0])
        return draw(rows)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(drawn, "RUN_BYTES", 4 * IMAGE[0] * IMAGE[1] * length)
        whole = np.asarray(Drawn(watched, positions(count), IMAGE))
    assert max(map(len, seen)) <= length
    assert np.array_equal(np.concatenate(seen), positions(count)[:, 0])
    assert np.array_equal(whole, draw(positions(count)))


def test_nothing_is_drawn_before_it_is_asked_for():
    asked = []
    pictures = Drawn(lambda rows: asked.append(len(rows)) or draw(rows), positions(9), IMAGE)
    assert (len(pictures), pictures.shape, asked) == (9, (9, *IMAGE), [])
    pictures[2:6]
    assert asked == [4]


def test_arrays_of_other_types_and_concatenation():
    pictures, whole = Drawn(draw, positions(4), IMAGE), draw(positions(4))
    assert np.asarray(pictures, dtype=np.float64).dtype == np.float64
    assert np.array_equal(np.concatenate([pictures, whole[:1]]), np.concatenate([whole, whole[:1]]))
    assert np.array_equal(np.stack(list(pictures)), whole)  # iterating ends
    with pytest.raises(ValueError, match="no memory to share"):
        np.asarray(pictures, copy=False)


def test_other_numbers_become_float32():
    pictures = Drawn(lambda rows: draw(rows).astype(np.float64), positions(4), IMAGE)
    assert pictures[:2].dtype == np.asarray(pictures).dtype == np.float32


def test_pictures_of_another_shape_are_refused(run):
    pictures = Drawn(lambda rows: draw(rows)[:, :1], positions(4), IMAGE)  # would broadcast
    with pytest.raises(InputError, match=r"pictures of shape \(\d, 1, 5\) were drawn where \(\d, 3, 5\) were promised"):
        pictures[:]
