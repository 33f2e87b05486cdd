"""Advice put to the test: what is compared, on what, and what is said of it."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import recombine as rc
from recombine.core.errors import InputError
from recombine.data import Problem
from recombine.measures import ComponentEvidence
from recombine.records import Store
from recombine.splits import regions
from recombine.studies.advising import Advice, advise
from recombine.studies.verifying import Arm, Verification, score, verify
from recombine.training import Recipe
from recombine.training.observe import truth

SUMS = Problem(rc.tasks.addition(values=(0.0, 1.0, 2.0, 3.0, 4.0)), regions.anchors(first=2, second=2))  # 16 held out
SMALL = Problem(rc.tasks.bump(n=(6, 7)), regions.block(y=(1, 4), x=(2, 6)))
HURRY = Recipe(steps=3, batch="all", rate=0.01)


def needs(problem: Problem, *cells: tuple[int, int], **arguments: object) -> Advice:
    """Advice to show exactly these combinations."""
    places = problem.grid.index(np.array(cells))
    return advise(problem, oracle=lambda each: 0.1 + 0.85 * float(each.trained[places].mean()), **arguments)


@pytest.fixture(scope="module")
def advice() -> Advice:
    return needs(SUMS, (0, 0), (4, 3))


@pytest.fixture(scope="module")
def verified(advice: Advice, tmp_path_factory: pytest.TempPathFactory) -> tuple[Verification, Path]:
    home = tmp_path_factory.mktemp("verified")
    return verify(advice, {"kind": "mlp", "width": 4}, seeds=2, recipe=HURRY, store=home, workers=1), home


def test_the_arms_are_the_problem_the_advice_and_random_ones(verified: tuple[Verification, Path]):
    found, home = verified
    assert (found.before.added, found.advised.added) == (0, 2)
    assert [arm.added for arm in found.random] == [2, 4, 6, 10]  # of 16, twenty do not exist
    assert all(len(arm.scores) == 2 for arm in (found.before, found.advised, *found.random))
    assert found.quantity == "1 - nMSE, held out"
    assert len(Store(home).digests()) == 2 + 2 + 2 * 4  # all that was trained is recorded


def test_all_arms_of_a_seed_are_asked_the_same(verified: tuple[Verification, Path], advice: Advice):
    """Scores follow from the recorded answers to what none of a seed's networks was shown."""
    found, home = verified
    bodies, damaged = Store(home).bodies()
    assert not damaged
    for seed in (0, 1):
        records = [Store(home).read(body["digest"]) for body in bodies if body["seed"] == seed]
        problems = [Problem.read(record.body["specification"]["problem"]) for record in records]
        left = np.logical_and.reduce([problem.parts.held_out for problem in problems])
        assert left.sum() == found.asked[seed]
        assert 16 - 10 - 2 <= left.sum() <= 16 - 10
        scores = []
        for record in records:
            answers, targets = (record.arrays[name].ravel() for name in ("answers", "targets"))
            plain = targets[SUMS.trained].mean()
            ratio = np.square(answers - targets)[left].mean() / np.square(targets - plain)[left].mean()
            scores.append(1 - min(1, ratio))
        told = [arm.scores[seed] for arm in (found.before, found.advised, *found.random)]
        assert sorted(told) == pytest.approx(sorted(scores), abs=1e-5)
        assert not found.before.learned  # in three steps


def test_random_additions_differ_between_seeds_and_contain_the_smaller_ones(verified: tuple[Verification, Path]):
    _, home = verified
    drawn: dict[int, list[set]] = {0: [], 1: []}
    for body in Store(home).bodies()[0]:
        problem = Problem.read(body["specification"]["problem"])
        drawn[body["seed"]].append(set(np.flatnonzero(problem.trained & ~SUMS.trained).tolist()))
    advised = set(SUMS.grid.index(np.array([(0, 0), (4, 3)])).tolist())
    for sets in drawn.values():
        sets.remove(advised)
        by_size = sorted(sets, key=len)
        assert all(small <= large for small, large in pairwise(by_size))
    assert sorted(map(sorted, drawn[0])) != sorted(map(sorted, drawn[1]))


def test_the_price_decides_how_many_random_ones_are_bought(monkeypatch, tmp_path: Path):
    """Fifteen stripes at 1 buy five combinations at 3."""
    hole = Problem(rc.tasks.bump(n=(7, 8)), regions.block(y=(1, 5), x=(2, 7)))
    found = advise(hole, prices={"combination": 3}, oracle=lambda each: 0.95 if len(each.isolated) == 2 else 0.1)
    found = replace(found, additions=tuple(replace(each, count=15, price=15.0) for each in found.additions))
    trained: list = []

    def stop(works, *_: object) -> int:
        trained.extend(works)
        raise KeyboardInterrupt

    monkeypatch.setattr("recombine.studies.verifying.execute", stop)
    with pytest.raises(KeyboardInterrupt):
        verify(found, "mlp-decoder", seeds=1, store=tmp_path)
    assert [int((work.problem.trained & ~hole.trained).sum()) for work in trained] == [0, 0, 5]


def test_a_perfect_network_scores_one_and_the_mean_scores_nothing():
    members = SMALL.parts.held_out.copy()
    members[np.flatnonzero(members)[:5]] = False
    assert score(truth(SMALL), SMALL, members) == 1.0
    blank = replace(truth(SMALL), outputs=np.ones_like(truth(SMALL).targets))
    assert score(blank, SMALL, members) == 0.0
    faint = replace(truth(SMALL), outputs=(truth(SMALL).targets + 1) / 2)  # in place, with half the ink
    assert score(faint, SMALL, members) == 1.0
    assert score(faint, SMALL, members, by="error") == pytest.approx(0.75)
    targets, asked = SUMS.task.labels, np.flatnonzero(SUMS.parts.held_out)[:7]
    mask = np.zeros(25, dtype=bool)
    mask[asked] = True
    right = ComponentEvidence(SUMS.grid.combinations(), targets, targets[:, None].copy(), SUMS.parts.sections)
    mean = replace(right, answers=np.full((25, 1), targets[SUMS.trained].mean()))
    half = replace(right, answers=(targets[:, None] + mean.answers) / 2)
    assert [score(each, SUMS, mask) for each in (right, mean, half)] == pytest.approx([1.0, 0.0, 0.75])


def test_only_the_members_count():
    targets = SUMS.task.labels
    held = np.flatnonzero(SUMS.parts.held_out)
    answers = targets[:, None].copy()
    answers[held[0]] += 100
    mask = SUMS.parts.held_out.copy()
    mask[held[0]] = False
    evidence = ComponentEvidence(SUMS.grid.combinations(), targets, answers, SUMS.parts.sections)
    assert score(evidence, SUMS, mask) == 1.0
    assert score(evidence, SUMS, SUMS.parts.held_out) == 0.0


def compared(before: float, advised: float, *random: tuple[int, float], trained: float = 1.0) -> Verification:
    return Verification(
        "held-out accuracy",
        "mlp",
        (9,),
        Arm("as it was", 0, 0.0, (before,), (trained,)),
        Arm("advised", 4, 4.0, (advised,), (trained,)),
        tuple(Arm("random", added, float(added), (value,), (trained,)) for added, value in random),
    )


def test_the_fewest_random_examples_that_do_as_well():
    found = compared(0.2, 0.9, (4, 0.5), (8, 0.8), (12, 0.895), (20, 0.95))
    assert (found.needed, found.times) == (12, 3.0)
    assert found.sentence() == "Random additions do as well from 12 examples on, 3 times the 4 advised."
    never = compared(0.2, 0.9, (4, 0.5), (8, 0.8))
    assert (never.needed, never.times) == (None, None)
    assert never.sentence().startswith("No random addition that was tried does as well, up to 8 examples, 2 times")
    assert compared(0.9, 0.9, (4, 0.95)).sentence() == "mlp does no better with the advised additions than without."
    assert not compared(0.9, 0.9, (4, 0.95)).helps
    assert compared(0.5, 0.9, (4, 0.95)).helps
    assert str(found).splitlines()[2].split() == ["advised", "4", "4", "0.900", "one", "seed:", "no", "interval"]
    assert found.to_dict()["times"] == 3.0


def test_the_interval_of_two_seeds_has_the_quantile_of_one_degree_of_freedom():
    low, high = Arm("advised", 1, 1.0, (0.49, 0.51), (1.0, 1.0)).interval or (0, 0)
    assert (low + high) / 2 == pytest.approx(0.5)
    assert (high - low) / 2 == pytest.approx(0.01 / np.tan(np.pi * 0.025))  # the Cauchy distribution
    assert Arm("advised", 1, 1.0, (0.4,), (1.0,)).interval is None


def test_an_interval_ends_where_scores_do():
    assert Arm("advised", 1, 1.0, (0.4, 0.6), (1.0, 1.0)).interval == (0.0, 1.0)
    low, high = Arm("advised", 1, 1.0, (0.98, 0.99, 1.0), (1.0, 1.0, 1.0)).interval or (0, 0)
    assert 0.9 < low < 0.98
    assert high == 1.0


def test_networks_that_have_not_learned_are_no_test_of_advice():
    unlearned = compared(0.0, 0.0, (4, 0.0), trained=0.3)
    assert unlearned.sentence() == "mlp has not learned what it was trained on; train longer with --recipe steps=..."
    assert not unlearned.helps
    assert compared(0.2, 0.9, (4, 0.5), trained=0.3).sentence().startswith("No random addition")


def test_what_cannot_be_compared_is_refused(tmp_path: Path, advice: Advice):
    nothing = advise(SUMS, oracle=lambda each: 1.0)
    with pytest.raises(InputError, match="adds nothing"):
        verify(nothing, "mlp", store=tmp_path)
    with pytest.raises(InputError, match="seeds = 0 must be at least 1"):
        verify(advice, "mlp", seeds=0, store=tmp_path)
    with pytest.raises(InputError, match="unknown comparison 'place'"):
        verify(advice, "mlp", by="place", store=tmp_path)
    with pytest.raises(InputError, match="vit reads pictures"):
        verify(advice, "vit", store=tmp_path)
    drawn = Problem(SMALL.task, SMALL.split, examples=10)
    lone = advise(drawn, oracle=lambda each: 0.95 if each.isolated else 0.1)
    with pytest.raises(InputError, match="examples = 10 draws"):
        verify(lone, "mlp-decoder", store=tmp_path)
    most = needs(SMALL, (1, 2), (1, 3), (2, 4), (2, 5), (3, 2), (3, 3))
    with pytest.raises(InputError, match="leaves too few to ask about"):
        verify(most, "mlp-decoder", seeds=8, store=tmp_path)
    assert not Store(tmp_path).digests()
