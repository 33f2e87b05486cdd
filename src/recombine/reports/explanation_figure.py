"""One explained answer as a figure: truth, answer, the sum of remembered pictures, their weights, and the shares."""

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from recombine.core.shapes import Float
from recombine.factors import Factor
from recombine.measures.answer import TRACE, Answer
from recombine.measures.blame import spelt
from recombine.measures.explanation import Explanation
from recombine.reports.blame_bars import share_bars
from recombine.reports.canvas import RED, colour_bar, label_levels, svg
from recombine.reports.error_maps import outline
from recombine.reports.numbers import count

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.image import AxesImage

SIZE = (12.0, 3.6)  # inches; less than 1,200 pixels wide
UNKNOWN = "#e8e8e8"  # combinations that training did not show, or that nothing is known of


def explanation_svg(found: Explanation) -> str:
    """The figure of an explanation as SVG."""
    return svg(partial(draw, found), SIZE)


def draw(found: Explanation, figure: "Figure") -> None:
    """Four panels in a row and the shares of the error. The three pictures share one scale of ink."""
    answer = found.answer
    truth, drawn, total, weights, shares = figure.subplots(1, 5)
    most = max(float(ink.max()) for ink in (answer.truth, answer.drawn, answer.sum))
    picture = partial(_picture, most=most if most > 0 else 1.0)
    picture(truth, answer.truth, title=f"truth\ny = {answer.y}, x = {answer.x}")
    picture(drawn, answer.drawn, title=f"answer\n{'' if answer.nmse is None else f'nMSE {spelt(answer.nmse)}'}")
    parts = count(len(answer.contributors), "picture")
    ink = picture(total, answer.sum, title=f"sum of {parts}\n{answer.energy:.0%} of the answer's energy")
    colour_bar(figure, ink, [truth, drawn, total], "ink", location="bottom", shrink=0.3)
    _weights(figure, weights, found)
    share_bars(shares, found.blame)


def _picture(axes: "Axes", ink: Float[np.ndarray, "rows columns"], most: float, title: str) -> "AxesImage":
    shown = axes.imshow(ink, cmap="Greys", vmin=0, vmax=most, interpolation="none")
    axes.set_title(title)
    rows, columns = ink.shape
    label_levels(axes.yaxis, Factor.numbered("row", rows), most=5)
    label_levels(axes.xaxis, Factor.numbered("column", columns), most=5)
    axes.spines[:].set_visible(True)
    return shown


def _weights(figure: "Figure", axes: "Axes", found: Explanation) -> None:
    from matplotlib import colormaps

    answer = found.answer
    rows, columns = answer.weights.shape
    whole = [each.weight for each in answer.contributors if each.y is not None and each.x is not None]
    colours = colormaps["Blues"].with_extremes(bad=UNKNOWN)
    shown = axes.imshow(answer.weights, cmap=colours, vmin=0, vmax=max(whole, default=1.0), interpolation="none")
    outline(axes, found.held_out)
    axes.plot([answer.x], [answer.y], marker="x", color=RED, markersize=7, markeredgewidth=2)
    axes.set_title(_weights_title(answer))
    label_levels(axes.yaxis, Factor.numbered("y", rows))
    label_levels(axes.xaxis, Factor.numbered("x", columns))
    axes.spines[:].set_visible(True)
    colour_bar(figure, shown, axes, "weight", location="bottom", shrink=0.9)


def _weights_title(answer: Answer) -> str:
    """Stripes have no place on the map; where they carry weight, it says so."""
    stripes = answer.shares["stripes"].same if "stripes" in answer.shares else 0.0
    if stripes < TRACE:
        return "weight of each remembered\npicture (red: held out)"
    return f"weight, combinations only\n(stripes {stripes:.0%}; red: held out)"
