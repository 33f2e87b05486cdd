"""What the kernel paper says about kernels, computed: no training, most of it exact.

Component tasks come from `recombine.data`, the theory from `recombine.theory`; each calculation is a value whose
record is judged like a run's.
"""

from collections.abc import Sequence
from itertools import pairwise, product
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from recombine.core.errors import InputError
from recombine.core.seeds import stream
from recombine.data import Problem, tasks
from recombine.data.components import ComponentTask
from recombine.splits import regions
from recombine.studies import Calculation, Computed, calculations
from recombine.theory.component_forecast import accuracy, slope_and_offset
from recombine.theory.conjunctions import additivity_residual, decompose
from recombine.theory.kernels import overlap_kernel, predict, random_layers, readout, salience
from recombine.theory.leak import invariance_margin, leak, leak_general, partial_exposure_margin
from recombine.theory.solve import regress

VALUES = (-4.0, -3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0, 4.0)  # of the nine items of symbolic addition
SALIENCES = tuple(round(0.05 * step, 2) for step in range(1, 11))  # S(1;2) from 0.05 to 0.5


def addition(anchors: Sequence[float]) -> Problem:
    """Symbolic addition whose pairs are trained when one of their items has one of these values."""
    places = tuple(VALUES.index(value) for value in anchors)
    return Problem(tasks.addition(), regions.anchors(first=places, second=places))


def context(size: int) -> Problem:
    """CD-1, CD-2 and CD-3: the block of so many levels a side is held out in both contexts."""
    return Problem(tasks.context(), regions.block(feature1=(0, size), feature2=(3, 3 + size)))


def equivalence(classes: tuple[int, ...] = (2, 2), anchors: int = 1) -> Problem:
    """Transitive equivalence as in the released code: the first ``anchors`` items of each class are anchors."""
    starts = np.cumsum([0, *classes[:-1]])
    places = tuple(int(start + item) for start in starts for item in range(anchors))
    return Problem(tasks.equivalence(classes=classes), regions.anchors(first=places, second=places))


def equivalence_as_drawn() -> Problem:
    """Transitive equivalence as in the paper's schematic: A, B, C | D, E, F, of which eight pairs are held out."""
    a, c, d, f = 0, 2, 3, 5
    rows = [(a, c), (c, a), (c, d), (d, c), (a, f), (f, a), (d, f), (f, d)]
    return Problem(tasks.equivalence(classes=(3, 3)), regions.cells(rows=rows))


def ordering(items: int = 7) -> Problem:
    """Transitive ordering: neighbours are trained, in both orders."""
    return Problem(tasks.ordering(items=items), regions.diagonal(width=1))


def answers(problem: Problem, similarity: Sequence[float] | np.ndarray, **how: object) -> np.ndarray:
    """What the kernel says about every combination of a problem."""
    rows = problem.grid.combinations()
    return predict(rows, labels_of(problem), problem.trained, np.asarray(similarity, dtype=float), **how)  # type: ignore[arg-type]


def labels_of(problem: Problem) -> np.ndarray:
    assert isinstance(problem.task, ComponentTask)
    return problem.task.labels


def held_out(problem: Problem, outputs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Outputs and true answers of the held-out combinations."""
    inside = problem.parts.held_out
    return outputs[inside], labels_of(problem)[inside]


@calculations.register("kernel-additivity")
class KernelAdditivity(Calculation):
    """Random labels and training sets: are a kernel's answers sums over the conjunctions it has seen? (KT2)

    ``structured`` kernels depend on what is shared alone; the other is Gaussian on a random vector per combination.
    """

    exact: ClassVar[bool] = False
    quantities: ClassVar = {"residual": "largest part of an answer that is no such sum, relative to the answers"}

    structured: bool = True

    def compute(self) -> Computed:
        rng = stream(self.seed, "calculation", "additivity")
        worst = 0.0
        for shape in ((4, 4), (3, 3, 3), (2, 6, 6)):
            rows = np.indices(shape).reshape(len(shape), -1).T
            seen = rng.random(len(rows)) < 0.5
            seen[rng.integers(len(rows))] = True
            labels = rng.normal(size=len(rows))
            if self.structured:
                weights = rng.dirichlet(np.ones(len(shape)))
                similarity = np.array([_kappa(weights, k) for k in range(len(shape) + 1)])
                outputs = predict(rows, labels, seen, similarity)
            else:
                codes = rng.normal(size=(len(rows), 8))
                kernel = np.exp(-np.square(codes[:, None] - codes[None]).sum(axis=2) / 8)
                outputs = regress(kernel[np.ix_(seen, seen)], kernel[:, seen], labels[seen]).outputs
            worst = max(worst, additivity_residual(outputs, rows, seen))
        return Computed({"residual": worst})


def _kappa(weights: np.ndarray, shared: int) -> float:
    """The similarity of combinations with so many shared components, from the salience of each order."""
    from math import comb

    total = len(weights)
    return float(sum(comb(shared, k) / comb(total, k) * weights[k - 1] for k in range(1, shared + 1)))


@calculations.register("transitive-tasks")
class TransitiveTasks(Calculation):
    """Transitive equivalence, or ordering, under kernels of every salience (KT3)."""

    quantities: ClassVar = {
        "largest_answer": "largest |answer| to a held-out pair, over saliences and splits; 0 is no decision at all",
        "accuracy": "mean held-out accuracy over saliences, zero counting one half",
        "distance_gain": "least gain in margin from one symbolic distance to the next; 0 where there is no distance",
    }

    task: Literal["equivalence", "ordering"] = "equivalence"

    def compute(self) -> Computed:
        problems = [equivalence(), equivalence((3, 3)), equivalence((5, 5), 4), equivalence_as_drawn()]
        if self.task == "ordering":
            problems = [ordering(5), ordering(7), ordering(9)]
        largest, right, gain = 0.0, [], np.inf
        for problem in problems:
            first, second = problem.grid.combinations()[problem.parts.held_out].T
            for single in SALIENCES[:-1]:
                outputs, truth = held_out(problem, answers(problem, (0.0, single, 1.0)))
                largest = max(largest, float(np.abs(outputs).max()))
                right.append(accuracy(outputs, truth))
                margins = [
                    (outputs * truth)[np.abs(first - second) == d].mean() for d in np.unique(abs(first - second))
                ]
                gain = min(gain, *(later - earlier for earlier, later in pairwise(margins)))
        gain = gain if self.task == "ordering" else 0.0
        return Computed({"largest_answer": largest, "accuracy": float(np.mean(right)), "distance_gain": gain})


@calculations.register("leak")
class Leak(Calculation):
    """Symbolic addition by kernels: is every unseen sum shrunk by the one factor of the formula? (KT6, KT7)

    ``answer`` is what is learned, the sum or the product of the two values.
    """

    quantities: ClassVar = {
        "formula_error": "largest distance of a held-out answer from m (u + v), over anchor sets and saliences",
        "place_difference": "largest difference in slope between anchor sets at one salience",
    }

    anchors: tuple[tuple[float, ...], ...] = (
        (0.0,),
        (-4.0, 4.0),
        (-2.0, 2.0),
        (-1.0, 0.0, 1.0),
        (-4.0, -3.0, 3.0, 4.0),
    )
    answer: Literal["sum", "product"] = "sum"

    def compute(self) -> Computed:
        error, difference = 0.0, 0.0
        slopes = np.zeros((len(self.anchors), len(SALIENCES)))
        for column, single in enumerate(SALIENCES):
            for row, anchors in enumerate(self.anchors):
                problem = addition(anchors)
                labels = labels_of(problem)
                if self.answer == "product":
                    labels = np.multiply.outer(np.array(VALUES), np.array(VALUES)).ravel()
                rows, inside = problem.grid.combinations(), problem.parts.held_out
                outputs = predict(rows, labels, problem.trained, (0.0, single, 1.0))[inside]
                slopes[row, column] = slope_and_offset(outputs, labels[inside])[0]
                error = max(error, float(np.abs(outputs - leak(single, len(anchors)) * labels[inside]).max()))
            difference = max(difference, float(np.ptp(slopes[:, column])))
        return Computed(
            {"formula_error": error, "place_difference": difference},
            {"slopes": slopes, "saliences": np.array(SALIENCES), "anchors": np.array([len(a) for a in self.anchors])},
        )


@calculations.register("exposure")
class Exposure(Calculation):
    """Invariance and partial exposure on two by two inputs: margins of the unseen ones against their formulas.

    ``bias`` gives the readout a free intercept, for which the formulas were not made.
    """

    quantities: ClassVar = {"formula_error": "largest distance of a held-out margin from its formula"}

    bias: bool = False

    def compute(self) -> Computed:
        rows = np.indices((2, 2)).reshape(2, -1).T
        labels = np.where(rows[:, 0] == 0, -1.0, 1.0)
        error = 0.0
        for single in SALIENCES:
            for seen, formula in (
                (rows[:, 1] == 0, invariance_margin(single)),
                (~((rows[:, 0] == 1) & (rows[:, 1] == 1)), partial_exposure_margin(single)),
            ):
                outputs = predict(rows, labels, seen, (0.0, single, 1.0), bias=self.bias)
                margins = (outputs * labels)[~seen]
                error = max(error, float(np.abs(margins - formula).max()))
        return Computed({"formula_error": error})


@calculations.register("dispersed-addition")
class DispersedAddition(Calculation):
    """Symbolic addition from dispersed pairs with the published machine (support vectors, tolerance 0.1), 50 seeds.

    ``dispersed: false`` trains on one anchor item instead.
    """

    quantities: ClassVar = {
        "curve_error": "largest distance of the held-out mean squared error from the published curve",
        "fall": "largest change of that error from one salience to the next; negative where it always falls",
    }

    dispersed: bool = True
    repeats: int = Field(default=50, ge=1)

    # Read off the figure of the released repository, to about 0.1.
    published: ClassVar = {0.0: 13.2, 0.1: 9.6, 0.2: 7.2, 0.3: 5.2, 0.4: 3.3, 0.45: 2.05, 0.5: 0.11}

    def compute(self) -> Computed:
        from sklearn.svm import SVR

        task = tasks.addition()
        errors = np.zeros((self.repeats, len(self.published)))
        for repeat in range(self.repeats):
            split = regions.dispersed(seed=1 + repeat) if self.dispersed else regions.anchors(first=4, second=4)
            problem = Problem(task, split)
            rows, seen, labels = problem.grid.combinations(), problem.trained, labels_of(problem)
            for column, single in enumerate(self.published):
                cross = overlap_kernel(rows, rows[seen], (0.0, single, 1.0))
                machine = SVR(kernel="precomputed", C=1e10, epsilon=0.1).fit(cross[seen], labels[seen])
                errors[repeat, column] = np.square(machine.predict(cross[~seen]) - labels[~seen]).mean()
        mean = errors.mean(axis=0)
        found = {
            "curve_error": float(np.abs(mean - np.array(list(self.published.values()))).max()),
            "fall": float(np.diff(mean).max()),
        }
        return Computed(found, {"saliences": np.array(list(self.published)), "errors": mean})


@calculations.register("context-map")
class ContextMap(Calculation):
    """Context dependence under every kernel of a map: which of CD-1, CD-2 and CD-3 each of them composes (KT8).

    kappa(1) and kappa(2) run over evenly spaced points of [0, 1/3] and [0, 2/3]; kernels with a negative salience are
    left out. A task whose training set a kernel cannot separate is not composed by it.
    """

    quantities: ClassVar = {
        "cells": "kernels with no negative salience",
        "none": "of these, kernels that compose none of the three",
        "only_1": "CD-1 alone",
        "only_1_2": "CD-1 and CD-2",
        "every": "all three",
        "other": "any other set of tasks",
        "partial": "tasks with a held-out accuracy other than 0, 1/2 (all answers zero) or 1",
        "inseparable": "tasks whose training set the kernel cannot separate",
    }

    solver: Literal["max-margin", "min-norm"] = "max-margin"
    points: int = Field(default=50, ge=2)  # on each axis of the map

    def compute(self) -> Computed:
        problems = [context(size) for size in (1, 2, 3)]
        kinds: dict[tuple[bool, ...], str] = {
            (False,) * 3: "none",
            (True, False, False): "only_1",
            (True, True, False): "only_1_2",
        }
        counts = dict.fromkeys(self.quantities, 0)
        cells = []
        for one, two in product(np.linspace(0, 1 / 3, self.points), np.linspace(0, 2 / 3, self.points)):
            similarity = np.array([0.0, one, two, 1.0])
            parts = np.asarray(salience(similarity))
            if parts.min() < -1e-9:
                continue
            found = [self._accuracy(problem, similarity) for problem in problems]
            counts["inseparable"] += sum(np.isnan(found))
            counts["partial"] += sum(each not in (0.0, 0.5, 1.0) and not np.isnan(each) for each in found)
            composed = tuple(each > 0.5 for each in found)
            counts["every" if all(composed) else kinds.get(composed, "other")] += 1
            counts["cells"] += 1
            cells.append((parts[0], parts[1], *found))
        return Computed({name: float(count) for name, count in counts.items()}, {"cells": np.array(cells)})

    def _accuracy(self, problem: Problem, similarity: np.ndarray) -> float:
        try:
            outputs = answers(problem, similarity, solver=self.solver, bias=True)
        except InputError:
            return float("nan")
        return accuracy(*held_out(problem, outputs))


TYPES = ("right", "wrong", "context", "sensory", "memorization")


@calculations.register("context-conjunctions")
class ContextConjunctions(Calculation):
    """CD-3 taken apart: how much of the readout is the right conjunction and how much the context alone (KT9)."""

    quantities: ClassVar = {
        "accuracy": "held-out accuracy",
        "context_minus_right": "share of the context alone less that of the context with its own feature",
        **{f"share_{each}": f"share of mean |f_J| that is {each}" for each in TYPES},
    }

    nonlinearity: str = "relu"
    depth: int = Field(default=3, ge=0)
    solver: Literal["max-margin", "min-norm"] = "max-margin"

    def compute(self) -> Computed:
        problem = context(3)
        rows, seen = problem.grid.combinations(), problem.trained
        similarity = np.asarray(random_layers(np.arange(4) / 3, self.nonlinearity, self.depth))
        fit = readout(rows, labels_of(problem), seen, similarity, solver=self.solver, bias=True)
        parts = decompose(rows, fit.weights, seen, similarity, fit.intercept)
        assert isinstance(problem.task, ComponentTask)
        sizes: dict[str, dict[object, float]] = {each: {} for each in TYPES}
        for (members, levels), kind in problem.task.types.items():
            here = (rows[:, members] == np.array(levels)).all(axis=1)
            if (here & seen).any():
                sizes[kind][members, levels] = float(np.abs(parts[members][here][0]))
        means = {kind: float(np.mean(list(each.values()))) for kind, each in sizes.items()}
        shares = {kind: mean / sum(means.values()) for kind, mean in means.items()}
        found = {f"share_{kind}": share for kind, share in shares.items()}
        right = accuracy(*held_out(problem, fit.outputs))
        return Computed({"accuracy": right, "context_minus_right": shares["context"] - shares["right"], **found})


@calculations.register("general-leak")
class GeneralLeak(Calculation):
    """The leak with unequal saliences, unequal anchor sets and a ridge, on random cases, against the general law (KX2).

    ``law: equal`` is the published formula at the mean salience and the mean number of anchors.
    """

    exact: ClassVar[bool] = False
    quantities: ClassVar = {"law_error": "largest distance of a slope from the law, over cases"}

    cases: int = Field(default=40, ge=1)
    law: Literal["general", "equal"] = "general"

    def compute(self) -> Computed:
        rng = stream(self.seed, "calculation", "general leak")
        worst = 0.0
        for _ in range(self.cases):
            sizes = rng.integers(4, 9, size=2)
            anchors = [rng.choice(size, size=rng.integers(1, size - 1), replace=False) for size in sizes]
            values = [rng.normal(size=size) for size in sizes]
            one, two, both = rng.dirichlet(np.ones(3))
            ridge = float(rng.choice([0.0, rng.random()]))
            rows = np.indices(tuple(sizes)).reshape(2, -1).T
            seen = np.isin(rows[:, 0], anchors[0]) | np.isin(rows[:, 1], anchors[1])
            labels = values[0][rows[:, 0]] + values[1][rows[:, 1]]
            similarity: dict[tuple[int, ...], float] = {(0, 0): 0.0, (1, 0): one, (0, 1): two, (1, 1): 1.0}
            outputs = predict(rows, labels, seen, similarity, "ridge", ridge)
            counts = len(anchors[0]), len(anchors[1])
            if self.law == "general":
                expected = leak_general(one, two, both, *counts, ridge)
            else:
                expected = (leak((one + two) / 2, round(sum(counts) / 2)),) * 2
            worst = max(worst, _slope_error(rows, outputs, values, ~seen, expected))
        return Computed({"law_error": worst})


def _slope_error(
    rows: np.ndarray, outputs: np.ndarray, values: Sequence[np.ndarray], held_out: np.ndarray, expected: Sequence[float]
) -> float:
    """Distance of the slopes along each component, over unseen pairs, from what is expected."""
    design = np.column_stack([values[0][rows[:, 0]], values[1][rows[:, 1]], np.ones(len(rows))])[held_out]
    fitted, *_ = np.linalg.lstsq(design, outputs[held_out], rcond=None)
    return float(np.abs(fitted[:2] - np.array(expected)).max())
