"""Answers built as sums of remembered pictures, as the truth, and as neither."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recombine.core.seeds import stream
from recombine.measures import measures, sharers
from recombine.measures.superposition import chosen_held_out

INDEX = ("superposition_correlation", "truth_correlation", "superposition_index")


def shares_a_level(evidence, band=0):
    """Sharers by a plain loop: rows are the interior where there is one (else all held out), columns the trained."""
    asked = evidence.sections.get("interior", evidence.sections["ood"])
    held, trained = (evidence.levels[mask].tolist() for mask in (asked, evidence.sections["id"]))
    return np.array([[abs(y - v) <= band or abs(x - u) <= band for v, u in trained] for y, x in held])


def test_sharers_equal_the_plain_loop(generic):
    evidence = generic()
    assert evidence.deep == "interior"
    for band in (0, 1, 2):
        assert np.array_equal(sharers(evidence, band), shares_a_level(evidence, band))


def test_without_an_interior_all_held_out_combinations_are_asked(generic):
    whole = generic()
    sections = {name: mask for name, mask in whole.sections.items() if name in ("id", "ood")}
    evidence = replace(whole, sections=sections)
    assert evidence.deep == "ood"
    assert len(sharers(evidence)) == sections["ood"].sum() > whole.sections["interior"].sum()


def test_a_wider_band_takes_in_more_weight_and_more_chance(generic):
    evidence = generic()
    assert measures["sharer_chance_band1"](evidence) > measures["sharer_chance"](evidence)
    assert measures["sharer_weight_band1"](evidence) >= measures["sharer_weight"](evidence)


@pytest.mark.parametrize("dark", [True, False])
def test_a_sum_of_sharers_is_found_out(from_ink, bumps, dark):
    ink = bumps()
    evidence = from_ink(ink, dark=dark)
    held, trained = evidence.sections[evidence.deep], evidence.sections["id"]
    ink[held] = 0.05 + 0.1 * np.einsum("ht,trc->hrc", shares_a_level(evidence), ink[trained])
    memory, truth, index = (measures[name](from_ink(ink, dark=dark)) for name in INDEX)
    assert memory == pytest.approx(1.0)
    assert truth < 0.2
    assert index > 0.8
    assert index == pytest.approx(memory - truth)


@pytest.mark.parametrize("dark", [True, False])
def test_the_truth_is_not_taken_for_a_superposition(from_ink, bumps, dark):
    memory, truth, index = (measures[name](from_ink(bumps(), dark=dark)) for name in INDEX)
    assert truth == pytest.approx(1.0)
    assert memory < 0.3
    assert index < -0.7


def test_the_correlation_equals_the_plain_loop(generic):
    evidence = generic()
    ink = 1 - evidence.outputs
    found = []
    for k in np.flatnonzero(evidence.sections["interior"]):
        y, x = divmod(k, 11)
        remembered = sum(ink[j] for j in np.flatnonzero(evidence.sections["id"]) if j // 11 == y or j % 11 == x)
        found.append(np.corrcoef(remembered.ravel(), ink[k].ravel())[0, 1])
    assert measures["superposition_correlation"](evidence) == pytest.approx(np.mean(found))


def test_blank_answers_correlate_with_nothing_and_carry_no_weight(from_ink, bumps):
    ink = bumps()
    ink[from_ink(ink).sections["ood"]] = 0
    evidence = from_ink(ink)
    for name in (*INDEX, "sharer_weight", "superposition_energy"):
        assert measures[name](evidence) == 0


@settings(deadline=None, max_examples=10)
@given(share=st.floats(0.01, 0.99), dark=st.booleans(), brightness=st.floats(0.1, 10))
def test_weights_and_energy_are_recovered(from_ink, share, dark, brightness):
    # Random trained pictures are independent (69 of them in 99 pixels), so the weights are unique.
    rng = stream(5, "measures", "weights")
    ink = rng.random((99, 9, 11))
    evidence = from_ink(ink)
    held, trained = evidence.sections[evidence.deep], evidence.sections["id"]
    kin = shares_a_level(evidence)
    weights = rng.random(kin.shape)
    weights *= np.where(kin, share / (weights * kin).sum(1)[:, None], (1 - share) / (weights * ~kin).sum(1)[:, None])
    ink[held] = brightness * np.einsum("ht,trc->hrc", weights, ink[trained])
    evidence = from_ink(ink, dark=dark)
    assert measures["sharer_weight"](evidence) == pytest.approx(share, abs=1e-6)
    assert measures["superposition_energy"](evidence) == pytest.approx(1.0)


def test_what_only_a_negative_sum_explains_has_no_weight(from_ink, bumps):
    ink = bumps()
    ink[from_ink(ink).sections["ood"]] *= -1
    evidence = from_ink(ink, dark=False)
    assert measures["sharer_weight"](evidence) == 0
    assert measures["superposition_energy"](evidence) == 0


def test_half_the_energy_out_of_reach_is_half_explained(from_ink):
    # Trained pictures ink the upper rows only; a held-out one inks one pixel above and one below, equally.
    rng = stream(2, "measures", "energy")
    ink = np.zeros((99, 9, 11))
    ink[:, :7] = rng.random((99, 7, 11))
    evidence = from_ink(ink)
    held = evidence.sections["ood"]
    ink[held] = 0
    ink[held, :7] = ink[np.flatnonzero(evidence.sections["id"])[5], :7]
    ink[held, 8, 4] = np.linalg.norm(ink[held][0, :7])
    assert measures["superposition_energy"](from_ink(ink)) == pytest.approx(0.5)


@pytest.mark.parametrize(("shape", "hole"), [((9, 11), ((2, 7), (3, 9))), ((6, 10), ((1, 3), (2, 9)))])
def test_chance_is_the_cross_outside_the_hole_over_all_trained(from_ink, bumps, shape, hole):
    tall, wide = (high - low for low, high in hole)
    expected = (shape[0] - tall + shape[1] - wide) / (shape[0] * shape[1] - tall * wide)
    evidence = from_ink(bumps(shape), shape=shape, hole=hole)
    assert measures["sharer_chance"](evidence) == pytest.approx(expected)


def test_chance_is_over_the_same_combinations_as_the_weight(from_ink, bumps):
    # A staircase: its 66 combinations have different numbers of sharers, so it matters which 40 are read.
    held = np.add.outer(np.arange(13), np.arange(14)).ravel() < 11
    evidence = from_ink(bumps((13, 14)), shape=(13, 14), sections={"id": ~held, "ood": held})
    kin = shares_a_level(evidence).mean(axis=1)
    chosen = np.linspace(0, 65, 40).round().astype(int)
    assert measures["sharer_chance"](evidence) == pytest.approx(kin[chosen].mean())
    assert abs(kin[chosen].mean() - kin.mean()) > 1e-4


@pytest.mark.parametrize(("hole", "held"), [(((0, 12), (0, 12)), 144), (((1, 5), (2, 12)), 40), (((3, 4), (2, 4)), 2)])
def test_at_most_forty_evenly_spaced_combinations_are_decomposed(from_ink, bumps, hole, held):
    whole = from_ink(bumps((13, 14)), shape=(13, 14), hole=hole)
    sections = {name: mask for name, mask in whole.sections.items() if name in ("id", "ood")}
    chosen = chosen_held_out(replace(whole, sections=sections))
    assert len(chosen) == min(held, 40)
    assert (chosen[0], chosen[-1]) == (0, held - 1)
    assert np.ptp(np.diff(chosen)) <= 1


def test_collapsed_trained_outputs_are_no_obstacle(from_ink, bumps):
    # Every trained output is the same picture: the weights are not unique, their sum is.
    ink = bumps()
    evidence = from_ink(ink)
    ink[evidence.sections["id"]] = ink[50]
    ink[evidence.sections["ood"]] = 0.5 * ink[50]
    evidence = from_ink(ink)
    assert 0 <= measures["sharer_weight"](evidence) <= 1
    assert measures["superposition_energy"](evidence) == pytest.approx(1.0)
