"""Regions given as a list: whole combinations, or conjunctions of some of their levels."""

from functools import reduce
from typing import Annotated

import numpy as np
from pydantic import Field

from recombine.core.errors import InputError
from recombine.factors import Grid
from recombine.splits.levels import Level, at_level
from recombine.splits.region import Mask, Region, regions


@regions.register("conjunctions")
class Conjunctions(Region):
    """Left-out conjunctions: every combination with all levels of any entry, conjunctions(of=[{"x": 3, "y": 4}]).

    An entry names some or all factors; with every factor named it is a single combination.
    """

    of: Annotated[tuple[Annotated[dict[str, Level], Field(min_length=1)], ...], Field(min_length=1)]

    def contains(self, grid: Grid) -> Mask:
        return reduce(np.logical_or, (self._all(entry, grid) for entry in self.of))

    def _all(self, entry: dict[str, int], grid: Grid) -> Mask:
        return reduce(np.logical_and, (at_level(self.kind, grid, name, level) for name, level in entry.items()))


@regions.register("cells")
class Cells(Region):
    """An explicit list of combinations, levels in the order of the factors: cells(rows=[[0, 4], [2, 1]])."""

    rows: Annotated[tuple[tuple[Level, ...], ...], Field(min_length=1)]

    def contains(self, grid: Grid) -> Mask:
        for row in self.rows:
            if len(row) != len(grid.factors):
                raise InputError(
                    f"cells: the row {list(row)} has {len(row)} levels; the grid has {len(grid.factors)} factors, "
                    f"so give a level for each of {', '.join(grid.names)}."
                )
        inside = np.zeros(grid.size, dtype=bool)
        inside[grid.index(np.array(self.rows))] = True
        return inside
