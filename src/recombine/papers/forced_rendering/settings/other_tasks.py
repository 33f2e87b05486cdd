"""Released code beyond the figures: bumps cut off by the border, a rotated digit, and the way back to the code."""

from functools import cache
from typing import Any

from recombine.data import Problem, tasks
from recombine.models import models
from recombine.papers.claims import Scale
from recombine.papers.forced_rendering.settings.building import LAPTOP, PAPER, PERFORMANCE, QUICK, decoder
from recombine.splits import regions
from recombine.studies import Experiment
from recombine.training import Recipe


@cache
def clipped(scale: Scale, **changes: Any) -> Experiment:
    """Bumps that may lie up to 6 pixels outside the canvas, so that some are cut off and some are not there at all."""
    n, low, high, steps = {QUICK: (16, 4, 13, 1000), LAPTOP: (16, 4, 13, 1500), PAPER: (28, 6, 23, 1260)}[scale]
    block = regions.block(x=(low + 6, high + 6), y=(low + 6, high + 6))
    problem = Problem(tasks.bump(n=n, margin=6), block, **changes)
    quantities = tuple(name for name in PERFORMANCE if name not in ("id_accuracy", "nmse_by_section"))
    return decoder(problem, scale, steps, measures=quantities)


@cache
def clipped_revealed(scale: Scale) -> Experiment:
    """The same canvas with the hole shown."""
    return clipped(scale, reveal=True)


@cache
def rotation(scale: Scale, **changes: Any) -> Experiment:
    """A handwritten 4 at every degree but 160 to 200; the released schedule of the rate is left out."""
    width, steps = {QUICK: (16, 600), LAPTOP: (32, 2000), PAPER: (128, 5000)}[scale]
    return Experiment(
        problem=Problem(tasks.rotated_digit(), regions.block(angle=(160, 201)), **changes),
        model=models.rotation_decoder(width=width),
        recipe=Recipe(steps=steps, decay=1e-4, loss="mse-l1", clip=1.0),
        measures=("id_nmse", "ood_nmse", "interior_nmse", "blend_index", "neighbour_order"),
    )


@cache
def rotation_revealed(scale: Scale) -> Experiment:
    """The same digit at every degree."""
    return rotation(scale, reveal=True)


@cache
def encoder(scale: Scale, answer: str = "units", **changes: Any) -> Experiment:
    """The inverse task: a CNN reads the picture and answers with the code of x and y."""
    n, low, high = (20, 5, 16) if scale is QUICK else (28, 6, 23)
    steps = {QUICK: 1260, LAPTOP: 1260 if answer == "units" else 2000, PAPER: 1260 if answer == "units" else 3150}[
        scale
    ]
    return Experiment(
        problem=Problem(tasks.locate(n=n, answer=answer), regions.block(x=(low, high), y=(low, high)), **changes),
        model=models.encoder(),
        recipe=Recipe(steps=steps, optimiser="adam", decay=0.0),
        measures=("id_nmse", "ood_nmse", "id_accuracy", "ood_accuracy", "interior_accuracy", "id_exact", "ood_exact"),
    )


@cache
def encoder_numbers(scale: Scale) -> Experiment:
    """The same, answering with x and y as two numbers."""
    return encoder(scale, answer="numbers")


@cache
def encoder_revealed(scale: Scale) -> Experiment:
    """The inverse task with the full grid shown."""
    return encoder(scale, reveal=True)


@cache
def encoder_numbers_revealed(scale: Scale) -> Experiment:
    """The same, answering with two numbers."""
    return encoder(scale, answer="numbers", reveal=True)
