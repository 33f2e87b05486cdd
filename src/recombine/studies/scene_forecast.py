"""What can be said of scenes before training: whether the support guarantees composition, and what it lacks."""

from collections.abc import Mapping
from time import perf_counter
from typing import Any

import numpy as np

from recombine.core.seeds import stream
from recombine.data import Problem
from recombine.data.sprite_shapes import LATENTS, SHAPES, physical
from recombine.models import ModelSpec, models
from recombine.models.scene_specs import Compositional
from recombine.splits.designs import RandomSupport
from recombine.studies.fitting import check_fit
from recombine.studies.supporting import (
    ANCHORS,
    GUARANTEED,
    IMPOSSIBLE,
    LACKING,
    Freedom,
    check_support,
    freedom,
    guarantee,
    never_shown,
    scenes_of,
    summary,
)
from recombine.theory import Forecast
from recombine.theory.coverage import Coverage, coverage
from recombine.theory.forecast import SectionForecast
from recombine.theory.reasons import Reason
from recombine.theory.support import SupportCheck

LARGEST = 16 * 16  # pixels for which all values are looked at; larger pictures get fewer
FEWEST = 8
SAMPLED = 2000  # training and test scenes from which gaps are read
QUANTITY = "share of pixels left free"
SHAPE = LATENTS.index("shape")
WHOLE = "Nothing is left to compose: the support shows the whole space, and it is fitted or not."


def forecast_scenes(
    problem: Problem, model: "str | Mapping[str, Any] | ModelSpec | None" = None, seed: int = 0
) -> Forecast:
    """Guaranteed, not guaranteed or impossible, for a model that composes as the data do, or for a model of yours.

    What is expected of the section "all" is the share of its pixels that training leaves free, to first order; low and
    high are the lesser and the larger of this and the share that the relative condition finds lacking.
    """
    started = perf_counter()
    task, support = scenes_of(problem)
    spec = None if model is None else models.parse(model)
    if spec is not None:
        check_fit(problem, spec)
    own = spec.composition if isinstance(spec, Compositional) and not spec.composition.learned else None
    known = own is not None and own.agrees(task.composition)
    own = None if known else own
    anchors = max(FEWEST, round(ANCHORS * min(1.0, LARGEST / task.size**2)))
    found = check_support(problem, own, anchors, seed=seed)
    free = freedom(problem, own, seed=seed)
    covered = _coverage(problem, seed)
    word = guarantee(problem, found)
    doubt = None if spec is None or known else _doubt(spec, task.composition.kind)
    bias = _bias(spec) if word == IMPOSSIBLE and spec is not None else None
    whole = support == RandomSupport()
    composes = {GUARANTEED: True if doubt is None else None, IMPOSSIBLE: False if bias is None else None}.get(word)
    # The conditions were then asked of the data's composition, which is not the model's.
    other = word == IMPOSSIBLE and bias is None and doubt is not None and own is None
    said = f" This is said of models that compose as the data do: {doubt.text}" if other and doubt is not None else ""
    lacking = float(np.mean([slot.lacking or 0.0 for slot in found.slots]))
    ends = sorted((free.share, lacking))
    maps = [np.round(slot.maps["relative"].reshape(task.size, -1), 2).tolist() for slot in found.slots]
    reasons = [doubt, bias, *_unseen(problem, covered), *_lacking(found), *_rank(found), *_free(free), _margin(found)]
    return Forecast(
        composes=True if whole else composes,
        verdict=WHOLE if whole else _verdict(word, doubt, bias, covered) + said,
        reasons=tuple(reason for reason in reasons if reason is not None),
        sections=(
            SectionForecast("id", 0.0, 0.0, 0.0, None),
            SectionForecast("all", free.share, ends[0], ends[1], None),
        ),
        quantity=QUANTITY,
        method=f"support conditions at the true components, {anchors} values of each, for {own or task.composition!r}",
        outputs=None,
        seconds=perf_counter() - started,
        details={
            **summary(problem, found, free),
            "parts": covered.parts,
            "strays": covered.strays,
            "lacking_maps": maps,
        },
    )


def _verdict(word: str, doubt: Reason | None, bias: Reason | None, covered: Coverage) -> str:
    if word == IMPOSSIBLE and bias is not None:
        return f"Not determined by training: {bias.text}"
    if word == IMPOSSIBLE:
        return (
            "Impossible without help from the decoder: training does not show all that a test asks for, so that models "
            "with the same composition may agree on it and differ elsewhere."
        )
    if doubt is not None:
        return f"Not guaranteed: {doubt.text}"
    if word == GUARANTEED:
        parts = covered.parts
        points = "one point" if parts == 1 else f"one point of each of the {parts} connected parts of the support"
        # Too few points to tell whether they are a part of their own.
        apart = f"; {covered.strays:.1%} of a sample lie apart from all of these" if covered.strays else ""
        return (
            "Guaranteed: a model that composes as the data do and fits exactly what the support shows is right on the "
            f"whole space, once its components agree with the true ones at {points}{apart}."
        )
    return (
        "Not guaranteed: training shows all that a test asks for, but the published rank condition does not hold, so "
        "that the theorem is silent."
    )


def _bias(spec: ModelSpec) -> Reason | None:
    """What a decoder brings along that can make up for what training lacks."""
    if isinstance(spec, Compositional) and spec.shared:
        text = "one decoder draws all sprites, so that what is shown of one is known of the others."
        return Reason("shared decoder", text, {"model": spec.kind})
    if isinstance(spec, Compositional) and spec.family == "relative":
        text = "the decoder draws relative to a sprite's place, so that what is shown at one place is known at others."
        return Reason("relative decoder", text, {"model": spec.kind})
    return None


def _margin(found: SupportCheck) -> Reason | None:
    """How hard the least visible change is to see, where all can be seen."""
    if not found.sufficient:
        return None
    text = (
        f"the least visible change of a component moves pictures {found.margin:.2g} times as much as the most visible."
    )
    return Reason("margin", text, {"margin": found.margin})


def _doubt(spec: ModelSpec, composition: str) -> Reason:
    if isinstance(spec, Compositional):
        kind = spec.composition.kind
        text = f"the model composes by {kind!r} and the data by {composition!r}; the theorem asks for the same."
    else:
        text = f"the model {spec.kind!r} has no composition built in, and the theorem is about models that do."
    return Reason("composition", text, {"model": spec.kind, "data": composition})


def _coverage(problem: Problem, seed: int) -> Coverage:
    """How training scenes cover the space: the gaps in single latents, and whether they hang together."""
    task, support = scenes_of(problem)
    rng = stream(seed, "theory", "coverage")
    shown = support.points(SAMPLED, task.slots, task.latents, rng)
    asked = rng.random((SAMPLED, task.slots, task.latents))
    for points in (shown, asked):  # a shape is one of three, and no path leads from one to another
        points[..., SHAPE] = physical(points, task.scales)[..., SHAPE] / (len(SHAPES) - 1)
    return coverage(shown, asked, discrete=(SHAPE,))


def _unseen(problem: Problem, covered: Coverage) -> list[Reason]:
    """Component values that are never shown, as ranges of latents where they are."""
    task, support = scenes_of(problem)
    asked = stream(0, "theory", "unseen").random((SAMPLED, task.latents))
    reasons = []
    for slot, missed_share in zip(covered.slots, never_shown(problem), strict=True):
        if not missed_share:
            continue
        missed = ~support.reaches(slot.slot, asked, task.slots)
        gaps = {
            f"{name}{slot.slot + 1}": [round(each.low, 2), round(each.high, 2)]
            for name, each in zip(LATENTS, slot.intervals, strict=True)
            if each is not None and each.gap and _only_missed(asked, missed, name, each.low, each.high)
        }
        where = (
            ": " + " and ".join(f"{name} from {low} to {high}" for name, (low, high) in gaps.items()) if gaps else ""
        )
        reasons.append(
            Reason(
                "unseen value",
                f"training never shows {missed_share:.0%} of the values of sprite {slot.slot + 1}{where}.",
                {"sprite": slot.slot + 1, "share": missed_share, "gaps": [[k, *v] for k, v in gaps.items()]},
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
