"""Experiments grouped by everything but their seed, and named after what they are for."""

from functools import partial

import pytest

from recombine.papers import Check, Range, Scale, papers
from recombine.papers.first_principles.checking import SupportCheckup
from recombine.reports.descriptions import describe_calculation, describe_experiment, support_words
from recombine.reports.settings import SeedRun, counterparts, key_of, settings_of
from recombine.splits import supports
from recombine.studies import change

CHECK = Check("ood_nmse", Range(high=1.0), "none")


def grouped(claims):
    return settings_of(claims, Scale.QUICK, lambda experiment: SeedRun(experiment, None))


def test_a_setting_that_several_claims_use_appears_once(paper, make):
    found = grouped(paper.claims)
    assert [setting.label for setting in found.values()] == ["tiny", "drawn", "shown"]
    first = found[key_of(make.tiny(Scale.QUICK))]
    assert [(use.claim.id, use.control) for use in first.uses] == [("X1", False), ("X2", True)]
    assert [run.work.seed for run in first.runs] == [0, 1, 2]
    assert first.says == "A perceptron of a few units on small pictures, eight rows and eleven columns."


@pytest.mark.parametrize("scale", Scale)
def test_the_settings_hold_every_experiment_of_every_claim_once(scale):
    claims = papers.claims()
    found = settings_of(claims, scale, lambda experiment: SeedRun(experiment, None))
    digests = [run.work.digest() for setting in found.values() for run in setting.runs]
    assert len(digests) == len(set(digests))
    assert set(digests) == {experiment.digest() for claim in claims for experiment in claim.works(scale)}
    labels = [setting.label for setting in found.values()]
    assert len(set(labels)) == len(labels)


def test_settings_without_a_name_are_named_after_their_claim(make):
    wide = partial(make.tiny, isolated=("x",))
    claim = make.claim("X7", {"main": lambda scale: make.tiny(scale, examples=9)}, {"main": wide}, CHECK)
    main, control = grouped([claim]).values()
    assert (main.label, main.says) == ("X7 main", "")
    assert (control.label, control.says) == ("X7 control", "")


def test_no_two_settings_have_one_label(make):
    def tiny(scale):
        return make.tiny(scale, examples=9)

    found = list(grouped([make.claim("X7", {"main": make.tiny}, {"main": tiny}, CHECK)]).values())
    assert found[0].label == "tiny"
    assert found[1].label == f"tiny ({found[1].key[:4]})"


def test_counterparts_are_the_controls_of_the_same_name(make):
    def other(scale):
        return make.tiny(scale, examples=9)

    check = Check("ood_nmse", Range(high=1.0), "none", of="second")
    claim = make.claim(
        "X7", {"main": make.tiny, "second": other}, {"main": make.shown, "second": make.drawn}, CHECK, check
    )
    found = grouped([claim])
    beside = {
        setting.label: [each.label for each in counterparts(setting, Scale.QUICK, found)] for setting in found.values()
    }
    assert beside == {"tiny": ["shown"], "other": ["drawn"], "shown": [], "drawn": []}


def test_the_key_forgets_the_seed_and_nothing_else(make):
    base = make.tiny(Scale.QUICK)
    assert key_of(change(base, seed=5)) == key_of(base)
    assert key_of(change(base, measures=("id_nmse",))) != key_of(base)


def test_a_description_says_what_differs_from_the_defaults(make):
    facts = describe_experiment(make.tiny(Scale.QUICK, isolated=("y", "x"), examples=9))
    assert facts["Task"] == "bump (n = (8, 11)): 8 levels of y, 11 levels of x"
    assert facts["Held out"] == (
        "block (y = (2, 6), x = (4, 9)), each range without its end: 20 of 88 combinations (23%; rim 20)"
    )
    assert facts["Shown"] == "9 examples drawn by the seed; every level of y and of x alone"
    assert facts["Model"] == "mlp-decoder (width = 8, depth = 2)"
    assert facts["Training"].startswith("6 steps of 8, adamw, rate 0.001")
    assert "Training" not in describe_experiment(make.drawn(Scale.QUICK))


def test_a_description_says_that_nothing_is_held_out_where_all_is_shown(make):
    facts = describe_experiment(make.shown(Scale.QUICK))
    assert facts["Held out"].startswith("nothing: what would be held out is shown too (")
    assert "Also shown" not in facts


def test_a_description_says_that_no_combination_was_shown(make):
    facts = describe_experiment(make.tiny(Scale.QUICK, isolated=("y", "x"), examples=0))
    assert facts["Held out"].endswith("20 of 88 combinations (23%; rim 20), in name only")
    assert facts["Shown"] == "no combination; every level of y and of x alone"


def test_an_interval_is_over_the_seeds_that_are_done(make):
    claim = make.claim("X7", {"main": make.tiny}, {"main": make.shown}, CHECK)
    values = {0: 1.0, 1: 3.0}

    def run_of(experiment):
        if experiment.seed not in values:
            return SeedRun(experiment, {"status": "failed", "measures": {}})
        return SeedRun(experiment, {"status": "done", "measures": {"a": values[experiment.seed], "b": {"input": 1.0}}})

    setting = next(iter(settings_of([claim], Scale.QUICK, run_of).values()))
    assert (setting.interval("a").estimate, setting.interval("a").seeds) == (2.0, 2)
    assert setting.interval("b") is None
    assert setting.interval("c") is None
    assert [run.work.seed for run in setting.with_status("failed")] == [2]


def beside(label: str) -> list[str]:
    found = settings_of(papers.claims(), Scale.LAPTOP, lambda work: SeedRun(work, None))
    (setting,) = (each for each in found.values() if each.label == label)
    return [each.label for each in counterparts(setting, Scale.LAPTOP, found)]


@pytest.mark.parametrize(
    ("label", "neighbour"),
    [
        ("planes gap", "planes"),
        ("whole gap", "whole"),
        ("planes gap shift", "planes shift"),
        ("planes normal", "planes"),
        ("planes monolithic", "whole monolithic"),
    ],
)
def test_scenes_stand_beside_those_whose_support_differs_least(label, neighbour):
    assert beside(label) == [neighbour]


def test_a_support_is_told_whole_in_the_settings_of_a_calculation():
    def told(**settings):
        return describe_calculation(SupportCheckup(**settings))["With"]

    gap = supports.planes(without={"x1": (0.05, 0.45)})
    assert told(support=gap) == (f"composition = soft; support = {support_words(gap)}; anchors = 40; completions = 256")
    assert "without x1 from 0.05 to 0.45" in told(support=gap)
    assert "support = diagonal band of width 0.4, all sprites nearly alike;" in told(
        support=supports.diagonal(width=0.4)
    )
    assert told(composition={"kind": "soft", "temperature": 5.0}).startswith("composition = soft (temperature = 5); ")
