"""The scenes, supports and models that the claims train, by name.

At `paper` scale all is as released: two sprites of 0.09 to 0.22 on 64 x 64 pixels, hard edges and hard occlusion in
the data, a soft composition in the model, 100,000 examples, 392,000 steps. At `laptop` pictures have 16 x 16 pixels and
sprites 0.2 to 0.4 of the side, so that a sprite still has some pixels; edges are one pixel wide, for the same reason;
inputs come with sines and cosines, batches are smaller and training is short. Sprites are then about twice as large
beside the canvas, and what a diagonal support uncovers of the sprite behind depends on its width beside theirs: widths
are doubled too. What is claimed is about which combinations are shown and what the model knows of composition, and both
are as they were.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from recombine.data import Problem, tasks
from recombine.models import models
from recombine.papers.claims import Maker, Scale, Setting, setting
from recombine.splits import Support
from recombine.splits.designs import (
    GAP,
    DiagonalSupport,
    RandomSupport,
    orthogonal,
    orthogonal_broad,
    orthogonal_single,
)
from recombine.studies import Experiment
from recombine.training import Recipe

MEASURES = (
    "id_r2", "all_r2", "id_mse", "all_mse", "seen_mse", "unseen_mse", "unseen_ratio", "all_overlap_mse", "all_rest_mse",
    "overlap_share", "generalisation_ratio", "component_r2", "component_error", "swap_error",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Size:
    """How large scenes and models are, and how long is trained."""

    steps: int
    examples: int = 20_000
    batch: int = 64
    rate: float = 4e-3
    task: Mapping[str, Any] = field(default_factory=dict)
    compositional: Mapping[str, Any] = field(default_factory=dict)
    monolithic: Mapping[str, Any] = field(default_factory=dict)
    widths: float = 2.0  # of diagonals, in multiples of the released ones


SIZES = {
    Scale.QUICK: Size(steps=300, task={"tests": 500}),
    Scale.LAPTOP: Size(steps=2000),
    Scale.PAPER: Size(
        steps=392_000,
        examples=100_000,
        batch=512,
        rate=1e-3,
        task={
            "size": 64,
            "scales": (0.09, 0.22),
            "raster": "touched",
            "composition": "hard",
            "inputs": "physical",
        },
        compositional={"width": 256, "maps": 32, "kernel": 2},
        monolithic={"width": 320, "maps": 64, "kernel": 2},
        widths=1.0,
    ),
}


def scene(
    scale: Scale,
    support: Support,
    model: str = "compositional",
    task: Mapping[str, Any] | None = None,
    exhibits: tuple[str, ...] = ("latent_map", "scenes"),
    share: float = 1.0,
    rate: float | None = None,
    **settings: Any,
) -> Experiment:
    """A model on scenes that a support draws; ``share`` is that of the usual steps."""
    size = SIZES[scale]
    numbers = size.compositional if model == "compositional" else size.monolithic
    recipe = Recipe(
        steps=round(share * size.steps), batch=size.batch, rate=rate or size.rate, decay=1e-5, schedule="cosine"
    )
    return Experiment(
        problem=Problem(tasks.sprites(**{**size.task, **(task or {})}), support=support, examples=size.examples),
        model=models.parse({"kind": model, **numbers, **settings}),
        recipe=recipe,
        measures=MEASURES,
        exhibits=exhibits,
    )


def named(name: str, says: str, support: Maker[Support], **more: Any) -> Setting:
    """A setting whose support is the same at every scale."""
    return setting(name, says, lambda scale: scene(scale, support(), **more))


def diagonal(name: str, released: float) -> Setting:
    """A setting on a diagonal support, its width beside the sprites that of the released one."""
    says = f"A diagonal of width {released:g} as released; {2 * released:g} where sprites are twice as large."
    return setting(name, says, lambda scale: scene(scale, DiagonalSupport(width=SIZES[scale].widths * released)))


WHOLE, PLANES, SINGLE, BROAD = RandomSupport, orthogonal, orthogonal_single, orthogonal_broad
PLANES_GAP = partial(orthogonal, without=GAP)

INSIDE = ("latent_map", "scenes", "component_pictures")

# Table 1
whole = named("whole", "Trained on the whole space, compositional.", WHOLE, exhibits=INSIDE)
whole_mono = named("whole_monolithic", "Trained on the whole space, monolithic.", WHOLE, model="monolithic")
planes = named("planes", "Trained on three orthogonal planes, compositional.", PLANES, exhibits=INSIDE)
planes_mono = named("planes_monolithic", "Trained on three planes, monolithic.", PLANES, model="monolithic")
normal = named("planes_normal", "Planes with a normal density, as published.", partial(orthogonal, spread=1.0))
peaked = named(
    "planes_peaked", "Planes with a narrow normal density, of deviation 0.25.", partial(orthogonal, spread=0.25)
)
skewed = named(
    "planes_skewed", "Planes with a strongly skewed density, Beta(1, 3).", partial(orthogonal, skew=(1.0, 3.0))
)
broad = named("planes_broad", "Two planes for each sprite.", BROAD)
single = named("planes_single", "One plane for each sprite.", SINGLE)
whole_gap = named(
    "whole_gap", "The whole space without a range of the front sprite's x.", partial(RandomSupport, without=GAP)
)
gap = named("planes_gap", "Planes without a range of the front sprite's x.", PLANES_GAP)
narrow, middle, wide = diagonal("diagonal_narrow", 0.05), diagonal("diagonal", 0.1), diagonal("diagonal_broad", 0.2)

# Colour and opacity
over = {"kind": "over", "opacity": "sigmoid"}
rgba_shared = named("alpha_shared", "Colour and opacity, one decoder.", PLANES, composition=over, shared=True,
                    exhibits=INSIDE)  # fmt: skip
rgba = named("alpha_separate", "Colour and opacity, a decoder each.", PLANES, composition=over, exhibits=INSIDE)
rgba_single = named("alpha_shared_single", "One plane each, one decoder of colour and opacity.", SINGLE,
                    composition=over, shared=True)  # fmt: skip
rgba_separate_single = named("alpha_separate_single", "One plane each, a decoder of colour and opacity each.", SINGLE,
                             composition=over)  # fmt: skip
soft_shared = named("soft_shared", "The soft composition, one decoder.", PLANES, shared=True)

# Data and model with one composition
SOFT_DATA = {"composition": {"kind": "soft"}}
matched = named("matched_soft", "Data made by the model's soft composition, on planes.", PLANES, task=SOFT_DATA)
matched_whole = named("matched_soft_whole", "Data made by the soft composition, whole space.", WHOLE, task=SOFT_DATA)
matched_mono = named(
    "matched_soft_monolithic", "Data made by the soft composition, on planes, monolithic.", PLANES, task=SOFT_DATA,
    model="monolithic",
)  # fmt: skip

# Compositions that are wrong or not known
added = named("wrong_addition", "A model that adds its components, on planes.", PLANES, composition="addition")
learned = named("learned", "A model that learns how to compose, on planes.", PLANES, composition="learned")
learned_whole = named("learned_whole", "A model that learns how to compose, whole space.", WHOLE, composition="learned")

# How far the training goes
SHARES = {0.1: "a tenth", 0.3: "three tenths"}
shorter = {
    share: named(
        f"planes_{round(100 * share)}_percent", f"Planes, {words} of the steps.", PLANES, share=share, exhibits=()
    )
    for share, words in SHARES.items()
}
shorter_mono = {
    share: named(
        f"planes_monolithic_{round(100 * share)}_percent", f"Planes, monolithic, {words} of the steps.", PLANES,
        model="monolithic", share=share, exhibits=(),
    )
    for share, words in SHARES.items()
}  # fmt: skip

# A decoder that knows of shifts
SHIFT: dict[str, Any] = {
    "family": "relative",
    "width": 64,
    "maps": 48,
    "rate": 1e-2,
    "share": 0.6,
    "task": {"inputs": "fourier"},  # physical ones do not say how places lie on the canvas
}
MLP: dict[str, Any] = {"family": "mlp", "width": 128}
rgba_clamp = named(
    "alpha_separate_clamp", "Opacity cut to [0, 1], as released, a decoder each.", PLANES, composition="over"
)
rgba_units = named("alpha_separate_units", "Opacity, a decoder of units each.", PLANES, composition=over, **MLP)
rgba_units_clamp = named("alpha_separate_units_clamp", "Opacity cut to [0, 1], a decoder of units each.", PLANES,
                         composition="over", **MLP)  # fmt: skip
rgba_units_shared = named("alpha_shared_units", "Opacity, one decoder of units.", PLANES, composition=over,
                          shared=True, **MLP)  # fmt: skip
gap_mlp = named("planes_gap_units", "The gap, decoders without convolutions.", PLANES_GAP, **MLP)
gap_shift = named("planes_gap_shift", "The gap, decoders that draw relative to the sprite's place.",
                  PLANES_GAP, **SHIFT)  # fmt: skip
planes_shift = named("planes_shift", "Planes, decoders that draw relative to the sprite's place.", PLANES,
                     **SHIFT)  # fmt: skip
