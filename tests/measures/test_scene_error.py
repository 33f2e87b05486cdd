"""Errors of scenes against closed forms, an independent R², and the identity that joins overlap and rest."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import r2_score

from recombine.core.errors import InputError
from recombine.core.seeds import stream
from recombine.measures import SceneEvidence, measures, scene_mse, scene_r2

ROWS, COLUMNS, CHANNELS = 3, 5, 2
SIZES = {"id": 6, "seen": 8, "unseen": 4}  # of the sections, in order; "all" is seen and unseen


def sections():
    named = np.repeat(list(SIZES), list(SIZES.values()))
    return {**{name: named == name for name in SIZES}, "all": named != "id"}


def pictures(seed=0):
    rng = stream(seed, "measures", "scene pictures")
    return rng.uniform(size=(sum(SIZES.values()), ROWS, COLUMNS, CHANNELS))


def scenes(targets, outputs, overlap=None, masks=None):
    return SceneEvidence(
        targets=targets,
        outputs=outputs,
        latents=np.full((len(targets), 2, 5), 0.5),
        sections=masks or sections(),
        overlap=np.zeros(targets.shape[:3], dtype=bool) if overlap is None else overlap,
    )


each_section = pytest.mark.parametrize("section", ["id", "all", "seen"])


@each_section
def test_a_perfect_model_has_an_r2_of_1_and_the_mean_picture_one_of_0(section):
    targets, members = pictures(), sections()[section]
    mean = np.broadcast_to(targets[members].mean(axis=0), targets.shape)
    perfect, constant = scenes(targets, targets.copy()), scenes(targets, mean.copy())
    assert measures[f"{section}_r2"](perfect) == 1.0
    assert measures[f"{section}_mse"](perfect) == 0.0
    assert measures[f"{section}_r2"](constant) == pytest.approx(0, abs=1e-12)
    # Another section has another mean picture, around which its own variance is smaller.
    other = "seen" if section == "id" else "id"
    assert measures[f"{other}_r2"](constant) < -1e-3


@each_section
@settings(deadline=None)
@given(scale=st.floats(-3, 3))
def test_shrinking_towards_the_mean_picture_costs_its_square(section, scale):
    targets, members = pictures(1), sections()[section]
    mean = targets[members].mean(axis=0)
    evidence = scenes(targets, mean + scale * (targets - mean))
    assert measures[f"{section}_r2"](evidence) == pytest.approx(1 - (1 - scale) ** 2, abs=1e-9)


@each_section
def test_r2_is_the_variance_weighted_one(section):
    targets, members = pictures(2), sections()[section]
    targets[:, 0, 0] = 0.25  # a pixel that never varies weighs nothing below, and its error counts above
    outputs = targets + 0.4 * stream(3, "measures", "noise").normal(size=targets.shape)
    outputs[:, 0, 0] = 0.25
    flat = (array[members].reshape(members.sum(), -1) for array in (targets, outputs))
    expected = r2_score(*flat, multioutput="variance_weighted")
    assert scene_r2(scenes(targets, outputs), section) == pytest.approx(expected)
    outputs[:, 0, 0] = 0.75
    worse = np.square(0.5) * members.sum() * CHANNELS
    spread = np.square(targets[members] - targets[members].mean(axis=0)).sum()
    assert scene_r2(scenes(targets, outputs), section) == pytest.approx(expected - worse / spread)


def test_an_offset_in_a_section_is_its_squared_error():
    offsets = {"id": 0.1, "seen": 0.2, "unseen": 0.4}
    by_item = np.repeat(list(offsets.values()), list(SIZES.values()))[:, None, None, None]
    targets = pictures()
    evidence = scenes(targets, targets - by_item)
    for name, offset in offsets.items():
        assert measures[f"{name}_mse"](evidence) == pytest.approx(offset**2)
    everywhere = (8 * 0.2**2 + 4 * 0.4**2) / 12
    assert measures["all_mse"](evidence) == pytest.approx(everywhere)
    assert measures["generalisation_ratio"](evidence) == pytest.approx(everywhere / 0.1**2)
    assert measures["unseen_ratio"](evidence) == pytest.approx(4)


def test_a_channel_of_a_pixel_is_one_of_many():
    targets = pictures()
    outputs = targets.copy()
    outputs[0, 2, 4, 1] += 3.0
    assert scene_mse(scenes(targets, outputs), "id") == pytest.approx(9 / (6 * ROWS * COLUMNS * CHANNELS))
    assert scene_mse(scenes(targets, outputs), "all") == 0.0


def test_error_where_sprites_overlap_is_told_apart():
    """One item of "all" overlaps in 2 pixels and another in 1: each pixel weighs the same, whosever it is."""
    targets, overlap = pictures(), np.zeros((18, ROWS, COLUMNS), dtype=bool)
    overlap[7, 0, 3] = overlap[7, 2, 1] = overlap[17, 1, 4] = True
    overlap[:6] = True  # of items drawn like the training set, which do not count
    outputs = targets + 0.1
    for pixel, offset in {(7, 0, 3): 0.7, (7, 2, 1): -0.7, (17, 1, 4): -0.5}.items():
        outputs[pixel] = targets[pixel] + offset
    evidence = scenes(targets, outputs, overlap)
    assert measures["overlap_share"](evidence) == pytest.approx(3 / (12 * ROWS * COLUMNS))
    assert measures["all_overlap_mse"](evidence) == pytest.approx((0.49 + 0.49 + 0.25) / 3)
    assert measures["all_rest_mse"](evidence) == pytest.approx(0.01)


@settings(deadline=None)
@given(seed=st.integers(0, 1000), share=st.floats(0.1, 0.9))
def test_the_two_errors_average_to_the_whole(seed, share):
    rng = stream(seed, "measures", "overlap")
    targets = pictures(seed)
    evidence = scenes(targets, rng.normal(size=targets.shape), rng.uniform(size=targets.shape[:3]) < share)
    weight, inside, outside, whole = (
        measures[name](evidence) for name in ("overlap_share", "all_overlap_mse", "all_rest_mse", "all_mse")
    )
    assert weight * inside + (1 - weight) * outside == pytest.approx(whole)


def test_errors_where_there_is_no_such_pixel_are_undefined():
    targets = pictures()
    apart = scenes(targets, targets + 0.1)
    with pytest.raises(
        InputError, match=r"sprites overlap in no pixel of section 'all'; use larger .* or all_mse alone"
    ):
        measures["all_overlap_mse"](apart)
    assert measures["all_rest_mse"](apart) == pytest.approx(measures["all_mse"](apart))
    assert measures["overlap_share"](apart) == 0.0
    together = scenes(targets, targets + 0.1, np.ones(targets.shape[:3], dtype=bool))
    with pytest.raises(InputError, match=r"overlap in every pixel of section 'all'; .* or all_overlap_mse alone"):
        measures["all_rest_mse"](together)
    assert measures["overlap_share"](together) == 1.0


def test_ratios_to_no_error_are_undefined():
    targets = pictures()
    right = scenes(targets, targets)
    with pytest.raises(InputError, match="generalisation_ratio is undefined: section 'id' has no error at all"):
        measures["generalisation_ratio"](right)
    with pytest.raises(
        InputError, match=r"unseen_ratio is undefined: section 'seen' has .* compare unseen_mse and seen_"
    ):
        measures["unseen_ratio"](right)


def test_what_never_varies_has_no_r2():
    targets = pictures()
    targets[6:] = 0.1  # a number whose mean rounds away from it
    evidence = scenes(targets, targets + 0.1)
    with pytest.raises(InputError, match=r"variance of the targets of section 'all' is 0, .* use two items or more"):
        measures["all_r2"](evidence)
    assert np.isfinite(measures["id_r2"](evidence))
    lone = {"id": sections()["id"], "all": np.arange(18) == 7}
    with pytest.raises(InputError, match="section 'all' is 0"):
        measures["all_r2"](scenes(pictures(), pictures(1), masks=lone))


def test_r2_of_what_is_held_out_is_that_of_its_items_alone():
    targets, held = pictures(4), np.arange(18) >= 11
    outputs = targets.copy()
    outputs[held] = (targets[held] + targets[held].mean(axis=0)) / 2
    evidence = scenes(targets, outputs, masks={**sections(), "ood": held})
    assert measures["ood_r2"](evidence) == pytest.approx(0.75)
    assert measures["all_r2"](evidence) > 0.76


def test_sections_that_training_lacks_have_no_error():
    everything = {name: sections()[name] for name in ("id", "all")}
    evidence = scenes(pictures(), pictures(1), masks=everything)
    for name in ("seen_mse", "unseen_mse", "seen_r2", "unseen_ratio", "ood_r2"):
        with pytest.raises(InputError, match=r"no section '((un)?seen|ood)', only id, all"):
            measures[name](evidence)
