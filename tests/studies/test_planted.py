"""Tiny trained networks whose failure is known by construction: does `explain` name it?

The cause of every case was written down before that case was explained, and none was left out for being missed. Where a
network composed in spite of the plant, another case stands in its place and the first is kept in `FAILED_TO_FAIL`.
Recipes were chosen afterwards for speed; one was lengthened, as its network had not learned its training set.
"""

from itertools import product

import numpy as np
import pytest

import recombine as rc
from recombine.core.failures import Failure
from recombine.core.seeds import stream
from recombine.data import Problem
from recombine.measures.blame import NOT_LEARNED, SMALL
from recombine.records import Record
from recombine.studies.training import Run
from recombine.training.run import Plan, run

ENOUGH = 0.9  # share of cases that must be named right

READER = rc.models.mlp(width=128)
DECODER = rc.models.mlp_decoder(width=64, depth=3)
UNITS = rc.models.feedforward(widths=(32, 32))
SCENES = rc.models.compositional(family="mlp", width=64, depth=2, composition={"kind": "over"})
SYMBOLS = rc.Recipe(steps=300, batch="all", rate=3e-3)
PICTURES = rc.Recipe(steps=500, batch=32, rate=3e-3)
LONGER = rc.Recipe(steps=800, batch=32, rate=3e-3)
POINTS = rc.Recipe(steps=500, batch=32, rate=3e-3)
DRAWN = rc.Recipe(steps=250, batch=32, rate=4e-3)
UNTRAINED = rc.Recipe(steps=1)

one_hot = {"encoding": {"kind": "one-hot"}}
HOLE = rc.splits.block(x=(3, 8), y=(3, 8))
sprites = rc.tasks.sprites(size=8, tests=12, scales=(0.3, 0.5))


def table(names, held_out, answer, *levels):
    """A table over the product of level counts, with cells held out."""
    rows = [(tuple(map(str, each)), float(answer(*each))) for each in product(*map(range, levels))]
    task = rc.tasks.table(components=tuple(names), rows=tuple(rows))
    return Problem(task, rc.splits.cells(rows=task.indices([tuple(map(str, row)) for row in held_out]).tolist()))


def apart(first: tuple[int, int], second: tuple[int, int], names=("first", "second")):
    """Two blocks along the diagonal are trained on; what joins the one with the other is held out."""
    (low, rest), (left, right) = first, second
    return rc.splits.block(**{names[0]: (0, low), names[1]: (left, left + right)}) | rc.splits.block(
        **{names[0]: (low, low + rest), names[1]: (0, left)}
    )


def cued(first: int, second: int):
    """Parity of two numbers, and a cue that gives it away in training and is turned round in what is held out."""
    held_out = [(a, b, 1 - (a + b) % 2) for a, b in product(range(first), range(second))]
    return table(("a", "b", "cue"), held_out, lambda a, b, cue: 1 - 2 * ((a + b) % 2), first, second, 2)


def misled(levels: int):
    """Context 0 asks for feature 1, but only where feature 2 says the same: training is right by feature 2 alone."""
    half = levels // 2
    rows = [[0, a, b] for a, b in product(range(levels), repeat=2) if (a < half) != (b < half)]
    return Problem(rc.tasks.context(levels=levels), rc.splits.cells(rows=rows))


def noise(count: int):
    answers = stream(3, "test", "planted").normal(size=(count, count))
    held_out = [(a, b) for a, b in product(range(count), repeat=2) if (a + 2 * b) % 3 == 0]
    return table("ab", held_out, lambda a, b: answers[a, b], count, count)


steps = (10.0, 11.0, 12.0, 13.0, 0.0, 1.0, 2.0, 3.0)
CASES = [
    # The levels asked about are never shown.
    (Failure.UNSEEN_LEVEL, 0, READER, SYMBOLS, Problem(
        rc.tasks.addition(values=(-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0)),
        rc.splits.extrapolation(of=rc.splits.band(factor="first", low=0, high=2)))),
    (Failure.UNSEEN_LEVEL, 1, READER, SYMBOLS, Problem(
        rc.tasks.addition(), rc.splits.extrapolation(of=rc.splits.band(factor="second", low=6, high=9)))),
    (Failure.UNSEEN_LEVEL, 0, DECODER, PICTURES, Problem(
        rc.tasks.bump(n=10, **one_hot), rc.splits.extrapolation(of=rc.splits.band(factor="x", low=3, high=7)))),
    (Failure.UNSEEN_LEVEL, 1, DECODER, PICTURES, Problem(
        rc.tasks.sum_of_stripes(n=(9, 10), **one_hot),
        rc.splits.extrapolation(of=rc.splits.band(factor="y", low=2, high=6)))),
    (Failure.UNSEEN_LEVEL, 3, UNITS, POINTS, Problem(
        rc.tasks.parallel(parts=3, frequencies=(2.0, 4.0)),
        rc.splits.extrapolation(of=rc.splits.band(factor="x3", low=0, high=2)), centres="uniform", examples=400)),
    (Failure.UNSEEN_LEVEL, 0, SCENES, DRAWN, Problem(
        sprites, support={"kind": "random", "without": {"x1": (0.25, 1.0)}}, examples=1000)),
    (Failure.UNSEEN_LEVEL, 1, READER, PICTURES, Problem(
        rc.tasks.locate(n=9), rc.splits.extrapolation(of=rc.splits.band(factor="x", low=3, high=6)))),
    # Lone stripes and nothing else.
    (Failure.NO_COMPOSITIONAL_EXAMPLE, 0, DECODER, PICTURES, Problem(
        rc.tasks.bump(n=10), HOLE, isolated=("x", "y"), examples=0)),
    (Failure.NO_COMPOSITIONAL_EXAMPLE, 1, DECODER, PICTURES, Problem(
        rc.tasks.bump(n=(10, 9), **one_hot), HOLE, isolated=("x", "y"), examples=0)),
    (Failure.NO_COMPOSITIONAL_EXAMPLE, 2, rc.models.mlp_decoder(width=64, depth=2), PICTURES, Problem(
        rc.tasks.bump(n=9, dark=False, **one_hot), HOLE, isolated=("x", "y"), examples=0)),
    # Sums of symbols with few partners, learned by a lazy network.
    (Failure.LEAK, 0, READER, SYMBOLS, Problem(rc.tasks.addition(), rc.splits.anchors(first=4, second=4))),
    (Failure.LEAK, 1, READER, SYMBOLS, Problem(rc.tasks.addition(), rc.splits.anchors(first=4, second=4))),
    (Failure.LEAK, 0, rc.models.mlp(width=128, depth=2), SYMBOLS, Problem(
        rc.tasks.addition(), rc.splits.anchors(first=0, second=8))),
    (Failure.LEAK, 2, READER, SYMBOLS, table(
        "ab", [(a, b) for a, b in product(range(1, 6), range(1, 7))], lambda a, b: (a - 2) + 2 * (b - 3), 6, 7)),
    (Failure.LEAK, 3, READER, SYMBOLS, Problem(rc.tasks.addition(), rc.splits.dispersed(partners=2, seed=1))),
    # A rule that is right in training and wrong on what is held out.
    (Failure.SHORTCUT, 0, READER, SYMBOLS, misled(4)),
    (Failure.SHORTCUT, 1, READER, SYMBOLS, misled(6)),
    (Failure.SHORTCUT, 0, READER, SYMBOLS, cued(2, 2)),
    (Failure.SHORTCUT, 1, READER, SYMBOLS, cued(4, 3)),
    (Failure.SHORTCUT, 2, READER, SYMBOLS, cued(3, 3)),
    # Decoders of bumps with a hole.
    (Failure.SUPERPOSITION, 0, DECODER, PICTURES, Problem(rc.tasks.bump(n=10, **one_hot), HOLE)),
    (Failure.SUPERPOSITION, 1, DECODER, PICTURES, Problem(rc.tasks.bump(n=10), HOLE)),
    (Failure.SUPERPOSITION, 2, DECODER, PICTURES, Problem(rc.tasks.bump(n=(11, 12), dark=False, **one_hot), HOLE)),
    (Failure.SUPERPOSITION, 0, rc.models.mlp_decoder(width=128, depth=2), PICTURES, Problem(
        rc.tasks.torus(n=10, **one_hot), HOLE)),
    (Failure.SUPERPOSITION, 3, DECODER, LONGER, Problem(
        rc.tasks.bump(n=12, **one_hot), rc.splits.block(x=(4, 9), y=(4, 9)))),
    # Answers that are no sum of anything training shows.
    (Failure.NOT_ADDITIVE, 0, READER, SYMBOLS, table(
        "ab", list(product(range(3, 6), range(3, 6))), lambda a, b: (a - 2.5) * (b - 2.5), 6, 6)),
    (Failure.NOT_ADDITIVE, 1, READER, SYMBOLS, noise(6)),
    (Failure.NOT_ADDITIVE, 0, READER, SYMBOLS, Problem(
        rc.tasks.equivalence(classes=(3, 3)), rc.splits.cells(rows=[[1, 1], [1, 4], [4, 1], [4, 4]]))),
    (Failure.NOT_ADDITIVE, 1, READER, SYMBOLS, table(
        "ab", list(product((0, 1), (0, 1))), lambda a, b: 1 - 2 * ((a + b) % 2), 4, 4)),
    (Failure.NOT_ADDITIVE, 2, READER, SYMBOLS, table(
        "ab", list(product(range(2), range(4))), lambda a, b: (a - 2) * (b - 3), 5, 7)),
    # A few examples, drawn by chance from many.
    (Failure.TOO_LITTLE_DATA, 0, DECODER, PICTURES, Problem(
        rc.tasks.bump(n=10, **one_hot), rc.splits.block(x=(4, 6), y=(4, 6)), examples=12)),
    (Failure.TOO_LITTLE_DATA, 1, READER, SYMBOLS, Problem(
        rc.tasks.addition(), rc.splits.block(first=(3, 6), second=(3, 6)), examples=10)),
    (Failure.TOO_LITTLE_DATA, 0, UNITS, POINTS, Problem(
        rc.tasks.parallel(parts=2, frequencies=(2.0, 4.0)), rc.splits.block(x1=(2, 4), x2=(2, 4)),
        centres="uniform", examples=5)),
    (Failure.TOO_LITTLE_DATA, 0, READER, SYMBOLS, Problem(
        rc.tasks.context(), rc.splits.block(context=(0, 1), feature1=(0, 2), feature2=(3, 5)), examples=12)),
    (Failure.TOO_LITTLE_DATA, 1, SCENES, DRAWN, Problem(sprites, support={"kind": "random"}, examples=24)),
    (Failure.TOO_LITTLE_DATA, 1, UNITS, POINTS, Problem(
        rc.tasks.composed(), rc.splits.block(x1=(3, 5), x2=(3, 5)), centres="uniform", examples=10)),
    # Levels that are seen in two parts, which nothing joins.
    (Failure.TOO_LITTLE_OVERLAP, 0, READER, SYMBOLS, Problem(
        rc.tasks.addition(values=steps, second=(0.0, 1.0, 2.0, 3.0) * 2), apart((4, 4), (4, 4)))),
    (Failure.TOO_LITTLE_OVERLAP, 1, READER, SYMBOLS, Problem(
        rc.tasks.addition(values=(6.0, 7.0, 8.0, -1.0, 0.0), second=(0.0, 2.0, 1.0, 0.0, 1.0, 2.0)),
        apart((3, 2), (2, 4)))),
    (Failure.TOO_LITTLE_OVERLAP, 0, DECODER, PICTURES, Problem(
        rc.tasks.bump(n=10, **one_hot), apart((5, 5), (5, 5), ("y", "x")))),
    (Failure.TOO_LITTLE_OVERLAP, 1, DECODER, PICTURES, Problem(
        rc.tasks.bump(n=(9, 10), **one_hot), apart((4, 5), (6, 4), ("y", "x")))),
    (Failure.TOO_LITTLE_OVERLAP, 2, DECODER, PICTURES, Problem(
        rc.tasks.bump(n=9, dark=False, **one_hot), apart((3, 6), (5, 4), ("y", "x")))),
    (Failure.TOO_LITTLE_OVERLAP, 0, SCENES, DRAWN, Problem(
        sprites, support={"kind": "diagonal", "width": 0.05}, examples=1000)),
    # Networks after a single step.
    (NOT_LEARNED, 0, READER, UNTRAINED, Problem(rc.tasks.addition(), rc.splits.anchors(first=4, second=4))),
    (NOT_LEARNED, 1, READER, UNTRAINED, misled(6)),
    (NOT_LEARNED, 0, DECODER, UNTRAINED, Problem(rc.tasks.bump(n=10), HOLE)),
    (NOT_LEARNED, 0, UNITS, UNTRAINED, Problem(
        rc.tasks.parallel(parts=2, levels=6), rc.splits.block(x1=(2, 4), x2=(2, 4)))),
    (NOT_LEARNED, 0, SCENES, UNTRAINED, Problem(sprites, support={"kind": "random"}, examples=200)),
    (NOT_LEARNED, 2, READER, UNTRAINED, Problem(rc.tasks.locate(n=9), HOLE)),
    # A second helping, one of each.
    (Failure.UNSEEN_LEVEL, 2, UNITS, POINTS, Problem(
        rc.tasks.parallel(parts=2, levels=8, frequencies=(2.0, 4.0)),
        rc.splits.extrapolation(of=rc.splits.band(factor="x2", low=5, high=8)), centres="uniform", examples=400)),
    (Failure.NO_COMPOSITIONAL_EXAMPLE, 3, DECODER, PICTURES, Problem(
        rc.tasks.torus(n=10, **one_hot), HOLE, isolated=("x", "y"), examples=0)),
    (Failure.LEAK, 4, READER, SYMBOLS, Problem(rc.tasks.addition(), rc.splits.anchors(first=0, second=0))),
    (Failure.SHORTCUT, 3, rc.models.mlp(width=128, depth=2), SYMBOLS, misled(4)),
    (Failure.SUPERPOSITION, 4, rc.models.mlp_decoder(width=96, depth=3), PICTURES, Problem(
        rc.tasks.bump(n=10, dark=False), HOLE)),
    (Failure.NOT_ADDITIVE, 2, READER, SYMBOLS, Problem(
        rc.tasks.equivalence(classes=(2, 4)), rc.splits.cells(rows=[[0, 0], [0, 3], [3, 0], [3, 3]]))),
    (Failure.TOO_LITTLE_DATA, 2, UNITS, POINTS, Problem(
        rc.tasks.composed(), rc.splits.block(x1=(3, 5), x2=(3, 5)), centres="uniform", examples=6)),
    (Failure.TOO_LITTLE_OVERLAP, 2, READER, SYMBOLS, Problem(
        rc.tasks.addition(values=(-8.0, -7.0, -6.0, 1.0, 2.0, 3.0), second=(0.0, 0.5, 1.0, 1.5, 2.0, 2.5)),
        apart((3, 3), (2, 4)))),
    (NOT_LEARNED, 1, UNITS, UNTRAINED, Problem(rc.tasks.composed(), rc.splits.block(x1=(3, 5), x2=(3, 5)))),
    (Failure.LEAK, 0, READER, SYMBOLS, Problem(
        rc.tasks.addition(values=(-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0)), rc.splits.anchors(first=0, second=6))),
    (Failure.LEAK, 1, READER, SYMBOLS, Problem(
        rc.tasks.addition(values=(0.0, 1.0, 2.0, 4.0, 8.0)), rc.splits.anchors(first=2, second=2))),
]  # fmt: skip
# Planted with these causes, but the networks compose all the same, if only in part.
FAILED_TO_FAIL = [
    (Failure.UNSEEN_LEVEL, 0, UNITS, POINTS, Problem(
        rc.tasks.parallel(parts=2, levels=8), rc.splits.extrapolation(of=rc.splits.band(factor="x1", low=5, high=8)),
        centres="uniform", examples=400)),
    (Failure.LEAK, 0, rc.models.mlp(width=128, depth=2), SYMBOLS, Problem(
        rc.tasks.addition(), rc.splits.anchors(first=(0, 8), second=(0, 8)))),
    (Failure.TOO_LITTLE_DATA, 0, UNITS, POINTS, Problem(
        rc.tasks.parallel(parts=2, levels=6), rc.splits.block(x1=(2, 4), x2=(2, 4)), centres="uniform", examples=8)),
    (Failure.TOO_LITTLE_OVERLAP, 2, READER, SYMBOLS, Problem(
        rc.tasks.addition(values=(-8.0, -7.0, -6.0, 1.0, 2.0, 3.0)), apart((3, 3), (2, 4)))),
    (Failure.LEAK, 0, READER, SYMBOLS, Problem(
        rc.tasks.addition(values=(-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0)), rc.splits.dispersed(partners=2, seed=4))),
]  # fmt: skip


def trained(seed, model, recipe, problem):
    experiment = rc.Experiment(problem=problem, model=model, recipe=recipe, seed=seed, measures=("id_nmse",))
    outcome = run(Plan(problem, model, recipe, seed, ()))
    return Run(experiment, Record(experiment.digest(), {"status": outcome.status}, weights=outcome.weights))


@pytest.fixture(scope="module")
def explained():
    return [(str(cause), rc.explain(trained(*case))) for cause, *case in CASES]


def test_there_are_enough_cases_of_every_failure():
    counts = {cause: sum(each[0] == cause for each in CASES) for cause in (*Failure, NOT_LEARNED)}
    assert len(CASES) >= 30
    assert min(counts.values()) >= 3, counts


def test_the_planted_cause_is_named(explained):
    lines = []
    for (cause, found), (_, seed, model, _, problem) in zip(explained, CASES, strict=True):
        shares = ", ".join(f"{name} {share:.0%}" for name, share in found.blame.shares.items() if share > 0.01)
        error = f"{found.blame.error:.2f}"
        hit = "  " if found.cause == cause else "X "
        lines.append(f"{hit}{cause:24} {problem.task.kind:14} {model.kind:12} seed {seed} error {error}: {shares}")
    named = np.mean([found.cause == cause for cause, found in explained])
    assert named >= ENOUGH, "\n".join([f"{named:.0%} named right", *lines])


def test_where_the_plant_did_not_take_nothing_else_is_blamed():
    """What is missing from numbers that are nearly right has the planted cause; the rest of them are right."""
    for cause, *case in FAILED_TO_FAIL:
        found = rc.explain(trained(*case))
        assert found.cause in (None, cause)
        assert (found.finding == "composes") == (found.cause is None)
        assert found.cause is not None or found.blame.error < SMALL


def test_shares_sum_to_one(explained):
    for _, found in explained:
        assert sum(found.blame.shares.values()) == pytest.approx(1.0 if found.blame.parts else 0.0)
        assert all(share > 0 for share in found.blame.shares.values())
