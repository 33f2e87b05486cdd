"""What a mask holds out, against counting by hand and by brute force."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recombine.audits import FactorTable
from recombine.audits.held_out import KNOWN, NEW, UNSEEN_LEVEL, UNSEEN_PAIR, look_at_mask, tied_levels

TABLE = FactorTable.read(
    {
        "shape": ["disc", "disc", "disc", "box", "box", "box", "star"],
        "hue": [1, 2, 3, 1, 2, 3, 1],
        "x": [0, 0, 0, 0, 1, 1, 0],
    }
)


def test_rows_are_sorted_by_what_training_lacks():
    trained = np.array([True, True, False, True, True, False, False])
    found = look_at_mask(TABLE, trained)
    # Hue 3 is shown nowhere, nor is the star.
    assert {name: mask.nonzero()[0].tolist() for name, mask in found.sections.items()} == {UNSEEN_LEVEL: [2, 5, 6]}
    assert found.unseen == {"shape": ("star",), "hue": (3,)}
    assert (found.trained, found.held_out, found.combinations, found.trained_combinations) == (4, 3, 7, 4)


def test_a_pair_a_combination_and_a_known_one():
    rows = np.array([[0, 0, 1], [0, 1, 0], [1, 0, 0], [1, 1, 0], [0, 0, 0], [0, 1, 0]])
    trained = np.array([True, True, True, False, False, False])
    found = look_at_mask(FactorTable.read(rows), trained)
    assert found.sections[UNSEEN_PAIR].tolist() == [False, False, False, True, False, False]
    assert found.sections[NEW].tolist() == [False, False, False, False, True, False]
    assert found.sections[KNOWN].tolist() == [False, False, False, False, False, True]


@given(st.integers(1, 3), st.integers(2, 3), st.integers(0, 2**31))
def test_every_held_out_row_is_in_one_section_and_brute_force_agrees(factors, levels, seed):
    rng = np.random.default_rng(seed)
    rows = rng.integers(levels, size=(12, factors))
    rows[:levels] = np.arange(levels)[:, None]  # so that no factor is constant
    trained = rng.random(12) < 0.5
    trained[:2] = True, False
    found = look_at_mask(FactorTable.read(rows), trained)
    assert np.sum(list(found.sections.values()), axis=0).tolist() == (~trained).astype(int).tolist()
    for row in np.flatnonzero(~trained):
        shown = rows[trained] == rows[row]
        if shown.all(axis=1).any():
            expected = KNOWN
        elif not shown.any(axis=0).all():
            expected = UNSEEN_LEVEL
        elif all((shown[:, f] & shown[:, g]).any() for f in range(factors) for g in range(f)):
            expected = NEW
        else:
            expected = UNSEEN_PAIR
        assert found.sections[expected][row]


@pytest.mark.parametrize(
    ("rows", "parts"),
    [([[0, 0], [1, 1]], 2), ([[0, 0], [1, 1], [0, 1]], 1), ([[0, 0], [2, 2], [2, 0]], 1), ([[0], [1]], 2)],
)
def test_levels_are_tied_by_rows(rows, parts):
    assert tied_levels(np.array(rows)) == parts


def test_what_shows_a_factor_alone_is_no_combination_and_ties_nothing():
    table = FactorTable.read({"y": ["a", "b", "a", "b", "none", "none"], "x": ["c", "d", "d", "none", "c", "d"]})
    trained = np.array([True, True, False, True, True, True])
    found = look_at_mask(table, trained)
    assert table.level_numbers == {"y": 2, "x": 2}
    assert (found.trained, found.alone, found.combinations, found.trained_combinations) == (5, 3, 3, 2)
    assert found.parts == 2  # a with c, and b with d; 'none' ties neither to the other
    nothing_together = look_at_mask(table, np.array([False, False, False, True, True, True]))
    assert nothing_together.parts == 0


def test_absence_among_three_factors_is_a_level_like_others():
    table = FactorTable.read({"hat": ["none", "cap"] * 2, "hue": [1, 1, 2, 2], "x": [0, 1, 1, 0]})
    assert not table.alone.any()
    assert table.level_numbers == {"hat": 2, "hue": 2, "x": 2}


def test_a_single_factor_has_no_groups():
    found = look_at_mask(FactorTable.read({"x": [0, 0, 1, 1, 2, 2]}), np.arange(6) < 4)
    assert found.parts == 1


def test_it_is_written_as_plain_values():
    import json

    found = look_at_mask(TABLE, np.array([True, True, False, True, True, False, False]))
    assert json.loads(json.dumps(found.to_dict()))["sections"] == {UNSEEN_LEVEL: 3}
