"""Experiments as values, and the executor that runs those without a record. No torch until something is trained."""

from recombine.studies.experiment import Experiment, change, distinct, vary

__all__ = ["Experiment", "change", "distinct", "vary"]
