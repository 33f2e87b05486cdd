"""Blame on constructed answers: the cause is planted by hand, and the shares are known."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recombine.core.errors import InputError
from recombine.core.failures import Failure
from recombine.core.seeds import stream
from recombine.measures.blame import FINE, NOT_LEARNED, ORDER, OTHER, SMALL, Blame, Claim, share_out, spelt
from recombine.measures.blame_answers import (
    contradicting,
    leak,
    not_additive,
    shortcut,
    shown_conjunctions,
    subsets,
    superposed,
)
from recombine.measures.blame_pictures import blame_pictures
from recombine.measures.blame_training import (
    at_scale,
    in_parts,
    in_units,
    no_composition,
    not_learned,
    too_little_data,
    too_little_overlap,
    unseen_level,
)
from recombine.measures.explanation_verdict import decide, sentence
from recombine.measures.remembered import Stripes
from recombine.theory import certificate

GRID = np.array(list(product(range(5), range(6))))
HELD = (GRID[:, 0] >= 2) & (GRID[:, 1] >= 3)  # 3 x 3 of 5 x 6
VALUES = np.array([-2.0, 0.5, 1.0, 3.0, 7.0])[GRID[:, 0]] + np.array([4.0, 1.0, 0.0, -1.0, -3.0, 2.0])[GRID[:, 1]]


# Sharing out


def test_every_failure_has_its_place_in_the_order():
    assert set(ORDER) == {*Failure, NOT_LEARNED, OTHER}
    assert len(ORDER) == len(set(ORDER))
    assert (ORDER[0], ORDER[-1]) == (NOT_LEARNED, OTHER)


def test_the_earlier_cause_takes_first_and_the_rest_is_other():
    errors = np.array([1.0, 3.0])
    late = Claim(Failure.LEAK, np.array([1.0, 9.0]), "leaks.")
    early = Claim(Failure.UNSEEN_LEVEL, np.array([0.5, 0.0]), "unseen.")
    found = share_out(errors, [late, None, early])
    assert found.shares == pytest.approx({"unseen level": 0.125, "leak": 0.875})
    assert list(found.shares) == ["unseen level", "leak"]
    assert found.cause == "leak"
    half = share_out(errors, [early])
    assert half.shares == pytest.approx({"unseen level": 0.125, "other": 0.875})
    assert half.cause == "other"


rows = st.lists(st.floats(0, 10), min_size=3, max_size=3)


@settings(max_examples=60, deadline=None)
@given(rows, st.dictionaries(st.sampled_from(ORDER[:-1]), rows))
def test_shares_are_positive_and_sum_to_one(errors, claimed):
    wrong = np.array(errors)
    found = share_out(wrong, [Claim(failure, np.array(each), "") for failure, each in claimed.items()])
    if wrong.mean() < SMALL:
        assert found.parts == ()
        assert found.cause is None
    else:
        assert sum(found.shares.values()) == pytest.approx(1.0)
        assert min(found.shares.values()) > 0
        for failure, each in claimed.items():  # nobody takes more than it claims
            assert found.shares.get(str(failure), 0.0) * wrong.sum() <= sum(each) + 1e-9


def test_a_small_error_blames_nothing_and_its_scale_decides():
    claim = Claim(Failure.LEAK, np.ones(2), "")
    assert share_out(np.array([0.2, 0.2]), [claim], scale=4.0) == Blame((), 0.05)
    assert share_out(np.array([0.2, 0.2]), [claim], scale=1.0).cause == "leak"
    assert str(share_out(np.empty(0), [])) == "held-out error: nothing is held out"
    assert str(Blame((), 0.05)) == "held-out error 0.05 (section ood): too small to blame anything"


def test_numbers_that_are_nearly_right_are_shared_out_where_those_shown_are_more_so():
    claim = Claim(Failure.LEAK, np.ones(2), "")
    errors = np.array([0.02, 0.06])
    assert share_out(errors, [claim], floor=FINE).shares == {"leak": 1.0}
    assert share_out(errors, [claim], shown=0.035, floor=FINE).parts == ()
    assert share_out(errors, [claim], shown=0.02, floor=FINE).cause == "leak"
    assert share_out(errors / 10, [claim], floor=FINE).parts == ()
    assert share_out(errors * 10, [claim], shown=0.5, floor=FINE).cause == "leak"  # not small, whatever was shown


@pytest.mark.parametrize("slope", [0.905, 0.895, 0.728])
def test_answers_shrunk_by_more_than_a_tenth_are_told(slope):
    """Answers b t have an nMSE of (1 − b)²: a slope of 0.9 has 0.01, one of 0.728 has 0.074."""
    truth = VALUES[HELD] - VALUES[HELD].mean()
    errors = np.square((1 - slope) * truth)
    claim = leak(errors, slope * truth[:, None], truth[:, None])
    found = share_out(errors, [claim], float(np.square(truth).mean()), floor=FINE)
    assert found.error == pytest.approx((1 - slope) ** 2)
    assert found.cause == (None if slope > 0.9 else "leak")
    assert decide(found, False) == ("composes" if slope > 0.9 else "composes in part")
    told = sentence(decide(found, False), found, "nMSE", False)
    assert ("less than 0.01 above that on what was shown" in told) == (slope > 0.9)


def test_some_rows_of_a_section_share_out_the_error_of_all():
    claim = Claim(Failure.LEAK, np.ones(2), "")
    assert share_out(np.array([0.2, 0.2]), [claim], section="all", error=0.05) == Blame((), 0.05, "all")
    found = share_out(np.array([0.05, 0.05]), [claim], error=0.2)
    assert (found.error, found.shares) == (0.2, {"leak": 1.0})
    assert share_out(np.zeros(2), [claim], error=0.2).cause == "other"


@given(st.floats(0, 2))
def test_an_error_is_spelt_on_its_side_of_the_threshold(error):
    assert (float(spelt(error)) < SMALL) == (error < SMALL)


def test_an_error_has_three_digits_unless_more_are_needed():
    assert [spelt(each) for each in (0.0, 0.12345, 0.0999, 0.09996, 0.1, 0.0999999)] == [
        *("0", "0.123", "0.0999", "0.09996", "0.1", "0.0999999")
    ]


@pytest.mark.parametrize(
    ("errors", "claims", "says"),
    [
        ([1.0], [Claim("laziness", np.ones(1), "")], "unknown failure 'laziness'"),
        ([1.0], [Claim("leak", np.ones(1), "")] * 2, "'leak' is claimed twice"),
        ([1.0], [Claim("leak", np.ones(2), "")], r"shape \(2,\); it must be a finite number for each of 1"),
        ([-1.0], [], "cannot be shared out"),
    ],
)
def test_nonsense_is_refused(errors, claims, says):
    with pytest.raises(InputError, match=says):
        share_out(np.array(errors), claims)


def test_the_words_and_the_document_have_the_same_shares():
    claim = Claim(Failure.LEAK, np.array([3.0]), "Answers are shrunk.", {"slope": 0.5})
    found = share_out(np.array([4.0]), [claim])
    assert "75%  leak   Answers are shrunk." in str(found)
    assert found.to_dict() == {
        "blame": [
            {"failure": "leak", "share": 0.75, "text": "Answers are shrunk.", "evidence": {"slope": 0.5}},
            {"failure": "other", "share": 0.25, "text": found.parts[1].text, "evidence": {}},
        ],
        "cause": "leak",
        "blamed": {"section": "ood", "error": 4.0},
    }


# What training lacks


def test_an_untrained_network_is_to_blame_for_nothing_else():
    errors = np.array([1.0, 3.0])
    claim = not_learned(errors, np.array([2.0, 2.0]))
    assert claim.errors == pytest.approx(errors)
    assert not_learned(errors, np.array([0.5])).errors == pytest.approx(errors / 4)
    assert not_learned(errors, np.array([8.0])).errors == pytest.approx(errors)
    assert not_learned(errors, np.empty(0)) is None


def test_easy_rows_count_for_more_and_hard_ones_for_no_less():
    errors = np.array([1.0, 2.0])
    assert at_scale(errors, np.array([1.0, 3.0]), 6.0) == pytest.approx([3.0, 6.0])
    assert at_scale(errors, np.array([10.0, 30.0]), 6.0) == pytest.approx(errors)
    assert at_scale(errors, np.zeros(2), 6.0) == pytest.approx(errors)


def test_another_sort_of_rows_is_put_in_the_same_units_either_way():
    errors = np.array([1.0, 2.0])
    assert in_units(errors, np.array([1.0, 3.0]), 6.0) == pytest.approx([3.0, 6.0])
    assert in_units(errors, np.array([10.0, 30.0]), 5.0) == pytest.approx(errors / 4)
    assert in_units(errors, np.zeros(2), 6.0) == pytest.approx(errors)


def test_the_words_have_the_errors_of_the_tables():
    """Shown rows cost 8 and held-out ones 2 to one who knows nothing: an error of 0.25 in the one is 1 in the other."""
    errors, shown = np.array([4.0, 12.0]), np.array([1.0, 3.0])
    claim = not_learned(errors, at_scale(shown, np.full(2, 8.0), 2.0), 2.0, 0.25)
    assert claim.text == (
        "What was trained on is wrong already: its error, 0.25, is 1 on what is held out, where knowing nothing costs "
        "less: 25% of the held-out one, 4."
    )
    same = not_learned(errors, at_scale(shown, np.full(2, 1.0), 2.0), 2.0, 2.0)  # easy rows: 2 of 1 is 4 of 2
    assert same.text == "What was trained on is wrong already: its error, 2, is 50% of the held-out one, 4."
    assert "its error, 2, is no less than the held-out one, 1." in not_learned(errors / 4, 2 * shown, 2.0).text


def test_too_little_data_is_the_error_on_fresh_rows_beyond_that_on_shown_ones():
    errors = np.array([2.0, 6.0])
    assert too_little_data(errors, np.array([1.0]), np.array([3.0])).errors == pytest.approx(errors / 2)
    assert too_little_data(errors, np.array([3.0]), np.array([1.0])).errors == pytest.approx(0 * errors)
    assert too_little_data(errors, np.array([3.0]), np.empty(0)) is None


def test_lone_stripes_only_show_no_composition():
    alone = np.array([[0.0, np.nan], [np.nan, 2.0]])
    assert no_composition(np.ones(3), alone).errors == pytest.approx(np.ones(3))
    assert no_composition(np.ones(3), np.vstack([alone, [0.0, 2.0]])) is None
    assert no_composition(np.ones(3), np.zeros((4, 1))) is None  # one factor has nothing to compose


def test_an_unseen_band_takes_its_rows_unless_it_is_shown_alone():
    asked = np.array([[0, 1], [3, 1], [4, 2]])
    shown = np.array([[0.0, 1.0], [1.0, 2.0]])
    claim = unseen_level(np.array([1.0, 2.0, 4.0]), asked, shown, ("a", "b"))
    assert claim.errors == pytest.approx([0.0, 2.0, 4.0])
    assert "a 3, 4" in claim.text
    assert "b" not in claim.text.split(":")[1]
    stripes = np.array([[3.0, np.nan], [4.0, np.nan]])
    assert unseen_level(np.ones(3), asked, np.vstack([shown, stripes]), ("a", "b")) is None


def test_two_blocks_fall_into_two_parts():
    shown = np.array([[a, b] for a, b in product(range(5), range(6)) if (a < 2) == (b < 4)], dtype=float)
    asked = np.array([[0, 0], [0, 5], [4, 5], [4, 1]])
    apart, parts = in_parts(asked, shown)
    assert (apart.tolist(), parts) == ([False, True, False, True], 2)
    assert too_little_overlap(np.arange(1.0, 5.0), asked, shown).errors == pytest.approx([0, 2, 0, 4])
    joined = np.vstack([shown, [0.0, 5.0]])
    assert in_parts(asked, joined)[1] == 1
    assert too_little_overlap(np.ones(4), asked, joined) is None


def test_a_level_shown_alone_is_a_part_of_its_own():
    shown = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [2.0, np.nan]])
    apart, parts = in_parts(np.array([[1, 0], [2, 0]]), shown)
    assert (apart.tolist(), parts) == ([False, True], 2)


# What the network made of it


@pytest.mark.parametrize(("slope", "offset"), [(0.3, 1.0), (0.7, -2.0), (0.95, 0.0)])
@pytest.mark.parametrize("by_sums", [False, True])
def test_a_shrunk_sum_is_all_leak(slope, offset, by_sums):
    truth = VALUES[HELD][:, None]
    answers = offset + slope * truth
    errors = np.square(answers - truth)[:, 0]
    design = np.ones((len(truth), 1)) if by_sums else None
    claim = leak(errors, answers, truth, shown_conjunctions(GRID[HELD], GRID[~HELD]) if by_sums else design)
    assert claim.errors == pytest.approx(errors)
    assert claim.evidence["slope"] == pytest.approx(slope)


@pytest.mark.parametrize("slope", [1.0, 1.4, -0.5])
def test_answers_that_are_not_shrunk_do_not_leak(slope):
    truth = VALUES[HELD][:, None]
    answers = 1.0 + slope * truth
    assert leak(np.square(answers - truth)[:, 0], answers, truth) is None


def test_answers_that_do_not_follow_the_truth_do_not_leak():
    truth = VALUES[HELD][:, None]
    answers = 0.5 * stream(0, "test", "leak").permutation(truth)
    assert leak(np.square(answers - truth)[:, 0], answers, truth) is None
    assert leak(np.ones(2), truth[:2] / 2, truth[:2]) is None  # a line through two points says nothing


def test_levels_that_shrink_by_different_amounts_leak_as_sums():
    """An additive table, each level of which keeps a share of its own: one slope is not all of it, the sum is."""
    grid = np.array(list(product(range(8), range(9))))
    held = (grid[:, 0] > 0) & (grid[:, 1] > 0)
    keep = 0.4 + 0.5 * stream(1, "test", "leak").random((2, 9))
    values = stream(2, "test", "leak").normal(size=(2, 9))
    parts = [values[c][grid[:, c]] for c in (0, 1)]
    truth = sum(parts)[held][:, None]
    answers = sum(part * keep[c][grid[:, c]] for c, part in enumerate(parts))[held][:, None]
    errors = np.square(answers - truth)[:, 0]
    whole = leak(errors, answers, truth, shown_conjunctions(grid[held], grid[~held]))
    assert whole.errors == pytest.approx(errors)
    assert leak(errors, answers, truth).errors.sum() < 0.95 * errors.sum()


def test_a_sum_is_additive_and_a_product_is_not():
    asked, pool = GRID[HELD], GRID[~HELD]
    assert not_additive(np.ones(9), VALUES[HELD][:, None], asked, pool, VALUES[~HELD][:, None]) is None
    times = ((GRID[:, 0] - 2.0) * (GRID[:, 1] - 2.5))[:, None]
    claim = not_additive(np.ones(9), times[HELD], asked, pool, times[~HELD])
    # What is left of the product on the held-out block is the product of the centred factors.
    a, b = GRID[HELD, 0] - 3.0, GRID[HELD, 1] - 4.0
    assert claim.evidence["variance_left"] == pytest.approx(np.square(a * b).sum() / 9 / times[HELD].var())
    assert (claim.errors >= np.square(a * b) - 1e-9).all()


def test_a_learner_of_sums_is_wrong_by_all_of_it():
    """Its answers are the sum through the training set, so that the claim is its error."""
    times = ((GRID[:, 0] - 2.0) * (GRID[:, 1] - 2.5))[:, None]
    one_hot = np.concatenate([np.eye(5)[GRID[:, 0]], np.eye(6)[GRID[:, 1]]], axis=1)
    answers = one_hot @ np.linalg.lstsq(one_hot[~HELD], times[~HELD], rcond=None)[0]
    errors = np.square(answers - times)[HELD, 0]
    claim = not_additive(errors, times[HELD], GRID[HELD], GRID[~HELD], times[~HELD])
    assert share_out(errors, [claim]).shares["not additive"] > 0.95


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000))
def test_rows_exclude_each_other_where_the_certificate_says_so(seed):
    rng = stream(seed, "test", "classes")
    grid = np.array(list(product(range(3), range(3), range(2))))
    held = rng.random(len(grid)) < 0.4
    held[:2] = False, True
    truth = rng.choice([-1.0, 1.0], size=len(grid))
    claim = contradicting(np.ones(int(held.sum())), truth[held], grid[held], grid[~held])
    assert (claim is None) == certificate(grid, truth, ~held).additive


def test_parity_excludes_itself_and_a_free_row_is_left_out():
    grid = np.array(list(product(range(3), range(3))))
    held = (grid < 2).all(axis=1) | (grid == 2).all(axis=1)
    truth = 1.0 - 2 * (grid.sum(axis=1) % 2)
    claim = contradicting(np.ones(5), truth[held], grid[held], grid[~held])
    assert claim.errors.tolist() == [1, 1, 1, 1, 0]


def cue_case():
    """Parity of two components in training, given away by a third that is turned round in what is held out."""
    grid = np.array(list(product(range(3), range(4), range(2))))
    truth = 1.0 - 2 * (grid[:, :2].sum(axis=1) % 2)
    return grid, truth, truth != 1.0 - 2 * grid[:, 2]


def test_a_followed_rule_is_a_shortcut_and_its_rows_are_taken():
    grid, truth, held = cue_case()
    wrong = -truth[held]
    shown = (grid[held], grid[~held], truth[~held], ("a", "b", "cue"))
    claim = shortcut(np.ones(int(held.sum())), wrong, truth[held], *shown)
    assert claim.errors == pytest.approx(np.ones(int(held.sum())))
    assert "about cue alone" in claim.text
    assert claim.evidence["right_in_training"] == 1.0
    assert shortcut(np.zeros(int(held.sum())), truth[held], truth[held], *shown) is None


def test_coin_flips_follow_no_rule():
    grid, truth, held = cue_case()
    flips = np.resize([1.0, 1.0, -1.0], int(held.sum())) * truth[held]
    errors = (flips * truth[held] < 0).astype(float)
    assert shortcut(errors, flips, truth[held], grid[held], grid[~held], truth[~held], ("a", "b", "cue")) is None


def test_all_sets_of_components():
    assert list(subsets(3)) == [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)]
    assert list(subsets(2, whole=False)) == [(0,), (1,)]


def test_a_sum_of_near_memories_is_all_superposition_and_nothing_is_none():
    rng = stream(0, "test", "superposed")
    memories, true = rng.random((4, 30)), rng.random((2, 30))
    near = np.array([[True, True, False, False], [False, True, True, True]])
    drawn = np.stack([0.3 * memories[0] + 0.6 * memories[1], np.zeros(30)])
    errors = np.square(drawn - true).mean(axis=1)
    claim = superposed(errors, drawn, true, memories, near)
    assert claim.text.startswith("Answers are sums of remembered ones that share a level")  # be they pictures or not
    assert claim.errors == pytest.approx([errors[0], 0.0])
    assert claim.evidence["energy"] == pytest.approx(1.0)
    far = superposed(errors, drawn, true, memories, ~near)
    assert far.errors[0] < 0.95 * errors[0]


# Pictures over y and x: 9 levels of y and 11 of x, a hole of 30


def test_the_truth_of_pictures_blames_nothing(from_ink, bumps):
    evidence = from_ink(bumps())
    assert blame_pictures(evidence, evidence.sections["id"]) == Blame((), 0.0, "interior")


def test_superposed_pictures(from_ink, bumps):
    ink, evidence = bumps(), from_ink(bumps())
    shown = evidence.sections["id"]
    for y, x in evidence.levels[evidence.sections["ood"]]:
        near = shown & ((evidence.levels == (y, x)).any(axis=1))
        ink[11 * y + x] = 0.2 * bumps()[near].sum(axis=0)
    found = blame_pictures(from_ink(ink), shown)
    assert found.shares == pytest.approx({"superposition": 1.0})


def test_blank_pictures_are_no_superposition(from_ink, bumps):
    ink, evidence = bumps(), from_ink(bumps())
    ink[evidence.sections["ood"]] = 0
    assert blame_pictures(from_ink(ink), evidence.sections["id"]).shares == pytest.approx({"other": 1.0})


def test_pictures_of_an_untrained_network(from_ink, bumps):
    found = blame_pictures(from_ink(0.3 * bumps()), from_ink(bumps()).sections["id"])
    assert found.shares == pytest.approx({"not learned": 1.0})


def test_pictures_of_lone_stripes_only(from_ink, bumps, full_stripes):
    ink, evidence, lines = bumps(), from_ink(bumps()), full_stripes()
    levels = np.array([[y, np.nan] for y in range(9)] + [[np.nan, x] for x in range(11)])
    pictures = 1.0 - np.concatenate([lines["y"], lines["x"]])
    for y, x in evidence.levels:
        ink[11 * y + x] = 0.5 * (lines["y"][y] + lines["x"][x])
    none = np.zeros(99, dtype=bool)
    found = blame_pictures(from_ink(ink), none, Stripes(levels, pictures, pictures), evidence.sections["id"])
    assert found.shares == pytest.approx({"no compositional example": 1.0})


def test_stripes_beside_combinations_count_in_their_own_units(from_ink, bumps, full_stripes):
    """Bumps drawn at 0.3 have an nMSE of 0.49, stripes at 0.5 one of 0.25, whatever their ink: as tables say."""
    ink, evidence, lines = 0.3 * bumps(), from_ink(bumps()), full_stripes()
    ink[evidence.sections["ood"]] = bumps()[3]
    drawn = np.concatenate([lines["y"], lines["x"]])
    levels = np.array([[y, np.nan] for y in range(9)] + [[np.nan, x] for x in range(11)])
    shown = evidence.sections["id"]
    found = blame_pictures(from_ink(ink), shown, Stripes(levels, 1.0 - 0.5 * drawn, 1.0 - drawn))
    expected = (0.49 * shown.sum() + 0.25 * 20) / (shown.sum() + 20)
    (part,) = (part for part in found.parts if part.failure == NOT_LEARNED)
    assert part.share == pytest.approx(expected / found.error, rel=0.05)  # bumps at the border are cut off
    assert f"What was trained on, stripes too, is wrong already: its error, {expected:.3g}, is" in part.text
    alone = blame_pictures(from_ink(ink), shown & False, Stripes(levels, 1.0 - 0.5 * drawn, 1.0 - drawn))
    assert "its error, 0.25, is" in alone.parts[0].text


def test_pictures_of_a_tiny_subset(from_ink, bumps):
    """All that was not shown is blank: rows that hold out nothing are as wrong as the others."""
    ink, evidence = bumps(), from_ink(bumps())
    shown = evidence.sections["id"].copy()
    shown[np.flatnonzero(shown)[5:]] = False
    ink[~shown] = 0
    found = blame_pictures(from_ink(ink), shown)
    assert found.cause == "too little data"
    assert found.shares["too little data"] == pytest.approx(1.0)


def test_pictures_that_were_never_shown_a_band_or_what_joins_two_blocks(from_ink, bumps):
    ink, evidence = bumps(), from_ink(bumps())
    ink[evidence.sections["ood"]] = 0
    y, x = evidence.levels.T
    band = ~((y >= 2) & (y < 7))
    found = blame_pictures(from_ink(ink), band & evidence.sections["id"], allowed=band & evidence.sections["id"])
    assert found.shares == pytest.approx({"unseen level": 1.0})
    blocks = evidence.sections["id"] & (((y < 2) | (y >= 7)) == ((x >= 3) & (x < 9)))
    found = blame_pictures(from_ink(ink), blocks, allowed=blocks)
    assert found.shares == pytest.approx({"too little overlap": 1.0})


@pytest.mark.parametrize("dark", [True, False])
def test_shares_do_not_depend_on_what_is_dark(from_ink, bumps, dark):
    ink, evidence = bumps(), from_ink(bumps())
    ink[evidence.sections["ood"]] = bumps()[3]
    ink[evidence.sections["id"]] *= 0.8
    found = blame_pictures(from_ink(ink, dark=dark), evidence.sections["id"])
    assert found.shares["not learned"] == pytest.approx(0.04 / found.error, rel=0.05)


def test_many_components_are_looked_at_as_far_as_that_goes():
    rng = stream(0, "test", "many")
    grid = np.array(list(product(range(2), repeat=8)))
    truth = 1.0 - 2 * grid[:, 0]
    held = rng.random(len(grid)) < 0.3
    errors = np.ones(int(held.sum()))
    assert contradicting(errors, truth[held], grid[held], grid[~held]) is None
    assert not_additive(errors, truth[held][:, None], grid[held], grid[~held], truth[~held][:, None]) is None
    names = tuple("abcdefgh")
    told = 1.0 - 2 * grid[:, 1]  # answers follow the second component, which agreed with the first in training
    same = grid[:, 0] == grid[:, 1]
    wrong = (told != truth).astype(float)[~same]
    claim = shortcut(wrong, told[~same], truth[~same], grid[~same], grid[same], truth[same], names)
    assert claim.errors == pytest.approx(wrong)
