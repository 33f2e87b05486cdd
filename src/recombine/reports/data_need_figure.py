"""How accurate held-out places become with the number of bumps that are shown, a line for each size of the picture."""

import re
from typing import TYPE_CHECKING

import numpy as np

from recombine.core.shapes import Float
from recombine.papers.diffusion_factorize.data_need import ACCURATE, DiffusionDataNeed, first_at
from recombine.reports.canvas import COLOURS, LINES, MARKS, framed, image, logarithmic
from recombine.reports.compared_looks import by_seed
from recombine.reports.markup import Markup
from recombine.reports.numbers import count, short
from recombine.reports.settings import SettingRuns

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LEAST = 10  # bumps below which an axis with 0 is not logarithmic


def sizes_of(setting: SettingRuns) -> dict[int, tuple[np.ndarray, np.ndarray]]:
    """By N in rising order: numbers of bumps, and the accuracy for each seed and number."""
    names = {name for run in setting.with_status("done") for name in run.arrays}
    sides = sorted(int(found[1]) for name in names if (found := re.fullmatch(r"accuracies_(\d+)", name)))
    pairs = {n: (by_seed(setting, f"bumps_{n}"), by_seed(setting, f"accuracies_{n}")) for n in sides}
    return {
        n: (bumps[0], right)
        for n, (bumps, right) in pairs.items()
        if bumps is not None and right is not None and bumps.shape[1:] == right.shape[1:]
    }


def data_need_figure(setting: SettingRuns) -> Markup | None:
    """Accuracy on held-out places against the number of bumps; None where no accuracies were kept."""
    found, work = sizes_of(setting), setting.work
    if not found:
        return None
    assert isinstance(work, DiffusionDataNeed)

    def draw(figure: "Figure") -> None:
        axes = figure.add_subplot()
        axes.axhline(ACCURATE, linestyle=":", color="#666666", linewidth=1.0, zorder=1)
        for place, (n, (bumps, right)) in enumerate(found.items()):
            style = place % len(COLOURS)
            for seed, each in enumerate(right):
                tried = ~np.isnan(each)
                axes.plot(
                    bumps[tried], each[tried], color=COLOURS[style], marker=MARKS[style], linestyle=LINES[style],
                    markersize=4, linewidth=1.1, alpha=0.75, label=None if seed else f"N = {n}",
                )  # fmt: skip
        _across(axes, [float(number) for bumps, _ in found.values() for number in bumps])
        axes.set_ylim(-0.02, 1.03)
        axes.set_xlabel("bumps shown" + (", beside lone stripes" if work.stripes else ""))
        axes.set_ylabel("share of held-out places right")
        figure.legend(loc="outside upper left", ncols=len(found), frameon=False, handlelength=2.6)

    told = "; ".join(f"N = {n}: {_told(bumps, right)}" for n, (bumps, right) in found.items())
    seeds = count(max(len(right) for _, right in found.values()), "seed")
    beside = "beside lone stripes" if work.stripes else "without lone stripes"
    alt = f"Accuracy on held-out places by number of bumps, {beside}. {told}."
    caption = (
        f"Share of held-out places that are right against the number of bumps shown {beside}, a line for each of "
        f"{seeds}. Dotted: {ACCURATE:g}, where the number that is needed is read off; numbers are tried by halving, "
        f"and a line joins those that were tried. {told}."
    )
    return framed(image(draw, (3.9, 3.2), alt), caption)


def _across(axes: "Axes", bumps: list[float]) -> None:
    """A logarithmic axis of numbers of bumps; none at all stands apart."""
    if min(bumps) > 0:
        logarithmic(axes.xaxis)
        return
    axes.set_xscale("symlog", linthresh=LEAST)
    ticks = [0, *(number for number in (10, 100, 1000, 10_000, 100_000) if number <= max(bumps))]
    axes.set_xticks(ticks, [f"{number:,}" for number in ticks])
    axes.minorticks_off()


def _told(bumps: Float[np.ndarray, " sets"], right: Float[np.ndarray, "seeds sets"]) -> str:
    """How many are needed by the seeds for which all are enough."""
    needs = [need for each in right if (need := first_at(bumps, each, ACCURATE)) is not None]
    if not needs:
        return "not enough with all"
    least = "at most " if bumps[0] in needs else ""
    some = f" in {len(needs)} of {count(len(right), 'seed')}" if len(needs) < len(right) else ""
    return f"{least}{short(float(np.mean(needs)))} needed{some}"
