"""Tasks turn combinations of factors into codes and pictures; a problem is a task with a split."""

from recombine.data.encodings import encodings
from recombine.data.pictures import tasks
from recombine.data.problem import Examples, Problem

__all__ = ["Examples", "Problem", "encodings", "tasks"]
