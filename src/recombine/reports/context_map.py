"""Which kernels compose which variants of context dependence, over the plane of saliences."""

from typing import TYPE_CHECKING, Any

import numpy as np

from recombine.core.shapes import Float, Integer
from recombine.papers.kernel_calculations import ContextMap
from recombine.reports.canvas import framed, image
from recombine.reports.kernel_curves import with_arrays
from recombine.reports.markup import Markup
from recombine.reports.settings import SettingRuns
from recombine.theory import salience_by_depth

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# From light to dark, the more is composed; the last is what the paper does not have.
SETS = {"none": "#d9d9d9", "CD-1": "#f0c000", "CD-1, CD-2": "#56b4e9", "all three": "#004d80", "other": "#cc79a7"}
PATHS = {"relu": ("ReLU", "o"), "rectified-quadratic": ("rectified quadratic", "^")}
DEPTH = 10  # layers along a path


def composed(accuracies: Float[np.ndarray, "kernels tasks"]) -> Integer[np.ndarray, " kernels"]:
    """Which of `SETS` each kernel composes, from its accuracies on CD-1, CD-2 and CD-3.

    A task is composed above chance; one that cannot even be trained (NaN) is not.
    """
    able = accuracies > 0.5
    number = able.sum(axis=1)
    nested = (able[:, :-1] >= able[:, 1:]).all(axis=1)  # the easier ones first
    return np.where(nested, number, len(SETS) - 1)


def context_map_figure(setting: SettingRuns) -> Markup | None:
    """A square for every kernel in the colour of what it composes, and where random layers lead."""
    runs, work = with_arrays(setting, "cells"), setting.work
    if not runs:
        return None
    assert isinstance(work, ContextMap)
    cells = runs[0].arrays["cells"]
    sets = composed(cells[:, 2:])
    numbers = {name: int((sets == place).sum()) for place, name in enumerate(SETS)}

    def draw(figure: "Figure") -> None:
        axes = figure.add_subplot()
        for place, (name, colour) in enumerate(SETS.items()):
            if numbers[name]:
                first, second = cells[sets == place, :2].T
                axes.scatter(
                    first, second, s=_area(work.points), marker="s", color=colour, linewidths=0, rasterized=True
                )
                axes.scatter([], [], s=50, marker="s", color=colour, label=f"{name} ({numbers[name]})")
        for nonlinearity, (name, mark) in PATHS.items():
            first, second, _ = np.asarray(salience_by_depth(3, nonlinearity, DEPTH))[1:].T
            look: dict[str, Any] = {"markerfacecolor": "white", "markersize": 4.5, "markeredgewidth": 0.9}
            axes.plot(
                first,
                second,
                "-",
                marker=mark,
                color="#000000",
                linewidth=0.8,
                label=f"{name}, layers 1–{DEPTH}",
                **look,
            )
        axes.set_xlabel("salience S(1;3)")
        axes.set_ylabel("salience S(2;3)")
        figure.legend(loc="outside upper left", ncols=2, frameon=False, columnspacing=1.0)

    told = ", ".join(f"{name} {number}" for name, number in numbers.items() if number or name != "other")
    alt = f"Map of {len(cells)} kernels by what they compose ({setting.label}): {told}."
    caption = (
        f"Each square is a kernel, in the colour of what it composes: {told}. White marks: random layers, the first "
    )
    caption += "on the right."
    return framed(image(draw, (4.3, 4.2), alt), caption)


def _area(points: int) -> float:
    """Of a mark, in square typographic points, so that neighbours nearly touch."""
    return (200 / points) ** 2
