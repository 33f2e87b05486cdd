"""Figure 3: forced rendering."""

from functools import cache
from typing import Any

from recombine.data import Problem, tasks
from recombine.models import models
from recombine.papers.claims import Scale, Setting, setting
from recombine.papers.forced_rendering.settings.building import (
    BY_DEPTH,
    EMBEDDINGS,
    EXACT,
    GEOMETRY,
    PERFORMANCE,
    QUICK,
)
from recombine.splits import regions
from recombine.studies import Experiment
from recombine.training import Recipe, penalties


@cache
def rendering(scale: Scale, steps: int = 20000, share: str = "none", **regulariser: float) -> Experiment:
    """The forced-rendering network at its released size, with the released regulariser."""
    terms = regulariser or {"entropy": 0.1, "variance": 0.01}
    return Experiment(
        problem=Problem(tasks.bump(n=32, sigma=1.5, dark=False, encoding="one-hot"), regions.corner(x=12, y=12)),
        model=models.forced_rendering(share=share),
        recipe=Recipe(
            steps=5000 if scale is QUICK else steps,
            decay=1e-4,
            penalties=(penalties.rendering(**terms),) if any(terms.values()) else (),
        ),
        measures=(*PERFORMANCE, *GEOMETRY, *BY_DEPTH, *EMBEDDINGS, *EXACT),
        exhibits=("embeddings", "volume"),
    )


@cache
def unregularised(scale: Scale) -> Experiment:
    """The same network and training without the regulariser."""
    return rendering(scale, entropy=0.0, variance=0.0)


ABLATED = 3000  # steps of the ablations, of the 20,000 released; the variance term needs 2,400 (our notes)


def ablation(name: str, says: str, **settings: Any) -> Setting:
    return setting(name, says, lambda scale: rendering(scale, steps=ABLATED, **settings))


both_terms = ablation("both_terms", "Both terms of the regulariser, for the time the ablations get.")
no_terms = ablation("no_terms", "No regulariser, for the time the ablations get.", entropy=0.0, variance=0.0)
variance_only = ablation("variance_only", "Only the variance term.", entropy=0.0, variance=0.01)
entropy_only = ablation("entropy_only", "Only the entropy term.", entropy=0.1, variance=0.0)
# At first this strength weighs about as much as the released variance term.
total_variation = ablation(
    "total_variation", "Total variation in place of the variance.", entropy=0.0, variance=0.0, total_variation=0.002
)
shared_stripes = ablation(
    "shared_stripes", "Pictures constant along their stripe by construction, nothing regularised.", share="stripe",
    entropy=0.0, variance=0.0,
)  # fmt: skip
