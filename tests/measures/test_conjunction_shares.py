"""What the answers rest on, by type of conjunction."""

import dataclasses

import numpy as np
import pytest

from recombine.core.errors import InputError
from recombine.measures import conjunction_shares, fit_additivity, measures


@pytest.mark.parametrize("task", ["addition", "decision"])
def test_shares_are_of_one_whole(components, task):
    shares = measures["conjunction_shares"](components(task))
    assert sum(shares.values()) == pytest.approx(1)
    assert min(shares.values()) > 0


def test_types_are_the_named_ones_or_else_orders(decision):
    assert set(conjunction_shares(decision())) == {"context", "sensory", "right", "wrong", "memorization"}
    assert set(conjunction_shares(decision(types={}))) == {"order 1", "order 2", "order 3"}
    some = {((0,), (0,)): "context", ((0,), (1,)): "context"}
    assert set(conjunction_shares(decision(types=some))) == {"context", "order 1", "order 2", "order 3"}


def test_answers_that_rest_on_the_context_are_shared_by_what_contains_it(grid_of, decision):
    """By hand on a full grid, where the smallest coefficients are known.

    Answers ±1 by a context of two levels, and one other component of n levels, all of it trained on. By symmetry the
    context has ±a, each pair ±b and the other component 0, with a + b = 1 on every row. The smallest 2 a² + 2n b² has
    a = n b, so the mean sizes are a = n/(n+1), b = 1/(n+1) and 0.
    """
    n = 4
    combinations = grid_of(2, n + 1)
    held = combinations[:, 1] == n
    evidence = dataclasses.replace(
        decision(),
        combinations=combinations,
        targets=np.where(combinations[:, 0] == 0, 1.0, -1.0),
        answers=np.where(held, 0.0, np.where(combinations[:, 0] == 0, 1.0, -1.0))[:, None],
        sections={"id": ~held, "ood": held},
        types={((0,), (level,)): "context" for level in (0, 1)},
    )
    fit = fit_additivity(evidence.mean[~held], combinations[~held], np.ones(2 * n, dtype=bool))
    assert fit.intercept == pytest.approx(0)
    assert np.abs(fit.coefficients) == pytest.approx([n / (n + 1)] * 2 + [0] * n + [1 / (n + 1)] * 2 * n, abs=1e-9)
    # With held-out rows that answer 0, the context alone would be wrong there: only pairs can be right.
    shares = conjunction_shares(evidence)
    assert shares == pytest.approx({"context": 0, "order 1": 0, "order 2": 1}, abs=1e-9)


def test_a_share_is_a_mean_over_conjunctions_of_its_type(components):
    evidence = components("addition")
    fit = fit_additivity(evidence.mean, evidence.combinations, evidence.sections["id"])
    single = np.array([len(where) == 1 for where, _ in fit.conjunctions])
    one, two = np.abs(fit.coefficients[single]).mean(), np.abs(fit.coefficients[~single]).mean()
    assert conjunction_shares(evidence) == pytest.approx({"order 1": one / (one + two), "order 2": two / (one + two)})


@pytest.mark.parametrize("factor", [-1.0, 0.01, 300.0])
def test_the_size_and_sign_of_all_answers_do_not_matter(components, factor):
    evidence = components("decision")
    scaled = dataclasses.replace(evidence, answers=factor * evidence.answers + 2)
    assert conjunction_shares(scaled) == pytest.approx(conjunction_shares(evidence))


def test_equal_answers_rest_on_nothing(decision):
    with pytest.raises(InputError, match=r"all answers are 0\.3 and rest on no conjunction"):
        conjunction_shares(decision(np.full(30, 0.3)))
