"""Forecasts scored against trained networks: trials are drawn, foretold, trained and compared.

The public part is trained first, but for what earlier versions trained of it and came with the package, and processes
are fitted to it: one for tasks over grids of levels, one for scenes. What they then say of the other part is written
down before any of that is trained.
"""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from recombine.records import Store
from recombine.studies.calibration_file import earlier
from recombine.studies.execution import execute, executor, missing
from recombine.studies.experiment import Experiment
from recombine.studies.features import features, measured_performance
from recombine.studies.forecasting import grounds, told_outlook
from recombine.studies.progress import Progress
from recombine.studies.scene_features import scene_features
from recombine.studies.trials import trials
from recombine.studies.work import change
from recombine.theory import Forecast
from recombine.theory.calibration import GRIDS, SCENES, Calibration

SEEDS = (0, 1)  # of every trial; its performance is their mean


@dataclass(frozen=True)
class Told:
    """One trial before it is trained: what is expected of its held-out performance, and what plain rules go by."""

    trial: Experiment
    features: dict[str, float]
    expected: float
    low: float
    high: float
    failure: str | None


@dataclass(frozen=True)
class Judged:
    """One trial after its networks were trained."""

    told: Told
    measured: float
    trained: float  # performance on what it was trained on
    cause: str | None = None  # what `explain` says of its networks; None where it was not asked


def calibrate(
    count: int, store: Store, workers: int | None, progress: Progress, anew: bool = False
) -> tuple[dict[str, Calibration], list[Judged]]:
    """Train the public part, fit, foretell the other, train it; the fits and the part that is scored.

    What of the public part came trained with the package is not trained again, unless it is to be trained ``anew``.
    """
    public = trials("public", count)
    known = {} if anew else earlier()
    _train([each for each in public if name_of(each) not in known], store, workers, progress)
    performance = [known[name] if (name := name_of(each)) in known else _measured(each, store)[0] for each in public]
    fitted = fit_all(public, performance)
    told = [tell(each, fitted) for each in trials("score", count)]
    for each in told:
        store.commit_forecast(name_of(each.trial), _written(each))
    _train([each.trial for each in told], store, workers, progress)
    return fitted, [Judged(each, *_measured(each.trial, store), _cause(each.trial, store)) for each in told]


def name_of(trial: Experiment) -> str:
    """The digest of its first run."""
    return change(trial, seed=SEEDS[0]).digest()


def _cause(trial: Experiment, store: Store) -> str:
    from recombine.studies.found_causes import found_cause  # explaining loads torch

    return found_cause(name_of(trial), store)


def _train(chosen: Sequence[Experiment], store: Store, workers: int | None, progress: Progress) -> None:
    works = [change(each, seed=seed) for each in chosen for seed in SEEDS]
    execute(missing(works, store), store, executor(workers=workers), progress)


def _measured(trial: Experiment, store: Store) -> tuple[float, float]:
    """Mean performance over seeds, held out and trained; networks that diverged did as badly as can be."""
    found = []
    for seed in SEEDS:
        body = store.read(change(trial, seed=seed).digest()).body
        done = measured_performance(body["measures"]) if body["status"] == "done" else {"ood": -1.0, "id": -1.0}
        found.append((done["ood"], done["id"]))
    held_out, trained = np.mean(found, axis=0)
    return float(held_out), float(trained)


def facts_of(trial: Experiment, found: Forecast) -> dict[str, float]:
    """The features of a trial on all that is held out."""
    if trial.problem.support is not None:
        return scene_features(trial.problem, trial.model, found)["ood"]
    return features(trial.problem, trial.model, trial.recipe.loss, found)["ood"]


def tell(trial: Experiment, fitted: Mapping[str, Calibration]) -> Told:
    """What the fitted processes say of a trial."""
    found = grounds(trial.problem, trial.model)
    told = told_outlook(trial.problem, found, trial.model, trial.recipe.loss, fitted=fitted)
    assert told is not None  # a trial knows its right answers
    part = told.held_out
    failure = None if told.failure is None else str(told.failure)
    return Told(trial, facts_of(trial, found), part.expected, part.low, part.high, failure)


def _written(told: Told) -> dict[str, Any]:
    return {
        "problem": told.trial.problem.settings(),
        "model": told.trial.model.settings(),
        "expected": told.expected,
        "low": told.low,
        "high": told.high,
        "failure": told.failure,
    }


def fit_all(public: Sequence[Experiment], performance: Sequence[float]) -> dict[str, Calibration]:
    """A process for the trials over grids of levels and one for scenes, which have other facts."""
    fitted = {}
    for of in (GRIDS, SCENES):
        mine = [place for place, each in enumerate(public) if (each.problem.support is not None) == (of == SCENES)]
        chosen = [public[place] for place in mine]
        rows = [facts_of(each, grounds(each.problem, each.model)) for each in chosen]
        kinds, names = ([each.model.kind for each in chosen], [name_of(each) for each in chosen])
        fitted[of] = fit(rows, [performance[place] for place in mine], kinds, names)
    return fitted


def fit(
    rows: Sequence[dict[str, float]], performance: Sequence[float], models: Sequence[str], digests: Sequence[str] = ()
) -> Calibration:
    """The process whose length, signal and noise make these performances likeliest."""
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel

    names = tuple(rows[0])
    table = np.array([[row[name] for name in names] for row in rows])
    values = np.array(performance)
    blank = Calibration(names, table, values, 1.0, 1.0, 1.0, tuple(models))
    kernel = ConstantKernel(1.0) * Matern(3.0, (0.3, 100.0), nu=0.5) + WhiteKernel(0.1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a parameter at its bound
        found = GaussianProcessRegressor(kernel).fit(blank._known, values - values.mean()).kernel_
    return Calibration(
        names,
        table,
        values,
        length=float(found.k1.k2.length_scale),
        signal=float(found.k1.k1.constant_value),
        noise=float(found.k2.noise_level),
        models=tuple(models),
        digests=tuple(digests),
    )
