"""What kernels forecast for each part of the cross against what a diffusion model came out with."""

from typing import TYPE_CHECKING, Any

import numpy as np

from recombine.papers.diffusion_factorize.forecasting import PARTS, TRAINED, WRONG
from recombine.reports.canvas import COLOURS, MARKS, framed, image, logarithmic
from recombine.reports.kernel_curves import with_arrays
from recombine.reports.markup import Markup
from recombine.reports.numbers import count, short
from recombine.reports.settings import SettingRuns

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FLOOR = 1e-3  # a smaller nMSE is drawn here: on a logarithmic axis zero has no place


def diffusion_forecast_figure(setting: SettingRuns) -> Markup | None:
    """A point for each part of the cross and training set, measured over forecast nMSE; None where none was kept."""
    shape = (len(TRAINED), len(PARTS))
    runs = [
        run for run in with_arrays(setting, "forecast", "measured")
        if run.arrays["forecast"].shape == run.arrays["measured"].shape == shape
    ]  # fmt: skip
    if not runs:
        return None
    said, found = (np.stack([run.arrays[name] for run in runs]).astype(float) for name in ("forecast", "measured"))
    drawn_said, drawn_found = (np.maximum(each, FLOOR) for each in (said, found))
    top = 1.5 * max(1.0, float(said.max()), float(found.max()))
    low = min(float(drawn_said.min()), float(drawn_found.min())) / 1.5

    def draw(figure: "Figure") -> None:
        axes = figure.add_subplot()
        axes.plot([low, top], [low, top], "--", color="#666666", linewidth=1, zorder=1)
        for line in (axes.axhline, axes.axvline):
            line(WRONG, linestyle=":", color="#888888", linewidth=0.9, zorder=1)
        for row in range(len(TRAINED)):
            for column in range(len(PARTS)):
                across, up = drawn_said[:, row, column], drawn_found[:, row, column]
                look: dict[str, Any] = {"color": COLOURS[row], "marker": MARKS[column]}
                axes.scatter(across, up, s=12, alpha=0.45, linewidths=0, zorder=2, **look)
                axes.scatter(across.mean(), up.mean(), s=52, edgecolors="white", linewidths=0.6, zorder=3, **look)
        axes.set_xlim(low, top)
        axes.set_ylim(low, top)
        logarithmic(axes.xaxis)
        logarithmic(axes.yaxis)
        axes.set_xlabel("forecast nMSE, before training")
        axes.set_ylabel("measured nMSE of diffusion")
        sets = [axes.scatter([], [], s=40, color=COLOURS[row], marker="s", label=name)
                for row, name in enumerate(TRAINED)]  # fmt: skip
        parts = [axes.scatter([], [], s=40, color="#666666", marker=MARKS[column], label=name)
                 for column, name in enumerate(PARTS)]  # fmt: skip
        figure.legend(handles=[*sets, *parts], loc="outside upper left", ncols=2, frameon=False)

    agree = float(((said > WRONG) == (found > WRONG)).mean())
    told = "; ".join(
        f"{name}: " + ", ".join(
            f"{part} {short(float(said[:, row, column].mean()))} beside {short(float(found[:, row, column].mean()))}"
            for column, part in enumerate(PARTS)
        )
        for row, name in enumerate(TRAINED)
    )  # fmt: skip
    alt = f"Forecast beside measured nMSE of diffusion, by training set and part of the cross. {told}."
    caption = (
        f"A mark for each part of the cross and training set: the mean over {count(len(runs), 'seed')}, small marks: "
        f"single seeds. Dashed: forecast equals measurement. Dotted: {WRONG:g}, above which a part is called wrong; "
        f"both say the same of {short(agree)} of all."
    )
    caption += f" Values below {FLOOR:g} are drawn there." if min(said.min(), found.min()) < FLOOR else ""
    return framed(image(draw, (4.2, 4.9), alt), caption)
