"""What a forecast and a measurement have in common: the error that both of them speak of."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from recombine.data.components import ComponentTask
from recombine.data.functions import FunctionTask
from recombine.studies import Experiment


@dataclass(frozen=True, slots=True)
class Quantity:
    """An error, of one sort of answer. Different quantities are never compared with each other."""

    name: str  # as forecasts write it
    of: str  # the answers it is about
    meaning: str
    logarithmic: bool

    @property
    def title(self) -> str:
        return f"{self.name} of {self.of}"


PICTURES = Quantity(
    "nMSE",
    "pictures",
    "squared error divided by that of a blank picture: 0 is right, 1 as bad as drawing nothing",
    True,
)
SUMS = Quantity(
    "nMSE",
    "sums",
    "squared error divided by that of always answering the mean of the trained answers: 0 is right, 1 as bad as that",
    True,
)
CLASSES = Quantity(
    "error rate",
    "classes",
    "share of wrong classes: 0 is right, 0.5 is chance, 1 is wrong throughout; a forecast is the mean over least "
    "squares and the widest margin, and its range spans both",
    False,
)


FUNCTIONS = Quantity(
    "nMSE",
    "functions",
    "squared error divided by that of answering 0: 0 is right, 1 is as bad as always answering 0",
    True,
)


def quantity_of(experiment: Experiment) -> Quantity:
    """What is forecast and measured for an experiment."""
    task = experiment.problem.task
    if isinstance(task, ComponentTask):
        return CLASSES if task.binary else SUMS
    return FUNCTIONS if isinstance(task, FunctionTask) else PICTURES


def errors_of(experiment: Experiment, measures: Mapping[str, Any]) -> dict[str, float]:
    """The measured error by section, in the quantity of the experiment; sections without one are left out."""
    by_quantity = {PICTURES: _pictures, FUNCTIONS: _pictures, SUMS: _sums, CLASSES: _classes}
    found = by_quantity[quantity_of(experiment)](experiment, measures)
    return {section: float(error) for section, error in found.items() if isinstance(error, int | float)}


def _pictures(experiment: Experiment, measures: Mapping[str, Any]) -> dict[str, Any]:
    """nMSE by section: measured at once, or one measure per section."""
    return {**_ending(measures, "_nmse"), **measures.get("nmse_by_section", {})}


def _sums(experiment: Experiment, measures: Mapping[str, Any]) -> dict[str, Any]:
    """The squared error of a section over the mean of (y - ȳ)², ȳ the mean of the trained answers."""
    problem = experiment.problem
    assert isinstance(problem.task, ComponentTask)
    labels = problem.task.labels
    middle, found = labels[problem.trained].mean(), {}
    for section, error in _ending(measures, "_mse").items():
        members = problem.parts.sections.get(section)
        power = 0.0 if members is None else float(np.square(labels[members] - middle).mean())
        if power > 0:
            found[section] = error / power
    return found


def _classes(experiment: Experiment, measures: Mapping[str, Any]) -> dict[str, Any]:
    return {section: 1 - share for section, share in _ending(measures, "_accuracy").items()}


def _ending(measures: Mapping[str, Any], end: str) -> dict[str, Any]:
    """Measures of one section each, by section: ``ood_mse`` is that of ``ood``."""
    return {
        name.removesuffix(end): value
        for name, value in measures.items()
        if name.endswith(end) and isinstance(value, int | float)
    }
