"""Curves of the calculations about kernels: salience over depth, slopes over salience, errors, spread over width."""

from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np

from recombine.papers.kernel_calculations import DispersedAddition, Leak
from recombine.papers.kernel_representations import RandomNetworks, SalienceByDepth
from recombine.reports.canvas import COLOURS, LINES, MARKS, framed, image, logarithmic
from recombine.reports.markup import Markup
from recombine.reports.numbers import MINUS, count, short
from recombine.reports.settings import SeedRun, SettingRuns
from recombine.theory import leak

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SIZE = (3.5, 3.0)
MANY = 100  # layers, above which their axis is logarithmic
GREY = "#666666"


def with_arrays(setting: SettingRuns, *names: str) -> list[SeedRun]:
    """The runs that are done and have all of these arrays."""
    return [run for run in setting.with_status("done") if set(names) <= set(run.arrays)]


def salience_figure(setting: SettingRuns) -> Markup | None:
    """S(k;C) over depth, a curve for each k, with the largest value it could have."""
    runs, work = with_arrays(setting, "salience"), setting.work
    if not runs:
        return None
    assert isinstance(work, SalienceByDepth)
    curves = runs[0].arrays["salience"]
    depths, components = np.arange(len(curves)), curves.shape[1]
    long = len(curves) > MANY
    names = [f"S({order};{components})" for order in range(1, components + 1)]

    def draw(figure: "Figure") -> None:
        axes = figure.add_subplot()
        for place, name in enumerate(names):
            style = place % len(COLOURS)
            every = 1 if len(curves) <= 25 else 0  # marks for whole numbers, while they can be told apart
            mark = MARKS[style] if every else ""
            shown = slice(1 if long else 0, None)  # no layer at all has no place on a logarithmic axis
            axes.plot(
                depths[shown], curves[shown, place], linestyle=LINES[style], color=COLOURS[style], marker=mark,
                markersize=3.5, linewidth=1.4, label=name,
            )  # fmt: skip
        for most in sorted({1 / comb(components, order) for order in range(1, components + 1)}):
            axes.axhline(most, linestyle=":", linewidth=0.8, color=GREY)
        axes.set_ylim(-0.03, 1.05)
        axes.set_xlabel("random layers")
        axes.set_ylabel("salience")
        if long:
            logarithmic(axes.xaxis)
        figure.legend(loc="outside upper left", ncols=len(names), frameon=False)

    ends = ", ".join(
        f"{name} {short(a)} to {short(b)}" for name, a, b in zip(names, curves[0], curves[-1], strict=True)
    )
    alt = f"Salience of {work.nonlinearity} layers, from 0 to {len(curves) - 1} of them: {ends}."
    caption = f"Salience after random {work.nonlinearity} layers: {ends}. Dotted: the largest that each can be."
    return framed(image(draw, SIZE, alt), caption)


def leak_figure(setting: SettingRuns) -> Markup | None:
    """The slope of unseen sums over S(1;2): a mark for each set of anchors, the formula as a line for each number."""
    runs, work = with_arrays(setting, "slopes", "saliences", "anchors"), setting.work
    if not runs:
        return None
    assert isinstance(work, Leak)
    slopes, saliences, numbers = (runs[0].arrays[name] for name in ("slopes", "saliences", "anchors"))
    distinct = sorted({int(number) for number in numbers})
    fine = np.linspace(0.0, 0.5, 101)
    names = [_values(values) for values in work.anchors]

    def draw(figure: "Figure") -> None:
        axes = figure.add_subplot()
        for place, number in enumerate(distinct):
            style = place % len(COLOURS)
            curve = [leak(float(single), number) for single in fine]
            axes.plot(
                fine, curve, linestyle=LINES[style], color=COLOURS[style], linewidth=1.2, label=f"formula, p = {number}"
            )
        for place, (name, number, found) in enumerate(zip(names, numbers, slopes, strict=True)):
            # Hollow and of unequal size, so that marks on one place are all seen.
            look: dict[str, Any] = {
                "marker": MARKS[place % len(MARKS)],
                "markersize": 4.0 + 1.8 * (place % 3),
                "linestyle": "",
            }
            colour = COLOURS[distinct.index(int(number)) % len(COLOURS)]
            axes.plot(saliences, found, color=colour, markerfacecolor="none", label=name, **look)
        axes.set_xlabel("salience S(1;2)")
        axes.set_ylabel("slope of unseen answers")
        figure.legend(loc="outside upper left", ncols=2, frameon=False, handlelength=2.6, columnspacing=1.0)

    far = max(abs(found - leak(float(single), int(number))) for number, row in zip(numbers, slopes, strict=True)
              for single, found in zip(saliences, row, strict=True))  # fmt: skip
    told = f"the largest distance of a slope from the formula is {short(float(far))}"
    what = "sums" if work.answer == "sum" else "products"
    alt = f"Slope of unseen {what} over salience for the anchors {'; '.join(names)}: {told}."
    caption = f"Marks: slope of unseen {what} for each set of anchors. Lines: m = pS / (1 + (p {MINUS} 2)S); {told}."
    return framed(image(draw, (3.9, 3.7), alt), caption)


def dispersed_figure(setting: SettingRuns) -> Markup | None:
    """Held-out error over S(1;2), ours and as published."""
    runs, work = with_arrays(setting, "saliences", "errors"), setting.work
    if not runs:
        return None
    assert isinstance(work, DispersedAddition)
    saliences, errors = runs[0].arrays["saliences"], runs[0].arrays["errors"]

    def draw(figure: "Figure") -> None:
        axes = figure.add_subplot()
        axes.plot(saliences, errors, "-o", color=COLOURS[0], markersize=4, linewidth=1.4, label="computed here")
        look: dict[str, Any] = {"color": COLOURS[1], "markersize": 8, "markerfacecolor": "none", "markeredgewidth": 1.4}
        axes.plot(list(work.published), list(work.published.values()), "s", label="published (dispersed)", **look)
        axes.set_ylim(bottom=0)
        axes.set_xlabel("salience S(1;2)")
        axes.set_ylabel("held-out squared error")
        figure.legend(loc="outside upper left", ncols=2, frameon=False)

    told = ", ".join(
        f"{short(float(error))} at {short(float(single))}" for single, error in zip(saliences, errors, strict=True)
    )
    alt = f"Held-out squared error of {setting.label} over salience: {told}."
    caption = f"Mean over {count(work.repeats, 'training set')}: {told}. Squares: read off the released figure."
    return framed(image(draw, SIZE, alt), caption)


def spread_figure(setting: SettingRuns) -> Markup | None:
    """How far similarities of equal overlap lie apart, over width: a line for each seed and one of slope -1/2."""
    runs, work = with_arrays(setting, "widths", "spreads"), setting.work
    if not runs:
        return None
    assert isinstance(work, RandomNetworks)
    first = runs[0].arrays
    falling = first["spreads"][0] * np.sqrt(first["widths"][0] / first["widths"])

    def draw(figure: "Figure") -> None:
        axes = figure.add_subplot()
        axes.plot(first["widths"], falling, "--", color=GREY, linewidth=1.2, label="1/√width")
        for place, run in enumerate(runs):
            name: dict[str, Any] = {"label": "a seed"} if not place else {}
            axes.plot(
                run.arrays["widths"], run.arrays["spreads"], "-o", color=COLOURS[0], markersize=4, alpha=0.6, **name
            )
        logarithmic(axes.xaxis)
        logarithmic(axes.yaxis)
        axes.set_xlabel("width")
        axes.set_ylabel("spread within an overlap")
        figure.legend(loc="outside upper left", ncols=2, frameon=False)

    ends = ", ".join(
        f"{short(float(np.mean([run.arrays['spreads'][at] for run in runs])))} at width {int(first['widths'][at]):,}"
        for at in (0, -1)
    )
    alt = f"Spread of similarities with equal overlap in {setting.label}: {ends}."
    caption = f"Standard deviation of similarities that share equally many components, relative to the range: {ends}."
    return framed(image(draw, SIZE, alt), caption)


def _values(values: tuple[float, ...]) -> str:
    return f"{{{', '.join(short(value) for value in values)}}}"
