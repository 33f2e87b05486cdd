"""The maximum-margin classifier against its definition and against a support vector machine."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recombine.core.errors import InputError
from recombine.core.seeds import stream
from recombine.theory import margin
from recombine.theory.margin import fit_margin, max_margin


def problem(seed: int, seen: int, scale: float = 1.0):
    rng = stream(seed, "margin")
    points = rng.normal(size=(seen + 5, 9))
    kernel = scale * np.exp(-np.square(points[:, None] - points[None]).sum(axis=-1) / 8)
    labels = np.where(rng.random(seen) < 0.6, 1.0, -1.0)
    labels[:2] = 1.0, -1.0
    return kernel[:seen, :seen], kernel[:, :seen], labels


@given(seed=st.integers(0, 10**6), seen=st.integers(3, 20), scale=st.sampled_from([1e-3, 1.0, 50.0]))
@settings(deadline=None, max_examples=30)
def test_it_is_the_support_vector_machine_without_slack(seed, seen, scale):
    from sklearn.svm import SVC

    gram, cross, labels = problem(seed, seen, scale)
    machine = SVC(kernel="precomputed", C=1e9 / scale, tol=1e-9).fit(gram, labels)
    decisions = max_margin(gram, cross, labels, bias=True)
    assert decisions == pytest.approx(machine.decision_function(cross), abs=1e-4)


@given(seed=st.integers(0, 10**6), seen=st.integers(3, 20), bias=st.booleans())
@settings(deadline=None, max_examples=30)
def test_margins_are_at_least_one_and_some_are_one(seed, seen, bias):
    gram, cross, labels = problem(seed, seen)
    margins = labels * max_margin(gram, cross, labels, bias=bias)[:seen]
    assert margins.min() == pytest.approx(1.0, abs=1e-6)


@given(seed=st.integers(0, 10**6), seen=st.integers(3, 12))
@settings(deadline=None, max_examples=30)
def test_no_feasible_direction_is_shorter(seed, seen):
    """Without a bias: f minimises fᵀ K⁻¹ f over all f with y f ≥ 1, so no feasible change lowers it."""
    gram, cross, labels = problem(seed, seen)
    decisions = max_margin(gram, cross, labels)[:seen]
    weights = np.linalg.solve(gram, decisions)
    margins = labels * decisions
    # The conditions of Karush, Kuhn and Tucker: forces push outwards only, and only at the margin.
    assert (labels * weights).min() > -1e-6
    assert np.abs(weights[margins > 1 + 1e-6]).max(initial=0.0) < 1e-6


@given(seed=st.integers(0, 10**6), seen=st.integers(3, 20), bias=st.booleans(), scale=st.sampled_from([0.01, 30.0]))
@settings(deadline=None, max_examples=30)
def test_dual_coefficients_give_the_decisions_and_the_margin(seed, seen, bias, scale):
    gram, cross, labels = problem(seed, seen, scale)
    fit = fit_margin(gram, cross, labels, bias=bias)
    assert (fit.outputs == max_margin(gram, cross, labels, bias=bias)).all()
    assert cross @ fit.weights + fit.intercept == pytest.approx(fit.outputs)
    assert (labels * fit.weights >= 0).all()
    # Strong duality: the sum of the multipliers is ‖w‖².
    assert np.abs(fit.weights).sum() == pytest.approx(fit.margin**-2, rel=1e-5)
    assert fit.weights.sum() == pytest.approx(0.0, abs=1e-5 * np.abs(fit.weights).sum()) or not bias
    assert bias or fit.intercept == 0.0


def test_two_orthogonal_examples_in_closed_form():
    fit = fit_margin(4 * np.eye(2), 4 * np.eye(2), np.array([1.0, -1.0]))
    assert fit.weights == pytest.approx([0.25, -0.25])
    assert fit.margin == pytest.approx(np.sqrt(2))  # half the distance of (2, 0) and (0, 2)


def test_examples_of_one_class_need_only_the_bias():
    fit = fit_margin(np.eye(3), np.ones((4, 3)), np.ones(3), bias=True)
    assert fit.outputs == pytest.approx(1.0)
    assert fit.intercept == pytest.approx(1.0)
    assert fit.margin > 1e3  # infinite, but for the next to nothing that a bias costs


def test_labels_that_cannot_be_separated_are_refused():
    same = np.ones((2, 2))
    with pytest.raises(InputError, match="the 2 seen labels cannot be separated"):
        max_margin(same, same, np.array([1.0, -1.0]), bias=True)


def test_the_search_stops_at_its_cap_and_says_so(monkeypatch):
    gram, cross, labels = problem(1, 20)
    monkeypatch.setattr(margin, "STEPS_PER_EXAMPLE", 0.1)
    with pytest.raises(InputError, match="stopped at its cap of 2 steps without an answer for 20 seen labels"):
        max_margin(gram, cross, labels)


def test_an_indefinite_kernel_is_refused():
    with pytest.raises(InputError, match="negative eigenvalue -1 "):
        max_margin(np.array([[1.0, 2.0], [2.0, 1.0]]), np.eye(2), np.array([1.0, -1.0]))


def test_labels_are_signs():
    with pytest.raises(InputError, match="label 0 must be -1 or \\+1"):
        max_margin(np.eye(2), np.eye(2), np.array([1.0, 0.0]))
