"""What could be added to a training set: isolated factors, single combinations, and sets of them that overlap."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from recombine.core.errors import InputError
from recombine.core.shapes import Int
from recombine.data import Problem
from recombine.data.functions import FunctionTask
from recombine.data.task import Task
from recombine.splits import Extrapolation, Region
from recombine.splits.listed import Cells
from recombine.splits.region import Difference
from recombine.studies.work import change

KINDS = ("isolated", "combination", "overlap")
# A set that shows more than this share of what was held out leaves too little to be composed.
SHOWN_AT_MOST = 0.5
# Candidates of one round, by sort: the sets of one level, the sets along one factor, single combinations.
LINES, FIBRES, SINGLES = 8, 6, 12

Rows = Int[np.ndarray, "rows factors"]


@dataclass(frozen=True)
class Candidate:
    """A change of the training set: combinations that are no longer held out, or factors that are also shown alone."""

    kind: str
    words: str
    rows: tuple[tuple[int, ...], ...] = ()
    isolated: tuple[str, ...] = ()
    isolated_levels: int | None = None

    def added_to(self, problem: Problem) -> Problem:
        """The problem with this addition."""
        if self.rows:
            assert problem.split is not None  # `check_addable`
            return change(problem, split=_without(problem.split, self.rows))
        names = tuple({*problem.isolated, *self.isolated})
        return change(problem, isolated=names, isolated_levels=self.isolated_levels)


def _without(split: Region, rows: tuple[tuple[int, ...], ...]) -> Region:
    """The region without these combinations, as one difference however often some are taken off."""
    if isinstance(split, Extrapolation):  # it must stay outermost
        return Extrapolation(of=_without(split.of, rows))
    taken = set(rows)
    if isinstance(split, Difference) and isinstance(split.minus, Cells):
        taken |= set(split.minus.rows)
        split = split.of
    return Difference(of=split, minus=Cells(rows=tuple(sorted(taken))))


def count_examples(problem: Problem) -> int:
    """How many examples one seed trains on."""
    together = problem.most_examples if problem.examples is None else problem.examples
    if not problem.isolated:
        return together
    if problem.isolated_levels is not None:
        return together + problem.isolated_levels * len(problem.isolated)
    return together + len(problem.task.alone(problem.isolated, problem.spacing, problem.rim))


def shown_anew(before: Problem, after: Problem) -> list[tuple[Any, ...]]:
    """The combinations that ``after`` shows and ``before`` does not, by their levels; with a spacing, the centres."""
    cells = before.grid.combinations()
    if before.spacing is not None:
        old, new = (before.task.between(cells[each.trained], before.spacing).tolist() for each in (before, after))
        return sorted(set(map(tuple, new)) - set(map(tuple, old)))
    rows = cells[after.trained & ~before.trained]
    return [tuple(factor.levels[level] for factor, level in zip(before.grid.factors, row, strict=True)) for row in rows]


def check_addable(problem: Problem) -> None:
    """Refuse a problem to whose training set nothing can be added."""
    if problem.support is not None:
        raise InputError(
            f"task {problem.task.kind!r} draws its training set from the support {problem.rule.kind!r}, and advice "
            "adds combinations of a grid; use a task of levels, e.g. bump."
        )
    if problem.reveal:
        raise InputError("reveal = true shows all that is held out, so nothing can be added; leave `reveal` out.")
    if problem.examples is not None and not isolates(problem.task):
        raise InputError(
            f"examples = {problem.examples} draws the training combinations by the seed, so a combination that is "
            "added may not be shown; leave `examples` out, or hold out what is not to be shown."
        )


def isolates(task: Task) -> bool:
    """Whether factors can be shown alone; functions need all of their inputs at once."""
    return task.isolates and not isinstance(task, FunctionTask)


def candidates(original: Problem, problem: Problem, rng: "np.random.Generator") -> list[Candidate]:
    """What could be added to ``problem`` next; ``original`` says how much was held out at first.

    Isolated factors, at some or all of their levels, and, unless the training combinations are drawn by the seed:
    all that is held out of one level, or along one factor; every second, third or fourth level; one more partner for
    every held-out level; bridges between levels that no chain of shown combinations joins; single combinations.
    """
    found = list(_isolated(problem))
    if problem.examples is not None:
        return found
    held = problem.grid.combinations()[problem.parts.held_out]
    before = int(original.parts.held_out.sum())
    room = int(SHOWN_AT_MOST * before) - (before - len(held))
    sets = [*_some(_lines(problem, held), LINES, rng), *_some(_fibres(problem, held), FIBRES, rng)]
    sets += [*_lattices(held), *_partners(held, rng)]
    sets = [(words, rows) for words, rows in sets if len(rows) > 1] + list(_bridges(problem, held, rng))
    found += [_overlap(words, rows) for words, rows in sets if len(rows) <= room]
    if room >= 1:
        found += [_single(problem, row) for row in held[rng.permutation(len(held))[:SINGLES]]]
    return found


def _isolated(problem: Problem) -> Iterator[Candidate]:
    if not isolates(problem.task):
        return
    shown, levels = set(problem.isolated), problem.isolated_levels
    names = problem.grid.names
    for chosen in (*((name,) for name in names), names) if len(names) > 1 else (names,):
        whole = tuple(name for name in names if name in {*shown, *chosen})
        fewest = min(problem.grid.shape[problem.grid.axis(name)] for name in whole)
        for count in _level_counts(problem, fewest):
            grows = count is None or (levels is not None and count > levels)
            if set(whole) == shown and (levels is None or not grows):
                continue
            if shown and set(whole) > shown and not (count == levels or grows):
                continue  # it would take away levels that are shown already
            alone = " and ".join(whole)
            each = " of each" if len(whole) > 1 else ""
            where = f"all levels{each}" if count is None else f"{count} levels{each}, drawn by the seed"
            yield Candidate("isolated", f"{alone} shown alone, at {where}", (), whole, count)


def _level_counts(problem: Problem, fewest: int) -> list[int | None]:
    """How many levels may be shown alone: a quarter, a half, three quarters, all."""
    padded = bool(getattr(problem.task, "pad", False))
    if padded or (problem.isolated and problem.isolated_levels is None):
        return [None]
    return [*sorted({fewest * quarters // 4 for quarters in (1, 2, 3)} - {0}), None]


def _single(problem: Problem, row: np.ndarray) -> Candidate:
    levels = [factor.levels[level] for factor, level in zip(problem.grid.factors, row, strict=True)]
    return Candidate("combination", level_words(problem.grid.names, levels), (tuple(map(int, row)),))


def level_words(names: Sequence[str], levels: Sequence[object]) -> str:
    """Levels of factors in words: x = 3, y = 5."""
    return ", ".join(f"{name} = {level_name(level)}" for name, level in zip(names, levels, strict=True))


def level_name(level: object) -> str:
    """A level in words: whole numbers without a point."""
    return f"{level:g}" if isinstance(level, float) else str(level)


def _overlap(words: str, rows: np.ndarray) -> Candidate:
    kind = "overlap" if len(rows) > 1 else "combination"
    return Candidate(kind, words, tuple(tuple(map(int, row)) for row in rows))


Sets = Iterator[tuple[str, np.ndarray]]


def _some(sets: Sets, most: int, rng: "np.random.Generator") -> list[tuple[str, np.ndarray]]:
    every = list(sets)
    return [every[index] for index in sorted(rng.permutation(len(every))[:most])]


def _lines(problem: Problem, held: Rows) -> Sets:
    """All that is held out of one level: an anchor through the hole."""
    for axis, factor in enumerate(problem.grid.factors):
        for level in np.unique(held[:, axis]):
            told = level_words([factor.name], [factor.levels[level]])
            yield f"all that is held out of {told}", held[held[:, axis] == level]


def _fibres(problem: Problem, held: Rows) -> Sets:
    """All that is held out along one factor while the others stay; with two factors these are the lines."""
    if held.shape[1] < 3:
        return
    factors = problem.grid.factors
    for axis in range(held.shape[1]):
        others = [other for other in range(held.shape[1]) if other != axis]
        for fixed in np.unique(held[:, others], axis=0):
            levels = [factors[other].levels[level] for other, level in zip(others, fixed, strict=True)]
            told = level_words([factors[other].name for other in others], levels)
            yield f"all that is held out of {told}", held[(held[:, others] == fixed).all(axis=1)]


def _lattices(held: Rows) -> Sets:
    """Every k-th held-out level of each factor that has more than k of them."""
    ranks = np.stack([np.unique(column, return_inverse=True)[1] for column in held.T], axis=1)
    for k, word in ((2, "second"), (3, "third"), (4, "fourth")):
        wide = ranks.max(axis=0) >= k
        if wide.any():
            yield (
                f"a lattice of every {word} level of what is held out",
                held[(ranks[:, wide] % k == k // 2).all(axis=1)],
            )


def _partners(held: Rows, rng: "np.random.Generator") -> Sets:
    """Combinations that give every held-out level at least one more partner, few of them; twice."""
    for _ in range(2):
        covered: set[tuple[int, int]] = set()

        def news(row: np.ndarray, covered: set[tuple[int, int]] = covered) -> int:
            return sum((axis, int(level)) not in covered for axis, level in enumerate(row))

        yield "one more partner for every held-out level", _gather(held[rng.permutation(len(held))], news, covered)


def _gather(rows: Rows, news: Callable[[np.ndarray], int], covered: set[tuple[int, int]]) -> Rows:
    """Rows that bring something new, those that bring most first."""
    kept = []
    for least in range(rows.shape[1], 0, -1):
        for row in rows:
            if news(row) >= least:
                kept.append(row)
                covered |= {(axis, int(level)) for axis, level in enumerate(row)}
    return np.array(kept)


def _bridges(problem: Problem, held: Rows, rng: "np.random.Generator") -> Sets:
    """Combinations that join levels which no chain of shown combinations joins."""
    group = {(axis, level): (axis, level) for axis, levels in enumerate(problem.grid.shape) for level in range(levels)}

    def join(row: np.ndarray) -> bool:
        """Put the levels of a combination in one group; whether they were in several."""
        ends = {group[axis, int(level)] for axis, level in enumerate(row)}
        first = min(ends)
        if len(ends) > 1:
            group.update({level: first for level, end in group.items() if end in ends})
        return len(ends) > 1

    for row in problem.grid.combinations()[problem.trained]:
        join(row)
    found = [row for row in held[rng.permutation(len(held))] if join(row)]
    if found:
        words = "a bridge" if len(found) == 1 else "bridges"
        yield f"{words} between levels that no chain of shown combinations joins", np.array(found)
