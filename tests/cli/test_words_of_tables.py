"""What tables of commands say beside their numbers."""

from collections import Counter

import pytest
from typer.testing import CliRunner

from recombine.cli.app import app
from recombine.cli.forecasting import what_is_right
from recombine.core.errors import InputError
from recombine.data import tasks
from recombine.papers import Scale, papers
from recombine.studies import cost, distinct, stores

run = CliRunner().invoke


def test_no_two_lines_of_a_plan_read_alike(monkeypatch, tmp_path):
    """Of lattices with bumps of several widths and parts; without timing them."""
    monkeypatch.setattr(
        cost, "seconds_aside", lambda stacks, timed: {each.digest(): 1.0 for stack in stacks for each in stack.members}
    )
    claim = "DF16"
    works = distinct(work for each in papers.claims((claim,), Scale.LAPTOP) for work in each.works(Scale.LAPTOP))
    assert max(Counter(work.line() for work in works).values()) > 1
    monkeypatch.setattr(stores, "REFERENCE", tmp_path / "none")
    done = run(app, ["plan", claim, "--scale", "laptop", "--store", str(tmp_path / "runs")])
    assert done.exit_code == 0, done.output
    listed = [row.split("1 s", 1)[1].strip() for row in done.output.splitlines() if "  1 s  " in row]
    assert len(listed) == len(works) == len(set(listed))
    assert all(", sigma 0." in line or ", sigma 1." in line for line in listed)


@pytest.mark.parametrize(
    ("each", "said"), [(30.0, "1.0 core minutes"), (3600.0, "2.0 core hours"), (1e8, "2,314.8 core days")]
)
def test_a_plan_counts_what_is_recorded_when_it_is_asked_to(monkeypatch, each, said):
    """Of two exact calculations with records in the reference, in the unit that fits."""
    monkeypatch.setattr(cost, "START_UP", 0.0)
    monkeypatch.setattr(
        cost, "seconds_aside", lambda stacks, timed: {one.digest(): each for stack in stacks for one in stack.members}
    )
    recorded = run(app, ["plan", "DF14", "--scale", "laptop"]).output
    assert "2 experiments, 2 recorded, 0 to run: about 0.0 core minutes." in recorded
    anew = run(app, ["plan", "DF14", "--scale", "laptop", "--anew"]).output
    refused = run(app, ["plan", "DF14", "--anew", "--store", __file__])
    assert isinstance(refused.exception, InputError)
    assert f"2 experiments, 2 recorded, 2 to run anew: about {said}." in anew


@pytest.mark.parametrize(
    ("task", "words"),
    [
        (tasks.bump(n=8), "share of pictures with one darkest pixel, at most 1 pixel away from the true one"),
        (tasks.sum_of_stripes(n=8), "share of pictures with one brightest pixel, at most 1 pixel away"),
        (tasks.pick("context")(), "share of classes that are right"),
    ],
)
def test_an_accuracy_says_what_counts_as_right(task, words):
    assert what_is_right(task).startswith(f"accuracy: {words}")


def test_the_line_stands_under_the_accuracies_and_only_there():
    held_out = ["--set", "n=6", "--hold-out", "block:x=2..3,y=2..3"]
    told = run(app, ["forecast", "bump", *held_out]).output.splitlines()
    (line,) = [place for place, row in enumerate(told) if row.startswith("accuracy: ")]
    assert told[line - 1].endswith("%")
    assert told[line + 1] == ""
    without = run(app, ["forecast", "addition", "--hold-out", "anchors:first=2,second=2"]).output
    assert "nMSE" in without
    assert "accuracy" not in without
