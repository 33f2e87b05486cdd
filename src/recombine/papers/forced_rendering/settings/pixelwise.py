"""Released code beyond the figures: one network shared by all pixels, and the plain CNN beside it."""

from functools import cache
from typing import Any

from recombine.data import Problem, tasks
from recombine.models import models
from recombine.papers.claims import Scale, setting
from recombine.papers.forced_rendering.settings.building import BUMPS, LAPTOP, PAPER, PERFORMANCE, QUICK, SMALL
from recombine.splits import regions
from recombine.studies import Experiment, change
from recombine.training import Recipe


@cache
def per_pixel(scale: Scale, depth: int = 2, width: int | None = None, steps: int = 10000, **changes: Any) -> Experiment:
    """One small network shared by all pixels, told the one-hot code and where the pixel is."""
    n = 28 if scale is PAPER else SMALL
    steps = {QUICK: 4000, LAPTOP: steps, PAPER: 38000}[scale]
    task = tasks.bump(n=n, dark=False, encoding="one-hot")
    return Experiment(
        problem=Problem(task, regions.corner(x=n // 2, y=n // 2), **changes),
        model=models.per_pixel(width=width or (256 if scale is PAPER else 64), depth=depth),
        recipe=Recipe(steps=steps, decay=1e-4),
        measures=PERFORMANCE,
    )


per_pixel_deep = setting(
    "per_pixel_deep", "The same with four hidden layers.", lambda scale: per_pixel(scale, depth=4, steps=3000)
)
per_pixel_few = setting(
    "per_pixel_few",
    "The same per-pixel network shown 50 bumps.",
    lambda scale: per_pixel(scale, steps=5000, examples=BUMPS),
)
per_pixel_narrow = setting(
    "per_pixel_narrow",
    "The same per-pixel network with 16 units a layer, and so fewer waves to tell places by.",
    lambda scale: per_pixel(scale, width=16),
)
one_hot_cnn = setting(
    "one_hot_cnn",
    "A plain CNN with the same codes, pictures and corner as the per-pixel network.",
    lambda scale: change(
        per_pixel(scale),
        model=models.cnn_decoder(width=64 if scale is PAPER else 16),
        recipe=Recipe(steps=3150 if scale is PAPER else 1500),
    ),
)
