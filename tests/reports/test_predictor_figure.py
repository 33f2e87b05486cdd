"""Conditions beside outcomes: a cell for each composition and support."""

import numpy as np
import pytest

from recombine.papers.first_principles.predictors import COMPOSES, CONDITIONS, PAIRS, SUPPORTS, SupportPredictors
from recombine.reports.kinds import CALCULATIONS
from recombine.reports.predictor_figure import predictor_figure
from recombine.reports.settings import SeedRun, SettingRuns

SHAPE = len(PAIRS), len(SUPPORTS)


def setting_of(*arrays, status="done"):
    body = {"status": status, "measures": {}, "layers": ()}
    runs = tuple(SeedRun(SupportPredictors(seed=seed), body, each) for seed, each in enumerate(arrays))
    return SettingRuns("predictors", "", (), runs)


def kept(composing=5):
    """The first cases compose; the published condition says so of all, the relative of those, the last of none."""
    ratios = np.full(SHAPE, 2 * COMPOSES, dtype=np.float32)
    ratios.flat[:composing] = 1.0
    said = dict(zip(CONDITIONS, (np.ones(SHAPE), ratios <= COMPOSES, np.zeros(SHAPE)), strict=True))
    return {"ratios": ratios, **{name: yes.astype(np.uint8) for name, yes in said.items()}}


@pytest.mark.parametrize("composing", [1, 5])
def test_the_caption_counts_what_the_conditions_say(composing):
    cases = SHAPE[0] * SHAPE[1]
    drawn = str(predictor_figure(setting_of(kept(composing), kept(composing))))
    assert f"of {cases} cases {composing} compose" in drawn
    assert f"published {composing}, relative {cases}, identifiable {cases - composing}" in drawn
    assert "2 seeds" in drawn


def test_the_median_over_seeds_decides():
    drawn = str(predictor_figure(setting_of(kept(5), kept(5), kept(0))))
    assert "5 compose" in drawn


def test_without_arrays_there_is_no_figure():
    assert predictor_figure(setting_of({})) is None
    assert predictor_figure(setting_of(kept(), status="failed")) is None


def test_the_report_finds_it():
    assert CALCULATIONS.figures(setting_of(kept()), []) == [predictor_figure(setting_of(kept()))]


def test_the_other_supports_have_their_own_names():
    from recombine.papers.first_principles.predictors import OTHERS

    ratios = np.ones((len(PAIRS), len(OTHERS)), dtype=np.float32)
    arrays = {"ratios": ratios, **{name: ratios.astype(np.uint8) for name in CONDITIONS}}
    run = SeedRun(SupportPredictors(others=True), {"status": "done", "measures": {}, "layers": ()}, arrays)
    figure = predictor_figure(SettingRuns("others", "", (), (run,)))
    assert figure is not None
    assert f"of {len(PAIRS) * len(OTHERS)} cases {len(PAIRS) * len(OTHERS)} compose" in figure
