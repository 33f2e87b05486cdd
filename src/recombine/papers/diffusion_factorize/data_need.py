"""How many bumps a diffusion model needs before held-out ones are in place, with and without lone stripes."""

from math import sqrt
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from recombine.core.errors import InputError
from recombine.data import Problem, tasks
from recombine.models import models
from recombine.papers.claims import Scale, setting
from recombine.papers.diffusion_factorize import canvases as c
from recombine.splits import regions
from recombine.studies import Calculation, Computed, Experiment, calculations, seconds_together
from recombine.training import Recipe, run

ACCURATE = 0.6  # of the held-out places: where Fig. 5c of Liang et al. (2024) counts
HELD_OUT = 0.2  # of the area, in the middle
LADDER = (32, 64, 128, 256, 512, 1024)  # bumps that may be tried, the same at every size, beside all there are
SIDES = (8, 16, 24, 32)  # the network halves its pictures three times


@calculations.register("diffusion-data-need")
class DiffusionDataNeed(Calculation):
    """The number of bumps with which 60% of the held-out ones are in place, for several sizes N (Fig. 5).

    About a fifth of the area in the middle is held out; of the bumps around it, ``spacing`` apart, a ladder of sets is
    shown, each part of the next and the last all of them. It is halved until a set that is enough follows one that is
    not: more is taken to be better. With ``stripes`` lone stripes of every value are shown too, and the ladder
    begins with no bump at all; there is no rim, since a bump that the border cuts off would be one more bump. Every set
    gets the same number of steps at every size. With ``lone`` that share of every batch are stripes or empty, else
    pictures come as often as each other. A bump is in place if the picture has one mark and its darkest pixel is the
    true one. Between the two sets the number is interpolated in log(1 + bumps).

    ``need`` is that number, or that of all bumps where they are not enough: then it is a lower bound. ``need_images``
    counts stripes as well. There is a slope only where all sizes were reached and none by the smallest set, since
    the ends of the ladder would make slopes of their own. Of two sizes, as at `laptop`, a slope is a line through two
    points, each known to a rung of the ladder. ``published`` trains the paper's UNet, not the light one.
    """

    exact: ClassVar[bool] = False
    quantities: ClassVar = {
        "slope": "slope of log bumps needed over log N: 1 grows like N, 2 like N^2",
        "slope_images": "the same of all training images, stripes included",
        "need_largest": "bumps needed at the largest N, at least",
        "need_before": "bumps needed at the N before the largest, at least",
        "growth": "the first of these less the second",
        "reached": "share of the sizes N at which some set was enough",
        "floor": "share of the sizes N at which the smallest set was enough",
        **{f"need_{n}": f"bumps needed at N = {n}, at least" for n in SIDES},
        **{
            f"need_images_{n}": f"training images needed at N = {n}, stripes included, where it was reached"
            for n in SIDES
        },
        "trained": "share of places around the hole right with the most bumps tried, at the N where it is least",
    }

    stripes: bool = False
    sizes: tuple[Literal[8, 16, 24, 32], ...] = (8, 16)
    steps: int = Field(default=2500, ge=1)
    batch: int = Field(default=64, ge=1)
    rate: float = Field(default=8e-3, gt=0)
    sigma: float = 0.7  # as in exp(-d^2 / (4 sigma^2)), at every size
    spacing: float = 0.5  # pixels from centre to centre
    pad: int = 4  # pixels beyond the border
    lone: float | None = Field(default=None, gt=0, lt=1)  # share of a batch that shows one factor or none
    times: Literal["uniform", "logit-normal"] = "uniform"  # how often each step of noise is trained
    published: bool = False  # the paper's network

    def model_post_init(self, context: object) -> None:
        if not self.sizes or list(self.sizes) != sorted(set(self.sizes)):
            raise InputError(f"sizes = {list(self.sizes)} must rise, and be one at least, e.g. [16, 24].")
        if self.lone is not None and not self.stripes:
            raise InputError(
                f"lone = {self.lone:g} is the share of stripes in a batch; set stripes = true, or leave it out."
            )
        _ = self.recipe  # refuses shares that a batch cannot have
        for n in self.sizes:  # refuses pictures that cannot be drawn
            self.problem(n, None)

    def compute(self) -> Computed:
        measures: dict[str, float] = {}
        arrays: dict[str, np.ndarray] = {}
        needs, reached, floors, learned = {}, [], [], []
        for n in self.sizes:
            counts = self.counts(n)
            trained, right = self.halved(n, counts)
            learned.append(trained)
            arrays |= {f"accuracies_{n}": right, f"bumps_{n}": np.array(counts)}
            found = first_at(np.array(counts, dtype=float), right, ACCURATE)
            needs[n] = float(counts[-1]) if found is None else found
            reached.append(found is not None)
            floors.append(found == counts[0])
            alone = int(self.problem(n, counts[-1]).lone(self.seed).sum())
            measures[f"need_{n}"] = needs[n]
            if found is not None:
                measures[f"need_images_{n}"] = found + alone
        measures |= {"reached": float(np.mean(reached)), "floor": float(np.mean(floors)), "trained": min(learned)}
        if len(needs) > 1:
            *_, before, last = needs.values()
            measures |= {"need_largest": last, "need_before": before, "growth": last - before}
        if all(reached) and not any(floors) and len(needs) > 1:
            for name, of in (("slope", "need"), ("slope_images", "need_images")):
                values = [measures[f"{of}_{n}"] for n in self.sizes]
                measures[name] = float(np.polyfit(np.log(self.sizes), np.log(values), 1)[0])
        return Computed(measures, arrays)

    def halved(self, n: int, counts: list[int]) -> tuple[float, np.ndarray]:
        """Shares that are right: of places around the hole with the most bumps tried, of held-out ones with each."""
        around, right = np.full((2, len(counts)), np.nan)
        short, enough = -1, len(counts)  # beyond either end: not even all bumps are enough, or none is needed
        while enough - short > 1:
            middle = (short + enough) // 2
            around[middle], right[middle] = self.right(n, counts[middle])
            short, enough = (short, middle) if right[middle] >= ACCURATE else (middle, enough)
        return float(around[~np.isnan(right)][-1]), right

    def counts(self, n: int) -> list[int]:
        """Numbers of bumps, rising."""
        whole = self.problem(n, None).most_examples
        return [*([0] if self.stripes else []), *(count for count in LADDER if count < whole), whole]

    def right(self, n: int, bumps: int) -> tuple[float, float]:
        """Shares of places around the hole and in it that are right after training on so many bumps.

        A network that diverged draws none right.
        """
        outcome = run(self.training(n, bumps).plan())
        if outcome.status != "done":
            return 0.0, 0.0
        found = outcome.measures["strict_accuracy"]
        return float(found.get("id", np.nan)), float(found["ood"])

    def problem(self, n: int, bumps: int | None) -> Problem:
        side = round(sqrt(HELD_OUT) * n)
        low = (n - side) // 2
        middle = regions.block(x=(low, low + side), y=(low, low + side))
        task = tasks.bump(
            n=n,
            sigma=sqrt(2) * self.sigma,
            pad=self.pad,
            stripe_ink=0.5,
            encoding=c.code(self._scale),
        )
        isolated = ("y", "x") if self.stripes else ()
        return Problem(task, middle, spacing=self.spacing, examples=bumps, isolated=isolated)

    def training(self, n: int, bumps: int) -> Experiment:
        """One of the trainings."""
        return Experiment(
            problem=self.problem(n, bumps),
            model=models.parse({**c.SIZES[self._scale].model, "times": self.times}),
            recipe=self.recipe,
            seed=self.seed,
            measures=("strict_accuracy",),
        )

    @property
    def recipe(self) -> Recipe:
        """How every set is trained."""
        return Recipe(steps=self.steps, batch=self.batch, rate=self.rate, schedule="one-cycle", lone=self.lone)

    def trainings(self) -> list[Experiment]:
        """The largest training of each size."""
        return [self.training(n, self.counts(n)[-1]) for n in self.sizes]

    @property
    def _scale(self) -> Scale:
        return Scale.PAPER if self.published else Scale.LAPTOP

    def expected_seconds(self) -> float:
        """Of as many sets as halving tries on average, if every set is as likely to be the first that is enough."""
        return sum(
            tries(len(self.counts(n))) * seconds_together(self.training(n, self.counts(n)[-1])) for n in self.sizes
        )


def tries(sets: int) -> float:
    """How many of these sets halving tries on average, if each, or none, is as likely to be the first enough."""
    outcomes = sets + 1
    least = outcomes.bit_length() - 1
    return least + 2 * (outcomes - 2**least) / outcomes


def first_at(amounts: np.ndarray, values: np.ndarray, level: float) -> float | None:
    """The amount from which on values stay at the level, interpolated in log(1 + amount); the first where all are.

    None if they are not at the level at the end. NaN: not known, and not asked for.
    """
    below = np.flatnonzero(values < level)
    if not len(below):
        return float(amounts[0])
    if below[-1] == len(values) - 1:
        return None
    step = slice(below[-1], below[-1] + 2)
    found = np.expm1(np.interp(level, values[step], np.log1p(amounts[step])))
    return float(np.clip(found, *amounts[step]))  # there and back, a logarithm may end beyond


def need(scale: Scale, stripes: bool) -> DiffusionDataNeed:
    """At `laptop` sigma and what lies beyond the border are as published too; centres are half a pixel apart.

    The network is the light one, sizes are 16 and 32, and beside stripes half of every batch are bumps. Times of noise
    are drawn from the middle, after which what was shown is right in fewer steps: with times drawn evenly, networks
    without stripes were not trained at N = 32. What is claimed is how needs compare and grow, and both ways are trained
    alike.
    """
    if scale is Scale.PAPER:
        return DiffusionDataNeed(
            stripes=stripes, sizes=(16, 24, 32), steps=160_000, batch=128, rate=3e-4, sigma=1.0, spacing=0.1, pad=6,
            published=True,
        )  # fmt: skip
    # A few bumps would be seen seldom among stripes, whose number grows with N; the paper trains much longer.
    lone = 0.5 if stripes else None
    return DiffusionDataNeed(
        stripes=stripes, sizes=(16, 32), steps=10_000, batch=16, sigma=1.0, pad=6, lone=lone, times="logit-normal",
    )  # fmt: skip


bumps_alone = setting("need_bumps", "Bumps needed, without stripes.", lambda scale: need(scale, False))
bumps_beside_stripes = setting(
    "need_bumps_and_stripes", "Bumps needed beside lone stripes.", lambda scale: need(scale, True)
)

ENDS = ("smallest", "largest")  # of the sizes

# The training in which most has to be learned, of either end.
all_shown = {
    (stripes, size): setting(
        f"all_bumps{'_and_stripes' if stripes else ''}_{size}",
        f"All bumps around the hole{', and lone stripes' if stripes else ''}, on the {size} pictures.",
        lambda scale, stripes=stripes, place=place: need(scale, stripes).trainings()[place],  # type: ignore[misc]
    )
    for stripes in (False, True)
    for size, place in zip(ENDS, (0, -1), strict=True)
}
