"""Is the training support enough to recover every component? Judged before training (Wiedemer et al. 2023, Theorem 1).

The observation is C(φ_1(z_1), ..., φ_K(z_K)). For slot k and a component value z*, the training points p with p_k = z*
show the derivatives J_p = ∂C/∂φ_k(φ(p)), and four conditions are read off them:

    compositional (A2)  there is such a p
    sufficient (A3)     rank Σ_p w_p J_p = M for some positive weights w: the published condition
    stacked             rank [J_p1; J_p2; ...] = M, weaker: what the proof needs
    relative            rank stack(training) = rank stack(training and test): nothing the test shows is unseen

M counts the numbers of a component. A composition that treats every block (pixel) on its own has one small problem per
block. Stacks are kept as triangular factors R with RᵀR = Σ JᵀJ / n, so that no singular value is squared.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from recombine.core.arrays import as_array
from recombine.core.errors import InputError
from recombine.core.seeds import stream
from recombine.core.shapes import Bool, Float, Int, Real
from recombine.theory.coverage import Complete, from_sample
from recombine.theory.coverage import latin_hypercube as latin_hypercube
from recombine.theory.support_options import check_options
from recombine.theory.watched import Components, Compose, Derivative, Watched, in_words, null_space, triangular

Anchors: TypeAlias = Sequence[Any] | np.ndarray  # per slot (anchors, latents), an array or lists of numbers
Why: TypeAlias = Literal["never shown", "rank", "relative"]


@dataclass(frozen=True)
class Missing:
    """A component value whose support lacks something, and the blocks (dense: entries of the component) concerned."""

    slot: int
    value: tuple[float, ...]
    why: Why  # "rank": the published condition, on the sum
    blocks: tuple[int, ...]
    place: str  # the value in words


@dataclass(frozen=True, eq=False)
class SlotSupport:
    """What training shows of one slot: shares of its anchors, and the numbers of each. Full rank is `size`."""

    slot: int
    size: int
    shown: float  # anchors that training shows
    summed: float  # ... with full exact rank of the sum, of the stack
    stacked: float
    usable: float  # ... with a stack whose singular values all exceed `usable` times the largest
    margin: float  # the smallest kappa
    lacking: float | None  # mean share of blocks where the test shows a direction that training lacks
    untested: float | None  # anchors without a point in the test support, at which nothing is asked
    found: Int[np.ndarray, " anchors"]  # completions
    rank_summed: Int[np.ndarray, " anchors"]
    usable_summed: Int[np.ndarray, " anchors"]
    rank_stacked: Int[np.ndarray, " anchors"]
    usable_stacked: Int[np.ndarray, " anchors"]
    kappa: Float[np.ndarray, " anchors"]  # smallest singular value of the stack over the largest of the slot
    maps: dict[str, Float[np.ndarray, " places"]]  # share of anchors whose block lacks summed, stacked, ... support

    def to_dict(self) -> dict[str, Any]:
        """JSON values."""
        words = ("slot", "size", "shown", "summed", "stacked", "usable", "margin", "lacking", "untested")
        arrays = ("found", "rank_summed", "usable_summed", "rank_stacked", "usable_stacked", "kappa")
        listed = {word: getattr(self, word).tolist() for word in arrays}
        maps = {word: each.tolist() for word, each in self.maps.items()}
        return {word: getattr(self, word) for word in words} | listed | {"maps": maps}


@dataclass(frozen=True, eq=False)
class SupportCheck:
    """The verdicts of `check`, with what is missing and where."""

    slots: tuple[SlotSupport, ...]
    missing: tuple[Missing, ...]
    differentiable: bool  # A1 at the probed points; False only where `one_sided` let a kink pass

    @property
    def compositional(self) -> bool:
        """A2: training shows every anchor."""
        return all(slot.shown == 1 for slot in self.slots)

    @property
    def sufficient(self) -> bool:
        """A3 as published: a sum of full rank at every anchor of every slot."""
        return all(slot.summed == 1 for slot in self.slots)

    @property
    def stacked(self) -> bool:
        """A3 as the proof needs it: a stack of full rank at every anchor of every slot."""
        return all(slot.stacked == 1 for slot in self.slots)

    @property
    def relative(self) -> bool | None:
        """Whether training shows every direction that the test shows; None without a test support."""
        shares = [slot.lacking for slot in self.slots]
        return None if None in shares else self.compositional and not any(shares)

    @property
    def margin(self) -> float:
        """The smallest kappa of all slots. 1: all directions are seen alike, as for addition; 0: one is not seen."""
        return min(slot.margin for slot in self.slots)

    def to_dict(self) -> dict[str, Any]:
        """JSON values."""
        words = ("compositional", "sufficient", "stacked", "relative", "margin", "differentiable")
        missing = [vars(each) | {"value": list(each.value), "blocks": list(each.blocks)} for each in self.missing]
        slots = [slot.to_dict() for slot in self.slots]
        return {word: getattr(self, word) for word in words} | {"slots": slots, "missing": missing}


@dataclass(frozen=True, eq=False)
class SampleCheck:
    """The verdict from a finite sample at a radius and at half of it."""

    wide: SupportCheck
    narrow: SupportCheck

    @property
    def agree(self) -> bool:
        """Whether no verdict changes with the radius; if one does, snapping or a thin sample decides it."""
        words = ("compositional", "sufficient", "stacked", "relative")
        return all(getattr(self.wide, word) == getattr(self.narrow, word) for word in words)


def check(
    compose: Compose,
    derivative: Derivative,
    components: Components,
    complete: Complete,
    anchors: Anchors,
    *,
    test_complete: Complete | None = None,
    names: Sequence[str] | None = None,
    structure: Literal["blocks", "dense"] = "blocks",
    count: int = 64,
    tolerance: float | None = None,
    usable: float = 1e-3,
    weights: int = 3,
    one_sided: bool = False,
    seed: int = 0,
) -> SupportCheck:
    """Does training show every component value, and every direction in which a component can change?

    `anchors` are, per slot, values of the test marginal; `complete(slot, value, count)` gives training points with that
    value. A singular value counts when it exceeds `tolerance` (10 · max(N, M) · machine epsilon) times the largest of
    the slot; `weights` random positive sums guard against cancellation. Sums and stacks are means over completions, so
    anchors with few completions compare with others. `names` are the latents of a slot, for messages. The relative
    verdict compares what was drawn: when completions are random, raise `count` until `lacking` no longer falls.

    ``structure="dense"``: the composition mixes pixels, so components and outputs come as one block; `Missing.blocks`
    and maps then refer to the entries of the component. It holds three M x M matrices per anchor: for small pictures.

    The derivative is compared with differences of the composition to both sides. ``one_sided=True`` accepts a kink
    where it agrees with one of them (a clamp at its bound); `SupportCheck.differentiable` then says that it happened.
    """
    if not isinstance(anchors, Sequence | np.ndarray):
        raise InputError(f"anchors = {anchors!r} must be one array of values per slot; give a list of arrays.")
    anchors = [_array(f"anchors of slot {slot}", values, "(anchors, latents)") for slot, values in enumerate(anchors)]
    latents = anchors[0].shape[1] if anchors else 0
    if not anchors or any(values.shape[0] == 0 or values.shape[1] != latents for values in anchors):
        raise InputError(
            f"anchors of shapes {[values.shape for values in anchors]} must be (anchors, latents) for every slot, with "
            "equal latents and at least one anchor; give values of the test's marginals."
        )
    check_whole_numbers(count=count, weights=weights, seed=seed)
    if names is not None and len(names) != latents:
        raise InputError(f"{len(names)} names do not fit {latents} latents; name each latent of a slot once.")
    check_options(structure, count, tolerance, usable, weights, seed)
    callables, dense = (compose, derivative, components), structure == "dense"
    watched = Watched(*callables, len(anchors), dense=dense, one_sided=one_sided, tolerance=tolerance)
    reports, missing = [], []
    for slot, values in enumerate(anchors):
        shown, asked, places = _Gathered(), _Gathered(), []
        for number, value in enumerate(values):
            places.append(in_words(slot, value, names))
            at, rng = f"slot {slot}, {places[-1]}", stream(seed, "support", str(slot), str(number))
            shown.add(watched, slot, value, watched.completions(complete, slot, value, count, at), weights, rng, at)
            if test_complete is not None:
                found = watched.completions(test_complete, slot, value, count, at)
                asked.add(watched, slot, value, found, 0, rng, f"the test's {at}")
        report, lacks = _judged(slot, shown, asked, watched.cut, usable, dense)
        reports.append(report)
        for number, value in enumerate(values.tolist()):
            for why, lack in lacks.items():
                if lack[number].any():
                    blocks = tuple(np.flatnonzero(lack[number]).tolist())
                    missing.append(Missing(slot, tuple(map(float, value)), why, blocks, places[number]))
    return SupportCheck(tuple(reports), tuple(missing), watched.smooth)


def check_sample(
    compose: Compose,
    derivative: Derivative,
    components: Components,
    sample: Real[np.ndarray, "..."] | Sequence[Any],
    anchors: Anchors,
    *,
    radius: float,
    discrete: tuple[int, ...] = (),
    **options: Any,
) -> SampleCheck:
    """`check` with the completions of a finite sample (`from_sample`), at `radius` and at half of it."""
    points = _array("the sample", sample, "(points, slots, latents)")
    wide, narrow = (
        check(compose, derivative, components, from_sample(points, each, discrete), anchors, **options)
        for each in (radius, radius / 2)
    )
    return SampleCheck(wide, narrow)


def _array(what: str, values: Any, shape: str) -> Float[np.ndarray, "..."]:
    """Numbers of so many dimensions, from an array or from lists of numbers."""
    try:
        array = as_array(values, what)
    except InputError:  # lists of unequal lengths
        array = np.empty(0, dtype=object)
    if array.dtype.kind not in "fiub" or array.ndim != shape.count(",") + 1:
        got = f"an array of shape {array.shape}" if array.dtype.kind in "fiub" else "no regular array of numbers"
        raise InputError(f"{what} must be numbers of shape {shape}, got {got}; give one array, or lists of one depth.")
    return array.astype(np.float64)


def check_whole_numbers(**options: Any) -> None:
    """Refuse options that must be whole numbers and are not."""
    for name, value in options.items():
        if isinstance(value, bool) or not isinstance(value, int | np.integer):
            raise InputError(f"{name} = {value!r} must be a whole number; give one, e.g. {name}=3.")


class _Gathered:
    """The Jacobians of one slot, per anchor as triangular factors (blocks, channels, channels)."""

    def __init__(self) -> None:
        self.found: list[int] = []
        self.stacks: list[np.ndarray] = []
        self.sums: list[np.ndarray] = []  # of several weighted sums the one of the highest rank

    def add(
        self,
        watched: Watched,
        slot: int,
        value: np.ndarray,
        points: np.ndarray,
        weights: int,
        rng: "np.random.Generator",
        at: str,
    ) -> None:
        own = watched.component(slot, value[None], at)
        stack, start = np.zeros((own.shape[1], own.shape[2], own.shape[2])), 0
        sums, total = np.zeros((1 + weights, own.shape[1], 1, own.shape[2])), np.zeros((1 + weights, 1, 1, 1))
        while start < len(points):
            jacobian = watched.jacobians(slot, own, points, start, rng, at)
            start += len(jacobian)
            stack = triangular(np.concatenate([stack, *jacobian], axis=1))
            drawn = np.vstack([np.ones(len(jacobian)), rng.uniform(0.5, 1.5, size=(weights, len(jacobian)))])
            sums = sums + np.einsum("wp,pboi->wboi", drawn, jacobian)
            total += drawn.sum(axis=1)[:, None, None, None]
        self.found.append(len(points))
        self.stacks.append(stack / np.sqrt(max(len(points), 1)))
        factors = triangular(sums / np.where(total > 0, total, 1.0))
        values = np.linalg.svd(factors, compute_uv=False)
        ranks = (values > watched.cut * values.max()).sum(axis=(1, 2))
        self.sums.append(factors[max(range(len(ranks)), key=lambda each: (ranks[each], values[each].min()))])


def _judged(
    slot: int, shown: _Gathered, asked: _Gathered, cut: float, usable: float, dense: bool
) -> tuple[SlotSupport, dict[Why, Bool[np.ndarray, "anchors places"]]]:
    """The report on a slot, and what each anchor lacks where."""
    sums, stacks, found = np.stack(shown.sums), np.stack(shown.stacks), np.array(shown.found)
    of_sums, of_stacks = (np.linalg.svd(each, compute_uv=False) for each in (sums, stacks))
    top_sum, top = of_sums.max(), of_stacks.max()
    summed = (of_sums > cut * top_sum).sum(axis=-1)
    # A sum cannot have a higher rank than the stack; only their different scales could say so.
    stacked = np.maximum((of_stacks > cut * top).sum(axis=-1), summed)
    usable_stacked = (of_stacks > usable * top).sum(axis=-1)
    full = stacks.shape[-1]
    lacks = {"summed": summed < full, "stacked": stacked < full, "usable": usable_stacked < full}
    if dense:
        floors = {"summed": (sums, cut * top_sum), "stacked": (stacks, cut * top), "usable": (stacks, usable * top)}
        lacks = {word: lack & null_space(*floors[word])[1] for word, lack in lacks.items()}
    if asked.found:
        both = triangular(np.concatenate([stacks, np.stack(asked.stacks)], axis=-2))
        of_both = np.linalg.svd(both, compute_uv=False)
        floor = cut * of_both.max()
        lacks["relative"] = (of_both > floor).sum(axis=-1) > (of_stacks > floor).sum(axis=-1)
        if dense:
            # On what training leaves open, both supports together show what the test alone shows.
            open_to_test = np.linalg.norm(both[:, 0] @ null_space(stacks, floor)[0], axis=1)
            lacks["relative"] = lacks["relative"] & (open_to_test > np.sqrt(cut) * of_both.max())
    kappa = of_stacks.min(axis=(1, 2)) / (top or 1.0)
    size = full * stacks.shape[1]
    report = SlotSupport(
        slot=slot,
        size=size,
        shown=float((found > 0).mean()),
        summed=float((summed.sum(axis=1) == size).mean()),
        stacked=float((stacked.sum(axis=1) == size).mean()),
        usable=float((usable_stacked.sum(axis=1) == size).mean()),
        margin=float(kappa.min()),
        lacking=float(lacks["relative"].mean()) if asked.found else None,
        untested=float(np.mean(np.array(asked.found) == 0)) if asked.found else None,
        found=found,
        rank_summed=summed.sum(axis=1),
        usable_summed=(of_sums > usable * top_sum).sum(axis=(1, 2)),
        rank_stacked=stacked.sum(axis=1),
        usable_stacked=usable_stacked.sum(axis=1),
        kappa=kappa,
        maps={word: lack.mean(axis=0) for word, lack in lacks.items()},
    )
    never = (found == 0)[:, None]
    why: dict[Why, np.ndarray] = {
        "never shown": never & np.ones_like(lacks["summed"]),
        "rank": ~never & lacks["summed"],
    }
    if asked.found:
        why["relative"] = ~never & lacks["relative"]
    return report, why
