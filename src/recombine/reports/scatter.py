"""The scatter of forecast against measured error, section by section."""

import math
from collections.abc import Iterable, Mapping, Sequence
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
SAME = 9.0  # marks nearer than this, in points, share one label
NAMES = {"id": "trained (id)", "ood": "held out, all (ood)"}


def scatter_figure(comparisons: Sequence[Comparison]) -> Markup:
    """The identity dashed, a mark and colour per section, a number per setting; errors that add up on linear axes."""
    quantity = comparisons[0].quantity
    floor = FLOOR if quantity.logarithmic else 0.0
    sections = list(dict.fromkeys(pair.section for each in comparisons for pair in each.pairs))
    points = [(number, pair) for number, each in enumerate(comparisons, start=1) for pair in each.pairs]
    largest = max(1.0, *(end for _, pair in points for end in (pair.high, _ends(pair.measured)[1])))
    top = 2 * largest if quantity.logarithmic else 1.0

    def draw(figure: "Figure") -> None:
        axes = figure.add_subplot()
        axes.plot([floor, top], [floor, top], "--", color="#666666", linewidth=1, zorder=1)
        for _, pair in points:
            style = sections.index(pair.section) % len(COLOURS)
            x, y = _place(pair, floor)
            bars: dict[str, Any] = {"color": COLOURS[style], "linewidth": 0.8, "alpha": 0.6, "zorder": 2}
            axes.plot([min(max(end, floor), top) for end in (pair.low, pair.high)], [y, y], **bars)
            axes.plot([x, x], [min(max(end, floor), top) for end in _ends(pair.measured)], **bars)
            whole = pair.section == "ood"
            look: dict[str, Any] = {"color": COLOURS[style], "edgecolors": "white", "linewidths": 0.6}
            axes.scatter(x, y, s=64 if whole else 26, marker=MARKS[style], zorder=4 if whole else 3, **look)
        room = 0.06 * top
        axes.set_xlim(*((floor * 0.8, top) if quantity.logarithmic else (-room, top + room)))
        axes.set_ylim(*axes.get_xlim())
        if quantity.logarithmic:
            logarithmic(axes.xaxis)
            logarithmic(axes.yaxis)
        axes.set_aspect("equal")
        whole_points = {number: _place(pair, floor) for number, pair in points if pair.section == "ood"}
        for numbers, place in _labels(whole_points, floor, top).items():
            axes.annotate(
                listed(numbers), whole_points[numbers[0]], place, textcoords="offset points", fontweight="bold",
                fontsize=8, zorder=5, ha="left" if place[0] > 0 else "right" if place[0] < 0 else "center", va="center",
            )  # fmt: skip
        for section in sections:
            style = sections.index(section) % len(COLOURS)
            axes.scatter([], [], s=40, color=COLOURS[style], marker=MARKS[style], label=NAMES.get(section, section))
        axes.set_xlabel(f"forecast {quantity.name}, before training")
        axes.set_ylabel(f"measured {quantity.name}, after training")
        figure.legend(loc="outside upper left", ncols=2, frameon=False)

    told = "; ".join(
        f"{number} {comparisons[number - 1].label}: forecast {short(pair.expected)}, measured "
        f"{short(pair.measured.estimate)}"
        for number, pair in points
        if pair.section == "ood"
    )
    axes_are = " on logarithmic axes" if quantity.logarithmic else ""
    alt = f"Forecast against measured {quantity.title}{axes_are}. Held-out combinations: {told}."
    caption = (
        "Numbers are the settings of the table; those on one place share a label. Lines: forecast range (across) and "
        "95% interval over seeds (upright). Dashed: forecast equals measurement."
    )
    if quantity.logarithmic:
        caption += f" Values below {FLOOR:g} are drawn at {FLOOR:g}."
    lone = [number for number, each in enumerate(comparisons, start=1) if each.no_combination]
    if lone:
        caption += f" No combination was trained on in {' '.join(listed(lone).split())}, only factors alone; there id "
        caption += "is what the split does not hold out."
    return framed(image(draw, SIZE, alt), caption)


def listed(numbers: Iterable[int]) -> str:
    """Numbers in rising order, runs of them cut short: 1–3, 7."""
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    words = [str(run[0]) if len(run) == 1 else f"{run[0]}{'–' if len(run) > 2 else ', '}{run[-1]}" for run in runs]
    lines = [", ".join(words[start : start + 4]) for start in range(0, len(words), 4)]
    return ",\n".join(lines)


def _place(pair: Pair, floor: float) -> tuple[float, float]:
    return max(pair.expected, floor), max(pair.measured.estimate, floor)


def _labels(
    places: Mapping[int, tuple[float, float]], floor: float, top: float
) -> dict[tuple[int, ...], tuple[int, int]]:
    """The numbers of each label, and where it stands, in points from its first mark: the place with the most room."""
    # About 60 points an inch are left for the axes once labels have taken theirs.
    points = 60 * SIZE[0]
    scale = points / math.log10(top / floor) if floor else points / top
    marks = {
        number: (scale * math.log10(x), scale * math.log10(y)) if floor else (scale * x, scale * y)
        for number, (x, y) in places.items()
    }
    groups: list[list[int]] = []
    for number, mark in marks.items():
        near = next((group for group in groups if math.dist(marks[group[0]], mark) < SAME), None)
        if near is None:
            groups.append([number])
        else:
            near.append(number)
    found: dict[tuple[int, ...], tuple[int, int]] = {}
    taken: list[tuple[float, float]] = []
    for group in groups:
        x, y = marks[group[0]]
        others = [marks[other[0]] for other in groups if other is not group] + taken
        free = [(min((math.dist((x + a, y + b), each) for each in others), default=0.0), (a, b)) for a, b in AROUND]
        _, (across, up) = max(free, key=lambda found: min(found[0], CLEAR))
        # Long labels point inwards, or they would leave the axes.
        across = -abs(across) if len(group) > 1 and x > max(m[0] for m in marks.values()) - 40 else across
        found[tuple(group)] = (across, up)
        taken.append((x + across, y + up))
    return found


def _ends(measured: Interval) -> tuple[float, float]:
    """The ends of the interval; a single seed is its own."""
    one = measured.seeds < 2
    return (measured.estimate, measured.estimate) if one else (measured.low, measured.high)
