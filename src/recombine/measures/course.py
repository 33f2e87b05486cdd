"""How many directions a layer used in the course of training: up, then down?"""

from collections.abc import Mapping

import numpy as np

from recombine.core.errors import InputError
from recombine.core.shapes import Float
from recombine.measures.evidence import Evidence
from recombine.measures.registry import measures

RATIO = "participation."  # the measure, followed by a layer
DRAWN = "strict_accuracy.all"  # says at which checkpoints pictures were drawn, not noise


@measures.register("participation_peak")
def participation_peak(evidence: Evidence) -> dict[str, float]:
    """Largest effective number of directions in the course of training, once pictures are drawn, by layer.

        peak = max PR(c) over checkpoints c ≥ c₀,   c₀ the first with accuracy(c₀) ≥ 1/2

    PR is smoothed: the median of three checkpoints, so that one that jumps is no peak. The accuracy is
    `strict_accuracy` of all pictures. Before c₀ a network draws noise, which uses many directions and
    says nothing. Undefined where half of them are right at no checkpoint.
    """
    drawing = _drawing(evidence)
    return {name: float(ratios[drawing:].max()) for name, ratios in _smoothed(evidence).items()}


@measures.register("participation_end")
def participation_end(evidence: Evidence) -> dict[str, float]:
    """Effective number of directions at the end of training, by layer: the mean of the last three checkpoints."""
    return {name: float(ratios[-3:].mean()) for name, ratios in _ratios(evidence).items()}


@measures.register("participation_rise")
def participation_rise(evidence: Evidence) -> dict[str, float]:
    """By what share the effective number of directions rose to its peak since pictures are drawn, by layer.

        rise = (peak − PR(c₀)) / PR(c₀),   c₀ and the smoothed PR those of `participation_peak`

    0: it was never higher than at first. Layers that do not vary then are left out.
    """
    drawing, peaks = _drawing(evidence), participation_peak(evidence)
    firsts = {name: float(ratios[drawing]) for name, ratios in _smoothed(evidence).items()}
    found = {name: (peaks[name] - first) / first for name, first in firsts.items() if first > 0}
    if not found:
        raise InputError("no layer varies when pictures are first drawn, so there is no rise; check for dead layers.")
    return found


@measures.register("participation_hump")
def participation_hump(evidence: Evidence) -> dict[str, float]:
    """By what share the effective number of directions fell from its peak to the end of training, by layer.

        hump = (peak − end) / end

    0: it was never higher than at the end; no upper end. Layers that do not vary at the end are left out.
    """
    peaks, ends = participation_peak(evidence), participation_end(evidence)
    found = {name: (peaks[name] - end) / end for name, end in ends.items() if end > 0}
    if not found:
        raise InputError("no layer varies at the end of training, so there is no hump; check that they are not dead.")
    return found


def _ratios(evidence: Evidence) -> dict[str, Float[np.ndarray, " checkpoints"]]:
    course = _course(evidence)
    found = {name.removeprefix(RATIO): values for name, values in course.items() if name.startswith(RATIO)}
    if not found:
        raise InputError(
            f"the course of this evidence has {_names(course)} and no {RATIO.rstrip('.')}; measure that at checkpoints "
            "too, or leave out the measures of its course."
        )
    return {name: values.astype(np.float64) for name, values in found.items()}


def _smoothed(evidence: Evidence) -> dict[str, Float[np.ndarray, " checkpoints"]]:
    """The median of each checkpoint and its two neighbours; the first and the last stand as their own neighbour."""
    found = {}
    for name, ratios in _ratios(evidence).items():
        padded = np.pad(ratios, 1, mode="edge")
        found[name] = np.median([padded[:-2], padded[1:-1], padded[2:]], axis=0)
    return found


def _drawing(evidence: Evidence) -> int:
    """The first checkpoint at which at least half of all pictures are right."""
    course = _course(evidence)
    if DRAWN not in course:
        raise InputError(
            f"the course of this evidence has {_names(course)} and no {DRAWN}, by which the noise of the beginning "
            "is left out; measure it at checkpoints too."
        )
    right = course[DRAWN] >= 1 / 2
    if not right.any():
        raise InputError(
            "half of the pictures are right at no checkpoint, so the noise of the beginning has no end; train longer."
        )
    return int(np.argmax(right))


def _names(course: Mapping[str, np.ndarray]) -> str:
    """What was measured on the way, each measure once."""
    return ", ".join(dict.fromkeys(name.partition(".")[0] for name in course))


def _course(evidence: Evidence) -> dict[str, np.ndarray]:
    if not evidence.course:
        raise InputError(
            "this evidence has no course; measure at checkpoints during training, "
            "or leave out the measures of its course."
        )
    return dict(evidence.course)
