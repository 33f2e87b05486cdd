"""The figures of what is calculated about diffusion: overlap, percolation, sampling, forecasts, data."""

import numpy as np
import pytest

from recombine.papers import Scale
from recombine.papers.diffusion_factorize import data_need, forecasting, overlapping, sampling
from recombine.papers.diffusion_factorize.percolating import LatticePercolation
from recombine.reports.data_need_figure import data_need_figure, sizes_of
from recombine.reports.diffusion_forecast_figure import FLOOR, diffusion_forecast_figure
from recombine.reports.kinds import CALCULATIONS
from recombine.reports.overlap_figure import overlap_figure
from recombine.reports.percolation_figure import crossing, percolation_figure
from recombine.reports.sampling_figure import sampling_figure


def told(parsed, figure):
    return parsed(figure).all("img")[0].attributes["alt"]


@pytest.fixture(scope="module")
def overlaps():
    return overlapping.overlap(Scale.QUICK).compute()


def test_overlaps_are_told_beside_their_formula(runs_of, parsed, image_bytes, overlaps):
    figure = overlap_figure(runs_of(overlapping.overlap, overlaps.arrays))
    away = np.abs(overlaps.arrays["on_pixel"] - overlaps.arrays["formula"]).max(axis=1)
    assert f"σ = 0.5 by {away[4]:.3g}" in told(parsed, figure)
    assert f"{overlaps.arrays['neighbours'][-1]} at σ = 1." in told(parsed, figure)
    peak = overlaps.arrays["beside"][0].max()
    assert f"Beyond the axes, σ = 0.1 goes up to {peak:.3g}." in figure
    svg = image_bytes(figure).decode()
    assert all(f">{words}<" in svg for words in ("distance, pixels", "overlap", "one 0.5 pixels beside", "σ = 0.3"))


def test_the_formula_in_words_is_the_one_that_is_drawn(runs_of, overlaps):
    assert "/ (16 σ²)" in overlap_figure(runs_of(overlapping.overlap, overlaps.arrays))
    other = overlap_figure(runs_of(overlapping.overlap_other, overlaps.arrays))
    assert "/ (8 σ²)" in other


def test_crossings_of_every_width_and_threshold_are_told(runs_of, parsed, image_bytes):
    found = LatticePercolation(draws=1).compute().arrays
    figure = percolation_figure(runs_of(overlapping.lattice, found, {**found, "critical": found["critical"] / 2}))
    point = 0.75 * found["critical"][0, 1]
    assert f"above 0.005 {crossing(0.75 * found['critical'][0, 0])} for σ = 0.1, {point:.3g} for σ = 0.2" in told(
        parsed, figure
    )
    svg = image_bytes(figure).decode()
    assert all(f">{words}<" in svg for words in ("overlap above 0.5", "share of the largest cluster", "σ = 1"))
    assert "mean over 2 seeds" in figure


@pytest.mark.parametrize(("point", "words"), [(0.0, "all along"), (1.0, "never"), (0.25, "0.25")])
def test_what_is_never_crossed_is_said(point, words):
    assert crossing(point) == words


def ways(shift=0.0):
    right = {f"right_{number}": 0.5 + shift for number in sampling.COUNTS}
    guided = {"plain_vertical_x": 0.1, "guided_vertical_x": 0.2, "plain_vertical_y": 0.9, "guided_vertical_y": 0.8}
    return {**right, "ddpm": 0.75 + shift, **guided}


def test_steps_and_guidance_are_told(runs_of, parsed, image_bytes):
    figure = sampling_figure(runs_of(sampling.trained, {}, {}, measures=[ways(), ways(0.2)]))
    assert "0.6 with 1 step, 0.6 with 2 steps" in told(parsed, figure)
    assert "DDPM, all steps 0.85" in told(parsed, figure)
    assert "never-shown x 0.1 without; never-shown x 0.2 with; its y 0.9 without; its y 0.8 with" in told(
        parsed, figure
    )
    svg = image_bytes(figure).decode()
    assert all(f">{words}<" in svg for words in ("DDIM steps", "with guidance 3", "50", "DDPM, all steps"))
    assert "noise drawn anew" not in svg


def test_guidance_has_no_panel_where_it_was_not_measured(runs_of):
    some = {name: value for name, value in ways().items() if "vertical" not in name}
    figure = sampling_figure(runs_of(sampling.trained, {}, measures=some))
    assert "guidance" not in figure
    assert "Right:" not in figure


SHAPE = len(forecasting.TRAINED), len(forecasting.PARTS)


def test_forecasts_stand_beside_what_was_measured(runs_of, parsed, image_bytes):
    said = np.full(SHAPE, 0.1)
    said[0] = 2.0
    found = np.full(SHAPE, 0.2)
    found[0, :2] = 1.0
    figure = diffusion_forecast_figure(runs_of(forecasting.trained, {"forecast": said, "measured": found}))
    assert "sums: vertical 2 beside 1, horizontal 2 beside 1, intersection 2 beside 0.2" in told(parsed, figure)
    assert "both say the same of 0.917 of all" in figure  # 11 of 12
    assert "drawn there" not in figure
    svg = image_bytes(figure).decode()
    assert all(f">{words}<" in svg for words in (*forecasting.TRAINED, *forecasting.PARTS))


def test_tiny_errors_are_drawn_at_the_floor(runs_of):
    arrays = {"forecast": np.zeros(SHAPE), "measured": np.ones(SHAPE)}
    assert f"Values below {FLOOR:g} are drawn there." in diffusion_forecast_figure(runs_of(forecasting.trained, arrays))


def needs(shift=0.0):
    return {
        "bumps_24": np.array([30, 300]), "accuracies_24": np.array([0.1, 0.5]) + shift,
        "bumps_8": np.array([10, 100, 200]), "accuracies_8": np.array([0.2, 0.6, 0.9]) + shift,
    }  # fmt: skip


def test_sizes_are_in_rising_order_with_every_seed(runs_of):
    found = sizes_of(runs_of(data_need.bumps_alone, needs(), needs(0.1)))
    assert list(found) == [8, 24]
    assert found[8][0].tolist() == [10, 100, 200]
    assert found[24][1] == pytest.approx(np.array([[0.1, 0.5], [0.2, 0.6]]))


def test_what_is_needed_is_told(runs_of, parsed, image_bytes):
    figure = data_need_figure(runs_of(data_need.bumps_alone, needs(), needs(0.1)))
    # The second seed crosses 0.6 three quarters of the way from 10 to 100, in log(1 + bumps).
    mean = (100 + 11 * (101 / 11) ** 0.75 - 1) / 2
    assert f"N = 8: {mean:.3g} needed; N = 24: 300 needed in 1 of 2 seeds." in told(parsed, figure)
    assert "without lone stripes" in figure
    svg = image_bytes(figure).decode()
    assert all(f">{words}<" in svg for words in ("N = 8", "N = 24", "bumps shown", "share of held-out places right"))
    never = data_need_figure(runs_of(data_need.bumps_beside_stripes, needs()))
    assert "N = 24: not enough with all" in never
    assert "beside lone stripes" in never


def test_no_bumps_at_all_have_a_place_on_the_axis(runs_of, parsed, image_bytes):
    arrays = {"bumps_8": np.array([0, 16, 200]), "accuracies_8": np.array([0.7, 0.8, 0.9])}
    figure = data_need_figure(runs_of(data_need.bumps_beside_stripes, arrays))
    svg = image_bytes(figure).decode()
    assert all(f">{number}<" in svg for number in ("0", "10", "100"))
    assert "N = 8: at most 0 needed." in told(parsed, figure)


CALCULATED = (overlapping.overlap, overlapping.lattice, sampling.trained, forecasting.trained, data_need.bumps_alone)


@pytest.mark.parametrize("setting", CALCULATED)
def test_without_arrays_nothing_is_drawn(runs_of, setting):
    assert list(CALCULATIONS.figures(runs_of(setting, {}), [])) == [None]
    assert list(CALCULATIONS.figures(runs_of(setting, {}, status="failed"), [])) == [None]


def test_the_report_finds_them(runs_of, overlaps):
    made = [
        (overlap_figure, runs_of(overlapping.overlap, overlaps.arrays)),
        (sampling_figure, runs_of(sampling.trained, {}, measures=ways())),
        (
            diffusion_forecast_figure,
            runs_of(forecasting.trained, dict.fromkeys(("forecast", "measured"), np.ones(SHAPE))),
        ),
        (data_need_figure, runs_of(data_need.bumps_alone, needs())),
    ]
    for draw, setting in made:
        assert list(CALCULATIONS.figures(setting, [])) == [draw(setting)]
