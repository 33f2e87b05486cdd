"""The learned pictures of single levels, with the edge of the hole."""

import numpy as np
import pytest

from recombine.papers import Scale
from recombine.reports.embedding_figure import embedding_figure
from recombine.reports.settings import SeedRun, SettingRuns


def setting_of(make, arrays, **body):
    """One finished run of the tiny setting with these arrays."""
    found = {"status": "done", "measures": {}, "layers": ["input", "layer0", "layer1", "output"], **body}
    return SettingRuns("tiny", "", (), (SeedRun(make.tiny(Scale.QUICK), found, arrays),))


def arrays(shape=(8, 11)):
    """An upright stripe for three levels of x and a level one for two of y."""
    upright, level = np.zeros((3, *shape), dtype=np.float16), np.zeros((2, *shape), dtype=np.float16)
    upright[[0, 1, 2], :, [2, 5, 7]], level[[0, 1], [2, 6], :] = 3.0, -2.0
    levels = {"embedding_levels_x": np.array([2, 5, 7]), "embedding_levels_y": np.array([2, 6])}
    return {"embedding_x": upright, "embedding_y": level, **levels}


def test_every_level_has_its_picture_and_its_name(make, parsed, image_bytes):
    figure = embedding_figure(setting_of(make, arrays()))
    svg = image_bytes(figure).decode()
    assert svg.count("<image") == 3 + 2 + 1  # and the scale
    assert all(f">{words}<" in svg for words in ("x = 2", "x = 5", "x = 7", "y = 2", "y = 6"))
    assert svg.count("stroke: #d0021b") == 3 + 2
    assert parsed(figure).all("img")[0].attributes["alt"].endswith("for the levels x 2, 5, 7; y 2, 6.")
    assert "Fig. 3b" in figure
    assert figure == embedding_figure(setting_of(make, arrays()))


def test_pictures_of_another_size_than_the_grid_have_no_hole(make, image_bytes):
    figure = embedding_figure(setting_of(make, arrays((9, 12))))
    assert "#d0021b" not in image_bytes(figure).decode()
    assert "Red line" not in figure


@pytest.mark.parametrize("absent", ["embedding_x", "embedding_levels_y"])
def test_without_its_arrays_there_is_no_figure(make, absent):
    assert embedding_figure(setting_of(make, {k: v for k, v in arrays().items() if k != absent})) is None
