"""Figure 2: multilayer perceptrons."""

from functools import cache
from typing import Any

from recombine.models import models
from recombine.papers.claims import Scale
from recombine.papers.forced_rendering.settings.building import BY_DEPTH, GEOMETRY, PERFORMANCE, QUICK, square
from recombine.studies import Experiment
from recombine.training import Recipe


@cache
def perceptron(scale: Scale, steps: int, code: str = "bump", depth: int = 4, **changes: Any) -> Experiment:
    """An MLP on the hole; 256 units a layer for bump codes, 128 for plain numbers, as released."""
    return Experiment(
        problem=square(16 if scale is QUICK else 28, encoding=code, **changes),
        model=models.mlp_decoder(width=256 if code == "bump" else 128, depth=depth),
        recipe=Recipe(steps=steps),
        measures=(*PERFORMANCE, *GEOMETRY, *BY_DEPTH, "probe_in_sample"),
        exhibits=("volume",) if depth == 4 else (),
    )


@cache
def perceptron_as_released(scale: Scale) -> Experiment:
    """1,260 steps, as in the released scripts: too few to learn the training set at full size."""
    return perceptron(scale, 1260)


@cache
def perceptron_converged(scale: Scale) -> Experiment:
    """Trained until the training set is learned."""
    return perceptron(scale, 6000 if scale is QUICK else 25000)


@cache
def perceptron_revealed(scale: Scale) -> Experiment:
    """The same MLP trained on the full grid."""
    return perceptron(scale, 6000 if scale is QUICK else 25000, reveal=True)


@cache
def perceptron_ramp(scale: Scale, **changes: Any) -> Experiment:
    """An MLP given x and y as two plain numbers, trained as long."""
    return perceptron(scale, 6000 if scale is QUICK else 25000, code="ramp", **changes)


@cache
def perceptron_ramp_revealed(scale: Scale) -> Experiment:
    """The same, trained on the full grid."""
    return perceptron_ramp(scale, reveal=True)
