"""What is to be expected of a network: its performance by section with an interval, and the failure by name."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from recombine.core.failures import Failure

COMPOSES_FROM = 0.9  # performance from which on a network is said to compose
DIFFER_FROM = 0.2  # performance by which sorts of networks differ enough for one number not to speak for all of them
MEANING = "1 is perfect, 0 no better than knowing nothing, below 0 worse than that"


@dataclass(frozen=True)
class Expectation:
    """Performance that is expected in one section, between the ends of an interval of 80%."""

    name: str
    expected: float
    low: float
    high: float

    def to_dict(self) -> dict[str, Any]:
        return {"name": self.name, "expected": self.expected, "low": self.low, "high": self.high}


@dataclass(frozen=True)
class Expected:
    """A failure that is expected, and the fact of the training set or of the kernels' answers that says so."""

    failure: Failure
    text: str
    evidence: Mapping[str, Any]

    def to_dict(self) -> dict[str, Any]:
        return {"failure": str(self.failure), "text": self.text, "evidence": dict(self.evidence)}


@dataclass(frozen=True)
class Outlook:
    """What is expected of trained networks, in numbers that were tuned on trained networks, and why.

    ``failures`` are in order: the first is the one to mend first. There are none where the network should compose.
    ``notes`` say how far the problem is from what the numbers were tuned on, and why they differ from the kernels'.
    """

    sections: tuple[Expectation, ...]
    failures: tuple[Expected, ...]
    calibrated: bool  # else the numbers are those of the theory as they are
    notes: tuple[str, ...] = ()
    networks: tuple[Expectation, ...] = ()  # of all that is held out, by sort of network; none where one is asked about
    loss: str | None = None  # that the numbers are for, where it matters: a network is asked about, and classes

    @property
    def held_out(self) -> Expectation:
        """The section of all that is held out."""
        named = {section.name: section for section in self.sections}
        return named["ood"] if "ood" in named else self.sections[-1]

    @property
    def failure(self) -> Failure | None:
        """The first failure that is expected."""
        return self.failures[0].failure if self.failures else None

    @property
    def composes(self) -> bool | None:
        """Whether the whole interval says so; None where it does not decide, or where networks differ about it."""
        if self.depends and len({_composes(each) for each in self.networks}) > 1:
            return None
        return _composes(self.held_out)

    @property
    def depends(self) -> bool:
        """Whether sorts of networks should do differently."""
        expected = [each.expected for each in self.networks]
        return len(expected) > 1 and max(expected) - min(expected) >= DIFFER_FROM

    @property
    def verdict(self) -> str:
        """One sentence."""
        part = self.held_out
        words = {True: "Should compose", False: "Should not compose", None: "May or may not compose"}[self.composes]
        words += f" when trained with loss={self.loss}" if self.loss else ""
        numbers = f"held-out performance {part.expected:z.2f} ({part.low:z.2f} to {part.high:z.2f}; {MEANING})"
        why = f"; expected failure: {self.failure}" if self.failure else ""
        if self.depends:
            most, least = (choose(self.networks, key=lambda each: each.expected) for choose in (max, min))
            ends = f"from {least.expected:z.2f} ({least.name}) to {most.expected:z.2f} ({most.name})"
            words, why = f"{words} (it depends on the network)", f"; by network {ends}{why}"
        return f"{words}: {numbers}{why}."

    def to_dict(self) -> dict[str, Any]:
        return {
            "verdict": self.verdict,
            "composes": self.composes,
            "failure": None if self.failure is None else str(self.failure),
            "failures": [each.to_dict() for each in self.failures],
            "performance": [section.to_dict() for section in self.sections],
            "calibrated": self.calibrated,
            "notes": list(self.notes),
            "networks": [each.to_dict() for each in self.networks],
            "depends": self.depends,
            "loss": self.loss,
        }


def _composes(part: Expectation) -> bool | None:
    if part.low >= COMPOSES_FROM:
        return True
    return False if part.high < COMPOSES_FROM else None


def in_order(found: Sequence[Expected]) -> tuple[Expected, ...]:
    """The failures, the one to be mended first before the others."""
    order = list(Failure)
    return tuple(sorted(found, key=lambda each: order.index(each.failure)))
