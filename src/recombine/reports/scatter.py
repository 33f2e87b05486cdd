"""The scatter of forecast against measured error, section by section."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from recombine.papers import Interval
from recombine.reports.canvas import COLOURS, MARKS, framed, image, logarithmic
from recombine.reports.comparisons import Comparison, Pair
from recombine.reports.markup import Markup
from recombine.reports.numbers import short

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FLOOR = 1e-3  # a smaller nMSE is drawn here: on a logarithmic axis zero has no place
SIZE = (4.7, 5.1)  # inches
# Where a number may stand, seen from its mark, and from which distance on there is no more to gain, in points.
AROUND = [(11, 7), (11, -7), (-11, 7), (-11, -7), (0, 12), (0, -12), (20, 0), (-20, 0), (18, 16), (-18, -16)]
CLEAR = 12.0
NAMES = {"id": "trained (id)", "ood": "held out, all (ood)"}


def scatter_figure(comparisons: Sequence[Comparison]) -> Markup:
    """Both axes logarithmic, the identity dashed, a mark and colour per section, a number per setting."""
    sections = list(dict.fromkeys(pair.section for each in comparisons for pair in each.pairs))
    points = [(number, pair) for number, each in enumerate(comparisons, start=1) for pair in each.pairs]
    top = 2 * max(1.0, *(end for _, pair in points for end in (pair.high, _ends(pair.measured)[1])))

    def draw(figure: "Figure") -> None:
        axes = figure.add_subplot()
        axes.plot([FLOOR, top], [FLOOR, top], "--", color="#666666", linewidth=1, zorder=1)
        for _, pair in points:
            style = sections.index(pair.section) % len(COLOURS)
            x, y = _place(pair)
            low, high = _ends(pair.measured)
            bars: dict[str, Any] = {"color": COLOURS[style], "linewidth": 0.8, "alpha": 0.6, "zorder": 2}
            axes.plot([max(pair.low, FLOOR), max(pair.high, FLOOR)], [y, y], **bars)
            axes.plot([x, x], [max(low, FLOOR), max(high, FLOOR)], **bars)
            whole = pair.section == "ood"
            look: dict[str, Any] = {"color": COLOURS[style], "edgecolors": "white", "linewidths": 0.6}
            axes.scatter(x, y, s=64 if whole else 26, marker=MARKS[style], zorder=4 if whole else 3, **look)
        whole_points = {number: pair for number, pair in points if pair.section == "ood"}
        for number, place in _label_places(whole_points, top).items():
            point = _place(whole_points[number])
            axes.annotate(
                str(number),
                point,
                place,
                textcoords="offset points",
                fontweight="bold",
                zorder=5,
                ha="center",
                va="center",
            )
        for section in sections:
            style = sections.index(section) % len(COLOURS)
            axes.scatter([], [], s=40, color=COLOURS[style], marker=MARKS[style], label=NAMES.get(section, section))
        axes.set_xlim(FLOOR * 0.8, top)
        axes.set_ylim(FLOOR * 0.8, top)
        logarithmic(axes.xaxis)
        logarithmic(axes.yaxis)
        axes.set_aspect("equal")
        axes.set_xlabel("forecast nMSE, before training")
        axes.set_ylabel("measured nMSE, after training")
        figure.legend(loc="outside upper left", ncols=2, frameon=False)

    told = "; ".join(
        f"{number} {comparisons[number - 1].label}: forecast {short(pair.expected)}, measured "
        f"{short(pair.measured.estimate)}"
        for number, pair in points
        if pair.section == "ood"
    )
    alt = f"Forecast against measured nMSE on logarithmic axes. Held-out combinations: {told}."
    caption = (
        "Numbers are the settings of the table below. Lines: forecast range (across) and 95% interval over seeds "
        f"(upright). Dashed: forecast equals measurement. Values below {FLOOR:g} are drawn at {FLOOR:g}."
    )
    return framed(image(draw, SIZE, alt), caption)


def _place(pair: Pair) -> tuple[float, float]:
    return max(pair.expected, FLOOR), max(pair.measured.estimate, FLOOR)


def _label_places(points: Mapping[int, Pair], top: float) -> dict[int, tuple[int, int]]:
    """Where to write each number, in typographic points from its mark: the free place with the most room."""
    # About 60 points an inch are left for the axes once labels have taken theirs.
    scale = 60 * SIZE[0] / math.log10(top / FLOOR)
    marks = {number: (scale * math.log10(x), scale * math.log10(y)) for number, (x, y) in _all(points).items()}
    places: dict[int, tuple[int, int]] = {}
    taken = list(marks.values())
    for number, (x, y) in marks.items():
        others = [each for key, each in marks.items() if key != number] + taken[len(marks) :]
        near = [(min((math.dist((x + a, y + b), each) for each in others), default=0.0), (a, b)) for a, b in AROUND]
        _, places[number] = max(near, key=lambda found: min(found[0], CLEAR))
        taken.append((x + places[number][0], y + places[number][1]))
    return places


def _all(points: Mapping[int, Pair]) -> dict[int, tuple[float, float]]:
    return {number: _place(pair) for number, pair in points.items()}


def _ends(measured: Interval) -> tuple[float, float]:
    """The ends of the interval; a single seed is its own."""
    one = measured.seeds < 2
    return (measured.estimate, measured.estimate) if one else (measured.low, measured.high)
