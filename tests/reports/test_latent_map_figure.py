"""Maps are means over seeds, lie the right way round, and share colours with what they are compared with."""

import base64
import io
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of
from matplotlib.backend_bases import MouseEvent
from matplotlib.figure import Figure

from recombine.data import Problem, tasks
from recombine.models import models
from recombine.papers import Scale
from recombine.reports import latent_map_figure as latent_map_module
from recombine.reports.latent_map_figure import (
    inside_and_outside,
    latent_map_figure,
    latents_of,
    maps_of,
    mean_map,
)
from recombine.reports.markup import Markup
from recombine.reports.settings import SeedRun, SettingRuns
from recombine.splits import supports
from recombine.studies import Experiment, change

OUTLINE = "stroke: #d0021b"


def setting_of(*maps, label="gap", without=None, status="done"):
    """A run for each of these maps, used over both pairs of latents."""
    support = supports.planes(without=without or {})
    problem = Problem(tasks.sprites(size=8, tests=10), support=support, examples=20)
    work = Experiment(problem=problem, model=models.monolithic(family="mlp", width=4), measures=("id_r2",))
    body = {"status": status, "measures": {}, "layers": ()}
    named = [{f"latent_map_{name}": each for name in ("x1_x2", "x1_y1")} for each in maps]
    return SettingRuns(label, "", (), tuple(SeedRun(change(work, seed=k), body, each) for k, each in enumerate(named)))


def flat(value, band=0.0):
    """The same error everywhere, and ``band`` more in the columns from 0.1 to 0.4."""
    errors = np.full((10, 10), value, dtype=np.float32)
    errors[:, 1:4] += band
    return errors


def images(svg):
    """The pixels of the images in a drawing."""
    from matplotlib.image import imread

    found = re.findall(r"base64,\s*([A-Za-z0-9+/=\s]+)\"", svg)
    return [imread(io.BytesIO(base64.b64decode(each))) for each in found]


def test_names_of_maps_are_latents_across_and_up():
    assert latents_of("x1_x2") == ("x1", "x2")
    assert latents_of("x1_y1") == ("x1", "y1")


def test_both_maps_have_named_axes_and_one_scale(image_bytes):
    svg = image_bytes(latent_map_figure(setting_of(flat(0.1)))).decode()
    assert svg.count(">mean squared error<") == 1
    assert (svg.count(">x1<"), svg.count(">x2<"), svg.count(">y1<")) == (2, 1, 1)
    assert OUTLINE not in svg


def test_rows_grow_upwards_and_columns_to_the_right(monkeypatch):
    """The one large error is in the first row and the last column: x1 near 1 and x2 near 0."""
    drawn = Figure()
    monkeypatch.setattr(latent_map_module, "image", lambda draw, size, alt: draw(drawn) or Markup())
    errors = np.zeros((10, 10), dtype=np.float32)
    errors[0, -1] = 1.0
    latent_map_figure(setting_of(errors))
    axes = drawn.axes[0]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("x1", "x2")
    assert axes.get_xlim() == axes.get_ylim() == (0.0, 1.0)
    (map_,) = axes.images
    under = MouseEvent("", drawn.canvas, *axes.transData.transform((0.95, 0.05)))
    assert map_.get_cursor_data(under) == 1.0
    elsewhere = MouseEvent("", drawn.canvas, *axes.transData.transform((0.05, 0.95)))
    assert map_.get_cursor_data(elsewhere) == 0.0


def test_the_colours_of_a_setting_are_those_of_its_controls(image_bytes):
    """Beside a control with a ten times larger error the map is dark; alone it is as bright as can be."""

    def brightness(figure):
        return float(images(image_bytes(figure).decode())[0][..., :3].mean())

    own, control = setting_of(flat(0.1)), setting_of(flat(1.0), label="monolithic")
    alone, beside = latent_map_figure(own), latent_map_figure(own, [control])
    assert brightness(alone) > brightness(beside) + 0.1
    svg = image_bytes(beside).decode()
    assert ">gap<" in svg
    assert ">monolithic<" in svg
    assert len(images(svg)) == 2 * 2 + 1
    assert "monolithic (1 seed): (x1, x2) from 1 to 1" in beside


def test_a_control_without_maps_is_left_out():
    own = setting_of(flat(0.1))
    assert latent_map_figure(own, [setting_of(flat(1.0), label="nothing", status="failed")]) == latent_map_figure(own)


def test_the_cut_is_outlined_and_its_means_are_told(image_bytes):
    """Columns from 0.1 to 0.4 lie wholly in the gap, those from 0.5 on wholly out of it; two are neither."""
    errors = flat(0.25, band=0.5)
    errors[:, [0, 4]] = 9.0
    figure = latent_map_figure(setting_of(errors, without={"x1": (0.05, 0.45)}))
    assert figure.count("mean 0.75 in cells wholly in the cut and 0.25 in those out of it") == 2 * 2  # alt and caption
    assert "Red line: cut out of training, x1 from 0.05 to 0.45." in figure
    assert image_bytes(figure).decode().count(OUTLINE) == 2
    below = latent_map_figure(setting_of(errors, without={"y1": (0.2, 0.4)}))
    assert image_bytes(below).decode().count(OUTLINE) == 1
    other = latent_map_figure(setting_of(errors, without={"hue2": (0.2, 0.4)}))
    assert OUTLINE not in image_bytes(other).decode()
    assert "Red" not in other


def test_cells_of_a_box_by_hand():
    """Four columns and five rows; the box has the second column and touches the third, and has rows 2 and 3."""
    inside, outside = inside_and_outside(np.zeros((5, 4)), ((0.25, 0.6), (0.2, 0.6)))
    assert np.argwhere(inside).tolist() == [[1, 1], [2, 1]]
    assert np.argwhere(~outside).tolist() == [[1, 1], [1, 2], [2, 1], [2, 2]]


@given(
    ends=st.tuples(*[st.floats(0, 1)] * 4).map(lambda four: (tuple(sorted(four[:2])), tuple(sorted(four[2:])))),
    shape=st.tuples(st.integers(1, 7), st.integers(1, 7)),
)
def test_no_cell_is_both_in_a_box_and_out_of_it(ends, shape):
    inside, outside = inside_and_outside(np.zeros(shape), ends)
    assert inside.shape == outside.shape == shape
    assert not (inside & outside).any()


def test_the_whole_square_is_inside_itself():
    inside, outside = inside_and_outside(np.zeros((3, 7)), ((0.0, 1.0), (0.0, 1.0)))
    assert inside.all()
    assert not outside.any()


@given(arrays_of.arrays(np.float64, (3, 2, 4), elements=st.floats(-5, 5)))
def test_the_mean_of_whole_maps_is_the_mean(maps):
    assert mean_map(list(maps)) == pytest.approx(maps.mean(axis=0))


def test_the_mean_skips_what_a_seed_lacks():
    first, second = np.array([[1.0, np.nan, np.nan]]), np.array([[3.0, 5.0, np.nan]])
    assert mean_map([first, second]) == pytest.approx(np.array([[2.0, 5.0, np.nan]]), nan_ok=True)


def test_empty_cells_are_white_and_said(image_bytes):
    errors = flat(0.5)
    errors[3, 3] = np.nan
    assert "White: no scene was asked there." in latent_map_figure(setting_of(errors))
    assert "White" not in latent_map_figure(setting_of(flat(0.5)))


def test_seeds_are_averaged_and_counted():
    figure = latent_map_figure(setting_of(flat(0.1), flat(0.3)))
    assert "gap (2 seeds): (x1, x2) from 0.2 to 0.2" in figure


def test_without_maps_there_is_no_figure(make):
    nothing = {"status": "done", "measures": {}, "layers": ()}
    bare = SettingRuns("bare", "", (), (SeedRun(setting_of(flat(0.1)).work, nothing, {}),))
    assert latent_map_figure(bare) is None
    assert latent_map_figure(setting_of(flat(0.1), status="failed")) is None
    assert latent_map_figure(setting_of(np.full((10, 10), np.nan))) is None
    only_one = SeedRun(bare.work, nothing, {"latent_map_x1_x2": flat(0.1)})
    assert maps_of(SettingRuns("one", "", (), (only_one,))) is None
    grid = SeedRun(make.tiny(Scale.QUICK), nothing, setting_of(flat(0.1)).runs[0].arrays)
    assert maps_of(SettingRuns("tiny", "", (), (grid,))) is None


def test_errors_that_are_all_zero_can_be_drawn():
    assert "from 0 to 0" in latent_map_figure(setting_of(flat(0.0)))
