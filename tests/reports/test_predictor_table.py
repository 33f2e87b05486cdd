"""Conditions beside outcomes as numbers, counted by hand."""

from dataclasses import replace

import numpy as np
import pytest

from recombine.papers import Check, Range, Scale
from recombine.papers.first_principles.predictors import COMPOSES, CONDITIONS, PAIRS, SUPPORTS, SupportPredictors
from recombine.records import Store
from recombine.reports.findings import gather
from recombine.reports.predictor_table import CONFUSED, HEADS, MEANING, grid_of, predictor_tables
from recombine.reports.settings import SeedRun, SettingRuns
from recombine.reports.support_table import support_section

SHAPE = len(PAIRS), len(SUPPORTS)
CASES = SHAPE[0] * SHAPE[1]


def kept(composing, published=3):
    """The first cases compose; published says so of its first ones, relative of those that do, the last of none."""
    ratios = np.full(SHAPE, 2 * COMPOSES, dtype=np.float32)
    ratios.flat[:composing] = 1.0
    first = np.zeros(SHAPE)
    first.flat[:published] = 1
    said = dict(zip(CONDITIONS, (first, ratios <= COMPOSES, np.zeros(SHAPE)), strict=True))
    return {"ratios": ratios, **{name: yes.astype(np.uint8) for name, yes in said.items()}}


def setting_of(*arrays):
    body = {"status": "done", "measures": {}, "layers": ()}
    runs = tuple(SeedRun(SupportPredictors(seed=seed), body, each) for seed, each in enumerate(arrays))
    return SettingRuns("predictors", "", (), runs)


def trained(scale):
    """Conditions beside outcomes."""
    return SupportPredictors()


def untrained(scale):
    """The same after a step."""
    return SupportPredictors(steps=1)


@pytest.fixture
def findings(make, store, record, tmp_path):
    """Two seeds of the claim, in the first of which 5 cases compose and in the second 2; one of its control."""

    def write(work, arrays):
        without = Store(tmp_path / "without")
        record(without, work, {"composing": 0.5})
        store.commit(replace(without.read(work.digest()), arrays=arrays))

    write(SupportPredictors(seed=0), kept(5))
    write(SupportPredictors(seed=1), kept(2))
    write(SupportPredictors(seed=0, steps=1), kept(0))
    claim = make.claim("P1", {"main": trained}, {"main": untrained}, Check("composing", Range(low=0.5), "a guess"))
    return gather([make.paper(claim)], Scale.QUICK, [store])


def tables(parsed, markup):
    """For every table its head and its rows."""
    found = [[[cell.text for cell in row.children] for row in table.all("tr")] for table in parsed(markup).all("table")]
    return [(tuple(head), rows) for head, *rows in found]


def test_the_confusion_is_counted_over_cases_and_seeds():
    grid = grid_of(setting_of(kept(5), kept(2)))
    # Published says yes of 3 cases: of all 3 that compose and 0 others, then of 2 that do and 1 that does not.
    assert grid.confusion("published") == (3 + 2, 0 + 1, 2 + 0, (CASES - 5) + (CASES - 3))
    assert grid.confusion("relative") == (7, 0, 0, 2 * CASES - 7)
    assert grid.confusion("identifiable") == (0, 0, 7, 2 * CASES - 7)


def test_every_case_has_its_row_and_every_condition_its_counts(findings, parsed):
    confused, cases, *of_control = tables(parsed, predictor_tables(findings))
    assert confused == (
        CONFUSED,
        [
            ["published", "5", "1", "2", str(2 * CASES - 8), f"{2 * CASES - 3} of {2 * CASES}"],
            ["relative", "7", "0", "0", str(2 * CASES - 7), f"{2 * CASES} of {2 * CASES}"],
            ["identifiable", "0", "0", "7", str(2 * CASES - 7), f"{2 * CASES - 7} of {2 * CASES}"],
        ],
    )
    head, rows = cases
    assert head == HEADS
    assert [tuple(row[:2]) for row in rows] == [(pair, support) for pair in PAIRS for support in SUPPORTS]
    assert rows[0][2:] == ["yes", "yes", "no", "1 (1, 1)", "yes"]
    assert rows[2][2:] == ["yes", "in 1 of 2 seeds", "no", "3.25 (1, 5.5)", "in 1 of 2 seeds"]
    assert rows[-1][2:] == ["no", "no", "no", "5.5 (5.5, 5.5)", "no"]
    assert len(of_control) == 2


def test_a_control_is_folded_away_and_what_is_compared_is_said(findings, parsed):
    tree = parsed(predictor_tables(findings))
    (folded,) = tree.all("details")
    assert folded.all("summary")[0].text == "untrained (a control)"
    assert len(folded.all("table")) == 2
    assert f"{CASES} cases with 2 seeds each: {2 * CASES} in all, of which 7 compose." in tree.text
    assert (
        "Compared is what three conditions say of a support before training with what a small network does" in tree.text
    )
    assert set(MEANING) == set(CONDITIONS)
    assert f"at most {COMPOSES:g}" in tree.text


def test_a_row_that_did_not_fit_is_infinite(parsed):
    arrays = kept(1)
    arrays["ratios"][0] = np.inf
    grid = grid_of(setting_of(arrays))
    assert not grid.composes[0, 0].any()
    assert grid.confusion("relative")[1] == 1


def test_the_section_has_the_tables(findings, make, store, parsed):
    (section,) = parsed(support_section(findings)).all("section")
    assert section.attributes["id"] == "supports"
    assert len(section.all("table")) == 4
    claim = make.claim("P2", {"main": trained}, {"main": trained}, Check("composing", Range(low=0.5), "a guess"))
    assert support_section(gather([make.paper(claim)], Scale.PAPER, [])) is None
    assert grid_of(setting_of({})) is None
