"""The laws of the leak against kernel regression on real addition tasks."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recombine.core.errors import InputError
from recombine.core.seeds import stream
from recombine.theory.kernels import predict
from recombine.theory.leak import invariance_margin, leak, leak_general, partial_exposure_margin


def addition(first, second, anchors_first, anchors_second):
    """Pairs of items, their values, and which are seen: those with an anchor (a place, not a value) on either side."""
    pairs = np.array(list(product(range(len(first)), range(len(second)))))
    seen = np.isin(pairs[:, 0], anchors_first) | np.isin(pairs[:, 1], anchors_second)
    return pairs, np.asarray(first)[pairs[:, 0]], np.asarray(second)[pairs[:, 1]], seen


def slopes(u, v, answers):
    """Slopes along u and v and the offset of answers that are a plane, and how far they are from one."""
    design = np.stack([u, v, np.ones(len(u))], axis=1)
    plane = np.linalg.lstsq(design, answers)[0]
    return plane, np.abs(design @ plane - answers).max()


@given(
    seed=st.integers(0, 10**6),
    sizes=st.tuples(st.integers(5, 8), st.integers(5, 8)),
    anchors=st.tuples(st.integers(1, 3), st.integers(1, 3)),
    raw=st.tuples(st.floats(0.05, 1), st.floats(0.05, 1), st.floats(0.05, 1)),
    ridge=st.sampled_from([0.0, 0.05, 1.3]),
    none=st.sampled_from([0.0, 0.7]),
    span=st.sampled_from([1.0, 4.0]),
)
@settings(deadline=None, max_examples=60)
def test_the_general_law_on_arbitrary_values(seed, sizes, anchors, raw, ridge, none, span):
    """Values with any mean, components of different sizes, different anchors, any κ(0), ridge in units of the span."""
    rng = stream(seed, "leak")
    first, second = rng.normal(size=sizes[0]) + 2.0, rng.normal(size=sizes[1]) - 1.0
    chosen = rng.permutation(sizes[0])[: anchors[0]], rng.permutation(sizes[1])[: anchors[1]]
    pairs, u, v, seen = addition(first, second, *chosen)
    s1, s2, s12 = (share / sum(raw) for share in raw)
    similarity = {(0, 0): none, (1, 0): none + span * s1, (0, 1): none + span * s2, (1, 1): none + span}
    targets = np.where(seen, u + v, np.nan)
    answers = predict(pairs, targets, seen, similarity, solver="ridge", ridge=span * ridge)
    assert slopes(u[~seen], v[~seen], answers[~seen])[1] < 1e-10
    expected = leak_general(s1, s2, s12, anchors[0], anchors[1], ridge)
    # Values that happen to lie close together leave their slope badly determined, so answers are compared instead.
    centred = answers[~seen] - answers[~seen].mean()
    wanted = expected[0] * u[~seen] + expected[1] * v[~seen]
    assert centred == pytest.approx(wanted - wanted.mean(), abs=1e-10)


@pytest.mark.parametrize("s", [0.05, 0.3, 0.4264, 0.5])
@pytest.mark.parametrize("anchors", [(-4, 4), (-2, 2), (-1, 1), (-3, 3)])
def test_interpolation_and_extrapolation_leak_alike(s, anchors):
    values = np.arange(9) - 4.0
    places = [each + 4 for each in anchors]
    pairs, u, v, seen = addition(values, values, places, places)
    answers = predict(pairs, np.where(seen, u + v, np.nan), seen, (0.0, s, 1.0))
    assert answers[~seen] == pytest.approx(leak(s, 2) * (u + v)[~seen], abs=1e-10)


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("none", [0.0, 1.0, 30.0])
def test_without_zero_means_only_an_offset_is_added(bias, none):
    values = np.arange(9) - 4.0
    pairs, u, v, seen = addition(values, values, [0], [0])
    answers = predict(pairs, np.where(seen, u + v, np.nan), seen, np.array([0.0, 0.3, 1.0]) + none, bias=bias)
    plane, distance = slopes(u[~seen], v[~seen], answers[~seen])
    assert distance < 1e-10
    assert plane[:2] == pytest.approx([leak(0.3, 1)] * 2, abs=1e-10)
    assert abs(plane[2]) > 0.5


def test_the_limits():
    assert [leak(0.5, p) for p in (1, 2, 7)] == pytest.approx([1.0] * 3)
    assert [leak(0.0, p) for p in (1, 2, 7)] == [0.0] * 3
    assert leak(0.3, 1) == pytest.approx(0.3 / 0.7)
    assert leak(0.3, 2) == pytest.approx(0.6)
    assert leak(0.01, 10**9) == pytest.approx(1.0)
    assert leak_general(0.3, 0.2, 0.5, 2, 3, ridge=1e12) == pytest.approx((0.0, 0.0), abs=1e-11)
    assert leak_general(0.0, 1.0, 0.0, 2, 3) == (0.0, 1.0)


@given(s=st.floats(0.0, 0.5), p=st.integers(1, 50))
def test_the_general_law_contains_the_published_one(s, p):
    assert leak(s, p) == pytest.approx(p * s / (1 + (p - 2) * s))
    assert leak_general(s, s, 1 - 2 * s, p, p) == pytest.approx((leak(s, p), leak(s, p)))
    assert leak(s, p) <= leak(s, p + 1) + 1e-12


def test_each_slope_belongs_to_the_anchors_of_the_other_component():
    few, many = leak_general(0.3, 0.3, 0.4, anchors_first=5, anchors_second=1)
    assert (few, many) == pytest.approx((0.3 / 0.7, 1.5 / 1.9))


@pytest.mark.parametrize("k", [0.0, 0.1, 0.25, 0.4, 0.5])
def test_margins_of_invariance_and_partial_exposure(k):
    square, labels = np.array(list(product(range(2), range(2)))), np.array([-1.0, -1.0, 1.0, 1.0])
    invariance = predict(square, labels, square[:, 1] == 0, (0.0, k, 1.0)) * labels
    assert invariance[[1, 3]] == pytest.approx(invariance_margin(k))
    partial = predict(square, labels, np.array([True, True, True, False]), (0.0, k, 1.0)) * labels
    assert partial[3] == pytest.approx(partial_exposure_margin(k))
    assert (invariance_margin(0.5), partial_exposure_margin(0.5)) == (1.0, 1.0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: leak(0.6, 1), r"salience = 0.6 must lie between 0 and 1/2"),
        (lambda: leak(0.3, 0), "0 anchors leave a component unseen"),
        (lambda: leak_general(0.3, 0.3, 0.3, 1, 1), "sum to 0.9; they must sum to 1"),
        (lambda: leak_general(-0.1, 0.6, 0.5, 1, 1), r"salience first = -0.1 must lie between 0 and 1"),
        (lambda: leak_general(0.3, 0.3, 0.4, 1, 1, -1.0), r"ridge = -1.0 must be a finite number"),
        (lambda: invariance_margin(-0.1), r"salience = -0.1 must lie"),
        (lambda: partial_exposure_margin(0.7), r"salience = 0.7 must lie"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(InputError, match=message):
        call()
