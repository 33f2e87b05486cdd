"""The weights of a network, layer by layer and sorted by module, above what the units' total weights alone explain."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count, pairwise, takewhile
from typing import TYPE_CHECKING

import numpy as np

from recombine.core.shapes import Float, Integer
from recombine.data.functions import FunctionTask
from recombine.measures.exhibit import evenly
from recombine.reports.canvas import colour_bar, framed, image
from recombine.reports.markup import Markup
from recombine.reports.numbers import short
from recombine.reports.settings import SeedRun, SettingRuns, problem_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

SIDE, MARGIN = (2.1, 1.95), (0.1, 0.95)  # inches
IN_A_ROW = 4  # layers
MOST = 96  # units of a layer that are drawn: more make the page heavy, and no finer to look at
ROOM = 0.09  # of a side: the number of a module has no room in less


@dataclass(frozen=True, eq=False)
class Joint:
    """The sizes |W| of the weights between two layers, their names, and the module of each of their units."""

    before: str
    after: str
    sizes: Float[np.ndarray, "after before"]
    columns: Integer[np.ndarray, " before"]  # modules
    rows: Integer[np.ndarray, " after"]

    def by_chance(self) -> Float[np.ndarray, "after before"]:
        """What is expected of |W| when every unit keeps its total weight and modules mean nothing: a_i b_j / m.

        a_i and b_j are the sums of row i and of column j, m is the sum of all.
        """
        return np.outer(self.sizes.sum(axis=1), self.sizes.sum(axis=0)) / (self.sizes.sum() or 1.0)

    def inside(self, sizes: Float[np.ndarray, "after before"]) -> float:
        """The share of the weight in such a matrix that joins units of one module; 0 where there is no weight."""
        return float(sizes[self.rows[:, None] == self.columns].sum() / (sizes.sum() or 1.0))


def joints_of(run: SeedRun) -> list[Joint]:
    """Everything a network joins, first layer to last; nothing if the run has not kept it."""
    task = problem_of(run.work).task
    matrices, hidden = (_numbered(run.arrays, name) for name in ("weights", "unit_modules"))
    if not isinstance(task, FunctionTask) or not matrices:
        return []
    modules = [task.modules_in, *hidden, task.modules_out]
    if [matrix.shape for matrix in matrices] != [(len(after), len(before)) for before, after in pairwise(modules)]:
        return []
    names = ["input", *(f"layer{place}" for place in range(len(hidden))), "output"]
    sizes = (np.abs(matrix.astype(np.float64)) for matrix in matrices)
    return list(map(Joint, names, names[1:], sizes, modules, modules[1:]))


def excess(joints: Sequence[Joint]) -> float:
    """Newman's Q of the whole network: weight inside modules beyond chance, as a share of all weight."""
    total = sum(joint.sizes.sum() for joint in joints)
    beyond = sum(joint.sizes.sum() * (joint.inside(joint.sizes) - joint.inside(joint.by_chance())) for joint in joints)
    return float(beyond / (total or 1.0))


def weights_figure(setting: SettingRuns) -> Markup | None:
    """The weights of the first seed that kept them, a panel for each layer, and below it what chance would give."""
    kept = [(run, joints) for run in setting.with_status("done") if (joints := joints_of(run))]
    if not kept:
        return None
    run, joints = kept[0]
    columns = min(len(joints), IN_A_ROW)
    rows = 2 * -(-len(joints) // columns)

    def draw(figure: "Figure") -> None:
        grid = figure.subplots(rows, columns, squeeze=False)
        for panel in grid[-2:, len(joints) - columns * (rows // 2 - 1) :].flat:
            panel.set_visible(False)
        for place, joint in enumerate(joints):
            top = 2 * (place // columns)
            _pair(figure, list(grid[top : top + 2, place % columns]), joint)

    told = "; ".join(
        f"{joint.before} to {joint.after} {short(joint.inside(joint.sizes))}, by chance "
        f"{short(joint.inside(joint.by_chance()))}"
        for joint in joints
    )
    seed, found = run.work.seed, short(excess(joints))
    alt = f"Weights of {setting.label}, seed {seed}. Share of weight inside modules: {told}. Newman's Q is {found}."
    caption = (
        f"Seed {seed}: the size of every weight, layer by layer. Units are sorted by module, with its number where "
        "there is room and thin lines between modules. A hidden unit is of the module with the largest part in its "
        "paths from inputs and to outputs. Lower panels, in the same colours: what the units' total weights explain, "
        "a_i b_j / m with the sums a_i of a row, b_j of a column and m of all. Inside is the share of weight between "
        f"units of one module; what is beyond chance, over all layers, is Newman's Q = {found}."
    )
    if max(max(joint.sizes.shape) for joint in joints) > MOST:
        caption += f" At most {MOST} units of a layer are drawn, evenly chosen."
    size = (SIDE[0] * columns + MARGIN[0], (SIDE[1] * 2 + MARGIN[1]) * rows / 2)
    return framed(image(draw, size, alt), caption, wide=True)


def _pair(figure: "Figure", panels: Sequence["Axes"], joint: Joint) -> None:
    """The weights above what chance would give, with one scale of colours."""
    largest = max(float(joint.sizes.max()), 1e-12)
    orders = [_sorted(labels) for labels in (joint.rows, joint.columns)]
    named = (("weights as found", joint.sizes), ("by chance", joint.by_chance()))
    for panel, (words, sizes) in zip(panels, named, strict=True):
        shown = panel.imshow(
            sizes[np.ix_(*orders)], cmap="viridis", vmin=0.0, vmax=largest, interpolation="none", aspect="auto"
        )
        panel.set_title(f"{words}\n{short(round(joint.inside(sizes), 3))} inside", fontsize=8)
        panel.spines[:].set_visible(True)
        _modules(panel.yaxis, joint.rows[orders[0]], f"unit of {joint.after}\n(sorted by module)")
        _modules(panel.xaxis, joint.columns[orders[1]], f"unit of {joint.before}\n(sorted by module)")
        for line, order, labels in ((panel.axhline, orders[0], joint.rows), (panel.axvline, orders[1], joint.columns)):
            for edge in np.flatnonzero(np.diff(labels[order])):
                line(edge + 0.5, color="white", linewidth=0.6)
    panels[0].set_xlabel("")
    colour_bar(figure, shown, list(panels), "|weight|", location="bottom", aspect=14, shrink=0.9, pad=0.03)


def _modules(axis: "Axis", labels: Integer[np.ndarray, " units"], words: str) -> None:
    """Number the runs of one module along an axis where they have room."""
    present, first, sizes = np.unique(labels, return_index=True, return_counts=True)
    wide = sizes >= ROOM * len(labels)
    axis.set_ticks((first + (sizes - 1) / 2)[wide], [str(label) for label in present[wide]])
    axis.set_tick_params(length=0)
    axis.set_label_text(words, fontsize=8)


def _sorted(labels: Integer[np.ndarray, " units"]) -> Integer[np.ndarray, " drawn"]:
    """Units in order of module, those of one module in their own order; evenly chosen where there are too many."""
    return np.argsort(labels, kind="stable")[evenly(len(labels), MOST)]


def _numbered(arrays: Mapping[str, np.ndarray], name: str) -> list[np.ndarray]:
    """The arrays ``name_0``, ``name_1``, ... in order."""
    names = (f"{name}_{place}" for place in count())
    return [arrays[each] for each in takewhile(arrays.__contains__, names)]
