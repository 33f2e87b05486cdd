"""What the kernel paper says about representations, computed: random networks, depth, random and disentangled codes."""

from typing import ClassVar

import numpy as np
from pydantic import Field

from recombine.core.seeds import stream
from recombine.data import Problem
from recombine.papers.kernel_calculations import addition, equivalence, held_out, labels_of
from recombine.studies import Calculation, Computed, calculations
from recombine.theory.component_forecast import accuracy, slope_and_offset
from recombine.theory.conjunctions import additivity_residual
from recombine.theory.kernels import salience
from recombine.theory.random_layers import salience_by_depth
from recombine.theory.solve import regress
from recombine.theory.tangent import relu_nngp_kernel


@calculations.register("random-networks")
class RandomNetworks(Calculation):
    """Random ReLU networks of growing width: do Gram entries gather by the number of shared components? (KT1)

    ``structured`` inputs are concatenated one-hot codes; otherwise every combination is a random vector of its own.
    """

    exact: ClassVar[bool] = False
    quantities: ClassVar = {
        "spread_exponent": "slope of log spread over log width; -1/2 when entries gather by overlap",
        "salience_error": "largest distance of S(k;C) at the largest width from the theory",
    }

    components: int = 3
    levels: int = 4
    depth: int = 3
    widths: tuple[int, ...] = (125, 500, 2000)
    draws: int = Field(default=8, ge=1)  # networks of each width, whose spreads are averaged
    structured: bool = True

    def compute(self) -> Computed:
        rng = stream(self.seed, "calculation", "random networks")
        rows = np.indices((self.levels,) * self.components).reshape(self.components, -1).T
        inputs = np.concatenate([np.eye(self.levels)[column] for column in rows.T], axis=1)
        if not self.structured:
            inputs = rng.normal(size=(len(rows), self.levels * self.components))
        inputs = inputs / np.linalg.norm(inputs, axis=1, keepdims=True)
        shared = (rows[:, None, :] == rows[None, :, :]).sum(axis=2)
        apart = [(shared == count) & ~np.eye(len(rows), dtype=bool) for count in range(self.components)]
        spreads, found = [], np.zeros(self.components + 1)
        for width in self.widths:
            grams = [_gram(random_relu(inputs, width, self.depth, rng)) for _ in range(self.draws)]
            mean = np.mean(grams, axis=0)
            found = np.array([mean[group].mean() for group in apart] + [np.diag(mean).mean()])
            wide = np.mean([gram[group].std() for gram in grams for group in apart])
            spreads.append(wide / (found[-1] - found[0]))
        exponent = np.polyfit(np.log(self.widths), np.log(spreads), 1)[0]
        theory = np.asarray(salience_by_depth(self.components, "relu", self.depth))[-1]
        error = np.abs(np.asarray(salience(found)) - theory).max()
        arrays = {"widths": np.array(self.widths), "spreads": np.array(spreads)}
        return Computed({"spread_exponent": exponent, "salience_error": error}, arrays)


def random_relu(inputs: np.ndarray, width: int, depth: int, rng: "np.random.Generator") -> np.ndarray:
    """Activations of one network of random weights, scaled so that they keep their size from layer to layer."""
    hidden = inputs
    for _ in range(depth):
        hidden = np.maximum(hidden @ rng.normal(size=(hidden.shape[1], width)), 0)
        hidden = hidden / np.sqrt(np.square(hidden).sum(axis=1).mean())
    return hidden


def _gram(rows: np.ndarray) -> np.ndarray:
    return rows @ rows.T


@calculations.register("salience-by-depth")
class SalienceByDepth(Calculation):
    """How random layers move salience from components to conjunctions (KT4, KT5)."""

    quantities: ClassVar = {
        "first_rise": "largest change of S(1;C) from one layer to the next; negative where it always falls",
        "last_rise": "least change of S(C;C) from one layer to the next; positive where it always rises",
        "second_peak": "depth at which S(2;C) is largest",
        "last": "S(C;C) after the last layer",
        "decay": "depth times S(1;C) after the last layer",
    }

    nonlinearity: str = "relu"
    components: int = Field(default=3, ge=2)
    depth: int = Field(default=20, ge=2)

    def compute(self) -> Computed:
        curves = np.asarray(salience_by_depth(self.components, self.nonlinearity, self.depth))
        change = np.diff(curves, axis=0)
        found = {
            "first_rise": change[:, 0].max(),
            "last_rise": change[:, -1].min(),
            "second_peak": float(curves[:, 1].argmax()),
            "last": curves[-1, -1],
            "decay": self.depth * curves[-1, 0],
        }
        return Computed(found, {"salience": curves})


@calculations.register("random-representations")
class RandomRepresentations(Calculation):
    """Symbolic addition on random representations: is the mean answer over many of them additive? (KT16, App. A.5)

    A representation is one narrow random ReLU network, so that inputs with equally many shared components are not
    equally similar. ``structured: false`` gives every combination a random vector of its own as input.
    """

    exact: ClassVar[bool] = False
    quantities: ClassVar = {
        "single_residual": "additivity residual of one representation's answers, averaged",
        "mean_residual": "additivity residual of the mean answer over all representations",
        "residual_ratio": "mean_residual over single_residual; 1 over the root of their number when chance is all",
    }

    width: int = Field(default=200, ge=1)
    draws: int = Field(default=400, ge=2)
    structured: bool = True

    def compute(self) -> Computed:
        rng = stream(self.seed, "calculation", "random representations")
        problem = addition((-4.0, 4.0))
        rows, seen, labels = problem.grid.combinations(), problem.trained, labels_of(problem)
        inputs = np.concatenate([np.eye(9)[column] for column in rows.T], axis=1)
        if not self.structured:
            inputs = rng.normal(size=inputs.shape)
        outputs = []
        for _ in range(self.draws):
            kernel = _gram(random_relu(inputs, self.width, 1, rng))
            outputs.append(regress(kernel[np.ix_(seen, seen)], kernel[:, seen], labels[seen]).outputs)
        single = float(np.mean([additivity_residual(each, rows, seen) for each in outputs]))
        mean = additivity_residual(np.mean(outputs, axis=0), rows, seen)
        return Computed({"single_residual": single, "mean_residual": mean, "residual_ratio": mean / single})


@calculations.register("sprite-codes")
class SpriteCodes(Calculation):
    """Transitive equivalence and addition on a disentangled code of rendered sprites (KT16, App. C).

    Each of two components is a sprite, a soft disc at the item's place on a line, drawn in a picture of its own; the
    code is both pictures side by side, so that components are separate and items of one component are more alike the
    nearer they are. The two classes take turns along the line, so that being near says nothing about class. Random
    ReLU layers of infinite width read the code. ``told`` adds one strong input that holds the answer.
    """

    quantities: ClassVar = {
        "equivalence_accuracy": "held-out accuracy on transitive equivalence; an additive answer reaches 0.75 at most",
        "addition_slope": "slope of held-out sums on true ones, one anchor item",
    }

    blur: float = Field(default=1.0, gt=0)  # of a disc, in distances between neighbouring places
    depth: int = Field(default=1, ge=1)
    told: bool = False

    def compute(self) -> Computed:
        task, sums = equivalence((5, 5), 1), addition((0.0,))
        equal = self._hint(task)
        in_turn = np.array([0, 2, 4, 6, 8, 1, 3, 5, 7, 9])  # items 0-4 are one class, 5-9 the other
        outputs, truth = held_out(task, self._answers(task, in_turn, equal))
        slope, _ = slope_and_offset(*held_out(sums, self._answers(sums, np.arange(9), self._hint(sums))))
        return Computed({"equivalence_accuracy": accuracy(outputs, truth), "addition_slope": slope})

    def _hint(self, problem: Problem) -> np.ndarray | None:
        return 5 * labels_of(problem)[:, None] if self.told else None

    def _answers(self, problem: Problem, places: np.ndarray, extra: np.ndarray | None) -> np.ndarray:
        items = len(places)
        pixels = np.linspace(-1, items, 4 * items)
        sprites = np.exp(-np.square(pixels - places[:, None]) / (2 * self.blur**2))
        pictures = (sprites[:, :, None] * sprites[items // 2][None, None, :]).reshape(items, -1)
        rows, seen = problem.grid.combinations(), problem.trained
        codes = np.concatenate([pictures[column] for column in rows.T] + ([] if extra is None else [extra]), axis=1)
        kernel = relu_nngp_kernel(codes, codes, self.depth)
        return regress(kernel[np.ix_(seen, seen)], kernel[:, seen], labels_of(problem)[seen], bias=True).outputs
