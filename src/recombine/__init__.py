"""recombine: will it compose, and why?

One question about a model, a task and a training set, answered three times on the same description of the
problem: by theory before training, by training, and by looking inside what was trained.

    import recombine as rc
    problem = rc.Problem(rc.tasks.bump(n=20), split=rc.splits.block(x=(5, 16), y=(5, 16)))
    rc.forecast(problem).verdict
    runs = rc.train(problem, model="cnn-decoder", seeds=3)
    runs.measure("ood_accuracy"), rc.explain(runs).verdict

Names are loaded when first used, so that importing recombine costs nothing and torch comes only with training.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOMES = {
    "Experiment": "recombine.studies",
    "InputError": "recombine.core.errors",
    "Problem": "recombine.data",
    "Recipe": "recombine.training",
    "advise": "recombine.studies.advising",
    "audit": "recombine.audits",
    "compositions": "recombine.core.compositions",
    "encodings": "recombine.data",
    "explain": "recombine.studies.explaining",
    "forecast": "recombine.studies.forecasting",
    "measure": "recombine.audits",
    "noises": "recombine.training",
    "penalties": "recombine.training",
    "supports": "recombine.splits",
    "tasks": "recombine.data",
    "train": "recombine.studies.training",
}
_PACKAGES = (
    "audits",
    "data",
    "factors",
    "measures",
    "models",
    "papers",
    "records",
    "reports",
    "splits",
    "studies",
    "theory",
    "training",
)

__all__ = [
    "Experiment",
    "InputError",
    "Problem",
    "Recipe",
    "advise",
    "audit",
    "audits",
    "compositions",
    "data",
    "encodings",
    "explain",
    "factors",
    "forecast",
    "measure",
    "measures",
    "models",
    "noises",
    "papers",
    "penalties",
    "records",
    "reports",
    "splits",
    "studies",
    "supports",
    "tasks",
    "theory",
    "train",
    "training",
]

if TYPE_CHECKING:
    from recombine import (
        audits,
        data,
        factors,
        measures,
        models,
        papers,
        records,
        reports,
        splits,
        studies,
        theory,
        training,
    )
    from recombine.audits import audit, measure
    from recombine.core.compositions import compositions
    from recombine.core.errors import InputError
    from recombine.data import Problem, encodings, tasks
    from recombine.splits import supports
    from recombine.studies import Experiment
    from recombine.studies.advising import advise
    from recombine.studies.explaining import explain
    from recombine.studies.forecasting import forecast
    from recombine.studies.training import train
    from recombine.training import Recipe, noises, penalties


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    if name in _PACKAGES:
        return import_module(f"recombine.{name}")
    raise AttributeError(f"module 'recombine' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
