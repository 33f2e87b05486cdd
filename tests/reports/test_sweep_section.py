"""Sweeps arrange what claims run, and nothing else."""

from dataclasses import replace

import pytest

from recombine.papers import Check, Range, Scale
from recombine.papers.sweeps import Sweep
from recombine.reports.findings import gather
from recombine.reports.report import report_page
from recombine.reports.sweep_section import places_of, sweeps_section
from recombine.studies import change, vary


def narrow(scale, make):
    base = make.tiny(scale)
    return change(base, model=change(base.model, width=4))


@pytest.fixture
def other(make):
    return lambda scale: narrow(scale, make)


@pytest.fixture
def sweep(make, other):
    series = {"shown": {8.0: make.shown}, "held out": {4.0: other, 8.0: make.tiny}}
    return Sweep("width", "x", "Width of the network", "Fig. 9", "ood_nmse", "units", series)


@pytest.fixture
def paper_with(make):
    check = Check("ood_nmse", Range(low=0.5), "none")
    claim = make.claim("X1", {"main": make.tiny}, {"main": make.shown}, check)
    return lambda *sweeps: replace(make.paper(claim), sweeps=sweeps)


@pytest.fixture
def filled(store, record, make):
    """Three seeds of both settings of the claim: 1, 2, 3 where held out, a tenth of it where shown."""
    for setting, scale in ((make.tiny, 1.0), (make.shown, 0.1)):
        for work in vary(setting(Scale.QUICK), seed=range(3)):
            measures = {
                "ood_nmse": scale * (1 + work.seed),
                "id_nmse": 0.5,
                "need_8": 64.0,
                "need_16": 128.0,
                "slope": 1.0,
            }
            record(store, work, measures)
    return store


def section(paper, *stores):
    return sweeps_section(gather([paper], Scale.QUICK, stores))


def test_values_come_from_the_records_of_every_seed(paper_with, sweep, filled, parsed):
    tree = parsed(section(paper_with(sweep), filled))
    (part,) = tree.all("div", id="sweep-width")
    assert part.all("h3")[0].text == "Width of the network"
    alt = part.all("img")[0].attributes["alt"]
    assert alt == "ood_nmse against units. Means: shown: 0.2 at 8; held out: 2 at 8."
    assert "Width of the network (Fig. 9). ood_nmse: " in part.all("figcaption")[0].text
    assert [link.attributes["href"] for link in part.all("a")] == ["#claim-X1"]


def test_settings_that_no_claim_runs_stay_away(paper_with, sweep, other, store):
    """Even if they were recorded."""
    findings = gather([paper_with(sweep)], Scale.QUICK, [store])
    places = places_of(sweep, findings)
    assert {name: list(settings) for name, settings in places.items()} == {"shown": [8.0], "held out": [8.0]}
    alone = replace(sweep, series={"held out": {4.0: other}})
    assert sweeps_section(gather([paper_with(alone)], Scale.QUICK, [store])) is None


@pytest.mark.parametrize(
    ("kind", "quantity", "start"),
    [
        ("plane", "ood_nmse", "ood_nmse over units"),
        ("scatter", "ood_nmse", "ood_nmse against units. Medians, trained and held out: shown (3 runs) 0.5 and 0.2"),
        (
            "scaling",
            "need",
            "Smallest training set that reaches the goal against N. Geometric means, shown: 64 at N = 8",
        ),
    ],
)
def test_each_kind_of_sweep_has_its_figure(paper_with, sweep, filled, parsed, kind, quantity, start):
    (picture,) = parsed(section(paper_with(replace(sweep, kind=kind, quantity=quantity)), filled)).all("img")
    assert picture.attributes["alt"].startswith(start)


def test_gaps_are_named(paper_with, sweep, store, record, make, parsed):
    empty = parsed(section(paper_with(sweep), store))
    assert [note.text for note in empty.all("p", class_="note")] == [
        "6 of its 6 runs missing.",
        "None of its runs has ood_nmse yet.",
    ]
    record(store, make.tiny(Scale.QUICK), {"ood_nmse": 1.0})
    partly = parsed(section(paper_with(sweep), store))
    assert [note.text for note in partly.all("p", class_="note")] == ["5 of its 6 runs missing."]
    assert partly.all("img")[0].attributes["alt"].endswith("Means: held out: 1 at 8.")


def test_the_page_has_the_section_where_there_are_sweeps(paper_with, sweep, filled, parsed, assert_stands_alone):
    tree = parsed(report_page([paper_with(sweep)], Scale.QUICK, [filled]))
    assert_stands_alone(tree)
    assert tree.all("div", id="sweep-width")
    bare = parsed(report_page([paper_with()], Scale.QUICK, [filled]))
    assert not bare.all("section", id="sweeps")
    assert "Sweeps" not in bare.all("nav")[0].text
