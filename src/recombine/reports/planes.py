"""Small maps in rows and columns: axes are named along the outer edge only, so that many fit the page."""

from typing import TYPE_CHECKING, Any

import numpy as np

from recombine.core.shapes import Real
from recombine.reports.canvas import label_levels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from recombine.factors import Factor, Grid

Factors = tuple["Factor", "Factor"]  # of the rows and of the columns


def factors_of(grid: "Grid", shape: tuple[int, ...]) -> Factors | None:
    """The factors along the rows and columns of a picture of this shape; None if it has not the grid's."""
    if tuple(shape) != tuple(grid.shape):
        return None
    rows, columns = grid.factors
    return rows, columns


def show(
    axes: "Axes",
    values: Real[np.ndarray, "rows columns"],
    factors: Factors | None,
    left: bool = True,
    bottom: bool = True,
    **look: Any,
) -> Any:
    """One map in its frame; levels are named where it stands at the left or at the bottom.

    Pictures that are no plane of factors have rows and columns.
    """
    shown = axes.imshow(values, interpolation="none", **look)
    axes.spines[:].set_visible(True)
    for axis, place, words, named in ((axes.yaxis, 0, "row", left), (axes.xaxis, 1, "column", bottom)):
        if named and factors is not None:
            label_levels(axis, factors[place], most=4)
        else:
            axis.set_ticks([])
            axis.set_label_text(words if named else "")
    return shown
