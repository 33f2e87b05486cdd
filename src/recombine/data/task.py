"""Tasks: what a model is shown and what it must answer, over a grid of factors."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from recombine.core.errors import InputError
from recombine.core.shapes import Bool, Float, Int
from recombine.core.spec import Kinds, Spec
from recombine.data.drawn import Drawn
from recombine.factors import Grid

tasks: Kinds["Task"] = Kinds("task")


@dataclass(frozen=True)
class Examples:
    """What a model sees or is asked: positions (NaN where a factor is absent), input codes and target pictures.

    Positions are values of the factors, or level indices where levels are words. A single number as an answer is a
    picture of 1 x 1.
    """

    positions: Float[np.ndarray, "items factors"]
    codes: Float[np.ndarray, "items units"]
    pictures: Float[np.ndarray, "items rows columns"] | Drawn  # the targets; many are drawn when they are needed

    def __len__(self) -> int:
        return len(self.positions)

    @property
    def targets(self) -> Float[np.ndarray, "items rows columns"]:
        """All target pictures in memory."""
        return np.asarray(self.pictures)

    def __add__(self, others: "Examples") -> "Examples":
        pairs = zip(vars(self).values(), vars(others).values(), strict=True)
        return Examples(*(np.concatenate(pair) for pair in pairs))


class Task(Spec):
    """Turns combinations of factors into inputs and answers."""

    isolates: ClassVar[bool] = False  # whether a factor can be shown alone, and centres may lie between levels
    # Factors whose code runs through a gap in their levels, so that a level may be missing from training.
    interpolates: ClassVar[tuple[str, ...]] = ()
    # Whether examples lie anywhere in a space of latents, so that a support says what is shown and no split does.
    continuous: ClassVar[bool] = False
    # Combinations of the grid: each has a row of level indices, a third of a gigabyte for two factors.
    largest: ClassVar[int] = 20_000_000

    @property
    @abstractmethod
    def grid(self) -> Grid:
        """The factors and their levels."""

    @property
    def outside(self) -> Bool[np.ndarray, " combinations"]:
        """The combinations of the grid for which the task has no answer; usually none."""
        return np.zeros(self.grid.size, dtype=bool)

    @property
    def leaves_cells(self) -> bool:
        """Whether examples drawn from a cell may lie in another, so that nothing can be held out."""
        return False

    @property
    def slots(self) -> int:
        """Components whose codes follow one another in an input."""
        return 1

    @property
    def channels(self) -> int:
        """Numbers for each pixel of an answer, side by side in its rows."""
        return 1

    @property
    def place(self) -> tuple[int, ...]:
        """Units of a component's code that tell where it is: how far right, how far up, and what follows from these."""
        return ()

    @property
    def latents(self) -> int:
        """Latents of each component of a continuous task."""
        raise NotImplementedError

    @property
    def asked_count(self) -> int:
        """Scenes of a continuous task that are asked of the support, and as many of the whole space."""
        raise NotImplementedError

    @property
    def picture(self) -> tuple[int, int, int] | None:
        """Channels, rows and columns of an input that is a picture; None for a code."""
        return None

    @abstractmethod
    def examples(self, combinations: Int[np.ndarray, "items factors"], seed: int) -> Examples:
        """Training examples of these combinations."""

    def asked(self, seed: int) -> Examples:
        """What is asked after training: every combination in grid order, each equally often."""
        return self.examples(self.grid.combinations(), seed)

    def at(self, positions: Float[np.ndarray, "items factors"], seed: int = 0) -> Examples:
        """Examples at real-valued positions, NaN for absent, for tasks that isolate factors."""
        raise NotImplementedError

    def between(
        self, combinations: Int[np.ndarray, "items factors"], spacing: float
    ) -> Float[np.ndarray, "positions factors"]:
        """All positions every ``spacing`` within the cells of these combinations, for tasks of pictures."""
        raise InputError(
            f"task {self.kind!r} has no lattice of centres; leave out `spacing`, or draw with centres = 'uniform'."
        )

    def alone(self, names: tuple[str, ...], spacing: float | None, rim: bool) -> Float[np.ndarray, "items factors"]:
        """Positions that show the named factors alone, for tasks that isolate factors; ``rim``: and nearly alone."""
        return self.grid.values(self.grid.isolated(*names))

    def scatter(
        self, combinations: Int[np.ndarray, "items factors"], rng: "np.random.Generator"
    ) -> Float[np.ndarray, "items factors"]:
        """A position drawn from the cell around each combination, for tasks that isolate factors."""
        raise NotImplementedError

    def cells(self, positions: Float[np.ndarray, "items factors"]) -> Int[np.ndarray, "items factors"]:
        """The combination to which each position belongs."""
        return positions.astype(int)

    def absent(self, positions: Float[np.ndarray, "items factors"]) -> Bool[np.ndarray, "items factors"]:
        """Which factors are not there: NaN, or in no cell of theirs."""
        return np.isnan(positions)
