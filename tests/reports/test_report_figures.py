"""Every figure is an image that stands alone, drawn from the right numbers."""

import re

import matplotlib
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.figure import Figure

from recombine.papers import Check, Range, Scale
from recombine.papers.forced_rendering.settings import rotation
from recombine.reports.canvas import LOOK, image
from recombine.reports.curves import curves_figure
from recombine.reports.error_maps import error_map_figure, mean_error_map, outline
from recombine.reports.layers import DRAWN, layer_figures, profile
from recombine.reports.samples import centres, errors_of, samples_figure, side_by_side
from recombine.reports.settings import SeedRun, settings_of

SVG, PIXELS = b"<svg", b"data:image/png;base64,"


LAYERS = ("input", "layer0", "layer1", "output")


def setting_with(
    make, arrays_of=lambda seed: {}, measures_of=lambda seed: {}, status="done", setting=None, layers=LAYERS
):
    """The runs of one setting with these arrays and measures for each seed."""
    claim = make.claim(
        "X7", {"main": setting or make.tiny}, {"main": make.shown}, Check("ood_nmse", Range(high=1.0), "none")
    )

    def run_of(experiment):
        body = {"status": status, "reason": "it died", "measures": measures_of(experiment.seed), "layers": layers}
        return SeedRun(experiment, body, arrays_of(experiment.seed))

    return next(iter(settings_of([claim], Scale.QUICK, run_of).values()))


def line(figure):
    figure.add_subplot().plot([0, 1], [0, 1], label="costs $5 and $6^")
    figure.legend()


def test_an_image_is_a_file_inside_the_page(parsed, image_bytes):
    markup = image(line, (2.0, 1.5), 'a "line" <up>')
    (node,) = parsed(markup).children
    assert image_bytes(markup).startswith(SVG)
    assert node.attributes["alt"] == 'a "line" <up>'
    assert (node.attributes["width"], node.attributes["height"]) == ("192", "144")


def test_the_same_drawing_is_the_same_image_whatever_the_user_has_set():
    first = image(line, (2.0, 1.5), "x")
    with matplotlib.rc_context({"text.color": "white", "figure.facecolor": "black", "font.size": 30}):
        kept = {name: matplotlib.rcParams[name] for name in LOOK}
        assert image(line, (2.0, 1.5), "x") == first
        assert {name: matplotlib.rcParams[name] for name in LOOK} == kept


def test_words_in_a_drawing_are_words(image_bytes):
    """A dollar sign starts no formula, and no number inside the words is rounded."""

    def draw(figure):
        line(figure)
        figure.suptitle("0.123456 <&>")

    svg = image_bytes(image(draw, (2.0, 1.5), "x")).decode()
    assert "costs $5 and $6^" in svg
    assert "0.123456 &lt;&amp;&gt;" in svg
    assert not re.search(r'[ "]\d+\.\d{3,}', svg.split("</defs>", 1)[1].split("0.123456")[0])
    assert "href=" not in svg.replace('href="#', "")


@settings(deadline=None, max_examples=30)
@given(st.data())
def test_the_outline_of_a_block_is_its_perimeter(data):
    rows, columns = data.draw(st.integers(1, 6)), data.draw(st.integers(7, 9))
    top, left = data.draw(st.integers(0, rows - 1)), data.draw(st.integers(0, columns - 1))
    bottom, right = data.draw(st.integers(top + 1, rows)), data.draw(st.integers(left + 1, columns))
    inside = np.zeros((rows, columns), dtype=bool)
    inside[top:bottom, left:right] = True
    axes = Figure().add_subplot()
    outline(axes, inside)
    pieces = axes.lines[0].get_xydata().reshape(-1, 3, 2)
    assert np.isnan(pieces[:, 2]).all()  # the pen is lifted after every side
    points = pieces[:, :2]
    lengths = np.abs(np.diff(points, axis=1)).sum(axis=2)
    assert lengths.sum() == 2 * (bottom - top) + 2 * (right - left)
    assert points.min(axis=(0, 1)).tolist() == [left - 0.5, top - 0.5]
    assert points.max(axis=(0, 1)).tolist() == [right - 0.5, bottom - 0.5]


def test_the_map_is_the_mean_over_seeds(make, parsed, image_bytes):
    setting = setting_with(make, lambda seed: {"error_map": np.full((8, 11), seed, dtype=np.float32)})
    assert mean_error_map(setting) == pytest.approx(np.ones((8, 11)))
    figure = error_map_figure(setting)
    assert image_bytes(figure).count(PIXELS) == 2  # the map and its scale
    (picture,) = parsed(figure).all("img")
    assert "8 levels of y and 11 of x, averaged over 3 seeds" in picture.attributes["alt"]


def test_the_map_says_what_is_inside_and_outside(make, parsed):
    """Inside the hole the error is 3, outside 0.5; swapped axes would not fit the grid."""
    inside = make.tiny(Scale.QUICK).problem.parts.held_out.reshape(8, 11)
    setting = setting_with(make, lambda seed: {"error_map": np.where(inside, 3.0, 0.5)})
    caption = parsed(error_map_figure(setting)).all("figcaption")[0].text
    assert "mean 0.5 outside the red line, 3 inside, largest 3. Red line: held out." in caption
    revealed = setting_with(make, lambda seed: {"error_map": np.where(inside, 3.0, 0.5)}, setting=make.shown)
    assert "held out elsewhere, but shown here" in error_map_figure(revealed)
    assert mean_error_map(setting_with(make, lambda seed: {"error_map": np.ones((11, 8))})) is None


def test_a_single_factor_has_a_line_in_the_place_of_a_map(make, parsed, image_bytes):
    held_out = rotation(Scale.QUICK).problem.parts.held_out
    setting = setting_with(make, lambda seed: {"error_map": np.where(held_out, 0.5, 0.1)[None]}, setting=rotation)
    figure = error_map_figure(setting)
    assert "averaged over them, mean 0.1 outside the red band, 0.5 inside, largest 0.5. Red band: held out." in figure
    assert image_bytes(figure).count(PIXELS) == 0
    assert "against angle, 3 seeds" in parsed(figure).all("img")[0].attributes["alt"]


def test_what_has_nothing_to_draw_is_left_out_of_the_map(make, parsed):
    inside = make.tiny(Scale.QUICK).problem.parts.held_out.reshape(8, 11)
    errors = np.where(inside, 3.0, 0.5)
    errors[0, :4] = np.nan
    caption = parsed(error_map_figure(setting_with(make, lambda seed: {"error_map": errors}))).all("figcaption")[0].text
    assert "mean 0.5 outside the red line, 3 inside, largest 3; white where there is nothing to draw." in caption
    errors[inside] = np.nan
    caption = parsed(error_map_figure(setting_with(make, lambda seed: {"error_map": errors}))).all("figcaption")[0].text
    assert "mean 0.5 outside the red line, none inside, largest 0.5;" in caption
    errors[:] = np.nan
    assert "mean none outside the red line, none inside, largest none;" in error_map_figure(
        setting_with(make, lambda seed: {"error_map": errors})
    )


def test_a_blank_sample_has_error_one_and_a_right_one_zero(make):
    problem = make.tiny(Scale.QUICK).problem
    targets = problem.everything.targets[:3].astype(float)
    blank = problem.task.blank
    outputs = np.stack([targets[0], np.full((8, 11), blank), 2 * blank - targets[2]])
    assert errors_of(outputs, targets, blank) == pytest.approx([0.0, 1.0, 4.0])
    assert np.isnan(errors_of(outputs[:1], np.full((1, 8, 11), blank), blank)).all()


def test_samples_are_those_of_the_first_seed_that_has_some(make, parsed):
    problem = make.tiny(Scale.QUICK).problem

    def arrays_of(seed):
        targets = problem.everything.targets[[27, 40]]
        found = {"sample_combinations": np.array([[2, 5], [3, 7]]), "sample_targets": targets}
        return {**found, "sample_outputs": targets} if seed else {}

    (picture,) = parsed(samples_figure(setting_with(make, arrays_of))).all("img")
    assert "seed 1" in picture.attributes["alt"]
    assert "y 2, x 5: nMSE 0; y 3, x 7: nMSE 0" in picture.attributes["alt"]
    assert samples_figure(setting_with(make)) is None


def test_curves_survive_a_run_that_diverged(make, image_bytes):
    def arrays_of(seed):
        errors = np.array([1.0, 0.5, np.nan if seed else 0.1])
        return {"steps": np.array([1.0, 2.0, 3.0]), "errors": errors, "losses": errors + 1}

    figure = curves_figure(setting_with(make, arrays_of, status="failed"))
    assert image_bytes(figure).startswith(SVG)
    assert "3 failed runs" in figure
    assert "Dotted: the loss" in figure
    assert "seed 0: 0.1; seed 1: not a number" in figure
    nothing = {"steps": np.array([1.0]), "errors": np.array([np.nan]), "losses": np.array([np.nan])}
    assert curves_figure(setting_with(make, lambda seed: nothing)) is None


@settings(deadline=None, max_examples=30)
@given(samples=st.integers(1, 4), rows=st.integers(1, 5), columns=st.integers(6, 20))
def test_pictures_stand_side_by_side(samples, rows, columns):
    pictures = np.random.default_rng(0).random((samples, rows, columns))
    whole, middles = side_by_side(pictures), centres(pictures)
    for picture, middle in zip(pictures, middles, strict=True):
        start = round(middle - (columns - 1) / 2)
        assert np.array_equal(whole[:, start : start + columns], picture)
    assert np.isfinite(whole).sum() == pictures.size
    assert np.isfinite(whole[:, [0, -1]]).all()


def test_pixels_stay_where_they_are(make, image_bytes):
    """Coordinates are cut to two digits, but not the scale of an image, which would shift its far end."""
    targets = make.tiny(Scale.QUICK).problem.everything.targets[:2]
    arrays = {"sample_combinations": np.array([[0, 0], [0, 1]]), "sample_targets": targets, "sample_outputs": targets}
    svg = image_bytes(samples_figure(setting_with(make, lambda seed: arrays))).decode()
    scales = [re.search(r'transform="[^"]*"', found) for found in re.findall(r"<image[^>]*>", svg)]
    assert any(re.search(r"\d\.\d{4,}", scale[0]) for scale in scales if scale)


def test_layers_come_in_the_order_of_the_network(make):
    """Not in that of a record's mappings, where conv0 stands before embedding and layer10 before layer2."""
    layers = ("input", "embedding", "conv0", "layer2", "layer10", "output")
    values = {name: float(place) for place, name in enumerate(layers)}
    measures = {"factorisation": dict(sorted(values.items()))}
    found = profile(setting_with(make, measures_of=lambda seed: measures, layers=layers), "factorisation")
    assert found.layers == layers
    assert found.values[0].tolist() == list(values.values())


def test_a_profile_has_a_row_per_seed_and_a_column_per_layer(make):
    layers = {"output": 0.2, "layer0": 0.6, "input": 1.0}
    setting = setting_with(
        make, measures_of=lambda seed: {"factorisation": {k: v - seed / 10 for k, v in layers.items()}}
    )
    found = profile(setting, "factorisation")
    assert found.layers == ("input", "layer0", "output")
    assert found.values == pytest.approx(np.array([[1.0, 0.6, 0.2], [0.9, 0.5, 0.1], [0.8, 0.4, 0.0]]))
    assert found.depths == pytest.approx([0.0, 0.5, 1.0])
    assert profile(setting, "ood_nmse") is None


def test_a_probe_far_below_zero_does_not_hide_the_others(make, image_bytes):
    layers = {"input": 1.0, "layer0": 0.5, "output": -300.0}
    (figure,) = layer_figures(setting_with(make, measures_of=lambda seed: {"probe_held_out": layers}), [])
    assert "Values below \N{MINUS SIGN}1 are drawn there." in figure
    assert "to \N{MINUS SIGN}300 at the output" in figure
    ticks = re.findall(rb">\xe2\x88\x92([0-9.]+)</text>", image_bytes(figure))
    assert max(float(tick) for tick in ticks) == 1.0


def test_layers_are_drawn_beside_their_control(make, parsed):
    deep = {"input": 1.0, "layer0": 0.6, "layer1": 0.5, "output": 0.2}
    flat = {"input": 1.0, "layer0": 1.0, "output": 0.9}
    own = setting_with(make, measures_of=lambda seed: {"factorisation": deep, "volume_contrast": deep})
    control = setting_with(make, measures_of=lambda seed: {"factorisation": flat}, setting=make.drawn)
    first, second = layer_figures(own, [control])
    assert "tiny from 1 at the input to 0.2 at the output; drawn from 1 at the input to 0.9" in first
    assert "others lie at their share of the way" in first
    assert "drawn" not in second
    assert all(words in first + second for words in list(DRAWN.values())[:2])
    assert layer_figures(setting_with(make), [control]) == []
