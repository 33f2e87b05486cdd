"""The pulled-back metric against closed forms, and the bounds and invariances of the factorisation score."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from recombine.core.errors import InputError
from recombine.core.seeds import stream
from recombine.measures import factorisation_score, measures, pullback_metric

Y, X = np.indices((5, 7)).astype(float)


def at_angle(theta, shape=(9, 11)):
    """x moves along one axis, y at an angle theta to it; the score is 1 − |cos theta|/2."""
    y, x = np.indices(shape).reshape(2, -1).astype(float)
    return np.stack([x + np.cos(theta) * y, np.sin(theta) * y], axis=1)


def test_a_linear_embedding_has_the_metric_of_its_columns():
    along_y, along_x = np.array([1.0, 2.0, -1.0, 0.5]), np.array([3.0, 0.0, 1.0, 1.0])
    g11, g22, g12 = pullback_metric(Y[..., None] * along_y + X[..., None] * along_x)
    assert g11 == pytest.approx(np.full((5, 7), along_x @ along_x))
    assert g22 == pytest.approx(np.full((5, 7), along_y @ along_y))
    assert g12 == pytest.approx(np.full((5, 7), along_x @ along_y))


def test_features_in_blocks_equal_numpys_gradient_in_one_piece(monkeypatch):
    activations = stream(0, "measures", "metric").normal(size=(5, 7, 11))
    along_y, along_x = np.gradient(activations, axis=(0, 1))
    monkeypatch.setattr("recombine.measures.metric_tensor.BLOCK", 4)  # 4 + 4 + 3
    g11, g22, g12 = pullback_metric(activations)
    assert g11 == pytest.approx(np.square(along_x).sum(-1))
    assert g22 == pytest.approx(np.square(along_y).sum(-1))
    assert g12 == pytest.approx((along_x * along_y).sum(-1))


def test_a_torus_has_the_same_metric_everywhere():
    # cos and sin of 2π i / n: the central difference has length sin(2π/n), at the seam as well.
    turn = 2 * np.pi * np.stack([Y / 5, X / 7], axis=-1)
    g11, g22, g12 = pullback_metric(np.concatenate([np.cos(turn), np.sin(turn)], axis=-1), periodic=True)
    assert g11 == pytest.approx(np.full((5, 7), np.sin(2 * np.pi / 7) ** 2))
    assert g22 == pytest.approx(np.full((5, 7), np.sin(2 * np.pi / 5) ** 2))
    assert g12 == pytest.approx(np.zeros((5, 7)), abs=1e-15)


@pytest.mark.parametrize("code", ["one-hot", "bump", "ramp"])
def test_input_codes_are_factorised_exactly(from_ink, bumps, one_hot_code, code):
    shape = (9, 11)
    near = [np.exp(-np.square(np.subtract.outer(np.arange(n), np.arange(n))) / 2) for n in shape]
    y, x = np.indices(shape).reshape(2, -1)
    codes = {
        "one-hot": one_hot_code(),
        "bump": np.concatenate([near[0][y], near[1][x]], axis=1),
        "ramp": np.stack([y, x], axis=1).astype(float),
    }
    output = bumps()
    evidence = from_ink(output, layers={"input": codes[code], "output": output.reshape(99, -1)})
    assert measures["factorisation_input"](evidence) == 1.0


@pytest.mark.parametrize(("n", "sigma", "score"), [(28, 1.0, 0.99995), (32, 1.5, 0.9998)])
def test_true_pictures_are_factorised_but_for_their_clipped_corners(bumps, n, sigma, score):
    assert factorisation_score(bumps((n, n), sigma).reshape(n, n, -1)) == pytest.approx(score, abs=1e-5)


@pytest.mark.parametrize("theta", np.linspace(0, np.pi, 7))
def test_the_score_is_one_minus_half_the_cosine(theta):
    assert factorisation_score(at_angle(theta).reshape(9, 11, 2)) == pytest.approx(1 - abs(np.cos(theta)) / 2)


def test_a_layer_that_does_not_move_scores_one():
    assert factorisation_score(np.full((3, 4, 5), 0.1)) == 1.0


numbers = st.floats(-1e3, 1e3, allow_subnormal=False)


@settings(deadline=None, max_examples=60)
@given(activations=arrays(float, st.tuples(st.integers(2, 5), st.integers(2, 6), st.integers(1, 4)), elements=numbers))
def test_the_score_lies_between_a_half_and_one(activations):
    assert 0.5 <= factorisation_score(activations) <= 1.0


@settings(deadline=None, max_examples=30)
@given(scale=st.floats(0.1, 1e6), seed=st.integers(0, 100))
def test_scaling_and_shifting_change_nothing(scale, seed):
    activations = stream(seed, "measures", "scale").normal(size=(4, 6, 3))
    expected = factorisation_score(activations)
    assert factorisation_score(scale * activations + 7) == pytest.approx(expected, abs=1e-6)


def test_the_score_is_not_indifferent_to_mixing():
    activations = at_angle(np.pi / 2).reshape(9, 11, 2)
    assert factorisation_score(activations @ np.array([[1.0, 0.0], [0.9, 0.1]])) < 0.7


def test_single_precision_loses_nothing_that_matters():
    activations = stream(1, "measures", "float32").normal(size=(4, 6, 9000)).astype(np.float32)
    assert factorisation_score(activations) == pytest.approx(factorisation_score(activations.astype(float)), abs=1e-12)


def test_fall_and_trend_follow_the_layers_in_order(from_ink, bumps):
    angles = {"first": 1.4, "second": 1.2, "third": 0.3}
    evidence = from_ink(bumps(), hidden={name: at_angle(theta) for name, theta in angles.items()})
    scores = {name: 1 - np.cos(theta) / 2 for name, theta in angles.items()}
    by_layer = measures["factorisation"](evidence)
    assert list(by_layer) == ["input", "first", "second", "third", "output"]
    assert {name: by_layer[name] for name in angles} == pytest.approx(scores)
    assert measures["factorisation_fall"](evidence) == pytest.approx(1 - scores["third"])
    slope = np.polyfit([0, 1, 2], list(scores.values()), 1)[0]
    assert slope < -0.1
    assert measures["factorisation_trend"](evidence) == pytest.approx(slope)


def test_a_slope_needs_two_hidden_layers_and_a_grid_two_levels(from_ink, bumps):
    with pytest.raises(InputError, match="has 1 hidden layers and the measure needs at least 2"):
        measures["factorisation_trend"](from_ink(bumps(), hidden={"only": at_angle(1.0)}))
    with pytest.raises(InputError, match="has 0 hidden layers and the measure needs at least 1"):
        measures["factorisation_fall"](from_ink(bumps()))
    with pytest.raises(InputError, match=r"at least 2 levels of y and of x, got \(1, 7\)"):
        factorisation_score(np.zeros((1, 7, 3)))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_activations_that_are_not_finite_are_refused(bad):
    with pytest.raises(InputError, match="not all finite"):
        factorisation_score(np.full((4, 5, 3), bad))
