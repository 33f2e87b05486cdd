"""What can be said of scenes before training: whether the support guarantees composition, and what it lacks."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import ceil
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
    SHAPE,
    Freedom,
    Hidden,
    check_support,
    freedom,
    guarantee,
    hidden,
    rows_looked_at,
    scenes_of,
    summary,
)
from recombine.theory import Forecast
from recombine.theory.coverage import Coverage, coverage
from recombine.theory.forecast import SectionForecast
from recombine.theory.reasons import Reason
from recombine.theory.support import SlotSupport, SupportCheck

LARGEST = 16 * 16  # pixels for which all values are looked at; larger pictures get fewer
FEWEST = 8
SAMPLED = 2000  # training and test scenes from which gaps are read
QUANTITY = "share of pixels left free"
CONSTANTS = 6  # values of a sprite up to which they are listed, where it has no others
MOSTLY = 0.5  # share of pixels left free from which on a guarantee says what it rests on
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
    if support == RandomSupport():
        return _whole(problem, started)
    every = rows_looked_at(task)
    anchors = max(FEWEST, round(ANCHORS * min(1.0, LARGEST / task.size**2)))
    covered = _coverage(problem, seed)  # first: it refuses a cut that leaves too little
    found = check_support(problem, own, anchors, seed=seed, every=every)
    free = freedom(problem, own, seed=seed, every=every)
    word = guarantee(problem, found)
    doubt = None if spec is None or known else _doubt(spec, task.composition.kind)
    bias = _bias(spec) if word == IMPOSSIBLE and spec is not None else None
    composes = {GUARANTEED: True if doubt is None else None, IMPOSSIBLE: False if bias is None else None}.get(word)
    # The conditions were then asked of the data's composition, which is not the model's.
    other = word == IMPOSSIBLE and bias is None and doubt is not None and own is None
    said = f" This is said of models that compose as the data do: {doubt.text}" if other and doubt is not None else ""
    lacking = float(np.mean([slot.lacking or 0.0 for slot in found.slots]))
    ends = sorted((free.share, lacking))
    lacks = [slot.maps["relative"].reshape(ceil(task.size / every), -1) for slot in found.slots]
    reasons = [
        doubt,
        bias,
        *_unseen(problem),
        *_lacking(found),
        *_rank(found),
        *_free(free),
        _margin(found),
    ]
    return Forecast(
        composes=composes,
        verdict=_verdict(word, doubt, bias, covered, free) + said,
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
            "lacking_maps": [np.round(each, 2).tolist() for each in lacks],
        },
    )


def _whole(problem: Problem, started: float) -> Forecast:
    """Of a support that shows the whole space: nothing is asked of the conditions, since nothing is left out."""
    task, _ = scenes_of(problem)
    nothing = np.zeros((task.size, task.size)).tolist()
    return Forecast(
        composes=True,
        verdict=WHOLE,
        reasons=(),
        sections=tuple(SectionForecast(name, 0.0, 0.0, 0.0, None) for name in ("id", "all")),
        quantity=QUANTITY,
        method="nothing: the support is the whole space",
        outputs=None,
        seconds=perf_counter() - started,
        details={"lacking": [0.0] * task.slots, "free_share": 0.0, "lacking_maps": [nothing] * task.slots},
    )


def _verdict(word: str, doubt: Reason | None, bias: Reason | None, covered: Coverage, free: Freedom) -> str:
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
        rests = (
            " The guarantee rests on knowing the components at one point of each connected part: without that, "
            f"training leaves {free.share:.1%} of the pixels free to first order."
            if free.share > MOSTLY
            else ""
        )
        return (
            "Guaranteed: a model that composes as the data do and fits exactly what the support shows is right on the "
            f"whole space, once its components agree with the true ones at {points}{apart}.{rests}"
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


def _unseen(problem: Problem) -> list[Reason]:
    """Component values that are never shown: the ranges of latents and the shapes that they have."""
    reasons = []
    for slot, missed in enumerate(hidden(problem)):
        if not missed.share:
            continue
        gaps: list[list[str | float]] = [[name, *ends] for name, ends in missed.ranges.items()]
        where = _where(slot, missed)
        if not where:
            where, gaps = _constants(problem, slot)
        reasons.append(
            Reason(
                "unseen value",
                f"training never shows {_share(missed.share)} of the values of sprite {slot + 1}{where}.",
                {"sprite": slot + 1, "share": missed.share, "gaps": gaps, "shapes": list(missed.shapes)},
            )
        )
    return reasons


def _share(share: float) -> str:
    """A share in percent that is all or nothing only where it is."""
    return f"{share:.0%}" if 0.01 <= share <= 0.99 or share in (0, 1) else f"{min(max(share, 0.001), 0.999):.1%}"


def _either(words: Sequence[str]) -> str:
    return " or ".join(part for part in (", ".join(words[:-1]), words[-1]) if part)


def _where(slot: int, missed: Hidden) -> str:
    """What the values have in common that are never shown, in words; nothing if they are all values."""
    told = [f"{name} from {low} to {high}" for name, (low, high) in missed.ranges.items()]
    told += [f"shape{slot + 1} a {_either(missed.shapes)}"] if missed.shapes else []
    return ": " + ("those with " if len(told) > 1 else "") + " and ".join(told) if told else ""


def _constants(problem: Problem, slot: int) -> tuple[str, list[list[str | float]]]:
    """The few values that a sprite has where it never varies, in words, and the gaps between them."""
    task, support = scenes_of(problem)
    drawn = support.points(SAMPLED, task.slots, task.latents, stream(0, "theory", "constants"))[:, slot]
    values = np.unique(drawn, axis=0)
    if len(values) > CONSTANTS:
        return "", []
    told, gaps = [], []
    numbers = physical(values, task.scales)[:, SHAPE].astype(int)
    for latent, name in enumerate(f"{each}{slot + 1}" for each in LATENTS):
        if latent == SHAPE:
            told.append(f"{name} a {_either([SHAPES[number] for number in np.unique(numbers)])}")
            continue
        levels = np.unique(values[:, latent])
        told.append(f"{name} at {_either([f'{level:g}' for level in levels])}")
        edges = np.unique([0.0, *levels, 1.0]).tolist()
        gaps += [[name, low, high] for low, high in pairwise(edges)]
    return f": it shows only {len(values)} of them, with {'; '.join(told[:-1])}; and {told[-1]}", gaps


def _seen(slot: SlotSupport) -> str:
    return "" if slot.shown == 1 else " that are shown"


def _lacking(found: SupportCheck) -> list[Reason]:
    """Pixels that lack support, of the values that are shown: those that are not lack it in all."""
    reasons = []
    for slot in found.slots:
        lacks = [len(each.blocks) for each in found.missing if each.slot == slot.slot and each.why == "relative"]
        places = int((slot.found > 0).sum()) * len(slot.maps["relative"])
        share = (slot.lacking or 0.0) if slot.shown == 1 else sum(lacks) / max(places, 1)
        if share <= LACKING:
            continue
        text = (
            f"values of sprite {slot.slot + 1}{_seen(slot)} can change in pixels where a test shows it and training "
            f"does not, on average in {share:.1%} of the pixels."
        )
        reasons.append(Reason("lacking pixels", text, {"sprite": slot.slot + 1, "share": share}))
    return reasons


def _rank(found: SupportCheck) -> list[Reason]:
    """The rank condition, of the values that are shown."""
    failing = {slot: _failing(slot) for slot in found.slots}
    if not any(failing.values()):
        return []
    told = ", ".join(
        f"{share:.0%} of the values of sprite {slot.slot + 1}{_seen(slot)}" for slot, share in failing.items() if share
    )
    text = f"the published rank condition fails for {told}: some change of the component shows in no picture."
    return [Reason("rank", text, {"full_rank": [slot.summed for slot in found.slots], "margin": found.margin})]


def _failing(slot: SlotSupport) -> float:
    shown = slot.found > 0
    return float((slot.rank_summed[shown] < slot.size).mean()) if shown.any() else 0.0


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
