"""Angles between rings, and what of a ring lies outside another's plane, as histograms beside those of ideal tori."""

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from recombine.core.shapes import Float
from recombine.measures import clifford_torus, ring_torus
from recombine.measures.rings import all_tests
from recombine.measures.torus_shape import BINS, MOST, histograms
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
EDGES = {quantity: np.linspace(0, most, BINS + 1) for quantity, most in MOST.items()}
# Columns: what is filled, what is a line over it, and words below.
SIDES = (("components", "angles", "angle, degrees"), ("residuals", None, "share outside"))
SIDE, MARGIN = (1.2, 0.85), (0.6, 1.0)  # inches

Histogram = Float[np.ndarray, " bins"]
Histograms = dict[tuple[str, str], Histogram]  # by quantity and pair


def ring_figure(setting: SettingRuns) -> Markup | None:
    """A row for each layer and each ideal, a column for each pair of rings and test; None where none was kept."""
    found: dict[str, dict[tuple[str, str], np.ndarray]] = {}
    for name in LAYERS:
        stacks = {
            (quantity, pair): by_seed(setting, f"{quantity}_{name}_{pair}") for quantity in MOST for pair in PAIRS
        }
        there = {key: stack for key, stack in stacks.items() if stack is not None and stack.shape[1:] == (BINS,)}
        if len(there) == len(stacks):
            found[name] = there
    if not found:
        return None
    rows, columns = problem_of(setting.work).grid.shape
    shown: dict[str, Histograms] = {
        LOOKS[name].words: {key: stack.mean(axis=0) for key, stack in each.items()} for name, each in found.items()
    }
    shown |= ideals(rows, columns)
    looks = [*(LOOKS[name].colour for name in found), *(["#888888"] * len(IDEALS))]

    def draw(figure: "Figure") -> None:
        grid = figure.subplots(len(shown), 2 * len(PAIRS), sharex="col", sharey=True, squeeze=False)
        for panels, colour, (words, by_key) in zip(grid, looks, shown.items(), strict=True):
            for place, panel in enumerate(panels):
                (filled, line, _), pair = SIDES[place // len(PAIRS)], PAIRS[place % len(PAIRS)]
                panel.stairs(by_key[filled, pair], EDGES[filled], fill=True, color=colour, alpha=0.75)
                if line:
                    panel.stairs(by_key[line, pair], EDGES[line], color="black", linewidth=0.9)
            panels[0].set_title(words, loc="left", fontsize=8)
        for place, panel in enumerate(grid[0]):
            panel.annotate(PAIRS[place % len(PAIRS)], (0.5, 1.5), xycoords="axes fraction", ha="center",
                           fontweight="bold")  # fmt: skip
            panel.set_ylim(0, 1.02)
        for place, panel in enumerate(grid[-1]):
            filled, _, words = SIDES[place // len(PAIRS)]
            panel.set_xticks(np.linspace(0, MOST[filled], 3))
            panel.set_xlabel(words)
        figure.supylabel("share", fontsize=9)

    told = "; ".join(f"{words}: {_means(by_key)}" for words, by_key in shown.items())
    seeds = count(max(len(stack) for each in found.values() for stack in each.values()), "seed")
    alt = f"Rings of {setting.label}. Mean angles of components, and mean shares outside, {told}."
    caption = (
        f"All pairs of rings, mean over {seeds}: rings of x against rings of y, and rings of different x and of "
        "different y among themselves. Left: angles between the principal components of two rings, as published "
        "(filled), and principal angles between their planes (line). Right: the share of a ring outside the other's "
        "plane. Grey: ideal tori at as many places; components of parallel circles turn freely and show all angles. "
        f"Mean angles of components in degrees and mean shares outside, of the bins: {told}."
    )
    size = (SIDE[0] * 2 * len(PAIRS) + MARGIN[0], SIDE[1] * len(shown) + MARGIN[1])
    return framed(image(draw, size, alt), caption, wide=True)


def _means(by_key: Histograms) -> str:
    return ", ".join(
        f"{pair} {short(mean_of('components', by_key['components', pair]))} and "
        f"{short(mean_of('residuals', by_key['residuals', pair]))}"
        for pair in PAIRS
    )


@cache
def ideals(rows: int, columns: int) -> dict[str, Histograms]:
    """The histograms of both ideal tori by quantity and pair; none on a grid that is too small for rings."""
    if min(rows, columns) < 3:
        return {}
    tests = {words: all_tests(make(rows, columns)) for words, make in IDEALS.items()}
    return {
        words: {(quantity, pair): shares for pair in PAIRS for quantity, shares in histograms(each[pair]).items()}
        for words, each in tests.items()
    }


def mean_of(quantity: str, shares: Histogram) -> float:
    """The mean of the middles of the bins, each as often as its share."""
    middles = (EDGES[quantity][1:] + EDGES[quantity][:-1]) / 2
    return float(shares @ middles / max(float(shares.sum()), 1e-12))
