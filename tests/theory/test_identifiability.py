"""What training leaves free, against counts and leaks that are known by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recombine.core.compositions import HardOcclusion, SoftOcclusion
from recombine.core.errors import InputError
from recombine.core.seeds import stream
from recombine.theory.identifiability import leaks

PIXELS = 5


def addition_slope(slot, parts):
    return np.broadcast_to(np.eye(parts[0].shape[-1]), (*parts[0].shape, parts[0].shape[-1]))


def hard_slope(slot, parts):
    bright = parts[0].sum(axis=-1) > 0.5
    return np.where((bright if slot == 0 else ~bright)[..., None, None], np.eye(3), 0.0)


def soft_slope(slot, parts):
    front, back = parts
    weight = 1 / (1 + np.exp(-front.sum(axis=-1)))[..., None, None]
    if slot == 1:
        return (1 - weight) * np.eye(3)
    return weight * np.eye(3) + weight * (1 - weight) * (front - back)[..., None] * np.ones(3)


def dots(colour):
    """One value per pixel: a dot there, black elsewhere (values, pixels, 3)."""
    return np.eye(PIXELS)[:, :, None] * np.array(colour)


DOTS = [dots([1.0, 0.5, 0.2]), dots([0.3, 0.2, 1.0])]
PAIRS = np.array([(first, second) for first in range(PIXELS) for second in range(PIXELS)])


def cross(*constants):
    """Training pairs of planes: ("front", i) holds slot 0 at i, ("back", j) holds slot 1 at j."""
    kept = np.zeros(len(PAIRS), dtype=bool)
    for which, value in constants:
        kept |= PAIRS[:, 0 if which == "front" else 1] == value
    return PAIRS[kept], PAIRS[~kept]


@pytest.mark.parametrize(("sizes", "channels", "blocks"), [((4, 6), 3, 2), ((2, 3, 5), 2, 4)])
def test_addition_is_free_only_by_a_constant_that_moves_between_components(sizes, channels, blocks):
    rng = stream(0, "addition")
    values = [rng.normal(size=(size, blocks, channels)) for size in sizes]
    train = np.concatenate(
        [np.eye(len(sizes), dtype=int)[slot] * np.arange(size)[:, None] for slot, size in enumerate(sizes)]
    )
    test = np.array([[size - 1 for size in sizes], [1] * len(sizes)])
    found = leaks(addition_slope, values, train, test, compose=sum)
    assert found.null_dims == channels * (len(sizes) - 1)
    assert (found.null_by_block == channels * (len(sizes) - 1)).all()
    assert found.leak == pytest.approx(0.0, abs=1e-6)
    assert not found.free.any()
    assert found.size == pytest.approx(np.sqrt(channels * len(sizes)))


def test_two_separate_parts_of_training_leave_a_constant_each():
    """Addition, training inside {0, 1} x {0, 1} and {2} x {2, 3}: sums across the two parts are free, others not."""
    rng = stream(1, "parts")
    values = [rng.normal(size=(3, 2, 3)), rng.normal(size=(4, 2, 3))]
    train = np.array([[0, 0], [0, 1], [1, 0], [2, 2], [2, 3]])
    found = leaks(addition_slope, values, train, np.array([[1, 1], [0, 2], [2, 1]]), compose=sum)
    assert found.null_dims == 6
    assert found.free.tolist() == [[False, False], [True, True], [True, True]]


def test_a_value_that_training_never_shows_is_wholly_free():
    values = [stream(2, "unseen").normal(size=(3, 1, 2)), stream(3, "unseen").normal(size=(2, 1, 2))]
    train = np.array([[0, 0], [1, 0], [0, 1], [1, 1]])
    found = leaks(addition_slope, values, train, np.array([[2, 0]]))
    # Two directions of the constant and two of the unseen value. The constant is spread over the four seen values, so
    # one of them holds a quarter of it: 1 + 1/4 per channel.
    assert found.null_dims == 4
    assert found.leak[0, 0] == pytest.approx(np.sqrt(2 * (1 + 1 / 4)))


def test_hard_occlusion_frees_the_back_under_the_only_constant_front():
    compose = HardOcclusion().join
    train, test = cross(("front", 1), ("back", 4))
    found = leaks(hard_slope, DOTS, train, test, compose=compose)
    # Pixel 1 of any back but the fourth is never seen, and the test shows it whenever the front is elsewhere.
    expected = np.zeros((len(test), PIXELS), dtype=bool)
    expected[:, 1] = test[:, 0] != 1
    assert (found.free == expected).all()
    train, test = cross(("front", 1), ("front", 2), ("back", 4))
    assert not leaks(hard_slope, DOTS, train, test, compose=compose).free.any()


def test_null_directions_of_hard_occlusion_can_be_counted():
    """An empty front pixel has no slope: all fronts but the own dot, and here every back under the constant front."""
    train, test = cross(("front", 1), ("back", 4))
    found = leaks(hard_slope, DOTS, train, test)
    hidden_fronts = 3 * (PIXELS - 1)
    hidden_backs = [0, 3 * (PIXELS - 1), 0, 0, 0]
    assert found.null_by_block.tolist() == [hidden_fronts + backs for backs in hidden_backs]


def test_the_soft_composition_without_an_initial_point_leaves_a_constant_and_frees_overlaps():
    train, test = cross(("front", 1), ("back", 4))
    found = leaks(soft_slope, DOTS, train, test, compose=SoftOcclusion().join)
    assert found.null_dims == 3
    meet = test[:, 0] == test[:, 1]
    assert found.free[meet, test[meet, 0]].all()


@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 10**6), first=st.integers(2, 5), second=st.integers(2, 6))
def test_what_was_trained_on_does_not_leak_and_more_training_frees_nothing(seed, first, second):
    rng = stream(seed, "law")
    values = [rng.normal(size=(first, 2, 3)), rng.normal(size=(second, 2, 3))]
    pairs = np.array([(i, j) for i in range(first) for j in range(second)])
    order = rng.permutation(len(pairs))
    few, more = pairs[order[: len(pairs) // 2]], pairs[order[: 1 + 3 * len(pairs) // 4]]
    found, later = (leaks(soft_slope, values, train, pairs) for train in (few, more))
    assert found.leak[order[: len(few)]] == pytest.approx(0.0, abs=1e-5)
    assert (later.leak <= found.leak + 1e-5).all()
    assert (found.leak <= found.size * (1 + 1e-9)).all()
    assert (later.null_by_block <= found.null_by_block).all()


def test_it_is_the_null_space_of_the_stacked_rows():
    rng = stream(5, "naive")
    values = [rng.normal(size=(3, 2, 3)), rng.normal(size=(4, 2, 3))]
    train = np.array([[0, 0], [1, 1], [2, 2], [0, 3], [1, 0], [2, 3]])
    test = np.array([[2, 0], [0, 1]])

    def rows(tuples, block):
        stacked = np.zeros((len(tuples), 3, 3 * (3 + 4)))
        for number, (i, j) in enumerate(tuples):
            parts = [values[0][[i]], values[1][[j]]]
            stacked[number, :, 3 * i : 3 * i + 3] = soft_slope(0, parts)[0, block]
            stacked[number, :, 9 + 3 * j : 12 + 3 * j] = soft_slope(1, parts)[0, block]
        return stacked

    found = leaks(soft_slope, values, train, test)
    for block in range(2):
        _, sizes, directions = np.linalg.svd(rows(train, block).reshape(-1, 21))
        null = directions[int((sizes > 1e-9).sum()) :]
        assert found.null_by_block[block] == len(null)
        expected = np.linalg.norm(rows(test, block) @ null.T, axis=(1, 2))
        assert found.leak[:, block] == pytest.approx(expected, abs=1e-7)


def test_blocks_in_small_portions_give_the_same(monkeypatch):
    train, test = cross(("front", 1), ("back", 4))
    whole = leaks(soft_slope, DOTS, train, test)
    monkeypatch.setattr("recombine.theory.identifiability.ENTRIES", 2 * 30**2)
    assert leaks(soft_slope, DOTS, train, test).leak == pytest.approx(whole.leak, abs=1e-9)


@pytest.mark.parametrize(
    ("train", "test", "options", "message"),
    [
        (PAIRS[:0], PAIRS, {}, r"training tuples of shape \(0, 2\)"),
        (PAIRS, PAIRS[:, :1], {}, r"test tuples of shape \(25, 1\) must be \(tuples, 2\)"),
        (PAIRS, PAIRS + 1, {}, "test tuple 4 names value 5 of slot 1, which has 5"),
        (PAIRS, PAIRS, {"null": 1e-9}, "null = 1e-09 must lie in"),
    ],
)
def test_bad_tuples_are_refused(train, test, options, message):
    with pytest.raises(InputError, match=message):
        leaks(soft_slope, DOTS, train, test, **options)


def test_a_wrong_or_broken_derivative_is_placed():
    with pytest.raises(InputError, match=r"derivative for slot 0 is .* at the training tuples, tuple \d, block \d"):
        leaks(hard_slope, DOTS, PAIRS, PAIRS, compose=SoftOcclusion().join)
    with pytest.raises(InputError, match="derivative for slot 0 is nan at the training tuples, tuple 0, block 0"):
        leaks(lambda slot, parts: np.nan * soft_slope(slot, parts), DOTS, PAIRS, PAIRS)
