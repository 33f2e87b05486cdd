"""Kernel regression against naive solutions, limits and the laws it must obey."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recombine.core.errors import InputError
from recombine.core.seeds import stream
from recombine.theory import solve
from recombine.theory.solve import regress

seeds = st.integers(0, 10**6)


def problem(seed: int, seen: int = 7, asked: int = 5, features: int = 12, outputs: int = 3):
    """Features, and the targets of the seen rows (the first ones); kernels are inner products of features."""
    rng = stream(seed, "regression")
    rows = rng.normal(size=(seen + asked, features))
    return rows[:seen] @ rows[:seen].T, rows @ rows[:seen].T, rng.normal(size=(seen, outputs)), rows


@given(seed=seeds)
@settings(deadline=None, max_examples=25)
def test_minimum_norm_equals_the_pseudo_inverse_of_the_features(seed):
    gram, cross, targets, rows = problem(seed)
    fit = regress(gram, cross, targets)
    assert fit.outputs == pytest.approx(rows @ (np.linalg.pinv(rows[:7]) @ targets), abs=1e-8)
    assert fit.outputs[:7] == pytest.approx(targets, abs=1e-8)
    assert (fit.rank, fit.definite) == (7, True)


@given(seed=seeds, ridge=st.sampled_from([1e-3, 0.1, 7.0]))
@settings(deadline=None, max_examples=25)
def test_ridge_equals_ridge_regression_on_the_features(seed, ridge):
    gram, cross, targets, rows = problem(seed)
    weights = np.linalg.solve(rows[:7].T @ rows[:7] + ridge * np.eye(12), rows[:7].T @ targets)
    assert regress(gram, cross, targets, ridge=ridge).outputs == pytest.approx(rows @ weights, abs=1e-8)


@given(seed=seeds, ridge=st.sampled_from([0.0, 0.3]))
@settings(deadline=None, max_examples=25)
def test_a_bias_costs_nothing(seed, ridge):
    """With a bias the answer is that of a kernel plus a huge constant, and shifting the targets shifts the answer."""
    gram, cross, targets, _ = problem(seed)
    fit = regress(gram, cross, targets, ridge=ridge, bias=True)
    huge = regress(gram + 1e7, cross + 1e7, targets, ridge=ridge)
    assert fit.outputs == pytest.approx(huge.outputs, abs=1e-4)
    shifted = regress(gram, cross, targets + 5.0, ridge=ridge, bias=True)
    assert shifted.outputs == pytest.approx(fit.outputs + 5.0, abs=1e-8)
    assert fit.weights.sum(axis=0) == pytest.approx(0.0, abs=1e-10)


def test_a_bias_is_unmoved_by_a_constant_in_the_kernel():
    gram, cross, targets, _ = problem(3)
    plain = regress(gram, cross, targets, bias=True)
    moved = regress(gram + 1e4, cross + 1e4, targets, bias=True)
    assert moved.outputs == pytest.approx(plain.outputs, abs=1e-7)
    assert moved.rank == plain.rank == 6  # one direction belongs to the constant


@pytest.mark.parametrize("count", [50, 495])
def test_the_constant_direction_is_not_taken_for_a_real_one(count):
    """Centring n numbers leaves rounding that grows with n; the rank is exactly n − 1 all the same."""
    rng = stream(count, "large")
    gram = 5.0 + np.eye(count) + 0.1 * np.cov(rng.normal(size=(count, 3 * count)))
    targets = rng.normal(size=(count, 2))
    fit = regress(gram, gram, targets, bias=True)
    assert fit.rank == count - 1
    assert np.abs(fit.weights.sum(axis=0)).max() < 1e-12
    assert fit.outputs == pytest.approx(targets, abs=1e-9)


@pytest.mark.parametrize("value", [0.0, 3.0])
def test_a_constant_kernel_knows_only_the_mean(value):
    gram, targets = np.full((4, 4), value), np.array([1.0, 2.0, 3.0, 6.0])
    fit = regress(gram, np.full((2, 4), value), targets, bias=True)
    assert fit.rank == 0
    assert fit.outputs == pytest.approx([3.0, 3.0])


def test_targets_that_cannot_be_interpolated_get_the_least_squares_fit():
    gram, cross, targets, rows = problem(1, features=4)
    fit = regress(gram, cross, targets)
    assert fit.rank == 4
    assert fit.outputs == pytest.approx(rows @ np.linalg.lstsq(rows[:7], targets)[0], abs=1e-9)


def test_the_limits_of_the_ridge():
    gram, cross, targets, _ = problem(2)
    plain = regress(gram, cross, targets)
    assert regress(gram, cross, targets, ridge=1e-9).outputs == pytest.approx(plain.outputs, abs=1e-5)
    assert regress(gram, cross, targets, ridge=1e12).outputs == pytest.approx(0.0, abs=1e-8)
    flat = np.broadcast_to(targets.mean(axis=0), (12, 3))
    assert regress(gram, cross, targets, ridge=1e12, bias=True).outputs == pytest.approx(flat, abs=1e-8)


def test_scaling_the_kernel_changes_nothing_without_a_ridge():
    gram, cross, targets, _ = problem(4)
    small = regress(1e-9 * gram, 1e-9 * cross, targets)
    assert small.outputs == pytest.approx(regress(gram, cross, targets).outputs, abs=1e-8)


def test_single_precision_kernels_are_not_trusted_beyond_their_digits():
    gram, cross, targets, _ = problem(5, seen=30, features=6)
    assert regress(gram.astype(np.float32), cross, targets).rank == 6
    # The same noise in double precision passes for 30 real directions.
    assert regress(gram.astype(np.float32).astype(np.float64), cross, targets).rank == 30


def test_one_column_of_targets_may_be_a_vector():
    gram, cross, targets, _ = problem(6)
    for bias in (False, True):
        column = regress(gram, cross, targets[:, 1], ridge=0.2, bias=bias)
        both = regress(gram, cross, targets, ridge=0.2, bias=bias)
        assert column.outputs == pytest.approx(both.outputs[:, 1])
        assert column.intercept == pytest.approx(both.intercept[1])


def test_an_indefinite_kernel_is_solved_and_reported():
    gram = np.array([[1.0, 2.0], [2.0, 1.0]])
    fit = regress(gram, gram, np.array([3.0, -1.0]))
    assert fit.outputs == pytest.approx([3.0, -1.0])
    assert not fit.definite


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"targets": np.array([1.0, np.nan])}, "targets of seen items holds 1 values that are not finite"),
        ({"gram_seen": np.full((2, 2), np.inf)}, "gram matrix holds 4 values"),
        ({"ridge": -0.1}, "ridge = -0.1 must be a finite number of at least 0"),
        ({"gram_seen": np.zeros((0, 0)), "cross": np.zeros((3, 0)), "targets": np.zeros(0)}, "0 seen items"),
    ],
)
def test_bad_input_is_refused(change, message):
    good = {"gram_seen": np.eye(2), "cross": np.ones((3, 2)), "targets": np.ones(2), "ridge": 0.0}
    with pytest.raises(InputError, match=message):
        regress(**(good | change))


@given(seed=seeds, ridge=st.sampled_from([0.0, 0.3]), bias=st.booleans())
@settings(deadline=None, max_examples=25)
def test_where_nothing_is_dropped_a_factor_says_what_eigenvectors_say(seed, ridge, bias):
    gram, cross, targets, _ = problem(seed)
    quick = regress(gram, cross, targets, ridge=ridge, bias=bias)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(solve, "_of_full_rank", lambda *_: None)
        careful = regress(gram, cross, targets, ridge=ridge, bias=bias)
    assert (quick.rank, quick.definite) == (careful.rank, careful.definite) == (7 - bias, True)
    for name in ("outputs", "weights", "intercept"):
        assert getattr(quick, name) == pytest.approx(getattr(careful, name), rel=1e-6, abs=1e-8)


@pytest.mark.parametrize("lowest", [-1.0, 0.0, 1e-17])
def test_a_factor_is_not_taken_where_an_eigenvalue_is_as_good_as_zero(lowest):
    turned = np.linalg.qr(stream(0, "turned").normal(size=(9, 9)))[0]
    gram = turned @ np.diag([lowest, *range(1, 9)]) @ turned.T
    assert solve._of_full_rank(gram, np.ones((9, 2)), 0.0, 1e-13) is None
    assert solve._of_full_rank(gram + np.eye(9) * 2, np.ones((9, 2)), 0.0, 1e-13) is not None
