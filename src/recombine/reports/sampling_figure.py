"""How accurately one network draws, by the number of steps it takes, and with guidance."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from recombine.papers.diffusion_factorize.sampling import COUNTS
from recombine.reports.canvas import COLOURS, MARKS, framed, image, logarithmic
from recombine.reports.markup import Markup
from recombine.reports.numbers import count, short
from recombine.reports.settings import SettingRuns

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LEVELS = {"ddpm": "DDPM, all steps", "fresh": "50 steps, noise drawn anew"}
GUIDED = {"x": "never-shown x", "y": "its y"}


def sampling_figure(setting: SettingRuns) -> Markup | None:
    """Accuracy against DDIM steps with DDPM as a line, and with and without guidance; None where unmeasured."""
    found = {number: values for number in COUNTS if (values := setting.numbers(f"right_{number}"))}
    if not found:
        return None
    levels = {name: values for name in LEVELS if (values := setting.numbers(name))}
    ways = {
        (way, factor): values
        for factor in GUIDED
        for way in ("plain", "guided")
        if (values := setting.numbers(f"{way}_vertical_{factor}"))
    }

    def draw(figure: "Figure") -> None:
        panels = figure.subplots(1, 2 if ways else 1, width_ratios=(3, 2) if ways else (1,), squeeze=False)[0]
        axes = panels[0]
        for number, values in found.items():
            axes.plot([number] * len(values), values, ".", color=COLOURS[0], markersize=5, alpha=0.5)
        means = [float(np.mean(values)) for values in found.values()]
        axes.plot(list(found), means, "-o", color=COLOURS[0], markersize=4.5, label="DDIM")
        for place, (name, values) in enumerate(levels.items(), start=1):
            axes.axhline(float(np.mean(values)), color=COLOURS[place], linestyle="--" if place == 1 else ":",
                         label=LEVELS[name])  # fmt: skip
        logarithmic(axes.xaxis)
        axes.set_xticks(list(found), [str(number) for number in found])
        axes.minorticks_off()
        axes.set_ylim(0, 1.05)
        axes.set_xlabel("DDIM steps")
        axes.set_ylabel("share of trained places right")
        if ways:
            _guided(panels[1], ways)
        figure.legend(loc="outside upper left", ncols=2, frameon=False, handlelength=2.6)

    told = ", ".join(
        f"{short(float(np.mean(values)))} with {count(number, 'step')}" for number, values in found.items()
    )
    told += "".join(f"; {LEVELS[name]} {short(float(np.mean(values)))}" for name, values in levels.items())
    guided = "; ".join(
        f"{GUIDED[factor]} {short(float(np.mean(values)))} {'with' if way == 'guided' else 'without'}"
        for (way, factor), values in ways.items()
    )
    seeds = count(max(map(len, found.values())), "seed")
    alt = f"Accuracy of {setting.label} by the way it is drawn from: {told}." + (f" Guidance: {guided}." * bool(ways))
    caption = f"Left: accuracy on trained places by DDIM steps, mean over {seeds}; dots: single seeds. {told}."
    caption += f" Right: where x was never shown, without and with guidance: {guided}." if ways else ""
    return framed(image(draw, (6.2 if ways else 3.8, 3.2), alt), caption, wide=True)


def _guided(axes: "Axes", ways: Mapping[tuple[str, str], Sequence[float]]) -> None:
    """Bars without and with guidance, a pair for each coordinate."""
    for place, way in enumerate(("plain", "guided")):
        at = [rank + 0.36 * (place - 0.5) for rank, factor in enumerate(GUIDED) if (way, factor) in ways]
        values = [ways[way, factor] for factor in GUIDED if (way, factor) in ways]
        words = "without guidance" if way == "plain" else "with guidance 3"
        axes.bar(at, [float(np.mean(each)) for each in values], 0.33, color=COLOURS[3 + place], label=words)
        for where, each in zip(at, values, strict=True):
            axes.plot([where] * len(each), each, MARKS[0], color="#000000", markersize=2.6, clip_on=False)
    axes.set_xticks(range(len(GUIDED)), list(GUIDED.values()))
    axes.set_ylim(0, 1.05)
    axes.set_ylabel("share right in the vertical arm")
