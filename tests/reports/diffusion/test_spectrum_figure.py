"""Eigenspectra of a model beside what is there untrained."""

import numpy as np
import pytest

from recombine.papers.diffusion_factorize import canvases as c
from recombine.reports.compared_looks import LOOKS, by_seed
from recombine.reports.spectrum_figure import spectrum_figure

SHARES = np.array([0.2, 0.2, 0.2, 0.1, 0.05, 0.0]).astype(np.float16)


def test_the_first_four_and_the_fall_after_them_are_told(runs_of, parsed, image_bytes):
    figure = spectrum_figure(runs_of(c.torus, {"spectrum_probe": SHARES, "spectrum_untrained": SHARES[::-1]}))
    alt = parsed(figure).all("img")[0].attributes["alt"]
    assert "trained, while drawing: 0.7 in the first 4, the fourth 2 times the fifth" in alt
    assert "before training: 0.35 in the first 4, the fourth 1 times the fifth" in alt
    svg = image_bytes(figure).decode()
    assert all(f">{words}<" in svg for words in ("principal component", "share of the variance", "before training"))
    assert "true pictures" not in svg


def test_a_spectrum_that_ends_has_no_fall(runs_of, parsed):
    figure = spectrum_figure(runs_of(c.torus, {"spectrum_pixels": np.array([0.4, 0.3, 0.2, 0.1, 0.0])}))
    assert "true pictures: 1 in the first 4." in parsed(figure).all("img")[0].attributes["alt"]


def test_shares_are_means_over_seeds(runs_of, parsed):
    figure = spectrum_figure(runs_of(c.torus, {"spectrum_probe": SHARES}, {"spectrum_probe": SHARES / 2}))
    assert "0.525 in the first 4" in parsed(figure).all("img")[0].attributes["alt"]
    assert "mean over 2 seeds" in figure


def test_without_spectra_there_is_no_figure(runs_of):
    assert spectrum_figure(runs_of(c.torus, {"spectrum_bottleneck": SHARES})) is None
    assert spectrum_figure(runs_of(c.torus, {"spectrum_probe": SHARES}, status="failed")) is None


def test_arrays_of_seeds_are_stacked_and_those_of_another_shape_left_out(runs_of):
    setting = runs_of(c.torus, {"a": np.ones(3)}, {}, {"a": np.zeros(3)}, {"a": np.ones(4)})
    assert by_seed(setting, "a").tolist() == [[1.0] * 3, [0.0] * 3]
    assert by_seed(setting, "b") is None


def test_no_two_layers_look_alike():
    for field in ("words", "colour", "mark", "line"):
        assert len({getattr(look, field) for look in LOOKS.values()}) == len(LOOKS), field


@pytest.mark.parametrize("kept", [4, 3])
def test_few_components_can_be_drawn(runs_of, kept):
    assert spectrum_figure(runs_of(c.torus, {"spectrum_probe": SHARES[:kept]})) is not None
