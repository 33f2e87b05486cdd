"""A small map of a training design: which combinations of two components are trained on."""

import numpy as np

from recombine.reports.canvas import framed
from recombine.reports.markup import Markup, tag
from recombine.reports.settings import SettingRuns, problem_of
from recombine.reports.shown_words import hole_words

SIDE = 168  # of the map's longer side, in pixels
DARK, LIGHT = "#0072b2", "#f3d3bd"  # trained, held out


def design_figure(setting: SettingRuns) -> Markup | None:
    """Trained and held-out cells of a grid of two factors; None for any other grid."""
    problem = problem_of(setting.work)
    if len(problem.grid.shape) != 2:
        return None
    rows, columns = problem.grid.shape
    cell = SIDE / max(rows, columns)
    trained, held_out = problem.shown(setting.work.seed), problem.parts.held_out
    layers = [(LIGHT, held_out), (DARK, trained)]
    drawn = [tag("path", d=_squares(mask.reshape(rows, columns), cell), fill=colour) for colour, mask in layers]
    first, second = problem.grid.names
    numbers = f"{int(trained.sum())} trained, {int(held_out.sum())} held out"
    width, height = round(columns * cell), round(rows * cell)
    picture = tag(
        "svg",
        drawn,
        viewBox=f"0 0 {width} {height}",
        width=width,
        height=height,
        role="img",
        aria_label=f"Training design of {setting.label}: {numbers}.",
    )
    caption = f"Dark: trained; light: {hole_words(problem)}. {numbers}. Rows: {first}; columns: {second}."
    return framed(picture, caption)


def _squares(inside: np.ndarray, cell: float) -> str:
    """The outline of every cell inside, a little smaller than its place, as one path."""
    side = f"{cell - 1:.1f}"
    return "".join(f"M{x * cell:.1f} {y * cell:.1f}h{side}v{side}h-{side}z" for y, x in np.argwhere(inside))
