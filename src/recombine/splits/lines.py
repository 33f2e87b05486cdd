"""Regions that leave a thin set for training: a diagonal, or the axes through one combination."""

from typing import Annotated

import numpy as np
from pydantic import Field

from recombine.core.errors import InputError
from recombine.factors import Grid
from recombine.splits.levels import Level, at_level
from recombine.splits.region import Mask, Region, regions


@regions.register("diagonal")
class Diagonal(Region):
    """Train near the diagonal and hold out the rest: diagonal(width=2).

        trained  ⇔  (max_f u_f − min_f u_f) · (n − 1) ≤ width,   u_f = i_f / (n_f − 1)

    i_f is the level of factor f, n_f its number of levels and n the largest of them, so that width counts levels of
    the longest factor and the diagonal runs from the first levels to the last ones whatever the sizes. 0: the
    diagonal alone, which may miss levels when sizes differ; n − 1: everything is trained. Factors with one level do
    not count. A periodic factor is taken as cut open before its first level.
    """

    width: Annotated[float, Field(ge=0)]

    def contains(self, grid: Grid) -> Mask:
        axes = [axis for axis, count in enumerate(grid.shape) if count > 1]
        if len(axes) < 2:
            raise InputError(
                f"diagonal needs two factors with two levels or more, but the grid has sizes {grid.shape}; "
                "use a block or a band instead."
            )
        ends = np.array(grid.shape)[axes] - 1
        scaled = grid.combinations()[:, axes] / ends
        # The slack keeps combinations that lie exactly on the edge: fractions such as 1/3 do not subtract exactly.
        return np.ptp(scaled, axis=1) * ends.max() > self.width + 1e-9


@regions.register("orthogonal")
class Orthogonal(Region):
    """Train on the axes through one combination and hold out the rest: orthogonal(at={"x": 0}).

    A combination is trained when at most one factor differs from the anchor ``at``. Factors that are not named are
    anchored at their first level.
    """

    at: Annotated[dict[str, Level], Field(default_factory=dict)]

    def contains(self, grid: Grid) -> Mask:
        anchor = dict.fromkeys(grid.names, 0) | self.at
        away = [~at_level(self.kind, grid, name, level) for name, level in anchor.items()]
        return np.sum(away, axis=0) > 1
