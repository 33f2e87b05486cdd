"""Which coordinate is drawn in place, and where: accuracy by section and coordinate, as bars."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from recombine.reports.canvas import COLOURS, framed, image
from recombine.reports.markup import Markup
from recombine.reports.numbers import count, short
from recombine.reports.settings import SettingRuns, problem_of
from recombine.reports.shown_words import no_combination, shown_instead

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MEASURED = {"darkest_accuracy": "darkest pixel right", "strict_accuracy": "one mark, and it is right"}
COORDINATES = {"x": "-x", "y": "-y", "both": ""}  # with the ending of their names
ARMS = ("vertical", "horizontal", "intersection")
WORDS = {"id": "trained\n(id)", "ood": "held out\n(ood)", "intersection": "inter-\nsection"}
NOT_SHOWN = {**WORDS, "id": "outside\n(id)", "ood": "inside\n(ood)"}  # where no combination was
WIDTH = 0.26  # of a bar; three of them are a group

Bars = dict[str, dict[str, list[float]]]  # by section and coordinate, a value for each seed


def sections_of(setting: SettingRuns) -> tuple[str, ...]:
    """The sections that are told apart: parts of a cross, otherwise all that is held out; "all" where that is nothing.

    What a single combination holds out it holds out in name only.
    """
    parts = problem_of(setting.work).parts
    if parts.held_out.sum() < 2:
        return ("all",)
    return ("id", *ARMS) if set(ARMS) <= set(parts.sections) else ("id", "ood")


def bars_of(setting: SettingRuns, measure: str) -> Bars:
    """The accuracies of a measure by section and coordinate; what was not measured is left out."""
    found = {
        section: {name: setting.numbers(f"{measure}.{section}{end}") for name, end in COORDINATES.items()}
        for section in sections_of(setting)
    }
    return {section: each for section, each in found.items() if all(each.values())}


def section_bars(setting: SettingRuns) -> Markup | None:
    """A group of bars for each section, as high as the mean over seeds, a panel per measure; None if unmeasured."""
    there = [name for name in MEASURED if any(run.measures.get(name) for run in setting.with_status("done"))]
    if not there:
        return None
    panels = {name: bars for name in there if (bars := bars_of(setting, name))}
    if not panels:
        return None
    problem = problem_of(setting.work)

    def draw(figure: "Figure") -> None:
        grid = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
        for axes, (measure, bars) in zip(grid, panels.items(), strict=True):
            _panel(axes, bars, NOT_SHOWN if no_combination(problem) else WORDS)
            axes.set_title(MEASURED[measure])
        grid[0].set_ylabel("share of pictures")
        handles, labels = grid[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper left", ncols=3, frameon=False, title_fontsize=8)

    told = "; ".join(f"{MEASURED[measure]}: {_told(bars)}" for measure, bars in panels.items())
    seeds = count(
        max(len(each) for bars in panels.values() for both in bars.values() for each in both.values()), "seed"
    )
    alt = f"Accuracy of {setting.label} by section and coordinate. {told}."
    caption = f"Share of pictures in place, by section and coordinate. Bars: mean over {seeds}; dots: single seeds. "
    caption += "Both: x and y in the same picture."
    if no_combination(problem):
        said = shown_instead(problem)
        caption += f" {said[0].upper()}{said[1:]}: sections are those of the split, and all of them are new."
    elif "vertical" in next(iter(panels.values())):
        unseen = "never shown" if not problem.isolated else "shown in lone stripes only"
        unseen = "shown here all the same" if problem.reveal else unseen
        caption += f" In the vertical arm x was {unseen}, in the horizontal arm y, in the intersection both."
    groups = max(len(bars) for bars in panels.values())
    return framed(image(draw, (0.7 + len(panels) * max(1.8, 0.6 + 0.62 * groups), 2.7), alt), caption)


def _panel(axes: "Axes", bars: Bars, words: Mapping[str, str]) -> None:
    for place, coordinate in enumerate(COORDINATES):
        at = np.arange(len(bars)) + WIDTH * (place - 1)
        values = [each[coordinate] for each in bars.values()]
        means = [float(np.mean(seeds)) for seeds in values]
        axes.bar(at, means, WIDTH * 0.92, color=COLOURS[place], alpha=0.75, label=coordinate)
        for where, seeds in zip(at, values, strict=True):
            axes.plot([where] * len(seeds), seeds, "o", color="#000000", markersize=2.6, alpha=0.7, clip_on=False)
    axes.set_ylim(0, 1.02)
    axes.set_xticks(range(len(bars)), [words.get(section, section) for section in bars])
    axes.set_xlim(-0.55, len(bars) - 0.45)
    axes.tick_params(axis="x", length=0)


def _told(bars: Bars) -> str:
    return ", ".join(
        f"{section} " + " ".join(f"{name} {short(float(np.mean(seeds)))}" for name, seeds in each.items())
        for section, each in bars.items()
    )
