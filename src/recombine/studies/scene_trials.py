"""Scenes drawn by chance, with a network for each, on which their forecast is tuned and scored."""

from typing import TYPE_CHECKING, Any

from recombine.core.seeds import chosen
from recombine.data import Problem, tasks
from recombine.models import models
from recombine.splits import Support, supports
from recombine.splits.designs import orthogonal, orthogonal_broad, orthogonal_single
from recombine.studies.experiment import Experiment
from recombine.training import Recipe

if TYPE_CHECKING:
    import numpy as np

MEASURES = ("id_r2", "ood_r2")
COMPOSITIONS = ("addition", "soft", "over")  # of models
DRAWN_BY = (
    *COMPOSITIONS,
    "hard",
)  # hard edges move no gradient, so that a model with them would not learn where they are
CUT = ("x1", "y1", "x2", "y2", "scale1", "hue1", "hue2")  # latents in which a gap is cut
PAIRS = (("x1", "x2"), ("y1", "y2"), ("hue1", "hue2"), ("scale1", "scale2"), ("x1", "hue2"))


def scenes(rng: "np.random.Generator") -> Experiment:
    """Two sprites, shown in planes, in a band, or all but a gap, drawn as a whole or composed; pictures are small."""
    kind = str(rng.choice(DRAWN_BY))
    model = _model(rng, kind)
    units = model["family"] == "mlp"
    size = int(rng.choice((8, 8, 8, 8, 8, 16)))
    size = size if units else 8  # other decoders take too long on more pixels
    settings = {
        "size": size,
        "composition": kind,
        "raster": "hard" if kind == "hard" else "soft",
        "scales": chosen(rng, (0.2, 0.4), (0.3, 0.6), (0.3, 0.6), (0.5, 0.9)),
        "inputs": chosen(rng, "fourier", "fourier", "unit"),
        "tests": 600,
    }
    examples = int(rng.choice((200, 1000, 5000, 20_000)))
    problem = Problem(tasks.sprites(**settings), support=scene_support(rng), examples=examples)
    batch, rate = (128, 8e-3) if units and size == 8 else (64, 4e-3)
    recipe = Recipe(steps=600, batch=batch, rate=rate, decay=1e-5, schedule="cosine")
    return Experiment(problem=problem, model=models.parse(model), recipe=recipe, measures=MEASURES)


def scene_support(rng: "np.random.Generator") -> Support:
    """Planes, a band around the diagonal or everything, whole or with a gap in one latent; all but a pair of values."""
    first, second = chosen(rng, *PAIRS)
    a, b = (round(float(side), 2) for side in rng.uniform(0.25, 0.7, 2))
    low, width = float(rng.uniform(0.0, 0.5)), float(rng.uniform(0.1, 0.5))
    gap = {str(rng.choice(CUT)): (round(low, 2), round(low + width, 2))}
    band = float(rng.choice((0.05, 0.1, 0.2, 0.4)))
    without = gap if rng.random() < 0.4 else {}
    return chosen(
        rng,
        orthogonal(without=without),
        orthogonal_single(without=without),
        orthogonal_broad(without=without),
        supports.diagonal(width=band, without=without),
        supports.diagonal(width=band, without=without),
        supports.random(without=gap),
        supports.random(without={first: (0.0, a), second: (round(1 - b, 2), 1.0)}),
    )


def _model(rng: "np.random.Generator", kind: str) -> dict[str, Any]:
    """A model that composes as the data do, otherwise or as it learns to, or that draws scenes as a whole."""
    units: dict[str, Any] = {"family": "mlp", "width": 128}
    same = kind if kind in COMPOSITIONS else "soft"
    composed = {"kind": "compositional", "composition": same}
    other = str(rng.choice([name for name in COMPOSITIONS if name != same]))
    return chosen(
        rng,
        {**composed, **units},
        {**composed, **units},
        {**composed, **units, "shared": True},
        {**composed, **units, "composition": other},
        {**composed, **units, "composition": "learned"},
        {**composed, "family": "relative", "width": 64, "maps": 16},
        {**composed, "family": "upsampling", "width": 48, "maps": 12},
        {"kind": "monolithic", **units},
        {"kind": "monolithic", **units},
        {"kind": "monolithic", "family": "upsampling", "width": 64, "maps": 16},
    )
