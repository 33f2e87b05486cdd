"""Does theory foresee what a decoder draws, wrong pictures included? Images forecast before training, and after it."""

from typing import Annotated, ClassVar

import numpy as np

from recombine.core.errors import InputError
from recombine.core.spec import MemberOf
from recombine.data import Problem
from recombine.measures import Evidence, nmse
from recombine.measures.correlation import pearson
from recombine.models import ModelSpec, models
from recombine.studies import Calculation, Computed, Experiment, calculations, seconds_together
from recombine.studies.kernel_forecasting import forecast_pictures, model_kernel
from recombine.theory import tangent_kernels
from recombine.theory.additive import additive_fit
from recombine.training import Recipe


@calculations.register("decoder-oracle")
class DecoderOracle(Calculation):
    """A decoder is trained, and the pictures it draws deep in the hole are compared with three forecasts of them.

    The additive fit, regression with the tangent kernels of wide ReLU networks, and regression with the tangent kernel
    of the very network before its first step. Agreement is the correlation over pixels, mean over held-out
    combinations, away from the edge where there are such: 1 the same picture up to brightness, 0 unrelated.
    """

    exact: ClassVar[bool] = False
    quantities: ClassVar = {
        "additive_agreement": "correlation of drawn pictures with the additive fit to the training pictures",
        "tangent_agreement": "correlation of drawn pictures with regression by tangent kernels of wide networks",
        "own_agreement": "correlation of drawn pictures with regression by the network's own initial tangent kernel",
        "truth_agreement": "correlation of drawn pictures with the true ones",
        "forecast_nmse": "held-out nMSE as forecast by tangent kernels of wide networks",
        "ood_nmse": "held-out nMSE of the trained network",
    }

    problem: Problem
    model: Annotated[ModelSpec, MemberOf(models)]
    recipe: Recipe = Recipe()

    def compute(self) -> Computed:
        from recombine.training.loop import Member, fit
        from recombine.training.observe import observe
        from recombine.training.run import build

        problem, seed = self.problem, self.seed
        network = build(problem, self.model, seed)
        own = forecast_pictures(problem, {"own": model_kernel(problem, self.model, seed)}, seed)
        wide = forecast_pictures(problem, tangent_kernels(), seed)
        fit([Member.of(network, problem, self.recipe, seed)])
        seen = observe(problem, network, network, seed)
        if not isinstance(seen, Evidence) or own.outputs is None or wide.outputs is None:
            raise InputError(f"task {problem.task.kind!r} draws no pictures that could be compared; use e.g. bump.")
        truth, held_out = problem.everything.targets, problem.parts.held_out
        additive = additive_fit(
            truth.reshape(*problem.grid.shape, *truth.shape[1:]), held_out.reshape(problem.grid.shape)
        )
        deep = seen.section(seen.deep)

        drawn = _rows(seen.outputs)[deep]

        def agreement(pictures: np.ndarray) -> float:
            return float(pearson(drawn, _rows(pictures)[deep]).mean())

        return Computed(
            {
                "additive_agreement": agreement(additive.reshape(len(truth), -1)),
                "tangent_agreement": agreement(wide.outputs),
                "own_agreement": agreement(own.outputs),
                "truth_agreement": agreement(truth),
                "forecast_nmse": next(section.expected for section in wide.sections if section.name == "ood"),
                "ood_nmse": nmse(seen, "ood"),
            }
        )

    def expected_seconds(self) -> float:
        return 30.0 + seconds_together(
            Experiment(problem=self.problem, model=self.model, recipe=self.recipe, measures=("ood_nmse",))
        )


def _rows(pictures: np.ndarray) -> np.ndarray:
    return pictures.reshape(len(pictures), -1).astype(np.float64)
