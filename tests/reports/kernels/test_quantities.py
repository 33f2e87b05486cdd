"""Measured errors in the quantity of their forecast; different quantities are never mixed."""

import numpy as np
import pytest

from recombine.papers import Scale
from recombine.reports.comparisons import compare
from recombine.reports.findings import gather
from recombine.reports.forecasts import forecast_section
from recombine.reports.quantities import CLASSES, PICTURES, SUMS, errors_of, quantity_of
from recombine.reports.scatter import listed, scatter_figure


def test_the_quantity_follows_the_answers(make, symbols):
    assert quantity_of(make.tiny(Scale.QUICK)) is PICTURES
    assert quantity_of(symbols.sums(Scale.QUICK)) is SUMS
    assert quantity_of(symbols.contexts(Scale.QUICK)) is CLASSES


def test_the_error_of_sums_is_relative_to_always_answering_the_trained_mean(symbols):
    """Whoever answers the mean of the trained sums has an nMSE of 1 wherever it is asked."""
    experiment = symbols.sums(Scale.QUICK)
    problem, labels = experiment.problem, experiment.problem.task.labels
    middle = labels[problem.trained].mean()
    assert middle != pytest.approx(labels[problem.parts.held_out].mean())
    mse = {part: np.square(labels[mask] - middle).mean() for part, mask in problem.parts.sections.items()}
    found = errors_of(experiment, {"id_mse": float(mse["id"]), "ood_mse": float(mse["ood"] / 4)})
    assert found == {"id": pytest.approx(1.0), "ood": pytest.approx(0.25)}
    revealed = errors_of(symbols.told_sums(Scale.QUICK), {"ood_mse": float(mse["ood"])})
    assert revealed["ood"] != pytest.approx(1.0)  # there the mean of all sums is the one to beat


def test_the_error_of_classes_is_what_accuracy_leaves(symbols):
    found = errors_of(symbols.contexts(Scale.QUICK), {"id_accuracy": 1.0, "ood_accuracy": 0.25, "ood_margin": 3.0})
    assert found == {"id": 0.0, "ood": 0.75}


def test_sections_that_a_split_has_not_are_left_out(symbols):
    assert errors_of(symbols.sums(Scale.QUICK), {"rim_mse": 1.0, "ood_mse": {"not": "a number"}}) == {}


def test_forecasts_of_real_runs_are_compared_within_their_quantity(kernel_paper, kernel_store, kernel_settings, parsed):
    findings = gather([kernel_paper], Scale.QUICK, [kernel_store])
    found, without = compare(findings)
    assert without == 0
    assert {each.label: each.quantity for each in found} == {
        "sums": SUMS, "rich sums": SUMS, "told sums": SUMS, "contexts": CLASSES, "pairs": CLASSES,
    }  # fmt: skip
    measured = {each.label: each.held_out.measured.estimate for each in found}
    assert measured["contexts"] == pytest.approx(1 - np.mean(kernel_settings["contexts"].numbers("ood_accuracy")))
    tree = parsed(forecast_section(findings))
    assert [node.text for node in tree.all("h3")] == ["sums: nMSE", "classes: error rate"]
    sums, classes = tree.all("img")
    assert "nMSE of sums on logarithmic axes" in sums.attributes["alt"]
    assert "contexts" not in sums.attributes["alt"]
    assert "error rate of classes. Held-out combinations: 1 contexts: forecast" in classes.attributes["alt"]
    heads = [[head.text for head in table.all("th")] for table in tree.all("table")]
    assert "Forecast held-out nMSE [range]" in heads[0]
    assert "Measured held-out error rate [95%]" in heads[1]


def test_a_forecast_of_another_quantity_is_not_compared(store, record, paper, symbols):
    base = symbols.contexts(Scale.QUICK)
    record(store, base, {"ood_accuracy": 0.5})
    section = {"name": "ood", "expected": 2.0, "low": 1.0, "high": 3.0, "accuracy": None}
    store.commit_forecast(base.problem.digest(), {"composes": None, "quantity": "nMSE", "sections": [section]})
    assert compare(gather([paper], Scale.QUICK, [store])) == ([], 1)


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ((4,), "4"),
        ((1, 2), "1, 2"),
        ((3, 1, 2), "1–3"),
        ((1, 3, 4, 5, 9), "1, 3–5, 9"),
        ((1, 3, 5, 7, 9), "1, 3, 5, 7,\n9"),
    ],
)
def test_numbers_on_one_place_share_a_label(numbers, words):
    assert listed(numbers) == words


def test_marks_on_one_place_have_one_label(kernel_paper, kernel_store, image_bytes):
    """The same comparison twice is one place with two numbers."""
    found, _ = compare(gather([kernel_paper], Scale.QUICK, [kernel_store]))
    first = next(each for each in found if each.quantity is CLASSES)
    svg = image_bytes(scatter_figure([first, first]))
    assert b">1, 2<" in svg
    assert b">2<" not in svg
