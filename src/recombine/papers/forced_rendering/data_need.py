"""How much data a decoder needs before it draws in the right place, against the size of the picture."""

from collections.abc import Callable
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from recombine.core.errors import InputError
from recombine.data import Problem, tasks
from recombine.models import models
from recombine.splits import regions
from recombine.studies import Calculation, Computed, Experiment, calculations, change, seconds_together
from recombine.theory import COMPOSES_BELOW
from recombine.training import Recipe, run

ACCURATE = 0.9  # of the positions within a pixel: where Fig. 4c of Liang et al. (2025) counts from
SIDES = range(8, 65, 4)  # pixels; what the CNN can draw
CLOSE = 1.15  # bisection ends when the set that is enough is at most this many times one that is not


@calculations.register("data-need")
class DataNeed(Calculation):
    """The smallest training set with which a CNN reaches a goal, by bisection over nested sets, for several sizes N.

    Centres are real numbers drawn uniformly outside the corner that is held out, so every test position is new.
    With ``stripes`` the 2N lone stripes are shown too, and count. Every set gets the same number of steps. ``goal``
    is the place (90% within a pixel) or the picture (nMSE at most 0.1), ``where`` outside the corner or in it.
    At most ``most`` N^2 bumps are tried; a size at which that is not enough has no ``need``, and then there is no
    slope. With stripes 2N is the floor: where no bump is needed the slope is 1 by construction.
    """

    exact: ClassVar[bool] = False
    quantities: ClassVar = {
        "slope": "slope of log images needed over log N: 1 grows like N, 3 like N^3",
        "reached": "share of the sizes N at which some training set reached the goal",
        **{f"need_{n}": f"smallest number of training images at N = {n} that reaches the goal" for n in SIDES},
    }

    stripes: bool = False
    where: Literal["outside", "hole"] = "outside"
    goal: Literal["place", "picture"] = "place"
    sizes: tuple[int, ...] = (8, 12, 16, 20)
    most: float = Field(default=8.0, ge=0.1)
    width: int = Field(default=16, ge=1)
    steps: int = Field(default=600, ge=1)

    def model_post_init(self, context: object) -> None:
        for n in self.sizes:
            if n not in SIDES:
                raise InputError(f"sizes = {n} cannot be drawn by the CNN; use multiples of 4 from 8 to {SIDES[-1]}.")

    def compute(self) -> Computed:
        found = {n: self.need(n) for n in self.sizes}
        reached = {n: need for n, need in found.items() if need is not None}
        measures = {"reached": len(reached) / len(found), **{f"need_{n}": float(need) for n, need in reached.items()}}
        if len(reached) == len(found) > 1:  # a slope over the sizes that happened to be reached would flatter
            slope, _ = np.polyfit(np.log(list(reached)), np.log(list(reached.values())), 1)
            measures["slope"] = float(slope)
        return Computed(measures)

    def need(self, n: int) -> int | None:
        """The smallest number of images at size ``n``, stripes included; None if the goal is out of reach."""
        fewest = 0 if self.stripes else 1
        bumps = smallest(lambda count: self.reaches(n, count), fewest, round(self.most * n * n))
        return None if bumps is None else bumps + 2 * n * self.stripes

    def reaches(self, n: int, bumps: int) -> bool:
        """Whether training on this many bumps reaches the goal."""
        measured = run(self.training(n, bumps).plan()).measures
        return measured[self.measure] >= ACCURATE if self.goal == "place" else measured[self.measure] <= COMPOSES_BELOW

    @property
    def measure(self) -> str:
        return f"{'id' if self.where == 'outside' else 'ood'}_{'accuracy' if self.goal == 'place' else 'nmse'}"

    def training(self, n: int, bumps: int) -> Experiment:
        """One of the trainings the search makes."""
        isolated = ("y", "x") if self.stripes else ()
        corner = regions.corner(x=n // 2, y=n // 2)
        return Experiment(
            problem=Problem(tasks.bump(n=n), corner, examples=bumps, centres="uniform", isolated=isolated),
            model=models.cnn_decoder(width=self.width, depth=4),
            recipe=Recipe(steps=self.steps),
            seed=self.seed,
            measures=(self.measure,),
        )

    def expected_seconds(self) -> float:
        """As if the search took its usual number of trainings at every size."""
        return sum(
            (2 + np.log2(np.log(2 * self.most * n * n) / np.log(CLOSE)))
            * seconds_together(change(self, seed=0).training(n, n * n))
            for n in self.sizes
        )


def smallest(enough: Callable[[int], bool], fewest: int, most: int) -> int | None:
    """The smallest number from ``fewest`` to ``most`` that is enough, to a factor of `CLOSE`; None if ``most`` is not.

    More is taken to be better: where that fails now and then, this is one of the places where the answer turns.
    """
    if enough(fewest):
        return fewest
    if not enough(most):
        return None
    low, high = fewest, most
    while high > low + 1 and high > CLOSE * low:
        middle = min(max(round((max(low, 1) * high) ** 0.5), low + 1), high - 1)
        if enough(middle):
            high = middle
        else:
            low = middle
    return high
