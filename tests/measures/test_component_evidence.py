"""Component evidence has a row per combination, and nonsense is refused when it is built."""

import dataclasses

import jaxtyping
import numpy as np
import pytest

from recombine.core.errors import InputError


def test_a_combination_without_an_answer_may_hold_anything(decision):
    evidence = decision()
    assert np.isnan(evidence.targets).sum() == np.isnan(evidence.answers).sum() == 1
    assert evidence.binary


def test_sums_are_no_decisions_but_their_signs_are(addition):
    evidence = addition()
    assert not evidence.binary
    defined = evidence.targets != 0
    sections = {name: mask & defined for name, mask in evidence.sections.items()}
    assert dataclasses.replace(evidence, targets=np.sign(evidence.targets), sections=sections).binary


def test_the_mean_is_over_samples(decision):
    answers = np.arange(90.0).reshape(30, 3)
    assert decision(answers).mean == pytest.approx(3 * np.arange(30) + 1)


def test_a_missing_and_an_empty_section_are_told_apart(decision):
    evidence = decision()
    with pytest.raises(InputError, match="no section 'corner', only id, ood; name that section"):
        evidence.section("corner")
    none = dataclasses.replace(evidence, sections={**evidence.sections, "ood": np.zeros(30, dtype=bool)})
    with pytest.raises(InputError, match="section 'ood' of this evidence is empty; use a split"):
        none.section("ood")


def bad_values(evidence):
    """A change to good evidence, and what the refusal must say."""
    masks, similar = evidence.sections, np.eye(30)
    diverged = evidence.answers.copy()
    diverged[int(np.flatnonzero(masks["ood"])[0])] = np.inf
    twice = np.concatenate([evidence.combinations[:-1], evidence.combinations[:1]])
    return {
        "no components": ({"combinations": evidence.combinations[:, :0]}, r"combinations have shape \(30, 0\)"),
        "a list of levels": ({"combinations": evidence.combinations[:, 0]}, r"must be \(combinations, components\)"),
        "a combination twice": ({"combinations": twice}, "30 combinations of which only 29 are different"),
        "fewer targets": ({"targets": evidence.targets[1:]}, r"targets have shape \(29,\); they must be \(30,\)"),
        "no id": ({"sections": {"ood": masks["ood"]}}, "needs a section 'id', got ood"),
        "no ood": ({"sections": {"id": masks["id"]}}, "needs a section 'ood', got id"),
        "numbers for a mask": ({"sections": {**masks, "all": masks["id"] * 1}}, "section 'all' is int64"),
        "short mask": ({"sections": {**masks, "all": masks["id"][1:]}}, r"section 'all' is bool of shape \(29,\)"),
        "trained and held out": ({"sections": {**masks, "id": masks["id"] | masks["ood"]}}, "8 combinations in both"),
        "no answer": ({"sections": {**masks, "all": np.ones(30, dtype=bool)}}, "'all' has combinations whose target"),
        "fewer answers": ({"answers": evidence.answers[1:]}, r"answers have shape \(29, 1\); they must be \(30, sam"),
        "no samples": ({"answers": evidence.answers[:, :0]}, "one sample or more"),
        "diverged answers": ({"answers": diverged}, "answers hold values that are not finite"),
        "fewer familiar": ({"familiar": evidence.answers[1:]}, r"familiar have shape \(29, 1\)"),
        "diverged familiar": ({"familiar": np.full((30, 2), np.nan)}, "familiar hold values that are not finite"),
        "oblong similarity": ({"similarities": {"input": similar[1:]}}, r"'input' has shape \(29, 30\); it must be"),
        "endless similarity": ({"similarities": {"input": np.full((30, 30), np.inf)}}, "'input' hold values that are"),
        "unknown component": ({"types": {((1, 3), (0, 0)): "odd"}}, r"components \(1, 3\) at .* from 0 to 2"),
        "falling components": ({"types": {((1, 0), (0, 0)): "odd"}}, r"components \(1, 0\) at .* rising"),
        "too few levels": ({"types": {((0, 1), (0,)): "odd"}}, r"levels \(0,\); name .* as many levels"),
        "no conjunction": ({"types": {((), ()): "odd"}}, r"conjunction of components \(\)"),
    }  # fmt: skip


def test_nonsense_is_refused_with_its_name_and_value(decision, monkeypatch):
    evidence = decision()
    # As users have it: without the checker of shapes, which in tests refuses some of these first.
    monkeypatch.setattr(jaxtyping.config, "jaxtyping_disable", True)
    for change, message in bad_values(evidence).values():
        with pytest.raises(InputError, match=message):
            dataclasses.replace(evidence, **change).every_similarity()  # which are looked at when asked for
