"""Combinations along principal components, and how far they are from rings."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recombine.measures import clifford_torus, principal_components
from recombine.papers import Scale
from recombine.papers.diffusion_factorize import canvases as c
from recombine.reports.portrait_figure import portrait_figure, ring_spread

TORUS = c.torus(Scale.QUICK).problem.grid.shape
TURNS = np.linspace(0, 2 * np.pi, 40, endpoint=False)
CIRCLE = np.stack([np.cos(TURNS), np.sin(TURNS)], axis=1)


def portraits(shape):
    torus = principal_components(clifford_torus(*shape), 4).scores
    cloud = np.random.default_rng(0).normal(size=torus.shape)
    return {"portrait_probe": torus.astype(np.float16), "portrait_untrained": cloud.astype(np.float16)}


@given(st.floats(0.01, 100.0), st.floats(-10.0, 10.0))
def test_a_circle_has_no_spread_whatever_its_size_and_place(size, place):
    assert ring_spread(size * CIRCLE + place) == pytest.approx(0.0, abs=1e-9)


def test_a_normal_cloud_has_that_of_rayleigh():
    cloud = np.random.default_rng(1).normal(size=(40_000, 2))
    assert ring_spread(cloud) == pytest.approx(np.sqrt(4 / np.pi - 1), abs=0.01)


def test_a_point_has_no_spread():
    assert ring_spread(np.ones((5, 2))) == 0.0


def test_every_pair_is_drawn_for_both_layers_and_coordinates(runs_of, parsed, image_bytes):
    figure = portrait_figure(runs_of(c.torus, portraits(TORUS)))
    svg = image_bytes(figure).decode()
    titles = [f"{layer}, coloured by {factor}" for layer in ("trained, while drawing", "before training")
              for factor in ("x", "y")]  # fmt: skip
    assert all(f">{words}<" in svg for words in (*titles, "component 1", "component 2", "component 3", "component 4"))
    assert "along 3 and 4" in parsed(figure).all("img")[0].attributes["alt"]
    assert "held out" not in figure
    assert len(figure) < 250_000  # points are pixels


def test_held_out_combinations_are_crosses(runs_of):
    setting = runs_of(c.lesions[2], portraits(c.lesions[2](Scale.QUICK).problem.grid.shape))
    unseen = int(setting.work.problem.parts.held_out.sum())
    assert unseen > 0
    assert f"Crosses: {unseen} combinations held out." in portrait_figure(setting)


def test_without_portraits_of_the_whole_grid_there_is_no_figure(runs_of):
    assert portrait_figure(runs_of(c.torus, {})) is None
    assert portrait_figure(runs_of(c.torus, portraits((TORUS[0] - 1, TORUS[1])))) is None
    assert portrait_figure(runs_of(c.torus, portraits(TORUS), status="failed")) is None
    assert portrait_figure(runs_of(c.torus, {"portrait_probe": portraits(TORUS)["portrait_probe"]})) is None
