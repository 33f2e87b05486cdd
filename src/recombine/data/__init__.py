"""Tasks turn combinations of factors into inputs and answers; a problem is a task with a split."""

# Importing a module registers its tasks.
from recombine.data import components, functions, locating, pictures, rotation, scenes, tables  # noqa: F401
from recombine.data.encodings import encodings
from recombine.data.picture_task import PictureTask
from recombine.data.problem import Problem
from recombine.data.task import Examples, Task, tasks

__all__ = ["Examples", "PictureTask", "Problem", "Task", "encodings", "tasks"]
