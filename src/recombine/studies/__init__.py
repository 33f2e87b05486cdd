"""Work as values, and the executor that runs what has no record. No torch until something is trained."""

from recombine.studies.calculation import Calculation, Computed, calculations
from recombine.studies.cost import seconds_together
from recombine.studies.experiment import Experiment
from recombine.studies.work import Work, change, distinct, vary

__all__ = [
    "Calculation",
    "Computed",
    "Experiment",
    "Work",
    "calculations",
    "change",
    "distinct",
    "seconds_together",
    "vary",
]
