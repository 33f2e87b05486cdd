"""Salience of codes whose similarities are known, and the slope it predicts against an actual kernel regression."""

import dataclasses
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recombine.core.errors import InputError
from recombine.core.seeds import stream
from recombine.measures import component_salience, measures
from recombine.measures.network_salience import network_salience


def multi_hot(combinations):
    return np.concatenate([np.eye(levels.max() + 1)[levels] for levels in combinations.T], axis=1)


@pytest.mark.parametrize("sizes", [(3, 4), (2, 3, 5), (2, 2, 3, 2)])
def test_components_side_by_side_have_all_the_salience(grid_of, sizes):
    combinations = grid_of(*sizes)
    code, components = multi_hot(combinations), len(sizes)
    found = network_salience(code @ code.T, combinations)
    assert found == pytest.approx([1 / components] + [0] * (components - 1))


@pytest.mark.parametrize("sizes", [(3, 4), (2, 3, 5)])
def test_a_code_per_combination_leaves_them_none(grid_of, sizes):
    combinations = grid_of(*sizes)
    found = network_salience(np.eye(len(combinations)), combinations)
    assert found == pytest.approx([0] * (len(sizes) - 1) + [1])


def test_with_two_components_it_is_the_published_ratio(grid_of):
    combinations = grid_of(3, 5)
    matrix = stream(0, "salience").normal(size=(15, 15)) + 9 * np.eye(15)
    shared = (combinations[:, None] == combinations).sum(axis=2)
    distinct, overlapping, identical = (matrix[shared == count].mean() for count in range(3))
    single, both = network_salience(matrix, combinations)
    assert single == pytest.approx((overlapping - distinct) / (identical - distinct))
    assert both == pytest.approx(1 - 2 * single)


weights = st.floats(0.1, 3.0)


@given(by_set=st.lists(weights, min_size=7, max_size=7), constant=st.floats(0, 5))
def test_weights_of_conjunctions_are_recovered_and_sum_to_one(grid_of, codes, by_set, constant):
    combinations = grid_of(2, 3, 5)
    sets = [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)]
    code = codes(combinations, dict(zip(sets, by_set, strict=True)))
    matrix = code @ code.T + constant
    found = component_salience(matrix, combinations)
    flags = [tuple(int(component in each) for component in range(3)) for each in sets]
    assert found == pytest.approx(dict(zip(flags, np.array(by_set) / sum(by_set), strict=True)), abs=1e-9)
    by_count = network_salience(matrix, combinations)
    assert sum(comb(3, k) * value for k, value in enumerate(by_count, 1)) == pytest.approx(1)


@given(by_order=st.tuples(weights, weights, weights), scale=st.floats(0.01, 100))
def test_equal_sets_are_summed_up_by_their_size(grid_of, codes, by_order, scale):
    combinations = grid_of(2, 3, 5)
    sets = [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)]
    code = codes(combinations, {each: scale * by_order[len(each) - 1] for each in sets})
    whole = 3 * by_order[0] + 3 * by_order[1] + by_order[2]
    assert network_salience(code @ code.T, combinations) == pytest.approx(np.array(by_order) / whole)


def test_the_measures_are_by_representation(decision):
    evidence = decision()
    code = multi_hot(evidence.combinations)
    similarities = {"initial layer0": code @ code.T, "trained layer0": np.eye(30)}
    both = dataclasses.replace(evidence, similarities=similarities)
    assert measures["salience"](both) == pytest.approx({"initial layer0": 1 / 3, "trained layer0": 0})
    assert measures["salience_2"](both) == pytest.approx({"initial layer0": 0, "trained layer0": 0})


def kernel_answers(evidence, matrix):
    """Ridgeless kernel regression on the trained combinations."""
    trained = evidence.sections["id"]
    weights, *_ = np.linalg.lstsq(matrix[np.ix_(trained, trained)], evidence.targets[trained], rcond=None)
    return matrix[:, trained] @ weights


@pytest.mark.parametrize(
    "anchors",
    [((2,), (3,)), ((2,), (0, 6)), ((0, 1, 4), (5,)), ((0, 4), (2, 3, 4, 5))],
    ids=["1+1", "1+2", "3+1", "2+4"],
)
@pytest.mark.parametrize(
    "by_set", [(0.4, 0.4, 0.2), (0.1, 0.6, 0.3), (0.5, 0.5, 0.0), (0.0, 0.0, 1.0), (0.2, 0.1, 0.7)]
)
def test_a_kernel_has_the_slope_that_its_salience_predicts(addition, codes, anchors, by_set):
    plain = addition(anchors=anchors)
    code = codes(plain.combinations, dict(zip([(0,), (1,), (0, 1)], by_set, strict=True)))
    matrix = code @ code.T
    evidence = dataclasses.replace(
        plain, answers=kernel_answers(plain, matrix)[:, None], similarities={"trained layer0": matrix}
    )
    assert measures["predicted_slope"](evidence) == pytest.approx({"trained layer0": measures["slope"](evidence)})
    assert measures["slope_error"](evidence) == pytest.approx({"trained layer0": 0}, abs=1e-9)


@pytest.mark.parametrize("p", [1, 2, 3])
@pytest.mark.parametrize("s", [0.1, 0.3, 0.45, 0.5])
def test_equal_components_leak_as_published(addition, codes, p, s):
    """m = p S / (1 + (p − 2) S), Prop. 5.1."""
    values = (-2.0, -1.0, 0.0, 1.0, 2.0)
    plain = addition(values=(values, values), anchors=(range(p), range(p)))
    code = codes(plain.combinations, {(0,): s, (1,): s, (0, 1): 1 - 2 * s})
    evidence = dataclasses.replace(plain, similarities={"initial tangent": 7 * code @ code.T + 2})
    expected = p * s / (1 + (p - 2) * s)
    assert measures["predicted_slope"](evidence) == pytest.approx({"initial tangent": expected})
    # The answers are the truth, with slope 1.
    assert measures["slope_error"](evidence) == pytest.approx({"initial tangent": expected - 1})


def changed(evidence):
    """Evidence without a predicted slope, and what the refusal must say."""
    rows = {"targets", "answers", "combinations"}
    missing = np.arange(35) > 0
    fewer = {name: getattr(evidence, name)[missing] for name in rows}
    fewer |= {"sections": {name: mask[missing] for name, mask in evidence.sections.items()}}
    fewer |= {"similarities": {"input": np.eye(34)}}
    first, second = evidence.combinations.T
    none, half = evidence.sections["id"] & False, evidence.sections["ood"] & (first > 2)
    unusual = {"id": evidence.sections["id"] | ((first == 4) & (second == 5))}
    unusual["ood"] = ~unusual["id"]
    return {
        "a missing combination": (fewer, "all combinations of two components .* 34 combinations of 2 .* with 5 × 7"),
        "products": ({"targets": 1.0 * first * second}, "sums of a value per component, and these are not"),
        "a trained corner": ({"sections": unusual}, "by anchors, this one has 1 and 2 levels"),
        "no anchors": ({"sections": {"id": first == 0, "ood": first > 0}}, "by anchors, this one has 1 and 0 levels"),
        "unused": ({"sections": {"id": evidence.sections["id"], "ood": half}}, "hold out the rest"),
        "nothing held out": ({"sections": {"id": ~none, "ood": none}}, "section 'ood' of this evidence is empty"),
        "no similarity": ({"similarities": {}}, "no similarities; extract"),
        "the second alone": ({"similarities": {"odd": 1.0 * (second[:, None] == second)}}, "'odd': a component and"),
    }  # fmt: skip


def test_where_the_law_does_not_hold_no_slope_is_predicted(addition):
    evidence = addition(similarities={"input": np.eye(35)})
    assert measures["predicted_slope"](evidence) == pytest.approx({"input": 0})
    for change, message in changed(evidence).values():
        with pytest.raises(InputError, match=message):
            measures["predicted_slope"](dataclasses.replace(evidence, **change))


def test_three_components_have_no_predicted_slope_and_two_no_salience_of_pairs(addition, decision):
    with pytest.raises(InputError, match="30 combinations of 3 components with 2 × 3 × 5 levels"):
        measures["predicted_slope"](decision(similarities={"input": np.eye(30)}))
    with pytest.raises(InputError, match=r"more than 2 components, this task has 2; with 2 it is 1 − 2 S"):
        measures["salience_2"](addition(similarities={"input": np.eye(35)}))


def test_what_cannot_be_compared_has_no_salience(grid_of):
    with pytest.raises(InputError, match=r"same combination \(1\) are no more similar than .* \(1\); use a layer"):
        network_salience(np.ones((6, 6)), grid_of(2, 3))
    with pytest.raises(InputError, match="no two combinations share 0 of 2 components; every component needs two"):
        network_salience(np.eye(5), grid_of(1, 5))
    with pytest.raises(InputError, match="no two combinations share components 1 and no other"):
        component_salience(np.eye(3), np.array([[0, 0], [0, 1], [1, 2]]))
