"""The largest cluster of bumps on a lattice as it fills, a panel for each threshold of their overlap."""

from typing import TYPE_CHECKING

import numpy as np

from recombine.core.shapes import Float
from recombine.reports.canvas import COLOURS, LINES, framed, image
from recombine.reports.kernel_curves import with_arrays
from recombine.reports.markup import Markup
from recombine.reports.numbers import count, short
from recombine.reports.settings import SettingRuns

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NEEDED = ("widths", "thresholds", "parts", "shares", "critical")
SIDE, MARGIN = (2.5, 2.5), (0.4, 0.5)  # inches


def percolation_figure(setting: SettingRuns) -> Markup | None:
    """Largest share against the part that is filled, a line per width, with the points where it crosses one half."""
    runs = with_arrays(setting, *NEEDED)
    if not runs:
        return None
    first = runs[0].arrays
    widths, thresholds, parts = (first[name].astype(np.float64) for name in ("widths", "thresholds", "parts"))
    shares, critical = (np.mean([run.arrays[name] for run in runs], axis=0) for name in ("shares", "critical"))

    def draw(figure: "Figure") -> None:
        panels = figure.subplots(1, len(thresholds), sharey=True, squeeze=False)[0]
        for axes, threshold, curves, points in zip(panels, thresholds, shares, critical, strict=True):
            share_lines(axes, widths, parts, curves, points)
            axes.set_title(f"overlap above {threshold:g}")
        panels[0].set_ylabel("share of the largest cluster")
        figure.legend(
            *panels[0].get_legend_handles_labels(), loc="outside upper left", ncols=len(widths), frameon=False,
            handlelength=2.6,
        )  # fmt: skip

    told = "; ".join(
        f"above {threshold:g} "
        + ", ".join(f"{crossing(point)} for σ = {width:g}" for width, point in zip(widths, points, strict=True))
        for threshold, points in zip(thresholds, critical, strict=True)
    )
    alt = f"Largest cluster of bumps by part of the lattice. One has half of all from a part of, by overlap, {told}."
    caption = (
        "Share of the filled places in the largest cluster, where bumps that overlap by more than a threshold are "
        f"joined, mean over {count(len(runs), 'seed')}. Dots: the part from which on it has half of them, which is, "
        f"by overlap, {told}."
    )
    return framed(image(draw, (SIDE[0] * len(thresholds) + MARGIN[0], SIDE[1] + MARGIN[1]), alt), caption, wide=True)


def share_lines(
    axes: "Axes",
    widths: Float[np.ndarray, " widths"],
    parts: Float[np.ndarray, " parts"],
    shares: Float[np.ndarray, "widths parts"],
    critical: Float[np.ndarray, " widths"],
) -> None:
    """A line for each width, and a dot where it crosses one half inside the axes. Equal lines stay visible."""
    for place, (width, curve, point) in enumerate(zip(widths, shares, critical, strict=True)):
        style = place % len(COLOURS)
        # Curves of several widths can be the same: earlier ones are wider and show beneath.
        thick = 1.2 + 0.8 * (len(widths) - 1 - place)
        axes.plot(
            parts, curve, color=COLOURS[style], linestyle=LINES[style] if place == len(widths) - 1 else "-",
            linewidth=thick, label=f"σ = {width:g}", solid_capstyle="butt",
        )  # fmt: skip
        if 0 < point < 1:
            axes.plot([point], [0.5], "o", color=COLOURS[style], markeredgecolor="white", markersize=7, zorder=4)
    axes.axhline(0.5, linestyle=":", color="#888888", linewidth=0.8, zorder=1)
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1.03)
    axes.set_xlabel("part of the lattice that is filled")


def crossing(point: float) -> str:
    """The part from which on one cluster has half; beyond the ends there is none."""
    return "never" if point >= 1 else "all along" if point <= 0 else short(float(point))
