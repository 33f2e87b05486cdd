"""From records to verdicts. Nothing is run here."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from recombine.papers.claims import BASELINES, Check, Claim, Interval, Scale, Verdict
from recombine.studies import Work

Body = Mapping[str, Any]  # the body of a record
Bodies = Mapping[str, Body]  # by digest


@dataclass(frozen=True, slots=True)
class CheckResult:
    """A check with what was measured; no measurement where runs are missing or have failed."""

    check: Check
    measured: Interval | None
    verdict: Verdict
    note: str = ""
    baselines: Mapping[str, "CheckResult"] = field(default_factory=dict)  # by name, those that were measured

    def beside(self) -> str:
        """What the baselines have, and which of them are in the range too; nothing where there are none."""
        told = []
        for name, result in self.baselines.items():
            assert result.measured is not None
            also = ", in the range too" if result.verdict is Verdict.CONFIRMED else ""
            told.append(f"{BASELINES[name]}: {result.measured.estimate:.3g}{also}")
        return "; ".join(told)

    def to_dict(self) -> dict[str, Any]:
        return {
            "quantity": self.check.quantity,
            "of": self.check.where(),
            "expected": self.check.expected.to_dict(),
            "measured": self.measured.to_dict() if self.measured else None,
            "verdict": self.verdict,
            "note": self.note,
            **(
                {"baselines": {name: each.to_dict() for name, each in self.baselines.items()}} if self.baselines else {}
            ),
        }


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict on a claim at one scale, with every check and the control's."""

    claim: Claim
    scale: Scale
    verdict: Verdict
    checks: tuple[CheckResult, ...]
    control_verdict: Verdict
    control_checks: tuple[CheckResult, ...]
    seconds: float

    @property
    def sound(self) -> bool:
        """False if the control passes too: then the check shows nothing."""
        return self.control_verdict is not Verdict.CONFIRMED

    def to_dict(self) -> dict[str, Any]:
        headline = self.checks[0]
        return {
            **self.claim.describe(),
            "verdict": self.verdict,
            "measured": headline.measured.to_dict() if headline.measured else None,
            "control_verdict": self.control_verdict,
            "scale": self.scale,
            "seconds": self.seconds,
            "checks": [result.to_dict() for result in self.checks],
            "control_checks": [result.to_dict() for result in self.control_checks],
        }


def judge(claim: Claim, scale: Scale, bodies: Bodies) -> Judgement:
    """Judge a claim from the bodies of its records."""
    results = _results(claim.checks_at(scale), claim.runs(scale), bodies)
    controls = _results(claim.checks_at(scale), claim.control_runs(scale), bodies)
    digests = {work.digest() for work in claim.works(scale)}
    seconds = sum((bodies[digest]["cost"].get("seconds", 0.0) for digest in digests if digest in bodies), 0.0)
    return Judgement(claim, scale, _all_of(results), results, _all_of(controls), controls, seconds)


def _results(checks: Iterable[Check], runs: Mapping[str, Sequence[Work]], bodies: Bodies) -> tuple[CheckResult, ...]:
    found = {name: [bodies.get(run.digest()) for run in seeds] for name, seeds in runs.items()}
    return tuple(_result(check, found) for check in checks)


def _result(check: Check, settings: Mapping[str, Sequence[Body | None]]) -> CheckResult:
    found = [*settings[check.of], *(settings[check.beside] if check.beside is not None else ())]
    there = [body for body in found if body is not None]
    if len(there) < len(found):
        return CheckResult(check, None, Verdict.MISSING, f"{len(found) - len(there)} of {len(found)} runs missing")
    failed = [body for body in there if body["status"] != "done"]
    if failed:
        note = f"{len(failed)} of {len(found)} runs failed: {failed[0]['reason']}"
        return CheckResult(check, None, Verdict.UNDECIDED, note)
    values = [_quantity(body["measures"], check.quantity) for body in there]
    if any(value is None for value in values):
        return CheckResult(check, None, Verdict.UNDECIDED, "not measured here")
    numbers = [float(value) for value in values if value is not None]
    if check.beside is not None:
        half = len(settings[check.of])
        pairs = zip(numbers[:half], numbers[half:], strict=True)
        if check.over is not None and 0 in numbers[half:]:
            return CheckResult(check, None, Verdict.UNDECIDED, "no ratio: the other setting has 0")
        numbers = [check.compare(*pair) for pair in pairs]
    exact = len(numbers) == 1 and all(body.get("exact") for body in there)
    measured = Interval.point(numbers[0]) if exact else Interval.over_seeds(numbers, check.average)
    beside = {name: _result(check.of_baseline(name), settings) for name in check.baselines}
    known = {name: result for name, result in beside.items() if result.measured}
    return CheckResult(check, measured, check.judge(measured), baselines=known)


def _quantity(measures: Mapping[str, Any], name: str) -> float | None:
    """A measure, or one value of a measure by layer or type: ``conjunction_shares.right``."""
    if name in measures:
        return measures[name]
    whole, _, part = name.partition(".")
    found = measures.get(whole)
    return found.get(part) if isinstance(found, Mapping) else None


def _all_of(results: Iterable[CheckResult]) -> Verdict:
    """All checks must hold: one contradicted check contradicts, one open check leaves the claim open."""
    verdicts = {result.verdict for result in results}
    for verdict in (Verdict.MISSING, Verdict.CONTRADICTED, Verdict.UNDECIDED):
        if verdict in verdicts:
            return verdict
    return Verdict.CONFIRMED
