"""A support handed to the theory: does it guarantee composition, what does it lack, and what does it leave free?"""

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np

from recombine.core.compositions import Composition
from recombine.core.errors import InputError
from recombine.core.seeds import stream
from recombine.core.shapes import Bool, Float
from recombine.data import Problem
from recombine.data.scenes import Sprites
from recombine.data.sprite_shapes import LATENTS, SHAPES, physical
from recombine.splits import Support
from recombine.splits.designs import RandomSupport
from recombine.splits.support import position
from recombine.theory.identifiability import Leaks, leaks
from recombine.theory.support import SupportCheck, check, latin_hypercube

ANCHORS, COMPLETIONS = 40, 256  # component values that are asked about, and training scenes looked at for each
# Test scenes looked at for each: fewer, so that what they show is hardly ever missed in training by chance alone.
TESTS = 32
REACHED = 2000  # component values of which each is looked up in the support
STEPS = 1000  # in which a latent is searched for the ends of what is never shown
ALIKE = 7  # latents of a shape that are completed, beside its own, where a cut names a shape
SHOWN = 4  # scenes of the support that are looked at where it shows no others
VALUES, ASKED = 20, 60  # component values of each sprite among which freedom is sought, and combinations asked about
LACKING = 0.005  # share of pixels that may seem to lack something by the chance of which combinations were looked at
MOST_ROWS = 24  # of pixels that are looked at; of larger pictures it is every second, third, ... row and column
FREE = 0.01  # share of pixels from which on a combination counts as left free

SHAPE = LATENTS.index("shape")
EDGE = 1e-12  # how far below the next shape a range of latents ends

GUARANTEED, NOT_GUARANTEED, IMPOSSIBLE = "guaranteed", "not guaranteed", "impossible"


def scenes_of(problem: Problem) -> tuple[Sprites, Support]:
    """The task and the support of a problem of scenes, or an `InputError`."""
    if not isinstance(problem.task, Sprites) or problem.support is None:
        raise InputError(
            f"task {problem.task.kind!r} has no known composition of components, so its support cannot be checked; use "
            "sprites, or call theory.support.check with a composition of your own."
        )
    return problem.task, problem.support


def rows_looked_at(task: Sprites) -> int:
    """Every how many rows and columns of pixels a forecast looks at."""
    return ceil(task.size / MOST_ROWS)


def check_support(
    problem: Problem,
    composition: Composition | None = None,
    anchors: int = ANCHORS,
    completions: int = COMPLETIONS,
    seed: int = 0,
    every: int = 1,
) -> SupportCheck:
    """Whether the support of a problem shows every component value, and enough of each, for a composition.

    The composition is that of the task unless another is given: a model's own. Asked is the whole space. Pixels are
    those of every so many rows and columns: each is a block of its own.
    """
    task, support = scenes_of(problem)
    chosen = task.composition if composition is None else composition
    return check(
        chosen.join,
        _derivative(chosen),
        _components(task, chosen, every),
        _complete(support, task.slots, "training", seed),
        [latin_hypercube(anchors, task.latents, stream(seed, "theory", "anchors", str(s))) for s in range(task.slots)],
        test_complete=_complete(RandomSupport(), task.slots, "test", seed, most=TESTS),
        names=LATENTS,
        count=completions,
        one_sided=True,  # an opacity of 0 or 1 lies where it is cut
        seed=seed,
    )


def guarantee(problem: Problem, found: SupportCheck) -> str:
    """What the conditions say of a model with this composition: guaranteed, not guaranteed or impossible.

    Impossible: training never shows some value, or some change of a component that the test does show. Models with the
    same composition may then agree on the training set and differ, to first order, on a test, and only what a decoder
    brings along can decide between them.
    """
    if not relative(found) or any(never_shown(problem)):
        return IMPOSSIBLE
    return GUARANTEED if found.sufficient else NOT_GUARANTEED


@dataclass(frozen=True)
class Hidden:
    """The values of one component that a support never shows. They fill a box: what is named holds of them together."""

    share: float  # of all values
    ranges: dict[str, tuple[float, float]]  # by latent, unless it is the whole one
    shapes: tuple[str, ...]  # unless it is all of them


def hidden(problem: Problem, seed: int = 0) -> list[Hidden]:
    """What the support never shows of each component: exact for each of many drawn values, and where it ends."""
    task, _ = scenes_of(problem)
    found = []
    for slot, values in enumerate(stream(seed, "theory", "reached").random((task.slots, REACHED, task.latents))):
        missed = ~reached(problem, slot, values)
        ranges, shapes = _box(problem, slot, values[np.argmax(missed)]) if missed.any() else ({}, ())
        found.append(Hidden(float(missed.mean()), ranges, shapes))
    return found


def never_shown(problem: Problem, seed: int = 0) -> list[float]:
    """The share of each component's values that the support never shows."""
    return [each.share for each in hidden(problem, seed)]


def reached(problem: Problem, slot: int, values: Float[np.ndarray, "items latents"]) -> Bool[np.ndarray, " items"]:
    """Whether the support shows these values of a component, or others that draw the same sprite."""
    task, support = scenes_of(problem)
    return support.shows(slot, *alike(values), task.slots)


def alike(values: Float[np.ndarray, "*items latents"]) -> tuple[np.ndarray, np.ndarray]:
    """From where to where values draw the same sprite: a shape has a range of its latent, all else a point."""
    low, high = values.copy(), values.copy()
    number = physical(values, (0.0, 1.0))[..., SHAPE]
    low[..., SHAPE] = np.maximum((number - 0.5) / 2, 0.0)
    high[..., SHAPE] = np.minimum((number + 0.5) / 2 - EDGE, 1.0)
    return low, high


def _box(
    problem: Problem, slot: int, missed: Float[np.ndarray, " latents"]
) -> tuple[dict[str, tuple[float, float]], tuple[str, ...]]:
    """The ranges of latents and the shapes that are never shown, from one value that is not: they fill a box."""
    ranges: dict[str, tuple[float, float]] = {}
    shapes: tuple[str, ...] = ()
    for latent, name in enumerate(LATENTS):
        steps = np.linspace(0, 1, (len(SHAPES) if latent == SHAPE else STEPS + 1))
        line = np.tile(missed, (len(steps), 1))
        line[:, latent] = steps
        never = ~reached(problem, slot, line)
        if never.all():
            continue
        if latent == SHAPE:
            shapes = tuple(shape for shape, lacks in zip(SHAPES, never, strict=True) if lacks)
        else:
            there = np.append(steps[never], missed[latent])
            ranges[f"{name}{slot + 1}"] = (round(float(there.min()), 3), round(float(there.max()), 3))
    return ranges, shapes


def relative(found: SupportCheck) -> bool:
    """Whether training shows what the test shows, but for what the chance of a finite look may hide."""
    return found.compositional and all((slot.lacking or 0.0) <= LACKING for slot in found.slots)


@dataclass(frozen=True, eq=False)
class Freedom:
    """Which pixels of unseen combinations training leaves free, to first order and without an initial point."""

    found: Leaks
    overlap: Bool[np.ndarray, "asked pixels"]

    @property
    def share(self) -> float:
        """Share of all pixels that are free."""
        return float(self.found.free.mean())

    @property
    def overlap_share(self) -> float | None:
        """Share of the pixels in which sprites overlap; None if none do."""
        return float(self.found.free[self.overlap].mean()) if self.overlap.any() else None

    @property
    def combinations(self) -> float:
        """Share of combinations of which more than `FREE` of the pixels are free."""
        return float((self.found.free.mean(axis=1) > FREE).mean())


def freedom(
    problem: Problem,
    composition: Composition | None = None,
    values: int = VALUES,
    asked: int = ASKED,
    seed: int = 0,
    every: int = 1,
) -> Freedom:
    """What the support leaves free among some component values: the linearised test of identifiability.

    Where a cut leaves none of their combinations, some scenes of the support are looked at, but not asked about. Pixels
    are those of every so many rows and columns, as in `check_support`.
    """
    task, support = scenes_of(problem)
    chosen = task.composition if composition is None else composition
    lattice = stream(seed, "theory", "lattice")
    chosen_values, shown = support.lattice(values, task.slots, task.latents, lattice)
    rng = stream(seed, "theory", "asked")
    free = chosen_values.shape[1] - support.constants
    if _cuts_shapes(support):
        chosen_values[:, :free] = _moved(support, chosen_values[:, :free])
        shown = support.together(chosen_values, lattice)
    if not len(shown):
        some = support.points(SHOWN, task.slots, task.latents, lattice).swapaxes(0, 1)
        chosen_values = np.concatenate([chosen_values, some], axis=1)
        shown = support.together(chosen_values, lattice)
    tests = np.stack([rng.integers(free, size=asked) for _ in range(task.slots)], axis=1)
    component = _components(task, chosen, every)
    parts = [component(slot, each) for slot, each in enumerate(chosen_values)]
    scenes = np.stack([each[tests[:, slot]] for slot, each in enumerate(chosen_values)], axis=1)
    overlap = task.overlap(scenes.reshape(asked, -1))[:, ::every, ::every].reshape(asked, -1)
    return Freedom(leaks(_derivative(chosen), parts, shown, tests), overlap)


def _derivative(composition: Composition) -> Callable[[int, list[np.ndarray]], np.ndarray]:
    from recombine.models.derivatives import derivative

    return lambda slot, parts: derivative(composition, slot, parts)


def _components(
    task: Sprites, composition: Composition, every: int = 1
) -> Callable[[int, np.ndarray], Float[np.ndarray, "..."]]:
    """The pictures of one sprite, a pixel after another."""

    def component(slot: int, values: np.ndarray) -> np.ndarray:
        made = task.component(values, composition, every)
        return made.reshape(len(values), -1, made.shape[-1]).astype(np.float64)

    return component


def _complete(
    support: Support, slots: int, purpose: str, seed: int, most: int | None = None
) -> Callable[[int, np.ndarray, int], np.ndarray]:
    rng = stream(seed, "theory", "completions", purpose)

    def complete(slot: int, value: np.ndarray, count: int) -> np.ndarray:
        count = min(count, most or count)
        if not _cuts_shapes(support):
            return support.complete(slot, value, count, slots, rng)
        # Other latents of the same shape draw the same sprite, and a cut may leave them more.
        values = np.tile(value, (1 + ALIKE, 1))
        values[1:] = np.linspace(*alike(value), ALIKE)
        values = values[support.reaches(slot, values, slots)]
        each = ceil(count / max(len(values), 1))
        found = [np.empty((0, slots, len(value))), *(support.complete(slot, v, each, slots, rng) for v in values)]
        points = np.concatenate(found)[:count]
        points[:, slot] = value
        return points

    return complete


def _cuts_shapes(support: Support) -> bool:
    return any(position(name)[1] == SHAPE for name in support.without)


def _moved(support: Support, values: Float[np.ndarray, "slots values latents"]) -> Float[np.ndarray, "_ _ latents"]:
    """The values with other latents for the same shapes, outside the cut where there are such."""
    moved = values.copy()
    for name, (first, last) in support.without.items():
        slot, latent = position(name)
        if latent != SHAPE:
            continue
        own = moved[slot, :, SHAPE].copy()
        low, high = (each[:, SHAPE] for each in alike(moved[slot]))
        outside = np.where(low < first, (low + first) / 2, np.where(last < high, (last + high) / 2, own))
        instead = np.where((first <= own) & (own <= last), outside, own)
        # Slots that are alike stay so: a diagonal shows no others.
        moved[..., SHAPE] = np.where(moved[..., SHAPE] == own, instead, moved[..., SHAPE])
    return moved


def summary(problem: Problem, found: SupportCheck, free: Freedom) -> dict[str, Any]:
    """The conditions as JSON values, without what is told by value and by pixel."""
    return {
        "guarantee": guarantee(problem, found),
        "compositional": found.compositional,
        "sufficient": found.sufficient,
        "stacked": found.stacked,
        "relative": relative(found),
        "margin": found.margin,
        "lacking": [slot.lacking for slot in found.slots],
        "full_rank": [slot.summed for slot in found.slots],
        "never_shown": never_shown(problem),
        "free_share": free.share,
        "free_overlap_share": free.overlap_share,
    }
