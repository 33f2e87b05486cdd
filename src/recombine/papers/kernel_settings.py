"""The networks of the kernel paper: symbols read by MLPs, digits read by a ConvNet, a ResNet and a ViT.

How a smaller scale differs. `quick` and `laptop` shrink the digits to 14 x 14 pixels (16 x 16 for ResNet and ViT, which
at `paper` read CIFAR-10), the ConvNet to a quarter of its width with 3 x 3 filters, and the number of tuples by five to
ten; distances are halved with the pictures. What the effects hang on stays: which combinations are trained, separate
channels, and training long enough to fit. Symbolic networks have their published size at every scale; rates are
ours, since the published ones came from a search.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

from recombine.data import Problem
from recombine.models import models
from recombine.papers.claims import Scale, Setting
from recombine.papers.kernel_calculations import addition, context, equivalence
from recombine.studies import Experiment, Work, change
from recombine.training import Recipe

SUMS = ("slope", "offset", "id_slope", "leak", "id_mse", "ood_mse", "compositional_gap", "additivity_test")
PARITY = ("salience", "predicted_slope", "slope_error")
CLASSES = ("id_accuracy", "ood_accuracy", "ood_margin", "additivity_test")
SHARES = ("conjunction_shares",)

NEAR, FAR = 0, 10  # pixels between components at 14 x 14; twice that in the published pictures


def setting(name: str, says: str, make: Callable[[Scale], Work]) -> Setting:
    """A setting with a name and a sentence of its own, for the report."""
    built = cache(make)

    def work(scale: Scale) -> Work:
        return built(scale)

    work.__name__, work.__doc__ = name, says
    return work


def calculation(name: str, says: str, work: Work) -> Setting:
    """A calculation is the same at every scale."""
    return setting(name, says, lambda scale: work)


# Symbols


def lazy_addition(anchors: tuple[float, ...], scale: float = 1.0, reveal: bool = False) -> Experiment:
    """One hidden layer of 1,000 ReLU units, initial scale 1 (lazy) unless said otherwise, squared error."""
    problem = change(addition(anchors), reveal=reveal)
    steps = 8_000 if scale == 1.0 else 30_000
    recipe = Recipe(steps=steps, batch="all", optimiser="sgd", rate=1e-3, decay=0.0, stop=1e-4)
    return Experiment(problem=problem, model=models.mlp(scale=scale), recipe=recipe, measures=(*SUMS, *PARITY))


def symbolic_classes(problem: Problem, scale: float, loss: str, **changes: Any) -> Experiment:
    """One hidden layer of 1,000 ReLU units on a task with two classes."""
    settings = {
        "steps": 20_000 if loss == "mse" else 5_000,
        "rate": 0.01 if loss == "mse" else 0.02,
        "stop": 1e-4,
        **changes,
    }
    recipe = Recipe(batch="all", optimiser="sgd", decay=0.0, loss=loss, **settings)
    return Experiment(problem=problem, model=models.mlp(scale=scale), recipe=recipe, measures=(*CLASSES, *SHARES))


def deep_addition(depth: int) -> Experiment:
    """A deep MLP of width 100, initial scale 0.1, Adam."""
    recipe = Recipe(steps=5_000, batch="all", optimiser="adam", rate=1e-3, decay=0.0, stop=1e-4)
    model = models.mlp(width=100, depth=depth, scale=0.1)
    return Experiment(problem=addition((0.0,)), model=model, recipe=recipe, measures=SUMS)


def deep_context(depth: int, size: int) -> Experiment:
    """The same on context dependence, logistic loss."""
    recipe = Recipe(steps=5_000, batch="all", optimiser="adam", rate=1e-3, decay=0.0, stop=1e-4, loss="logistic")
    model = models.mlp(width=100, depth=depth, scale=0.1)
    return Experiment(problem=context(size), model=model, recipe=recipe, measures=(*CLASSES, *SHARES))


# Digits


def pictured(problem: Problem, **images: Any) -> Problem:
    """The problem with pictures in place of symbols."""
    return change(problem, task=change(problem.task, images=images))


def convnet(problem: Problem, scale: Scale, distance: int, loss: str = "mse", epochs: int = 20) -> Experiment:
    """The published ConvNet, or its small version on small digits."""
    classes = problem.task.kind != "addition"
    total = {Scale.QUICK: 2_000, Scale.LAPTOP: 4_000, Scale.PAPER: 20_000}[scale]
    total = total * 3 // 2 if problem.task.kind == "context" else total
    measured = (*CLASSES, *SHARES, "familiar_accuracy") if classes else (*SUMS, *PARITY)
    if scale is Scale.PAPER:
        problem = pictured(problem, set="mnist", distance=2 * distance, total=total)
        recipe = Recipe(
            steps=5 * epochs * total // 128, batch=128, optimiser="sgd", momentum=0.9, rate=1e-4, decay=0.0, loss=loss
        )
        return Experiment(problem=problem, model=models.convnet(), recipe=recipe, measures=measured)
    problem = pictured(problem, size=14, distance=distance, total=total)
    rate = 1e-3 if loss == "mse" else 3e-3
    recipe = Recipe(
        steps=epochs * total // 64, batch=64, optimiser="sgd", momentum=0.9, rate=rate, decay=0.0, loss=loss
    )
    model = models.convnet(width=0.25, kernel=3)
    return Experiment(problem=problem, model=model, recipe=recipe, measures=measured)


def deeper(problem: Problem, scale: Scale, name: str, loss: str = "mse") -> Experiment:
    """A ResNet or a ViT: on CIFAR-10 as published, or a small one on digits of 16 x 16 pixels."""
    measured = (*SUMS,) if problem.task.kind == "addition" else (*CLASSES, *SHARES, "familiar_accuracy")
    if scale is Scale.PAPER:
        problem = pictured(problem, set="cifar10", per_category=4_000, total=40_000, augment=True)
        epochs, rate = (100, 1e-3) if name == "resnet" else (200, 1e-4)
        model = models.resnet() if name == "resnet" else models.vit()
        recipe = Recipe(steps=epochs * 40_000 // 128, batch=128, optimiser="adam", rate=rate, decay=0.0, loss=loss)
        return Experiment(problem=problem, model=model, recipe=recipe, measures=measured)
    problem = pictured(problem, size=16, total=3_000)
    model = models.resnet(width=0.5) if name == "resnet" else models.vit(width=0.25, patch=4)
    recipe = Recipe(steps=20 * 3_000 // 64, batch=64, optimiser="adam", rate=1e-3, decay=0.0, loss=loss)
    return Experiment(problem=problem, model=model, recipe=recipe, measures=measured)


def pixels(scale: Scale, distance: int) -> Experiment:
    """A linear readout of the pixels on transitive equivalence: additive by construction."""
    problem = convnet(equivalence((5, 5), 4), scale, distance, "logistic").problem
    recipe = Recipe(steps=600, batch=64, optimiser="adam", rate=1e-3, decay=0.0, loss="logistic")
    return Experiment(problem=problem, model=models.mlp(depth=0), recipe=recipe, measures=CLASSES)
