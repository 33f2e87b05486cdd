"""Completion of low rank against its closed form where all is seen, and against tables whose rank is known."""

import numpy as np
import pytest

from recombine.theory.low_rank import WEIGHT, complete


def test_where_all_is_seen_every_singular_value_is_shrunk_by_the_weight():
    rng = np.random.default_rng(1)
    answers = rng.normal(size=(4, 6))
    centred = answers - answers.mean()
    left, sizes, right = np.linalg.svd(centred, full_matrices=False)
    shrunk = (left * np.maximum(sizes - WEIGHT * sizes[0], 0)) @ right + answers.mean()
    assert complete(answers, np.ones((4, 6), dtype=bool)) == pytest.approx(shrunk)


@pytest.mark.parametrize("seed", range(3))
def test_signs_of_rank_one_are_completed_from_a_third(seed):
    """No sum over rows and columns gives them: who is of one class is learned from partners in common."""
    rng = np.random.default_rng(seed)
    rows, columns = (np.sign(rng.normal(size=size)) for size in (12, 15))
    answers = np.outer(rows, columns)
    seen = rng.random((12, 15)) < 0.35
    seen[0] = seen[:, 0] = True  # so that all hang together
    assert np.array_equal(np.sign(complete(answers, seen)), answers)


def test_what_is_not_seen_is_not_looked_at():
    seen = np.array([[True, True, False], [True, False, True]])
    answers = np.arange(6.0).reshape(2, 3)
    changed = np.where(seen, answers, np.nan)
    assert complete(changed, seen) == pytest.approx(complete(answers, seen))


def test_answers_of_chance_are_not_completed():
    rng = np.random.default_rng(0)
    right = []
    for _ in range(20):
        answers = np.sign(rng.normal(size=(8, 8)))
        seen = rng.random((8, 8)) < 0.5
        right.append((np.sign(complete(answers, seen)) == answers)[~seen].mean())
    assert 0.4 < np.mean(right) < 0.6
