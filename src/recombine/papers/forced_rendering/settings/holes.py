"""Figure 1: the hole."""

from functools import cache
from typing import Any

from recombine.models import models
from recombine.papers.claims import Scale
from recombine.papers.forced_rendering.settings.building import (
    ANSWERS,
    BY_DEPTH,
    GEOMETRY,
    LAPTOP,
    PANELS,
    PAPER,
    PERFORMANCE,
    QUICK,
    TUNING,
    decoder,
    square,
)
from recombine.studies import Experiment, change


@cache
def hole(scale: Scale, **changes: Any) -> Experiment:
    """A plain CNN given bump codes, with a square hole in the middle of the plane."""
    n, steps = (20, 1000) if scale is QUICK else (28, 2000)
    looked_at = (*PERFORMANCE, *ANSWERS, *GEOMETRY, *BY_DEPTH, *TUNING)
    shown = () if changes else (*PANELS, "activations", "tuning")
    return decoder(square(n, **changes), scale, steps, measures=looked_at, exhibits=shown)


@cache
def revealed(scale: Scale) -> Experiment:
    """The control of Figure 1: the same network trained on the full grid."""
    return hole(scale, reveal=True)


@cache
def true_pictures(scale: Scale) -> Experiment:
    """The true pictures in place of a network's."""
    # No error anywhere has no shape, and one hidden layer is no depth to follow a trend over.
    looked_at = ("id_nmse", "ood_nmse", *ANSWERS, *GEOMETRY, "probe_in_sample")
    return Experiment(problem=hole(scale).problem, model="truth", measures=looked_at)


@cache
def ramp_hole(scale: Scale, **changes: Any) -> Experiment:
    """A CNN given x and y as two plain numbers, with the same hole."""
    n, depth, steps = {QUICK: (16, 6, 1500), LAPTOP: (20, 6, 2000), PAPER: (28, 10, 3200)}[scale]
    made = decoder(square(n, encoding="ramp", **changes), scale, steps, depth=depth)
    return change(made, model=models.cnn_decoder(width=128, depth=depth)) if scale is PAPER else made


@cache
def bump_beside_ramp(scale: Scale, **changes: Any) -> Experiment:
    """The network and training of the plain numbers, given bump codes."""
    return change(ramp_hole(scale, **changes), problem=square(ramp_hole(scale).problem.grid.shape[0], **changes))


@cache
def bump_beside_ramp_revealed(scale: Scale) -> Experiment:
    """The same, trained on the full grid."""
    return bump_beside_ramp(scale, reveal=True)


@cache
def ramp_revealed(scale: Scale) -> Experiment:
    """The same network given two plain numbers, trained on the full grid."""
    return ramp_hole(scale, reveal=True)
