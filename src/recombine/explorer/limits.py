"""How much may be asked of the explorer: a page is for problems that a person can watch."""

import math
from collections.abc import Mapping
from typing import Any

from recombine.core.errors import InputError
from recombine.data import Problem
from recombine.data.components import ComponentTask
from recombine.data.picture_task import PictureTask
from recombine.data.pictures import Picture
from recombine.data.scenes import Sprites
from recombine.data.task import Task
from recombine.training import Recipe

CELLS = 10_000  # combinations of a grid
NUMBERS = 30_000_000  # in all pictures that are asked about, and in all that are shown
EXAMPLES = 100_000
STEPS = 200_000
BATCH = 4_096
JOBS = 2  # trainings at once, paused ones included
KEPT_JOBS = 50  # that are listed, finished ones included
BODY_BYTES = 1_000_000
FORECAST_SECONDS = 20.0
INSIDE_SECONDS = 60.0
CLAIMS_SECONDS = 120.0
SEEDS = 100_000


def check_task(task: Task, settings: Mapping[str, Any]) -> None:
    """Refuse a task that is too large for the page, before anything of it is drawn."""
    if task.grid.size > CELLS:
        raise InputError(
            f"task {task.kind!r} has {task.grid.size:,} combinations; the explorer takes at most {CELLS:,}, so use "
            "fewer levels."
        )
    asked, shown = _numbers(task)
    if max(asked, shown) > NUMBERS:
        raise InputError(
            f"task {task.kind!r} asks for pictures of {max(asked, shown):,} numbers in all; the explorer takes at most "
            f"{NUMBERS:,}, so use fewer levels, pixels or pictures."
        )
    spacing = settings.get("spacing")
    if isinstance(task, Picture) and isinstance(spacing, int | float) and spacing > 0:
        centres = math.prod((side + 2 * (task.margin + task.pad)) / spacing for side in task.image)
        if centres > EXAMPLES:
            raise InputError(
                f"spacing = {spacing:g} puts {centres:,.0f} centres on the canvas; the explorer takes at most "
                f"{EXAMPLES:,}, so raise it."
            )
    examples = settings.get("examples")
    if isinstance(examples, int) and examples > EXAMPLES:
        raise InputError(f"examples = {examples:,} is more than the {EXAMPLES:,} that the explorer takes; lower it.")


def _numbers(task: Task) -> tuple[int, int]:
    """Numbers in all pictures that are asked about, and in those of a training set that a task draws itself."""
    if isinstance(task, Sprites):
        return 2 * task.tests * math.prod(task.image), 0
    if isinstance(task, PictureTask):
        return task.grid.size * math.prod(task.image), 0
    if isinstance(task, ComponentTask) and task.images is not None:
        pixels = math.prod(task.picture or (1,))
        return task.grid.size * task.images.questions * pixels, task.images.total * pixels
    return task.grid.size, 0


def check_problem(problem: Problem) -> None:
    """Refuse a training set that is too large for the page."""
    if not isinstance(problem.task, PictureTask | Sprites) or not problem.examples:
        return
    numbers = problem.examples * math.prod(problem.task.image)
    if numbers > 10 * NUMBERS:
        raise InputError(
            f"examples = {problem.examples:,} are pictures of {numbers:,} numbers in all; the explorer takes at most "
            f"{10 * NUMBERS:,}, so lower it."
        )


def check_recipe(recipe: Recipe) -> None:
    """Refuse a training that is too long for the page."""
    if recipe.steps > STEPS:
        raise InputError(
            f"steps = {recipe.steps:,} is more than the {STEPS:,} that the explorer trains; lower it, or use "
            "`recombine train`."
        )
    if isinstance(recipe.batch, int) and recipe.batch > BATCH:
        raise InputError(f"batch = {recipe.batch:,} is more than the {BATCH:,} that the explorer takes; lower it.")
