"""Forecasts scored against trained networks: trials are drawn, foretold, trained and compared.

The public part is trained first and the process fitted to it. What it then says of the other part is written down
before any of that is trained.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from recombine.records import Store
from recombine.studies.execution import execute, executor, missing
from recombine.studies.experiment import Experiment
from recombine.studies.features import features, measured_performance
from recombine.studies.kernel_forecasting import by_kernels
from recombine.studies.outlook import outlook
from recombine.studies.progress import Progress
from recombine.studies.trials import trials
from recombine.studies.work import change
from recombine.theory.calibration import Calibration

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


def calibrate(count: int, store: Store, workers: int | None, progress: Progress) -> tuple[Calibration, list[Judged]]:
    """Train the public part, fit, foretell the other, train it; the fit and the part that is scored."""
    public = trials("public", count)
    _train(public, store, workers, progress)
    performance = [_measured(each, store)[0] for each in public]
    fitted = fit([_features(each) for each in public], performance, [each.model.kind for each in public])
    told = [tell(each, fitted) for each in trials("score", count)]
    for each in told:
        store.commit_forecast(change(each.trial, seed=SEEDS[0]).digest(), _written(each))
    _train([each.trial for each in told], store, workers, progress)
    return fitted, [Judged(each, *_measured(each.trial, store), _cause(each.trial, store)) for each in told]


def _cause(trial: Experiment, store: Store) -> str:
    from recombine.studies.found_causes import found_cause  # explaining loads torch

    return found_cause(trial, [change(trial, seed=seed).digest() for seed in SEEDS], store)


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


def _features(trial: Experiment) -> dict[str, float]:
    return features(trial.problem, trial.model, trial.recipe.loss, by_kernels(trial.problem))["ood"]


def tell(trial: Experiment, fitted: Calibration) -> Told:
    """What the fitted process says of a trial."""
    found = by_kernels(trial.problem)
    told = outlook(trial.problem, found, trial.model, trial.recipe.loss, calibration=fitted)
    assert told is not None  # a trial knows its right answers
    part = told.held_out
    facts = features(trial.problem, trial.model, trial.recipe.loss, found)["ood"]
    failure = None if told.failure is None else str(told.failure)
    return Told(trial, facts, part.expected, part.low, part.high, failure)


def _written(told: Told) -> dict[str, Any]:
    return {
        "problem": told.trial.problem.settings(),
        "model": told.trial.model.settings(),
        "expected": told.expected,
        "low": told.low,
        "high": told.high,
        "failure": told.failure,
    }


def fit(rows: Sequence[dict[str, float]], performance: Sequence[float], models: Sequence[str]) -> Calibration:
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
    )
