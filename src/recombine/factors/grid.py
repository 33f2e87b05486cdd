"""A grid: every combination of the levels of some factors, and the map between a combination and its index."""

from collections.abc import Collection
from dataclasses import dataclass
from math import prod

import numpy as np

from recombine.core.errors import InputError, unknown
from recombine.core.shapes import Float, Int
from recombine.factors.absent import ABSENT, present
from recombine.factors.factor import Factor


@dataclass(frozen=True, slots=True)
class Grid:
    """The product of its factors. A combination is a row of level indices, one per factor.

    Combinations are numbered with the first factor varying slowest, so that an array with one entry per combination,
    reshaped to `shape`, has an axis per factor. Pictures have the factors (y, x): row first, then column.
    """

    factors: tuple[Factor, ...]

    def __post_init__(self) -> None:
        if not self.factors:
            raise InputError("a grid has no factors; give at least one, e.g. Grid.numbered(y=4, x=5).")
        for name in self.names:
            if self.names.count(name) > 1:
                raise InputError(f"a grid has the factor {name!r} twice; names must differ, so rename one.")

    @classmethod
    def numbered(cls, *, periodic: Collection[str] = (), **counts: int) -> "Grid":
        """The grid of numbered factors: ``Grid.numbered(y=4, x=5)``. ``periodic`` names those that are rings."""
        rings = {periodic} if isinstance(periodic, str) else set(periodic)
        for name in sorted(rings - set(counts)):
            raise unknown("periodic factor", name, counts)
        return cls(tuple(Factor.numbered(name, count, name in rings) for name, count in counts.items()))

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(factor.name for factor in self.factors)

    @property
    def shape(self) -> tuple[int, ...]:
        """Levels per factor."""
        return tuple(len(factor) for factor in self.factors)

    @property
    def size(self) -> int:
        """Number of combinations, the product of `shape`."""
        return prod(self.shape)

    def axis(self, name: str) -> int:
        """The position of the factor called ``name``."""
        if name not in self.names:
            raise unknown("factor", name, self.names)
        return self.names.index(name)

    def combinations(self) -> Int[np.ndarray, "combinations factors"]:
        """Every combination once, in grid order."""
        return np.indices(self.shape).reshape(len(self.shape), -1).T.copy()

    def index(self, combinations: Int[np.ndarray, "items factors"]) -> Int[np.ndarray, " items"]:
        """The position of each row in `combinations`: ``grid.index(grid.combinations())`` is 0, 1, 2, ...

        Every factor must be present: an example that lacks one is not a point of the grid.
        """
        self._check(combinations)
        if not present(combinations).all():
            row, axis = np.argwhere(~present(combinations))[0]
            raise InputError(
                f"row {row} has no {self.names[axis]}; only a combination with every factor has an index, "
                "so leave out rows with an absent factor."
            )
        return np.ravel_multi_index(tuple(combinations.T), self.shape)

    def values(self, combinations: Int[np.ndarray, "items factors"]) -> Float[np.ndarray, "items factors"]:
        """The level itself in place of its index; NaN where the factor is absent."""
        self._check(combinations)
        found = np.full(combinations.shape, np.nan)
        for axis, factor in enumerate(self.factors):
            if not factor.numeric:
                raise InputError(
                    f"factor {factor.name!r} has words for levels ({factor.levels[0]!r}, ...), which have no value; "
                    "use level indices instead."
                )
            here = present(combinations[:, axis])
            found[here, axis] = np.array(factor.levels, dtype=float)[combinations[here, axis]]
        return found

    def isolated(self, *names: str) -> Int[np.ndarray, "examples factors"]:
        """One row per level of each named factor (of all factors when none is named), every other factor absent."""
        rows = []
        for axis in dict.fromkeys(map(self.axis, names or self.names)):
            alone = np.full((self.shape[axis], len(self.factors)), ABSENT)
            alone[:, axis] = np.arange(self.shape[axis])
            rows.append(alone)
        return np.concatenate(rows)

    def _check(self, combinations: Int[np.ndarray, "items factors"]) -> None:
        """Refuse rows of another length and levels that no factor has; absent passes."""
        if combinations.shape[1] != len(self.factors):
            raise InputError(
                f"combinations have {combinations.shape[1]} columns but the grid has {len(self.factors)} factors "
                f"({', '.join(self.names)}); give one column per factor."
            )
        outside = present(combinations) & ((combinations < 0) | (combinations >= np.array(self.shape)))
        if outside.any():
            row, axis = np.argwhere(outside)[0]
            raise InputError(
                f"row {row} has {self.names[axis]} = {combinations[row, axis]}; {self.names[axis]} has "
                f"{self.shape[axis]} levels, so give an index from 0 to {self.shape[axis] - 1}."
            )
