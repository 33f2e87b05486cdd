"""A measure against a number that was swept, a line per series; or over the plane of two of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from recombine.core.shapes import Float
from recombine.papers import Interval
from recombine.reports.canvas import COLOURS, LINES, MARKS, colour_bar, framed, image, logarithmic
from recombine.reports.markup import Markup
from recombine.reports.numbers import count, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

GREY = "#666666"
CLOSE = 0.07  # of the width of the axes: numbers nearer than this have no room for their names
SEED: dict[str, Any] = {"markersize": 5.0, "alpha": 0.8, "markeredgecolor": "white", "markeredgewidth": 0.5}
MEAN: dict[str, Any] = {"markersize": 8.0, "markerfacecolor": "none", "markeredgewidth": 1.2}
CELL, MARGIN = (0.62, 0.42), (1.9, 1.1)  # inches


@dataclass(frozen=True, slots=True)
class Series:
    """One line: the values over seeds at each swept number."""

    name: str
    points: Mapping[float, Sequence[float]]

    def intervals(self) -> dict[float, Interval]:
        """Mean and 95% interval at each number that has values, in rising order."""
        return {number: Interval.over_seeds(list(self.points[number])) for number in sorted(self.points)
                if len(self.points[number])}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Wording:
    """What stands on the axes and what the caption begins with."""

    quantity: str  # the measured one
    across: str  # what is swept
    caption: str
    series: str = ""  # what tells the series apart
    log_across: bool = False
    log_value: bool = False
    label: str = ""  # words for the measured quantity; its name where there are none

    @property
    def measured(self) -> str:
        """What the measured quantity is called on axes."""
        return self.label or self.quantity

    @property
    def has_blank(self) -> bool:
        """Whether 1 is the error of a blank picture."""
        return self.quantity.endswith("nmse")

    @property
    def within(self) -> tuple[float, float]:
        """Where numbers can lie; an interval of the mean may reach beyond."""
        return (0.0, 1.0) if "accuracy" in self.quantity else (-np.inf, np.inf)


def lines_figure(series: Sequence[Series], wording: Wording) -> Markup | None:
    """Mean and 95% interval over seeds against the swept number; None if no series has a value."""
    found = {each.name: each.intervals() for each in series}
    values = [value for each in series for seeds in each.points.values() for value in seeds]
    numbers = sorted({number for points in found.values() for number in points})
    if not values:
        return None
    positive = [value for value in values if value > 0]
    floor = (min(positive, default=1.0) / 2) if wording.log_value else -np.inf
    ends = [measured.low for points in found.values() for measured in points.values() if measured.seeds > 1]
    below = min([*values, *ends]) < floor

    def draw(figure: "Figure") -> None:
        axes = figure.add_subplot()
        if wording.has_blank:
            axes.axhline(1.0, linestyle="--", linewidth=0.9, color=GREY, zorder=1)
        for place, each in enumerate(series):
            points = found[each.name]
            style = place % len(COLOURS)
            look: dict[str, Any] = {"color": COLOURS[style], "zorder": 3}
            for number, measured in points.items():
                seeds = np.maximum(np.array(each.points[number], dtype=np.float64), floor)
                # Over the mean and its interval, with a white edge, so that each can be counted.
                axes.plot([number] * len(seeds), seeds, "o", **SEED, **{**look, "zorder": 4})
                if measured.seeds > 1:
                    ends = np.maximum(np.clip([measured.low, measured.high], *wording.within), floor)
                    axes.plot([number] * 2, ends, linewidth=0.8, alpha=0.6, **look)
            means = np.maximum([measured.estimate for measured in points.values()], floor)
            line: dict[str, Any] = {"marker": MARKS[style], "linestyle": LINES[style], **MEAN}
            axes.plot(list(points), means, label=each.name, linewidth=1.4, **line, **look)
        if wording.log_value:
            logarithmic(axes.yaxis)
        _swept(axes, numbers, wording.log_across)
        axes.set_xlabel(wording.across)
        axes.set_ylabel(wording.measured)
        if len(series) > 1 or wording.series:
            _legend(figure, [each.name for each in series], wording.series)

    told = "; ".join(
        f"{name}: " + ", ".join(f"{short(measured.estimate)} at {short(number)}" for number, measured in points.items())
        for name, points in found.items()
        if points
    )
    most = count(max(measured.seeds for points in found.values() for measured in points.values()), "seed")
    caption = (
        f"{wording.caption} Hollow marks: mean over up to {most}; upright lines: 95% intervals; dots: single seeds."
    )
    caption += " Dashed: as bad as a blank picture." if wording.has_blank else ""
    caption += f" What is below {short(floor)} is drawn there." if below else ""
    alt = f"{wording.measured} against {wording.across}. Means: {told}."
    return framed(image(draw, (4.4, 3.5), alt), caption)


def plane_figure(series: Sequence[Series], wording: Wording) -> Markup | None:
    """The mean over seeds for each series (a row) and number (a column), as colour and as a number; None if none."""
    rows, numbers, means = table(series)
    if not np.isfinite(means).any():
        return None

    def draw(figure: "Figure") -> None:
        from matplotlib.ticker import LogLocator

        axes = figure.add_subplot()
        norm = _norm(means, wording)
        shown = axes.imshow(means, cmap="viridis", norm=norm, interpolation="none", aspect="auto", origin="lower")
        for (row, column), mean in np.ndenumerate(means):
            there = bool(np.isfinite(mean))
            bright = not there or float(norm(mean)) > 0.6
            words = short(float(f"{mean:.2g}")) if there else "–"
            axes.text(column, row, words, ha="center", va="center", fontsize=7.5, color="black" if bright else "white")
        axes.set_xticks(range(len(numbers)), [short(number) for number in numbers])
        axes.set_yticks(range(len(rows)), rows)
        axes.set_xlabel(wording.across)
        axes.set_ylabel(wording.series)
        axes.spines[:].set_visible(True)
        marks: dict[str, Any] = {"ticks": LogLocator(subs=(1.0, 2.0, 5.0)), "format": lambda value, _: short(value)}
        colour_bar(figure, shown, axes, wording.measured, shrink=0.9, **(marks if wording.log_value else {}))
        if shown.colorbar is not None:
            shown.colorbar.minorticks_off()  # they would be named in another way

    told = "; ".join(
        f"{name}: " + ", ".join(
            f"{short(float(mean))} at {short(number)}"
            for number, mean in zip(numbers, values, strict=True) if np.isfinite(mean)
        )
        for name, values in zip(rows, means, strict=True)
    )  # fmt: skip
    seeds = count(max(len(values) for each in series for values in each.points.values()), "seed")
    caption = f"{wording.caption} Each cell: mean over up to {seeds}."
    caption += " 0 is right, 1 as bad as a blank picture." if wording.has_blank else ""
    caption += " –: no run." if np.isnan(means).any() else ""
    alt = f"{wording.measured} over {wording.across} and {wording.series or 'series'}. Means: {told}."
    size = (CELL[0] * max(len(numbers), 4) + MARGIN[0], CELL[1] * max(len(rows), 3) + MARGIN[1])
    return framed(image(draw, size, alt), caption)


def table(series: Sequence[Series]) -> tuple[list[str], list[float], Float[np.ndarray, "series numbers"]]:
    """Names of the rows, swept numbers in rising order, and the mean of each; NaN where nothing was run."""
    numbers = sorted({number for each in series for number, values in each.points.items() if len(values)})
    means = [
        [float(np.mean(each.points[number])) if len(each.points.get(number, ())) else np.nan for number in numbers]
        for each in series
    ]
    return [each.name for each in series], numbers, np.array(means).reshape(len(series), len(numbers))


def _norm(means: np.ndarray, wording: Wording) -> Any:
    """Colours from the least to the largest mean; an error from 0, so that it can be seen how far from right."""
    from matplotlib.colors import LogNorm, Normalize

    there = means[np.isfinite(means)]
    if wording.log_value and (there > 0).any():
        return LogNorm(float(there[there > 0].min()), float(there.max()), clip=True)
    low = min(0.0, float(there.min())) if wording.has_blank else float(there.min())
    return Normalize(low, max(float(there.max()), low + 1e-12))


def _swept(axes: "Axes", numbers: Sequence[float], logarithm: bool) -> None:
    """The axis of the swept numbers, marked at them where they have room. On a logarithmic one 0 stands apart."""
    from matplotlib.ticker import NullLocator

    if logarithm and min(numbers) > 0:
        logarithmic(axes.xaxis)
    elif logarithm and max(numbers) > 0:
        axes.set_xscale("symlog", linthresh=min(number for number in numbers if number > 0))
        axes.xaxis.set_minor_locator(NullLocator())
    places = axes.transData.transform([(number, axes.get_ylim()[1]) for number in numbers])[:, 0]
    width = float(np.ptp(axes.transAxes.transform([(0, 0), (1, 0)])[:, 0]))
    if (np.diff(places) >= CLOSE * width).all():
        axes.set_xticks(list(numbers), [short(number) for number in numbers])
        axes.xaxis.set_minor_locator(NullLocator())


def _legend(figure: "Figure", names: Sequence[str], title: str) -> None:
    columns = 2 if max(map(len, names)) < 24 else 1
    figure.legend(
        loc="outside upper left", ncols=columns, frameon=False, title=title or None, alignment="left", handlelength=2.6
    )
