"""Figures of calculations, from calculations that were really computed."""

import re

import numpy as np
import pytest

from recombine.reports.context_map import SETS, composed, context_map_figure
from recombine.reports.kernel_curves import dispersed_figure, leak_figure, salience_figure, spread_figure
from recombine.reports.kinds import kind_of, meaning
from recombine.reports.share_bars import shares_figure, shares_of

MINUS = "\N{MINUS SIGN}"


def alt(figure, parsed):
    (picture,) = parsed(figure).all("img")
    return picture.attributes["alt"]


def test_every_calculation_with_a_figure_draws_it(kernel_settings):
    drawn = {
        label: len([figure for figure in kind_of(setting.work).figures(setting, []) if figure is not None])
        for label, setting in kernel_settings.items()
        if kind_of(setting.work).name == "Calculations"
    }
    assert drawn.pop("law") == 0  # numbers only
    assert drawn == dict.fromkeys(drawn, 1)
    assert len(drawn) == 8


def test_salience_is_told_from_no_layer_to_the_last(kernel_settings, parsed):
    """Multi-hot inputs have S(1;C) = 1/C and no conjunctions."""
    three, two = (salience_figure(kernel_settings[name]) for name in ("layers", "many layers"))
    assert "from 0 to 4 of them: S(1;3) 0.333 to " in alt(three, parsed)
    assert "S(2;3) 0 to " in alt(three, parsed)
    assert "from 0 to 120 of them: S(1;2) 0.5 to " in alt(two, parsed)
    last = kernel_settings["many layers"].numbers("last")[0]
    assert f"S(2;2) 0 to {last:.3g}." in alt(two, parsed)


def test_many_layers_stand_on_a_logarithmic_axis(kernel_settings, image_bytes):
    ticks = [re.findall(rb">([0-9.,]+)</text>", image_bytes(salience_figure(kernel_settings[name])))
             for name in ("layers", "many layers")]  # fmt: skip
    assert b"3" in ticks[0]
    assert {b"1", b"10", b"100"} <= set(ticks[1])


def test_slopes_of_sums_lie_on_the_formula_and_those_of_products_do_not(kernel_settings, parsed):
    sums, products = (alt(leak_figure(kernel_settings[name]), parsed) for name in ("leak", "products"))
    assert f"unseen sums over salience for the anchors {{0}}; {{{MINUS}4, 4}}; {{{MINUS}2, 2}}" in sums
    assert sums.endswith("the largest distance of a slope from the formula is ≈0.")
    # At S(1;2) = 1/2 the formula says 1, and the answer of a sum of two parts to products is 0.
    assert products.endswith("the largest distance of a slope from the formula is 1.")


def test_the_dispersed_curve_is_drawn_with_the_published_points(kernel_settings, parsed, image_bytes):
    setting = kernel_settings["dispersed"]
    figure = dispersed_figure(setting)
    assert b"published (dispersed)" in image_bytes(figure)
    errors = setting.runs[0].arrays["errors"]
    assert f"{errors[0]:.3g} at 0, {errors[1]:.3g} at 0.1" in alt(figure, parsed)
    assert "Mean over 2 training sets" in figure


def test_the_spread_is_the_mean_over_seeds(kernel_settings, parsed):
    setting = kernel_settings["spread"]
    assert len(setting.runs) == 3  # chance is involved, so there are seeds
    first = np.mean([run.arrays["spreads"][0] for run in setting.runs])
    assert f"{first:.3g} at width 20, " in alt(spread_figure(setting), parsed)


@pytest.mark.parametrize(
    ("accuracies", "name"),
    [
        ((0.0, 0.0, 0.0), "none"),
        ((0.5, 0.5, 0.5), "none"),  # chance
        ((1.0, 0.0, np.nan), "CD-1"),
        ((1.0, 1.0, 0.5), "CD-1, CD-2"),
        ((1.0, 1.0, 1.0), "all three"),
        ((0.0, 1.0, 1.0), "other"),
        ((np.nan, np.nan, 1.0), "other"),
    ],
)
def test_a_kernel_is_called_after_what_it_composes(accuracies, name):
    (place,) = composed(np.array([accuracies]))
    assert list(SETS)[place] == name


def test_the_map_counts_as_the_calculation_does(kernel_settings, parsed):
    setting = kernel_settings["map"]
    numbers = {name: setting.numbers(name)[0] for name in ("cells", "none", "only_1", "only_1_2", "every", "other")}
    told = alt(context_map_figure(setting), parsed)
    assert f"Map of {numbers['cells']:.0f} kernels" in told
    assert f"none {numbers['none']:.0f}, CD-1 {numbers['only_1']:.0f}, CD-1, CD-2 {numbers['only_1_2']:.0f}" in told
    assert f"all three {numbers['every']:.0f}" in told
    assert numbers["cells"] == sum(numbers.values()) - numbers["cells"]


def test_shares_come_in_the_order_of_the_paper_and_sum_to_one(kernel_settings, parsed):
    for label in ("shares", "contexts"):
        shares = shares_of(kernel_settings[label])
        assert list(shares) == ["right", "wrong", "context", "sensory", "memorization"]
        assert np.sum([values[0] for values in shares.values()]) == pytest.approx(1)
        assert alt(shares_figure(kernel_settings[label]), parsed).startswith(f"Conjunction shares of {label}: right ")
    assert "black lines" in shares_figure(kernel_settings["contexts"])
    assert "black lines" not in shares_figure(kernel_settings["shares"])
    assert shares_figure(kernel_settings["sums"]) is None


def test_runs_without_arrays_draw_nothing(kernel_paper):
    from recombine.papers import Scale
    from recombine.reports.settings import SeedRun, settings_of

    found = settings_of(
        kernel_paper.claims, Scale.QUICK, lambda work: SeedRun(work, {"status": "done", "measures": {}})
    )
    for setting in found.values():
        design, *others = [*kind_of(setting.work).figures(setting, []), None]
        assert all(figure is None for figure in others)
        assert design is None or "Training design" in design


def test_numbers_have_the_words_of_their_work(kernel_settings):
    leak, sums = kernel_settings["leak"].work, kernel_settings["sums"].work
    assert meaning(leak, "place_difference") == "largest difference in slope between anchor sets at one salience"
    assert meaning(sums, "slope").startswith("Slope of the mean answers")
    assert meaning(sums, "salience.initial layer0").startswith("initial layer0: ")
    assert meaning(leak, "slope") == meaning(sums, "nobody_knows") == ""
