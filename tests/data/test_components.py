"""Component tasks: published counts, labels against their definitions written as loops, and laws of relabelling."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recombine.core.errors import InputError
from recombine.data import Problem, tasks
from recombine.splits import regions

VALUES = tuple(float(v) for v in range(-4, 5))


def addition(*anchors: float) -> Problem:
    places = [VALUES.index(value) for value in anchors]
    return Problem(tasks.addition(), regions.anchors(first=places, second=places))


def context(size: int) -> Problem:
    return Problem(tasks.context(), regions.block(feature1=(0, size), feature2=(3, 3 + size)))


def equivalence(classes: tuple[int, ...], anchors: tuple[int, ...]) -> Problem:
    return Problem(tasks.equivalence(classes=classes), regions.anchors(first=anchors, second=anchors))


SCHEMATIC = Problem(  # A, B, C | D, E, F: held out are AC, CA, CD, DC, AF, FA, DF and FD
    tasks.equivalence(classes=(3, 3)),
    regions.cells(rows=[(0, 2), (2, 0), (2, 3), (3, 2), (0, 5), (5, 0), (3, 5), (5, 3)]),
)

PUBLISHED = {
    "extrapolation": (addition(0.0), 17, 64),
    "asymmetric extrapolation": (addition(-4.0), 17, 64),
    "interpolation": (addition(-4.0, 4.0), 32, 49),
    "both": (addition(-2.0, 2.0), 32, 49),
    "dispersed": (Problem(tasks.addition(), regions.dispersed(seed=1)), 18, 63),
    "CD-3": (context(3), 54, 18),
    "CD-2": (context(2), 64, 8),
    "CD-1": (context(1), 70, 2),
    "equivalence of symbols": (equivalence((2, 2), (0, 2)), 12, 4),
    "equivalence of digits": (equivalence((5, 5), (0, 5)), 36, 64),
    "equivalence of digits, four anchors": (equivalence((5, 5), (0, 1, 2, 3, 5, 6, 7, 8)), 96, 4),
    "equivalence as drawn": (SCHEMATIC, 28, 8),
    # n items: 2 (n - 1) neighbours of n (n - 1) ordered pairs.
    "ordering": (Problem(tasks.ordering(), regions.diagonal(width=1)), 12, 30),
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_numbers_of_trained_and_held_out_combinations(name):
    problem, trained, held_out = PUBLISHED[name]
    assert int(problem.trained.sum()) == trained
    assert int(problem.parts.held_out.sum()) == held_out
    assert len(problem.training_set()) == trained
    assert len(problem.everything) == problem.grid.size


@pytest.mark.parametrize(("size", "share"), [(3, 36 / 54), (2, 36 / 64), (1, 36 / 70)])
def test_how_often_the_context_alone_has_the_answer(size, share):
    """Published: .667, .5625 and .514 of the training set; never of the held-out combinations."""
    problem = context(size)
    guess = np.where(problem.grid.combinations()[:, 0] == 0, 1.0, -1.0)
    right = guess == problem.task.labels
    assert right[problem.trained].mean() == pytest.approx(share)
    assert share == pytest.approx({3: 0.667, 2: 0.5625, 1: 0.514}[size], abs=5e-4)
    assert not right[problem.parts.held_out].any()


def test_labels_of_addition():
    task = tasks.addition(values=(-1.0, 0.5, 2.0), second=(10.0, 20.0))
    assert task.grid.shape == (3, 2)
    assert task.labels.tolist() == [first + second for first in (-1.0, 0.5, 2.0) for second in (10.0, 20.0)]
    assert not task.binary
    assert sorted(set(tasks.addition().labels.tolist())) == [float(total) for total in range(-8, 9)]


@pytest.mark.parametrize(("contexts", "levels"), [(2, 6), (4, 4), (2, 2)])
def test_labels_of_context_dependence(contexts, levels):
    task = tasks.context(contexts=contexts, levels=levels)
    for (which, first, second), label in zip(task.grid.combinations().tolist(), task.labels, strict=True):
        asked = first if which < contexts // 2 else second
        assert label == (-1 if asked < levels // 2 else 1)
    assert task.binary
    assert task.labels.sum() == 0


@given(classes=st.lists(st.integers(1, 4), min_size=2, max_size=4).map(tuple))
@settings(deadline=None, max_examples=25)
def test_equivalence_is_an_equivalence(classes):
    table = tasks.equivalence(classes=classes).labels.reshape(sum(classes), -1) == 1
    assert table.diagonal().all()
    assert np.array_equal(table, table.T)
    for a, b, c in product(range(sum(classes)), repeat=3):
        assert not (table[a, b] and table[b, c]) or table[a, c]
    assert table.sum() == sum(size**2 for size in classes)


@given(items=st.integers(3, 9), data=st.data())
@settings(deadline=None, max_examples=40)
def test_ordering_is_antisymmetric_and_turns_its_exceptions_round(items, data):
    every = [(a, b) for a in range(items) for b in range(a + 1, items)]
    turned = data.draw(st.lists(st.sampled_from(every), unique=True, max_size=3))
    flipped = tuple((b, a) if a % 2 else (a, b) for a, b in turned)  # the order in a pair says nothing
    task = tasks.ordering(items=items, exceptions=flipped)
    table = task.labels.reshape(items, items)
    assert np.isnan(table.diagonal()).all()
    assert task.outside.reshape(items, items).tolist() == np.eye(items, dtype=bool).tolist()
    for a, b in every:
        assert table[a, b] == (-1 if (a, b) in turned else 1)
        assert table[b, a] == -table[a, b]
    assert task.binary


def test_labels_of_invariance():
    task = tasks.invariance(relevant=4, irrelevant=3)
    assert task.labels.reshape(4, 3).tolist() == [[-1.0] * 3, [-1.0] * 3, [1.0] * 3, [1.0] * 3]
    partial = Problem(tasks.invariance(), regions.cells(rows=[(1, 1)]))
    assert int(partial.trained.sum()) == 3
    one_level = regions.extrapolation(of=regions.band(factor="irrelevant", low=1, high=2))
    assert int(Problem(tasks.invariance(), one_level).trained.sum()) == 2


@given(order=st.permutations(range(5)), other=st.permutations(range(5)))
@settings(deadline=None, max_examples=25)
def test_permuting_values_permutes_the_sums(order, other):
    first, second = (-1.0, 0.25, 2.0, 3.5, 7.0), (0.0, 1.0, 1.5, 4.0, 9.0)
    plain = tasks.addition(values=first, second=second).labels.reshape(5, 5)
    moved = tasks.addition(values=tuple(first[i] for i in order), second=tuple(second[i] for i in other))
    assert np.array_equal(moved.labels.reshape(5, 5), plain[np.ix_(order, other)])


def test_swapping_classes_or_features_leaves_a_task_the_same_up_to_names():
    swapped = tasks.equivalence(classes=(3, 2)).labels.reshape(5, 5)
    order = [2, 3, 4, 0, 1]
    assert np.array_equal(tasks.equivalence(classes=(2, 3)).labels.reshape(5, 5)[np.ix_(order, order)], swapped)
    cube = tasks.context().labels.reshape(2, 6, 6)
    assert np.array_equal(cube[::-1].transpose(0, 2, 1), cube)  # the other context, features exchanged
    assert np.array_equal(cube[:, ::-1, ::-1], -cube)  # levels the other way round


@pytest.mark.parametrize("name", [name for name in tasks if name in {"addition", "context", "equivalence", "ordering"}])
def test_codes_are_one_hot_for_every_component(name):
    task = tasks[name]()
    rows = task.grid.combinations()
    codes = task.codes(rows)
    assert codes.dtype == np.float32
    assert codes.shape == (task.grid.size, sum(task.grid.shape))
    shared = (rows[:, None] == rows[None]).sum(axis=2)
    assert np.array_equal(codes @ codes.T, shared)  # similar by the number of shared components
    for row, code in zip(rows[::7], codes[::7], strict=True):
        start = 0
        for level, count in zip(row, task.grid.shape, strict=True):
            assert code[start : start + count].argmax() == level
            start += count


def test_examples_carry_their_own_answers():
    task = tasks.addition(values=(-1.0, 0.0, 5.0), second=(2.0, 3.0))
    shown = task.examples(np.array([[2, 1], [0, 0]]), seed=3)
    assert shown.targets.shape == (2, 1, 1)
    assert shown.targets.ravel().tolist() == [8.0, 1.0]
    assert shown.positions.tolist() == [[2.0, 1.0], [0.0, 0.0]]
    assert np.array_equal(task.asked(0).codes, task.asked_of("train", 5).codes)  # a symbol is its only picture


def test_tasks_are_equal_by_their_settings_whatever_was_computed():
    first, again, other = tasks.addition(), tasks.addition(), tasks.addition(values=(1.0, 2.0))
    assert first.labels.shape == again.labels.shape
    assert first == again
    assert hash(first) == hash(again)
    assert first != other
    assert tasks.equivalence() != tasks.ordering()


def test_every_conjunction_of_context_dependence_has_a_type():
    task = tasks.context()
    types = task.types
    # 2 + 6 + 6 single items, 2 * 6 * 2 with the context, 36 pairs of features and 72 triples.
    assert len(types) == 14 + 24 + 36 + 72
    count = {kind: list(types.values()).count(kind) for kind in set(types.values())}
    assert count == {"context": 2, "right": 12, "wrong": 12, "sensory": 12 + 36, "memorization": 72}
    assert types[(0, 1), (0, 4)] == types[(0, 2), (1, 4)] == "right"
    assert types[(0, 2), (0, 4)] == types[(0, 1), (1, 4)] == "wrong"
    assert tasks.addition().types == {}


@pytest.mark.parametrize(
    ("name", "given_settings", "says"),
    [
        ("addition", {"values": ()}, "addition: values = "),
        ("addition", {"values": (float("nan"),)}, "addition: values.0 = nan"),
        ("context", {"contexts": 3}, "context: contexts = 3: .*multiple of 2"),
        ("context", {"levels": 0}, "context: levels = 0"),
        ("equivalence", {"classes": (3,)}, "equivalence: classes = .*at least 2"),
        ("equivalence", {"classes": (3, 0)}, "equivalence: classes.1 = 0"),
        ("ordering", {"items": 2}, "ordering: items = 2"),
        ("ordering", {"exceptions": ((1, 1),)}, r"the exception \[1, 1\] must be two different items from 0 to 6"),
        ("ordering", {"exceptions": ((0, 7),)}, r"the exception \[0, 7\] must be two different items from 0 to 6"),
        ("ordering", {"exceptions": ((0, 2), (2, 0))}, r"exceptions \[\[0, 2\], \[2, 0\]\] name a pair twice"),
        ("invariance", {"relevant": 3}, "invariance: relevant = 3"),
        ("addition", {"valeus": (1.0,)}, "did you mean 'values'"),
    ],
)
def test_bad_settings_are_refused_in_one_sentence(name, given_settings, says):
    with pytest.raises(InputError, match=says) as caught:
        tasks[name](**given_settings)
    assert "\n" not in str(caught.value)
