"""A problem: a task, which of its combinations are held out, and what else is shown."""

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field, field_validator

from recombine.core.errors import InputError
from recombine.core.seeds import stream
from recombine.core.shapes import Bool, Float
from recombine.core.spec import MemberOf, Spec
from recombine.data.pictures import Picture, tasks
from recombine.factors import Grid
from recombine.splits import Certificate, Region, Split, certificate, make_split, regions


@dataclass(frozen=True)
class Examples:
    """What a model sees or is asked: positions (NaN where a factor is absent), input codes and target pictures."""

    positions: Float[np.ndarray, "items factors"]
    codes: Float[np.ndarray, "items units"]
    targets: Float[np.ndarray, "items rows columns"]

    def __len__(self) -> int:
        return len(self.positions)


class Problem(Spec):
    """A task with a split and, if wanted, other training examples.

    ``isolated`` names factors whose every level is also shown alone (a lone stripe). ``examples`` trains on that
    many of the training combinations, drawn by the seed; a larger number contains a smaller one. With
    ``centres: uniform`` the examples are drawn, with replacement, uniformly from the area of the training cells.
    ``reveal`` adds the held-out combinations to the training set: a control that must compose.
    """

    task: Annotated[Picture, MemberOf(tasks)]
    split: Annotated[Region, MemberOf(regions)]
    isolated: tuple[str, ...] = ()
    examples: int | None = Field(default=None, ge=0)
    centres: Literal["grid", "uniform"] = "grid"
    reveal: bool = False

    def __init__(self, task: Any = None, split: Any = None, **settings: Any) -> None:
        given = {"task": task, "split": split, **settings}
        super().__init__(**{name: value for name, value in given.items() if value is not None})

    def model_post_init(self, context: object) -> None:
        for name in self.isolated:
            self.grid.axis(name)
        pool = self._pool.sum()
        if self.centres == "uniform" and self.examples is None:
            raise InputError("centres = 'uniform' draws from an area, so it needs the number of examples.")
        if self.centres == "grid" and self.examples is not None and self.examples > pool:
            raise InputError(
                f"examples = {self.examples} is more than the {pool} training combinations; "
                "lower it, leave it out to use them all, or draw with centres = 'uniform'."
            )
        if self.examples == 0 and not self.isolated:
            raise InputError("the training set is empty: examples = 0 and no isolated factors; raise one of them.")

    @field_validator("isolated")
    @classmethod
    def _each_once(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(sorted(set(names), reverse=True))  # y before x, as everywhere

    @property
    def grid(self) -> Grid:
        return self.task.grid

    @cached_property
    def parts(self) -> Split:
        """Which combinations are trained on, which are held out, and in which sections."""
        return make_split(self.split, self.grid, shown_alone=self.isolated)

    @property
    def _pool(self) -> Bool[np.ndarray, " combinations"]:
        return self.parts.train | self.reveal

    def training_set(self, seed: int = 0) -> Examples:
        """The training examples of one seed: combinations first, isolated factors after them."""
        pool = self.grid.combinations()[self._pool]
        rng = stream(seed, "data", "examples")
        if self.centres == "uniform":
            chosen = pool[rng.integers(len(pool), size=self.examples)]
            positions = self.task.scatter(chosen, rng)
        else:
            chosen = pool if self.examples is None else pool[rng.permutation(len(pool))[: self.examples]]
            positions = self.grid.values(chosen)
        if self.isolated:
            positions = np.concatenate([positions, self.grid.values(self.grid.isolated(*self.isolated))])
        return self._examples(positions)

    @cached_property
    def everything(self) -> Examples:
        """Every combination of the grid once, in grid order: what is asked after training."""
        return self._examples(self.grid.values(self.grid.combinations()))

    def certificate(self, seed: int = 0) -> Certificate:
        """What the training set of one seed really shows, and how it bears on what is held out."""
        positions = self.training_set(seed).positions
        together = positions[~np.isnan(positions).any(axis=1)]
        shown = np.zeros(self.grid.size, dtype=bool)
        shown[self.grid.index(self.task.cells(together))] = True
        return certificate(self.parts, shown, self.isolated)

    def _examples(self, positions: Float[np.ndarray, "items factors"]) -> Examples:
        return Examples(positions, self.task.codes(positions), self.task.pictures(positions))
