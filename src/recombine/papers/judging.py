"""From records to verdicts. Nothing is run here."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from recombine.papers.claims import Check, Claim, Interval, Scale, Verdict
from recombine.studies import Experiment

Body = Mapping[str, Any]  # the body of a record
Bodies = Mapping[str, Body]  # by digest


@dataclass(frozen=True, slots=True)
class CheckResult:
    """A check with what was measured; no measurement where runs are missing or have failed."""

    check: Check
    measured: Interval | None
    verdict: Verdict
    note: str = ""

    def to_dict(self) -> dict[str, Any]:
        return {
            "quantity": self.check.quantity,
            "of": self.check.of,
            "expected": self.check.expected.to_dict(),
            "measured": self.measured.to_dict() if self.measured else None,
            "verdict": self.verdict,
            "note": self.note,
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
    results = _results(claim, claim.runs(scale), bodies)
    controls = _results(claim, claim.control_runs(scale), bodies)
    digests = {experiment.digest() for experiment in claim.experiments(scale)}
    seconds = sum((bodies[digest]["cost"].get("seconds", 0.0) for digest in digests if digest in bodies), 0.0)
    return Judgement(claim, scale, _all_of(results), results, _all_of(controls), controls, seconds)


def _results(claim: Claim, runs: Mapping[str, Sequence[Experiment]], bodies: Bodies) -> tuple[CheckResult, ...]:
    found = {name: [bodies.get(run.digest()) for run in seeds] for name, seeds in runs.items()}
    return tuple(_result(check, found[check.of]) for check in claim.checks)


def _result(check: Check, found: Sequence[Body | None]) -> CheckResult:
    there = [body for body in found if body is not None]
    if len(there) < len(found):
        return CheckResult(check, None, Verdict.MISSING, f"{len(found) - len(there)} of {len(found)} runs missing")
    failed = [body for body in there if body["status"] != "done"]
    if failed:
        note = f"{len(failed)} of {len(found)} runs failed: {failed[0]['reason']}"
        return CheckResult(check, None, Verdict.UNDECIDED, note)
    if any(check.quantity not in body["measures"] for body in there):
        return CheckResult(check, None, Verdict.UNDECIDED, "not measured here")
    measured = Interval.over_seeds([float(body["measures"][check.quantity]) for body in there])
    return CheckResult(check, measured, check.judge(measured))


def _all_of(results: Iterable[CheckResult]) -> Verdict:
    """All checks must hold: one contradicted check contradicts, one open check leaves the claim open."""
    verdicts = {result.verdict for result in results}
    for verdict in (Verdict.MISSING, Verdict.CONTRADICTED, Verdict.UNDECIDED):
        if verdict in verdicts:
            return verdict
    return Verdict.CONFIRMED
