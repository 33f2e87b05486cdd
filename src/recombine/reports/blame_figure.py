"""An explanation as a figure: the shares of the error beside what shows it, whatever the task has to show."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from recombine.factors import Factor
from recombine.measures.explanation import Explanation
from recombine.measures.explanation_general import DROP, GeneralExplanation, SupportMap
from recombine.reports.blame_bars import share_bars
from recombine.reports.canvas import COLOURS, colour_bar, label_levels, svg
from recombine.reports.explanation_figure import UNKNOWN, explanation_svg
from recombine.reports.writing import write_whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PANEL, HEIGHT = 3.3, 3.4  # inches
ABREAST = 3  # panels in a row, so that a figure is less than 1,200 pixels wide
WHOLE = 1.0  # an error of one who knows nothing, or one example: maps of less are pale and not scaled up


def write_figure(found: Explanation | GeneralExplanation, output: Path) -> Path:
    """Write the figure of an explanation to an SVG file, whole or not at all."""
    drawn = explanation_svg(found) if isinstance(found, Explanation) else general_svg(found)
    return write_whole(output, drawn.encode())


def general_svg(found: GeneralExplanation) -> str:
    """The figure of an explanation of a task that is no picture over y and x, as SVG."""
    rows, columns = _layout(found)
    return svg(partial(draw, found), (PANEL * columns, HEIGHT * rows))


def draw(found: GeneralExplanation, figure: "Figure") -> None:
    """The shares, then conjunctions, layers and a map of what training shows, where there are such."""
    axes = iter(figure.subplots(*_layout(found), squeeze=False).ravel())
    share_bars(next(axes), found.blame)
    if found.conjunctions:
        _conjunctions(next(axes), found)
    if found.layers:
        _layers(next(axes), found)
    if found.support is not None:
        _support(figure, next(axes), next(axes), found.support, found.quantity)
    for empty in axes:
        empty.set_axis_off()


def _layout(found: GeneralExplanation) -> tuple[int, int]:
    """Rows and columns of panels, as even as can be."""
    panels = 1 + bool(found.conjunctions) + bool(found.layers) + 2 * (found.support is not None)
    rows = -(-panels // ABREAST)
    return rows, -(-panels // rows)


def _conjunctions(axes: "Axes", found: GeneralExplanation) -> None:
    axes.barh(list(found.conjunctions), list(found.conjunctions.values()), color=COLOURS[0], height=0.65)
    axes.invert_yaxis()
    axes.set_xlim(0, 1)
    axes.set_xlabel("share of mean |coefficient|")
    axes.set_title("what answers rest on,\nby conjunction")


def _layers(axes: "Axes", found: GeneralExplanation) -> None:
    places = range(len(found.layers))
    axes.plot(places, list(found.layers.values()), marker="o", color=COLOURS[0])
    axes.set_xticks(places, list(found.layers), rotation=45, ha="right")
    axes.set_ylim(0, 1.05)
    axes.set_ylabel("additive share")
    where = f"falls most at {found.lost}" if found.lost else f"falls by less than {DROP}\nfrom layer to layer"
    axes.set_title(f"the additive share {where}")


def _support(figure: "Figure", shown: "Axes", wrong: "Axes", found: SupportMap, quantity: str) -> None:
    """What training shows, and where what is held out goes wrong, on the same grid."""
    from matplotlib import colormaps
    from matplotlib.ticker import MaxNLocator

    first, second = found.shown.shape
    where = ", ".join(f"{name} = {level}" for name, level in found.at.items())
    shows = f"what training shows\nat {where}" if where else "what training shows"
    for axes, values, title, label, colours, whole in (
        (shown, found.shown, shows, "examples", "Blues", True),
        (wrong, found.errors, "what is held out\n(grey: nothing)", quantity, "Reds", False),
    ):
        drawn = axes.imshow(
            values,
            cmap=colormaps[colours].with_extremes(bad=UNKNOWN),
            vmin=0,
            vmax=max(WHOLE, float(np.nanmax(values))),
            interpolation="none",
            aspect="auto",
        )
        label_levels(axes.yaxis, Factor.numbered(found.names[0], first))
        label_levels(axes.xaxis, Factor.numbered(found.names[1], second))
        axes.set_title(title)
        axes.spines[:].set_visible(True)
        ticks = MaxNLocator(5, integer=whole)
        colour_bar(figure, drawn, axes, label, location="bottom", shrink=0.9, ticks=ticks)
