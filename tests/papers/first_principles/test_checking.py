"""Conditions, the definition and their table as calculations."""

import numpy as np
import pytest

from recombine.papers.first_principles.checking import FORMULAS, SceneDefinition, SupportCheckup
from recombine.papers.first_principles.predictors import COMPOSES, CONDITIONS, PAIRS, SUPPORTS, SupportPredictors
from recombine.splits.designs import GAP, DiagonalSupport, RandomSupport, orthogonal, orthogonal_single

FEW = {"anchors": 8, "completions": 64}


@pytest.mark.parametrize(
    ("composition", "support", "expected"),
    [
        ("addition", orthogonal(), {"compositional": 1, "sufficient": 1, "relative": 1, "margin": 1, "free_share": 0}),
        ("soft", orthogonal(), {"compositional": 1, "sufficient": 1, "relative": 1}),
        ("soft", orthogonal(without=GAP), {"compositional": 0, "relative": 0, "margin": 0}),
        ("hard", orthogonal(), {"compositional": 1, "sufficient": 0, "relative": 1, "free_share": 0}),
        ("hard", orthogonal_single(), {"compositional": 1, "sufficient": 0, "relative": 0}),
        ("hard", DiagonalSupport(width=0.4), {"sufficient": 0, "relative": 1}),
        ("over", RandomSupport(), {"compositional": 1, "sufficient": 0}),
        ("over", orthogonal(), {"compositional": 1, "sufficient": 0, "relative": 0}),
    ],
)
def test_the_conditions_of_the_notes(composition, support, expected):
    """Section 5.3 and 5.4 of our notes, by another program."""
    found = SupportCheckup(composition=composition, support=support, **FEW).compute()
    assert {name: found.measures[name] for name in expected} == pytest.approx(expected, abs=1e-9)
    assert set(found.measures) <= set(SupportCheckup.quantities)
    assert found.arrays["deficient_1"].shape == found.arrays["lacking_2"].shape == (16, 16)


def test_what_a_constant_front_hides_is_where_it_stands():
    """With one plane each, the pixels that the back lacks are those that the front sprite at the origin covers."""
    task = SupportCheckup(composition="hard", support=orthogonal_single()).task
    lacking = SupportCheckup(composition="hard", support=orthogonal_single(), **FEW).compute().arrays["lacking_2"]
    covered = task.component(np.zeros((1, 5)), task.composition)[0].sum(axis=-1) > 0
    assert covered.any()
    assert not lacking[~covered].any()
    assert (lacking[covered] == 1).all()


def test_scenes_are_what_the_definition_says_and_others_are_not():
    right, wrong = (SceneDefinition(exchanged=exchanged, items=4).compute() for exchanged in (False, True))
    assert right.measures["largest_difference"] < 1e-6
    assert wrong.measures["largest_difference"] > 0.1
    assert right.measures["cases"] == 3 * len(FORMULAS)


BROAD = np.array([name in ("three planes", "four planes", "diagonal 0.4") for name in SUPPORTS], dtype=float)


def planted(monkeypatch, ratios):
    """The table with outcomes that are given, and conditions as our notes have them for hard occlusion.

    The published condition never holds, the relative one for broad supports, and the last one always.
    """
    rows = iter(ratios)
    said = {"published": 0 * BROAD, "relative": BROAD, "identifiable": 0 * BROAD + 1}
    shares = {"lacking": 0.1 * (1 - BROAD), "free": np.arange(len(SUPPORTS)) / 100}
    monkeypatch.setattr(SupportPredictors, "ratios", lambda self, pair: list(next(rows)))
    monkeypatch.setattr(SupportPredictors, "conditions", lambda self, pair: {**said, **shares})
    return SupportPredictors(steps=1).compute()


def test_accuracies_count_what_a_condition_says_rightly(monkeypatch):
    yes, no = COMPOSES / 2, 2 * COMPOSES
    found = planted(monkeypatch, [np.where(BROAD == 1, yes, no)] * len(PAIRS)).measures
    assert found["relative_accuracy"] == found["relative_hard"] == 1
    assert found["published_accuracy"] == found["published_hard"] == 0.5  # it says no to all
    assert found["identifiable_accuracy"] == 0.5  # it says yes to all
    assert found["advantage_hard"] == 0.5
    assert (found["relative_hits"], found["relative_alarms"]) == (1, 0)
    assert found["lacking_rank"] == pytest.approx(1.0)
    assert found["composing"] == 0.5


def test_where_nothing_was_learned_nothing_composes(monkeypatch):
    found = planted(monkeypatch, [[np.inf] * len(SUPPORTS)] * len(PAIRS)).measures
    assert found["composing"] == 0
    assert found["advantage_hard"] == -0.5
    assert "lacking_rank" not in found
    assert {f"{name}_accuracy" for name in CONDITIONS} <= set(found)


def test_the_trainings_of_a_row_make_one_stack():
    for pair in PAIRS:
        trainings = SupportPredictors(steps=1).trainings(pair)
        assert len(trainings) == 1 + len(SUPPORTS)
        assert len({experiment.shape() for experiment in trainings}) == 1
        assert trainings[0].problem.support == RandomSupport()
