"""Persistence diagrams: which components, loops and cavities last, beside those of an ideal torus."""

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from recombine.core.shapes import Float
from recombine.measures import clifford_torus, diagram
from recombine.measures.homology_bars import LongBars
from recombine.measures.loops import DEGREES, KEPT, POINTS, counted
from recombine.reports.canvas import COLOURS, MARKS, framed, image
from recombine.reports.compared_looks import LOOKS
from recombine.reports.kernel_curves import with_arrays
from recombine.reports.markup import Markup
from recombine.reports.numbers import short
from recombine.reports.settings import SettingRuns, numbers_of, problem_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LAYERS = ("probe", "untrained", "pixels")
IDEAL = "Clifford torus"
NAMES = ("components (H0)", "loops (H1)", "cavities (H2)")
SIDE, MARGIN = 1.75, (0.5, 1.1)  # inches

Diagram = list[Float[np.ndarray, "_bars 2"]]  # births and deaths by degree, longest bar first
Ranks = list[LongBars]  # of degree 1 and 2


def persistence_figure(setting: SettingRuns) -> Markup | None:
    """Births and deaths of the first seed that kept them, a panel for each layer and one for the ideal torus."""
    wanted = [f"diagram_{name}_h{degree}" for name in LAYERS for degree in DEGREES]
    kept = with_arrays(setting, *wanted)
    shape = problem_of(setting.work).grid.shape if kept else ()
    if not kept or min(shape) < 3:
        return None
    run = kept[0]
    found = {LOOKS[name].words: [_lasting(run.arrays[f"diagram_{name}_h{d}"]) for d in DEGREES] for name in LAYERS}
    # The kept bars are too few to count those that stand out of many: that was counted when they were all there.
    counted = {LOOKS[name].words: recorded(numbers_of(run.measures), name) for name in LAYERS}
    found[IDEAL], counted[IDEAL] = ideal(shape[0], shape[1])

    def draw(figure: "Figure") -> None:
        panels = figure.subplots(1, len(found), sharex=True, sharey=True)
        most = 1.05 * max(float(ends.max()) for by_degree in found.values() for ends in by_degree if len(ends))
        for axes, (words, by_degree) in zip(panels, found.items(), strict=True):
            axes.plot([0, most], [0, most], "--", color="#666666", linewidth=0.8, zorder=1)
            for degree, ends in enumerate(by_degree):
                look = {"color": COLOURS[degree], "marker": MARKS[degree], "edgecolors": "white", "linewidths": 0.3}
                axes.scatter(*ends.T, s=18, label=NAMES[degree], clip_on=False, zorder=3, **look)
            axes.set_title(f"{words}{_title(counted[words])}", fontsize=7.5)
            axes.set_xlim(-0.02 * most, most)
            axes.set_ylim(-0.02 * most, most)
            axes.set_aspect("equal")
            axes.set_xlabel("birth")
        panels[0].set_ylabel("death")
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper left", ncols=3, frameon=False)

    told = "; ".join(f"{words}: {_told(each)}" for words, each in counted.items() if each)
    seed = run.work.seed
    steady = _steady(setting)
    alt = f"Persistence diagrams of {setting.label}, seed {seed}. {told}."
    caption = (
        f"Seed {seed}: the {KEPT} longest finite bars of each degree, of {_looked(shape[0] * shape[1])}, by the length "
        "at which they appear and at which they are filled, in units of the root mean square distance from the mean. "
        "What is far above the dashed line lasts; a torus has two loops and one cavity. By the largest fall of "
        f"lifetimes, among bars that outlast those of noise with the same covariance, {told}.{steady}"
    )
    size = (SIDE * len(found) + MARGIN[0], SIDE + MARGIN[1])
    return framed(image(draw, size, alt), caption, wide=True)


@cache
def ideal(rows: int, columns: int) -> tuple[Diagram, Ranks]:
    """The Clifford torus at as many places, looked at in the same way and in the same unit: its diagram and ranks."""
    points = clifford_torus(rows, columns).reshape(rows * columns, -1)
    size = float(np.sqrt(points.var(axis=0).sum()))
    ends = diagram(points, degrees=DEGREES[-1], landmarks=min(POINTS, len(points)))
    finite = [each[np.isfinite(each[:, 1])] / size for each in ends]
    _, *ranks = counted(points)
    return [each[:KEPT] for each in finite], ranks


def recorded(numbers: Mapping[str, float], layer: str) -> Ranks:
    """How many loops and cavities of a layer stood out, and by what factor; nothing where that was not measured."""
    names = [(f"holes.{layer}-h{degree}", f"holes.{layer}-h{degree}-ratio") for degree in DEGREES[1:]]
    if any(name not in numbers for pair in names for name in pair):
        return []
    return [LongBars(int(numbers[number]), numbers[ratio]) for number, ratio in names]


def _looked(places: int) -> str:
    return f"all {places} points" if places <= POINTS else f"{POINTS} furthest points"


def _steady(setting: SettingRuns) -> str:
    """In what share of other choices of points each layer is a torus too, over all seeds."""
    shares = {LOOKS[name].words: setting.numbers(f"holes.{name}-torus") for name in LAYERS}
    told = ", ".join(f"{words} in {short(100 * float(np.mean(each)))}%" for words, each in shares.items() if each)
    return (
        f" Of other choices of 60% of the points these have one component, two loops and one cavity: {told}."
        if told
        else ""
    )


def _lasting(ends: np.ndarray) -> Float[np.ndarray, "_bars 2"]:
    """The bars among what was kept; zeros follow them."""
    wide = ends.astype(np.float64)
    return wide[wide[:, 1] > wide[:, 0]]


def _title(ranks: Ranks) -> str:
    return "".join(
        f"\n{each.number} in H{degree}, {short(each.ratio)} times the next" for degree, each in enumerate(ranks, 1)
    )


def _told(ranks: Ranks) -> str:
    return ", ".join(
        f"{each.number} stand out in H{degree} ({short(each.ratio)} times the next)"
        for degree, each in enumerate(ranks, start=1)
    )
