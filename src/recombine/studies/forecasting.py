"""What can be said of a problem before anything is trained, and how it is written down."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from recombine.data import Problem
from recombine.models import ModelSpec, models
from recombine.studies.fitting import check_loss
from recombine.studies.kernel_forecasting import by_kernels
from recombine.studies.outlook import outlook
from recombine.studies.scene_outlook import scene_outlook
from recombine.theory import Forecast
from recombine.theory.calibration import GRIDS, SCENES, Calibration
from recombine.theory.forecast import KernelAnswer, TooLarge
from recombine.theory.outlook import Outlook

if TYPE_CHECKING:
    from recombine.records import Store


def forecast(
    problem: Problem,
    model: "str | Mapping[str, Any] | ModelSpec | None" = None,
    seed: int = 0,
    loss: str = "mse",
) -> Forecast:
    """What kernel regression says about every held-out combination, before anything is trained.

    Without a model: the tangent kernels of wide ReLU networks with one and three hidden layers. With a model: that
    model's own tangent kernel at its initial weights of ``seed``, beside them. Pictures of bumps and stripes are also
    told whether their training centres hang together (`with_percolation`), which does not enter the verdict.
    The ``outlook`` says what to expect of trained networks, tuned on networks that were trained for the purpose. Of a
    model it says what to expect when it is trained with ``loss``.
    """
    check_loss(problem.task, loss)
    found = by_kernels(problem, model, seed)
    spec = None if model is None else models.parse(model)
    if spec is None or problem.support is not None:
        told = told_outlook(problem, found, spec, seed=seed)
    else:
        told = told_outlook(problem, grounds(problem, spec, seed, found.answers), spec, loss, seed)
    return replace(found, outlook=told, answers={})  # each as large as all pictures


def scored_outlook(
    problem: Problem, model: ModelSpec | None = None, seed: int = 0, loss: str = "mse"
) -> Outlook | None:
    """The outlook of a forecast, by what it was tuned and scored with. None where there is none."""
    return told_outlook(problem, grounds(problem, model, seed), model, loss, seed)


def grounds(
    problem: Problem, model: ModelSpec | None, seed: int = 0, known: Mapping[str, KernelAnswer] | None = None
) -> Forecast:
    """The theory that an outlook goes by: the kernels of wide networks alone; of scenes, how the model composes too."""
    return by_kernels(problem, model if problem.support is not None else None, seed, known)


def told_outlook(
    problem: Problem,
    found: Forecast,
    model: ModelSpec | None = None,
    loss: str = "mse",
    seed: int = 0,
    fitted: Mapping[str, Calibration] | None = None,
) -> Outlook | None:
    """The outlook from its `grounds`, by ``fitted`` processes or those of the package."""
    if problem.support is not None:
        return scene_outlook(problem, found, model, seed, fitted[SCENES] if fitted else None)
    return outlook(problem, found, model, loss, seed, fitted[GRIDS] if fitted else None)


def record_forecast(problem: Problem, store: "Store") -> None:
    """Write the forecast down before training begins, so that it can be scored later; the first one stands."""
    digest = problem.digest()
    if store.forecast(digest) is None and (told := told_of(problem)) is not None:
        store.commit_forecast(digest, told)


def told_of(problem: Problem) -> dict[str, Any] | None:
    """What is written down of a forecast; None for a problem that is too large to be forecast."""
    with suppress(TooLarge):
        return {"problem": problem.settings(), **forecast(problem).to_dict()}
    return None
