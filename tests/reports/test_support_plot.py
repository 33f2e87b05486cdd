"""The dots are those of the support, and red is where its cut is."""

import re

import pytest

from recombine.data import Problem, tasks
from recombine.models import models
from recombine.papers import Scale
from recombine.reports import support_plot
from recombine.reports.descriptions import cut_words, support_words
from recombine.reports.settings import SeedRun, SettingRuns
from recombine.reports.support_plot import DOTS, PANELS, cut_box, support_figure
from recombine.splits import supports
from recombine.studies import Experiment

GAP = {"x1": (0.05, 0.45)}
SHADE = "fill: #d0021b"


def setting_of(support, count=2):
    """Scenes of a support, nothing run yet."""
    problem = Problem(tasks.sprites(count=count, size=8, tests=10), support=support, examples=20)
    work = Experiment(problem=problem, model=models.monolithic(family="mlp", width=4), measures=("id_r2",))
    return SettingRuns("sprites", "", (), (SeedRun(work, None),))


def reached(figure):
    """How many of 100 cells the dots reach, by panel."""
    return {pair: int(number) for number, pair in re.findall(r"(\d+) of \((\w+, \w+)\)", figure.split("figcaption")[1])}


def test_there_is_a_labelled_panel_for_each_pair(image_bytes, parsed):
    figure = support_figure(setting_of("random"))
    svg = image_bytes(figure).decode()
    assert ("shape1", "shape2") in PANELS
    assert svg.count("<image") == len(PANELS)  # the dots of a panel are one image
    for name in {name for pair in PANELS for name in pair}:
        assert svg.count(f">{name}<") == sum(pair.count(name) for pair in PANELS)
    alt = parsed(figure).all("img")[0].attributes["alt"]
    assert alt.startswith("Training support: random: Every scene")
    assert f"{DOTS} scenes drawn from it" in figure
    assert SHADE not in svg
    assert "Red" not in figure


def test_dots_of_the_whole_space_are_everywhere_and_those_of_planes_on_lines():
    """Planes of the paper: one line across, and two upright ones that share a cell with it; 10 + 9 + 9 cells."""
    assert set(reached(support_figure(setting_of("random"))).values()) <= {99, 100}
    found = reached(support_figure(setting_of("planes")))
    assert found["x1, x2"] == found["y1, y2"] == found["hue1, hue2"] == 28
    assert found["scale1, scale2"] == 19  # every constant sprite has the smallest size


def test_a_diagonal_reaches_only_cells_near_it():
    """Two sprites differ by at most √2 · width, so by no more than a cell here: 10 + 2 · 9 cells."""
    found = reached(support_figure(setting_of(supports.diagonal(width=0.05))))
    assert 10 <= found["hue1, hue2"] <= 28
    assert found["x1, y1"] > 90  # one sprite is anywhere


def test_a_cut_is_shaded_where_a_panel_has_its_latent(image_bytes):
    figure = support_figure(setting_of(supports.planes(without=GAP)))
    assert image_bytes(figure).decode().count(SHADE) == 2  # (x1, x2) and (x1, y1)
    assert "Red: cut out (x1 from 0.05 to 0.45)." in figure
    assert reached(figure)["x1, x2"] == 28 - 3  # cells that lie in the gap, of the line across
    shapes = support_figure(setting_of(supports.planes(without={"shape2": (0.0, 0.1)})))
    assert image_bytes(shapes).decode().count(SHADE) == 1  # (shape1, shape2)
    assert "without shape2 from 0 to 0.1" in shapes
    third = support_figure(setting_of(supports.random(without={"hue3": (0.0, 0.1)}), 3))
    assert SHADE not in image_bytes(third).decode()  # no panel has the third sprite
    assert "Red:" not in third
    assert "without hue3 from 0 to 0.1" in third


def test_the_box_of_a_cut_spans_what_it_does_not_name():
    cut = supports.random(without={"x1": (0.1, 0.2), "x2": (0.3, 0.7)})
    assert cut_box(cut, ("x1", "x2")) == ((0.1, 0.2), (0.3, 0.7))
    assert cut_box(cut, ("y1", "x2")) == ((0.0, 1.0), (0.3, 0.7))
    assert cut_box(cut, ("hue1", "hue2")) is None
    assert "all at once" in support_figure(setting_of(cut))


@pytest.mark.parametrize(("count", "panels"), [(1, 1), (3, 6)])
def test_other_numbers_of_sprites(image_bytes, count, panels):
    figure = support_figure(setting_of("random", count))
    assert image_bytes(figure).decode().count("<image") == panels


def test_a_task_without_a_support_has_no_figure(make):
    assert support_figure(SettingRuns("tiny", "", (), (SeedRun(make.tiny(Scale.QUICK), None),))) is None


def test_the_same_support_is_the_same_figure():
    first = support_figure(setting_of("planes"))
    support_plot._figure.cache_clear()
    assert support_figure(setting_of("planes")) == first


def test_supports_in_words():
    assert support_words(supports.planes()) == (
        "3 planes of uniform density, 1 in which sprite 1 varies and 2 in which sprite 2 varies"
    )
    one = supports.planes(planes=({"free": 1, "at": (0.0,) * 5},), skew=(1.0, 3.0), without=GAP)
    assert support_words(one) == (
        "1 plane of Beta(1, 3) density, 1 in which sprite 2 varies, without x1 from 0.05 to 0.45"
    )
    assert "normal with spread 0.25" in support_words(supports.planes(spread=0.25))
    assert support_words(supports.diagonal(width=0.2)).startswith("diagonal band of width 0.2,")
    both = supports.random(without={"x1": (0.0, 0.5), "hue2": (0.25, 1.0)})
    assert cut_words(both) == "x1 from 0 to 0.5 and hue2 from 0.25 to 1"
    assert support_words(both).startswith("random: Every scene")
    assert support_words(both).count("x1") == 1
