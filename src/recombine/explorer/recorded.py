"""A recorded run as the page has it: what was trained, what came out, its map, samples and course."""

import shlex
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from recombine.core.errors import InputError
from recombine.data.components import ComponentTask
from recombine.explorer import plain
from recombine.explorer.cells import Answer
from recombine.explorer.planes import Plane, plane_of
from recombine.explorer.problems import labels
from recombine.explorer.watching import NMSE, component_errors
from recombine.records import Store
from recombine.records.artifacts import WEIGHTS
from recombine.studies.experiment import Experiment

Arrays = Mapping[str, np.ndarray]
# The words of the command that trains an experiment again; None where no command can say it.
CommandOf = Callable[[Experiment], list[str] | None]
COURSE = "course_"


def experiment_of(body: Mapping[str, Any]) -> Experiment | None:
    """The experiment of a record; None for a calculation, and for what is not registered here."""
    if "kind" in body["specification"]:
        return None
    try:
        return Experiment.read(body["specification"])
    except InputError:
        return None


def told(store: Store, source: str, digest: str, command_of: CommandOf | None = None) -> dict[str, Any]:
    """All that the page shows of a run, as JSON values."""
    body, arrays = store.body(digest), store.read(digest).arrays
    experiment = experiment_of(body)
    plane = None if experiment is None else plane_of(experiment.problem)
    specification = body["specification"]
    layers = list(body.get("layers", ()))
    words = command_of(experiment) if experiment is not None and command_of is not None else None
    document = {
        "digest": digest,
        "title": str(specification.get("kind", "")) if experiment is None else experiment.line(),
        "problem": specification.get("problem"),
        "yaml": None if experiment is None else experiment.problem.to_yaml(),
        "model": specification.get("model"),
        "recipe": specification.get("recipe", {}),
        "seed": body["seed"],
        "status": body["status"],
        "reason": body.get("reason"),
        "measures": body["measures"],
        "undefined": body.get("undefined", {}),
        "layers": layers,
        "by_layer": by_layer(body["measures"], layers),
        "losses": _losses(arrays),
        "map": None if experiment is None else _map(experiment, plane, arrays),
        "plane": plane and plane.to_dict(),
        "factors": None if experiment is None else [factor.name for factor in experiment.problem.grid.factors],
        "samples": [] if experiment is None else _samples(experiment, arrays),
        "course": _course(arrays),
        "cost": body["cost"],
        "parameters": body.get("parameters"),
        "provenance": body.get("provenance", {}),
        "command": None if words is None else shlex.join(words),
        "weights": WEIGHTS in body["artifacts"],
        "source": source,
    }
    tidied: dict[str, Any] = plain.tidy(document)
    return tidied


def by_layer(measures: Mapping[str, Any], layers: list[str]) -> dict[str, dict[str, Any]]:
    """The measures that have a value for each of some layers, in the order of the layers."""
    return {
        name: {layer: value[layer] for layer in layers if layer in value}
        for name, value in measures.items()
        if isinstance(value, Mapping) and value and set(value) <= set(layers)
    }


def _losses(arrays: Arrays) -> list[list[float | None]]:
    if not {"steps", "losses", "errors"} <= arrays.keys():
        return []
    rows = zip(arrays["steps"], arrays["losses"], arrays["errors"], strict=True)
    return [[int(step), plain.number(loss), plain.number(error)] for step, loss, error in rows]


def _map(experiment: Experiment, plane: Plane | None, arrays: Arrays) -> dict[str, Any] | None:
    """The error map that was kept: of pictures over their plane, of scenes over two latents."""
    problem = experiment.problem
    if "latent_map_x1_x2" in arrays:
        axes = {"rows": "x2", "columns": "x1"}
        return {"quantity": "MSE", "values": plain.rows(arrays["latent_map_x1_x2"]), "axes": axes}
    if plane is None:
        return None
    quantity, errors = NMSE, arrays.get("error_map")
    if "answers" in arrays and isinstance(problem.task, ComponentTask):
        quantity, errors = component_errors(problem, problem.task, arrays["answers"])
    if errors is None or errors.size != problem.grid.size:
        return None
    return {"quantity": quantity, "values": plain.rows(errors.ravel()[plane.combinations(problem.grid)])}


def _samples(experiment: Experiment, arrays: Arrays) -> list[dict[str, Any]]:
    """A few held-out answers beside the truth, as the record kept them."""
    factors = experiment.problem.grid.factors
    if "sample_outputs" in arrays:
        names = ("sample_combinations", "sample_targets", "sample_outputs")
        return [
            {
                "combination": levels.tolist(),
                "labels": labels(factors, levels),
                "target": plain.picture(target),
                "output": plain.picture(output),
            }
            for levels, target, output in zip(*(arrays[name] for name in names), strict=True)
        ]
    if "scene_outputs" in arrays:
        pairs = zip(arrays["scene_targets"], arrays["scene_outputs"], strict=True)
        return [
            {"combination": None, "labels": None, "target": plain.rows(target), "output": plain.rows(output)}
            for target, output in pairs
        ]
    return []


def _course(arrays: Arrays) -> dict[str, list[list[float | None]]]:
    """What was measured on the way, where that was asked for."""
    steps = arrays.get(f"{COURSE}steps")
    if steps is None:
        return {}
    found = {name.removeprefix(COURSE): values for name, values in arrays.items() if name.startswith(COURSE)}
    return {
        name: [[int(step), plain.number(value)] for step, value in zip(steps, values, strict=True)]
        for name, values in found.items()
        if name != "steps" and values.shape == steps.shape
    }


def kept_answer(experiment: Experiment, arrays: Arrays, levels: list[int]) -> Answer | None:
    """The answer to a combination that a record has kept without the weights; None where it has not."""
    problem = experiment.problem
    place = int(problem.grid.index(np.array([levels]))[0])
    if "answers" in arrays and isinstance(problem.task, ComponentTask):
        quantity, errors = component_errors(problem, problem.task, arrays["answers"])
        return quantity, arrays["answers"][place : place + 1], float(errors[place])
    if "sample_outputs" in arrays and "error_map" in arrays:
        rows = np.flatnonzero((arrays["sample_combinations"] == levels).all(axis=1))
        if len(rows):
            return NMSE, arrays["sample_outputs"][rows[0]], float(arrays["error_map"].ravel()[place])
    return None
