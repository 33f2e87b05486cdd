"""Facts of a training set against cases that can be counted by hand, and laws."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recombine.theory import facts


def grid(*sizes):
    return np.indices(sizes).reshape(len(sizes), -1).T


def nothing_alone(*sizes):
    return [np.zeros(size, dtype=bool) for size in sizes]


def test_a_level_is_unseen_unless_it_is_shown_or_shown_alone():
    rows = grid(3, 4)
    shown = (rows[:, 0] != 2) & (rows[:, 1] != 1)
    assert (facts.with_unseen_level(rows, shown, nothing_alone(3, 4)) == ~shown).all()
    alone = nothing_alone(3, 4)
    alone[0][2] = True
    assert (facts.with_unseen_level(rows, shown, alone) == (rows[:, 1] == 1)).all()


def test_two_blocks_that_share_no_level_are_apart():
    rows = grid(4, 6)
    shown = (rows[:, 0] < 2) == (rows[:, 1] < 3)
    assert (facts.apart(rows, shown, (4, 6)) == ~shown).all()
    bridge = shown | ((rows == (0, 5)).all(axis=1))
    assert not facts.apart(rows, bridge, (4, 6)).any()


def test_three_factors_are_joined_through_any_of_them():
    rows = grid(2, 2, 2)
    shown = np.isin(np.arange(8), [0, 7])  # 000 and 111 share nothing
    assert (facts.apart(rows, shown, (2, 2, 2)) == ~shown).all()
    shown[1] = True  # 001 joins the parts
    assert not facts.apart(rows, shown, (2, 2, 2)).any()


def test_partners_count_the_rarest_level():
    rows = grid(2, 3)
    shown = np.array([True, True, False, True, False, False])
    assert facts.partners(rows, shown).tolist() == [2, 1, 0, 1, 1, 0]


def test_sums_do_not_interact_and_a_product_of_centred_values_does_nothing_else():
    rows = grid(3, 5)
    x, y = rows.T
    total = np.column_stack([2.0 * x + y**2, np.ones(15)])
    assert facts.interaction(rows, total) == pytest.approx(0, abs=1e-12)
    product = ((x - 1.0) * (y - 2.0))[:, None]
    assert facts.interaction(rows, product) == pytest.approx(1)
    assert facts.interaction(rows, np.zeros((15, 1))) == 0


@settings(deadline=None, max_examples=40)
@given(st.integers(2, 4), st.integers(2, 5), st.integers(0, 2**20 - 1))
def test_showing_more_joins_more_and_leaves_less_unseen(rows_count, columns, bits):
    rows = grid(rows_count, columns)
    shown = np.array([bits >> place & 1 for place in range(len(rows))], dtype=bool)
    more = shown.copy()
    more[bits % len(rows)] = True
    alone = nothing_alone(rows_count, columns)
    assert (facts.apart(rows, more, (rows_count, columns)) <= facts.apart(rows, shown, (rows_count, columns))).all()
    less = facts.with_unseen_level(rows, more, alone)
    assert (less <= facts.with_unseen_level(rows, shown, alone)).all()
    assert (facts.partners(rows, more) >= facts.partners(rows, shown)).all()
    assert not (facts.apart(rows, shown, (rows_count, columns)) & shown).any()
