"""What a person sees while stacks are going, also when one of them is tried again."""

import re

import pytest

from recombine.data import Problem, tasks
from recombine.models import models
from recombine.splits import regions
from recombine.studies import Experiment, vary
from recombine.studies.progress import Lines, Live
from recombine.studies.stacks import Stack
from recombine.training import Outcome

BASE = Experiment(
    problem=Problem(tasks.bump(n=8), regions.block(x=(3, 6), y=(2, 5))),
    model=models.mlp_decoder(width=8, depth=1),
    measures=("ood_nmse",),
)
DONE = Outcome("done", None, {}, {})


@pytest.mark.parametrize("kind", [Lines, Live])
def test_a_stack_tried_again_member_by_member_is_counted_once(kind, capsys, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    members = tuple(vary(BASE, seed=range(3)))
    whole, other = Stack(members[:2]), Stack(members[2:])
    progress = kind()
    with progress.showing([whole, other]):
        progress.moved(whole.name, 0.5, 1.0)
        progress.finished(other, [DONE])
        for member in whole.members:
            single = Stack((member,))
            progress.again(single)
            progress.moved(single.name, 0.9, 0.5)
            progress.finished(single, [DONE])
            progress.moved(single.name, 1.0, 0.5)  # heard late
        if kind is Live:
            assert (progress.ended, progress.total) == (3, 3)
            assert not progress.flying
            assert not progress.bars
    said = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", capsys.readouterr().err)
    assert "[3/3]" in said if kind is Lines else "tried again, alone" in said


def test_failures_are_said(capsys):
    stack = Stack((BASE,))
    progress = Lines()
    with progress.showing([stack]):
        progress.finished(stack, [Outcome("failed", "the loss became nan", {}, {})])
    assert "FAILED (1 of 1): the loss became nan" in capsys.readouterr().err


@pytest.mark.parametrize("kind", [Lines, Live])
def test_the_figures_of_a_report_are_told_from_the_start_on(kind, capsys):
    progress = kind()
    for done in range(3):
        progress.drawn(done, 2)
    lines = {Lines: "[figures of 0 settings of 2 drawn]\n"}  # the others come too soon after it
    whole = "".join(f"\rfigures of {done} of 2 settings drawn" for done in range(3)) + "\n"
    assert capsys.readouterr().err == lines.get(kind, whole)
