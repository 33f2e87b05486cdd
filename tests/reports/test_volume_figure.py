"""A volume map per layer, on the layer's own scale, with the contrast of its record."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recombine.papers import Scale
from recombine.reports.settings import SeedRun, SettingRuns
from recombine.reports.volume_figure import IN_A_ROW, standardised, volume_figure


def setting_of(make, arrays, **body):
    """One finished run of the tiny setting with these arrays."""
    found = {"status": "done", "measures": {}, "layers": ["input", "layer0", "layer1", "output"], **body}
    return SettingRuns("tiny", "", (), (SeedRun(make.tiny(Scale.QUICK), found, arrays),))


LAYERS = ["input", "layer0", "layer1", "output"]


def maps(layers=4, shape=(8, 11)):
    return {"volume_maps": np.random.default_rng(0).normal(size=(layers, *shape)).astype(np.float16)}


def test_every_layer_has_its_map_and_its_contrast(make, parsed, image_bytes):
    contrasts = {"input": -1e-17, "layer0": -0.18, "layer1": 0.25, "output": -0.72}
    figure = volume_figure(setting_of(make, maps(), measures={"volume_contrast": contrasts}))
    svg = image_bytes(figure).decode()
    assert svg.count("<image") == len(LAYERS) + 1  # and the scale
    assert all(f">{name}<" in svg for name in LAYERS)
    assert all(f"D = {words}" in svg for words in ("0<", "\N{MINUS SIGN}0.18<", "0.25<", "\N{MINUS SIGN}0.72<"))
    alt = parsed(figure).all("img")[0].attributes["alt"]
    assert alt.endswith("input 0, layer0 \N{MINUS SIGN}0.18, layer1 0.25, output \N{MINUS SIGN}0.72.")
    assert "Fig. 2e-f, 3d and 4d" in figure


def test_the_hole_is_outlined_in_every_map(make, image_bytes):
    svg = image_bytes(volume_figure(setting_of(make, maps()))).decode()
    assert svg.count("stroke: #d0021b") == len(LAYERS)


def test_a_hole_that_was_shown_is_not_called_held_out(make):
    assert "the red line (held out)" in volume_figure(setting_of(make, maps()))
    run = SeedRun(make.shown(Scale.QUICK), {"status": "done", "measures": {}, "layers": LAYERS}, maps())
    assert "(held out elsewhere, but shown here)" in volume_figure(SettingRuns("shown", "", (), (run,)))


def test_without_a_measured_contrast_none_is_written(make, image_bytes):
    figure = volume_figure(setting_of(make, maps()))
    assert "D = " not in image_bytes(figure).decode()
    assert "not measured" in figure
    assert figure == volume_figure(setting_of(make, maps()))


def test_many_layers_stand_in_several_rows(make, parsed):
    def height(layers):
        names = ["input", *(f"layer{place}" for place in range(layers - 2)), "output"]
        figure = volume_figure(setting_of(make, maps(layers), layers=names))
        return int(parsed(figure).all("img")[0].attributes["height"])

    assert height(IN_A_ROW + 1) == pytest.approx(2 * height(IN_A_ROW), abs=1)


@pytest.mark.parametrize("found", [{}, maps(shape=(11, 8)), maps(layers=3)])
def test_without_maps_of_the_grid_there_is_no_figure(make, found):
    assert volume_figure(setting_of(make, found)) is None


@settings(deadline=None, max_examples=30)
@given(scale=st.floats(0.1, 10.0), shift=st.floats(-5.0, 5.0))
def test_colours_do_not_change_with_the_scale_of_a_layer(scale, shift):
    values = np.random.default_rng(1).normal(size=(4, 6))
    assert standardised(scale * values + shift) == pytest.approx(standardised(values))
    assert standardised(values).std() == pytest.approx(1.0)


def test_a_flat_map_is_in_the_middle_of_its_colours():
    assert not standardised(np.full((4, 6), -12.0)).any()
