"""Salience: the sums it must obey, its way back to a similarity, and the inputs whose saliences are known."""

from itertools import product
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recombine.core.errors import InputError
from recombine.core.seeds import stream
from recombine.theory import kernels
from recombine.theory.salience import moebius, salience, similarity_from_salience

sequences = st.lists(st.floats(-5, 5), min_size=2, max_size=6).filter(lambda k: abs(k[-1] - k[0]) > 0.1)


def flags(components: int) -> list[tuple[int, ...]]:
    return list(product((0, 1), repeat=components))


@given(similarity=sequences)
@settings(deadline=None)
def test_shares_sum_to_one_over_all_conjunctions(similarity):
    components = len(similarity) - 1
    shares = salience(similarity)
    assert shares.shape == (components,)
    assert sum(comb(components, k + 1) * share for k, share in enumerate(shares)) == pytest.approx(1.0, abs=1e-9)


@given(similarity=sequences, factor=st.floats(0.1, 10), shift=st.floats(-5, 5))
@settings(deadline=None)
def test_scale_and_constant_of_the_similarity_do_not_matter(similarity, factor, shift):
    moved = factor * np.array(similarity) + shift
    assert salience(moved) == pytest.approx(salience(similarity), abs=1e-8)


@given(similarity=sequences)
@settings(deadline=None)
def test_a_similarity_comes_back_from_its_saliences(similarity):
    parts = moebius(similarity)
    assert similarity_from_salience(parts[1:], none=similarity[0]) == pytest.approx(np.array(similarity), abs=1e-10)
    unit = similarity_from_salience(salience(similarity))
    kappa = np.array(similarity)
    assert unit == pytest.approx((kappa - kappa[0]) / (kappa[-1] - kappa[0]), abs=1e-9)


@given(seed=st.integers(0, 10**6), components=st.integers(1, 4))
@settings(deadline=None, max_examples=40)
def test_flags_obey_the_definition_and_come_back(seed, components):
    rng = stream(seed, "flags")
    similarity = {key: float(rng.normal()) for key in flags(components)}
    similarity[(1,) * components] = similarity[(0,) * components] + 1.5
    parts = moebius(similarity)
    for key in flags(components):
        inside = [other for other in flags(components) if all(a <= b for a, b in zip(other, key, strict=True))]
        assert similarity[key] == pytest.approx(sum(parts[other] for other in inside))
    shares = salience(similarity)
    assert set(shares) == set(flags(components)[1:])
    assert sum(shares.values()) == pytest.approx(1.0)
    assert shares[(1,) + (0,) * (components - 1)] == pytest.approx(parts[(1,) + (0,) * (components - 1)] / 1.5)
    rest = {key: parts[key] for key in flags(components)[1:]}
    assert similarity_from_salience(rest, none=parts[(0,) * components]) == pytest.approx(similarity)


@given(similarity=sequences)
@settings(deadline=None)
def test_counting_is_the_case_of_equal_components(similarity):
    components = len(similarity) - 1
    by_flags = salience({key: similarity[sum(key)] for key in flags(components)})
    by_count = salience(similarity)
    for key, share in by_flags.items():
        assert share == pytest.approx(by_count[sum(key) - 1], abs=1e-8)


@pytest.mark.parametrize("components", [1, 2, 3, 5])
def test_the_two_extremes(components):
    multi_hot = salience(np.arange(components + 1) / components)
    assert multi_hot == pytest.approx([1 / components] + [0.0] * (components - 1))
    lookup = salience([0.0] * components + [1.0])
    assert lookup == pytest.approx([0.0] * (components - 1) + [1.0])


def test_two_and_three_components_in_closed_form():
    assert salience((0.1, 0.3, 1.1)) == pytest.approx([0.2, 0.6])
    k1, k2 = 0.17, 0.5
    assert salience((0.0, k1, k2, 1.0)) == pytest.approx([k1, k2 - 2 * k1, 1 - 3 * k2 + 3 * k1])
    unequal = {(0, 0): 1.0, (1, 0): 1.2, (0, 1): 2.0, (1, 1): 3.0}
    assert salience(unequal) == pytest.approx({(1, 0): 0.1, (0, 1): 0.5, (1, 1): 0.4})


def test_the_kernels_module_offers_it():
    assert kernels.salience is salience


@pytest.mark.parametrize(
    ("similarity", "message"),
    [
        ((1.0, 0.5, 1.0), r"salience is undefined: kappa\(C\) - kappa\(0\) = 0 beside values of 1 "),
        ((1.0, 1.0 + 1e-14), "zero to rounding; .* use salience_by_depth"),
        ((1.0,), "speaks of no component"),
        ({}, "speaks of no component"),
        ({(0, 0): 0.0, (1, 1): 1.0, (1, 0): 0.3}, r"no value for shared components \(0, 1\)"),
        ({(0,): 0.0, (1, 1): 1.0}, r"key \(0,\) must be a tuple of 2 flags"),
        ((0.0, np.inf), "similarity holds inf; every value must be finite"),
    ],
)
def test_bad_similarities_are_refused(similarity, message):
    with pytest.raises(InputError, match=message):
        salience(similarity)
