"""Conjugate gradients on an overlap kernel that is never written down, against the kernel written down."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recombine.core.errors import InputError
from recombine.core.seeds import stream
from recombine.theory.kernels import overlap_kernel, readout
from recombine.theory.overlap_solve import OverlapOperator, overlap_regression
from recombine.theory.salience import conjunction_flags, similarity_from_salience

SHAPES = [(4, 5), (2, 3, 4), (3, 2, 2, 3)]


def grid(*sizes: int) -> np.ndarray:
    return np.indices(sizes).reshape(len(sizes), -1).T


def drawn(seed: int, shape: tuple[int, ...], by_flags: bool):
    """Rows, targets, a random half of them seen, and a similarity whose saliences are all positive."""
    rng = stream(seed, "overlap")
    rows = grid(*shape)
    seen = rng.random(len(rows)) < 0.5
    seen[rng.choice(len(rows), 2, replace=False)] = True
    parts = rng.dirichlet(np.ones(2 ** len(shape) - 1 if by_flags else len(shape))) + 0.02
    shares = dict(zip(conjunction_flags(len(shape))[1:], parts.tolist(), strict=True)) if by_flags else parts
    return rows, rng.normal(size=len(rows)), seen, similarity_from_salience(shares, none=0.2)


@given(seed=st.integers(0, 10**6), shape=st.sampled_from(SHAPES), bias=st.booleans(), by_flags=st.booleans())
@settings(deadline=None, max_examples=60)
def test_it_is_the_minimum_norm_readout(seed, shape, bias, by_flags):
    rows, targets, seen, similarity = drawn(seed, shape, by_flags)
    found = overlap_regression(rows, np.where(seen, targets, np.nan), seen, similarity, bias=bias)
    plain = readout(rows, targets, seen, similarity, "min-norm", bias=bias)
    scale = np.abs(plain.weights).max()
    np.testing.assert_allclose(found.outputs, plain.outputs, atol=1e-8)
    np.testing.assert_allclose(found.weights, plain.weights, atol=1e-8 * scale)
    assert float(found.intercept) == pytest.approx(float(plain.intercept), abs=1e-8)
    assert found.outputs[seen] == pytest.approx(targets[seen], abs=1e-8)


@pytest.mark.parametrize("by_flags", [False, True])
def test_the_operator_is_the_kernel(by_flags):
    rows, _, seen, similarity = drawn(3, (2, 3, 4), by_flags)
    operator = OverlapOperator(rows, seen, similarity)
    kernel = overlap_kernel(rows, rows[seen], similarity)
    weights = stream(4, "weights").normal(size=int(seen.sum()))
    np.testing.assert_allclose(operator.everywhere(weights), kernel @ weights, atol=1e-12)
    np.testing.assert_allclose(kernel[seen] @ operator.solve(weights), weights, atol=1e-9)


def test_zero_targets_need_no_step():
    rows, _, seen, similarity = drawn(1, (4, 5), False)
    assert not overlap_regression(rows, np.zeros(20), seen, similarity).outputs.any()


def test_a_negative_salience_is_refused():
    rows, targets, seen, _ = drawn(1, (4, 5), False)
    with pytest.raises(InputError, match=r"negative salience -0\.8, so its kernel may have negative eigenvalues"):
        overlap_regression(rows, targets, seen, (0.0, 0.9, 1.0))


def test_a_kernel_that_cannot_fit_is_refused():
    rows, targets, seen, _ = drawn(1, (4, 5), False)
    with pytest.raises(InputError, match="gives whole combinations no salience of their own"):
        overlap_regression(rows, targets, seen, (0.0, 0.5, 1.0))


def test_steps_are_capped(monkeypatch):
    from recombine.theory import overlap_solve

    rows, targets, seen, similarity = drawn(1, (4, 5), False)
    monkeypatch.setattr(overlap_solve, "MOST_STEPS", 2)
    with pytest.raises(InputError, match="did not settle in 2 steps"):
        overlap_regression(rows, targets, seen, similarity)
