"""Infinite-width kernels against closed forms, limits, symmetries and wide random networks."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recombine.core.errors import InputError
from recombine.core.seeds import stream
from recombine.theory.kernels import overlap_kernel
from recombine.theory.tangent import relu_nngp_kernel, relu_tangent_kernel

KERNELS = {"tangent": relu_tangent_kernel, "nngp": relu_nngp_kernel}


def codes(seed: int, items: int = 5, inputs: int = 3) -> np.ndarray:
    return stream(seed, "codes").normal(size=(items, inputs))


@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
def test_without_hidden_layers_the_kernel_is_linear(kernel):
    a, b = codes(0), codes(1, items=4)
    assert kernel(a, b, depth=0, bias=0.3) == pytest.approx(a @ b.T / 3 + 0.3)


def test_one_hidden_layer_has_a_closed_form():
    """At right angles κ_1 = 1/π and κ_0 = 1/2; for opposite codes both vanish; for equal ones both are 1."""
    a = np.array([[2.0, 0.0]])
    b = np.array([[0.0, 3.0], [-4.0, 0.0], [5.0, 0.0], [3.0, 3.0]])
    turned = np.sqrt(18) * 2 / 2  # |a||b| / inputs for the last one, at 45 degrees
    sigma = [3 / np.pi, 0.0, 5.0, turned * (np.sqrt(0.5) + 0.75 * np.pi * np.sqrt(0.5)) / np.pi]
    assert relu_nngp_kernel(a, b, depth=1) == pytest.approx(np.array([sigma]))
    theta = np.array(sigma) + np.array([0.0, 0.0, 5.0, 3.0 * 0.75])
    assert relu_tangent_kernel(a, b, depth=1) == pytest.approx(theta[None])


@given(seed=st.integers(0, 10**6), depth=st.integers(0, 6), bias=st.sampled_from([0.0, 0.1, 2.0]))
@settings(deadline=None, max_examples=30)
def test_the_diagonal_has_a_closed_form(seed, depth, bias):
    a = codes(seed)
    size = np.square(a).mean(axis=1)
    assert np.diag(relu_nngp_kernel(a, a, depth, bias)) == pytest.approx(size + (depth + 1) * bias)
    expected = (depth + 1) * size + bias * (depth + 1) * (depth + 2) / 2
    assert np.diag(relu_tangent_kernel(a, a, depth, bias)) == pytest.approx(expected)


@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
@given(seed=st.integers(0, 10**6), depth=st.integers(0, 5), bias=st.sampled_from([0.0, 0.5]))
@settings(deadline=None, max_examples=20)
def test_symmetric_positive_and_the_same_for_turned_codes(kernel, seed, depth, bias):
    a, b = codes(seed, items=9), codes(seed + 1, items=4)
    gram = kernel(a, a, depth, bias)
    assert gram == pytest.approx(gram.T)
    assert np.linalg.eigvalsh(gram).min() > -1e-9
    rotation, _ = np.linalg.qr(stream(seed, "rotation").normal(size=(3, 3)))
    assert kernel(a @ rotation, b @ rotation, depth, bias) == pytest.approx(kernel(a, b, depth, bias))
    assert kernel(b, a, depth, bias) == pytest.approx(kernel(a, b, depth, bias).T)


@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
def test_without_biases_the_kernel_grows_with_each_code(kernel):
    a, b = codes(2), codes(3, items=4)
    assert kernel(3 * a, 5 * b, depth=3) == pytest.approx(15 * kernel(a, b, depth=3))


def test_great_depth_ends_in_a_look_up_table():
    """Θ / (depth + 1) goes to 1 for equal and to 1/4 for different directions; Σ goes to 1 for all."""
    a = codes(4)
    a *= np.sqrt(3) / np.linalg.norm(a, axis=1, keepdims=True)  # |a|² / inputs = 1
    apart = ~np.eye(5, dtype=bool)
    errors = []
    for depth in (30, 300, 3000):
        theta = relu_tangent_kernel(a, a, depth) / (depth + 1)
        assert np.diag(theta) == pytest.approx(1.0)
        errors.append(np.abs(theta[apart] - 0.25).max())
    assert errors[0] > 3 * errors[1] > 9 * errors[2]
    assert errors[2] < 0.01
    assert relu_nngp_kernel(a, a, 3000) == pytest.approx(1.0, abs=1e-4)


@pytest.mark.parametrize("bias", [0.0, 0.2])
def test_wide_random_networks_have_these_kernels(bias):
    """Two hidden layers of 3000 units: inner products of activations and of gradients, by hand."""
    width, a = 3000, codes(5, items=4)
    rng = stream(0, "network")
    biases = [np.sqrt(bias) * rng.normal(size=width) for _ in range(2)]
    first, second = rng.normal(size=(3, width)), rng.normal(size=(width, width))
    before_1 = a @ first / np.sqrt(3) + biases[0]
    unit_1 = np.maximum(before_1, 0)
    before_2 = unit_1 @ second * np.sqrt(2 / width) + biases[1]
    unit_2 = np.maximum(before_2, 0)
    nngp = 2 * unit_2 @ unit_2.T / width + bias
    assert nngp == pytest.approx(relu_nngp_kernel(a, a, 2, bias), rel=0.1, abs=0.03)
    # Gradients of the output √(2/width) v·unit_2: backwards through v, then through the second layer.
    readout = rng.normal(size=width) * np.sqrt(2 / width)
    into_2 = readout * (before_2 > 0)
    into_1 = (into_2 @ second.T) * np.sqrt(2 / width) * (before_1 > 0)
    inside = (into_2 @ into_2.T) * (2 * unit_1 @ unit_1.T / width + bias)
    tangent = nngp + inside + (into_1 @ into_1.T) * (a @ a.T / 3 + bias)
    assert tangent == pytest.approx(relu_tangent_kernel(a, a, 2, bias), rel=0.1, abs=0.06)


@pytest.mark.parametrize("depth", [0, 1, 3])
@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
def test_on_one_hot_pairs_the_kernel_counts_matches(kernel, depth):
    pairs = np.array(list(product(range(3), range(5))))
    hot = np.concatenate([np.eye(3)[pairs[:, 0]], np.eye(5)[pairs[:, 1]]], axis=1)
    gram = kernel(hot, hot, depth, 0.1)
    similarity = (gram[0, 6], gram[0, 1], gram[0, 0])  # (0,0) with (1,1), (0,1) and itself
    assert similarity[0] < similarity[1] < similarity[2]
    assert overlap_kernel(pairs, pairs, similarity) == pytest.approx(gram)


def test_a_code_of_zeros_has_a_kernel_of_zeros():
    zero = np.zeros((1, 3))
    assert relu_tangent_kernel(zero, codes(6), 2).tolist() == [[0.0] * 5]
    assert relu_tangent_kernel(zero, zero, 2).tolist() == [[0.0]]


@pytest.mark.parametrize(
    ("depth", "bias", "message"),
    [
        (-1, 0.0, "depth = -1 must be a whole number"),
        (2, -0.5, "bias = -0.5 must be a finite variance"),
    ],
)
def test_bad_input_is_refused(depth, bias, message):
    with pytest.raises(InputError, match=message):
        relu_tangent_kernel(codes(0), codes(1), depth, bias)
