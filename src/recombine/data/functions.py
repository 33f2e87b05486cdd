"""Functions of several numbers: tasks made of parts, over a box that is cut into cells (Qian, Liang & Fiete 2025).

A factor is one input, its levels are the middles of equal cells, and a combination is a cell. Training may show the
middles, or places drawn uniformly from the cells (``centres: uniform``); asked are places drawn from every cell.

    f(u) = A sin(w u + p),   A in [0.7, 1], w in ``frequencies``, p in [0, 2 pi), each drawn uniformly
"""

from abc import abstractmethod
from functools import cached_property
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from recombine.core.errors import InputError
from recombine.core.seeds import stream
from recombine.core.shapes import Bool, Float, Int
from recombine.core.spec import MemberOf
from recombine.data.encodings import Axis, Encoding, Ramp, encodings
from recombine.data.task import Examples, Task, tasks
from recombine.factors import Factor, Grid

ASKED = 1000  # at least so many places are asked about, the same number in every cell
LARGEST = 100_000  # cells

Points = Float[np.ndarray, "items parts"]


class FunctionTask(Task):
    """What tasks over numbers share: cells between -``reach`` and ``reach``, and how an input is coded.

    ``draw`` names the functions; left out, every seed of a study has functions of its own.
    """

    levels: int = Field(default=6, ge=1, le=1024)  # cells along each input
    reach: float = Field(default=2.0, gt=0)
    encoding: Annotated[Encoding, MemberOf(encodings)] = Ramp()
    draw: int | None = Field(default=None, ge=0)

    isolates: ClassVar[bool] = True

    def model_post_init(self, context: object) -> None:
        cells = self.levels**self.count
        if cells > LARGEST:
            raise InputError(
                f"task {self.kind}: levels = {self.levels} of {self.count} inputs make {cells} cells, more than "
                f"{LARGEST}; use fewer levels."
            )

    @property
    @abstractmethod
    def count(self) -> int:
        """The number of inputs."""

    @property
    @abstractmethod
    def modules_out(self) -> Int[np.ndarray, " outputs"]:
        """The input each output depends on, by index; all 0 where an output depends on several."""

    @abstractmethod
    def answers(self, points: Points, draw: int) -> Float[np.ndarray, "items outputs"]:
        """The true answers of these functions."""

    @cached_property
    def grid(self) -> Grid:
        middles = tuple(float(value) for value in -self.reach + self.width * (np.arange(self.levels) + 0.5))
        return Grid(tuple(Factor(f"x{index + 1}", middles) for index in range(self.count)))

    @property
    def width(self) -> float:
        """Side of a cell."""
        return 2 * self.reach / self.levels

    @cached_property
    def modules_in(self) -> Int[np.ndarray, " inputs"]:
        """The input each unit of the code belongs to, by index."""
        return np.repeat(np.arange(self.count), self.code(np.zeros((1, self.count))).shape[1] // self.count)

    def code(self, points: Points) -> Float[np.ndarray, "items units"]:
        """What a network is given for each point."""
        middles = np.array(self.grid.factors[0].levels)
        axis = Axis(middles, middles)
        return np.concatenate([self.encoding.encode(column, axis) for column in points.T], axis=1).astype(np.float32)

    def examples(self, combinations: Int[np.ndarray, "items parts"], seed: int) -> Examples:
        return self.at(self.grid.values(combinations), seed)

    def at(self, positions: Points, seed: int = 0) -> Examples:
        if np.isnan(positions).any():
            raise InputError(f"task {self.kind!r} needs all of its inputs at once; leave out `isolated`.")
        answers = self.answers(positions, seed if self.draw is None else self.draw)
        return Examples(positions, self.code(positions), answers[:, None].astype(np.float32))

    @property
    def asked_each(self) -> int:
        """How many places are asked about in each cell."""
        return -(-ASKED // self.grid.size)

    def asked(self, seed: int) -> Examples:
        """Places drawn from every cell, `asked_each` of one cell after those of another."""
        cells = np.repeat(self.grid.combinations(), self.asked_each, axis=0)
        return self.at(self.scatter(cells, stream(seed, "data", "asked")), seed)

    def scatter(self, combinations: Int[np.ndarray, "items parts"], rng: "np.random.Generator") -> Points:
        return self.grid.values(combinations) + self.width * (rng.random(combinations.shape) - 0.5)

    def cells(self, positions: Points) -> Int[np.ndarray, "items parts"]:
        return np.clip(np.floor((positions + self.reach) / self.width).astype(int), 0, self.levels - 1)


@tasks.register("parallel")
class Parallel(FunctionTask):
    """Several scalar functions side by side, each of an input of its own: y_k = f_k(x_k), or y_k = x_k.

    With ``inputs: sparse`` all inputs but one, drawn for every example, are 0. Qian, Liang & Fiete (2025), released
    code: four sines on [-2, 2].
    """

    parts: int = Field(default=4, ge=1, le=16)
    functions: Literal["sine", "identity"] = "sine"
    frequencies: tuple[float, float] = (0.4, 1.8)
    inputs: Literal["dense", "sparse"] = "dense"

    @property
    def count(self) -> int:
        return self.parts

    @property
    def modules_out(self) -> Int[np.ndarray, " outputs"]:
        return np.arange(self.parts)

    def answers(self, points: Points, draw: int) -> Float[np.ndarray, "items outputs"]:
        if self.functions == "identity":
            return points
        height, frequency, phase = sines(self.parts, self.frequencies, draw)
        return height * np.sin(frequency * points + phase)

    def scatter(self, combinations: Int[np.ndarray, "items parts"], rng: "np.random.Generator") -> Points:
        if self.inputs == "dense":
            return super().scatter(combinations, rng)
        # By a stream of its own, so that more examples contain fewer.
        kept = rng.spawn(1)[0].integers(self.parts, size=(len(combinations), 1)) == np.arange(self.parts)
        return np.where(kept, super().scatter(combinations, rng), 0.0)

    @property
    def leaves_cells(self) -> bool:
        return self.inputs == "sparse"


@tasks.register("hill")
class Hill(FunctionTask):
    """A Gaussian hill over the unit disc, exp(-(x1² + x2²) / (2 sigma²)): one answer that two inputs decide.

    Cells whose middle lies outside the disc are not part of the task. Released code of Qian, Liang & Fiete (2025).
    """

    levels: int = Field(default=20, ge=2, le=256)
    reach: float = Field(default=1.0, gt=0)
    sigma: float = Field(default=0.5, gt=0)

    @property
    def count(self) -> int:
        return 2

    @property
    def modules_out(self) -> Int[np.ndarray, " outputs"]:
        return np.zeros(1, dtype=int)

    @property
    def outside(self) -> Bool[np.ndarray, " combinations"]:
        return np.linalg.norm(self.grid.values(self.grid.combinations()), axis=1) > self.reach

    def answers(self, points: Points, draw: int) -> Float[np.ndarray, "items outputs"]:
        return np.exp(-np.square(points).sum(axis=1, keepdims=True) / (2 * self.sigma**2))


@tasks.register("composed")
class Composed(FunctionTask):
    """A function of a sum of functions, f_3(f_1(x1) + f_2(x2)), on a square; released by Qian, Liang & Fiete (2025)."""

    levels: int = Field(default=8, ge=2, le=256)
    reach: float = Field(default=1.0, gt=0)
    frequencies: tuple[float, float] = (0.8, 3.6)

    @property
    def count(self) -> int:
        return 2

    @property
    def modules_out(self) -> Int[np.ndarray, " outputs"]:
        return np.zeros(1, dtype=int)

    def answers(self, points: Points, draw: int) -> Float[np.ndarray, "items outputs"]:
        height, frequency, phase = sines(3, self.frequencies, draw)
        inner = height[:2] * np.sin(frequency[:2] * points + phase[:2])
        return height[2] * np.sin(frequency[2] * inner.sum(axis=1, keepdims=True) + phase[2])


def sines(
    count: int, frequencies: tuple[float, float], draw: int
) -> tuple[Float[np.ndarray, " count"], Float[np.ndarray, " count"], Float[np.ndarray, " count"]]:
    """Heights, frequencies and phases of so many sines; more of them begin with the same ones."""
    share = stream(draw, "data", "functions").random((count, 3))
    low, high = frequencies
    return 0.7 + 0.3 * share[:, 0], low + (high - low) * share[:, 1], 2 * np.pi * share[:, 2]
