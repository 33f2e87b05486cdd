"""Channels as pictures, and units over the plane with their curves."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recombine.papers import Scale
from recombine.reports.settings import SeedRun, SettingRuns
from recombine.reports.tuning_figure import activation_figure, distinct, shown_layers, tuned_to, tuning_figure


def setting_of(make, arrays, **body):
    """One finished run of the tiny setting with these arrays."""
    found = {"status": "done", "measures": {}, "layers": ["input", "layer0", "layer1", "output"], **body}
    return SettingRuns("tiny", "", (), (SeedRun(make.tiny(Scale.QUICK), found, arrays),))


def units():
    """Layer 0: tuned to x, tuned to y, and the first again; layer 1: three cells, each its own."""
    y, x = np.indices((8, 11)).astype(float)
    peaks = [np.where((y == 2) & (x == place), 1.0, 0.0) for place in (3, 4, 5)]
    return {"tuning_maps": np.array([[x, y, x], peaks]).astype(np.float16)}


def channels(shape=(4, 5)):
    maps = np.random.default_rng(0).random((3, *shape)).astype(np.float16)
    return {"activation_maps": maps, "activation_combination": np.array([3, 7])}


def test_channels_are_pictures_of_the_first_hidden_layer(make, image_bytes):
    figure = activation_figure(setting_of(make, channels()))
    svg = image_bytes(figure).decode()
    assert svg.count("<image") == 3
    assert all(words in svg for words in (">row<", ">column<", ">channel 3<"))
    assert "3 channels of layer0 for y 3, x 7" in figure
    assert "Fig. 4e" in figure
    assert ">x<" in image_bytes(activation_figure(setting_of(make, channels((8, 11))))).decode()


def test_units_have_a_map_and_two_curves_each(make, parsed, image_bytes):
    figure = tuning_figure(setting_of(make, units()))
    svg = image_bytes(figure).decode()
    assert svg.count("<image") == 2 + 3  # the unit that came twice is drawn once
    assert svg.count("stroke: #d0021b") == 2 + 3
    assert all(words in svg for words in ("against x, mean over y", "against y, mean over x", "mean activation"))
    # A lone cell in n by m: (n - 1)/(nm - 1) of its variance is y's and (m - 1)/(nm - 1) x's.
    told = f"layer0: x 100%, y 100%; layer1: {', '.join([f'x {10 / 87:.0%}'] * 3)}."
    assert parsed(figure).all("img")[0].attributes["alt"].endswith(told)
    assert "Fig. 4f" in figure
    assert figure == tuning_figure(setting_of(make, units()))


@pytest.mark.parametrize("draw", [activation_figure, tuning_figure])
def test_without_its_arrays_there_is_no_figure(make, draw):
    assert draw(setting_of(make, {})) is None
    assert draw(setting_of(make, {**units(), **channels()}, status="failed")) is None
    assert draw(setting_of(make, {**units(), **channels()}, layers=[])) is None


def test_maps_of_another_grid_are_not_drawn(make):
    assert tuning_figure(setting_of(make, {"tuning_maps": units()["tuning_maps"].swapaxes(2, 3)})) is None


@pytest.mark.parametrize(
    ("hidden", "expected"), [(1, ("h0", "h0")), (3, ("h0", "h2")), (4, ("h0", "h3")), (9, ("h0", "h3"))]
)
def test_the_first_and_the_fourth_hidden_layer_are_shown(hidden, expected):
    assert shown_layers(["input", *(f"h{place}" for place in range(hidden)), "output"]) == expected


def test_a_network_with_one_hidden_layer_is_shown_once(make, image_bytes):
    both = {"tuning_maps": np.repeat(units()["tuning_maps"][:1], 2, axis=0)}
    figure = tuning_figure(setting_of(make, both, layers=["input", "layer0", "output"]))
    assert image_bytes(figure).count(b"<image") == 2


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 2**32 - 1))
def test_the_share_of_a_transposed_map_is_that_of_the_other_factor(seed):
    values = np.random.default_rng(seed).random((4, 6))
    axis, share = tuned_to(values)
    assert tuned_to(values.T) == (1 - axis, pytest.approx(share))
    assert 0 <= share <= 1


def test_a_dead_unit_is_tuned_to_nothing():
    assert tuned_to(np.ones((4, 6)))[1] == 0.0


def test_each_unit_is_kept_once_in_its_order():
    maps = np.array([3.0, 1.0, 3.0, 2.0, 1.0])[:, None, None] * np.ones((5, 2, 3))
    assert distinct(maps)[:, 0, 0].tolist() == [3.0, 1.0, 2.0]
