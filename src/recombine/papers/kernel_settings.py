"""The networks of the kernel paper: symbols read by MLPs, digits read by a ConvNet, a ResNet and a ViT.

How a smaller scale differs. `quick` and `laptop` shrink the digits to 14 x 14 pixels (16 x 16 for ResNet and ViT, which
at `paper` read CIFAR-10), the ConvNet to a quarter of its width with 3 x 3 filters, and the number of tuples by five to
ten; distances are halved with the pictures. What the effects hang on stays: which combinations are trained, separate
channels, and training long enough to fit. Symbolic networks have their published size at every scale; rates are
ours, since the published ones came from a search.
"""

from functools import partial
from typing import Any

from recombine.data import Problem
from recombine.models import models
from recombine.papers import kernel_calculations as computed
from recombine.papers import kernel_representations as representations
from recombine.papers.claims import Maker, Scale, Setting, setting
from recombine.papers.kernel_calculations import addition, context, equivalence
from recombine.studies import Experiment, Work, change
from recombine.training import Recipe

SUMS = ("slope", "offset", "id_slope", "leak", "id_mse", "ood_mse", "compositional_gap", "additivity_test")
PARITY = ("salience", "predicted_slope", "slope_error")
CLASSES = ("id_accuracy", "ood_accuracy", "ood_margin", "additivity_test")
SHARES = ("conjunction_shares",)

NEAR, FAR = 0, 10  # pixels between components at 14 x 14; twice that in the published pictures


def calculation(name: str, says: str, make: Maker[Work]) -> Setting:
    """A calculation is the same at every scale."""
    return setting(name, says, lambda scale: make())


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


# The settings by name: calculations

ANCHORS = {1: (0.0,), 2: (-4.0, 4.0), 3: (-1.0, 0.0, 1.0), 4: (-4.0, -3.0, 3.0, 4.0)}

structured = calculation(
    "random networks", "Random ReLU networks on concatenated one-hot codes.", representations.RandomNetworks
)
unstructured = calculation(
    "random networks on random codes", "The same networks on a random vector per combination.",
    partial(representations.RandomNetworks, structured=False),
)  # fmt: skip
overlap = calculation(
    "overlap kernels", "Random labels and training sets under overlap kernels.", computed.KernelAdditivity
)
no_overlap = calculation(
    "gaussian kernel on random codes", "The same under a kernel that knows no components.",
    partial(computed.KernelAdditivity, structured=False),
)  # fmt: skip
te_kernel = calculation("transitive equivalence by kernels", "Four splits, nine saliences.", computed.TransitiveTasks)
to_kernel = calculation(
    "transitive ordering by kernels",
    "5, 7 and 9 items, nine saliences.",
    partial(computed.TransitiveTasks, task="ordering"),
)
every_place = calculation("addition by kernels", "Five anchor sets, ten saliences.", computed.Leak)
product_kernel = calculation(
    "products by kernels", "The same with products in place of sums.", partial(computed.Leak, answer="product")
)
two_anchors = calculation(
    "two anchors", "Anchors at the ends, in the middle, and next to zero.",
    partial(computed.Leak, anchors=((-4.0, 4.0), (-2.0, 2.0), (-1.0, 1.0))),
)  # fmt: skip
one_two_four = calculation(
    "one, two and four anchors", "Different numbers of anchors.",
    partial(computed.Leak, anchors=((0.0,), (-2.0, 2.0), (-4.0, -3.0, 3.0, 4.0))),
)  # fmt: skip
exposure = calculation("invariance and partial exposure", "Two by two inputs, ten saliences.", computed.Exposure)
exposure_bias = calculation(
    "the same with an intercept", "A readout with a free intercept.", partial(computed.Exposure, bias=True)
)
dispersed = calculation(
    "dispersed addition", "Two partners for every item, 50 seeds, as published.", computed.DispersedAddition
)
one_anchor_curve = calculation(
    "one anchor in its place", "The same machine trained on one anchor item.",
    partial(computed.DispersedAddition, dispersed=False, repeats=1),
)  # fmt: skip
margin_map = calculation("map by widest margin", "650 kernels, three tasks.", computed.ContextMap)
squares_map = calculation(
    "map by least squares", "The same by least squares.", partial(computed.ContextMap, solver="min-norm")
)
failing = calculation(
    "failing representation", "Three ReLU layers on CD-3, widest margin.", computed.ContextConjunctions
)
working = calculation(
    "working representation", "Three rectified quadratic layers on CD-3, widest margin.",
    partial(computed.ContextConjunctions, nonlinearity="rectified-quadratic"),
)  # fmt: skip
random_codes = calculation(
    "random representations",
    "400 narrow random networks on symbolic addition.",
    representations.RandomRepresentations,
)
unordered_codes = calculation(
    "random representations of random codes", "The same on a random vector per combination.",
    partial(representations.RandomRepresentations, structured=False),
)  # fmt: skip
sprites = calculation("sprite codes", "A disentangled code of rendered sprites.", representations.SpriteCodes)
sprites_told = calculation(
    "sprite codes that hold the answer", "The code also says whether two items share a class.",
    partial(representations.SpriteCodes, told=True),
)  # fmt: skip
general = calculation("general leak law", "40 random cases a seed.", computed.GeneralLeak)
equal = calculation(
    "equal leak law", "The same cases, the published law at mean values.", partial(computed.GeneralLeak, law="equal")
)


def depth(nonlinearity: str, components: int, layers: int) -> Setting:
    make = partial(representations.SalienceByDepth, nonlinearity=nonlinearity, components=components, depth=layers)
    name = f"{nonlinearity}, {components} components, {layers} layers".replace("-", " ").replace(",", "")
    return calculation(name, "Salience after random layers.", make)


# The settings by name: networks


def _anchors(count: int) -> str:
    return "1 anchor" if count == 1 else f"{count} anchors"


def lazy(anchors: int, reveal: bool = False, initial: float = 1.0, at: tuple[float, ...] | None = None) -> Setting:
    values = at or ANCHORS[anchors]
    words = f"{'rich' if initial < 1 else 'lazy'} network {_anchors(len(values))}{' revealed' if reveal else ''}"
    words += " in the middle" if at else ""
    return setting(words, "One hidden layer of 1,000 ReLU units.", lambda scale: lazy_addition(values, initial, reveal))


def digits(distance: int, anchors: int = 1, reveal: bool = False) -> Setting:
    words = f"ConvNet addition distance {distance} {_anchors(anchors)}{' revealed' if reveal else ''}"

    def make(scale: Scale) -> Work:
        return convnet(change(addition(ANCHORS[anchors]), reveal=reveal), scale, distance)

    return setting(words, "Sums of two digits, each in a channel of its own.", make)


def digit_context(size: int, distance: int, loss: str = "logistic") -> Setting:
    return setting(
        f"ConvNet CD {size} distance {distance} {loss}",
        "Context dependence of three digits, each in a channel of its own.",
        lambda scale: convnet(context(size), scale, distance, loss),
    )


def digit_classes(distance: int) -> Setting:
    return setting(
        f"ConvNet transitive equivalence distance {distance}",
        "Are two digits of one class? Four anchors of five in each class.",
        lambda scale: convnet(equivalence((5, 5), 4), scale, distance, "logistic", epochs=30),
    )


def linear_pixels(distance: int) -> Setting:
    return setting(
        f"linear pixels distance {distance}", "A linear readout of the pixels.", lambda scale: pixels(scale, distance)
    )


def te_network(initial: float, loss: str = "mse") -> Setting:
    return setting(
        f"transitive equivalence {loss} {'lazy' if initial == 1 else 'rich'}",
        "One hidden layer of 1,000 ReLU units on 12 of 16 pairs.",
        lambda scale: symbolic_classes(equivalence(), initial, loss, steps=10_000, stop=1e-6),
    )


def cd_network(loss: str, initial: float, size: int = 3) -> Setting:
    return setting(
        f"CD {size} {loss} {'lazy' if initial == 1 else 'rich'}",
        "One hidden layer of 1,000 ReLU units.",
        lambda scale: symbolic_classes(context(size), initial, loss),
    )


def deep_sum(layers: int) -> Setting:
    return setting(f"deep MLP addition depth {layers}", "Width 100, Adam.", lambda scale: deep_addition(layers))


def deep_cd(layers: int, size: int) -> Setting:
    return setting(
        f"deep MLP CD {size} depth {layers}", "Width 100, Adam, logistic.", lambda scale: deep_context(layers, size)
    )


def large(name: str, task: str, reveal: bool = False) -> Setting:
    def make(scale: Scale) -> Work:
        problem = {"addition": addition(ANCHORS[1]), "CD 3": context(3), "CD 1": context(1)}[task]
        loss = "mse" if task == "addition" else "logistic"
        return deeper(change(problem, reveal=reveal), scale, name, loss)

    return setting(f"{name} {task}{' revealed' if reveal else ''}", "On digits of 16 x 16 pixels.", make)


rich_te, lazy_te = te_network(0.01), te_network(1.0)
near, far = digits(NEAR), digits(FAR)
near_seen, far_seen = digits(NEAR, reveal=True), digits(FAR, reveal=True)
far_four = digits(FAR, 4)
cd1, cd2, cd3 = (digit_context(size, FAR) for size in (1, 2, 3))
deep_cd1, deep_cd3 = deep_cd(3, 1), deep_cd(3, 3)
