"""A head that reads several pictures at once: does the penalty split it into a part for each?

A small version of the authors' image experiment, and no more than that: handwritten digits of 8 x 8 pixels in place of
CIFAR-10, their first principal components in place of a trained ResNet-18 trunk, squared error in place of
cross-entropy.
"""

from functools import cache
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from recombine.core.errors import InputError
from recombine.core.seeds import stream, torch_seed
from recombine.core.shapes import Float, Int
from recombine.data import Examples
from recombine.data.image_sets import load_images
from recombine.measures import spectral_score
from recombine.studies import Calculation, Computed, calculations
from recombine.training import Recipe, penalties

CLASSES = 10
FEATURES = 16  # numbers that the frozen trunk gives for a picture
SOME = range(2, 9)
GLANCES = 100  # how often the head is looked at while it trains


@calculations.register("digit-heads")
class DigitHeads(Calculation):
    """Heads of 16 N inputs, 16 N units and 10 N outputs that name N digits at once, for several N.

    While a head trains with weighted activity, the spectral score of its units (1: N groups, each fed by one picture)
    is looked at a hundred times. The half-rise is the first step at which it has half of its last value.
    """

    exact: ClassVar[bool] = False
    quantities: ClassVar = {
        "rise_slope": "further steps to half-rise for each further picture, by least squares",
        "gap_slope": "change of the last spectral score with each further picture, by least squares",
        "least_gap": "smallest last spectral score over N: 0 no groups, 1 a group for each picture",
        "least_accuracy": "smallest share of digits named rightly over N, of pictures not trained on",
        **{f"gap_{n}": f"last spectral score with {n} pictures" for n in SOME},
        **{f"half_rise_{n}": f"step at which the score has half of its last value, {n} pictures" for n in SOME},
        **{f"accuracy_{n}": f"share of new digits named rightly, {n} pictures" for n in SOME},
    }

    frames: Annotated[tuple[int, ...], Field(min_length=1)] = (2, 3, 4, 5)
    steps: int = Field(default=6_000, ge=GLANCES)
    strength: float = Field(default=1e-2, ge=0)
    power: float = Field(default=2.0, ge=1)
    decay: float = Field(default=1e-4, ge=0)  # strength of the weight penalty

    def model_post_init(self, context: object) -> None:
        if list(self.frames) != sorted(set(self.frames)):
            raise InputError(f"frames = {self.frames} must rise.")
        for count in self.frames:
            if count not in SOME:
                raise InputError(f"frames = {count} must be from {SOME[0]} to {SOME[-1]} pictures.")

    def compute(self) -> Computed:
        measures: dict[str, float] = {}
        scores = []
        for count in self.frames:
            steps, gaps, accuracy = self.train(count)
            measures |= {f"gap_{count}": float(gaps[-1]), f"accuracy_{count}": accuracy}
            measures[f"half_rise_{count}"] = float(steps[int(np.argmax(gaps >= gaps[-1] / 2))])
            scores.append(gaps)
        if len(self.frames) > 1:
            for name in ("half_rise", "gap"):
                values = [measures[f"{name}_{count}"] for count in self.frames]
                measures["rise_slope" if name == "half_rise" else "gap_slope"] = float(
                    np.polyfit(self.frames, values, 1)[0]
                )
        measures["least_gap"] = min(measures[f"gap_{count}"] for count in self.frames)
        measures["least_accuracy"] = min(measures[f"accuracy_{count}"] for count in self.frames)
        return Computed(measures, {"steps": steps, "gaps": np.array(scores), "frames": np.array(self.frames)})

    def train(self, count: int) -> tuple[Float[np.ndarray, " glances"], Float[np.ndarray, " glances"], float]:
        """Steps and spectral scores of a head while it trains, and its accuracy at the end."""
        import torch

        from recombine.models.feedforward_network import FeedforwardNetwork
        from recombine.models.weights import drawn_from
        from recombine.training.loop import batches, stepper_for
        from recombine.training.steppers import Member

        with drawn_from(torch.Generator().manual_seed(torch_seed(self.seed, "model", "init"))):
            network = FeedforwardNetwork(FEATURES * count, (FEATURES * count,), (count, CLASSES))
        recipe = Recipe(
            steps=self.steps, batch=50, optimiser="adam", rate=1e-3, decay=0.0,
            penalties=(
                penalties.weights(strength=self.decay),
                penalties.weighted_activity(strength=self.strength, power=self.power),
            ),
        )  # fmt: skip
        shown, asked = rows_of_digits(count, 2000, "train", self.seed), rows_of_digits(count, 1000, "test", self.seed)
        stepper = stepper_for([Member(network, shown, recipe, self.seed)])
        codes, targets = torch.from_numpy(shown.codes), torch.from_numpy(shown.targets)
        modules = np.repeat(np.arange(count), FEATURES)
        every, steps, gaps = self.steps // GLANCES, [], []
        for step, rows in enumerate(batches(len(shown), 50, self.steps, self.seed), start=1):
            stepper.step(codes[rows][None], targets[rows][None])
            if step % every == 0:
                stepper.finish()
                weights = [matrix.detach().double().numpy() for matrix in network.matrices()]
                steps.append(float(step))
                gaps.append(spectral_score(weights, modules)[0])
        with torch.no_grad():
            named = network(torch.from_numpy(asked.codes)).argmax(2).numpy()
        return np.array(steps), np.array(gaps), float((named == asked.targets.argmax(2)).mean())

    def expected_seconds(self) -> float:
        return 0.001 * self.steps * len(self.frames)


def rows_of_digits(count: int, rows: int, part: str, seed: int) -> Examples:
    """So many rows of ``count`` digits, drawn from those for training or for testing: their features and classes."""
    features, labels = trunk(part)
    chosen = stream(seed, "data", "rows", part, str(count)).integers(len(labels), size=(rows, count))
    answers = np.eye(CLASSES, dtype=np.float32)[labels[chosen]]
    return Examples(chosen.astype(float), features[chosen].reshape(rows, -1), answers)


@cache
def trunk(part: str) -> tuple[Float[np.ndarray, "pictures features"], Int[np.ndarray, " pictures"]]:
    """The frozen trunk: the first principal components of the training digits, each scaled to variance 1."""
    images = load_images("digits")
    pictures = images.pictures.reshape(len(images.labels), -1).astype(np.float64)
    first = stream(0, "data", "digits").permutation(len(pictures)) < len(pictures) // 2
    middle = pictures[first].mean(axis=0)
    _, sizes, directions = np.linalg.svd(pictures[first] - middle, full_matrices=False)
    scale = np.sqrt(first.sum()) / sizes[:FEATURES]
    chosen = first if part == "train" else ~first
    features = (pictures[chosen] - middle) @ directions[:FEATURES].T * scale
    return features.astype(np.float32), images.labels[chosen].astype(int)
