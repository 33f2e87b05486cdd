"""What can be said of scenes before training: whether the support guarantees composition, and what it lacks."""

from collections.abc import Mapping
from time import perf_counter
from typing import Any

import numpy as np

from recombine.core.seeds import stream
from recombine.data import Problem
from recombine.data.sprite_shapes import LATENTS
from recombine.models import ModelSpec, models
from recombine.models.scene_specs import Compositional
from recombine.studies.supporting import (
    ANCHORS,
    COMPLETIONS,
    GUARANTEED,
    IMPOSSIBLE,
    LACKING,
    Freedom,
    check_support,
    freedom,
    guarantee,
    scenes_of,
    summary,
)
from recombine.theory import Forecast
from recombine.theory.coverage import coverage
from recombine.theory.forecast import SectionForecast
from recombine.theory.reasons import Reason
from recombine.theory.support import SupportCheck

LARGEST = 16 * 16  # pixels for which all values and combinations are looked at; larger pictures get fewer
SAMPLED = 2000  # training and test scenes from which gaps are read
QUANTITY = "share of pixels left free"


def forecast_scenes(
    problem: Problem, model: "str | Mapping[str, Any] | ModelSpec | None" = None, seed: int = 0
) -> Forecast:
    """Guaranteed, not guaranteed or impossible, for a model that composes as the data do, or for a model of yours.

    What is expected of the section "all" is the share of its pixels that training leaves free, to first order; low and
    high are the lesser and the larger of this and the share that the relative condition finds lacking.
    """
    started = perf_counter()
    task, _ = scenes_of(problem)
    spec = None if model is None else models.parse(model)
    own = spec.composition if isinstance(spec, Compositional) and not spec.composition.learned else None
    fewer = min(1.0, LARGEST / task.size**2) ** 0.5
    anchors, completions = max(10, round(ANCHORS * fewer)), max(16, round(COMPLETIONS * fewer))
    found = check_support(problem, own, anchors, completions, seed)
    free = freedom(problem, own, seed=seed)
    word = guarantee(found)
    known = own is not None and own == task.composition
    doubt = None if spec is None or known else _doubt(spec, task.composition.kind)
    composes = {GUARANTEED: True if doubt is None else None, IMPOSSIBLE: False}.get(word)
    lacking = float(np.mean([slot.lacking or 0.0 for slot in found.slots]))
    ends = sorted((free.share, lacking))
    maps = [np.round(slot.maps["relative"].reshape(task.size, -1), 2).tolist() for slot in found.slots]
    reasons = [*_unseen(problem, seed), *_lacking(found), *_rank(found), *_free(free)]
    if doubt is not None:
        reasons.insert(0, doubt)
    return Forecast(
        composes=composes,
        verdict=_verdict(word, doubt),
        reasons=tuple(reasons),
        sections=(
            SectionForecast("id", 0.0, 0.0, 0.0, None),
            SectionForecast("all", free.share, ends[0], ends[1], None),
        ),
        quantity=QUANTITY,
        method=f"support conditions at {anchors} values of each component, for {own or task.composition!r}",
        outputs=None,
        seconds=perf_counter() - started,
        details={**summary(found, free), "lacking_maps": maps},
    )


def _verdict(word: str, doubt: Reason | None) -> str:
    if word == IMPOSSIBLE:
        return (
            "Impossible without help from the decoder: training does not show all that a test asks for, so that models "
            "with the same composition may agree on it and differ elsewhere."
        )
    if doubt is not None:
        return f"Not guaranteed: {doubt.text}"
    if word == GUARANTEED:
        return (
            "Guaranteed: a model that composes as the data do and fits what the support shows is right on the whole "
            "space, once its components agree with the true ones at one point."
        )
    return (
        "Not guaranteed: training shows all that a test asks for, but the published rank condition does not hold, so "
        "that the theorem is silent."
    )


def _doubt(spec: ModelSpec, composition: str) -> Reason:
    if isinstance(spec, Compositional):
        kind = spec.composition.kind
        text = f"the model composes by {kind!r} and the data by {composition!r}; the theorem asks for the same."
    else:
        text = f"the model {spec.kind!r} has no composition built in, and the theorem is about models that do."
    return Reason("composition", text, {"model": spec.kind, "data": composition})


def _unseen(problem: Problem, seed: int) -> list[Reason]:
    """Component values that are never shown, as ranges of latents where they are."""
    task, support = scenes_of(problem)
    rng = stream(seed, "theory", "coverage")
    shown = support.points(SAMPLED, task.slots, task.latents, rng)
    asked = rng.random((SAMPLED, task.slots, task.latents))
    reasons = []
    found = coverage(shown, asked)
    for slot in found.slots:
        missed = ~support.reaches(slot.slot, asked[:, slot.slot], task.slots)
        if not missed.any():
            continue
        gaps = {
            f"{name}{slot.slot + 1}": [round(each.low, 2), round(each.high, 2)]
            for name, each in zip(LATENTS, slot.intervals, strict=True)
            if each is not None and each.gap and _only_missed(asked[:, slot.slot], missed, name, each.low, each.high)
        }
        where = (
            ": " + " and ".join(f"{name} from {low} to {high}" for name, (low, high) in gaps.items()) if gaps else ""
        )
        reasons.append(
            Reason(
                "unseen value",
                f"training never shows {missed.mean():.0%} of the values of sprite {slot.slot + 1}{where}.",
                {"sprite": slot.slot + 1, "share": float(missed.mean()), "gaps": [[k, *v] for k, v in gaps.items()]},
            )
        )
    return reasons


def _only_missed(values: np.ndarray, missed: np.ndarray, name: str, low: float, high: float) -> bool:
    """Whether nearly all values within a range of a latent are missed."""
    latent = values[:, LATENTS.index(name)]
    inside = (low <= latent) & (latent <= high)
    return bool(inside.any() and missed[inside].mean() > 0.9)


def _lacking(found: SupportCheck) -> list[Reason]:
    return [
        Reason(
            "lacking pixels",
            f"values of sprite {slot.slot + 1} can change in pixels where a test shows it and training does not, on "
            f"average in {slot.lacking:.1%} of the pixels.",
            {"sprite": slot.slot + 1, "share": slot.lacking or 0.0},
        )
        for slot in found.slots
        if (slot.lacking or 0.0) > LACKING and slot.shown == 1
    ]


def _rank(found: SupportCheck) -> list[Reason]:
    short = [slot for slot in found.slots if slot.shown == 1 and slot.summed < 1]
    if not short:
        return []
    told = ", ".join(f"{1 - slot.summed:.0%} of the values of sprite {slot.slot + 1}" for slot in short)
    text = f"the published rank condition fails for {told}: some change of the component shows in no picture."
    return [Reason("rank", text, {"full_rank": [slot.summed for slot in found.slots], "margin": found.margin})]


def _free(free: Freedom) -> list[Reason]:
    if free.share == 0:
        return []
    over = "" if free.overlap_share is None else f", {free.overlap_share:.0%} of those where sprites overlap"
    return [
        Reason(
            "left free",
            f"without knowing the components at one point, training leaves {free.share:.1%} of the pixels of new "
            f"combinations free to first order{over}.",
            {"share": free.share, "overlap": free.overlap_share if free.overlap_share is not None else "none"},
        )
    ]
