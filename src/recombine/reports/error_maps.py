"""The error over the plane of factors, with what was held out inside a red line."""

from typing import TYPE_CHECKING

import numpy as np

from recombine.core.shapes import Bool, Float
from recombine.factors import Factor
from recombine.reports.canvas import COLOURS, RED, colour_bar, framed, image, label_levels
from recombine.reports.markup import Markup
from recombine.reports.numbers import count, short
from recombine.reports.settings import SettingRuns, problem_of
from recombine.reports.shown_words import hole_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# One scale for every map of every page: 0 is right, 1 is as bad as a blank picture, from 2 on it is just wrong.
TOP = 2.0


def mean_error_map(setting: SettingRuns) -> Float[np.ndarray, "y x"] | None:
    """The error map averaged over the seeds that have one; None if none has."""
    maps = _maps(setting)
    return np.stack(maps).mean(axis=0, dtype=np.float64) if maps else None


def _maps(setting: SettingRuns) -> list[np.ndarray]:
    """The error maps of the seeds, as long as they have the shape of the grid."""
    found = [run.arrays.get("error_map") for run in setting.with_status("done")]
    return [each for each in found if each is not None and each.shape == problem_of(setting.work).grid.shape]


def error_map_figure(setting: SettingRuns) -> Markup | None:
    """The map of one setting, or None where there is nothing to draw."""
    errors = mean_error_map(setting)
    if errors is None:
        return None
    problem = problem_of(setting.work)
    rows, columns = problem.grid.factors
    inside = problem.parts.held_out.reshape(errors.shape)

    if len(rows) == 1:
        return _error_line(setting, columns, inside[0])

    def draw(figure: "Figure") -> None:
        axes = figure.add_subplot()
        shown = axes.imshow(errors, cmap="viridis", vmin=0, vmax=TOP, interpolation="none")
        outline(axes, inside)
        label_levels(axes.xaxis, columns)
        label_levels(axes.yaxis, rows)
        axes.spines[:].set_visible(True)
        colour_bar(figure, shown, axes, "nMSE (0 right, 1 blank)", extend="max", ticks=[0, 0.5, 1, 1.5, 2], shrink=0.92)

    seeds = count(len(_maps(setting)), "seed")
    drawn = ~np.isnan(errors)  # a blank target has no error in units of a blank
    trained, held_out = (_mean(errors[drawn & part]) for part in (~inside, inside))
    largest = short(float(errors[drawn].max())) if drawn.any() else "none"
    means = f"mean {trained} outside the red line, {held_out} inside, largest {largest}"
    means += "" if drawn.all() else "; white where there is nothing to draw"
    shape = f"{len(rows)} levels of {rows.name} and {len(columns)} of {columns.name}"
    alt = f"Error map of {setting.label} over {shape}, averaged over {seeds}: {means}."
    red = hole_words(problem)
    caption = f"Error of every combination, averaged over {seeds}: {means}. Red line: {red}."
    return framed(image(draw, (3.4, 2.9), alt), caption)


def _error_line(setting: SettingRuns, factor: Factor, inside: Bool[np.ndarray, " levels"]) -> Markup:
    """The error along the only factor that varies, a line per seed, with what was held out shaded."""
    curves = np.stack([each[0] for each in _maps(setting)]).astype(np.float64)
    levels = np.array(factor.levels if factor.numeric else range(len(factor)), dtype=float)

    def draw(figure: "Figure") -> None:
        axes = figure.add_subplot()
        axes.fill_between(levels, 0, 1, where=inside, transform=axes.get_xaxis_transform(), color=RED, alpha=0.15, lw=0)
        for curve in curves:
            axes.plot(levels, curve, color=COLOURS[0], linewidth=1.1, alpha=0.8)
        axes.set_ylim(bottom=0)
        axes.set_xlabel(factor.name)
        axes.set_ylabel("nMSE (0 right, 1 blank)")

    mean = curves.mean(axis=0)
    seeds = count(len(curves), "seed")
    means = f"mean {_mean(mean[~inside])} outside the red band, {_mean(mean[inside])} inside, "
    means += f"largest {short(float(mean.max()))}"
    alt = f"Error of {setting.label} against {factor.name}, {seeds}: {means}."
    red = hole_words(problem_of(setting.work))
    return framed(
        image(draw, (3.4, 2.9), alt),
        f"Error against {factor.name}, a line for each of {seeds}; averaged over them, {means}. Red band: {red}.",
    )


def _mean(errors: Float[np.ndarray, " some"]) -> str:
    return short(float(errors.mean())) if len(errors) else "none"


def outline(axes: "Axes", inside: Bool[np.ndarray, "rows columns"]) -> None:
    """A red line along every side between a cell inside and one outside."""
    cells = np.pad(inside, 1)
    # Cell (row, column) spans half a unit to each side of its centre; NaN lifts the pen.
    upright = [((x - 0.5, y - 1.5), (x - 0.5, y - 0.5)) for y, x in np.argwhere(cells[:, 1:] != cells[:, :-1])]
    level = [((x - 1.5, y - 0.5), (x - 0.5, y - 0.5)) for y, x in np.argwhere(cells[1:] != cells[:-1])]
    path = np.array([(*side, (np.nan, np.nan)) for side in upright + level]).reshape(-1, 2)
    axes.plot(*path.T, color=RED, linewidth=2.0, solid_capstyle="round", clip_on=False, scalex=False, scaley=False)
