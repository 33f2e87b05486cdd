"""What to bear in mind about an outlook: how far its problem is from the trials, and why kernels say otherwise."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

import numpy as np

from recombine.models import ModelSpec
from recombine.theory.calibration import Calibration
from recombine.theory.outlook import COMPOSES_FROM

Shown: TypeAlias = Callable[[float], float]  # a feature as it is told

NEAREST = 10  # trials that are asked how networks differed from kernels
APART = 0.2  # performance by which an outlook differs from kernels enough to be told why
EXAMPLES: tuple[str, Shown] = ("training examples", lambda value: 10**value)
SIZES: Mapping[str, tuple[str, Shown]] = {
    "levels": ("levels of a factor", lambda value: value),
    "examples": EXAMPLES,
}
SCENE_SIZES: Mapping[str, tuple[str, Shown]] = {
    "sprites": ("sprites", lambda value: value),
    "pixels": ("rows of pixels", lambda value: value),
    "examples": EXAMPLES,
}


def notes(
    known: Calibration, told: Sequence[Mapping[str, float]], kind: str, model: ModelSpec | None, expected: float
) -> tuple[str, ...]:
    """Sentences about an outlook of ``expected`` for a problem of this family; its features are told by network."""
    mine = known.column(f"is {kind}") > 0 if f"is {kind}" in known.names else np.zeros(len(known.rows), dtype=bool)
    beside = tuple(_beside_kernels(known, told, expected))
    if not mine.any():
        other = "No trial was of this sort of task: the numbers are those of other tasks with similar facts."
        return (other, *beside)
    return (*_larger(known, told[0], mine, SIZES), *_unknown_network(known, model, mine), *beside)


def scene_notes(
    known: Calibration, told: Sequence[Mapping[str, float]], model: ModelSpec | None, expected: float
) -> tuple[str, ...]:
    """The same about scenes, of which all trials of their process were."""
    every = np.ones(len(known.rows), dtype=bool)
    larger = _larger(known, told[0], every, SCENE_SIZES)
    return (*larger, *_unknown_network(known, model, every), *_beside_kernels(known, told, expected))


def _larger(
    known: Calibration, told: Mapping[str, float], mine: np.ndarray, sizes: Mapping[str, tuple[str, Shown]]
) -> Iterator[str]:
    for name, (words, shown) in sizes.items():
        # As they are told: stored logarithms are rounded.
        most, asked = round(shown(known.column(name)[mine].max())), round(shown(told[name]))
        if asked > most:
            yield (
                f"No trial of such tasks had more than {most} {words}, and this problem has {asked}: "
                "believe the reasons more than the number."
            )


def _unknown_network(known: Calibration, model: ModelSpec | None, mine: np.ndarray) -> Iterator[str]:
    tried = sorted({kind for kind, own in zip(known.models, mine, strict=True) if own})
    if model is not None and model.kind not in tried:
        yield f"No trial of such tasks had a network of kind {model.kind!r}; they had {', '.join(tried)}."


def _beside_kernels(known: Calibration, told: Sequence[Mapping[str, float]], expected: float) -> Iterator[str]:
    """Why trained networks should do otherwise than kernels: what trials that are most alike say, or that none are.

    The gain over kernels is that of the nearest trials of each network, and its mean over networks is what is told, as
    the number is a mean over networks. Where that gain is not the difference, it is not given as its reason.
    """
    kernels = float(np.mean([each["kernels"] for each in told]))
    if abs(expected - kernels) < APART and (expected >= COMPOSES_FROM) == (kernels >= COMPOSES_FROM):
        return
    gains = known.performance - known.column("kernels")
    count = min(NEAREST, len(known.rows))
    gain = float(np.mean([gains[known.nearest(each, NEAREST)].mean() for each in told]))
    of_each = " of each sort of network" if len(told) > 1 else ""
    alike = (
        f"in the {count} trials that are most like this one{of_each} trained networks did {abs(gain):.2f} "
        f"{'better' if gain >= 0 else 'worse'} than kernels"
    )
    if abs(kernels + gain - expected) < max(APART / 2, abs(expected - kernels) / 2):
        yield f"Kernels alone reach {kernels:z.2f}; {alike}."
        return
    mean = float(known.performance.mean())
    ends = sorted((kernels + gain, mean))
    why = (
        f"too few are like it, so that the number leans towards the mean of all trials, {mean:z.2f}"
        if ends[0] <= expected <= ends[1]
        else "it rests on trials that are less alike"
    )
    yield (
        f"Kernels alone reach {kernels:z.2f}, and {alike}, which does not account for an expected {expected:z.2f}: "
        f"{why}; believe the reasons more than the number."
    )
