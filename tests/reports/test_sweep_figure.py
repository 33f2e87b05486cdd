"""Lines and planes over swept numbers, drawn from plain series."""

import re

import numpy as np
import pytest

from recombine.reports.markup import raw
from recombine.reports.sweep_figure import Series, Wording, lines_figure, plane_figure, table

WORDING = Wording("ood_nmse", "hidden layers", "Depth does not rescue (code).", "code")
BUMP = Series("bump", {2.0: [0.9, 1.1], 4.0: [0.8, 1.0], 8.0: [0.7]})
RAMP = Series("ramp", {2.0: [2.0, 2.2], 8.0: []})


def logarithmic(**flags):
    return Wording("ood_nmse", "bumps", "Words.", "stripes", **flags)


def test_each_series_is_a_line_of_means(parsed, image_bytes):
    figure = lines_figure([BUMP, RAMP], WORDING)
    alt = parsed(figure).all("img")[0].attributes["alt"]
    assert alt == "ood_nmse against hidden layers. Means: bump: 1 at 2, 0.9 at 4, 0.7 at 8; ramp: 2.1 at 2."
    svg = image_bytes(figure).decode()
    assert all(f">{words}<" in svg for words in ("bump", "ramp", "code", "hidden layers", "ood_nmse", "2", "4", "8"))
    assert "Depth does not rescue (code). Hollow marks: mean over up to 2 seeds" in figure
    assert "Dashed: as bad as a blank picture." in figure
    assert figure == lines_figure([BUMP, RAMP], WORDING)


def test_a_blank_is_marked_for_errors_only():
    wording = Wording("ood_accuracy", "hidden layers", "Words.")
    assert "blank" not in lines_figure([BUMP], wording)
    assert "blank" not in plane_figure([BUMP], wording)


def test_intervals_are_those_over_seeds():
    found = BUMP.intervals()
    assert list(found) == [2.0, 4.0, 8.0]
    assert found[2.0].estimate == pytest.approx(1.0)
    # Two seeds: half the distance times t(0.975; 1) = tan(0.475 pi).
    assert found[2.0].high - found[2.0].estimate == pytest.approx(0.1 * np.tan(0.475 * np.pi))
    assert found[8.0].seeds == 1
    assert list(RAMP.intervals()) == [2.0]


def test_intervals_of_accuracies_end_where_accuracies_do(image_bytes):
    series = Series("a", {1.0: [1.0, 0.6], 2.0: [0.0, 0.3]})
    bounded, free = (
        image_bytes(lines_figure([series], Wording(of, "width", "Words."))).decode() for of in ("ood_accuracy", "rank")
    )
    ticks = [
        [float(t.replace("\u2212", "-")) for t in re.findall(r">(.?[0-9.]+)</text>", svg)] for svg in (bounded, free)
    ]
    assert max(ticks[0]) <= 2 < max(ticks[1])
    assert min(ticks[0]) >= 0 > min(ticks[1])


def test_zero_has_a_place_on_a_logarithmic_axis(image_bytes):
    series = Series("32 stripes", {0.0: [2.0, 1.0], 10.0: [0.5, 0.4], 100.0: [0.0, 0.02]})
    figure = lines_figure([series], logarithmic(log_across=True, log_value=True))
    ticks = re.findall(r">([0-9.]+)</text>", image_bytes(figure).decode())
    assert {"0", "10", "100"} <= set(ticks)
    assert "What is below 0.01 is drawn there." in figure


def test_numbers_too_close_to_be_named_leave_the_axis_its_own_marks(image_bytes):
    series = Series("a", {float(number): [1.0] for number in range(40)})
    ticks = re.findall(r">(\d+)</text>", image_bytes(lines_figure([series], WORDING)).decode())
    assert 0 < len(ticks) < 20


def test_a_table_has_a_row_per_series_and_gaps_where_nothing_was_run():
    rows, numbers, means = table([BUMP, RAMP])
    assert (rows, numbers) == (["bump", "ramp"], [2.0, 4.0, 8.0])
    assert means == pytest.approx(np.array([[1.0, 0.9, 0.7], [2.1, np.nan, np.nan]]), nan_ok=True)


@pytest.mark.parametrize("log_value", [False, True])
def test_every_cell_of_a_plane_has_its_number(parsed, image_bytes, log_value):
    figure = plane_figure([BUMP, RAMP], logarithmic(log_value=log_value))
    svg = image_bytes(figure).decode()
    assert all(f">{words}<" in svg for words in ("1", "0.9", "0.7", "2.1", "bump", "ramp", "bumps", "stripes"))
    assert svg.count(">–<") == 2
    assert "–: no run." in figure
    assert "mathdefault" not in svg
    alt = parsed(figure).all("img")[0].attributes["alt"]
    assert alt == "ood_nmse over bumps and stripes. Means: bump: 1 at 2, 0.9 at 4, 0.7 at 8; ramp: 2.1 at 2."


@pytest.mark.parametrize("draw", [lines_figure, plane_figure])
def test_without_a_value_there_is_no_figure(draw):
    assert draw([], WORDING) is None
    assert draw([Series("a", {1.0: []})], WORDING) is None


@pytest.mark.parametrize("draw", [lines_figure, plane_figure])
def test_a_quantity_in_words_stands_on_the_axis_in_place_of_its_name(draw, parsed, image_bytes):
    wording = Wording("all_r2", "width", "Words.", label="R2 on the whole space")
    figure = draw([BUMP], wording)
    svg = image_bytes(figure).decode()
    assert ">R2 on the whole space<" in svg
    assert "all_r2" not in svg
    assert parsed(figure).all("img")[0].attributes["alt"].startswith("R2 on the whole space")
    assert "blank" in draw([BUMP], Wording("ood_nmse", "width", "Words.", label="error"))  # known by its name


def test_seeds_are_drawn_over_the_mean(monkeypatch):
    """Dots with an edge, of 4 points at least, above a hollow mark."""
    from recombine.reports import sweep_figure

    orders = {}

    def look(draw, size, alt):
        from matplotlib.figure import Figure

        figure = Figure()
        draw(figure)
        for line in figure.axes[0].lines:
            if line.get_marker() == "o" and line.get_linestyle() == "None":
                orders.setdefault("seeds", []).append((line.get_zorder(), line.get_markersize()))
            elif line.get_label() == "bump":
                orders["mean"] = line.get_zorder()
                assert line.get_markerfacecolor() == "none"
        return raw("")

    monkeypatch.setattr(sweep_figure, "image", look)
    lines_figure([BUMP], WORDING)
    assert len(orders["seeds"]) == 3
    assert all(order > orders["mean"] and size >= 4 for order, size in orders["seeds"])
