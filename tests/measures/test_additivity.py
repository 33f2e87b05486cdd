"""Sums have R² = 1 in every variant; what no sum explains does not, where it is predicted rather than fitted."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recombine.core.errors import InputError
from recombine.core.seeds import stream
from recombine.measures import additivity_r2, fit_additivity, measures
from recombine.measures.additivity import conjunctions_of, indicators

VARIANTS = ("additivity_test", "additivity_train", "additivity_test_only", "additivity_held_out")
INFORMATIVE = ("additivity_test", "additivity_test_only", "additivity_held_out")


@pytest.mark.parametrize("name", VARIANTS)
def test_a_sum_of_component_values_is_additive(addition, name):
    rng = stream(0, "additivity")
    first, second = addition().combinations.T
    assert measures[name](addition(rng.normal(size=5)[first] + rng.normal(size=7)[second] + 3)) == pytest.approx(1)


@pytest.mark.parametrize("name", VARIANTS)
def test_any_function_of_seen_pairs_is_additive_in_three_components(decision, name):
    rng = stream(1, "additivity")
    context, first, second = decision().combinations.T
    answers = rng.normal(size=(2, 3))[context, first] + rng.normal(size=(2, 5))[context, second]
    assert measures[name](decision(answers)) == pytest.approx(1)


def test_a_pair_that_was_never_seen_is_not_additive(decision):
    plain = decision()
    _, first, second = plain.combinations.T
    xor = np.where((first == 0) == (second == 3), 1.0, -1.0)
    values = {name: measures[name](decision(xor)) for name in INFORMATIVE}
    # Eight rows, six free values, equal leverages: residuals are 1 and those of left-out rows 1 / (1 − 6/8) = 4.
    assert values == pytest.approx(
        {"additivity_test": 0, "additivity_test_only": 0, "additivity_held_out": 1 - 4**2}, abs=1e-7
    )


def test_exclusive_or_of_two_components_is_not_additive(addition):
    plain = addition(values=((0.0, 1.0, 2.0), (0.0, 1.0, 2.0)), anchors=((1,), (1,)))
    first, second = plain.combinations.T
    xor = dataclasses.replace(plain, answers=np.where((first == 0) == (second == 0), 1.0, -1.0)[:, None])
    assert measures["additivity_test"](xor) == pytest.approx(0, abs=1e-7)
    assert measures["additivity_held_out"](xor) == pytest.approx(-15)  # three free values, four rows


def two_way_residual(table):
    """What row and column means leave of a table: the independent way to the same number on a full block."""
    rest = table - table.mean(axis=1, keepdims=True) - table.mean(axis=0, keepdims=True) + table.mean()
    return np.square(rest).sum() / np.square(table - table.mean()).sum()


@given(st.integers(0, 1000))
def test_of_two_components_it_is_the_share_of_row_and_column_effects(addition, seed):
    answers = stream(seed, "additivity", "table").normal(size=(5, 7))
    evidence = addition(answers.reshape(-1))
    share = 1 - two_way_residual(np.delete(np.delete(answers, 2, axis=0), (0, 6), axis=1))
    assert measures["additivity_test"](evidence) == pytest.approx(share)
    assert measures["additivity_test_only"](evidence) == pytest.approx(share)
    assert measures["additivity_train"](evidence) == pytest.approx(1)


@pytest.mark.parametrize("task", ["addition", "decision"])
def test_trained_combinations_constrain_nothing(components, task):
    evidence = components(task)
    before = measures["additivity_test"](evidence)
    answers = np.where(evidence.sections["id"][:, None], 100 * evidence.answers**2, evidence.answers)
    assert measures["additivity_test"](dataclasses.replace(evidence, answers=answers)) == pytest.approx(before)
    assert measures["additivity_test_only"](evidence) == pytest.approx(before)


def test_what_was_never_seen_in_part_is_left_to_the_intercept(components):
    evidence = components("addition")
    seen = (evidence.combinations < 3).all(axis=1)
    unseen_levels = dataclasses.replace(evidence, sections={"id": seen, "ood": ~seen})
    found = measures["additivity_test"](unseen_levels)
    assert measures["additivity_test_only"](unseen_levels) == pytest.approx(found)
    shifted = dataclasses.replace(unseen_levels, answers=unseen_levels.answers + 20)
    assert measures["additivity_test_only"](shifted) == pytest.approx(found)


@pytest.mark.parametrize("task", ["addition", "decision"])
def test_left_out_answers_are_predicted_as_if_fitted_anew(components, task):
    evidence = components(task)
    held = np.flatnonzero(evidence.sections["ood"])
    active = indicators(evidence.combinations, conjunctions_of(evidence.combinations[evidence.sections["id"]]))
    design = np.column_stack([np.ones(len(active)), active])
    missed = 0.0
    for row in held:
        others = held[held != row]
        values, *_ = np.linalg.lstsq(design[others], evidence.mean[others], rcond=None)
        missed += (evidence.mean[row] - design[row] @ values) ** 2
    spread = np.square(evidence.mean[held] - evidence.mean[held].mean()).sum()
    assert measures["additivity_held_out"](evidence) == pytest.approx(1 - missed / spread)


def test_the_array_function_is_the_measure(components):
    evidence = components("addition")
    found = additivity_r2(evidence.mean, evidence.combinations, evidence.sections["id"])
    assert found == measures["additivity_test"](evidence)


def test_rows_must_be_both_seen_and_unseen(grid_of):
    combinations, everything = grid_of(2, 3), np.ones(6, dtype=bool)
    with pytest.raises(InputError, match="all 6 combinations are marked as seen; leave some"):
        additivity_r2(np.arange(6.0), combinations, everything)
    with pytest.raises(InputError, match="none of the 6 combinations is marked as seen; mark"):
        additivity_r2(np.arange(6.0), combinations, ~everything)


def test_the_fit_has_the_smallest_coefficients_and_a_free_intercept(components):
    evidence = components("addition")
    seen = evidence.sections["id"]
    fit = fit_additivity(evidence.mean, evidence.combinations, seen)
    shifted = fit_additivity(evidence.mean + 50, evidence.combinations, seen)
    assert shifted.coefficients == pytest.approx(fit.coefficients, abs=1e-7)
    assert shifted.intercept == pytest.approx(fit.intercept + 50)
    design = indicators(evidence.combinations, fit.conjunctions)
    smallest = np.linalg.pinv(design - design.mean(axis=0)) @ (evidence.mean - evidence.mean.mean())
    assert fit.coefficients == pytest.approx(smallest, abs=1e-7)
    assert len(fit.conjunctions) == 5 + 7 + seen.sum()


def test_conjunctions_are_those_of_every_order_that_occur():
    found = conjunctions_of(np.array([[0, 4, 1], [0, 2, 1]]))
    assert found == (
        ((0,), (0,)), ((1,), (2,)), ((1,), (4,)), ((2,), (1,)),
        ((0, 1), (0, 2)), ((0, 1), (0, 4)), ((0, 2), (0, 1)), ((1, 2), (2, 1)), ((1, 2), (4, 1)),
        ((0, 1, 2), (0, 2, 1)), ((0, 1, 2), (0, 4, 1)),
    )  # fmt: skip


@pytest.mark.parametrize("name", VARIANTS)
def test_equal_answers_have_nothing_to_explain(addition, name):
    with pytest.raises(
        InputError, match=r"additivity is undefined: the \d+ answers to explain are all the same, about"
    ):
        measures[name](addition(np.full(35, 0.1)))


@pytest.mark.parametrize("name", INFORMATIVE)
def test_held_out_answers_that_are_zero_but_for_rounding_have_nothing_to_explain(addition, name):
    plain = addition()
    rounding = 1e-16 * stream(2, "additivity").normal(size=35)
    with pytest.raises(InputError, match="the 20 answers to explain are all the same"):
        measures[name](addition(np.where(plain.sections["ood"], rounding, plain.targets)))


def test_a_block_without_spare_rows_cannot_be_predicted(addition):
    evidence = addition(anchors=((0, 1, 2, 3), (0, 1, 2, 3)))
    assert measures["additivity_test"](evidence) == pytest.approx(1)  # whatever the answers
    with pytest.raises(InputError, match=r"no other held-out combination tells what \(4, \d\) must be; hold out more"):
        measures["additivity_held_out"](evidence)
