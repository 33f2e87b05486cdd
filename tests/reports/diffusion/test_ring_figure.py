"""Histograms of angles between rings and of shares outside, beside those of both ideal tori."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recombine.measures.torus_shape import BINS, MOST
from recombine.papers.diffusion_factorize import canvases as c
from recombine.reports.ring_figure import EDGES, IDEALS, LAYERS, PAIRS, ideals, mean_of, ring_figure

CLIFFORD, RING = IDEALS


def alone(place):
    """All values in one bin."""
    return np.eye(BINS)[place]


@pytest.mark.parametrize("shape", [(5, 8), (16, 16)])
def test_the_ideals_are_those_of_the_algebra(shape):
    found = ideals(*shape)
    assert found[CLIFFORD]["angles", "x-on-y"] == pytest.approx(alone(-1))
    assert found[CLIFFORD]["components", "x-on-y"] == pytest.approx(alone(-1))
    assert found[CLIFFORD]["residuals", "x-on-y"] == pytest.approx(alone(-1))
    assert found[CLIFFORD]["angles", "x-on-x"] == pytest.approx(alone(0))
    assert found[CLIFFORD]["residuals", "x-on-x"] == pytest.approx(alone(0))
    assert found[RING]["angles", "x-on-y"] == pytest.approx((alone(0) + alone(-1)) / 2)
    assert found[RING]["angles", "y-on-y"] == pytest.approx(alone(0))
    assert found[RING]["angles", "x-on-x"][0] > 0.4  # one of the two angles is 0
    assert found[CLIFFORD]["components", "x-on-x"].max() < 0.3  # no angle is preferred


@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=20), st.sampled_from(list(MOST)))
def test_the_mean_is_that_of_the_values_to_half_a_bin(shares_of_most, quantity):
    values = MOST[quantity] * np.array(shares_of_most)
    counts, _ = np.histogram(values, bins=EDGES[quantity])
    assert mean_of(quantity, counts / len(values)) == pytest.approx(values.mean(), abs=MOST[quantity] / BINS / 2 + 1e-9)


def kept(place):
    return {
        f"{quantity}_{name}_{pair}": alone(place).astype(np.float16)
        for quantity in MOST
        for name in LAYERS
        for pair in PAIRS
    }


def test_means_are_told_over_seeds(runs_of, parsed, image_bytes):
    figure = ring_figure(runs_of(c.torus, kept(0), kept(-1)))
    alt = parsed(figure).all("img")[0].attributes["alt"]
    assert "trained, while drawing: x-on-y 45 and 0.5, x-on-x 45 and 0.5, y-on-y 45 and 0.5" in alt
    assert f"{CLIFFORD}: x-on-y 87.5 and 0.972, x-on-x" in alt
    svg = image_bytes(figure).decode()
    assert all(f">{words}<" in svg for words in (*PAIRS, *IDEALS, "true pictures", "share", "share outside"))
    assert "mean over 2 seeds" in figure


@pytest.mark.parametrize("lacking", ["angles_pixels_y-on-y", "components_pixels_x-on-x", "residuals_pixels_x-on-y"])
def test_layers_without_all_pairs_are_left_out(runs_of, parsed, lacking):
    arrays = {name: array for name, array in kept(3).items() if name != lacking}
    alt = parsed(ring_figure(runs_of(c.torus, arrays))).all("img")[0].attributes["alt"]
    assert "true pictures" not in alt
    assert "before training" in alt


def test_without_angles_there_is_no_figure(runs_of):
    assert ring_figure(runs_of(c.torus, {})) is None
    assert ring_figure(runs_of(c.torus, kept(0), status="failed")) is None
    assert ring_figure(runs_of(c.torus, {name: array[1:] for name, array in kept(0).items()})) is None


def test_a_grid_without_rings_has_no_ideals():
    assert ideals(2, 8) == {}
