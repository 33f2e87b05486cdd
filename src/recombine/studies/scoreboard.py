"""How good forecasts were on trials that they had not seen, beside plain rules."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import rankdata

from recombine.core.failures import Failure
from recombine.core.seeds import stream
from recombine.core.shapes import Float
from recombine.studies.calibrating import Judged, name_of
from recombine.studies.features import family
from recombine.theory.outlook import COMPOSES_FROM

RESAMPLES = 1000
NONE = "none expected"

Values = Float[np.ndarray, " trials"]


@dataclass(frozen=True)
class Score:
    """A score over trials, with an interval of 95% over trials drawn again."""

    value: float
    low: float
    high: float

    def to_dict(self) -> dict[str, float]:
        return {"value": self.value, "low": self.low, "high": self.high}


def resampled(score: Callable[[Values, Values], float], told: Values, measured: Values) -> Score:
    """A score and its interval by the bootstrap."""
    rng = stream(0, "calibrate", "bootstrap")
    draws = []
    for _ in range(RESAMPLES):
        rows = rng.integers(len(told), size=len(told))
        draws.append(score(told[rows], measured[rows]))
    low, high = np.quantile(draws, (0.025, 0.975))
    return Score(score(told, measured), float(low), float(high))


def rank_correlation(told: Values, measured: Values) -> float:
    """Spearman's; 0 where one of the two does not vary, for it then says nothing."""
    if np.ptp(told) == 0 or np.ptp(measured) == 0:
        return 0.0
    return float(np.corrcoef(rankdata(told), rankdata(measured))[0, 1])


def area(told: Values, measured: Values) -> float:
    """AUROC of "composes": how often one that composes was ranked above one that does not; 0.5 where all are alike.

    By the ranks of those that compose (Mann & Whitney 1947).
    """
    composes = measured >= COMPOSES_FROM
    yes, no = int(composes.sum()), int((~composes).sum())
    if not yes or not no:
        return 0.5
    return float((rankdata(told)[composes].sum() - yes * (yes + 1) / 2) / (yes * no))


BASELINES: dict[str, Callable[[Judged], float]] = {
    "always fails": lambda each: 0.0,
    "held-out share": lambda each: -each.told.features["held_out"],
    "performance on what was trained": lambda each: each.trained,
    "distance to the nearest example": lambda each: -each.told.features["distance"],
}
KERNELS_ALONE: dict[str, Callable[[Judged], float]] = {"kernels alone": lambda each: each.told.features["kernels"]}


def scoreboard(judged: Sequence[Judged]) -> dict[str, Any]:
    """How good the forecast was on trials it had not seen, beside plain rules; all numbers as JSON values."""
    measured = np.array([each.measured for each in judged])
    expected = np.array([each.told.expected for each in judged])
    rules: dict[str, Callable[[Judged], float]] = {
        "forecast": lambda each: each.told.expected,
        **KERNELS_ALONE,
        **BASELINES,
    }
    inside = [each.told.low <= each.measured <= each.told.high for each in judged]
    return {
        "trials": len(judged),
        "rules": [_rule(name, np.array([rule(each) for each in judged]), measured) for name, rule in rules.items()],
        "error": float(np.abs(expected - measured).mean()),
        "inside": float(np.mean(inside)),
        "families": [_group(name, each) for name, each in grouped(judged, _family).items()],
        "failures": [_group(name, each) for name, each in grouped(judged, _failure).items()],
        "bins": bins(expected, measured),
        **({"names": names(judged)} if all(each.cause for each in judged) else {}),
        "points": [
            {
                "expected": each.told.expected,
                "low": each.told.low,
                "high": each.told.high,
                "measured": each.measured,
                "family": _family(each),
                "failure": each.told.failure,
                "cause": each.cause,
                "line": each.told.trial.line(),
                "digest": name_of(each.told.trial),
            }
            for each in judged
        ],
    }


def names(judged: Sequence[Judged]) -> dict[str, Any]:
    """How often the expected failure was the cause that was found: a row for each expected name, counts by found one.

    ``right`` is the share among trials that had a failure expected and one found: elsewhere no two names can agree.
    """
    pairs = [(_failure(each), str(each.cause)) for each in judged]
    both = [(told, found) for told, found in pairs if told != NONE and found in set(Failure)]
    rows = [
        {"expected": told, "found": dict(sorted(Counter(found for one, found in pairs if one == told).items()))}
        for told in sorted({told for told, _ in pairs})
    ]
    right = sum(told == found for told, found in both)
    return {"trials": len(both), "right": right / len(both) if both else None, "rows": rows}


def _family(each: Judged) -> str:
    problem = each.told.trial.problem
    return family(problem) + ", factors shown alone too" * bool(problem.isolated)


def _failure(each: Judged) -> str:
    return each.told.failure or NONE


def grouped(judged: Sequence[Judged], by: Callable[[Judged], str]) -> dict[str, list[Judged]]:
    found: dict[str, list[Judged]] = {}
    for each in judged:
        found.setdefault(by(each), []).append(each)
    return dict(sorted(found.items()))


def _rule(name: str, told: Values, measured: Values) -> dict[str, Any]:
    return {
        "name": name,
        "rank": resampled(rank_correlation, told, measured).to_dict(),
        "area": resampled(area, told, measured).to_dict(),
    }


def _group(name: str, judged: Sequence[Judged]) -> dict[str, Any]:
    measured = np.array([each.measured for each in judged])
    expected = np.array([each.told.expected for each in judged])
    return {
        "name": name,
        "trials": len(judged),
        "measured": float(measured.mean()),
        "error": float(np.abs(expected - measured).mean()),
        "bias": float((expected - measured).mean()),
        "inside": float(np.mean([each.told.low <= each.measured <= each.told.high for each in judged])),
        "rank": resampled(rank_correlation, expected, measured).to_dict() if len(judged) > 4 else None,
    }


def bins(expected: Values, measured: Values, count: int = 5) -> list[dict[str, float]]:
    """Calibration: trials in order of what was expected, in equal parts; what was expected and what came."""
    parts = np.array_split(np.argsort(expected, kind="stable"), count)
    return [
        {"expected": float(expected[part].mean()), "measured": float(measured[part].mean()), "trials": len(part)}
        for part in parts
        if len(part)
    ]
