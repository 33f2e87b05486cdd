"""What a page says of combinations where training showed none of them."""

import numpy as np
import pytest

from recombine.data import Problem, tasks
from recombine.papers import Check, Range, Scale
from recombine.papers.diffusion_factorize import canvases as c
from recombine.reports.error_maps import error_map_figure
from recombine.reports.report import report_page
from recombine.reports.samples import samples_figure
from recombine.reports.setting_section import can_have, of_the_course
from recombine.reports.settings import SeedRun, SettingRuns
from recombine.reports.shown_words import hole_words, no_combination, shown_instead
from recombine.splits import regions
from recombine.studies import change

BLOCK = regions.block(y=(2, 6), x=(4, 9))


def problem(**given):
    return Problem(tasks.bump(n=(8, 11)), BLOCK, **given)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "held out"),
        ({"reveal": True}, "held out elsewhere, but shown here"),
        ({"isolated": ("y", "x")}, "held out"),
        ({"isolated": ("y", "x"), "examples": 1}, "held out"),
        (
            {"isolated": ("y", "x"), "examples": 0},
            "held out in name only: no combination was shown, only lone stripes",
        ),
        (
            {"isolated": ("x",), "examples": 0},
            "held out in name only: no combination was shown, only lone stripes of x",
        ),
        (
            {"isolated": ("y", "x"), "examples": 0, "reveal": True},
            "held out in name only: no combination was shown, only lone stripes",
        ),
    ],
)
def test_the_hole_is_what_training_made_of_it(given, words):
    assert hole_words(problem(**given)) == words


@pytest.mark.parametrize("setting", [c.stripes, c.stripes_rim, c.stripes_for_bumps])
def test_settings_of_lone_stripes_show_no_combination(setting):
    """By their training sets: all of it is alone, or nearly so."""
    asked = setting(Scale.QUICK).problem
    assert no_combination(asked)
    assert asked.lone().all()
    assert "crossings that the border cuts off" in shown_instead(asked) or not asked.rim


@pytest.mark.parametrize("setting", [c.sums, c.sums_and_stripes, c.few_bumps_and_stripes, c.sums_revealed])
def test_other_settings_do_show_some(setting):
    asked = setting(Scale.QUICK).problem
    assert not no_combination(asked)
    assert not asked.lone().all()


@pytest.fixture
def drawn(make):
    """A function from settings of the problem to a run with an error map and samples."""

    def make_runs(**given):
        experiment = make.tiny(Scale.QUICK, **given)
        pictures = np.zeros((2, 8, 11), np.float32)
        arrays = {
            "error_map": np.ones((8, 11)),
            "sample_combinations": np.array([[3, 5], [4, 6]]),
            "sample_targets": pictures,
            "sample_outputs": pictures,
        }
        run = SeedRun(experiment, {"status": "done", "measures": {}, "layers": ()}, arrays)
        return SettingRuns("made up", "", (), (run,))

    return make_runs


def test_maps_and_samples_of_lone_stripes_say_that_nothing_else_was_shown(drawn):
    lone, usual = drawn(isolated=("y", "x"), examples=0), drawn()
    said = "no combination was shown, only lone stripes"
    assert f"Red line: held out in name only: {said}." in error_map_figure(lone)
    assert f"Combinations held out in name only ({said}), seed 0: what should be drawn" in samples_figure(lone)
    for figure in (error_map_figure(usual), samples_figure(usual)):
        assert said not in figure
    assert "Held-out combinations, seed 0" in samples_figure(usual)


def test_the_page_of_such_a_setting_warns_of_the_word_trained(make, store, record, parsed):
    def lone(scale):
        return make.tiny(scale, isolated=("y", "x"), examples=0)

    claim = make.claim("X1", {"main": lone}, {"main": make.tiny}, Check("ood_nmse", Range(0.5, 1.5), "s"))
    record(store, lone(Scale.QUICK), {"id_nmse": 1.0})
    first, second = parsed(report_page([make.paper(claim)], Scale.QUICK, [store])).all("article")
    warning = "No combination was shown, only lone stripes. What measures call trained (id)"
    assert warning in first.text
    assert warning not in second.text


# What a run cannot have


def test_measures_of_the_course_need_checkpoints():
    assert set(c.COURSE) == of_the_course()
    quick, laptop = c.torus(Scale.QUICK), c.torus(Scale.LAPTOP)
    assert quick.checkpoints == 0 < laptop.checkpoints
    for measure in c.COURSE:
        assert measure in quick.measures
        assert not can_have(quick, measure)
        assert can_have(laptop, measure)
    assert can_have(quick, "participation")


@pytest.mark.parametrize(("checkpoints", "listed"), [(0, ["loops"]), (4, ["loops", "participation_peak"])])
def test_the_page_lists_as_undefined_what_might_have_been(make, store, parsed, checkpoints, listed):
    from recombine.records import Record

    def setting(scale):
        return change(make.tiny(scale), checkpoints=checkpoints)

    claim = make.claim("X1", {"main": setting}, {"main": make.shown}, Check("ood_nmse", Range(0.5, 1.5), "s"))
    work = setting(Scale.QUICK)
    undefined = {"participation_peak": "this evidence has no course", "loops": "nothing varies"}
    body = {"specification": work.settings(), "seed": 0, "exact": False, "status": "done", "reason": None,
            "measures": {"ood_nmse": 1.0}, "undefined": undefined, "cost": {}, "layers": [], "forecast": None,
            "provenance": {}}  # fmt: skip
    store.commit(Record(work.digest(), body, {}))
    article = parsed(report_page([make.paper(claim)], Scale.QUICK, [store])).all("article")[0]
    (note,) = [node for node in article.all("div", class_="note") if "Not defined here" in node.text]
    assert [item.all("code")[0].text for item in note.all("li")] == listed
