"""The numbers that a calibrated forecast is made of: kernels' answers, facts of the training set, sort of network."""

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np

from recombine.core.shapes import Bool, Float
from recombine.core.spec import dump
from recombine.data import Problem
from recombine.data.components import ComponentTask
from recombine.data.functions import FunctionTask
from recombine.models import ModelSpec
from recombine.splits.distance import distance_to_training
from recombine.theory import Forecast, facts
from recombine.theory.component_forecast import LEAST_SQUARES, WIDEST_MARGIN, error
from recombine.theory.forecast import MARGIN
from recombine.theory.low_rank import LARGEST, complete

Answers: TypeAlias = Float[np.ndarray, " items"]

USE_ALONE = ("convolutional", "rendering")  # networks that use factors shown alone
WORST = 2.0  # error beyond which it is all the same: twice that of knowing nothing


def performance(error: float, quantity: str) -> float:
    """1 perfect, 0 no better than knowing nothing, -1 as bad as it gets; from an nMSE or an error rate."""
    return 1.0 - min(error if quantity == "nMSE" else 2.0 * error, WORST)


def measured_performance(measures: Mapping[str, Any]) -> dict[str, float]:
    """Performance on trained and on held-out combinations, or scenes, from what a run measured."""
    if "ood_r2" in measures:
        return {name: performance(1.0 - measures[f"{name}_r2"], "nMSE") for name in ("id", "ood")}
    if "ood_accuracy" in measures and "ood_nmse" not in measures:
        return {name: performance(1.0 - measures[f"{name}_accuracy"], "error rate") for name in ("id", "ood")}
    return {name: performance(measures[f"{name}_nmse"], "nMSE") for name in ("id", "ood")}


def features(
    problem: Problem, model: ModelSpec | None, loss: str, found: Forecast, seed: int = 0
) -> dict[str, dict[str, float]]:
    """By section: what kernels predict there, the facts of the training set, and what sort of network it is."""
    combinations, shown = problem.grid.combinations(), problem.shown(seed)
    alone = _alone(problem)
    unseen = facts.with_unseen_level(combinations, shown, alone)
    if shown.any():
        apart = facts.apart(combinations, shown, problem.grid.shape)
        distance = distance_to_training(problem.grid, ~shown) / max(problem.grid.shape)
    else:
        apart, distance = np.ones(len(combinations), dtype=bool), np.ones(len(combinations))
    partners = facts.partners(combinations, shown) / max(problem.grid.shape)
    targets, completed = _completed(problem, shown)
    binary = found.quantity == "error rate"
    whole = {
        "interaction": facts.interaction(*_answers(problem)),
        "shown": float(shown.mean()),
        "together": float(shown.any()),
        "alone": float(np.mean([lone.mean() for lone in alone])),
        "levels": float(max(problem.grid.shape)),
        "examples": float(np.log10(len(problem.training_set(seed)))),
        "additive": float(found.details.get("additive") is not False),
        **{f"is {name}": float(name == family(problem)) for name in FAMILIES},
    }
    return {
        section.name: with_network(
            {
                "kernels": performance(section.expected, found.quantity),
                "best_kernel": performance(section.low / MARGIN[0], found.quantity),
                "worst_kernel": performance(section.high / MARGIN[1], found.quantity),
                **_graded(found, loss, performance(section.expected, found.quantity)),
                "unseen": float(unseen[mask].mean()),
                "apart": float(apart[mask].mean()),
                "distance": float(distance[mask].mean()),
                "partners": float(partners[mask].mean()),
                "held_out": float(mask.mean()),
                "low rank": performance(section.expected, found.quantity)
                if completed is None
                else performance(error(completed[mask], targets[mask], targets[shown], binary), found.quantity),
                **whole,
            },
            network(model, loss),
        )
        for section in found.sections
        if (mask := problem.parts.sections[section.name]).any()
    }


def with_network(facts: Mapping[str, float], network: Mapping[str, float]) -> dict[str, float]:
    """Facts of a problem and those of a network, and both where networks use one that others cannot.

    Convolutional and rendering decoders use factors that are shown alone, and what learns features low rank.
    """
    use = {f"alone, {sort}": facts["alone"] * network[sort] for sort in USE_ALONE}
    use["low rank, rich"] = facts["low rank"] * network["rich"]
    return {**facts, **network, **use}


def _graded(found: Forecast, loss: str, otherwise: float) -> dict[str, float]:
    """Of component tasks: what the solver says that this loss leads to, and by how much, over kernels."""
    solver = WIDEST_MARGIN if loss == "logistic" else LEAST_SQUARES
    answers = found.details.get("answers", ())
    mine = [each for each in answers if each["solver"] == solver] or list(answers)
    right = [performance(1 - each["accuracy"], "error rate") for each in mine if each["accuracy"] is not None]
    size = [each["margin"] if each["margin"] is not None else each["slope"] for each in mine]
    known = [value for value in size if value is not None]
    return {
        "by this loss": float(np.mean(right)) if right else otherwise,
        "by how much": float(np.clip(np.mean(known), -2, 2)) if known else otherwise,
    }


FAMILIES = ("pictures", "sums", "classes", "functions")
FAMILY_OF = {
    **dict.fromkeys(("bump", "torus", "sum-of-stripes"), "pictures"),
    **dict.fromkeys(("parallel", "composed", "hill"), "functions"),
    "sprites": "scenes",
}


def family(problem: Problem) -> str:
    """The sort of task, as far as it matters to what can be expected."""
    task = problem.task
    if isinstance(task, ComponentTask):
        return "classes" if task.binary else "sums"
    return FAMILY_OF.get(task.kind, "other")


def _completed(problem: Problem, shown: Bool[np.ndarray, " items"]) -> tuple[Answers, Answers | None]:
    """The answers of a component task and their completion of low rank; None where the task is no table of two."""
    task, shape = problem.task, problem.grid.shape
    if not isinstance(task, ComponentTask) or len(shape) != 2 or max(shape) > LARGEST:
        return np.zeros(len(shown)), None
    labels = task.labels.astype(float)
    return labels, complete(labels.reshape(shape), shown.reshape(shape)).ravel()


def _alone(problem: Problem) -> list[Bool[np.ndarray, " levels"]]:
    """For each factor, the levels that training shows alone."""
    every = problem.isolated_levels is None
    return [
        np.full(size, name in problem.isolated and every)
        for name, size in zip(problem.grid.names, problem.grid.shape, strict=True)
    ]


def _answers(problem: Problem) -> tuple[np.ndarray, np.ndarray]:
    """Combinations that have an answer, and the answers."""
    combinations = problem.grid.combinations()
    if isinstance(problem.task, ComponentTask):
        answered = ~problem.task.outside
        return combinations[answered], problem.task.labels[answered][:, None]
    if isinstance(problem.task, FunctionTask):
        targets = problem.task.examples(combinations, 0).targets
    else:
        targets = problem.everything.targets
    return combinations, np.asarray(targets, dtype=float).reshape(len(combinations), -1)


def network(model: ModelSpec | None, loss: str) -> dict[str, float]:
    """What sort of network it is, as far as it matters to composition."""
    settings = {} if model is None else dump(model)
    return {
        "deep": float(settings.get("depth", 1) > 1),
        "rich": float(settings.get("scale", 1.0) < 1),
        "convolutional": float(settings.get("kind") == "cnn-decoder"),
        "rendering": float(settings.get("kind") == "forced-rendering"),
        "modular": float(settings.get("modules", 1) > 1),
        "logistic": float(loss == "logistic"),
    }
