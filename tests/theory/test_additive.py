"""The additive answer: exact on sums, wrong on products by a known amount, and the same as least squares."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recombine.core.errors import InputError
from recombine.core.seeds import stream
from recombine.theory.additive import additive_answer, additive_fit
from recombine.theory.kernels import predict

MANY, WIDE, ROWS, COLUMNS = 6, 5, 3, 4
blocks = st.tuples(
    st.tuples(st.integers(0, MANY), st.integers(0, MANY)).map(sorted).filter(lambda r: 0 < r[1] - r[0] < MANY),
    st.tuples(st.integers(0, WIDE), st.integers(0, WIDE)).map(sorted).filter(lambda r: 0 < r[1] - r[0] < WIDE),
)


def hole(block) -> np.ndarray:
    (top, bottom), (left, right) = block
    mask = np.zeros((MANY, WIDE), dtype=bool)
    mask[top:bottom, left:right] = True
    return mask


def hidden(images: np.ndarray, held_out: np.ndarray) -> np.ndarray:
    """The images with the held-out ones wiped out, so that reading one shows."""
    return np.where(held_out[:, :, None, None], np.nan, images)


@given(seed=st.integers(0, 10**6), block=blocks)
@settings(deadline=None, max_examples=30)
def test_sums_are_completed_exactly(seed, block):
    rng = stream(seed, "sums")
    images = rng.normal(size=(MANY, 1, ROWS, COLUMNS)) + rng.normal(size=(1, WIDE, ROWS, COLUMNS))
    held_out = hole(block)
    assert additive_answer(hidden(images, held_out), held_out) == pytest.approx(images)
    assert additive_fit(hidden(images, held_out), held_out) == pytest.approx(images)


@given(seed=st.integers(0, 10**6), block=blocks)
@settings(deadline=None, max_examples=30)
def test_products_are_missed_by_the_product_of_deviations(seed, block):
    rng = stream(seed, "products")
    u, v = rng.normal(size=(MANY, 1, ROWS, 1)), rng.normal(size=(1, WIDE, 1, COLUMNS))
    held_out = hole(block)
    inside_y, inside_x = held_out.any(axis=1), held_out.any(axis=0)
    deviation = (u - u[~inside_y].mean(axis=0)) * (v - v[:, ~inside_x].mean(axis=1, keepdims=True))
    assert u * v - additive_answer(hidden(u * v, held_out), held_out) == pytest.approx(deviation)


@given(seed=st.integers(0, 10**6), block=blocks)
@settings(deadline=None, max_examples=30)
def test_inside_a_block_the_closed_form_is_the_least_squares_fit(seed, block):
    images, held_out = stream(seed, "any").normal(size=(MANY, WIDE, ROWS, COLUMNS)), hole(block)
    fit = additive_fit(hidden(images, held_out), held_out)
    assert additive_answer(hidden(images, held_out), held_out)[held_out] == pytest.approx(fit[held_out])


@given(seed=st.integers(0, 10**6), share=st.floats(0.2, 0.8))
@settings(deadline=None, max_examples=30)
def test_the_fit_is_the_kernel_that_adds_up_matches(seed, share):
    """For any held-out set, also with levels never seen: κ = (0, 1, 2) with minimum norm."""
    rng = stream(seed, "mask")
    images, held_out = rng.normal(size=(MANY, WIDE, ROWS, COLUMNS)), rng.random((MANY, WIDE)) < share
    held_out[2, 3] = False
    pairs = np.stack(np.divmod(np.arange(MANY * WIDE), WIDE), axis=1)
    targets = hidden(images, held_out).reshape(MANY * WIDE, -1)
    expected = predict(pairs, targets, ~held_out.ravel(), (0.0, 1.0, 2.0)).reshape(images.shape)
    assert additive_fit(hidden(images, held_out), held_out) == pytest.approx(expected, abs=1e-9)


def test_a_level_never_seen_contributes_nothing():
    images, held_out = np.ones((2, 3, 1, 1)), np.zeros((2, 3), dtype=bool)
    held_out[1] = True
    fit = additive_fit(hidden(images, held_out), held_out)[:, :, 0, 0]
    # a + b_x = 1 for three columns with least a² + Σ b_x²: a = 3/4, b_x = 1/4.
    assert fit == pytest.approx(np.array([[1.0] * 3, [0.25] * 3]))


def masks() -> dict[str, np.ndarray]:
    ring = np.ones((MANY, WIDE), dtype=bool)
    ring[1:-1, 1:-1] = False
    band = np.zeros((MANY, WIDE), dtype=bool)
    band[:, 2] = True
    return {"do not form a block of 6 by 5": ring, "covers all 6 levels of y": band, "all 30 combinations": ring | True}


@pytest.mark.parametrize(("message", "held_out"), masks().items(), ids=["ring", "band", "all"])
def test_bad_input_is_refused(message, held_out):
    with pytest.raises(InputError, match=message):
        additive_answer(np.zeros((MANY, WIDE, ROWS, COLUMNS)), held_out)


def test_a_broken_training_image_is_refused():
    images = np.zeros((MANY, WIDE, ROWS, COLUMNS))
    images[0, 1, 2, 3] = np.nan
    with pytest.raises(InputError, match="an image that is not held out holds values that are not finite"):
        additive_fit(images, hole(((2, 4), (2, 4))))
