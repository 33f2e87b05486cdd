"""Conditions beside outcomes: which supports compose, and which condition said so."""

from typing import TYPE_CHECKING

import numpy as np

from recombine.core.shapes import Float
from recombine.papers.first_principles.predictors import COMPOSES, CONDITIONS, PAIRS, SupportPredictors
from recombine.reports.canvas import COLOURS, framed, image
from recombine.reports.markup import Markup
from recombine.reports.numbers import count, short
from recombine.reports.settings import SettingRuns

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SIDE = 1.15, 0.85  # inches of a cell


def predictor_figure(setting: SettingRuns) -> Markup | None:
    """A cell for each composition and support: the error beside the whole space, and what each condition said."""
    needed = {"ratios", *CONDITIONS}
    kept = [run.arrays for run in setting.with_status("done") if needed <= set(run.arrays)]
    if not kept:
        return None
    assert isinstance(setting.work, SupportPredictors)
    supports = list(setting.work.supports)
    ratios = np.median([arrays["ratios"] for arrays in kept], axis=0)
    said = {name: np.mean([arrays[name] for arrays in kept], axis=0) for name in CONDITIONS}

    def draw(figure: "Figure") -> None:
        axes = figure.add_subplot()
        axes.imshow(ratios <= COMPOSES, cmap="Greys_r", vmin=-2.0, vmax=1.0, aspect="auto", interpolation="none")
        for (row, column), ratio in np.ndenumerate(ratios):
            axes.text(column, row - 0.18, short(float(ratio)), ha="center", va="center", fontsize=10)
            _marks(axes, row, column, said)
        axes.set_xticks(range(len(supports)), supports, rotation=20, ha="right")
        axes.set_yticks(range(len(PAIRS)), list(PAIRS))
        axes.set_xlabel("support")
        axes.set_ylabel("composition")
        axes.spines[:].set_visible(True)

    right = ratios <= COMPOSES
    agree = ", ".join(f"{name} {int(((yes > 0.5) == right).sum())}" for name, yes in said.items())
    words = f"of {ratios.size} cases {int(right.sum())} compose; conditions that say what happens: {agree}"
    alt = f"Error on the whole space by composition and support, beside three conditions: {words}."
    caption = (
        f"Error on the whole space in multiples of that after training on the whole space, the median of "
        f"{count(len(kept), 'seed')}; light cells compose (at most {COMPOSES:g}). Below it, what each condition said: "
        f"{', '.join(CONDITIONS)}, a filled mark for yes. Of these medians, {words}."
    )
    size = (1.9 + SIDE[0] * max(len(supports), 4), 1.2 + SIDE[1] * len(PAIRS))
    return framed(image(draw, size, alt), caption, wide=True)


def _marks(axes: "Axes", row: int, column: int, said: dict[str, Float[np.ndarray, "pairs supports"]]) -> None:
    """A mark for each condition, filled where it says yes."""
    for place, (name, yes) in enumerate(said.items()):
        colour = COLOURS[place]
        filled = colour if yes[row, column] > 0.5 else "none"
        where = column + 0.25 * (place - 1), row + 0.2
        axes.plot(*where, "os^"[place], markerfacecolor=filled, markeredgecolor=colour, markersize=7)
        if row == column == 0:
            axes.annotate(
                name,
                where,
                (-0.5 + min(1.6, yes.shape[1] / 3) * place, -0.72),
                color=colour,
                annotation_clip=False,
                fontsize=9,
            )
