"""Regions of component tasks: what is left when only combinations with an anchor, or a thin design, are trained."""

from functools import reduce
from typing import Annotated, Any

import numpy as np
from pydantic import BeforeValidator, ConfigDict, Field

from recombine.core.errors import InputError
from recombine.factors import Grid
from recombine.splits.levels import Level, at_level, check_named
from recombine.splits.region import Mask, Region, regions


def _listed(value: Any) -> Any:
    """A single level may be written without brackets."""
    return (value,) if isinstance(value, int) else value


Levels = Annotated[tuple[Level, ...], Field(min_length=1), BeforeValidator(_listed)]


@regions.register("anchors")
class Anchors(Region):
    """Train where a named factor has one of its anchors, hold out the rest: anchors(first=(4,), second=(4,)).

    The settings are the factors, with the level indices of their anchors. With one anchor item a factor the trained
    combinations are a row and a column of the grid (Lippl & Stachenfeld 2025, symbolic addition and transitive
    equivalence).
    """

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, Levels]

    def model_post_init(self, context: Any, /) -> None:
        check_named(self.kind, self.__pydantic_extra__, "anchors(first=(4,), second=(4,))")

    def contains(self, grid: Grid) -> Mask:
        trained = (
            at_level(self.kind, grid, name, level)
            for name, levels in self.__pydantic_extra__.items()
            for level in levels
        )
        return ~reduce(np.logical_or, trained)


@regions.register("dispersed")
class Dispersed(Region):
    """Train on a few partners for every item, spread by chance: dispersed(partners=2, seed=1).

    On a square grid of two factors, item i of the first is trained with items i, i + 1, ... (round the end) of the
    second, then the rows are shuffled by ``numpy.random.default_rng(seed)``: every item of both factors is seen
    ``partners`` times (the published sets have two partners).
    """

    partners: Annotated[int, Field(ge=1)] = 2
    seed: Annotated[int, Field(ge=0)] = 0

    def contains(self, grid: Grid) -> Mask:
        if len(grid.shape) != 2 or grid.shape[0] != grid.shape[1]:
            raise InputError(
                f"dispersed needs two factors with equally many levels, but the grid has sizes {grid.shape}; "
                "use anchors or random instead."
            )
        (count, _) = grid.shape
        if self.partners >= count:
            raise InputError(
                f"dispersed: partners = {self.partners} leaves nothing held out of {count} levels; "
                f"use at most {count - 1}."
            )
        ahead = (np.arange(count)[None, :] - np.arange(count)[:, None]) % count
        trained = ahead < self.partners
        np.random.default_rng(self.seed).shuffle(trained)
        return ~trained.ravel()
