"""Explanations of constructed answers: sums of known pictures, the truth, nothing, a wrong picture in its place."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recombine.core.errors import InputError
from recombine.measures import measures
from recombine.measures.answer import deepest, take_apart
from recombine.measures.blame import SMALL
from recombine.measures.explanation import explain_evidence, lost_layer
from recombine.measures.remembered import Stripes
from recombine.measures.superposition import decompose
from recombine.theory import COMPOSES_BELOW as FORECAST_COMPOSES_BELOW

# 9 levels of y and 11 of x; the hole is y in 2..6, x in 3..8, its interior y in 3..5, x in 4..7.
AT = (4, 5)


def index(y, x):
    return 11 * y + x


def sharers_sum(evidence, ink, strength=0.1):
    """For every held-out combination the summed ink of trained ones that share its y or its x, by a plain loop."""
    answer = ink.copy()
    for y, x in evidence.levels[evidence.sections["ood"]]:
        shared = [k for k in np.flatnonzero(evidence.sections["id"]) if k // 11 == y or k % 11 == x]
        answer[index(y, x)] = strength * ink[shared].sum(axis=0)
    return answer


@pytest.mark.parametrize("dark", [True, False])
def test_a_sum_of_two_remembered_pictures_is_exactly_those_two(from_ink, bumps, dark):
    ink = bumps()
    ink[index(*AT)] = 0.3 * ink[index(4, 0)] + 0.7 * ink[index(8, 10)]
    answer = take_apart(from_ink(ink, dark=dark), AT, from_ink(ink).sections["id"])
    assert [(each.y, each.x) for each in answer.contributors] == [(8, 10), (4, 0)]
    assert [each.weight for each in answer.contributors] == pytest.approx([0.7, 0.3])
    assert [each.share for each in answer.contributors] == pytest.approx([0.7, 0.3])
    assert answer.energy == pytest.approx(1.0)
    assert answer.sum == pytest.approx(answer.drawn)
    assert answer.weights[8, 10] == pytest.approx(0.7)
    assert np.isnan(answer.weights[AT])
    assert not answer.trained
    # Of the two, one shares y; nobody shares x, not even within a step.
    assert [answer.shares[name].same for name in ("y", "x", "either")] == pytest.approx([0.3, 0.0, 0.3])
    # 69 trained combinations: 5 share y = 4, 4 share x = 5; within a step 15 and 12.
    assert [answer.shares[name].same_chance * 69 for name in ("y", "x", "either")] == pytest.approx([5, 4, 9])
    assert [answer.shares[name].near_chance * 69 for name in ("y", "x", "either")] == pytest.approx([15, 12, 27])


def test_levels_one_step_apart_are_told_from_the_same_ones(from_ink, bumps):
    ink = bumps()
    ink[index(*AT)] = 0.2 * ink[index(4, 0)] + 0.3 * ink[index(5, 10)] + 0.5 * ink[index(8, 6)]
    answer = take_apart(from_ink(ink), AT, from_ink(ink).sections["id"])
    assert [answer.shares[name].same for name in ("y", "x", "either")] == pytest.approx([0.2, 0.0, 0.2])
    assert [answer.shares[name].near for name in ("y", "x", "either")] == pytest.approx([0.5, 0.5, 1.0])


def test_on_a_ring_neighbours_go_the_short_way_round(from_ink, bumps):
    ink = bumps()
    ink[index(0, 5)] = ink[index(8, 0)]
    shown = np.ones(99, dtype=bool)
    shown[index(0, 5)] = False
    answer = take_apart(from_ink(ink, periodic=True), (0, 5), shown)
    assert answer.shares["y"].near == pytest.approx(1.0)
    assert answer.shares["y"].same == pytest.approx(0.0)


def test_the_truth_composes(from_ink, bumps):
    found = explain_evidence(from_ink(bumps()))
    assert found.finding == "composes"
    assert found.verdict == (
        "Composes deep in the hole (nMSE 0, 100% in their place): an error below 0.1 is too small to blame anything."
    )
    assert (found.answer.y, found.answer.x) == (4, 5)
    assert found.answer.nmse == 0
    assert found.answer.truth_correlation == pytest.approx(1.0)
    assert found.ink == pytest.approx(1.0)
    assert found.superposition.index == pytest.approx(measures["superposition_index"](from_ink(bumps())))


@pytest.mark.parametrize("dark", [True, False])
def test_nothing_drawn_is_blank(from_ink, bumps, dark):
    ink = bumps()
    ink[from_ink(ink).sections["ood"]] = 0
    found = explain_evidence(from_ink(ink, dark=dark))
    assert found.finding == "blank"
    assert found.verdict == (
        "Draws nothing deep in the hole (nMSE 1, 0% in their place): 100% of this error has no named cause."
    )
    assert found.answer.contributors == ()
    assert found.answer.energy == 0
    assert "none of the 69 remembered pictures is in it" in str(found)


def test_a_sum_of_sharers_is_called_a_superposition(from_ink, bumps):
    evidence = from_ink(bumps())
    found = explain_evidence(from_ink(sharers_sum(evidence, bumps())))
    assert found.finding == "superposes"
    assert found.superposition.memory_correlation == pytest.approx(1.0)
    assert found.superposition.sharer_weight == pytest.approx(1.0)
    assert found.answer.shares["either"].same == pytest.approx(1.0)
    assert len(found.answer.contributors) == 9
    assert found.cause == "superposition"
    assert "superposition accounts for" in found.verdict
    assert "superposition index" in str(found)


def test_a_cross_at_the_right_place_is_the_wrong_picture(from_ink, bumps, full_stripes):
    ink, evidence, lines = bumps(), from_ink(bumps()), full_stripes()
    for y, x in evidence.levels[evidence.sections["ood"]]:
        ink[index(y, x)] = lines["y"][y] + lines["x"][x]
    found = explain_evidence(from_ink(ink))
    assert found.finding == "placed"
    assert "the right place but not the right picture" in found.verdict


def test_a_bump_in_a_wrong_corner_fails_otherwise(from_ink, bumps):
    ink, held = bumps(), from_ink(bumps()).sections["ood"]
    ink[held] = ink[index(0, 0)]
    found = explain_evidence(from_ink(ink))
    assert found.finding == "fails"
    assert found.cause == "other"
    assert found.verdict.endswith(f"{found.blame.shares['other']:.0%} of this error has no named cause.")


def test_a_network_that_has_not_learned_its_training_set_is_not_blamed_for_composition(from_ink, bumps):
    evidence = from_ink(bumps())
    answer = sharers_sum(evidence, bumps())
    answer[evidence.sections["id"]] *= 0.1  # nMSE 0.81 on every trained picture
    found = explain_evidence(from_ink(answer))
    assert found.shown_nmse == pytest.approx(0.81)
    assert (found.finding, found.cause) == ("unlearned", "not learned")
    assert found.verdict.startswith("Has not learned what it was trained on, and fails deep in the hole (nMSE ")


@pytest.mark.parametrize("learned", [1.0, 0.7, 0.4, 0.1])
@pytest.mark.parametrize("strength", [0.0, 0.03, 0.1])
def test_the_verdict_names_the_cause_with_the_largest_share(from_ink, bumps, learned, strength):
    evidence = from_ink(bumps())
    answer = sharers_sum(evidence, bumps(), strength)
    answer[evidence.sections["id"]] *= learned
    found = explain_evidence(from_ink(answer))
    most = max(found.blame.parts, key=lambda part: part.share)
    assert found.cause == most.failure
    named = "has no named cause" if most.failure == "other" else f"{most.failure} accounts for {most.share:.0%}"
    assert named in found.verdict
    assert (found.finding == "superposes") == (found.cause == "superposition")
    assert (found.finding == "unlearned") == (found.cause == "not learned")
    deep = next(each for each in found.sections if each.name == "interior")
    assert (found.blame.section, found.blame.error) == ("interior", deep.nmse)
    assert f"(nMSE {deep.nmse:.3g}, " in found.verdict
    assert f"held-out error {deep.nmse:.3g} (section interior), by cause:" in str(found)


@pytest.mark.parametrize(("nmse", "finding", "told"), [(0.09999, "composes", "0.09999"), (0.1001, "placed", "0.1")])
def test_an_error_near_the_threshold_is_told_with_digits_enough(from_ink, bumps, nmse, finding, told):
    """Ink of strength s has an nMSE of (1 − s)²."""
    ink = bumps()
    ink[from_ink(ink).sections["ood"]] *= 1 - np.sqrt(nmse)
    found = explain_evidence(from_ink(ink))
    assert (found.finding, found.cause is None) == (finding, finding == "composes")
    assert f"(nMSE {told}, 100% in their place)" in found.verdict
    assert any(line.split() == ["interior", "12", told, "100%"] for line in str(found).splitlines())


def test_many_pictures_are_judged_by_all_of_them_though_some_are_shared_out(from_ink, bumps, monkeypatch):
    """The two that are looked at are right, and so is no other."""
    ink, evidence = bumps(), from_ink(bumps())
    deep = np.flatnonzero(evidence.sections["interior"])
    ink[deep[1:-1]] = 0
    monkeypatch.setattr("recombine.measures.superposition.MOST", 2)
    found = explain_evidence(from_ink(ink))
    assert found.blame.error == pytest.approx(measures["interior_nmse"](from_ink(ink)))
    assert (found.finding, found.cause) == ("fails", "other")


def test_what_training_showed_of_its_combinations_has_a_row_of_its_own(from_ink, bumps):
    ink, shown = bumps(), from_ink(bumps()).sections["id"].copy()
    shown[np.flatnonzero(shown)[1:]] = False
    ink[~shown] = 0
    found = explain_evidence(from_ink(ink), shown=shown)
    rows = {each.name: (each.combinations, each.nmse) for each in found.sections}
    assert rows["shown"] == (1, 0.0)
    assert rows["id"][0] == 69
    assert "none of the 1 remembered picture is in it" in str(found)
    assert "shown" not in {each.name for each in explain_evidence(from_ink(ink)).sections}


def test_only_what_training_showed_is_remembered(from_ink, bumps):
    ink = bumps()
    evidence = from_ink(ink)
    ink[index(*AT)] = ink[index(4, 0)]
    shown = evidence.sections["id"].copy()
    shown[index(4, 0)] = False
    answer = explain_evidence(from_ink(ink), AT, shown).answer
    assert answer.remembered == 68
    assert (4, 0) not in [(each.y, each.x) for each in answer.contributors]
    assert np.isnan(answer.weights[4, 0])


def test_training_without_a_whole_combination_leaves_nothing_to_compare_with(from_ink, bumps):
    found = explain_evidence(from_ink(0.5 * bumps()), shown=np.zeros(99, dtype=bool))
    assert found.superposition is None
    assert found.shown_nmse is None
    assert found.finding == "placed"
    assert "training showed no combination and no stripe: there is no remembered picture" in str(found)
    corner = np.broadcast_to(bumps()[0], (99, 9, 11))
    wrong = explain_evidence(from_ink(corner.copy()), shown=np.zeros(99, dtype=bool))
    assert wrong.finding == "fails"
    assert "no compositional example accounts for 100% of this error" in wrong.verdict


def lone(full_stripes, y=range(9), x=range(11), strength=1.0, dark=True):
    """Stripes of these levels, y before x; what the network draws for them is ``strength`` times the truth."""
    lines = full_stripes()
    levels = np.array([(level, np.nan) for level in y] + [(np.nan, level) for level in x])
    ink = np.concatenate([lines["y"][list(y)], lines["x"][list(x)]])
    targets, outputs = ((1.0 - each if dark else each) for each in (ink, strength * ink))
    return Stripes(levels, outputs, targets)


@pytest.mark.parametrize("dark", [True, False])
def test_stripes_are_remembered_pictures_too(from_ink, bumps, full_stripes, dark):
    ink, lines = bumps(), full_stripes()
    ink[index(*AT)] = 0.5 * lines["x"][5] + 0.3 * lines["y"][3] + 0.2 * ink[index(8, 10)]
    evidence = from_ink(ink, dark=dark)
    answer = take_apart(evidence, AT, evidence.sections["id"], lone(full_stripes, dark=dark))
    assert [(each.y, each.x) for each in answer.contributors] == [(None, 5), (3, None), (8, 10)]
    assert [each.weight for each in answer.contributors] == pytest.approx([0.5, 0.3, 0.2])
    assert (answer.remembered, answer.stripes) == (89, 20)
    assert answer.sum == pytest.approx(answer.drawn)
    assert answer.energy == pytest.approx(1.0)
    # The map has combinations only.
    assert np.nansum(answer.weights) == pytest.approx(0.2)
    shares = answer.shares
    assert [shares[name].same for name in ("y", "x", "either", "stripes")] == pytest.approx([0.0, 0.5, 0.5, 0.8])
    assert [shares[name].near for name in ("y", "x", "either", "stripes")] == pytest.approx([0.3, 0.5, 0.8, 0.8])
    # Of 89, beside combinations one stripe has y = 4 and one x = 5; within a step three each.
    assert [shares[name].same_chance * 89 for name in ("y", "x", "either", "stripes")] == pytest.approx([6, 5, 11, 20])
    assert [shares[name].near_chance * 89 for name in ("y", "x", "either", "stripes")] == pytest.approx(
        [18, 15, 33, 20]
    )


def test_stripes_go_the_short_way_round_a_ring(from_ink, bumps, full_stripes):
    ink = bumps()
    ink[index(0, 5)] = full_stripes()["y"][8]
    nothing = np.zeros(99, dtype=bool)
    for periodic, near in ((True, 1.0), (False, 0.0)):
        evidence = from_ink(ink, periodic=periodic)
        shares = take_apart(evidence, (0, 5), nothing, lone(full_stripes, y=range(1, 9))).shares
        assert (shares["y"].same, shares["y"].near) == pytest.approx((0.0, near))


def crosses(evidence, lines, ink):
    """A stripe of y plus a stripe of x for every combination that is held out."""
    ink = ink.copy()
    for y, x in evidence.levels[evidence.sections["ood"]]:
        ink[index(y, x)] = lines["y"][y] + lines["x"][x]
    return ink


def test_crosses_are_sums_of_stripes_where_training_showed_stripes_only(from_ink, bumps, full_stripes):
    ink = crosses(from_ink(bumps()), full_stripes(), bumps())
    found = explain_evidence(from_ink(ink), shown=np.zeros(99, dtype=bool), stripes=lone(full_stripes))
    assert (found.finding, found.cause) == ("placed", "no compositional example")
    made = found.superposition
    assert (made.memory_correlation, made.energy, made.sharer_weight) == pytest.approx((1.0, 1.0, 1.0))
    assert made.stripe_weight == pytest.approx(1.0)
    assert [(each.y, each.x) for each in found.answer.contributors] in ([(4, None), (None, 5)], [(None, 5), (4, None)])
    page = str(found)
    assert "100% of the weight lies on lone stripes" in page
    assert "(stripe y 4) 1.00" in page
    assert "(stripe x 5) 1.00" in page
    assert "made of 2 of 20 remembered pictures (20 of them stripes)" in page
    row = next(line for line in page.splitlines() if line.startswith("stripes, any level"))
    assert row.split()[3:] == ["100%"] * 4
    document = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert {(each["y"], each["x"]) for each in document["answer"]["contributors"]} == {(4, None), (None, 5)}
    assert document["answer"]["stripes"] == 20
    assert document["stripes_nmse"] == 0


@pytest.mark.parametrize("strength", [0.4, 0.0])
def test_stripes_that_were_not_learned_are_no_failure_to_compose(from_ink, bumps, full_stripes, strength):
    """Drawn with strength s, their nMSE is (1 − s)²; s = 0 draws nothing in the hole either."""
    ink = strength * crosses(from_ink(bumps()), full_stripes(), bumps())
    weak = lone(full_stripes, strength=strength)
    alone = explain_evidence(from_ink(ink), shown=np.zeros(99, dtype=bool), stripes=weak)
    assert alone.finding == "unlearned"
    assert alone.stripes_nmse == pytest.approx((1 - strength) ** 2)
    assert alone.cause == "not learned"
    # Stripes count for what they are among all that was shown.
    ink[from_ink(ink).sections["id"]] = bumps()[from_ink(ink).sections["id"]]
    both = explain_evidence(from_ink(ink), stripes=weak)
    assert 0 < both.blame.shares["not learned"] < alone.blame.shares["not learned"]


def test_few_stripes_beside_combinations_have_their_own_rows(from_ink, bumps, full_stripes):
    found = explain_evidence(from_ink(bumps()), stripes=lone(full_stripes, y=[2, 7], x=[6]))
    assert found.finding == "composes"
    assert any(line.split() == ["stripes", "3", "0", "undefined"] for line in str(found).splitlines())
    plain = explain_evidence(from_ink(bumps()))
    assert "stripe" not in str(plain)
    assert "stripes" not in plain.answer.shares
    assert plain.superposition.stripe_weight is None


@pytest.mark.parametrize(
    ("levels", "says"),
    [
        ([[1.0, 2.0]], "NaN for exactly one of y and x"),
        ([[np.nan, np.nan]], "NaN for exactly one of y and x"),
    ],
)
def test_stripes_that_are_none_are_refused(levels, says):
    with pytest.raises(InputError, match=says):
        Stripes(np.array(levels), np.ones((1, 9, 11)), np.ones((1, 9, 11)))


def test_stripes_of_another_size_are_refused(from_ink, bumps):
    small = Stripes(np.array([[np.nan, 1.0]]), np.ones((1, 4, 5)), np.ones((1, 4, 5)))
    with pytest.raises(InputError, match="stripes are 4 x 5 pixels and answers 9 x 11"):
        explain_evidence(from_ink(bumps()), stripes=small)


def test_blank_stripes_have_no_error_to_speak_of():
    nothing = Stripes(np.array([[np.nan, 1.0]]), np.full((1, 4, 5), 0.5), np.ones((1, 4, 5)))
    assert nothing.nmse(1.0) is None
    assert nothing.nmse(0.0) == pytest.approx(0.25)


def test_a_hole_that_was_shown_is_memory(from_ink, bumps):
    found = explain_evidence(from_ink(bumps()), shown=np.ones(99, dtype=bool))
    assert found.finding == "remembers"
    assert found.revealed
    assert "no test of composition" in found.verdict
    assert [(each.y, each.x) for each in found.answer.contributors] == [AT]


def test_without_an_interior_the_whole_hole_decides(from_ink, bumps):
    evidence = from_ink(bumps())
    both = {name: evidence.sections[name] for name in ("id", "ood")}
    found = explain_evidence(replace(evidence, sections=both))
    assert found.deep == "ood"
    assert found.verdict.startswith("Composes on what is held out (nMSE 0, ")


def test_the_deepest_combination_is_farthest_from_training(from_ink, bumps, sections_of):
    # In the last hole (8, 7) to (8, 10) are equally far from training; of the two in their middle the first is taken.
    for hole, expected in {((2, 7), (3, 8)): (4, 5), ((0, 3), (0, 3)): (0, 0), ((6, 9), (5, 11)): (8, 8)}.items():
        assert deepest(from_ink(bumps(), sections=sections_of(hole=hole))) == expected


def test_a_trained_combination_is_made_of_itself(from_ink, bumps):
    found = explain_evidence(from_ink(bumps()), at=(0, 10))
    assert found.answer.trained
    assert [(each.y, each.x, each.weight) for each in found.answer.contributors] == [(0, 10, pytest.approx(1.0))]
    assert "one of the remembered pictures itself" in str(found)


@pytest.mark.parametrize(
    ("at", "says"), [((9, 0), "y = 9; y has 9 levels, so give an index from 0 to 8"), ((0, -1), "x = -1; x has 11")]
)
def test_combinations_off_the_grid_are_refused(from_ink, bumps, at, says):
    with pytest.raises(InputError, match=says):
        explain_evidence(from_ink(bumps()), at)


@pytest.mark.parametrize(
    ("contrasts", "lost"),
    [
        ({"input": 0.0, "a": -0.05, "b": -0.2, "output": -0.7}, "b"),
        ({"input": 0.0, "a": 0.1, "b": 0.2, "output": 0.3}, "a"),
        ({"input": 0.0, "a": -0.2, "b": -0.05, "output": -0.1}, "output"),
        ({"input": 0.0, "a": -0.2, "output": 0.02}, None),  # a bend that is undone
        ({"input": -0.5, "a": 0.0, "output": 0.0}, None),
        ({"input": -0.5, "a": -0.5, "output": -0.5}, "a"),  # the input itself is never the answer
        ({"input": None, "a": None, "output": None}, None),
        ({}, None),
    ],
)
def test_factorisation_is_lost_from_where_the_hole_stands_out_for_good(contrasts, lost):
    assert lost_layer(contrasts) == lost


def test_layers_are_scored_as_the_measures_do(generic):
    evidence = generic()
    found = explain_evidence(evidence)
    assert [each.name for each in found.layers] == list(evidence.layers)
    for each in found.layers:
        assert each.factorisation == measures["factorisation"](evidence)[each.name]
        assert each.contrast == measures["volume_contrast"](evidence)[each.name]
        assert each.probe == measures["probe_held_out"](evidence)[each.name]
    numbers = {each.name: each for each in found.sections}
    assert numbers["interior"].nmse == measures["interior_nmse"](evidence)
    assert numbers["id"].accuracy == measures["id_accuracy"](evidence)
    made = found.superposition
    assert made.index == measures["superposition_index"](evidence)
    assert made.energy == measures["superposition_energy"](evidence)
    assert made.sharer_weight == measures["sharer_weight_band1"](evidence)
    assert made.sharer_chance == measures["sharer_chance_band1"](evidence)


def test_what_is_not_defined_is_said_to_be_so(from_ink, bumps):
    """A hole in the last column only: no probe of x, which is the same in all of it, and no D off the border."""
    held = np.zeros((9, 11), dtype=bool)
    held[3:6, 10] = True
    evidence = from_ink(bumps(), sections={"id": ~held.ravel(), "ood": held.ravel()})
    found = explain_evidence(evidence)
    assert [(each.contrast, each.probe) for each in found.layers] == [(None, None)] * 2
    assert "where factorisation is lost is not known" in str(found)
    without = explain_evidence(replace(evidence, layers={}))
    assert without.layers == ()
    assert "layer" not in str(without)


def test_the_document_is_plain_json(generic):
    found = explain_evidence(generic())
    document = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert document["verdict"] == found.verdict
    assert document["at"] == {"y": 4, "x": 5, "trained": False}
    assert {"y", "x", "weight", "share"} == set(document["answer"]["contributors"][0])
    assert {"same", "same_chance", "near", "near_chance"} == set(document["answer"]["shares"]["either"])


def test_composing_means_what_it_means_to_a_forecast():
    assert SMALL == FORECAST_COMPOSES_BELOW


pictures = st.integers(1, 4).flatmap(
    lambda rows: st.lists(st.lists(st.floats(0, 1), min_size=5, max_size=5), min_size=rows, max_size=rows)
)


@given(drawn=pictures, remembered=pictures, scale=st.floats(0.1, 10))
@settings(max_examples=50, deadline=None)
def test_laws_of_a_decomposition(drawn, remembered, scale):
    """Weights are not negative, do no worse than none, grow with the picture; a remembered picture is itself."""
    drawn, remembered = np.array(drawn), np.array(remembered)
    weights, energy = decompose(drawn, remembered)
    assert weights.shape == (len(drawn), len(remembered))
    assert (weights >= 0).all()
    left = np.linalg.norm(drawn - weights @ remembered, axis=1)
    assert (left <= np.linalg.norm(drawn, axis=1) + 1e-9).all()
    assert ((energy >= 0) & (energy <= 1)).all()
    again, _ = decompose(scale * drawn, remembered)
    assert again @ remembered == pytest.approx(scale * (weights @ remembered), abs=1e-6)
    itself, _ = decompose(remembered, remembered)
    assert itself @ remembered == pytest.approx(remembered, abs=1e-6)


@given(y=st.integers(0, 8), x=st.integers(0, 10))
@settings(max_examples=20, deadline=None)
def test_shares_are_bounded_by_their_parts(generic, y, x):
    evidence = generic()
    shares = take_apart(evidence, (y, x), evidence.sections["id"]).shares
    for same, near in (("same", "near"), ("same_chance", "near_chance")):
        assert all(getattr(each, same) <= getattr(each, near) + 1e-12 for each in shares.values())
    for name in ("same", "same_chance", "near", "near_chance"):
        in_y, in_x, either = (getattr(shares[each], name) for each in ("y", "x", "either"))
        assert max(in_y, in_x) <= either + 1e-12
        assert either <= min(1.0, in_y + in_x) + 1e-12
