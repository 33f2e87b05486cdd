"""Figures and facts of tasks with components, from networks that were really trained."""

import numpy as np
import pytest

from recombine.papers import Scale
from recombine.reports.answers import answers_figure, answers_of, right_share
from recombine.reports.curves import curves_figure
from recombine.reports.descriptions import describe_calculation, describe_experiment
from recombine.reports.design import DARK, LIGHT, design_figure
from recombine.reports.kinds import kind_of
from recombine.reports.settings import problem_of


def test_facts_of_a_component_task_are_in_words(symbols):
    facts = describe_experiment(symbols.sums(Scale.QUICK))
    assert facts["Task"].endswith(": 4 levels of first, 5 levels of second")
    assert facts["Held out"] == "anchors (first = (2), second = (2)): 12 of 20 combinations (60%)"
    assert facts["Model"] == "mlp (width = 32)"
    assert facts["Training"] == "40 steps on all examples at once, sgd, rate 0.01, decay 0, squared error"
    assert "logistic loss" in describe_experiment(symbols.contexts(Scale.QUICK))["Training"]
    revealed = describe_experiment(symbols.told_sums(Scale.QUICK))["Held out"]
    assert revealed.startswith("nothing: what would be held out is shown too (anchors")


def test_facts_of_a_calculation_say_what_is_computed_and_with_what(kernel_settings):
    facts = describe_calculation(kernel_settings["products"].work)
    assert facts["Computes"].startswith("Symbolic addition by kernels:")
    assert facts["With"] == "anchors = ((0), (-4, 4)); answer = product"
    assert facts["Chance"].startswith("none")
    chance = describe_calculation(kernel_settings["law"].work)
    assert (chance["With"], chance["Chance"]) == ("cases = 2; law = general", "drawn anew by every seed")


def test_the_design_has_a_square_for_every_combination(kernel_settings, parsed):
    setting = kernel_settings["sums"]
    paths = {path.attributes["fill"]: path.attributes["d"] for path in parsed(design_figure(setting)).all("path")}
    assert {colour: path.count("M") for colour, path in paths.items()} == {DARK: 8, LIGHT: 12}
    # Five columns across 168 pixels; the trained row is the third, its first cell on the left.
    assert "M0.0 67.2h" in paths[DARK]
    assert "M0.0 0.0h" in paths[LIGHT]
    assert "8 trained, 12 held out. Rows: first; columns: second." in design_figure(setting)
    assert "held out elsewhere, but shown here" in design_figure(kernel_settings["told sums"])
    assert design_figure(kernel_settings["contexts"]) is None  # three factors


def test_the_line_through_held_out_sums_has_the_measured_slope(kernel_settings, parsed):
    setting = kernel_settings["sums"]
    slopes = setting.numbers("slope")
    (picture,) = parsed(answers_figure(setting)).all("img")
    # A fitted slope is linear in the answers, so that of the mean is the mean.
    assert f"has slope {np.mean(slopes):.3g} (" in picture.attributes["alt"]
    assert f"({min(slopes):.3g} to {max(slopes):.3g} over 3 seeds)" in picture.attributes["alt"]


def test_answers_of_another_shape_are_left_out(kernel_settings):
    from dataclasses import replace

    setting = kernel_settings["sums"]
    assert answers_of(setting).shape == (3, 20)
    short = replace(setting.runs[0], arrays={"answers": np.zeros(19)})
    assert answers_of(replace(setting, runs=(short, *setting.runs[1:]))).shape == (2, 20)
    assert answers_figure(replace(setting, runs=(short,))) is None


def test_the_share_of_right_signs_counts_zero_half():
    answers = np.array([[2.0, -1.0, 0.0, 1.0], [0.5, 1.0, 1e-12, 1.0]])
    labels = np.array([1.0, 1.0, -1.0, np.nan])
    assert right_share(answers, labels)[:3] == pytest.approx([1.0, 0.5, 0.5])
    assert np.isnan(right_share(answers, labels)[3])


def test_accuracy_is_mapped_for_every_context(kernel_settings, parsed, image_bytes):
    setting = kernel_settings["contexts"]
    figure = answers_figure(setting)
    svg = image_bytes(figure)
    assert b"context 0" in svg
    assert b"context 1" in svg
    assert svg.count(b"data:image/png;base64,") == 3  # two maps and their scale
    problem = problem_of(setting.work)
    share = right_share(answers_of(setting), problem.task.labels)
    trained, held_out = share[problem.parts.train].mean(), share[problem.parts.held_out].mean()
    (picture,) = parsed(figure).all("img")
    assert picture.attributes["alt"].endswith(f"over 3 seeds: {trained:.3g} trained, {held_out:.3g} held out.")
    assert image_bytes(answers_figure(kernel_settings["pairs"])).count(b"data:image/png;base64,") == 2


def test_curves_name_the_loss_that_was_lowered(kernel_settings, image_bytes):
    assert b"logistic loss of a batch" in image_bytes(curves_figure(kernel_settings["contexts"]))
    assert b"squared error of a batch" in image_bytes(curves_figure(kernel_settings["sums"]))


def test_kinds_follow_the_work(make, kernel_settings):
    assert kind_of(make.tiny(Scale.QUICK)).name == "Pictures"
    assert {label: kind_of(setting.work).name for label, setting in kernel_settings.items()}["pairs"] == "Components"
    assert kind_of(kernel_settings["leak"].work).name == "Calculations"
