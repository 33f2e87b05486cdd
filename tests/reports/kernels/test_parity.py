"""Predicted against measured slopes, from networks that were really trained."""

import numpy as np
import pytest

from recombine.papers import Scale
from recombine.reports.findings import gather
from recombine.reports.parity import (
    CANDIDATES,
    SlopeRun,
    in_order,
    mean_error,
    parity_figure,
    parity_section,
    slope_runs,
)

PREDICTED = {
    "initial conv2": 0.9, "initial conv10": 0.8, "initial dense1": 0.7, "initial tangent": 0.6,
    "trained layer9": 0.5, "trained layer10": 0.4,
}  # fmt: skip


def test_layers_sort_as_networks_have_them():
    names = ["initial layer10", "initial tangent", "initial layer2", "initial layer0"]
    assert sorted(names[:1] + names[2:], key=in_order) == ["initial layer0", "initial layer2", "initial layer10"]
    assert max(("trained conv4", "trained dense1", "trained conv10"), key=in_order) == "trained dense1"


def test_candidates_are_the_last_layer_and_the_tangent_kernel():
    run = SlopeRun("net", 0.5, PREDICTED)
    assert [run.candidate(name) for name in CANDIDATES] == [0.7, 0.6, 0.4, None]


def test_the_error_is_the_mean_distance_over_runs_that_have_it():
    runs = [SlopeRun("net", 0.5, PREDICTED), SlopeRun("net", 0.8, {"initial tangent": 0.5})]
    assert mean_error(runs, "initial tangent") == pytest.approx((0.1 + 0.3) / 2)
    assert mean_error(runs, "initial last layer") == pytest.approx(0.2)
    assert mean_error(runs, "trained tangent") is None


def test_runs_that_saw_the_held_out_sums_are_counted_and_left_out(kernel_paper, kernel_store, kernel_settings):
    found, revealed = slope_runs(gather([kernel_paper], Scale.QUICK, [kernel_store]))
    assert revealed == 3
    assert [run.network for run in found] == ["mlp (width = 32)"] * 3 + ["mlp (width = 32, scale = 0.1)"] * 3
    expected = kernel_settings["sums"].numbers("slope_error.trained tangent")
    assert mean_error(found[:3], "trained tangent") == pytest.approx(np.abs(expected).mean())


def test_the_section_prints_the_error_of_every_candidate_and_network(kernel_paper, kernel_store, parsed, image_bytes):
    findings = gather([kernel_paper], Scale.QUICK, [kernel_store])
    runs, _ = slope_runs(findings)
    tree = parsed(parity_section(findings))
    first, every = tree.all("table")
    rows = {row.children[0].text: [cell.text for cell in row.children[1:]] for row in first.all("tr")}
    assert list(rows)[1:] == list(CANDIDATES)
    assert rows["Mean absolute error"] == [
        "all (6 runs)", "mlp (width = 32) (3 runs)", "mlp (width = 32, scale = 0.1) (3 runs)",
    ]  # fmt: skip
    assert rows["initial tangent"][0] == f"{mean_error(runs, 'initial tangent'):.3g}"
    assert len(every.all("tr")) == 1 + 2 * 4  # the hidden layer and the tangent kernel, before and after
    svg = image_bytes(parity_figure(runs)).decode()
    for name in CANDIDATES:
        assert f"{name}: error {mean_error(runs, name):.3g}<" in svg
    assert "3 runs that saw the held-out sums in training left out." in tree.text


def test_before_slopes_are_predicted_the_section_says_so(kernel_paper, store):
    assert "No run with predicted slopes yet." in parity_section(gather([kernel_paper], Scale.QUICK, [store]))
    named = parity_section(gather([kernel_paper], Scale.QUICK, [store], only=True))
    assert "No run of the papers asked for with predicted slopes yet." in named


def test_where_no_slope_is_ever_predicted_there_is_no_section(paper, real_store):
    assert parity_section(gather([paper], Scale.QUICK, [real_store])) is None


def test_with_papers_named_runs_of_others_are_left_out(kernel_paper, kernel_store, paper):
    every, _ = slope_runs(gather([kernel_paper], Scale.QUICK, [kernel_store]))
    assert slope_runs(gather([kernel_paper], Scale.QUICK, [kernel_store], only=True))[0] == every != []
    others = gather([paper], Scale.QUICK, [kernel_store], only=True)
    assert slope_runs(others) == ([], 0)
    assert parity_section(others) is None
    assert parity_section(gather([paper], Scale.QUICK, [kernel_store])) is not None  # all runs of the store count
