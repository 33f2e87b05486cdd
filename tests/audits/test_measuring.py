"""Activations with a known layout give the numbers that the layout says."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import recombine as rc
from recombine.audits.measuring import MOST_ROWS, additive_held_out, additive_share, alignment, share_of_factor
from recombine.core.errors import InputError

ROWS = [(colour, size) for colour in ("blue", "green", "red") for size in (1, 2, 4, 8) for _ in range(5)]
TABLE = pd.DataFrame(ROWS, columns=["colour", "size"])
LOG = np.log2(TABLE["size"].to_numpy())
COLOURS = np.eye(3)[pd.Categorical(TABLE["colour"]).codes]


def of(found: pd.DataFrame, measure: str, factor: str = "", layer: str = "activations") -> pd.Series:
    (row,) = (line for _, line in found.iterrows() if (line.layer, line.measure, line.of) == (layer, measure, factor))
    return row


def test_a_clean_layout_is_seen_and_no_shuffle_shows_it():
    found = rc.measure(np.column_stack([COLOURS, LOG]), TABLE, shuffles=20)
    colour, size = of(found, "share", "colour"), of(found, "share", "size")
    assert colour.value + size.value == pytest.approx(1)
    assert of(found, "additive_share").value == pytest.approx(1)
    assert of(found, "alignment", "colour, size").value == pytest.approx(0, abs=1e-12)
    assert of(found, "readout", "colour").value == 1
    assert of(found, "readout", "size").value > 0.5  # the logarithm of it is linear, itself nearly
    for row in (colour, size, of(found, "additive_share")):
        assert row.p == pytest.approx(1 / 21)
        assert row.null_high < row.value


def test_noise_lies_within_its_null():
    noise = np.random.default_rng(5).normal(size=(len(TABLE), 30))
    found = rc.measure(noise, TABLE, shuffles=99)
    for measure, factor in (("share", "colour"), ("share", "size"), ("additive_share", "")):
        row = of(found, measure, factor)
        assert row.p > 0.01
        assert row.null == pytest.approx(row.value, rel=0.5)


def test_one_feature_for_a_conjunction_is_not_additive():
    both = ((TABLE["colour"] == "red") & (TABLE["size"] == 8)).to_numpy(dtype=float)[:, None]
    found = rc.measure(both, TABLE, shuffles=3)
    # One cell of 3 x 4 has a variance of 11/144; the means by colour one of 2/144, those by size one of 3/144.
    assert of(found, "share", "colour").value == pytest.approx(2 / 11)
    assert of(found, "share", "size").value == pytest.approx(3 / 11)
    assert of(found, "additive_share").value == pytest.approx(5 / 11)


def test_what_adds_up_is_foretold_on_held_out_rows_and_a_conjunction_is_not():
    trained = ~((TABLE["colour"] == "red") & (TABLE["size"] == 8)).to_numpy()
    clean = np.column_stack([COLOURS, LOG])
    found = rc.measure({"clean": clean, "crossed": clean * LOG[:, None] ** 2}, TABLE, trained, shuffles=5)
    assert of(found, "additive_held_out", layer="clean").value == pytest.approx(1)
    assert of(found, "readout", "colour", "clean").value == 1
    assert of(found, "additive_held_out", layer="crossed").value < 0.9


def test_torch_arrays_mappings_and_plain_arrays_are_taken():
    torch = pytest.importorskip("torch")
    rows = np.column_stack([COLOURS, LOG])
    frame = rc.measure(rows, TABLE, shuffles=2)
    mapping = rc.measure(torch.from_numpy(rows), {name: TABLE[name].to_numpy() for name in TABLE}, shuffles=2)
    pd.testing.assert_frame_equal(frame, mapping)
    plain = rc.measure(rows, np.column_stack([pd.Categorical(TABLE["colour"]).codes, TABLE["size"]]), shuffles=2)
    assert set(plain["of"]) == {"", "factor 1", "factor 2", "factor 1, factor 2"}


def test_many_rows_are_sampled_by_the_seed():
    rows = np.random.default_rng(0).normal(size=(MOST_ROWS + 500, 4))
    table = {"x": np.arange(len(rows)) % 7}
    first, again, other = (rc.measure(rows, table, shuffles=2, seed=seed) for seed in (0, 0, 1))
    pd.testing.assert_frame_equal(first, again)
    assert not first["value"].equals(other["value"])


@given(st.integers(2, 4), st.integers(2, 5), st.integers(0, 2**31))
def test_shares_of_a_full_grid_add_up_to_the_additive_share(one, two, seed):
    rng = np.random.default_rng(seed)
    codes = np.indices((one, two)).reshape(2, -1)
    rows = rng.normal(size=(one * two, 3))
    shares = [share_of_factor(rows, each)[0] for each in codes]
    assert additive_share(rows, list(codes)) == pytest.approx(sum(shares))


@given(st.integers(0, 2**31))
def test_alignment_is_one_with_itself_and_does_not_depend_on_axes(seed):
    rng = np.random.default_rng(seed)
    one, other = rng.normal(size=(4, 6)), rng.normal(size=(3, 6))
    turn = np.linalg.qr(rng.normal(size=(6, 6)))[0]
    assert alignment(one, one) == pytest.approx(1)
    assert alignment(one, other) == pytest.approx(alignment(other, one))
    assert alignment(one @ turn, other @ turn) == pytest.approx(alignment(one, other))
    assert 0 <= alignment(one, other) <= 1 + 1e-12


def test_a_level_that_was_never_trained_is_answered_by_least_norm():
    codes = np.array([0, 0, 1, 1, 2])
    rows = np.array([[0.0], [0.0], [2.0], [2.0], [9.0]])
    score = additive_held_out(rows, [codes], np.array([False, False, False, False, True]))
    assert score == pytest.approx(0)  # the mean of what was trained


@pytest.mark.parametrize(
    ("activations", "factors", "mask", "words"),
    [
        (np.zeros((3, 2)), {"x": [0, 1, 0, 1]}, None, r"layer 'activations' has shape \(3, 2\)"),
        (np.full((4, 2), np.nan), {"x": [0, 1, 0, 1]}, None, "not finite in 4 rows, first in row 0"),
        (np.zeros((4, 2)), {"x": [1, 1, 1, 1]}, None, "no factor is left"),
        (np.zeros((4, 2)), {"x": [0, 1, 2, 3]}, None, "a level of its own in every row"),
        (np.zeros((4, 2)), {"x": ["a", "b", "a", 1]}, None, "words and numbers"),
        (np.zeros((4, 2)), {"x": [0, 1, 0, 1], "y": [0, 1]}, None, "differ in length"),
        (np.zeros((4, 2)), {}, None, "no columns"),
        ({}, {"x": [0, 1, 0, 1]}, None, "no activations"),
        (np.zeros((4, 2)), {"x": [0, 1, 0, 1]}, [True, False], "one True or False for each of 4 rows"),
        (np.zeros((4, 2)), {"x": [0, 1, 0, 1]}, [False] * 4, "no row"),
        (np.zeros((4, 2)), {"x": [0, 1, 0, 1]}, [2, 0, 1, 0], r"has 2 in row 0 \(counted from 0\)"),
        (np.zeros((4, 2)), {"x": [0, 1, 0, 1]}, [1, 0, np.nan, 0], "has nan in row 2"),
        (np.zeros((4, 2)), {"x": [0, 1, 0, 1]}, ["yes", "no", "no", "no"], "has 'yes' in row 0"),
        (np.zeros((4, 2)), {"x": [0, None, 1, None], "y": [None, 1, None, 1]}, None, "0 rows with all factors"),
        (np.zeros((4, 2)), {"x": [0, 1, 2, 3], "y": [1] * 4}, None, "level of its own in every row.*; factor 'y' is 1"),
    ],
)
def test_bad_input_is_one_sentence(activations, factors, mask, words):
    with pytest.raises(InputError, match=words):
        rc.measure(activations, factors, mask)


def test_a_mask_with_an_index_of_its_own_is_refused():
    table = pd.DataFrame({"x": [0, 0, 1, 1], "y": [0, 1, 0, 1]}, index=[3, 2, 1, 0])
    with pytest.raises(InputError, match="different indexes; bring both in one order"):
        rc.measure(np.eye(4), table, pd.Series([True, True, True, False]))
    assert len(rc.measure(np.eye(4), table, pd.Series([True, True, True, False], index=table.index)))


def test_a_mask_of_all_rows_is_as_none():
    rows = np.column_stack([COLOURS, LOG])
    pd.testing.assert_frame_equal(
        rc.measure(rows, TABLE, [True] * len(TABLE), shuffles=2), rc.measure(rows, TABLE, shuffles=2)
    )


def test_a_dead_layer_has_no_direction_and_the_others_are_measured():
    with pytest.warns(UserWarning, match="Layer 'dead' is dead"):
        found = rc.measure({"dead": np.ones((len(TABLE), 3)), "alive": COLOURS}, TABLE, shuffles=2)
    assert of(found, "participation", layer="dead").value == 0
    assert set(found[found.layer == "dead"].measure) == {"participation"}
    assert of(found, "share", "colour", "alive").value == pytest.approx(1)


def test_what_is_left_out_is_told_by_name():
    with pytest.warns(UserWarning, match="Factor|dead") as said:
        found = rc.measure(np.zeros((len(TABLE), 3)), TABLE.assign(one=1, own=range(len(TABLE))), shuffles=2)
    notes = found.attrs["notes"]
    assert [str(each.message) for each in said] == notes
    assert len(notes) == 3
    for words in ("Factor 'one' is 1 in every row", "Factor 'own' has a level of its own", "'activations' is dead"):
        assert words in " ".join(notes)
    assert rc.measure(COLOURS, TABLE, shuffles=2).attrs["notes"] == []


def test_rows_without_a_factor_and_layers_that_are_not_finite_are_left_out():
    lacking = TABLE.assign(size=TABLE["size"].where(np.arange(60) != 2))
    bad = np.where(np.arange(60)[:, None] == 4, np.inf, COLOURS)
    trained = np.arange(60) % 7 != 0
    with pytest.warns(UserWarning, match="factor|layer") as said:
        found = rc.measure({"bad": bad, "clean": COLOURS}, lacking, trained, shuffles=2)
    words = " ".join(str(each.message) for each in said)
    assert "factor 'size' has no value in row 2 (counted from 0)" in words
    assert "layer 'bad' is not finite in 1 row, first in row 4" in words
    kept = np.arange(60) != 2
    clean = rc.measure({"clean": COLOURS[kept]}, TABLE[kept], trained[kept], shuffles=2)
    pd.testing.assert_frame_equal(found, clean)
