"""A problem as the page has it: what a client asks for is checked, and told with all that is needed to draw it."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from recombine.core.errors import InputError, shown
from recombine.data import Problem, tasks
from recombine.data.components import ComponentTask
from recombine.data.functions import FunctionTask
from recombine.data.scenes import Sprites
from recombine.data.task import Task
from recombine.explorer import plain
from recombine.explorer.limits import check_problem, check_task
from recombine.explorer.planes import chosen_plane, sections_of
from recombine.factors import Factor
from recombine.measures.exhibit import evenly
from recombine.models import models
from recombine.studies.fitting import fits

PICTURES, COMPONENTS, FUNCTIONS, SCENES = "pictures", "components", "functions", "scenes"
EXAMPLES = 6  # pictures of the training set that are shown, half as many of lone factors


def read_problem(settings: object) -> Problem:
    """The problem that settings describe, refused where it is amiss or too large.

    Settings hold numbers and registered names alone, so that none of them reaches a file.
    """
    if not isinstance(settings, Mapping):
        raise InputError(f"a problem is a mapping of settings, as its YAML file has them, not {shown(settings)}.")
    task = tasks.parse(settings.get("task"))
    check_task(task, settings)
    problem = Problem.read(settings)
    check_problem(problem)
    return problem


def family_of(kind: type[Task]) -> str:
    """Which sort of answers tasks of a kind have: pictures, numbers of components, functions, scenes."""
    kinds = {ComponentTask: COMPONENTS, FunctionTask: FUNCTIONS, Sprites: SCENES}
    return next((name for parent, name in kinds.items() if issubclass(kind, parent)), PICTURES)


def labels(factors: tuple[Factor, ...], combination: Any) -> list[str | None]:
    """The levels of a combination by name; None for a factor that is absent."""
    return [
        None if level is None or level < 0 else level_name(factor.levels[level])
        for factor, level in zip(factors, combination, strict=True)
    ]


def level_name(level: int | float | str) -> str:
    return level if isinstance(level, str) else f"{level:.4g}"


def describe(settings: object, plane: dict[str, Any] | None = None) -> dict[str, Any]:
    """What the page needs of it: networks that fit, factors, plane, sections, counts, some training pictures."""
    problem = read_problem(settings)
    chosen = chosen_plane(problem, plane)
    told = {
        "problem": problem.settings(),
        "yaml": problem.to_yaml(),
        "digest": problem.digest(),
        "family": family_of(type(problem.task)),
        "models": [name for name in models if models[name].trainable and fits(problem, models[name]())],
        "factors": [
            {"name": factor.name, "levels": [level_name(level) for level in factor.levels], "periodic": factor.periodic}
            for factor in problem.grid.factors
        ],
        "plane": chosen and chosen.to_dict(),
        "shown_pictures": shown_pictures(problem),
    }
    if problem.support is not None:
        sections = {name: int(mask.sum()) for name, mask in problem.asked_sections.items()}
        counts = {"shown": problem.examples, "held_out": None, "lone": 0}
        return {**told, "sections": list(sections), "cells": [], "counts": counts, "certificate": None}
    found = problem.certificate()
    return {
        **told,
        "sections": list(problem.parts.sections),
        "cells": [] if chosen is None else np.array(sections_of(problem))[chosen.combinations(problem.grid)].tolist(),
        "counts": {"shown": found.seen, "held_out": found.held_out, "lone": int(problem.lone().sum())},
        "certificate": {"words": found.words, **found.to_dict()},
    }


def shown_pictures(problem: Problem, most: int = EXAMPLES) -> list[dict[str, Any]]:
    """A few pictures of the training set, evenly chosen, those of lone factors last; none where answers are numbers."""
    if family_of(type(problem.task)) not in (PICTURES, SCENES):
        return []
    examples, lone = problem.training_set(), problem.lone() if problem.support is None else None
    together = np.arange(len(examples)) if lone is None else np.flatnonzero(~lone)
    chosen = together[evenly(len(together), most)]
    if lone is not None:
        alone = np.flatnonzero(lone)
        chosen = np.concatenate([chosen, alone[evenly(len(alone), most // 2)]])
    pictures = examples.pictures[chosen]
    places = None if problem.support is not None else positions_as_levels(problem, examples.positions[chosen])
    return [
        {
            "combination": None if places is None else places[row],
            "labels": None if places is None else labels(problem.grid.factors, places[row]),
            "picture": plain.picture(np.asarray(picture), problem.task.channels),
        }
        for row, picture in enumerate(pictures)
    ]


def positions_as_levels(problem: Problem, positions: np.ndarray) -> list[list[int | None]]:
    """The combination to which each position belongs, None for absent factors and for centres beyond the border."""
    absent = problem.task.absent(positions)
    cells = problem.task.cells(np.where(absent, 0.0, positions))
    return [
        [None if away else int(level) for level, away in zip(row, gone, strict=True)]
        for row, gone in zip(cells, absent, strict=True)
    ]
