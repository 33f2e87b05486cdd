"""One cell of the plane: the truth, the forecast, a network's answer, and what it is made of. Beside the server."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from recombine.core.errors import InputError, shown
from recombine.core.shapes import Float, Integer
from recombine.data import Problem
from recombine.data.components import ComponentTask
from recombine.data.functions import FunctionTask
from recombine.data.picture_task import PictureTask
from recombine.explorer import plain
from recombine.explorer.forecasts import forecast_of
from recombine.explorer.planes import sections_of
from recombine.explorer.problems import labels, positions_as_levels, read_problem
from recombine.measures.superposition import decompose
from recombine.theory.forecast import TooLarge

Answer = tuple[str, np.ndarray, float]  # what the error is, the picture or number, and its error

NEAREST, PARTS = 3, 6
MOST_REMEMBERED = 2_000  # pictures that an answer is taken apart into


def told(
    settings: object, combination: object, seed: int = 0, answer: Answer | None = None, forecast: bool = True
) -> dict[str, Any]:
    """What there is to say of one combination, as JSON values.

    ``answer`` is what a network says there, if one was asked; the ``forecast`` may be left out.
    """
    problem = read_problem(settings)
    levels = read_combination(problem, combination)
    place = int(problem.grid.index(levels[None])[0])
    target = truth(problem, place, seed)
    foretold, error = _forecast(problem, place) if forecast else (None, {})
    output = None if answer is None else np.atleast_2d(answer[1])
    made_of, made = ("forecast", foretold) if output is None else ("output", output)
    channels = problem.task.channels
    return {
        "combination": levels.tolist(),
        "labels": labels(problem.grid.factors, levels),
        "section": sections_of(problem, seed)[place],
        "input": given(problem, levels, seed),
        "target": plain.picture(target, channels),
        "forecast": None if foretold is None else plain.picture(foretold, channels),
        "output": None if output is None else plain.picture(output, channels),
        "difference": None if output is None else plain.picture(output - target, channels),
        "nearest": nearest(problem, levels, seed),
        "superposed": None if made is None else superposed(problem, made, made_of, seed),
        "numbers": {**error, **({} if answer is None else {_word(answer[0]): plain.number(answer[2])})},
    }


def read_combination(problem: Problem, combination: object) -> Integer[np.ndarray, " factors"]:
    """The level indices that a client gives, or an `InputError`."""
    if problem.support is not None:
        raise InputError(f"task {problem.task.kind!r} draws its scenes from a continuous space, which has no cells.")
    shape = problem.grid.shape
    given = combination if isinstance(combination, list) else []
    whole = all(type(level) is int for level in given) and len(given) == len(shape)
    if not whole or not all(0 <= level < count for level, count in zip(given, shape, strict=True)):
        raise InputError(
            f"combination = {shown(combination)} must have the index of a level for each of "
            f"{', '.join(problem.grid.names)}, from 0 and below {list(shape)}."
        )
    return np.array(given)


def truth(problem: Problem, place: int, seed: int = 0) -> Float[np.ndarray, "rows columns"]:
    """The right answer to a combination; of functions the mean over the places that are asked about in its cell."""
    task = problem.task
    if isinstance(task, ComponentTask):
        return np.array([[task.labels[place]]])
    if isinstance(task, FunctionTask):
        return task.asked(seed).targets.reshape(problem.grid.size, task.asked_each, -1)[place].mean(axis=0)[None]
    return np.asarray(problem.everything.pictures[place])


def given(problem: Problem, levels: Integer[np.ndarray, " factors"], seed: int = 0) -> list[Any] | float | None:
    """The picture that a network is given for a combination, the first of several; None where its input is a code."""
    task = problem.task
    if task.picture is None:
        return None
    if isinstance(task, ComponentTask):
        assert task.images is not None
        codes = task.images.asked(problem.grid.shape, levels[None], "held-out", seed)[1]
    else:
        codes = task.examples(levels[None], seed).codes
    channels, rows, _ = task.picture
    return plain.picture(codes[0].reshape(task.picture).transpose(1, 2, 0).reshape(rows, -1), channels)


def _forecast(problem: Problem, place: int) -> tuple[np.ndarray | None, dict[str, float | None]]:
    """What kernels answer there, and their error; nothing where there is no forecast."""
    try:
        found = forecast_of(problem)
    except TooLarge:
        return None, {}
    if found.outputs is None:
        return None, {}
    each = len(found.outputs) // problem.grid.size
    here = found.outputs.reshape(problem.grid.size, each, -1)[place].mean(axis=0)
    task = problem.task
    picture = here.reshape(task.image) if isinstance(task, PictureTask) else here[None]
    known = found.errors is not None and bool(problem.parts.held_out[place])  # else it is no forecast
    error = None if found.errors is None else found.errors.reshape(problem.grid.size, each)[place].mean()
    return picture, {f"forecast_{_word(found.quantity)}": plain.number(error) if known else None}


def nearest(problem: Problem, levels: Integer[np.ndarray, " factors"], seed: int) -> list[dict[str, Any]]:
    """The shown combinations that differ least, in levels; the short way round a ring, and 1 between any two words."""
    every = problem.grid.combinations()
    places = np.flatnonzero(problem.shown(seed) & (every != levels).any(axis=1))
    apart = np.abs(every[places] - levels).astype(float)
    for axis, factor in enumerate(problem.grid.factors):
        if not factor.numeric:
            apart[:, axis] = apart[:, axis] > 0
        elif factor.periodic:
            apart[:, axis] = np.minimum(apart[:, axis], len(factor) - apart[:, axis])
    distances = np.sqrt(np.square(apart).sum(axis=1))
    return [
        {
            "combination": every[places[row]].tolist(),
            "labels": labels(problem.grid.factors, every[places[row]]),
            "distance": plain.number(distances[row]),
            "picture": plain.picture(truth(problem, int(places[row]), seed), problem.task.channels),
        }
        for row in np.argsort(distances, kind="stable")[:NEAREST]
    ]


def superposed(
    problem: Problem, picture: Float[np.ndarray, "rows columns"], of: str, seed: int
) -> dict[str, Any] | None:
    """Which shown pictures, with which weights, an answer is a sum of; None where answers are no pictures.

    The residual is the share of the answer's ink, squared, that no such sum explains.
    """
    task = problem.task
    if not isinstance(task, PictureTask) or task.places != "pixel":
        return None
    examples = problem.training_set(seed)
    if len(examples) > MOST_REMEMBERED:
        return None
    pictures = examples.targets.astype(np.float64)
    remembered = np.abs(task.blank - pictures).reshape(len(pictures), -1)
    ink = (task.blank - picture if task.dark else picture).reshape(1, -1).astype(np.float64)
    weights, explained = decompose(ink, remembered)
    chosen = np.argsort(-weights[0], kind="stable")[:PARTS]
    chosen = chosen[weights[0][chosen] > 0]
    places = positions_as_levels(problem, examples.positions[chosen])
    return {
        "of": of,
        "parts": [
            {
                "combination": where,
                "labels": labels(problem.grid.factors, where),
                "weight": plain.number(weights[0][row]),
                "picture": plain.picture(pictures[row]),
            }
            for row, where in zip(chosen, places, strict=True)
        ],
        "share": plain.number(weights[0][chosen].sum() / max(weights[0].sum(), 1e-12)),
        "residual": plain.number(1.0 - explained[0]),
    }


def _word(quantity: str) -> str:
    return quantity.lower().replace(" ", "_")


def answer_of(seen: Any, problem: Problem, levels: Sequence[int]) -> Answer | None:
    """What a network was seen to say to a combination; None where that was not kept."""
    if seen is None or seen.outputs is None:
        return None
    place = int(problem.grid.index(np.array([levels]))[0])
    return seen.quantity, seen.outputs[place].astype(np.float64), float(seen.errors[place])
