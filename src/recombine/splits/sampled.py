"""Regions drawn by chance."""

from typing import Annotated

import numpy as np
from pydantic import Field

from recombine.core.seeds import stream
from recombine.factors import Grid
from recombine.splits.region import Mask, Region, regions


@regions.register("random")
class Random(Region):
    """A random share of all combinations: random(fraction=0.3, seed=1).

    Exactly round(fraction · combinations) are held out. With one seed the sets are nested: a smaller fraction holds
    out a subset of what a larger one does. A large fraction may leave a level unseen; the split then refuses it.
    """

    fraction: Annotated[float, Field(gt=0, lt=1)]
    seed: Annotated[int, Field(ge=0)] = 0

    def contains(self, grid: Grid) -> Mask:
        # The first entries of one shuffled order: that is what makes the sets nested.
        order = stream(self.seed, "split", "random").permutation(grid.size)
        inside = np.zeros(grid.size, dtype=bool)
        inside[order[: round(self.fraction * grid.size)]] = True
        return inside
