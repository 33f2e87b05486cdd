"""The machinery of claims: ranges, intervals, verdicts, controls."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recombine.core.errors import InputError
from recombine.papers import Average, Check, Claim, Control, Interval, Paper, Range, Scale, Verdict, judge, papers
from recombine.papers.forced_rendering.settings import hole, revealed
from recombine.papers.paper import Papers
from recombine.studies import Work, calculations

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
    experiments = claim.works(Scale.QUICK)
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


def test_baselines_stand_beside_a_check_and_decide_nothing():
    it = claim(Check("holes.probe-h1", Range(2.0, 2.0), "", baselines=("pixels", "untrained", "true")))
    seen = [{"holes": {"probe-h1": 2.0, "pixels-h1": 2.0, "untrained-h1": value}} for value in (0.0, 1.0, 2.0)]
    judged = judge(it, Scale.QUICK, bodies_of(it, seen, [{"holes": {"probe-h1": 0.0}}] * 3))
    (found,) = judged.checks
    assert judged.verdict is found.verdict is Verdict.CONFIRMED
    assert {name: each.verdict for name, each in found.baselines.items()} == {
        "pixels": Verdict.CONFIRMED,
        "untrained": Verdict.UNDECIDED,  # and what was not measured is not told
    }
    assert found.beside() == "true pictures as they are: 2, in the range too; the untrained network, shown them: 1"
    assert found.to_dict()["baselines"]["untrained"]["quantity"] == "holes.untrained-h1"
    assert judged.control_checks[0].beside() == ""


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
    first = it.works(Scale.QUICK)[0].digest()
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


# Differences, parts, exact points and scales, on claims made for the purpose


def with_settings(*checks: Check, seeds: int = 3, exact: bool = False) -> Claim:
    """A claim with the settings one and two, whose control has them exchanged."""
    one, two = (calculated, calculated_otherwise) if exact else (hole, revealed)
    settings = {"one": one, "two": two}
    control = Control("exchanged", {"one": two, "two": one})
    return Claim("X2", "x", "Fig. 2", "Some difference.", checks, settings, control, dict.fromkeys(Scale, seeds))


def calculated(scale: Scale) -> Work:
    return calculations["leak"]()


def calculated_otherwise(scale: Scale) -> Work:
    return calculations["leak"](answer="product")


def random_calculation(scale: Scale) -> Work:
    return calculations["general-leak"]()


def judged(claim: Claim, one: list, two: list, scale: Scale = Scale.QUICK, **body):
    """The judgement where the runs of the two settings have these measures, seed by seed."""
    runs = claim.runs(scale)
    bodies = {}
    for name, found in (("one", one), ("two", two)):
        for work, measures in zip(runs.get(name, []), found, strict=True):
            bodies[work.digest()] = {
                "status": "done", "reason": None, "measures": measures, "cost": {"seconds": 2.0}, **body,
            }  # fmt: skip
    return judge(claim, scale, bodies)


def values(*numbers: float, name: str = "slope") -> list[dict[str, float]]:
    return [{name: number} for number in numbers]


def test_a_difference_is_taken_seed_by_seed():
    """Seeds vary much more than the difference: only paired does it show."""
    it = with_settings(Check("slope", Range(0.05, 0.15), "", "one", "two"))
    found = judged(it, values(0.1, 5.1, 9.11), values(0.0, 5.0, 9.0))
    measured = found.checks[0].measured
    assert measured.estimate == pytest.approx((0.1 + 0.1 + 0.11) / 3)
    assert measured.seeds == 3
    paired = Interval.over_seeds([0.1, 0.1, 0.11])
    assert (measured.low, measured.high) == pytest.approx((paired.low, paired.high))
    assert found.verdict is Verdict.CONFIRMED
    assert found.checks[0].to_dict()["of"] == "one minus two"
    assert it.describe()["checks"][0]["of"] == "one minus two"


def test_the_control_of_a_difference_is_the_difference_the_other_way():
    it = with_settings(Check("slope", Range(low=0.05), "", "one", "two"))
    found = judged(it, values(1.0, 1.1, 1.2), values(0.0, 0.1, 0.2))
    assert found.verdict is Verdict.CONFIRMED
    assert found.control_checks[0].measured.estimate == pytest.approx(-1.0)
    assert found.control_verdict is Verdict.CONTRADICTED
    assert found.sound


def test_a_difference_with_a_missing_or_failed_half_is_not_judged():
    it = with_settings(Check("slope", Range(low=0.05), "", "one", "two"))
    bodies = {
        work.digest(): {"status": "done", "reason": None, "measures": {"slope": 1.0}, "cost": {}}
        for work in it.runs(Scale.QUICK)["one"]
    }
    missing = judge(it, Scale.QUICK, bodies)
    assert missing.verdict is Verdict.MISSING
    assert missing.checks[0].note == "3 of 6 runs missing"
    failed = {work.digest(): {"status": "failed", "reason": "nan", "cost": {}} for work in it.runs(Scale.QUICK)["two"]}
    assert judge(it, Scale.QUICK, bodies | failed).verdict is Verdict.UNDECIDED


def test_a_part_of_a_measure_is_named_after_a_dot():
    it = with_settings(Check("shares.right one", Range(low=0.5), "", "one"))
    whole = [{"shares": {"right one": share, "wrong": 1 - share}} for share in (0.7, 0.71, 0.72)]
    found = judged(it, whole, [])
    assert found.checks[0].measured.estimate == pytest.approx(0.71)
    assert found.verdict is Verdict.CONFIRMED
    # A measure whose own name has a dot is found first.
    assert judged(it, values(0.1, 0.1, 0.1, name="shares.right one"), []).verdict is Verdict.CONTRADICTED


@pytest.mark.parametrize("measures", [{}, {"shares": {"wrong": 1.0}}, {"shares": 0.7}])
def test_a_part_that_is_not_there_leaves_a_claim_open(measures):
    it = with_settings(Check("shares.right", Range(low=0.5), "", "one"))
    found = judged(it, [measures] * 3, [])
    assert found.verdict is Verdict.UNDECIDED
    assert found.checks[0].note == "not measured here"


def test_what_is_exact_is_decided_by_one_run_and_a_single_seed_is_not():
    it = with_settings(Check("slope", Range(0.5, 0.5), "", "one"), exact=True)
    assert [len(works) for works in it.runs(Scale.PAPER).values()] == [1]
    found = judged(it, values(0.5), [], exact=True)
    assert found.checks[0].measured == Interval(0.5, 0.5, 0.5, 1)
    assert found.verdict is Verdict.CONFIRMED
    assert judged(it, values(0.5 + 1e-9), [], exact=True).verdict is Verdict.CONTRADICTED
    # The same run without the word of being exact is one seed of many.
    assert judged(it, values(0.5), []).verdict is Verdict.UNDECIDED


def test_a_difference_of_exact_runs_is_exact():
    it = with_settings(Check("slope", Range(0.25, 0.25), "", "one", "two"), exact=True)
    found = judged(it, values(0.75), values(0.5), exact=True)
    assert found.checks[0].measured == Interval(0.25, 0.25, 0.25, 1)
    assert found.verdict is Verdict.CONFIRMED
    assert found.control_verdict is Verdict.CONTRADICTED


def test_calculations_by_chance_run_once_per_seed():
    control = Control("none", {"main": calculated})
    it = Claim(
        "X3", "x", "", "", (Check("law_error", Range(), ""),), {"main": random_calculation}, control, {Scale.QUICK: 4}
    )
    assert [work.seed for work in it.runs(Scale.QUICK)["main"]] == [0, 1, 2, 3]
    assert [work.seed for work in it.control_runs(Scale.QUICK)["main"]] == [0]
    assert len(it.works(Scale.QUICK)) == 5


def test_a_check_waits_for_its_scale_and_so_do_its_settings():
    it = with_settings(
        Check("slope", Range(low=0.5), "", "one"), Check("slope", Range(low=0.5), "", "two", least=Scale.LAPTOP)
    )
    assert [len(it.checks_at(scale)) for scale in Scale] == [1, 2, 2]
    assert [set(it.runs(scale)) for scale in Scale] == [{"one"}, {"one", "two"}, {"one", "two"}]
    assert set(it.control_runs(Scale.QUICK)) == {"one"}
    one, low = values(1.0, 1.01, 1.02), values(0.0, 0.01, 0.02)
    assert judged(it, one, []).verdict is Verdict.CONFIRMED
    assert judged(it, one, low, Scale.LAPTOP).verdict is Verdict.CONTRADICTED
    assert len(judged(it, one, low, Scale.LAPTOP).to_dict()["checks"]) == 2


def test_every_claim_asks_something_at_every_scale_it_is_asked_at():
    assert all(claim.checks_at(scale) for claim in papers.claims() for scale in Scale if claim.asked_at(scale))
    assert all(claim.asked_at(Scale.PAPER) for claim in papers.claims())


def with_least(id: str, **settings) -> Claim:
    control = Control("full grid", {"main": revealed})
    check = Check("ood_nmse", Range(), "")
    return Claim(id, "some", "", "", (check,), {"main": hole}, control, dict.fromkeys(Scale, 3), **settings)


@pytest.fixture
def some() -> Papers:
    """A paper whose claims are asked at every scale, from laptop on, and at the paper's own alone."""
    found = Papers()
    claims = with_least("SO1"), with_least("SO2", least=Scale.LAPTOP), with_least("SX1", least=Scale.PAPER)
    found.add(Paper("some-paper", ("SO", "SX"), "", "", claims))
    return found


@pytest.mark.parametrize("least", Scale)
def test_a_claim_is_asked_from_its_least_scale_on(least):
    it = with_least("SO1", least=least)
    at = list(Scale).index(least)
    assert [it.asked_at(scale) for scale in Scale] == [k >= at for k in range(len(Scale))]
    assert it.describe()["least_scale"] == least


def test_a_claim_is_asked_at_every_scale_unless_said():
    assert with_least("SO1").least is Scale.QUICK


ASKED = [(Scale.QUICK, ["SO1"]), (Scale.LAPTOP, ["SO1", "SO2"]), (Scale.PAPER, ["SO1", "SO2", "SX1"])]


@pytest.mark.parametrize(("scale", "expected"), ASKED)
def test_a_paper_leaves_out_what_a_scale_does_not_ask(some, scale, expected):
    assert [c.id for c in some["some-paper"].claims_at(scale)] == expected
    for names in ([], ["some-paper"], ["SO", "SX"]):
        assert [c.id for c in some.claims(names, scale)] == expected


def test_without_a_scale_every_claim_is_chosen(some):
    assert [c.id for c in some.claims()] == [c.id for c in some.claims(["some-paper"])] == ["SO1", "SO2", "SX1"]
    assert [c.id for c in some.claims(["sx1"])] == ["SX1"]


@pytest.mark.parametrize("names", [["SO2"], ["so2"], ["SO1", "SO2"], ["some-paper", "SO2"]])
def test_a_claim_that_is_named_below_its_scale_is_refused(some, names):
    with pytest.raises(
        InputError, match=r"^claim SO2 takes more than scale quick allows; it is asked at --scale laptop\.$"
    ):
        some.claims(names, Scale.QUICK)
    assert "SO2" in [c.id for c in some.claims(names, Scale.LAPTOP)]


def test_seconds_are_counted_once_per_run():
    it = with_settings(Check("slope", Range(), "", "one", "two"))
    assert judged(it, values(1.0, 1.0, 1.0), values(1.0, 1.0, 1.0)).seconds == 12.0


def test_a_control_has_no_more_seeds_than_it_needs():
    it = with_settings(Check("slope", Range(), "", "one"), seeds=7)
    assert len(it.runs(Scale.LAPTOP)["one"]) == 7
    assert len(it.control_runs(Scale.LAPTOP)["one"]) == 3


@pytest.mark.parametrize(("of", "minus"), [("three", None), ("one", "three")])
def test_a_check_of_a_setting_that_is_not_given_is_a_mistake(of, minus):
    with pytest.raises(ValueError, match=r"claim X2: checks name settings \['three'\] that are not given"):
        with_settings(Check("slope", Range(), "", of, minus))


@given(st.lists(st.floats(1e-3, 1e3), min_size=2, max_size=6), st.floats(0.1, 10))
def test_the_geometric_interval_moves_with_the_unit_and_contains_its_estimate(values, unit):
    found = Interval.over_seeds(values, average=Average.GEOMETRIC)
    moved = Interval.over_seeds([unit * value for value in values], average=Average.GEOMETRIC)
    assert 0 < found.low <= found.estimate <= found.high
    for ours, theirs in ((found.low, moved.low), (found.estimate, moved.estimate), (found.high, moved.high)):
        assert theirs == pytest.approx(unit * ours, rel=1e-6)


def test_the_geometric_interval_of_equal_factors_is_that_of_their_logarithms():
    assert Interval.over_seeds([0.1, 10.0], average=Average.GEOMETRIC).estimate == pytest.approx(1.0)
    # There is no logarithm of 0: nothing is decided unless all are 0.
    assert Interval.over_seeds([0.0, 2.0], average=Average.GEOMETRIC) == Interval(0.0, 0.0, math.inf, 2)
    assert Interval.over_seeds([0.0, 0.0], average=Average.GEOMETRIC) == Interval(0.0, 0.0, 0.0, 2)
    assert Interval.over_seeds([2.0], average=Average.GEOMETRIC).high == math.inf


# Ratios


def test_a_ratio_is_taken_seed_by_seed():
    """Seeds differ by factors of ten, and the ratio hardly at all: only paired does it show."""
    it = with_settings(Check("slope", Range(0.4, 0.6), "", "one", over="two"))
    found = judged(it, values(0.5, 5.1, 49.0), values(1.0, 10.0, 100.0))
    measured, paired = found.checks[0].measured, Interval.over_seeds([0.5, 0.51, 0.49])
    assert (measured.estimate, measured.low, measured.high) == pytest.approx((paired.estimate, paired.low, paired.high))
    assert measured.seeds == 3
    assert found.verdict is Verdict.CONFIRMED
    assert found.checks[0].to_dict()["of"] == "one over two"
    assert it.describe()["checks"][0]["of"] == "one over two"


@settings(deadline=None, max_examples=20)
@given(st.lists(st.tuples(st.floats(0.01, 100), st.floats(0.01, 100)), min_size=3, max_size=3))
def test_the_geometric_mean_of_a_ratio_is_the_ratio_of_the_geometric_means(pairs):
    one, two = zip(*pairs, strict=True)
    it = with_settings(Check("slope", Range(), "", "one", over="two", average=Average.GEOMETRIC))
    found = judged(it, values(*one), values(*two)).checks[0].measured
    above, below = (Interval.over_seeds(list(each), Average.GEOMETRIC).estimate for each in (one, two))
    assert found.estimate == pytest.approx(above / below)


def test_the_control_of_a_ratio_is_the_ratio_the_other_way():
    it = with_settings(Check("slope", Range(high=0.6), "", "one", over="two", average=Average.GEOMETRIC))
    found = judged(it, values(0.5, 0.5, 0.51), values(1.0, 1.01, 1.0))
    assert found.verdict is Verdict.CONFIRMED
    assert found.control_checks[0].measured.estimate == pytest.approx(1 / found.checks[0].measured.estimate)
    assert found.control_verdict is Verdict.CONTRADICTED


@pytest.mark.parametrize("nought", [0.0, -0.0])
def test_a_ratio_to_nothing_is_undecided_and_says_why(nought):
    it = with_settings(Check("slope", Range(high=0.5), "", "one", over="two"))
    found = judged(it, values(1.0, 1.0, 1.0), values(1.0, nought, 1.0))
    assert found.verdict is Verdict.UNDECIDED
    assert found.checks[0].measured is None
    assert found.checks[0].note == "no ratio: the other setting has 0"
    # Nothing over something is a number.
    assert judged(it, values(0.0, 0.0, 0.0), values(1.0, 1.0, 1.0)).verdict is Verdict.CONFIRMED


def test_a_ratio_with_a_missing_or_failed_half_is_not_judged():
    it = with_settings(Check("slope", Range(high=0.5), "", "one", over="two"))
    bodies = {
        work.digest(): {"status": "done", "reason": None, "measures": {"slope": 1.0}, "cost": {}}
        for work in it.runs(Scale.QUICK)["one"]
    }
    assert judge(it, Scale.QUICK, bodies).verdict is Verdict.MISSING
    failed = {work.digest(): {"status": "failed", "reason": "nan", "cost": {}} for work in it.runs(Scale.QUICK)["two"]}
    assert judge(it, Scale.QUICK, bodies | failed).verdict is Verdict.UNDECIDED


def test_a_ratio_of_exact_runs_is_exact():
    it = with_settings(Check("slope", Range(1.5, 1.5), "", "one", over="two"), exact=True)
    found = judged(it, values(0.75), values(0.5), exact=True)
    assert found.checks[0].measured == Interval(1.5, 1.5, 1.5, 1)
    assert found.verdict is Verdict.CONFIRMED


def test_a_check_is_a_difference_or_a_ratio_and_not_both():
    with pytest.raises(ValueError, match=r"^check of slope: a difference or a ratio, not both\.$"):
        Check("slope", Range(), "", "one", minus="two", over="three")


@pytest.mark.parametrize(
    ("check", "where", "beside", "looks_at"),
    [
        (Check("slope", Range(), "", "one"), "one", None, ("one",)),
        (Check("slope", Range(), "", "one", minus="two"), "one minus two", "two", ("one", "two")),
        (Check("slope", Range(), "", "one", over="two"), "one over two", "two", ("one", "two")),
    ],
)
def test_a_check_tells_what_it_looks_at(check, where, beside, looks_at):
    assert (check.where(), check.beside, check.settings) == (where, beside, looks_at)


def test_a_ratio_to_a_setting_that_is_not_given_is_a_mistake():
    with pytest.raises(ValueError, match=r"claim X2: checks name settings \['three'\] that are not given"):
        with_settings(Check("slope", Range(), "", "one", over="three"))


# Medians


def order_statistics(count: int) -> int:
    """The largest k with P(fewer than k of n values below the median) <= 0.025, by counting; 0 if there is none.

    Of n values each is below the median with probability 1/2.
    """
    chances = [math.comb(count, below) / 2**count for below in range(count + 1)]
    return max((k for k in range(count // 2 + 1) if sum(chances[:k]) <= 0.025), default=0)


@pytest.mark.parametrize("count", range(1, 41))
def test_the_interval_of_the_median_lies_between_the_order_statistics(count):
    k = order_statistics(count)
    found = Interval.over_seeds([float(value) for value in range(1, count + 1)], Average.MEDIAN)
    assert found.estimate == (count + 1) / 2
    assert (found.low, found.high) == ((k, count + 1 - k) if k else (-math.inf, math.inf))
    assert found.seeds == count


@pytest.mark.parametrize("count", [6, 8, 10, 17, 30])
def test_it_covers_the_median_of_any_distribution_as_often_as_counting_says(count):
    """1 - 2 P(Binomial(n, 1/2) < k), at least 0.95; here of a skewed distribution, whose median is 1."""
    k = order_statistics(count)
    exact = 1 - 2 * sum(math.comb(count, below) for below in range(k)) / 2**count
    assert exact >= 0.95
    samples = np.exp(3 * np.random.default_rng(count).normal(size=(4000, count)))
    found = [Interval.over_seeds(sample, Average.MEDIAN) for sample in samples.tolist()]
    assert np.mean([each.low <= 1 <= each.high for each in found]) == pytest.approx(exact, abs=0.012)


@pytest.mark.parametrize("count", range(1, 6))
def test_fewer_than_six_values_have_a_median_and_decide_nothing(count):
    found = Interval.over_seeds([0.5] * count, Average.MEDIAN)
    assert (found.estimate, found.low, found.high) == (0.5, -math.inf, math.inf)
    assert Check("slope", Range(0.0, 1.0), "").judge(found) is Verdict.UNDECIDED
    six = Interval.over_seeds([0.5] * 6, Average.MEDIAN)
    assert Check("slope", Range(0.0, 1.0), "").judge(six) is Verdict.CONFIRMED


@given(st.lists(st.floats(-5, 5), min_size=6, max_size=15))
def test_a_rising_map_of_the_values_maps_the_interval_of_the_median(numbers):
    """The ends are values, so that errors and their logarithms are judged alike; of an odd number the middle is too."""
    found = Interval.over_seeds(numbers, Average.MEDIAN)
    mapped = Interval.over_seeds([math.exp(number) for number in numbers], Average.MEDIAN)
    assert (mapped.low, mapped.high) == (math.exp(found.low), math.exp(found.high))
    if len(numbers) % 2:
        assert mapped.estimate == math.exp(found.estimate)


@given(st.lists(st.floats(-5, 5), min_size=6, max_size=12), st.randoms())
def test_the_order_of_the_seeds_does_not_matter_and_the_interval_contains_its_estimate(numbers, random):
    found = Interval.over_seeds(numbers, Average.MEDIAN)
    mixed = random.sample(numbers, len(numbers))
    assert Interval.over_seeds(mixed, Average.MEDIAN) == found
    assert found.low <= found.estimate <= found.high


def test_one_seed_that_got_stuck_moves_a_mean_and_no_median():
    stuck = [*(1.0 + 0.01 * seed for seed in range(9)), 1e6]
    check = Check("slope", Range(0.9, 1.2), "")
    assert check.judge(Interval.over_seeds(stuck, Average.MEDIAN)) is Verdict.CONFIRMED
    assert check.judge(Interval.over_seeds(stuck)) is Verdict.UNDECIDED


def test_the_median_of_a_ratio_is_that_of_the_ratios():
    it = with_settings(Check("slope", Range(high=0.2), "", "one", over="two", average=Average.MEDIAN), seeds=7)
    ratios = (0.05, 0.1, 0.11, 0.12, 0.13, 0.15, 0.19)
    found = judged(
        it, values(*(10.0**seed * ratio for seed, ratio in enumerate(ratios))), values(*10.0 ** np.arange(7))
    )
    measured = found.checks[0].measured
    assert (measured.estimate, measured.low, measured.high) == pytest.approx((0.12, 0.05, 0.19))
    assert found.verdict is Verdict.CONFIRMED


@pytest.mark.parametrize("average", Average)
def test_a_check_says_which_average_it_judges(average):
    it = with_settings(Check("slope", Range(), "", "one", average=average))
    assert it.describe()["checks"][0]["average"] == average
    assert Check("slope", Range(), "").average is Average.MEAN
