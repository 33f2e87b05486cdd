"""What the settings are made of: the quantities looked at, the problems with their holes, and the plain CNN."""

from typing import Any

from recombine.data import Problem, tasks
from recombine.models import models
from recombine.papers.claims import Scale
from recombine.splits import regions
from recombine.studies import Experiment, change
from recombine.training import Recipe

QUICK, LAPTOP, PAPER = Scale.QUICK, Scale.LAPTOP, Scale.PAPER

PERFORMANCE = (
    "id_nmse", "ood_nmse", "interior_nmse", "rim_nmse", "error_plateau",
    "id_accuracy", "ood_accuracy", "interior_accuracy", "nmse_by_section",
)  # fmt: skip
ANSWERS = (
    "superposition_index", "superposition_correlation", "truth_correlation",
    "sharer_weight_band1", "sharer_chance_band1", "superposition_energy",
    "similarity_factorised_band1", "similarity_radial", "similarity_advantage_band1",
)  # fmt: skip
GEOMETRY = (
    "factorisation", "factorisation_input", "factorisation_fall",
    "volume_contrast", "volume_contrast_max", "volume_contrast_deepest", "probe_held_out",
)  # fmt: skip
BY_DEPTH = ("factorisation_trend", "volume_contrast_trend")
EMBEDDINGS = ("embedding_top_share", "stripe_extension")
EXACT = ("id_mse", "ood_mse", "id_exact", "ood_exact")
TUNING = ("tuning_one_factor", "tuning_additive", "stripe_channels")
PANELS = ("superposition", "similarity", "volume")

STRIPES = ("y", "x")
BUDGET = {QUICK: 7 * 16, LAPTOP: 7 * 20, PAPER: 7 * 28}  # bumps beside the stripes, in Fig. 4c
BUMPS = 50  # beside the stripes, in Fig. 4e
SMALL = 16  # pixels a side, in sweeps over many networks


def square(n: int, **settings: Any) -> Problem:
    """Bumps with the square hole of Figure 1: 6 to 22 of 28, and its share of other sizes."""
    low, high = {16: (4, 13), 20: (5, 16), 28: (6, 23)}[n]
    task = {name: settings.pop(name) for name in ("encoding",) if name in settings}
    return Problem(tasks.bump(n=n, **task), regions.block(x=(low, high), y=(low, high)), **settings)


def corner(n: int, **settings: Any) -> Problem:
    """Bumps with the upper quarter of the plane held out, as in Figure 4."""
    return Problem(tasks.bump(n=n), regions.corner(x=n // 2, y=n // 2), **settings)


def decoder(problem: Problem, scale: Scale, steps: int, width: int = 16, depth: int = 4, **changes: Any) -> Experiment:
    """A plain CNN; at `paper` it has the released width and steps."""
    if scale is PAPER:
        width, steps = max(width, 64), max(steps, 3150)
    experiment = Experiment(
        problem=problem,
        model=models.cnn_decoder(width=width, depth=depth),
        recipe=Recipe(steps=steps),
        measures=PERFORMANCE,
    )
    return change(experiment, **changes)
