"""How many bumps a diffusion model needs before held-out ones are in place, with and without lone stripes."""

from math import sqrt
from typing import ClassVar

import numpy as np
from pydantic import Field

from recombine.data import Problem, tasks
from recombine.models import models
from recombine.papers.claims import Scale, Setting, setting
from recombine.splits import regions
from recombine.studies import Calculation, Computed, Experiment, calculations, seconds_together
from recombine.training import Recipe, run

ACCURATE = 0.6  # of the held-out places: where Fig. 5c of Liang et al. (2024) counts
HELD_OUT = 0.2  # of the area, in the middle
PARTS = (0.05, 0.15, 0.4, 1.0)  # of the bumps outside
SIDES = (8, 16, 24, 32)


@calculations.register("diffusion-data-need")
class DiffusionDataNeed(Calculation):
    """The number of bumps with which 60% of the held-out ones are in place, for several sizes N (Fig. 5).

    A fifth of the area in the middle is held out; of the bumps around it, half a pixel apart, rising parts are shown,
    each containing the smaller. With ``stripes`` lone stripes of every value are shown too. Every part gets the same
    number of steps. Between two parts the number is interpolated in logarithms; ``need`` counts bumps, ``size`` stripes
    as well. A size at which all bumps are not enough has none, and then there is no slope. Where the smallest part is
    enough, its number stands for all below: ``floor`` is the share of sizes for which that is so.
    """

    exact: ClassVar[bool] = False
    quantities: ClassVar = {
        "slope": "slope of log bumps needed over log N: 1 grows like N, 2 like N^2",
        "size_slope": "the same of all training images, stripes included",
        "reached": "share of the sizes N at which some part was enough",
        "floor": "share of the sizes N at which the smallest part was enough",
        **{f"need_{n}": f"bumps needed at N = {n}" for n in SIDES},
        **{f"size_{n}": f"training images needed at N = {n}, stripes included" for n in SIDES},
        **{f"full_{n}": f"share of held-out places that are right at N = {n} with all bumps" for n in SIDES},
    }

    stripes: bool = False
    sizes: tuple[int, ...] = (8, 16, 24)
    steps: int = Field(default=2000, ge=1)
    batch: int = Field(default=64, ge=1)
    rate: float = Field(default=8e-3, gt=0)
    sigma: float = 0.7  # the paper's, at every size
    spacing: float = 0.5
    pad: int = 4

    def compute(self) -> Computed:
        measures: dict[str, float] = {}
        arrays: dict[str, np.ndarray] = {"parts": np.array(PARTS)}
        needs, sizes, floors = {}, {}, 0
        for n in self.sizes:
            counts = self.counts(n)
            right = np.array([self.right(n, count) for count in counts])
            arrays |= {f"accuracies_{n}": right, f"bumps_{n}": np.array(counts)}
            measures[f"full_{n}"] = float(right[-1])
            found = first_at(np.array(counts, dtype=float), right, ACCURATE)
            if found is not None:
                needs[n], sizes[n] = found, found + len(self.problem(n, 0).training_set(0)) * self.stripes
                floors += found == counts[0]
        measures |= {f"need_{n}": need for n, need in needs.items()} | {f"size_{n}": size for n, size in sizes.items()}
        measures |= {"reached": len(needs) / len(self.sizes), "floor": floors / len(self.sizes)}
        if len(needs) == len(self.sizes) > 1:  # a slope over the sizes that happened to be reached would flatter
            for name, each in (("slope", needs), ("size_slope", sizes)):
                slope, _ = np.polyfit(np.log(list(each)), np.log(list(each.values())), 1)
                measures[name] = float(slope)
        return Computed(measures, arrays)

    def counts(self, n: int) -> list[int]:
        """Numbers of bumps, the smallest part first."""
        whole = len(self.problem(n, None)._pool())
        return [max(1, round(part * whole)) for part in PARTS]

    def right(self, n: int, bumps: int) -> float:
        """Share of held-out places that are right after training on so many bumps."""
        return float(run(self.training(n, bumps).plan()).measures["darkest_accuracy"]["ood"])

    def problem(self, n: int, bumps: int | None) -> Problem:
        low = round((n - sqrt(HELD_OUT) * n) / 2)
        middle = regions.block(x=(low, n - low), y=(low, n - low))
        task = tasks.bump(
            n=n, sigma=sqrt(2) * self.sigma, pad=self.pad, stripe_ink=0.5, encoding={"kind": "sinusoidal", "pairs": 16}
        )
        isolated = ("y", "x") if self.stripes or bumps == 0 else ()
        return Problem(task, middle, spacing=self.spacing, examples=bumps, isolated=isolated)

    def training(self, n: int, bumps: int) -> Experiment:
        """One of the trainings."""
        return Experiment(
            problem=self.problem(n, bumps),
            model=models.parse("diffusion"),
            recipe=Recipe(steps=self.steps, batch=self.batch, rate=self.rate, schedule="one-cycle"),
            seed=self.seed,
            measures=("darkest_accuracy",),
        )

    def expected_seconds(self) -> float:
        return sum(len(PARTS) * seconds_together(self.training(n, self.counts(n)[-1])) for n in self.sizes)


def first_at(amounts: np.ndarray, values: np.ndarray, level: float) -> float | None:
    """The amount from which on values stay at the level, interpolated in its logarithm; None if they do not at the end.

    The first amount where all of them are.
    """
    below = np.flatnonzero(values < level)
    if not len(below):
        return float(amounts[0])
    if below[-1] == len(values) - 1:
        return None
    step = slice(below[-1], below[-1] + 2)
    return float(np.exp(np.interp(level, values[step], np.log(amounts[step]))))


def need(name: str, says: str, stripes: bool) -> Setting:
    def made(scale: Scale) -> DiffusionDataNeed:
        if scale is Scale.PAPER:
            return DiffusionDataNeed(
                stripes=stripes, sizes=(16, 24, 32), steps=160_000, batch=128, rate=3e-4, sigma=1.0, spacing=0.1, pad=6
            )
        return DiffusionDataNeed(stripes=stripes)

    return setting(name, says, made)


bumps_alone = need("need_bumps", "Bumps needed, without stripes.", False)
bumps_beside_stripes = need("need_bumps_and_stripes", "Bumps needed beside lone stripes.", True)
