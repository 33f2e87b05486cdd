"""The machinery of claims: ranges, intervals, verdicts, controls."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recombine.core.errors import InputError
from recombine.papers import Check, Claim, Control, Interval, Range, Scale, Verdict, judge, papers
from recombine.papers.forced_rendering import hole, revealed

finite = st.floats(-1e3, 1e3)


def test_the_interval_over_seeds_is_students():
    """For 1, 2, 3, 4: mean 2.5, s = 1.2910, t(0.975; 3) = 3.1824."""
    found = Interval.over_seeds([1.0, 2.0, 3.0, 4.0])
    half = 3.182446305 * np.std([1, 2, 3, 4], ddof=1) / 2
    assert (found.low, found.estimate, found.high) == pytest.approx((2.5 - half, 2.5, 2.5 + half))


def test_the_interval_covers_the_mean_as_often_as_it_says():
    rng = np.random.default_rng(0)
    samples = rng.normal(size=(2000, 4))
    covered = [(found.low <= 0 <= found.high) for found in map(Interval.over_seeds, samples.tolist())]
    assert np.mean(covered) == pytest.approx(0.95, abs=0.02)


def test_one_seed_decides_nothing():
    found = Interval.over_seeds([0.5])
    assert Check("ood_nmse", Range(0.0, 1.0), "").judge(found) is Verdict.UNDECIDED
    assert found.to_dict() == {"estimate": 0.5, "low": None, "high": None, "seeds": 1}


@given(low=finite, high=finite, a=finite, b=finite)
def test_a_verdict_compares_intervals(low, high, a, b):
    low, high = sorted((low, high))
    a, b = sorted((a, b))
    verdict = Check("ood_nmse", Range(low, high), "").judge(Interval((a + b) / 2, a, b, 5))
    if verdict is Verdict.CONFIRMED:
        assert low <= a
        assert b <= high
    elif verdict is Verdict.CONTRADICTED:
        assert b < low or a > high
    else:
        assert not (low <= a and b <= high)
        assert b >= low
        assert a <= high


@pytest.mark.parametrize(
    ("range_", "words", "ends"),
    [
        (Range(high=0.1), "at most 0.1", {"low": None, "high": 0.1}),
        (Range(low=0.9), "at least 0.9", {"low": 0.9, "high": None}),
        (Range(0.6, 1.5), "0.6 to 1.5", {"low": 0.6, "high": 1.5}),
    ],
)
def test_ranges_read_and_write(range_, words, ends):
    assert str(range_) == words
    assert range_.to_dict() == ends


def claim(*checks: Check) -> Claim:
    control = Control("full grid", {"main": revealed})
    return Claim("X1", "x", "Fig. 1", "Something.", checks, {"main": hole}, control, {Scale.QUICK: 3})


def bodies_of(claim: Claim, main: list, control: list) -> dict:
    """Records of every experiment, with these measures for the claim's seeds and its control's."""
    experiments = claim.experiments(Scale.QUICK)
    return {
        experiment.digest(): {"status": "done", "reason": None, "measures": measures, "cost": {"seconds": 1.0}}
        for experiment, measures in zip(experiments, main + control, strict=True)
    }


def test_a_claim_with_its_control_the_other_way_is_confirmed_and_sound():
    it = claim(Check("ood_nmse", Range(0.6, 1.5), ""))
    judged = judge(it, Scale.QUICK, bodies_of(it, [{"ood_nmse": v} for v in (0.9, 1.0, 1.1)], [{"ood_nmse": 0.0}] * 3))
    assert judged.verdict is Verdict.CONFIRMED
    assert judged.control_verdict is Verdict.CONTRADICTED
    assert judged.sound
    assert judged.seconds == 6.0


def test_a_control_that_passes_too_is_a_broken_check():
    it = claim(Check("ood_nmse", Range(0.6, 1.5), ""))
    judged = judge(it, Scale.QUICK, bodies_of(it, [{"ood_nmse": 1.0}] * 3, [{"ood_nmse": 1.0}] * 3))
    assert judged.verdict is Verdict.CONFIRMED
    assert not judged.sound


def test_every_check_must_hold_and_one_against_contradicts():
    it = claim(Check("ood_nmse", Range(0.6, 1.5), ""), Check("id_nmse", Range(high=0.05), ""))
    good, open_, bad = ({"ood_nmse": 1.0, "id_nmse": v} for v in (0.0, 0.05, 0.2))
    rest = [{"ood_nmse": 0.0, "id_nmse": 0.0}] * 3
    assert judge(it, Scale.QUICK, bodies_of(it, [good] * 3, rest)).verdict is Verdict.CONFIRMED
    assert judge(it, Scale.QUICK, bodies_of(it, [good, open_, bad], rest)).verdict is Verdict.UNDECIDED
    assert judge(it, Scale.QUICK, bodies_of(it, [bad] * 3, rest)).verdict is Verdict.CONTRADICTED


def test_a_missing_run_is_missing_and_a_failed_one_undecided():
    it = claim(Check("ood_nmse", Range(0.6, 1.5), ""))
    bodies = bodies_of(it, [{"ood_nmse": 1.0}] * 3, [{"ood_nmse": 0.0}] * 3)
    first = it.experiments(Scale.QUICK)[0].digest()
    failed = {**bodies[first], "status": "failed", "reason": "the loss became nan"}
    judged = judge(it, Scale.QUICK, bodies | {first: failed})
    assert judged.verdict is Verdict.UNDECIDED
    assert "the loss became nan" in judged.checks[0].note
    del bodies[first]
    judged = judge(it, Scale.QUICK, bodies)
    assert judged.verdict is Verdict.MISSING
    assert judged.to_dict()["measured"] is None


def test_papers_and_claims_are_chosen_by_name():
    assert [c.id for c in papers.claims(["fr1", "FR8", "FR1"])] == ["FR1", "FR8"]
    assert papers.claims(["forced-rendering"]) == papers.claims(["FR", "FX"])
    assert {c.id[:2] for c in papers.claims(["FX"])} == {"FX"}
    with pytest.raises(InputError, match="unknown paper or claim 'FR99'"):
        papers.claims(["FR99"])


def test_an_infinite_estimate_is_not_written_as_json_infinity():
    assert all(v is None or math.isfinite(v) for v in Range().to_dict().values())
