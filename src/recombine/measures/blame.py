"""What is to blame? The held-out error shared out among named failures, each taking what it accounts for.

    left_i = error_i of held-out row i;   cause after cause:  taken_ci = min(claim_ci, left_i),  left_i −= taken_ci
    share_c = Σ_i taken_ci / Σ_i error_i,   "other" is what is left at the end

A claim is how much of a row's error a cause accounts for. Where claims overlap, the order decides.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from recombine.core.errors import InputError, unknown
from recombine.core.failures import Failure
from recombine.core.shapes import Float

NOT_LEARNED = "not learned"  # what was trained on is wrong already
OTHER = "other"

# From what says least about composition to what says most. First what would be wrong with nothing held out: what was
# shown is wrong, and then what could have been shown. Then what training cannot teach, a fact of the training set that
# no answer can change. Last what the network made of it, where nothing of this was lacking. "No compositional example"
# comes before "too little data": with no example at all of a combination, every combination is one too few.
ORDER: tuple[str, ...] = (
    NOT_LEARNED,
    Failure.NO_COMPOSITIONAL_EXAMPLE,
    Failure.TOO_LITTLE_DATA,
    Failure.UNSEEN_LEVEL,
    Failure.TOO_LITTLE_OVERLAP,
    Failure.NOT_ADDITIVE,
    Failure.SHORTCUT,
    Failure.LEAK,
    Failure.SUPERPOSITION,
    OTHER,
)
SMALL = 0.1  # mean held-out error, in units of its scale, below which it composes, be it in part
# Of numbers, which can be nearly right: the held-out error beyond that on what was shown from which on something is to
# blame below `SMALL` too. Answers that are shrunk by a tenth have it; one of 0.1 has answers shrunk by a third.
FINE = 0.01
TRACE = 0.005  # smaller shares are not told
ROUNDING = 1e-9  # smaller ones are none


@dataclass(frozen=True, eq=False)
class Claim:
    """What one cause could account for."""

    failure: str
    errors: Float[np.ndarray, " rows"]  # of each held-out row's error; more than all of it counts as all
    text: str  # one sentence
    evidence: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Part:
    """The share of the held-out error that one cause has taken."""

    failure: str
    share: float
    text: str
    evidence: Mapping[str, float]

    def to_dict(self) -> dict[str, Any]:
        """JSON values."""
        return {
            "failure": str(self.failure),
            "share": self.share,
            "text": self.text,
            "evidence": dict(self.evidence),
        }


@dataclass(frozen=True, slots=True)
class Blame:
    """Shares of the held-out error by cause, in the order in which they took them; empty where there is none to share.

    Shares are positive and sum to 1. ``error`` is the mean error over ``section`` in units of its scale.
    """

    parts: tuple[Part, ...] = ()
    error: float | None = None  # None: nothing is held out
    section: str = "ood"
    floor: float = SMALL  # how far errors below `SMALL` must lie above those on what was shown to be shared out

    @property
    def shares(self) -> dict[str, float]:
        """The share of each cause by name."""
        return {str(part.failure): part.share for part in self.parts}

    @property
    def told(self) -> tuple[Part, ...]:
        """The parts that are worth a word, the largest first and the earlier of equals."""
        return tuple(sorted((part for part in self.parts if part.share >= TRACE), key=lambda part: -part.share))

    @property
    def cause(self) -> str | None:
        """The cause with the largest share, the earlier of equals; None where there is nothing to blame."""
        return str(self.told[0].failure) if self.told else None

    def to_dict(self) -> dict[str, Any]:
        """JSON values: the list of parts, the cause, and which error they divide."""
        return {
            "blame": [part.to_dict() for part in self.parts],
            "cause": self.cause,
            "blamed": {"section": self.section, "error": self.error},
        }

    def __str__(self) -> str:
        if self.error is None:
            return "held-out error: nothing is held out"
        error = f"held-out error {spelt(self.error)} (section {self.section})"
        if not self.parts:
            return f"{error}: too small to blame anything"
        width = max(len(str(part.failure)) for part in self.told)
        lines = [f"{part.share:>5.0%}  {part.failure!s:<{width}}  {part.text}" for part in self.told]
        return "\n".join([f"{error}, by cause:", *lines])


def spelt(error: float) -> str:
    """An error in three digits, or in as many as it takes to tell on which side of `SMALL` it lies."""
    digits = 3
    while (float(told := f"{error:.{digits}g}") < SMALL) != (error < SMALL):
        digits += 1
    return told


def share_out(
    errors: Float[np.ndarray, " rows"],
    claims: Sequence[Claim | None],
    scale: float = 1.0,
    section: str = "ood",
    error: float | None = None,
    shown: float = 0.0,
    floor: float = SMALL,
) -> Blame:
    """Share the held-out errors out among the claims; below `SMALL`, one less than ``floor`` above ``shown`` is not.

    ``scale`` is the mean error that counts as 1, e.g. that of a blank picture. Claims that are None are not made.
    ``error`` is that of the whole ``section``, in units of its scale, where ``errors`` are some of its rows, and
    ``shown`` that on what training showed.
    """
    if not len(errors):
        return Blame(section=section)
    if not (np.isfinite(errors).all() and (errors >= 0).all() and scale > 0):
        raise InputError(
            f"errors from {errors.min():g} to {errors.max():g} on a scale of {scale:g} cannot be shared out; "
            "give finite errors of 0 or more and a scale above 0."
        )
    made: dict[str, Claim] = {}
    for claim in claims:
        if claim is not None:
            _check(claim, len(errors), made)
            made[claim.failure] = claim
    mean = float(errors.mean()) / scale if error is None else error
    if mean < SMALL and mean - shown < floor:
        return Blame((), mean, section, floor)
    left, total, parts = errors.astype(np.float64).copy(), float(errors.sum()), []
    for failure in ORDER[:-1]:
        if failure not in made:
            continue
        taken = np.minimum(np.maximum(made[failure].errors, 0.0), left)
        left -= taken
        if taken.sum() > ROUNDING * total:
            parts.append(Part(failure, float(taken.sum()) / total, made[failure].text, made[failure].evidence))
    rest = 1.0 - sum(part.share for part in parts)
    if rest > ROUNDING:
        parts.append(Part(OTHER, rest, "None of the named failures accounts for it.", {}))
    return Blame(tuple(parts), mean, section, floor)


def _check(claim: Claim, rows: int, made: Mapping[str, Claim]) -> None:
    if claim.failure not in ORDER[:-1]:
        raise unknown("failure", claim.failure, ORDER[:-1])
    if claim.failure in made:
        raise InputError(f"the failure {str(claim.failure)!r} is claimed twice; add up what it accounts for.")
    if claim.errors.shape != (rows,) or not np.isfinite(claim.errors).all():
        raise InputError(
            f"the claim of {str(claim.failure)!r} has shape {claim.errors.shape}; it must be a finite number for each "
            f"of {rows} held-out rows."
        )
