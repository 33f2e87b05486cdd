"""A factor: one named thing that varies, with its levels in order."""

from dataclasses import dataclass
from math import isfinite
from numbers import Real

import numpy as np

from recombine.core.errors import InputError


@dataclass(frozen=True, slots=True)
class Factor:
    """A named factor with ordered levels, all numbers or all words.

    Numbers ascend. A ``periodic`` factor closes into a ring: its last level is next to its first.
    """

    name: str
    levels: tuple[int | float | str, ...]
    periodic: bool = False

    def __post_init__(self) -> None:
        # Plain Python values, so that equal factors print, compare and hash alike wherever their levels came from.
        plain = tuple(level.item() if isinstance(level, np.generic) else level for level in self.levels)
        object.__setattr__(self, "levels", plain)
        if not self.name:
            raise InputError("a factor has an empty name ''; every factor needs a name, e.g. 'x'.")
        if not self.levels:
            raise InputError(f"factor {self.name!r} has no levels; give at least one, e.g. (0, 1, 2).")
        if len(set(self.levels)) < len(self.levels):
            twice = next(level for level in self.levels if self.levels.count(level) > 1)
            raise InputError(f"factor {self.name!r} has the level {twice!r} twice; levels must differ, so drop one.")
        words = sum(isinstance(level, str) for level in self.levels)
        if words == len(self.levels):
            return
        if words:
            raise InputError(
                f"factor {self.name!r} mixes words and numbers in {self.levels}; make its levels all one or the other."
            )
        for level in self.levels:
            if not isinstance(level, Real) or isinstance(level, bool) or not isfinite(level):
                raise InputError(
                    f"factor {self.name!r} has the level {level!r}; levels must be finite numbers or words, "
                    "so spell it as a word."
                )
        if list(self.levels) != sorted(self.levels):
            raise InputError(f"factor {self.name!r} has the levels {self.levels}; numbers must ascend, so sort them.")

    @classmethod
    def numbered(cls, name: str, count: int, periodic: bool = False) -> "Factor":
        """The factor with levels 0, 1, ..., count - 1."""
        return cls(name, tuple(range(count)), periodic)

    @property
    def numeric(self) -> bool:
        """Whether the levels are numbers, so that neighbours among them mean something."""
        return not isinstance(self.levels[0], str)

    def __len__(self) -> int:
        return len(self.levels)
