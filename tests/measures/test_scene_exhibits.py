"""Exhibits of scenes against computations of their own, on unequal sizes, and small enough for every record."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recombine.core.errors import InputError
from recombine.core.seeds import stream
from recombine.measures import SceneEvidence, exhibits, measures
from recombine.measures.scene_exhibits import CELLS, SCENES, mean_by_cell, overlapping_first

ITEMS, ROWS, COLUMNS = 60, 4, 6
MOST_BYTES = 100_000  # of all exhibits of a run together


def scenes(slots=2, parts=4, **changes):
    """Random scenes: the first 20 items are "id", the others "all"; every third item overlaps in a pixel."""
    rng = stream(slots, "measures", "scene exhibits")
    place = np.arange(ITEMS)
    truths = rng.normal(size=(slots, ITEMS, ROWS, COLUMNS, parts))
    overlap = np.zeros((ITEMS, ROWS, COLUMNS), dtype=bool)
    overlap[::3, 1, 5] = True
    defaults = {
        "targets": rng.uniform(size=(ITEMS, ROWS, COLUMNS, 3)),
        "outputs": rng.uniform(size=(ITEMS, ROWS, COLUMNS, 3)),
        "latents": rng.uniform(size=(ITEMS, slots, 5)),
        "sections": {"id": place < 20, "all": place >= 20},
        "overlap": overlap,
        "truths": truths,
        "components": truths + 2.0 * rng.normal(size=truths.shape),
    }
    return SceneEvidence(**{**defaults, **changes})


each_size = pytest.mark.parametrize("slots", [2, 3])


@each_size
def test_exhibits_are_small_named_arrays_of_known_shapes(slots):
    evidence = scenes(slots)
    found = {name: exhibits.pick(name)(evidence) for name in exhibits.for_kind(SceneEvidence)}
    shapes = {
        name: {key: (array.shape, array.dtype.name) for key, array in each.items()} for name, each in found.items()
    }
    assert shapes == {
        "scenes": {
            "scene_latents": ((6, slots, 5), "float16"),
            "scene_targets": ((6, 4, 6, 3), "float16"),
            "scene_outputs": ((6, 4, 6, 3), "float16"),
        },
        "latent_map": {
            "latent_map_x1_x2": ((10, 10), "float32"),
            "latent_counts_x1_x2": ((10, 10), "int32"),
            "latent_map_x1_y1": ((10, 10), "float32"),
            "latent_counts_x1_y1": ((10, 10), "int32"),
        },
        "component_pictures": {
            "component_truths": ((3, slots, 4, 6, 3), "float16"),
            "component_answers": ((3, slots, 4, 6, 3), "float16"),
        },
    }  # fmt: skip
    assert sum(array.nbytes for each in found.values() for array in each.values()) < MOST_BYTES


def test_scenes_are_of_items_whose_sprites_overlap():
    evidence = scenes()
    found = exhibits.scenes(evidence)
    # Items 21, 24, ..., 57 overlap: 13 of them, of which the 6 in the middles of equal stretches are shown.
    chosen = [21 + 3 * int((k + 0.5) * 13 / 6) for k in range(6)]
    for key in ("latents", "targets", "outputs"):
        expected = getattr(evidence, key)[chosen]
        assert found[f"scene_{key}"].astype(float) == pytest.approx(expected, abs=1e-3)


def test_scenes_that_do_not_overlap_are_shown_where_too_few_do():
    overlap = np.zeros((ITEMS, ROWS, COLUMNS), dtype=bool)
    overlap[[3, 33, 58], 0, 0] = True  # item 3 is like the training set
    chosen = overlapping_first(scenes(overlap=overlap), SCENES)
    assert {33, 58} < set(chosen.tolist())
    assert (chosen >= 20).all()
    assert len(chosen) == SCENES
    few = {"id": np.arange(ITEMS) < 57, "all": np.arange(ITEMS) >= 57}
    assert overlapping_first(scenes(sections=few), SCENES).tolist() == [57, 58, 59]


@settings(deadline=None)
@given(wanted=st.lists(st.booleans(), min_size=ITEMS, max_size=ITEMS), most=st.integers(1, 9))
def test_as_many_overlapping_items_are_chosen_as_fit(wanted, most):
    overlap = np.zeros((ITEMS, ROWS, COLUMNS), dtype=bool)
    overlap[:, 2, 3] = wanted
    chosen = overlapping_first(scenes(overlap=overlap), most)
    assert len(chosen) == most
    assert (np.diff(chosen) > 0).all()
    assert chosen[0] >= 20
    assert overlap[chosen, 2, 3].sum() == min(most, sum(wanted[20:]))


def test_a_map_has_the_front_x_across():
    """One item of "all" is wrong: x1 = 0.91, y1 = 0.37, x2 = 0.08."""
    targets = np.zeros((2, ROWS, COLUMNS, 3))
    outputs = targets.copy()
    outputs[1] = 0.5
    latents = np.full((2, 3, 5), 0.55)
    latents[1, 0, :2], latents[1, 1, 0] = (0.91, 0.37), 0.08
    evidence = SceneEvidence(
        targets=targets,
        outputs=outputs,
        latents=latents,
        sections={"id": np.array([True, False]), "all": np.array([False, True])},
        overlap=np.zeros((2, ROWS, COLUMNS), dtype=bool),
    )
    found = exhibits["latent_map"](evidence)
    for name, cell in (("x1_x2", (0, 9)), ("x1_y1", (3, 9))):
        expected, counts = np.full((10, 10), np.nan), np.zeros((10, 10), dtype=int)
        expected[cell], counts[cell] = 0.25, 1
        assert found[f"latent_map_{name}"] == pytest.approx(expected, nan_ok=True)
        assert found[f"latent_counts_{name}"].tolist() == counts.tolist()


@each_size
def test_the_cells_of_a_map_average_to_the_error(slots):
    evidence = scenes(slots)
    found = exhibits["latent_map"](evidence)
    for name in ("x1_x2", "x1_y1"):
        means, counts = found[f"latent_map_{name}"].astype(float), found[f"latent_counts_{name}"]
        assert counts.sum() == 40
        assert (np.isnan(means) == (counts == 0)).all()
        assert np.nansum(means * counts) / 40 == pytest.approx(measures["all_mse"](evidence))


unit = st.floats(0, 1, width=32)


@settings(deadline=None)
@given(items=st.lists(st.tuples(st.floats(0, 9), unit, unit), min_size=1, max_size=40))
def test_cells_match_a_plain_loop(items):
    values, rows, columns = (np.array(each) for each in zip(*items, strict=True))
    means, counts = mean_by_cell(values, rows, columns)
    for row in range(CELLS):
        for column in range(CELLS):
            inside = [v for v, y, x in items if min(int(10 * y), 9) == row and min(int(10 * x), 9) == column]
            assert counts[row, column] == len(inside)
            assert means[row, column] == pytest.approx(np.mean(inside) if inside else np.nan, nan_ok=True)


def test_the_ends_of_a_latent_are_in_the_first_and_the_last_cell():
    _, counts = mean_by_cell(np.ones(3), np.array([0.0, 1.0, 1.0]), np.array([1.0, 0.0, 1.0]))
    assert np.argwhere(counts).tolist() == [[0, 9], [9, 0], [9, 9]]


def test_a_map_needs_two_sprites_with_two_latents():
    one = scenes(2, truths=None, components=None, latents=np.full((ITEMS, 1, 5), 0.5))
    with pytest.raises(InputError, match="needs two sprites with two latents each, got 1 with 5; use scenes of two"):
        exhibits["latent_map"](one)
    with pytest.raises(InputError, match="got 2 with 1;"):
        exhibits["latent_map"](scenes(latents=np.full((ITEMS, 2, 1), 0.5)))


@each_size
@pytest.mark.parametrize("parts", [3, 4])
def test_components_are_shown_by_scene_without_their_opacity_and_cut(slots, parts):
    evidence = scenes(slots, parts)
    found = exhibits["component_pictures"](evidence)
    chosen = [27, 39, 51]  # items 21, 24, ..., 57 overlap: these are in the middles of thirds
    for key, whole in (("component_truths", evidence.truths), ("component_answers", evidence.components)):
        for scene, item in enumerate(chosen):
            for slot in range(slots):
                expected = np.clip(whole[slot, item, :, :, :3], -2, 2)
                assert found[key][scene, slot].astype(float) == pytest.approx(expected, abs=2e-3)
    assert np.abs(found["component_answers"]).max() == 2.0


def test_a_model_without_components_shows_none():
    with pytest.raises(InputError, match="has no components; use a model that draws each sprite on its own"):
        exhibits["component_pictures"](dataclasses.replace(scenes(), truths=None, components=None))


def test_scene_exhibits_refuse_nothing_they_need_not():
    """Pictures and maps are there for every model, with components or without."""
    evidence = scenes(truths=None, components=None)
    assert exhibits.scenes(evidence).keys() == exhibits.scenes(scenes()).keys()
    assert exhibits["latent_map"](evidence).keys() == exhibits["latent_map"](scenes()).keys()
