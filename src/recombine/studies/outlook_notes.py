"""What to bear in mind about an outlook: how far its problem is from the trials, and why kernels say otherwise."""

from collections.abc import Iterator, Mapping

import numpy as np

from recombine.models import ModelSpec
from recombine.theory.calibration import Calibration
from recombine.theory.outlook import COMPOSES_FROM

NEAREST = 10  # trials that are asked how networks differed from kernels
APART = 0.2  # performance by which an outlook differs from kernels enough to be told why
SIZES = {
    "levels": ("levels of a factor", lambda value: value),
    "examples": ("training examples", lambda value: 10**value),
}


def notes(
    known: Calibration, told: Mapping[str, float], kind: str, model: ModelSpec | None, expected: float
) -> tuple[str, ...]:
    """Sentences about an outlook of ``expected`` for a problem with these features, of this family."""
    mine = known.column(f"is {kind}") > 0 if f"is {kind}" in known.names else np.zeros(len(known.rows), dtype=bool)
    if not mine.any():
        return ("No trial was of this sort of task: the numbers are those of other tasks with similar facts.",)
    return (*_larger(known, told, mine), *_unknown_network(known, model, mine), *_beside_kernels(known, told, expected))


def _larger(known: Calibration, told: Mapping[str, float], mine: np.ndarray) -> Iterator[str]:
    for name, (words, shown) in SIZES.items():
        most = known.column(name)[mine].max()
        if told[name] > most + 1e-9:
            yield (
                f"No trial of such tasks had more than {shown(most):.0f} {words}, and this problem has "
                f"{shown(told[name]):.0f}: believe the reasons more than the number."
            )


def _unknown_network(known: Calibration, model: ModelSpec | None, mine: np.ndarray) -> Iterator[str]:
    tried = sorted({kind for kind, own in zip(known.models, mine, strict=True) if own})
    if model is not None and model.kind not in tried:
        yield f"No trial of such tasks had a network of kind {model.kind!r}; they had {', '.join(tried)}."


def _beside_kernels(known: Calibration, told: Mapping[str, float], expected: float) -> Iterator[str]:
    """Why trained networks should do otherwise than kernels, from the trials that are most alike."""
    kernels = told["kernels"]
    if abs(expected - kernels) < APART and (expected >= COMPOSES_FROM) == (kernels >= COMPOSES_FROM):
        return
    nearest = known.nearest(told, NEAREST)
    gain = float((known.performance - known.column("kernels"))[nearest].mean())
    yield (
        f"Kernels alone reach {kernels:.2f}; in the {len(nearest)} trials that are most like this one trained networks "
        f"did {abs(gain):.2f} {'better' if gain >= 0 else 'worse'} than kernels."
    )
