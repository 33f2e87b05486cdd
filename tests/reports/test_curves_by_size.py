"""Errors against the size of a disturbance: geometric means over seeds, beside those of the controls."""

import re

import numpy as np
import pytest

from recombine.papers import Scale
from recombine.reports.curves_by_size import curve, leak_by_shift_figure, robustness_figure
from recombine.reports.layers import layer_figures
from recombine.reports.settings import SeedRun, SettingRuns
from recombine.studies import change

HIDDEN = ("input", "layer0", "layer1", "layer2", "output")


def setting_of(make, *measures, label="tiny", layers=HIDDEN):
    """One finished run for each of these measures, the seeds in order."""
    bodies = [{"status": "done", "measures": each, "layers": layers} for each in measures]
    work = make.tiny(Scale.QUICK)
    return SettingRuns(label, "", (), tuple(SeedRun(change(work, seed=k), body) for k, body in enumerate(bodies)))


def noisy(factor=1.0):
    """An error that grows with the square of the noise, its sizes in no order."""
    return {"noise_robustness": {f"{size:g}": factor * size**2 for size in (0.4, 0.02, 0.1)}}


def leaky(trained, pruned=None):
    """Errors at three shifts, of the network as trained and of the pruned one."""
    named = {"shift_leak": trained, "pruned_shift_leak": pruned}
    sizes = ("0.1", "10", "1000")
    return {name: dict(zip(sizes, values, strict=True)) for name, values in named.items() if values is not None}


def test_a_curve_has_a_row_per_seed_and_its_numbers_rising(make):
    found = curve(setting_of(make, noisy(), noisy(100.0)), "noise_robustness")
    assert found.numbers == (0.02, 0.1, 0.4)
    assert found.values == pytest.approx(np.array([[4e-4, 0.01, 0.16], [0.04, 1.0, 16.0]]))


def test_the_mean_over_seeds_is_geometric(make):
    """Values that differ by a factor of 100 have a mean that is ten times the smaller one."""
    found = curve(setting_of(make, noisy(), noisy(100.0)), "noise_robustness")
    assert found.means == pytest.approx(10 * found.values[0])
    assert curve(setting_of(make, noisy(), noisy(0.0)), "noise_robustness").means.tolist() == [0.0, 0.0, 0.0]


def test_numbers_that_one_seed_lacks_are_left_out(make):
    shorter = {"noise_robustness": {"0.02": 1.0, "0.4": 2.0}}
    assert curve(setting_of(make, noisy(), shorter), "noise_robustness").numbers == (0.02, 0.4)
    assert curve(setting_of(make, noisy(), {"noise_robustness": {"7": 1.0}}), "noise_robustness") is None
    assert curve(setting_of(make, noisy(), {"id_mse": 1.0}), "noise_robustness").values.shape == (1, 3)


def test_robustness_names_its_axes_and_its_numbers(make, parsed, image_bytes):
    own, control = setting_of(make, noisy(), noisy(100.0)), setting_of(make, noisy(4.0), label="modular")
    figure = robustness_figure(own, [control])
    alt = parsed(figure).all("img")[0].attributes["alt"]
    assert alt == (
        "mean squared error against size of the noise on hidden units. "
        "tiny, Poisson-like: 0.004 at 0.02, 0.1 at 0.1, 1.6 at 0.4; "
        "modular, Poisson-like: 0.0016 at 0.02, 0.04 at 0.1, 0.64 at 0.4."
    )
    svg = image_bytes(figure).decode()
    words = ("size of the noise on hidden units", "mean squared error", "tiny", "modular", "0.02", "0.1", "0.2")
    assert all(f">{each}<" in svg for each in words)
    assert "Geometric mean over up to 2 seeds; the band is from the least to the largest." in figure
    assert "Dotted" not in figure
    assert figure == robustness_figure(own, [control])


def test_pruned_networks_are_dotted_in_the_colour_of_their_setting(make, parsed, image_bytes):
    own = setting_of(make, leaky((0.1, 1.0, 100.0), (0.2, 2.0, 200.0)))
    control = setting_of(make, leaky((0.01, 0.01, 0.01)), label="modular")
    figure = leak_by_shift_figure(own, [control])
    svg = image_bytes(figure).decode()
    shift = ("shift of the first input", "of the other outputs", "tiny", "modular", "as trained", "pruned", "1,000")
    assert all(f">{each}<" in svg for each in shift)
    lines = re.findall(
        r'style="fill: none; (stroke-dasharray: [^;]*; )?[^"]*stroke: (#[0-9a-f]{6}); stroke-width: 1.4', svg
    )
    assert [colour for dashes, colour in lines if dashes] == ["#0072b2"]
    assert "#d55e00" in [colour for dashes, colour in lines if not dashes]
    alt = parsed(figure).all("img")[0].attributes["alt"]
    assert "tiny, as trained: 0.1 at 0.1, 1 at 10, 100 at 1e3; tiny, pruned: 0.2 at 0.1" in alt
    assert alt.endswith("modular, as trained: 0.01 at 0.1, 0.01 at 10, 0.01 at 1e3.")
    assert "Dotted, with hollow marks: pruned." in figure


def test_one_setting_alone_needs_no_name(make, image_bytes):
    assert ">tiny<" not in image_bytes(robustness_figure(setting_of(make, noisy()), [])).decode()
    svg = image_bytes(leak_by_shift_figure(setting_of(make, leaky(None, (0.1, 1.0, 2.0))), [])).decode()
    assert ">pruned<" in svg
    assert ">as trained<" not in svg


def test_an_error_of_zero_has_a_place_on_a_logarithmic_axis(make):
    figure = leak_by_shift_figure(setting_of(make, leaky((0.0, 0.02, 4.0))), [])
    assert "What is below 0.01 is drawn there." in figure
    assert "0 at 0.1, 0.02 at 10, 4 at 1e3" in figure
    assert "drawn there" not in leak_by_shift_figure(setting_of(make, leaky((0.01, 0.02, 4.0))), [])


@pytest.mark.parametrize("draw", [robustness_figure, leak_by_shift_figure])
def test_what_the_setting_has_not_measured_is_no_figure(make, draw):
    control = setting_of(make, {**noisy(), **leaky((1.0, 1.0, 1.0))}, label="modular")
    assert draw(setting_of(make, {"id_mse": 1.0}), [control]) is None
    assert draw(setting_of(make, {"noise_robustness": 1.0, "shift_leak": 2.0}), [control]) is None
    assert draw(control, [setting_of(make, {})]) == draw(control, [])


def test_a_score_of_hidden_layers_only_is_drawn_by_layer(make, parsed, image_bytes):
    scores = {"layer2": 0.25, "layer0": 1.0, "layer1": 0.5}
    own = setting_of(make, {"spectral_score": scores})
    shallow = setting_of(make, {"spectral_score": {"layer0": 0.1, "layer1": 0.2}}, label="shallow")
    (figure,) = layer_figures(own, [shallow])
    alt = parsed(figure).all("img")[0].attributes["alt"]
    assert alt.startswith("spectral score of the weights by layer: tiny from 1 at the layer0 to 0.25 at the layer2;")
    svg = image_bytes(figure).decode()
    assert all(f">layer{place}<" in svg for place in range(3))
    assert ">input<" not in svg
    assert "at their share of the way to the last." in figure
    assert layer_figures(setting_of(make, {"spectral_score": {"layer0": 1.0}}), []) == []
