"""Correlations against scipy, with an answer for constants."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from recombine.core.seeds import stream
from recombine.measures.correlation import pearson, rank_correlation


def test_rows_are_correlated_one_by_one():
    rng = stream(0, "measures", "pearson")
    a, b = rng.normal(size=(2, 3, 17))
    assert pearson(a, b) == pytest.approx([np.corrcoef(p, q)[0, 1] for p, q in zip(a, b, strict=True)])


@settings(deadline=None, max_examples=40)
@given(scale=st.floats(0.01, 100), offset=st.floats(-100, 100))
def test_a_straight_line_correlates_fully(scale, offset):
    a = np.array([[0.0, 1.0, 4.0, 2.5]])
    assert pearson(a, scale * a + offset) == pytest.approx([1.0])
    assert pearson(a, offset - scale * a) == pytest.approx([-1.0])


@settings(deadline=None, max_examples=40)
@given(value=st.floats(-1e6, 1e6), size=st.integers(2, 30))
def test_a_constant_correlates_with_nothing(value, size):
    rising = np.arange(size, dtype=float)[None]
    assert pearson(np.full((1, size), value), rising) == 0
    assert rank_correlation(np.full(size, value), rising[0]) == 0


@settings(deadline=None, max_examples=50)
@given(a=arrays(float, 8, elements=st.integers(0, 4)), b=arrays(float, 8, elements=st.integers(0, 4)))
def test_rank_correlation_is_spearmans_with_ties(a, b):
    from scipy.stats import spearmanr

    if np.ptp(a) and np.ptp(b):
        assert rank_correlation(a, b) == pytest.approx(spearmanr(a, b).statistic, abs=1e-12)
