"""Bump images with a square hole, by theory alone: the figures our notes on forced rendering print.

N = 28, sigma = 1, hole 6..22. The notes do not state their conventions. These give every printed figure to its
last digit: codes of unit norm, no biases in the layers, a free intercept. They were found by trying a few; the
last test shows what another one changes.
"""

import numpy as np
import pytest

from recombine.theory.additive import additive_answer
from recombine.theory.scores import place_accuracy
from recombine.theory.solve import regress
from recombine.theory.tangent import relu_tangent_kernel

N = 28
Y, X = np.divmod(np.arange(N * N), N)
HOLE = (Y >= 6) & (Y <= 22) & (X >= 6) & (X <= 22)
INTERIOR = (Y >= 8) & (Y <= 20) & (X >= 8) & (X <= 20)  # at least 2 pixels from the edge
RIM = HOLE & ~((Y >= 7) & (Y <= 21) & (X >= 7) & (X <= 21))  # one pixel
PROFILE = np.exp(-np.square(np.arange(N)[:, None] - np.arange(N)) / 2)
DARK = 1 - np.einsum("yr,xc->yxrc", PROFILE, PROFILE).reshape(N * N, N * N)
CODES = {"one-hot": np.eye(N), "bump": PROFILE}


def answer(code: str, depth: int, unit: bool = True) -> np.ndarray:
    """Predicted images for every combination."""
    inputs = np.concatenate([CODES[code][X], CODES[code][Y]], axis=1)
    if unit:
        inputs /= np.linalg.norm(inputs, axis=1, keepdims=True)
    cross = relu_tangent_kernel(inputs, inputs[~HOLE], depth)
    return regress(cross[~HOLE], cross, DARK[~HOLE], bias=True).outputs


@pytest.fixture(scope="module")
def answers():
    return {(code, depth): answer(code, depth) for code in CODES for depth in (1, 3)}


def additive() -> np.ndarray:
    hidden = np.where(HOLE[:, None], np.nan, DARK).reshape(N, N, N, N)
    return additive_answer(hidden, HOLE.reshape(N, N)).reshape(N * N, N * N)


def mse(outputs: np.ndarray, where: np.ndarray) -> float:
    return float(np.square(outputs - DARK)[where].mean())


def test_blank_and_additive_errors():
    assert round(mse(np.ones_like(DARK), HOLE), 5) == 0.00401
    assert round(mse(additive(), HOLE), 5) == 0.00589


def test_the_additive_error_follows_from_the_profiles():
    """Products: the error is the mean of (u − ū)² times that of (v − v̄)², over the levels of the hole."""
    inside = (np.arange(N) >= 6) & (np.arange(N) <= 22)
    deviation = PROFILE[inside] - PROFILE[~inside].mean(axis=0)
    assert mse(additive(), HOLE) == pytest.approx(np.square(deviation).mean() ** 2)


@pytest.mark.parametrize(
    ("code", "depth", "where", "expected"),
    [
        ("one-hot", 1, HOLE, 0.0056),
        ("one-hot", 3, HOLE, 0.0052),
        ("bump", 1, HOLE, 0.0042),
        ("bump", 3, HOLE, 0.0041),
        ("bump", 1, INTERIOR, 0.0053),
        ("bump", 3, INTERIOR, 0.0050),
    ],
)
def test_tangent_kernel_errors(answers, code, depth, where, expected):
    assert round(mse(answers[code, depth], where), 4) == expected


@pytest.mark.parametrize("depth", [1, 3])
def test_one_hot_answers_are_the_additive_answer(answers, depth):
    correlation = np.corrcoef(answers["one-hot", depth][HOLE].ravel(), additive()[HOLE].ravel())[0, 1]
    assert correlation > 0.9985  # the notes print 0.999 to 1.000


def test_no_place_is_right_but_in_the_rim(answers):
    for (code, _), outputs in answers.items():
        assert place_accuracy(outputs[INTERIOR], DARK[INTERIOR], (N, N), dark=True) == 0.0
        if code == "bump":
            found = place_accuracy(outputs[HOLE], DARK[HOLE], (N, N), dark=True)
            assert found == pytest.approx(RIM.sum() / HOLE.sum())
            assert round(found, 2) == 0.22
            assert place_accuracy(outputs[RIM], DARK[RIM], (N, N), dark=True) == 1.0


def test_training_images_are_fitted(answers):
    for outputs in answers.values():
        assert mse(outputs, ~HOLE) < 1e-20


@pytest.mark.parametrize(("where", "expected"), [(HOLE, 0.0043), (INTERIOR, 0.0054)])
def test_the_norm_of_the_codes_shows_in_the_last_digit(where, expected):
    """Bumps at the border are clipped, so their codes are shorter; one hidden layer sees that."""
    assert round(mse(answer("bump", 1, unit=False), where), 4) == expected
