"""Random layers against simulated ones, against the curves of Lippl & Stachenfeld (App. B), and at great depth."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recombine.core.errors import InputError
from recombine.core.seeds import stream
from recombine.theory import kernels
from recombine.theory.random_layers import NONLINEARITIES, random_layers, salience_by_depth
from recombine.theory.salience import salience

ACTIVATIONS = {
    "relu": lambda x: np.maximum(x, 0),
    "leaky": lambda x: np.maximum(x, 0.1 * x),
    "step": lambda x: (x > 0).astype(float),
    "rectified-quadratic": lambda x: np.maximum(x, 0) ** 2,
    "gaussian": lambda x: np.exp(-(x**2)),
}


def multi_hot(components: int) -> np.ndarray:
    return np.arange(components + 1) / components


@pytest.mark.parametrize("nonlinearity", NONLINEARITIES)
@pytest.mark.parametrize("u", [-0.3, 0.0, 0.25, 0.8])
def test_one_layer_is_the_mean_product_of_activations(nonlinearity, u):
    """E[φ(x) φ(y)] for Gaussians x, y of variance 1 and correlation u, by quadrature, up to the scale of φ."""
    activation = ACTIVATIONS[nonlinearity]
    # Polar coordinates put the kinks of φ on rays, where a fine midpoint rule sees them; r by Gauss-Laguerre.
    count = 20_000
    angle = (np.arange(count) + 0.5) * 2 * np.pi / count
    half_square, weight = np.polynomial.laguerre.laggauss(60)
    radius = np.sqrt(2 * half_square)

    def mean_product(correlation: float) -> float:
        first = np.cos(angle)
        second = correlation * first + np.sqrt(1 - correlation**2) * np.sin(angle)
        products = activation(np.outer(radius, first)) * activation(np.outer(radius, second))
        return float(weight @ products.mean(axis=1))

    expected = mean_product(u) / mean_product(1.0)
    found = random_layers((u, 1.0), nonlinearity)
    assert found[0] / found[1] == pytest.approx(expected, abs=2e-4)


@pytest.mark.parametrize(
    ("nonlinearity", "depth", "expected"),
    [("relu", L, S) for L, S in enumerate([0.5, 0.4264, 0.3756, 0.3373, 0.3070, 0.2822])]
    + [("relu", 10, 0.2033), ("relu", 20, 0.1325)]
    + [("leaky", 1, 0.4460), ("leaky", 5, 0.3203), ("leaky", 20, 0.1634)]
    + [("step", 1, 0.3333), ("step", 5, 0.0311), ("rectified-quadratic", 1, 0.3654), ("rectified-quadratic", 5, 0.1010)]
    + [("gaussian", 1, 0.1776), ("gaussian", 5, 0.0847), ("gaussian", 20, 0.0631)],
)
def test_salience_of_one_of_two_components(nonlinearity, depth, expected):
    assert salience(random_layers(multi_hot(2), nonlinearity, depth))[0] == pytest.approx(expected, abs=5e-5)
    assert salience_by_depth(2, nonlinearity, depth)[-1, 0] == pytest.approx(expected, abs=5e-5)


@pytest.mark.parametrize(
    ("nonlinearity", "depth", "expected"),
    [
        ("relu", 1, (0.2707, 0.0559, 0.0203)),
        ("relu", 3, (0.2035, 0.0942, 0.1068)),
        ("relu", 10, (0.1149, 0.0999, 0.3555)),
        ("relu", 20, (0.0727, 0.0796, 0.5430)),
        ("rectified-quadratic", 3, (0.1010, 0.1391, 0.2796)),
        ("gaussian", 1, (0.0751, 0.1903, 0.2038)),
    ],
)
def test_saliences_of_three_components(nonlinearity, depth, expected):
    assert salience(random_layers(multi_hot(3), nonlinearity, depth)) == pytest.approx(expected, abs=5e-5)


def test_deep_relu_becomes_a_lookup_table_slowly():
    """Prop. B.2, with the rate 1/L. Printed for L = 10 is .594; 1 − 2 · .2033 says .593, and so do we."""
    shares = salience_by_depth(2, "relu", 1000)
    for depth, expected in ((20, 0.735), (100, 0.928), (1000, 0.992)):
        assert shares[depth, 1] == pytest.approx(expected, abs=5e-4)
    assert shares[10, 1] == pytest.approx(0.5935, abs=5e-5)
    assert (np.diff(shares[:, 0]) < 0).all()
    assert 1000 * shares[1000, 0] == pytest.approx(4.1, abs=0.1)
    assert 1000 * shares[1000, 0] == pytest.approx(500 * shares[500, 0], rel=0.03)


@pytest.mark.parametrize(("components", "expected"), [(2, 0.8750), (3, 0.6594), (4, 0.5042)])
def test_gaussian_layers_stop_short_of_a_lookup_table(components, expected):
    shares = salience_by_depth(components, "gaussian", 250)
    assert shares[-1, -1] == pytest.approx(expected, abs=5e-5)
    assert shares[-1] == pytest.approx(shares[-50], rel=1e-8)


def test_a_thousand_gaussian_layers_keep_their_digits():
    """κ(2) − κ(0) is about 1e-97 there. The fixed point in closed form: 1 − u shrinks by the map
    d ↦ 1 − (1 + 4d(2 − d)/5)^(−1/2), which double precision follows without cancellation."""
    far = np.array([1.0, 0.5])
    for _ in range(1000):
        grown = 4 * far * (2 - far) / 5
        far = grown / (np.sqrt(1 + grown) * (1 + np.sqrt(1 + grown)))
    assert far[0] < 1e-90
    assert salience_by_depth(2, "gaussian", 1000)[-1, 0] == pytest.approx(1 - far[1] / far[0], rel=1e-10)


def test_small_saliences_have_their_digits_too():
    """Step layers: κ(1) − κ(0) shrinks by the slope of the curve at its fixed point u = 1 − arccos(u)/π."""
    shares = salience_by_depth(2, "step", 200)[:, 0]
    u = 0.8
    for _ in range(200):
        u = 1 - np.arccos(u) / np.pi
    assert 0 < shares[200] < 1e-50
    assert shares[200] / shares[199] == pytest.approx(1 / (np.pi * np.sqrt(1 - u * u)), rel=1e-9)


def test_the_shape_of_the_curves():
    """S(1) falls and S(C;C) rises; S(2;3) of relu peaks at about .104 after 5 or 6 layers; step is the fastest."""
    for nonlinearity in NONLINEARITIES:
        shares = salience_by_depth(3, nonlinearity, 12)
        assert (np.diff(shares[:, 0]) < 0).all()
        assert (np.diff(shares[:, 2]) > 0).all()
    pairs = salience_by_depth(3, "relu", 20)[:, 1]
    assert pairs.argmax() in (5, 6)
    assert pairs.max() == pytest.approx(0.104, abs=1e-3)
    at_five = [salience_by_depth(2, name, 5)[5, 0] for name in ("step", "rectified-quadratic", "relu", "leaky")]
    assert at_five == sorted(at_five)


@given(
    kappa=st.lists(st.floats(-1, 1), min_size=1, max_size=4),
    nonlinearity=st.sampled_from(NONLINEARITIES),
    depths=st.tuples(st.integers(0, 3), st.integers(0, 3)),
)
@settings(deadline=None, max_examples=40)
def test_layers_compose(kappa, nonlinearity, depths):
    similarity = [*kappa, 1.0]
    at_once = random_layers(similarity, nonlinearity, sum(depths))
    in_turn = random_layers(random_layers(similarity, nonlinearity, depths[0]), nonlinearity, depths[1])
    assert in_turn == pytest.approx(at_once, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("nonlinearity", NONLINEARITIES)
def test_flags_and_counts_agree(nonlinearity):
    mapping = {(a, b): (a + b) / 2 for a in (0, 1) for b in (0, 1)}
    deep, counted = random_layers(mapping, nonlinearity, 4), random_layers(multi_hot(2), nonlinearity, 4)
    assert deep == pytest.approx({flags: counted[sum(flags)] for flags in mapping})
    by_flags, by_count = salience_by_depth(mapping, nonlinearity, 4), salience_by_depth(2, nonlinearity, 4)
    assert by_flags[0, 1] == pytest.approx(by_count[:, 0])
    assert by_flags[1, 1] == pytest.approx(by_count[:, 1])


def test_unequal_components_stay_unequal():
    mapping = {(0, 0): 0.0, (1, 0): 0.1, (0, 1): 0.9, (1, 1): 1.0}
    shares = salience(random_layers(mapping, "relu", 3))
    assert 0 < shares[1, 0] < shares[0, 1]
    deep = salience_by_depth(mapping, "relu", 3)
    assert {flags: rows[3] for flags, rows in deep.items()} == pytest.approx(shares)


def test_no_layers_change_nothing():
    assert random_layers((0.1, 0.2, 2.0), "step", 0).tolist() == [0.1, 0.2, 2.0]
    assert salience_by_depth(3, "step", 0).tolist() == [[1 / 3, 0.0, 0.0]]


def test_the_leak_goes_from_relu_to_no_nonlinearity():
    assert random_layers(multi_hot(3), "leaky", 2, leak=0.0) == pytest.approx(random_layers(multi_hot(3), "relu", 2))
    assert random_layers(multi_hot(3), "leaky", 7, leak=1.0) == pytest.approx(multi_hot(3))
    assert random_layers(multi_hot(3), "leaky") == pytest.approx(random_layers(multi_hot(3), "leaky", leak=0.1))


def test_a_wide_random_network_has_these_saliences():
    """One relu layer of 20,000 random units on the multi-hot codes of a 2×3 grid; entries err by about 1/√width."""
    cells = [(a, b) for a in range(2) for b in range(3)]
    codes = np.array([np.concatenate([np.eye(2)[a], np.eye(3)[b]]) for a, b in cells]) / np.sqrt(2)
    hidden = np.maximum(codes @ stream(0, "width").normal(size=(5, 20_000)), 0)
    gram = hidden @ hidden.T / 20_000
    expected = kernels.overlap_kernel(np.array(cells), np.array(cells), random_layers(multi_hot(2)))
    assert gram == pytest.approx(expected, abs=0.05)


def test_the_kernels_module_offers_it():
    assert kernels.random_layers is random_layers


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (((0.0, 1.0), "rleu"), "unknown nonlinearity 'rleu'; did you mean 'relu'"),
        (((0.0, 1.0), "relu", -1), "depth = -1 must be at least 0"),
        (((0.0, 2.0, 1.0),), "similarity 2 does not fit a similarity of 1 for identical inputs"),
        (((0.0, -1.0),), r"kappa\(C\) must be positive"),
    ],
)
def test_bad_input_is_refused(arguments, message):
    with pytest.raises(InputError, match=message):
        random_layers(*arguments)


def test_a_leak_belongs_to_leaky():
    with pytest.raises(InputError, match=r"leak = 0.1 has no meaning for 'relu'"):
        random_layers((0.0, 1.0), "relu", leak=0.1)
    with pytest.raises(InputError, match=r"leak = 1.5 must lie between 0"):
        random_layers((0.0, 1.0), "leaky", leak=1.5)


def test_similarities_without_salience_are_refused():
    with pytest.raises(InputError, match="salience is undefined"):
        salience_by_depth((1.0, 0.5, 1.0), "relu", 2)
    with pytest.raises(InputError, match="0 components have no salience"):
        salience_by_depth(0, "relu", 2)
    # In double precision nothing is left of the differences; no number is made up from their rounding.
    with pytest.raises(InputError, match="use salience_by_depth"):
        salience(random_layers(multi_hot(2), "gaussian", 200))
