"""Two circles against their closed forms: ideal tori, other waves, open arcs and sheets, and labels in disorder."""

import numpy as np
import pytest

from recombine.core.errors import InputError
from recombine.core.seeds import stream
from recombine.measures import circle_fit, clifford_torus, measures, ring_torus
from recombine.papers.diffusion_factorize.tori import open_sheet

SHAPE = (9, 11)


def waves(*amounts):
    """(y, x, features): cosine and sine of ``turns`` turns of a factor, each pair times its size."""
    y, x = np.indices(SHAPE)
    angles = {"y": 2 * np.pi * y / SHAPE[0], "x": 2 * np.pi * x / SHAPE[1]}
    pairs = [size * wave(turns * angles[factor]) for factor, turns, size in amounts for wave in (np.cos, np.sin)]
    return np.stack(pairs, axis=-1)


def arcs(rows, columns, part):
    """As on a Clifford torus, but labels run through a part of each circle only."""
    y, x = np.indices((rows, columns))
    b, a = 2 * np.pi * part * y / rows, 2 * np.pi * part * x / columns
    return np.stack([np.cos(a), np.sin(a), np.cos(b), np.sin(b)], axis=-1)


@pytest.mark.parametrize("shape", [(9, 11), (16, 16), (5, 24), (3, 4)])
def test_a_clifford_torus_is_two_circles(shape):
    assert circle_fit(clifford_torus(*shape)) == pytest.approx(1)
    assert circle_fit(7 - 3 * clifford_torus(*shape)) == pytest.approx(1)


def test_circles_of_unequal_size_turned_and_begun_elsewhere_are_circles():
    turned, _ = np.linalg.qr(stream(0, "measures", "turned").normal(size=(12, 12)))
    begun = np.roll(waves(("y", 1, 1.0), ("x", 1, 0.2)), (2, 5), axis=(0, 1))
    assert circle_fit(begun @ turned[:4]) == pytest.approx(1)


def test_running_round_the_other_way_is_a_circle_too():
    assert circle_fit(clifford_torus(*SHAPE)[:, ::-1]) == pytest.approx(1)


@pytest.mark.parametrize("long", [1.0, 1.3, 2.0])
def test_an_ellipse_fits_less(long):
    """Half-axes p and 1 are circles of (p + 1) / 2 one way round and (p − 1) / 2 the other."""
    layer = clifford_torus(16, 16) * [long, 1, long, 1]
    assert circle_fit(layer) == pytest.approx((long + 1) ** 2 / 2 / (long**2 + 1))


@pytest.mark.parametrize("amount", [0.1, 0.2, 0.4])
def test_noise_fits_less_by_its_variance(amount):
    """Of a circle of radius 1 and noise of standard deviation s in both directions of its plane, 1 / (1 + 2 s²)."""
    fits = []
    for seed in range(6):
        noise = stream(seed, "measures", "circle").normal(size=(16, 16, 4))
        fits.append(circle_fit(clifford_torus(16, 16) + amount * noise))
    assert np.mean(fits) == pytest.approx(1 / (1 + 2 * amount**2), abs=0.03)


def test_an_open_sheet_has_no_circle():
    """One wave of each factor explains 0.86 of its first four components: waves are no circles."""
    assert circle_fit(open_sheet(16, 16)) == 0
    for seed in range(5):
        noise = stream(seed, "measures", "sheet").normal(size=(16, 16, 7))
        assert circle_fit(open_sheet(16, 16) + 0.1 * noise) == 0


@pytest.mark.parametrize("part", [0.25, 0.5, 0.75])
def test_an_open_arc_is_no_circle(part):
    assert circle_fit(arcs(16, 18, part)) == 0


@pytest.mark.parametrize(("factor", "other"), [("x", "y"), ("y", "x")])
def test_where_two_turns_outweigh_a_circle_there_are_no_two(factor, other):
    """The four largest components hold nothing of the other factor."""
    assert circle_fit(waves((factor, 2, 3.0), (factor, 1, 2.0), (other, 1, 1.0))) == 0


def test_without_one_turn_there_is_no_circle():
    assert circle_fit(waves(("y", 2, 1.0), ("x", 3, 2.0))) == 0


def test_the_ring_torus_has_one_circle_and_not_two():
    """x runs round once. y goes to and fro along one direction; what bends the ring is no wave of y alone."""
    assert circle_fit(ring_torus(*SHAPE)) <= 0.5
    assert circle_fit(ring_torus(16, 16)) <= 0.5


@pytest.mark.parametrize("seed", range(5))
def test_labels_in_disorder_and_noise_are_no_circles(seed):
    order = stream(seed, "measures", "disorder").permutation(16 * 16)
    cloud = clifford_torus(16, 16).reshape(256, 4)[order].reshape(16, 16, 4)
    assert circle_fit(cloud) < 0.1  # by chance 4 of 255 directions
    assert circle_fit(stream(seed, "measures", "noise").normal(size=(16, 16, 40))) < 0.1


def test_a_layer_that_does_not_vary_has_none_and_a_line_of_levels_neither():
    with pytest.raises(InputError, match="does not vary"):
        circle_fit(np.full((9, 11, 3), 0.1))
    with pytest.raises(InputError, match=r"at least 3 levels of y and of x, got \(2, 8\); use a larger grid\.$"):
        circle_fit(np.ones((2, 8, 3)))
    with pytest.raises(InputError, match=r"activations of shape \(4, 5\) must be \(y, x, features\)"):
        circle_fit(np.ones((4, 5)))


def test_lists_are_activations_too():
    assert circle_fit(clifford_torus(*SHAPE).tolist()) == circle_fit(clifford_torus(*SHAPE))


def test_the_measure_goes_by_hidden_layer(generic):
    layers = generic().layers
    hidden = {"torus": clifford_torus(*SHAPE).reshape(99, 4), "dead": np.full((99, 3), 0.1)}
    evidence = generic(layers={"input": layers["input"], **hidden, "output": layers["output"]}, channels={})
    assert measures["two_circles"](evidence) == pytest.approx({"torus": 1.0})
