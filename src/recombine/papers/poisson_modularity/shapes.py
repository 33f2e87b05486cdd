"""Networks and tasks beside the reference: linear ones, held-out corners, one answer of two inputs, a chain."""

from typing import Any

from recombine.data import Problem, tasks
from recombine.models import models
from recombine.papers.claims import Maker, Scale, Setting, setting
from recombine.papers.poisson_modularity.conditions import (
    ACTIVITY,
    CONNECTIONS,
    DECAY,
    ERRORS,
    SIZES,
    WA1,
    WA2,
    box,
    poisson,
    sines,
)
from recombine.splits import Region, regions
from recombine.studies import Experiment, Work, change
from recombine.training import Recipe
from recombine.training.noise import Noise
from recombine.training.penalties import Penalty

# Linear networks


def linear(
    name: str, says: str, *terms: Maker[Penalty], inputs: str = "dense", noise: Maker[Noise] | None = None
) -> Setting:
    """A linear network without biases that repeats its inputs."""

    def make(scale: Scale) -> Work:
        size = SIZES[scale]
        steps = {Scale.QUICK: 10_000, Scale.LAPTOP: 30_000, Scale.PAPER: size.steps}[scale]
        task = {"functions": "identity", "inputs": inputs}
        made = sines(size, DECAY, *terms, noise=noise, task=task, nonlinearity="linear", bias=False)
        return change(made, recipe=change(made.recipe, steps=steps), measures=(*ERRORS, *CONNECTIONS))

    return setting(f"linear_{name}_{inputs}", f"A linear network, {inputs} inputs: {says}", make)


LINEAR: dict[str, dict[str, Setting]] = {
    inputs: {
        "l2": linear("l2", "weight penalty.", inputs=inputs),
        "poisson": linear("poisson", "Poisson-like noise of size 0.1.", noise=poisson(0.1), inputs=inputs),
        "multiplicative": linear(
            "multiplicative", "multiplicative noise, 0.1.", noise=poisson(0.1, 2.0), inputs=inputs
        ),
        "wa1": linear("wa1", "weighted activity of power 1.", WA1, inputs=inputs),
        "wa2": linear("wa2", "weighted activity of power 2.", WA2, inputs=inputs),
        "activity": linear("activity", "squared activity.", ACTIVITY, inputs=inputs),
    }
    for inputs in ("dense", "sparse")
}


def repeating(name: str, *terms: Maker[Penalty], noise: Maker[Noise] | None = None) -> Setting:
    """The nonlinear network on the linear task."""

    def make(scale: Scale) -> Work:
        made = sines(SIZES[scale], DECAY, *terms, noise=noise, task={"functions": "identity"})
        steps = {Scale.QUICK: 10_000, Scale.LAPTOP: 30_000, Scale.PAPER: SIZES[scale].steps}[scale]
        return change(made, recipe=change(made.recipe, steps=steps), measures=(*ERRORS, *CONNECTIONS))

    return setting(f"identity_{name}", "A leaky ReLU network that repeats its inputs.", make)


identity_wa1 = repeating("wa1", WA1)
identity_noisy = repeating("poisson", noise=poisson())


# Held-out combinations of the sines


def cornered(name: str, *terms: Maker[Penalty], cut: bool = False, noise: Maker[Noise] | None = None) -> Setting:
    """Where two inputs or more are positive nothing is shown."""

    def make(scale: Scale) -> Work:
        size = SIZES[scale]
        steps = min(size.steps, 20_000)
        made = sines(size, *terms, noise=noise, reveal=False, modules=size.parts if cut else 1)
        return change(made, recipe=change(made.recipe, steps=steps))

    return setting(f"corners_{name}", "No two inputs positive together in training.", make)


corners_none = cornered("none")
corners_l2 = cornered("l2", DECAY)
corners_noisy = cornered("poisson", DECAY, noise=poisson())
corners_wa1 = cornered("wa1", DECAY, WA1)
corners_masked = cornered("masked", DECAY, cut=True)


# One answer of two inputs: the hill and composed functions


def joined(name: str, says: str, problem: Maker[Problem], steps: int, widths: tuple[int, ...], **model: Any) -> Setting:
    return setting(
        name,
        says,
        lambda scale: Experiment(
            problem=problem(),
            model=models.feedforward(widths=widths, **model),
            recipe=Recipe(
                steps=62_000 if scale is Scale.PAPER else steps, batch=64, optimiser="adam", rate=1e-3, decay=0.0
            ),
            measures=ERRORS,
        ),
    )


def quadrants() -> Region:
    """Where one input is positive and the other is not."""
    return regions.block(x1=(0, 10), x2=(10, 20)) | regions.block(x1=(10, 20), x2=(0, 10))


def hill() -> Problem:
    return Problem(tasks.hill(), quadrants(), examples=1960, centres="uniform")


def composed() -> Problem:
    return Problem(tasks.composed(), regions.random(fraction=0.2, seed=0), examples=2000, centres="uniform")


JOINED: dict[str, dict[str, Setting]] = {
    task: {
        "modular": joined(f"{task}_modular", "A module for each input, then dense.", problem, 20_000,
                          (128, 2, 128), modules=2, modular_layers=2),
        "bottleneck": joined(f"{task}_bottleneck", "Dense, two units in the middle.", problem, 20_000, (128, 2, 128)),
        "full": joined(f"{task}_full", "Dense, three wide layers.", problem, 20_000, (128, 128, 128)),
    }
    for task, problem in (("hill", hill), ("composed", composed))
}  # fmt: skip


# A chain: modules, then a dense network


def chain(depth: int) -> Setting:
    def make(scale: Scale) -> Work:
        size = SIZES[Scale.LAPTOP]
        widths = (16 * size.parts,) * depth + (size.parts,) + (64,) * 3
        return Experiment(
            problem=box(size.parts),
            model=models.feedforward(widths=widths, modules=size.parts, modular_layers=depth + 1),
            recipe=Recipe(
                steps=8_000 if scale is Scale.QUICK else 40_000, batch=50, optimiser="adam", rate=1e-4, decay=1e-5
            ),
            measures=(*ERRORS, "linear_takeover"),
        )

    return setting(f"chain_{depth}", f"A module of {depth} hidden layers for each input, then a dense network.", make)


CHAINS = {depth: chain(depth) for depth in range(1, 6)}
