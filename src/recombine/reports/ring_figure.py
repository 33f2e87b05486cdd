"""Angles between the planes of rings, as histograms beside those of both ideal tori."""

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from recombine.core.shapes import Float
from recombine.measures import clifford_torus, ring_tests, ring_torus
from recombine.measures.torus_shape import BINS
from recombine.reports.canvas import framed, image
from recombine.reports.compared_looks import LOOKS, by_seed
from recombine.reports.markup import Markup
from recombine.reports.numbers import count, short
from recombine.reports.settings import SettingRuns, problem_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LAYERS = ("probe", "untrained", "pixels")
PAIRS = ("x-on-y", "x-on-x", "y-on-y")
IDEALS = {"Clifford torus": clifford_torus, "ring in three dimensions": ring_torus}
EDGES = np.linspace(0, 90, BINS + 1)
SIDE, MARGIN = (1.75, 0.95), (0.6, 0.8)  # inches

Histogram = Float[np.ndarray, " bins"]


def ring_figure(setting: SettingRuns) -> Markup | None:
    """A row for each layer and each ideal, a column for each pair of rings; None where no angles were kept."""
    found: dict[str, dict[str, np.ndarray]] = {}
    for name in LAYERS:
        stacks = {pair: by_seed(setting, f"angles_{name}_{pair}") for pair in PAIRS}
        there = {pair: stack for pair, stack in stacks.items() if stack is not None and stack.shape[1:] == (BINS,)}
        if len(there) == len(PAIRS):
            found[name] = there
    if not found:
        return None
    rows, columns = problem_of(setting.work).grid.shape
    shown = {LOOKS[name].words: {pair: stack.mean(axis=0) for pair, stack in each.items()}
             for name, each in found.items()}  # fmt: skip
    shown |= ideals(rows, columns)
    looks = [*(LOOKS[name].colour for name in found), *(["#888888"] * len(IDEALS))]

    def draw(figure: "Figure") -> None:
        grid = figure.subplots(len(shown), len(PAIRS), sharex=True, sharey=True, squeeze=False)
        for panels, colour, (words, by_pair) in zip(grid, looks, shown.items(), strict=True):
            for panel, pair in zip(panels, PAIRS, strict=True):
                panel.stairs(by_pair[pair], EDGES, fill=True, color=colour, alpha=0.85)
            panels[0].set_title(words, loc="left", fontsize=8)
        for panel, pair in zip(grid[0], PAIRS, strict=True):
            panel.annotate(pair, (0.5, 1.45), xycoords="axes fraction", ha="center", fontweight="bold")
            panel.set_xticks([0, 30, 60, 90])
            panel.set_ylim(0, 1.02)
        figure.supxlabel("principal angle between the planes of two rings, degrees", fontsize=9)
        figure.supylabel("share of angles", fontsize=9)

    told = "; ".join(
        f"{words}: " + ", ".join(f"{pair} {short(mean_angle(by_pair[pair]))}" for pair in PAIRS)
        for words, by_pair in shown.items()
    )
    seeds = count(max(len(stack) for each in found.values() for stack in each.values()), "seed")
    alt = f"Angles between rings of {setting.label}. Mean angles in degrees, {told}."
    caption = (
        f"Shares of the principal angles between the planes of all pairs of rings, mean over {seeds}: rings of x "
        "against rings of y, and rings of different x and of different y among themselves. Grey: ideal tori at as many "
        f"places. Mean angles in degrees, of the bins: {told}."
    )
    size = (SIDE[0] * len(PAIRS) + MARGIN[0], SIDE[1] * len(shown) + MARGIN[1])
    return framed(image(draw, size, alt), caption, wide=True)


@cache
def ideals(rows: int, columns: int) -> dict[str, dict[str, Histogram]]:
    """The histograms of both ideal tori by pair; none on a grid that is too small for rings."""
    if min(rows, columns) < 3:
        return {}
    tests = {words: ring_tests(make(rows, columns)) for words, make in IDEALS.items()}
    return {words: {pair: histogram(each[pair].angles) for pair in PAIRS} for words, each in tests.items()}


def histogram(angles: Float[np.ndarray, "pairs 2"]) -> Histogram:
    """Shares of the angles in bins of equal width from 0 to 90 degrees."""
    counts, _ = np.histogram(angles, bins=EDGES)
    return counts / angles.size


def mean_angle(shares: Histogram) -> float:
    """The mean of the middles of the bins, each as often as its share."""
    middles = (EDGES[1:] + EDGES[:-1]) / 2
    return float(shares @ middles / max(float(shares.sum()), 1e-12))
