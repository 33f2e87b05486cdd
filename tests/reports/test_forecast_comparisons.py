"""Forecasts are scored against every trained run that is recorded."""

import numpy as np
import pytest

from recombine.papers import Check, Interval, Range, Scale
from recombine.reports.comparisons import Comparison, Pair, compare, held_out_rank
from recombine.reports.findings import gather
from recombine.reports.forecasts import forecast_section
from recombine.reports.quantities import PICTURES
from recombine.reports.scatter import FLOOR, scatter_figure
from recombine.studies import change, vary
from recombine.studies.forecasting import record_forecast


def comparison(label, problem, expected, measured, composes=False):
    pair = Pair("ood", expected, 0.8 * expected, 1.25 * expected, Interval.over_seeds(measured))
    return Comparison(label, problem, composes, PICTURES, (pair,))


def forecast_of(experiment, expected):
    sections = [
        {"name": name, "expected": value, "low": value / 2, "high": value * 2, "accuracy": None}
        for name, value in expected.items()
    ]
    return {"problem": experiment.problem.settings(), "composes": None, "sections": sections}


def test_seeds_are_averaged_and_sections_matched_by_name(store, record, paper, make):
    base = make.tiny(Scale.QUICK)
    for seed, error in enumerate((1.0, 2.0, 6.0)):
        record(store, change(base, seed=seed), {"nmse_by_section": {"id": 0.1, "ood": error, "elsewhere": 9.0}})
    store.commit_forecast(base.problem.digest(), forecast_of(base, {"ood": 2.0, "id": 0.4, "rim": 5.0}))
    (found,), without = compare(gather([paper], Scale.QUICK, [store]))
    assert without == 0
    assert (found.label, found.problem) == ("tiny", base.problem.digest())
    assert {pair.section: (pair.expected, pair.measured.estimate) for pair in found.pairs} == {
        "ood": (2.0, pytest.approx(3.0)),
        "id": (0.4, pytest.approx(0.1)),
    }
    assert found.held_out.measured.seeds == 3
    assert {pair.section: pair.inside for pair in found.pairs} == {"ood": True, "id": False}


def test_single_measures_stand_in_where_sections_were_not_measured(store, record, paper, make):
    base = make.tiny(Scale.QUICK)
    record(store, base, {"ood_nmse": 0.25, "ood_accuracy": 1.0})
    store.commit_forecast(base.problem.digest(), forecast_of(base, {"ood": 2.0}))
    (found,), _ = compare(gather([paper], Scale.QUICK, [store]))
    assert found.held_out.measured.estimate == 0.25


def test_only_trained_and_finished_runs_with_a_forecast_count(store, record, paper, make):
    tiny, shown, drawn = (each(Scale.QUICK) for each in (make.tiny, make.shown, make.drawn))
    record(store, tiny, reason="it diverged")
    record(store, drawn, {"ood_nmse": 0.0})
    record(store, shown, {"ood_nmse": 0.5})
    store.commit_forecast(tiny.problem.digest(), forecast_of(tiny, {"ood": 2.0}))  # also that of `drawn`
    findings = gather([paper], Scale.QUICK, [store])
    assert compare(findings) == ([], 1)
    page = forecast_section(findings)
    assert "No trained run with a recorded forecast yet." in page
    assert "1 trained setting without a recorded forecast left out." in page


def test_runs_of_other_scales_and_of_no_claim_count_too(store, record, make):
    def grown(scale):
        return make.tiny(scale, examples=9 if scale is Scale.QUICK else 10)

    claim = make.claim("X9", {"main": grown}, {"main": make.shown}, Check("ood_nmse", Range(high=1.0), "none"))
    record(store, make.shown(Scale.QUICK), reason="it diverged")
    for experiment in (grown(Scale.PAPER), make.tiny(Scale.QUICK, examples=20)):
        record(store, experiment, {"ood_nmse": 0.5})
        store.commit_forecast(experiment.problem.digest(), forecast_of(experiment, {"ood": 2.0}))
    found, _ = compare(gather([make.paper(claim)], Scale.QUICK, [store]))
    assert found[0].label == "grown (laptop)"
    assert found[1].label.startswith("mlp-decoder on bump, block (")


def test_a_forecast_of_nothing_known_is_left_out(store, record, paper, make):
    base = make.tiny(Scale.QUICK)
    record(store, base, {"ood_nmse": 0.25})
    unknown = {"name": "ood", "expected": None, "low": None, "high": None, "accuracy": None}
    store.commit_forecast(base.problem.digest(), {"composes": None, "sections": [unknown]})
    assert compare(gather([paper], Scale.QUICK, [store])) == ([], 0)


@pytest.mark.parametrize(
    ("measured", "rank"), [([0.1, 0.2, 0.9], 1.0), ([0.9, 0.2, 0.1], -1.0), ([0.1, 0.9, 0.2], 0.5)]
)
def test_the_rank_correlation_is_spearmans(measured, rank):
    chosen = [
        comparison("s", f"p{place}", expected, [value, value])
        for place, (expected, value) in enumerate(zip((0.01, 1.0, 50.0), measured, strict=True))
    ]
    assert held_out_rank(chosen) == (pytest.approx(rank), 3, 3)


def test_two_problems_are_too_few_for_a_rank(real_store, paper):
    chosen = [comparison("s", "p0", 0.1, [0.1]), comparison("t", "p0", 0.1, [0.3]), comparison("u", "p1", 2.0, [0.3])]
    assert held_out_rank(chosen) is None
    page = forecast_section(gather([paper], Scale.QUICK, [real_store]))
    assert "No rank correlation: it takes at least 3 distinct problems." in page
    assert "kernel regime" in page


def test_the_section_of_three_problems_names_its_rank(store, record, paper, make, parsed):
    record(store, make.tiny(Scale.QUICK), reason="it diverged")
    for count, error in ((9, 0.5), (10, 1.0), (20, 2.0)):
        base = make.tiny(Scale.QUICK, examples=count)
        record_forecast(base.problem, store)
        for experiment in vary(base, seed=range(2)):
            record(store, experiment, {"nmse_by_section": {"ood": error + experiment.seed / 100}})
    page = parsed(forecast_section(gather([paper], Scale.QUICK, [store])))
    (told, inside) = (item.text for item in page.all("li"))
    assert told.startswith("Spearman rank correlation of forecast with measured held-out nMSE: ")
    assert "over 3 settings of 3 distinct problems" in told
    assert inside.endswith("of 3 settings.")
    assert [row.children[0].text for row in page.all("tr")[1:]] == ["1", "2", "3"]


def test_values_without_a_logarithm_are_drawn_at_the_floor(image_bytes, parsed):
    """An error of zero, an interval that reaches below it, and a single seed without one."""
    chosen = [
        comparison("exact", "p0", 1e-27, [0.0, 0.0]),
        comparison("wide", "p1", 1.0, [0.001, 2.0]),
        comparison("single $1$ <b>", "p2", 3.0, [0.4]),
    ]
    figure = scatter_figure(chosen)
    assert b">3<" in image_bytes(figure)
    (picture,) = parsed(figure).all("img")
    assert "1 exact: forecast ≈0, measured 0; 2 wide" in picture.attributes["alt"]
    assert f"Values below {FLOOR:g} are drawn at {FLOOR:g}." in figure
    assert np.isfinite(chosen[1].held_out.measured.low)


def test_with_papers_named_runs_that_are_not_theirs_are_left_out(store, record, make):
    claim = make.claim("X9", {"main": make.tiny}, {"main": make.shown}, Check("ood_nmse", Range(high=1.0), "none"))
    ours, other, bare = make.tiny(Scale.QUICK), make.tiny(Scale.QUICK, examples=20), make.tiny(Scale.QUICK, examples=9)
    for experiment in (ours, other, bare):
        record(store, experiment, {"ood_nmse": 0.5})
    for experiment in (ours, other):
        store.commit_forecast(experiment.problem.digest(), forecast_of(experiment, {"ood": 2.0}))
    everything, without = compare(gather([make.paper(claim)], Scale.QUICK, [store]))
    assert (len(everything), without) == (2, 1)
    (found,), without = compare(gather([make.paper(claim)], Scale.QUICK, [store], only=True))
    assert (found.label, without) == ("tiny", 0)


def test_without_anything_to_forecast_there_is_no_section(store, make):
    claim = make.claim("X9", {"main": make.drawn}, {"main": make.drawn}, Check("ood_nmse", Range(high=1.0), "none"))
    assert forecast_section(gather([make.paper(claim)], Scale.QUICK, [store])) is None


def test_settings_that_showed_no_combination_are_named(store, record, make):
    """Their section id was not trained on."""
    claim = make.claim("X9", {"main": make.tiny}, {"main": make.shown}, Check("ood_nmse", Range(high=1.0), "none"))
    for experiment in (make.tiny(Scale.QUICK), make.tiny(Scale.QUICK, isolated=("y", "x"), examples=0)):
        record(store, experiment, {"ood_nmse": 0.5, "id_nmse": 0.5})
        store.commit_forecast(experiment.problem.digest(), forecast_of(experiment, {"ood": 2.0, "id": 1.0}))
    found, _ = compare(gather([make.paper(claim)], Scale.QUICK, [store]))
    assert [each.no_combination for each in found] == [False, True]
    assert "No combination was trained on in 2, only factors alone" in scatter_figure(found)
    assert "No combination" not in scatter_figure(found[:1])


def test_a_page_of_a_named_paper_says_that_it_has_none(store, record, make):
    claim = make.claim("X9", {"main": make.shown}, {"main": make.shown}, Check("ood_nmse", Range(high=1.0), "none"))
    record(store, make.tiny(Scale.QUICK), {"ood_nmse": 0.5})
    store.commit_forecast(make.tiny(Scale.QUICK).problem.digest(), forecast_of(make.tiny(Scale.QUICK), {"ood": 2.0}))
    page = forecast_section(gather([make.paper(claim)], Scale.QUICK, [store], only=True))
    assert "No trained run of the papers asked for, but for those of supports, with a recorded forecast yet." in page
    assert "<table" not in page
