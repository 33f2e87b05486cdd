"""How many training examples are needed, against a number N: the size of a picture, or of functions to be learned."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from recombine.papers import Interval
from recombine.reports.canvas import COLOURS, LINES, MARKS, framed, image, logarithmic
from recombine.reports.markup import Markup
from recombine.reports.numbers import count, interval, short

if TYPE_CHECKING:
    from matplotlib.figure import Figure

GREY = "#666666"
GUIDES = {1: "N", 2: "N²", 3: "N³"}
NEED = "need"


@dataclass(frozen=True, slots=True)
class Growth:
    """What is needed against what, and the law it is held against.

    A power law is straight over logarithmic axes and has a ``slope``; an exponential law is straight over a plain axis
    and has a ``base``, the factor of each step of N.
    """

    across: str = "side N of the picture, pixels"
    up: str = "smallest training set, pictures"
    exponential: bool = False

    @property
    def measure(self) -> str:
        return "base" if self.exponential else "slope"

    @property
    def words(self) -> str:
        return "factor" if self.exponential else "slope"


Measures = Mapping[str, float]  # of one seed


def needs_of(seeds: Sequence[Measures], quantity: str = NEED) -> dict[int, list[float]]:
    """The measures ``<quantity>_<N>`` of all seeds by N, in rising order; seeds that never reached the goal are absent.

    An N appears if some seed reached the goal there.
    """
    pattern = re.compile(re.escape(quantity) + r"_(\d+)")
    found: dict[int, list[float]] = {}
    for measures in seeds:
        for name, value in measures.items():
            if (size := pattern.fullmatch(name)) and np.isfinite(value):
                found.setdefault(int(size[1]), []).append(float(value))
    return dict(sorted(found.items()))


def slope_of(seeds: Sequence[Measures], quantity: str = NEED, measure: str = "slope") -> Interval | None:
    """The measured slope over seeds: ``slope`` for ``need``, ``slope_hole`` for ``need_hole``; None if unmeasured."""
    name = quantity.replace(NEED, measure, 1)
    slopes = [float(measures[name]) for measures in seeds if name in measures]
    return Interval.over_seeds(slopes) if slopes else None


def scaling_figure(
    kinds: Mapping[str, Sequence[Measures]], caption: str, quantity: str = NEED, growth: Growth | None = None
) -> Markup | None:
    """A line per kind of data set through the geometric means, a dot per seed; None if no seed reached the goal."""
    growth = growth or Growth()
    needs = {kind: needs_of(seeds, quantity) for kind, seeds in kinds.items()}
    if not any(needs.values()):
        return None
    slopes = {kind: slope_of(seeds, quantity, growth.measure) for kind, seeds in kinds.items()}
    sizes = sorted({size for found in needs.values() for size in found})
    partial = any(len(values) < len(kinds[kind]) for kind, found in needs.items() for values in found.values())

    def draw(figure: "Figure") -> None:
        axes = figure.add_subplot()
        start = geometric_mean([value for found in needs.values() for value in found.get(sizes[0], ())])
        for power, words in () if growth.exponential else GUIDES.items():
            rising = [start * (size / sizes[0]) ** power for size in sizes]
            axes.plot(sizes, rising, ":", color=GREY, linewidth=1.2, zorder=1)
            axes.annotate(words, (sizes[-1], rising[-1]), (9, 0), textcoords="offset points", va="center", color=GREY)
        for place, (kind, found) in enumerate(needs.items()):
            style = place % len(COLOURS)
            look: dict[str, Any] = {"color": COLOURS[style]}
            for size, values in found.items():
                axes.plot([size] * len(values), values, ".", markersize=5, alpha=0.45, zorder=2, **look)
                all_there = len(values) == len(kinds[kind])
                face = COLOURS[style] if all_there else "white"
                axes.plot(size, geometric_mean(values), MARKS[style], markerfacecolor=face, zorder=4, **look)
            means = [geometric_mean(values) for values in found.values()]
            axes.plot(list(found), means, linestyle=LINES[style], linewidth=1.4, zorder=3, **look)
            axes.plot(
                [],
                [],
                marker=MARKS[style],
                linestyle=LINES[style],
                label=_label(kind, slopes[kind], bool(found), growth.words),
                **look,
            )
        logarithmic(axes.yaxis)
        if not growth.exponential:
            logarithmic(axes.xaxis)
        axes.set_xticks(sizes, [str(size) for size in sizes])
        axes.set_xlabel(growth.across)
        axes.set_ylabel(growth.up)
        figure.legend(loc="outside upper left", ncols=1, frameon=False, handlelength=2.6)

    told = "; ".join(
        f"{kind}: "
        + (", ".join(f"{short(geometric_mean(each))} at N = {size}" for size, each in found.items()) or "never reached")
        for kind, found in needs.items()
    )
    seeds = count(max(len(each) for each in kinds.values()), "seed")
    words = f"{caption} Marks: geometric mean over up to {seeds}; dots: single seeds. "
    if growth.exponential:
        words += "Logarithmic upwards: exponential growth is a straight line, and the factor is that of each step. "
    else:
        words += "Logarithmic axes. Dotted: growth like N, N² and N³ from the mean of the smallest N. "
    if any(slope is not None for slope in slopes.values()):
        words += f"Each {growth.words} is that of a line through a seed's points, with the 95% interval over seeds. "
    words += "White marks: some seeds never reached the goal, and the mean is over the others. " * partial
    absent = [kind for kind, found in needs.items() if not found]
    words += f"Never reached: {', '.join(absent)}." if absent else ""
    alt = f"Smallest training set that reaches the goal against N. Geometric means, {told}."
    return framed(image(draw, (4.6, 3.6 + 0.19 * len(kinds)), alt), words.strip())


def geometric_mean(values: Sequence[float]) -> float:
    """exp of the mean logarithm; 1 for none, where a guide line may start as well as anywhere."""
    return float(np.exp(np.mean(np.log(values)))) if len(values) else 1.0


def _label(kind: str, slope: Interval | None, reached: bool, words: str) -> str:
    if not reached:
        return f"{kind}: never reached"
    return kind if slope is None else f"{kind}: {words} {interval(slope)}"
