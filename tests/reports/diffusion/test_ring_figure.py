"""Histograms of angles between rings, beside those of both ideal tori."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recombine.measures.torus_shape import BINS
from recombine.papers.diffusion_factorize import canvases as c
from recombine.reports.ring_figure import EDGES, IDEALS, LAYERS, PAIRS, histogram, ideals, mean_angle, ring_figure

CLIFFORD, RING = IDEALS


def alone(place):
    """All angles in one bin."""
    return np.eye(BINS)[place]


@pytest.mark.parametrize("shape", [(5, 8), (16, 16)])
def test_the_ideals_are_those_of_the_algebra(shape):
    found = ideals(*shape)
    assert found[CLIFFORD]["x-on-y"] == pytest.approx(alone(-1))
    assert found[CLIFFORD]["x-on-x"] == pytest.approx(alone(0))
    assert found[RING]["x-on-y"] == pytest.approx((alone(0) + alone(-1)) / 2)
    assert found[RING]["y-on-y"] == pytest.approx(alone(0))
    assert found[RING]["x-on-x"][0] > 0.4  # one of the two angles is 0


@given(st.lists(st.floats(0.0, 90.0), min_size=1, max_size=20))
def test_shares_add_up_and_their_mean_is_that_of_the_angles_to_half_a_bin(angles):
    pairs = np.array([angles, angles]).T
    shares = histogram(pairs)
    assert shares.sum() == pytest.approx(1.0)
    assert mean_angle(shares) == pytest.approx(pairs.mean(), abs=(EDGES[1] - EDGES[0]) / 2 + 1e-9)


def kept(place):
    return {f"angles_{name}_{pair}": alone(place).astype(np.float16) for name in LAYERS for pair in PAIRS}


def test_mean_angles_are_told_over_seeds(runs_of, parsed, image_bytes):
    figure = ring_figure(runs_of(c.torus, kept(0), kept(-1)))
    alt = parsed(figure).all("img")[0].attributes["alt"]
    assert "trained, while drawing: x-on-y 45, x-on-x 45, y-on-y 45" in alt
    assert f"{CLIFFORD}: x-on-y 87.5, x-on-x 2.5, y-on-y 2.5" in alt
    svg = image_bytes(figure).decode()
    assert all(f">{words}<" in svg for words in (*PAIRS, *IDEALS, "true pictures", "share of angles"))
    assert "mean over 2 seeds" in figure


def test_layers_without_all_pairs_are_left_out(runs_of, parsed):
    arrays = {name: array for name, array in kept(3).items() if name != "angles_pixels_y-on-y"}
    alt = parsed(ring_figure(runs_of(c.torus, arrays))).all("img")[0].attributes["alt"]
    assert "true pictures" not in alt
    assert "before training" in alt


def test_without_angles_there_is_no_figure(runs_of):
    assert ring_figure(runs_of(c.torus, {})) is None
    assert ring_figure(runs_of(c.torus, kept(0), status="failed")) is None
    assert ring_figure(runs_of(c.torus, {name: array[1:] for name, array in kept(0).items()})) is None


def test_a_grid_without_rings_has_no_ideals():
    assert ideals(2, 8) == {}
