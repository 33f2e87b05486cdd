"""The support checker against derivatives written by hand, tiny pictures and compositions with known ranks."""

import json
import re

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from recombine.core.compositions import AlphaOver, HardOcclusion, SoftOcclusion
from recombine.core.errors import InputError
from recombine.core.seeds import stream
from recombine.theory.support import check, check_sample, check_whole_numbers, from_sample, latin_hypercube
from recombine.theory.support_options import check_options

PIXELS = 7
CONSTANT_FRONT, CONSTANT_BACK = 0.4, 1.0
COLOURS = np.array([[1.0, 0.2, 0.1], [0.3, 1.0, 0.5]])


def bars(slot, values):
    """Pictures (points, 7 pixels, 3 channels) of a bar of two pixels; latent 0 in [0, 1] moves it."""
    starts = np.rint(values[:, 0] * (PIXELS - 2))
    pixels = np.arange(PIXELS)
    cover = (pixels >= starts[:, None]) & (pixels <= starts[:, None] + 1)
    return cover[..., None] * COLOURS[slot]


def covered(value):
    return tuple(np.flatnonzero(bars(0, np.array([[value]])).sum(axis=(0, 2))).tolist())


def hard_slope(slot, parts):
    bright = parts[0].sum(axis=-1) > 0.5
    return np.where((bright if slot == 0 else ~bright)[..., None, None], np.eye(3), 0.0)


def soft_slope(temperature):
    def slope(slot, parts):
        front, back = parts
        weight = 1 / (1 + np.exp(-temperature * front.sum(axis=-1)))[..., None, None]
        if slot == 1:
            return (1 - weight) * np.eye(3)
        return weight * np.eye(3) + temperature * weight * (1 - weight) * (front - back)[..., None] * np.ones(3)

    return slope


def over_slope(slot, parts):
    front, back = parts
    own = parts[slot]
    alpha = own[..., 3, None, None] * np.eye(3)
    if slot == 0:
        return np.concatenate([alpha, (front[..., :3] - back[..., 3:] * back[..., :3])[..., None]], axis=-1)
    return (1 - front[..., 3, None, None]) * np.concatenate([alpha, own[..., :3, None]], axis=-1)


def addition_slope(slot, parts):
    return np.broadcast_to(np.eye(parts[0].shape[-1]), (*parts[0].shape, parts[0].shape[-1]))


def planes(fronts, backs):
    """The support of planes: one slot free, the other at one of its constants."""

    def complete(slot, value, count):
        constants = backs if slot == 0 else fronts
        points = np.empty((len(constants), 2, 1))
        points[:, slot], points[:, 1 - slot, 0] = value, constants
        return points[:count]

    return complete


def everywhere(slot, value, count):
    points = np.empty((count, 2, 1))
    points[:, slot], points[:, 1 - slot, 0] = value, np.linspace(0, 1, count)
    return points


ANCHORS = [np.linspace(0, 1, 5)[:, None], np.linspace(0, 1, 9)[:, None]]
ONE_EACH = planes([CONSTANT_FRONT], [CONSTANT_BACK])
TWO_FRONTS = planes([CONSTANT_FRONT, 0.0], [CONSTANT_BACK])


def hard_check(complete, **options):
    return check(HardOcclusion().join, hard_slope, bars, complete, ANCHORS, **options)


def soft_check(temperature, complete=ONE_EACH, **options):
    compose = SoftOcclusion(temperature=temperature).join
    return check(compose, soft_slope(temperature), bars, complete, ANCHORS, **options)


@pytest.mark.parametrize(("slots", "blocks", "channels"), [(1, 2, 5), (2, 7, 3), (4, 1, 2)])
def test_addition_sees_every_direction_alike(slots, blocks, channels):
    rng = stream(slots, "addition")
    weights = rng.normal(size=(slots, 3, blocks, channels))

    def components(slot, values):
        return np.tanh(np.einsum("pl,lbc->pbc", values, weights[slot]))

    def complete(slot, value, count):
        points = rng.random((count, slots, 3))
        points[:, slot] = value
        return points

    anchors = [latin_hypercube(4 + slot, 3, rng) for slot in range(slots)]
    found = check(sum, addition_slope, components, complete, anchors, test_complete=complete, count=6)
    assert (found.compositional, found.sufficient, found.stacked, found.relative) == (True, True, True, True)
    assert found.margin == pytest.approx(1.0)
    assert found.missing == ()
    for slot, report in enumerate(found.slots):
        assert (report.rank_summed == blocks * channels).all()
        assert report.found.tolist() == [6] * (4 + slot)


def test_a_stack_can_have_rank_two_where_every_sum_has_rank_one():
    """J_p1 = e1 e1ᵀ and J_p2 = e1 e2ᵀ, the second slot choosing which entry of the first is shown."""

    def compose(parts):
        entries, which = parts
        shown = entries[..., 0] * (1 - which[..., 0]) + entries[..., 1] * which[..., 0]
        return np.stack([shown, np.zeros_like(shown)], axis=-1)

    def derivative(slot, parts):
        entries, which = parts
        slopes = np.zeros((len(entries), 1, 2, entries.shape[-1] if slot == 0 else 1))
        if slot == 0:
            slopes[..., 0, 0], slopes[..., 0, 1] = 1 - which[..., 0], which[..., 0]
        else:
            slopes[..., 0, 0] = entries[..., 1] - entries[..., 0]
        return slopes

    def components(slot, values):
        return np.stack([values[:, 0] + 1, 3 * values[:, 0] + 2], axis=-1)[:, None] if slot == 0 else values[:, None, :]

    def complete(slot, value, count):
        points = np.full((2, 2, 1), 0.5)
        points[:, 1, 0] = 0.0, 1.0
        points[:, slot] = value
        return points

    found = check(compose, derivative, components, complete, [np.array([[0.2], [0.8]]), np.array([[0.0], [1.0]])])
    front = found.slots[0]
    assert front.rank_summed.tolist() == [1, 1]
    assert front.rank_stacked.tolist() == [2, 2]
    assert (found.sufficient, found.stacked) == (False, True)
    # The stack is diag(1, 1) / √2, so both of its singular values are the largest.
    assert front.margin == pytest.approx(1.0)


def test_random_weights_find_the_rank_that_cancels_in_the_plain_sum():
    def components(slot, values):
        return values[:, None, :]

    def compose(parts):
        return parts[0] * parts[1]

    def derivative(slot, parts):
        return parts[1 - slot][..., None]

    def complete(slot, value, count):
        points = np.array([[[0.0], [-1.0]], [[0.0], [1.0]]]) if slot == 0 else np.ones((1, 2, 1))
        points[:, slot] = value
        return points

    anchors = [np.array([[0.3]]), np.array([[1.0]])]
    found = check(compose, derivative, components, complete, anchors)
    assert found.sufficient
    plain = check(compose, derivative, components, complete, anchors, weights=0)
    assert not plain.sufficient
    assert plain.stacked


def test_one_plane_hides_from_hard_occlusion_exactly_the_pixels_under_the_constant_front():
    found = hard_check(ONE_EACH, test_complete=everywhere)
    hidden = covered(CONSTANT_FRONT)
    front, back = found.slots
    assert (found.compositional, found.sufficient, found.relative) == (True, False, False)
    # An empty front pixel has no slope under any support: the published rank fails, the relative one does not.
    assert (front.summed, front.lacking) == (0.0, 0.0)
    assert front.rank_stacked.tolist() == [2 * 3] * len(ANCHORS[0])
    assert back.rank_stacked.tolist() == [(PIXELS - 2) * 3] * len(ANCHORS[1])
    assert back.lacking == pytest.approx(2 / PIXELS)
    assert np.flatnonzero(back.maps["relative"]).tolist() == list(hidden)
    assert {each.blocks for each in found.missing if each.why == "relative"} == {hidden}
    assert {each.blocks for each in found.missing if each.slot == 1 and each.why == "rank"} == {hidden}


def test_a_second_plane_uncovers_them_and_the_margin_is_the_root_of_its_share():
    found = hard_check(TWO_FRONTS, test_complete=everywhere)
    assert found.relative
    assert found.slots[1].summed == 1.0
    # A pixel under one of two constant fronts is seen at half of the points: √(1/2).
    assert found.slots[1].margin == pytest.approx(np.sqrt(0.5))
    assert {each.slot for each in found.missing} == {0}


def test_soft_occlusion_has_full_rank_on_one_plane_and_the_margin_in_closed_form():
    for temperature in (0.5, 1.0, 2.0):
        found = soft_check(temperature, test_complete=everywhere)
        assert found.sufficient
        assert found.relative
        bright = temperature * COLOURS[0].sum()
        # The back is weighed by 1/2 at empty front pixels and by σ(−ts) under the front.
        assert found.slots[1].margin == pytest.approx(2 / (1 + np.exp(bright)))


@settings(deadline=None, max_examples=10)
@given(low=st.floats(0.5, 3.0), factor=st.floats(1.2, 3.0))
def test_the_margin_of_the_back_falls_with_temperature(low, factor):
    cool, warm = soft_check(low).slots[1].margin, soft_check(low * factor).slots[1].margin
    assert 0 < warm < cool


def test_the_usable_rank_fails_before_the_exact_one():
    steep = soft_check(9.0).slots[1]
    assert (steep.summed, steep.usable) == (1.0, 0.0)
    assert np.flatnonzero(steep.maps["usable"]).tolist() == list(covered(CONSTANT_FRONT))
    assert steep.usable_stacked.tolist() == [(PIXELS - 2) * 3] * len(ANCHORS[1])
    assert soft_check(9.0, usable=1e-9).slots[1].usable == 1.0


def sprites_with_opacity(slot, values):
    cover = 0.1 + 0.8 * (bars(slot, values).sum(axis=-1, keepdims=True) > 0)
    return np.concatenate([bars(slot, values) + 0.2 * values[:, :1, None], cover], axis=-1)


def test_alpha_compositing_never_has_a_sum_of_full_rank():
    found = check(AlphaOver().join, over_slope, sprites_with_opacity, everywhere, ANCHORS, test_complete=everywhere)
    assert found.differentiable
    assert not found.sufficient
    for report in found.slots:
        assert (report.summed, report.size) == (0.0, 4 * PIXELS)
        assert (report.rank_summed <= 3 * PIXELS).all()
    # The front's opacity is seen against backs of two colours, the back's never but as a product with its colour.
    assert (found.slots[0].rank_stacked > 3 * PIXELS).all()
    assert (found.slots[1].rank_stacked == 3 * PIXELS).all()
    assert found.relative


def test_a_constant_back_leaves_the_opacity_of_the_front_open():
    found = check(AlphaOver().join, over_slope, sprites_with_opacity, ONE_EACH, ANCHORS, test_complete=everywhere)
    front, back = found.slots
    assert (front.rank_stacked == 3 * PIXELS).all()
    # Every pixel is seen against another back somewhere in the test.
    assert front.lacking == 1.0
    assert back.lacking == 0.0


def test_a_value_that_is_never_shown_is_named():
    def gap(slot, value, count):
        return everywhere(slot, value, 0 if slot == 0 and 0.05 < value[0] < 0.45 else count)

    found = soft_check(1.0, gap, names=("x",), test_complete=everywhere)
    assert (found.compositional, found.sufficient, found.relative, found.margin) == (False, False, False, 0.0)
    assert [(each.slot, each.value, each.why, each.place) for each in found.missing] == [
        (0, (0.25,), "never shown", "x1 = 0.25")
    ]
    assert found.missing[0].blocks == tuple(range(PIXELS))
    assert found.slots[0].shown == pytest.approx(4 / 5)
    assert found.slots[1].shown == 1.0
    assert found.slots[0].lacking == pytest.approx(1 / 5)


def test_nothing_shown_at_all_is_an_answer():
    found = soft_check(1.0, lambda slot, value, count: np.empty((0, 2, 1)))
    assert (found.compositional, found.stacked, found.margin) == (False, False, 0.0)
    assert {each.why for each in found.missing} == {"never shown"}


def test_a_test_support_without_points_asks_nothing_and_says_so():
    found = soft_check(1.0, test_complete=lambda slot, value, count: np.empty((0, 2, 1)))
    assert found.relative
    assert [report.untested for report in found.slots] == [1.0, 1.0]


@pytest.mark.parametrize("complete", [ONE_EACH, TWO_FRONTS], ids=["1+1", "1+2"])
@pytest.mark.parametrize("kind", ["hard", "soft", "over"])
def test_dense_and_block_structure_agree(kind, complete):
    compose, slope, components = {
        "hard": (HardOcclusion().join, hard_slope, bars),
        "soft": (SoftOcclusion(temperature=4.0).join, soft_slope(4.0), bars),
        "over": (AlphaOver().join, over_slope, sprites_with_opacity),
    }[kind]
    channels = 4 if kind == "over" else 3

    def parts_of(flat):
        return [part.reshape(len(part), PIXELS, channels) for part in flat]

    def dense_slope(slot, flat):
        blocks = slope(slot, parts_of(flat))
        full = np.zeros((len(blocks), PIXELS, 3, PIXELS, channels))
        for pixel in range(PIXELS):
            full[:, pixel, :, pixel] = blocks[:, pixel]
        return full.reshape(len(blocks), 1, PIXELS * 3, PIXELS * channels)

    apart = check(compose, slope, components, complete, ANCHORS, test_complete=everywhere)
    dense = check(
        lambda flat: compose(parts_of(flat)).reshape(len(flat[0]), 1, -1),
        dense_slope,
        lambda slot, values: components(slot, values).reshape(len(values), 1, -1),
        complete,
        ANCHORS,
        test_complete=everywhere,
        structure="dense",
    )
    for word in ("compositional", "sufficient", "stacked", "relative"):
        assert getattr(apart, word) == getattr(dense, word)
    assert dense.margin == pytest.approx(apart.margin, abs=1e-12)
    for one, other in zip(apart.slots, dense.slots, strict=True):
        for word in ("rank_summed", "usable_summed", "rank_stacked", "usable_stacked"):
            assert getattr(one, word).tolist() == getattr(other, word).tolist()
        for word, share in one.maps.items():
            assert other.maps[word].reshape(PIXELS, channels).max(axis=1) == pytest.approx(share)


def test_a_finite_sample_says_what_the_oracle_says():
    rng = stream(3, "sample")
    sample = np.full((400, 2, 1), CONSTANT_FRONT)
    sample[:200, 1], sample[:200, 0] = CONSTANT_BACK, rng.random((200, 1))
    sample[200:, 1] = rng.random((200, 1))
    pair = check_sample(HardOcclusion().join, hard_slope, bars, sample, ANCHORS, radius=0.05, test_complete=everywhere)
    assert pair.agree
    for found in (pair.wide, pair.narrow):
        assert (found.compositional, found.sufficient, found.stacked, found.relative) == (True, False, False, False)
        # The oracle hides two pixels of every back but the constant one, which the other plane shows beside all fronts.
        oracle = hard_check(ONE_EACH, test_complete=everywhere)
        assert found.slots[1].maps["relative"] == pytest.approx(8 / 9 * oracle.slots[1].maps["relative"])
        assert found.slots[0].lacking == oracle.slots[0].lacking


def test_a_radius_that_decides_is_reported():
    sample = np.array([[[0.0], [1.0]], [[0.5], [0.0]], [[1.0], [0.5]]])
    anchors = [np.array([[0.03]]), np.array([[0.5]])]
    pair = check_sample(sum, addition_slope, bars, sample, anchors, radius=0.04)
    assert (pair.wide.compositional, pair.narrow.compositional, pair.agree) == (True, False, False)


def test_a_sample_gives_its_nearest_points_snapped_and_of_equal_discrete_part():
    sample = np.zeros((5, 2, 3))
    sample[:, 1, 0] = 0.50, 0.56, 0.52, 0.7, 0.51
    sample[:, 1, 2] = 1, 1, 1, 1, 2
    sample[:, 0, 0] = np.arange(5)
    complete = from_sample(sample, 0.1, discrete=(2,))
    value = np.array([0.51, 0.05, 1.0])
    assert complete(1, value, 10)[:, 0, 0].tolist() == [0, 2, 1]
    assert complete(1, np.array([0.51, 0.0, 1.0]), 2)[:, 0, 0].tolist() == [0, 2]
    assert (complete(1, value, 10)[:, 1] == value).all()
    assert complete(1, np.array([0.51, 0.05, 3.0]), 10).shape == (0, 2, 3)
    assert sample[0, 1, 1] == 0


@given(count=st.integers(1, 30), latents=st.integers(1, 6), seed=st.integers(0, 99))
def test_a_latin_hypercube_has_one_point_in_every_slice(count, latents, seed):
    points = latin_hypercube(count, latents, stream(seed, "cube"))
    assert points.shape == (count, latents)
    assert (np.sort(np.floor(points * count), axis=0) == np.arange(count)[:, None]).all()


def test_completions_in_small_portions_give_the_same(monkeypatch):
    whole = soft_check(1.0, everywhere, weights=0)
    monkeypatch.setattr("recombine.theory.identifiability.ENTRIES", 5 * PIXELS * 9)
    parts = soft_check(1.0, everywhere, weights=0)
    assert parts.margin == pytest.approx(whole.margin)
    assert [slot.found.tolist() for slot in parts.slots] == [slot.found.tolist() for slot in whole.slots]


def test_the_result_is_plain_json():
    found = hard_check(ONE_EACH, test_complete=everywhere, names=("x",)).to_dict()
    again = json.loads(json.dumps(found))
    assert again == found
    assert again["relative"] is False
    assert again["slots"][1]["maps"]["relative"][2] == 1.0
    assert {each["place"] for each in again["missing"] if each["slot"] == 1} >= {"x2 = 0.125"}


def test_clamped_opacity_at_its_bounds_is_a_kink_that_one_sided_accepts():
    def opaque(slot, values):
        cover = (bars(slot, values).sum(axis=-1, keepdims=True) > 0).astype(float)
        return np.concatenate([bars(slot, values), cover], axis=-1)

    compose = AlphaOver().join
    with pytest.raises(InputError, match=r"not differentiable at slot 0, value \(0\), completion 0, block \d"):
        check(compose, over_slope, opaque, everywhere, ANCHORS)
    accepted = check(compose, over_slope, opaque, everywhere, ANCHORS, one_sided=True)
    assert not accepted.differentiable
    with pytest.raises(InputError, match="the derivative for slot 0 is"):
        check(compose, lambda slot, parts: 3 * over_slope(slot, parts), opaque, everywhere, ANCHORS, one_sided=True)


@pytest.mark.parametrize("size", 10.0 ** np.arange(-8.0, 0.0, 0.5))
def test_kinks_of_any_size_pass_with_the_slope_of_one_side(size):
    def bent(parts):
        return sum(parts) + size * parts[0].clip(0)

    def slope(slot, parts):
        return addition_slope(slot, parts) * (1 + size * (slot == 0))

    found = check(bent, slope, bars, everywhere, ANCHORS, one_sided=True)
    # A kink below the precision of differences goes unnoticed.
    assert found.differentiable == (size < 2e-6)


def test_a_step_at_the_values_of_empty_pixels_is_not_differentiable():
    with pytest.raises(InputError, match="the composition is not differentiable at slot 0"):
        check(HardOcclusion(threshold=0.0).join, hard_slope, bars, everywhere, ANCHORS)


def spoiled(function, slot_of_fault, at, fault):
    """A derivative with one number replaced."""

    def derivative(slot, parts):
        slopes = np.array(function(slot, parts))
        if slot == slot_of_fault:
            slopes[at] = fault
        return slopes

    return derivative


@pytest.mark.parametrize("fault", [np.nan, np.inf])
def test_a_derivative_that_is_no_number_is_placed(fault):
    slope = spoiled(hard_slope, 1, (2, 4, 0, 1), fault)
    with pytest.raises(
        InputError, match=rf"derivative for slot 1 is {fault} at slot 1, x2 = 0, completion 2, block 4;"
    ):
        check(HardOcclusion().join, slope, bars, everywhere, ANCHORS, names=("x",))


def test_a_derivative_of_something_else_is_refused():
    with pytest.raises(
        InputError, match=r"derivative for slot 0 is .* completion \d, block \d, where the composition's"
    ):
        check(SoftOcclusion(temperature=2.0).join, soft_slope(1.0), bars, everywhere, ANCHORS)


def test_a_derivative_of_another_shape_is_refused():
    def flat_back(slot, parts):
        return hard_slope(slot, parts)[..., 0] if slot else hard_slope(slot, parts)

    with pytest.raises(InputError, match=r"derivative for slot 1 returned shape \(64, 7, 3\) at slot 1"):
        check(HardOcclusion().join, flat_back, bars, everywhere, ANCHORS)


def test_a_composition_that_mixes_pixels_is_refused_as_blocks():
    with pytest.raises(InputError, match="structure='dense' if blocks mix"):
        check(lambda parts: np.roll(sum(parts), 1, axis=1), addition_slope, bars, everywhere, ANCHORS)


@pytest.mark.parametrize(
    ("compose", "message"),
    [
        (
            lambda parts: sum(parts)[:, : 7 - (parts[0][0, 0, 0] == 0)],
            r"composition returned shape \(64, 6, 3\) at slot 0",
        ),
        (lambda parts: [np.zeros((1 + n, 3)) for n in range(len(parts[0]))], "no regular array of numbers at slot 0"),
        (
            lambda parts: sum(parts) + np.where(parts[0] > 0.95, np.inf, 0),
            r"composition is inf at slot 0, value \(0\), ",
        ),
        (
            lambda parts: sum(parts) * np.where(parts[1] > 0.95, np.nan, 1),
            r"is nan at slot 0, value \(0\), completion 0, ",
        ),
    ],
)
def test_a_composition_without_one_shape_or_finite_numbers_is_placed(compose, message):
    with pytest.raises(InputError, match=message):
        check(compose, addition_slope, bars, everywhere, ANCHORS)


def test_a_component_that_changes_its_size_or_is_no_number_is_placed():
    def broken(slot, values):
        return bars(slot, values) / np.where(values == 0.5, np.nan, 1)[:, None]

    with pytest.raises(InputError, match=r"component 1 returned shape \(64, 6, 3\) at slot 0"):
        check(sum, addition_slope, lambda slot, values: bars(slot, values)[:, slot:], everywhere, ANCHORS)
    with pytest.raises(InputError, match=r"component 0 is nan at slot 0, value \(0.5\), completion 0, block 0"):
        check(sum, addition_slope, broken, everywhere, [ANCHORS[0], ANCHORS[1][:1]], count=2)
    with pytest.raises(InputError, match=r"component 0 returned shape \(1, 7, 3\) at .*, not \(1, 1, any\)"):
        check(sum, addition_slope, bars, everywhere, ANCHORS, structure="dense")


def test_completions_must_show_the_value_and_have_the_shape():
    def unsnapped(slot, value, count):
        points = everywhere(slot, value, count)
        points[3:, slot] += 0.01
        return points

    with pytest.raises(InputError, match=r"for slot 0, value \(0\), completion 3 with \[0.01\]"):
        check(sum, addition_slope, bars, unsnapped, ANCHORS)
    with pytest.raises(InputError, match=r"complete returned shape \(5, 1\) at slot 0, .*, not \(any, 2, 1\)"):
        check(sum, addition_slope, bars, lambda slot, value, count: np.zeros((5, 1)), ANCHORS)
    with pytest.raises(InputError, match=r"complete is nan at slot 0, .* completion 1, slot 1"):
        check(sum, addition_slope, bars, lambda slot, value, count: np.array([[[0], [0]], [[0], [np.nan]]]), ANCHORS)


def test_anchors_and_names_must_fit():
    with pytest.raises(InputError, match=r"anchors of shapes \[\(2, 1\), \(0, 1\)\]"):
        check(sum, addition_slope, bars, everywhere, [np.zeros((2, 1)), np.zeros((0, 1))])
    with pytest.raises(InputError, match="2 names do not fit 1 latents"):
        check(sum, addition_slope, bars, everywhere, ANCHORS, names=("x", "y"))


def test_the_seed_changes_no_verdict_and_repeats_itself():
    first, again, other = (soft_check(1.0, everywhere, seed=seed).to_dict() for seed in (0, 0, 5))
    assert first == again
    for word in ("sufficient", "stacked", "compositional"):
        assert first[word] == other[word]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tolerance": 0.0}, "tolerance = 0.0 must lie between 0 and 1"),
        ({"tolerance": 1.0}, "tolerance = 1.0 must lie between 0 and 1"),
        ({"tolerance": -0.1}, "tolerance = -0.1 must lie"),
        ({"tolerance": float("nan")}, "tolerance = nan must lie"),
        ({"usable": 1.0}, "usable = 1.0 must be at least 0 and below 1"),
        ({"usable": -1e-9}, "usable = -1e-09 must be"),
        ({"usable": float("nan")}, "usable = nan must be"),
        ({"count": 0}, "count = 0 must be at least 1"),
        ({"count": -3}, "count = -3 must be at least 1"),
        ({"weights": -1}, "weights = -1 must be at least 0"),
        ({"seed": -1}, "seed = -1 must be at least 0"),
    ],
)
def test_options_with_which_the_answer_means_nothing_are_refused(options, message):
    with pytest.raises(InputError, match=message) as caught:
        check(sum, addition_slope, bars, everywhere, ANCHORS, **options)
    assert "\n" not in str(caught.value)


def test_an_unknown_structure_is_refused_with_the_nearest():
    # Beartype refuses the word itself where annotations are checked, so the rule is asked alone.
    with pytest.raises(InputError, match="unknown structure 'block'; did you mean 'blocks'"):
        check_options("block", 1, None, 0.0, 0, 0)


def test_the_ends_of_what_options_may_be_are_taken():
    found = check(sum, addition_slope, bars, everywhere, ANCHORS, count=1, usable=0.0, weights=0, tolerance=0.5)
    assert found.sufficient


def failing(*_):
    raise ZeroDivisionError("of my own.")


@pytest.mark.parametrize(
    ("given", "what"),
    [
        ((failing, addition_slope, bars, "here"), "the composition"),
        ((sum, failing, bars, "here"), "the derivative for slot 0"),
        ((sum, addition_slope, failing, "here"), "component 0"),
        ((sum, addition_slope, bars, failing), "complete"),
    ],
)
def test_what_a_function_raises_is_told_with_its_place_and_kept(given, what):
    *functions, complete = given
    with pytest.raises(InputError) as caught:
        check(*functions, everywhere if complete == "here" else complete, ANCHORS, names=("x",))
    assert str(caught.value).startswith(f"{what} raised ZeroDivisionError (of my own) at slot 0, x1 = 0; ")
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_a_sentence_of_ours_passes_as_it_is():
    def complete(*_):
        raise InputError("a sentence.")

    with pytest.raises(InputError, match=r"^a sentence\.$"):
        check(sum, addition_slope, bars, complete, ANCHORS)


def test_anchors_and_samples_may_be_lists():
    arrays = check(sum, addition_slope, bars, everywhere, ANCHORS).to_dict()
    lists = [values.tolist() for values in ANCHORS]
    assert check(sum, addition_slope, bars, everywhere, lists).to_dict() == arrays
    sample = [[[0.0], [0.0]], [[0.5], [0.5]]]
    anchors = [[[0.0], [0.5]]] * 2
    found = check_sample(sum, addition_slope, bars, sample, anchors, radius=0.1)
    assert found.wide.compositional


@pytest.mark.parametrize(
    ("anchors", "message"),
    [
        (
            [np.array([0.0, 1.0])] * 2,
            r"anchors of slot 0 must be numbers of shape \(anchors, latents\), got an array of",
        ),
        ([[[0.0], [0.5, 1.0]]] * 2, "anchors of slot 0 must be numbers .* got no regular array of numbers"),
        ([[["a"]], [["b"]]], "got no regular array of numbers"),
        ([], r"anchors of shapes \[\] must be"),
    ],
)
def test_anchors_of_another_shape_are_refused(anchors, message):
    with pytest.raises(InputError, match=message):
        check(sum, addition_slope, bars, everywhere, anchors)


@pytest.mark.parametrize("sample", [np.zeros((4, 2)), [[0.0, 1.0]], [[[0.0], [1.0]], [[0.5]]]])
def test_samples_of_another_shape_are_refused(sample):
    with pytest.raises(InputError, match=r"the sample must be numbers of shape \(points, slots, latents\), got"):
        check_sample(sum, addition_slope, bars, sample, ANCHORS, radius=0.1)


@pytest.mark.parametrize("value", ["a", 1.5, True, None])
def test_what_is_no_whole_number_is_refused(value):
    # Beartype refuses most of these where annotations are checked, so the rule is asked alone.
    with pytest.raises(InputError, match=f"count = {value!r} must be a whole number"):
        check_whole_numbers(count=value)


@pytest.mark.parametrize("value", ["a", [0.1], 1j])
@pytest.mark.parametrize("option", ["tolerance", "usable"])
def test_what_is_no_number_is_refused(option, value):
    # As above.
    options = {"structure": "blocks", "count": 1, "tolerance": None, "usable": 0.1, "weights": 0, "seed": 0}
    check_options(**options)
    with pytest.raises(InputError, match=re.escape(f"{option} = {value!r} must")):
        check_options(**{**options, option: value})


def test_anchors_may_be_tensors():
    tensors = [torch.tensor(values, requires_grad=True) for values in ANCHORS]
    arrays = check(sum, addition_slope, bars, everywhere, ANCHORS).to_dict()
    assert check(sum, addition_slope, bars, everywhere, tensors).to_dict() == arrays
