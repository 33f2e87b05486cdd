"""Pictures of a split show the right cells the right way up."""

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.colors import to_hex

from recombine import splits
from recombine.core.errors import InputError
from recombine.factors import Factor, Grid
from recombine.splits import draw, make_split, text
from recombine.splits.drawing import DEEP, NEAR, OUTLINE, TRAINED

mpl.use("Agg")
GRID = Grid.numbered(y=7, x=10)
HOLE = splits.block(y=(1, 6), x=(2, 9))


@pytest.fixture
def ax():
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots()
    yield ax
    plt.close(figure)


def colours(ax):
    """The colour of every cell as it is painted."""
    (image,) = ax.images
    return np.apply_along_axis(to_hex, 2, image.to_rgba(image.get_array()))


def outline(ax):
    """The sides that are drawn, each as its two ends in order."""
    (lines,) = ax.collections
    return {tuple(sorted(map(tuple, side.tolist()))) for side in lines.get_segments()}


def test_a_split_in_characters():
    assert text(make_split(HOLE, GRID)).splitlines() == [
        "··········",
        "··□□□□□□□·",
        "··□□□□□□□·",
        "··□□■■■□□·",
        "··□□□□□□□·",
        "··□□□□□□□·",
        "··········",
    ]


def test_without_an_interior_all_that_is_held_out_is_open():
    assert text(make_split(splits.cells(rows=[[0, 1]]), Grid.numbered(y=2, x=3))) == "·□·\n···"
    few = np.array([True, False, False, False, False, True])
    assert text(make_split(splits.cells(rows=[[0, 1]]), Grid.numbered(y=2, x=3)), few) == "·□ \n  ·"


def test_characters_take_two_factors_and_sixty_four_columns():
    assert text(make_split(splits.corner(y=1, x=60), Grid.numbered(y=2, x=64))).splitlines()[1] == "·" * 60 + "□" * 4
    with pytest.raises(InputError, match=r"sizes \(2, 65\) has no picture in characters.*use splits\.draw"):
        text(make_split(splits.corner(y=1, x=60), Grid.numbered(y=2, x=65)))
    with pytest.raises(InputError, match=r"sizes \(2, 3, 4\)"):
        text(make_split(splits.random(fraction=0.2), Grid.numbered(y=2, x=3, z=4)))


def test_cells_are_coloured_by_section(ax):
    split = make_split(HOLE, GRID)
    assert draw(split, ax) is ax
    expected = np.full(GRID.size, TRAINED)
    expected[split.sections["rim"]] = NEAR
    expected[split.sections["interior"]] = DEEP
    assert np.array_equal(colours(ax), expected.reshape(GRID.shape))
    assert [label.get_text() for label in ax.get_legend().get_texts()] == ["trained", "rim", "interior"]


def test_the_outline_is_red_and_runs_round_the_hole(ax):
    draw(make_split(splits.cells(rows=[[1, 2], [1, 3]]), Grid.numbered(y=3, x=5)), ax)
    top, bottom, left, right = 0.5, 1.5, 1.5, 3.5
    assert outline(ax) == {
        ((left, top), (2.5, top)),
        ((2.5, top), (right, top)),
        ((left, bottom), (2.5, bottom)),
        ((2.5, bottom), (right, bottom)),
        ((left, top), (left, bottom)),
        ((right, top), (right, bottom)),
    }
    assert to_hex(ax.collections[0].get_colors()[0]) == OUTLINE


def test_the_outline_closes_at_the_edge_of_the_grid(ax):
    draw(make_split(splits.corner(y=6, x=9), GRID), ax)
    assert outline(ax) == {
        ((8.5, 5.5), (9.5, 5.5)),
        ((8.5, 6.5), (9.5, 6.5)),
        ((8.5, 5.5), (8.5, 6.5)),
        ((9.5, 5.5), (9.5, 6.5)),
    }


def test_labels_and_counts(ax):
    draw(make_split(HOLE, GRID), ax)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x", "y")
    assert ax.get_title() == "block: 35 trained, 35 held out (50%)"


def test_a_cross_shows_its_own_sections(ax):
    split = make_split(splits.extrapolation(of=splits.cross(x=(4, 6), y=(2, 3))), GRID)
    draw(split, ax)
    shown = colours(ax).ravel()
    found = {name: set(shown[split.sections[name]]) for name in ("vertical", "horizontal", "intersection")}
    assert all(len(colour) == 1 for colour in found.values())
    assert len(set.union(*found.values(), {TRAINED})) == 4
    labels = [label.get_text() for label in ax.get_legend().get_texts()]
    assert labels == ["trained", "vertical", "horizontal", "intersection"]


def test_words_label_their_levels(ax):
    grid = Grid((Factor("shape", ("disc", "ring", "star")), Factor("x", (0.25, 0.5))))
    draw(make_split(splits.cells(rows=[[1, 1]]), grid), ax)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["disc", "ring", "star"]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["0.25", "0.5"]
    assert [label.get_text() for label in ax.get_legend().get_texts()] == ["trained", "held out"]


def test_more_factors_are_shown_as_the_share_held_out(ax):
    grid = Grid.numbered(y=3, x=4, z=5)
    split = make_split(splits.block(y=(1, 2), x=(0, 2), z=(0, 2)), grid)
    draw(split, ax)
    expected = np.zeros((3, 4))
    expected[1, :2] = 2 / 5
    assert np.allclose(ax.images[0].get_array(), expected)
    assert len(outline(ax)) == 6


def test_one_factor_is_one_row(ax):
    draw(make_split(splits.extrapolation(of=splits.corner(x=3)), Grid.numbered(x=5)), ax)
    assert ax.images[0].get_array().shape == (1, 5)
    assert ax.get_xlabel() == "x"
    assert ax.get_yticks().size == 0


def test_without_axes_a_new_figure_is_made():
    import matplotlib.pyplot as plt

    before = len(plt.get_fignums())
    ax = draw(make_split(HOLE, GRID))
    assert len(plt.get_fignums()) == before + 1
    ax.figure.canvas.draw()
    plt.close(ax.figure)
