"""How many examples a network needs before modules appear, against the number of functions side by side."""

from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from recombine.core.errors import InputError
from recombine.core.shapes import Float
from recombine.data import Problem, tasks
from recombine.models import models
from recombine.splits import regions
from recombine.studies import Calculation, Computed, Experiment, calculations, change, seconds_together
from recombine.training import Recipe, penalties, run_stack

MODULAR = 0.5  # path modularity: half of the way from mixed to modular
SOME = range(2, 7)  # numbers of functions that have a quantity of their own


@calculations.register("module-need")
class ModuleNeed(Calculation):
    """The number of examples at which path modularity crosses 0.5, for several numbers K of functions.

    Networks with weighted activity are trained on nested sets of ``samples`` points; between two sizes the crossing is
    read off a line over the logarithm of the size. Where the smallest set is enough, it is the answer; where the
    largest is not, there is none, and then no fit. Both fits are least squares on ln N*:

        exponential   ln N* = a + K ln base          power law   ln N* = a + exponent ln K

    and a misfit is the root of the mean squared residual. With ``masked`` the modules are built in. Each K has layers
    of 8 K units (our notes, 9.6).
    """

    exact: ClassVar[bool] = False
    quantities: ClassVar = {
        "base": "factor by which the examples needed grow with each further function",
        "exponent": "exponent of the power law through the same numbers",
        "exponential_misfit": "root mean squared residual of ln N under the exponential law",
        "power_misfit": "root mean squared residual of ln N under the power law",
        "misfit_advantage": "misfit of the power law less that of the exponential law: above 0 the latter fits better",
        "reached": "share of the numbers K for which some training set was enough",
        **{f"need_{k}": f"examples at which modules appear with {k} functions" for k in SOME},
    }

    parts: Annotated[tuple[int, ...], Field(min_length=1)] = (2, 3, 4, 5)
    samples: tuple[int, ...] = (16, 32, 64, 128, 256, 512, 1024)
    steps: int = Field(default=30_000, ge=1)
    strength: float = Field(default=1e-3, ge=0)
    masked: bool = False

    def model_post_init(self, context: object) -> None:
        for count in self.parts:
            if count not in SOME:
                raise InputError(f"parts = {count} must be from {SOME[0]} to {SOME[-1]} functions.")
        if list(self.samples) != sorted(set(self.samples)) or len(self.samples) < 2 or self.samples[0] < 1:
            raise InputError(f"samples = {self.samples} must be two or more rising numbers above 0.")

    def compute(self) -> Computed:
        scores = np.array([self.scores(count) for count in self.parts])
        needs = {k: crossing(self.samples, row) for k, row in zip(self.parts, scores, strict=True)}
        found = {k: need for k, need in needs.items() if need is not None}
        measures = {"reached": len(found) / len(needs), **{f"need_{k}": need for k, need in found.items()}}
        if len(found) == len(needs) > 1:  # a fit over those that happened to be reached would flatter
            measures |= fits(list(found), list(found.values()))
        return Computed(measures, {"modularity": scores, "samples": np.array(self.samples)})

    def scores(self, count: int) -> list[float]:
        """Path modularity for each number of samples; a network that diverged or died has no modules."""
        outcomes = run_stack([experiment.plan() for experiment in self.trainings(count)])
        return [float(outcome.measures.get("path_modularity", 0.0)) for outcome in outcomes]

    def trainings(self, count: int) -> list[Experiment]:
        """The trainings with so many functions, one for each number of samples."""
        region = regions.several(count=2, low=3)
        recipe = Recipe(
            steps=self.steps, batch=50, optimiser="adam", rate=1e-3, decay=0.0,
            penalties=(penalties.weights(), penalties.weighted_activity(power=1.0, strength=self.strength)),
        )  # fmt: skip
        return [
            Experiment(
                problem=Problem(tasks.parallel(parts=count), region, examples=samples, centres="uniform", reveal=True),
                model=models.feedforward(widths=(8 * count,) * 3, modules=count if self.masked else 1),
                recipe=recipe,
                seed=self.seed,
                measures=("path_modularity",),
            )
            for samples in self.samples
        ]

    def expected_seconds(self) -> float:
        return sum(seconds_together(*change(self, seed=0).trainings(count)) for count in self.parts)


def crossing(sizes: tuple[int, ...], scores: Float[np.ndarray, " sizes"]) -> float | None:
    """Where the scores first reach `MODULAR`, over the logarithm of the size; None if they never do."""
    reached = np.flatnonzero(scores >= MODULAR)
    if not len(reached):
        return None
    after = int(reached[0])
    if after == 0:
        return float(sizes[0])
    low, high = scores[after - 1], scores[after]
    logs = np.log(sizes[after - 1 : after + 1])
    return float(np.exp(logs[0] + (MODULAR - low) / (high - low) * (logs[1] - logs[0])))


def fits(parts: list[int], needs: list[float]) -> dict[str, float]:
    """The exponential law and the power law through the numbers needed, and how far each is off."""
    logs = np.log(needs)
    laws = {"exponential": np.array(parts, dtype=float), "power": np.log(parts)}
    slopes, misfits = {}, {}
    for name, across in laws.items():
        slope, start = np.polyfit(across, logs, 1)
        slopes[name] = float(slope)
        misfits[name] = float(np.sqrt(np.square(logs - start - slope * across).mean()))
    return {
        "base": float(np.exp(slopes["exponential"])),
        "exponent": slopes["power"],
        "exponential_misfit": misfits["exponential"],
        "power_misfit": misfits["power"],
        "misfit_advantage": misfits["power"] - misfits["exponential"],
    }
