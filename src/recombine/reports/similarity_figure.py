"""Which trained answers a held-out answer overlaps, beside the kernel that only asks for a shared level."""

from typing import TYPE_CHECKING, Any

import numpy as np

from recombine.core.shapes import Bool, Int
from recombine.reports.canvas import colour_bar, framed, image, level_name
from recombine.reports.kernel_curves import with_arrays
from recombine.reports.markup import Markup
from recombine.reports.numbers import short
from recombine.reports.settings import SettingRuns, problem_of

if TYPE_CHECKING:
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

    from recombine.factors import Grid

NEEDED = ("similarity", "similarity_trained", "similarity_held")
SIZE = (6.6, 4.6)  # inches
MARKED = (6, 4)  # combinations that are named along the rows and along the columns, at most


def similarity_figure(setting: SettingRuns) -> Markup | None:
    """The similarity matrix of the first seed that kept one and the binary factorised kernel; None if none did."""
    runs = [run for run in with_arrays(setting, *NEEDED) if run.arrays["similarity"].size]
    if not runs:
        return None
    grid = problem_of(setting.work).grid
    matrix, trained, held = (runs[0].arrays[name] for name in NEEDED)
    overlap, kernel = matrix / 255.0, sharing(trained, held)
    rows, columns = (factor.name for factor in grid.factors)

    def draw(figure: "Figure") -> None:
        figure.set_layout_engine("constrained", w_pad=0.12)
        left, right = figure.subplots(1, 2, sharey=True)
        look: dict[str, Any] = {"cmap": "gray_r", "vmin": 0, "vmax": 1, "interpolation": "none", "aspect": "auto"}
        left.imshow(kernel, **look)
        left.set_title(f"binary factorised kernel\n1: {columns} or {rows} is the same")
        shown = right.imshow(overlap, **look)
        right.set_title("overlap of the network's answers\n(1: the largest)")
        for axes in (left, right):
            axes.spines[:].set_visible(True)
            _name(axes.xaxis, grid, held, MARKED[1], f"held-out combination ({rows}, {columns})")
        _name(left.yaxis, grid, trained, MARKED[0], f"trained combination ({rows}, {columns})")
        colour_bar(figure, shown, [left, right], "similarity", ticks=[0, 0.5, 1], shrink=0.8)

    agreement = correlation(overlap, kernel)
    told = "" if agreement is None else f" The two correlate {short(round(agreement, 2))}."
    seed, shape = runs[0].work.seed, f"{len(trained)} trained rows and {len(held)} held-out columns"
    alt = f"Similarity matrix of {setting.label}, seed {seed}, beside the binary factorised kernel, {shape}.{told}"
    caption = (
        f"After Fig. 1e, seed {seed}: how much the answer to a held-out combination (a column, deep in the hole) "
        f"overlaps the answer to a trained one (a row), beside a kernel that is 1 where they share {columns} or "
        f"{rows} and 0 elsewhere. Both are sorted by {rows}, then {columns}: shared {rows} is a block, shared "
        f"{columns} a slanted line. A network that superposes shows these bands; one that draws the truth shows "
        f"hardly any overlap, but colours always end at the largest.{told}"
    )
    return framed(image(draw, SIZE, alt), caption, wide=True)


def sharing(trained: Int[np.ndarray, "trained 2"], held: Int[np.ndarray, "held 2"]) -> Bool[np.ndarray, "trained held"]:
    """True where a trained and a held-out combination have a level in common: the kernel with no band around it."""
    return (trained[:, None, :] == held[None, :, :]).any(axis=2)


def correlation(overlap: np.ndarray, kernel: np.ndarray) -> float | None:
    """The correlation of two matrices, entry by entry; None where one of them is the same everywhere."""
    if not np.ptp(overlap) or not np.ptp(kernel.astype(np.float64)):
        return None
    return float(np.corrcoef(overlap.ravel(), kernel.ravel())[0, 1])


def _name(axis: "Axis", grid: "Grid", levels: np.ndarray, most: int, words: str) -> None:
    """Name some combinations along an axis by their levels."""
    places = np.linspace(0, len(levels) - 1, min(len(levels), most)).round().astype(int)
    rows, columns = grid.factors
    names = [f"{level_name(rows, y)}, {level_name(columns, x)}" for y, x in levels[places].tolist()]
    axis.set_ticks(places.tolist(), names)
    axis.set_label_text(words)
