"""Two circles against their closed forms: ideal tori, other waves, and labels in disorder."""

import numpy as np
import pytest

from recombine.core.errors import InputError
from recombine.core.seeds import stream
from recombine.measures import circle_share, clifford_torus, measures, ring_torus

SHAPE = (9, 11)


def waves(*amounts):
    """(y, x, features): cosine and sine of ``turns`` turns of a factor, each pair times its size."""
    y, x = np.indices(SHAPE)
    angles = {"y": 2 * np.pi * y / SHAPE[0], "x": 2 * np.pi * x / SHAPE[1]}
    pairs = [size * wave(turns * angles[factor]) for factor, turns, size in amounts for wave in (np.cos, np.sin)]
    return np.stack(pairs, axis=-1)


@pytest.mark.parametrize("shape", [(9, 11), (16, 16), (5, 24), (3, 4)])
def test_a_clifford_torus_is_two_circles(shape):
    assert circle_share(clifford_torus(*shape)) == pytest.approx(1)
    assert circle_share(7 - 3 * clifford_torus(*shape)) == pytest.approx(1)


def test_circles_of_unequal_size_turned_and_begun_elsewhere_are_circles():
    turned, _ = np.linalg.qr(stream(0, "measures", "turned").normal(size=(12, 12)))
    begun = np.roll(waves(("y", 1, 1.0), ("x", 1, 0.2)), (2, 5), axis=(0, 1))
    assert circle_share(begun @ turned[:4]) == pytest.approx(1)


@pytest.mark.parametrize(("factor", "other"), [("x", "y"), ("y", "x")])
def test_a_wave_of_two_turns_counts_as_no_circle(factor, other):
    """Its variance is 9/2 in each of two directions, that of the circle beside it 4/2; the other circle comes fifth."""
    layer = waves((factor, 2, 3.0), (factor, 1, 2.0), (other, 1, 1.0))
    assert circle_share(layer) == pytest.approx(4 / (9 + 4))


def test_without_one_turn_there_is_no_trace_of_circles():
    assert circle_share(waves(("y", 2, 1.0), ("x", 3, 2.0))) == pytest.approx(0, abs=1e-12)


def test_on_the_ring_torus_one_circle_is_there_and_what_bends_it_is_not():
    """(2 + cos b) cos a: the product of two waves is none of the four; a layer of three directions has no fourth."""
    total = 2 * (4 / 2 + 1 / 4) + 1 / 2  # variances of both (2 + cos b) waves of a, and of sin b
    assert circle_share(ring_torus(*SHAPE)) == pytest.approx((2 * 4 / 2 + 1 / 2) / total)


def test_labels_in_disorder_are_a_cloud():
    order = stream(1, "measures", "disorder").permutation(16 * 16)
    cloud = clifford_torus(16, 16).reshape(256, 4)[order].reshape(16, 16, 4)
    assert circle_share(cloud) < 0.1  # by chance 4 of 255 directions


def test_a_layer_that_does_not_vary_has_none():
    with pytest.raises(InputError, match="does not vary"):
        circle_share(np.full((9, 11, 3), 0.1))


def test_the_measure_goes_by_hidden_layer(generic):
    layers = generic().layers
    hidden = {"torus": clifford_torus(*SHAPE).reshape(99, 4), "dead": np.full((99, 3), 0.1)}
    evidence = generic(layers={"input": layers["input"], **hidden, "output": layers["output"]}, channels={})
    assert measures["circles"](evidence) == pytest.approx({"torus": 1.0})
