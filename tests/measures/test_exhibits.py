"""Exhibits: each against a computation of its own, on constructed evidence, and small enough for every record."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recombine.core.errors import InputError
from recombine.core.seeds import stream
from recombine.measures import (
    ComponentEvidence,
    Evidence,
    ModuleEvidence,
    SceneEvidence,
    exhibits,
    similarity_matrix,
    volume_map,
)
from recombine.measures.exhibit import HELD, PANELS, TRAINED, UNITS, Exhibits, distinct_peaks, evenly, half, spread_out
from recombine.measures.metric_tensor import pullback_metric

MOST_BYTES = 100_000  # of all exhibits of a run together

# Constructed evidence has 9 levels of y and 11 of x; the hole is y in 2..6, x in 3..8, its interior y in 3..5, x in
# 4..7. 69 combinations are trained, 12 lie in the interior.


@pytest.fixture
def pictured(generic):
    """Evidence whose first hidden layer has channels."""
    evidence = generic()
    first = stream(1, "measures", "exhibits").normal(size=(99, 8 * 3 * 4))
    layers = {**evidence.layers, "hidden0": first}
    return replace(evidence, layers=layers, channels={"hidden0": (8, 3, 4)})


SHAPES = {
    "superposition": {
        "superposition_combinations": (4, 2),
        "superposition_truth": (4, 9, 11),
        "superposition_answer": (4, 9, 11),
        "superposition_y": (4, 9, 11),
        "superposition_x": (4, 9, 11),
    },
    "similarity": {"similarity": (69, 12), "similarity_trained": (69, 2), "similarity_held": (12, 2)},
    "volume": {"volume_maps": (5, 9, 11)},
    "embeddings": {
        "embedding_levels_x": (3,),
        "embedding_levels_y": (3,),
        "embedding_x": (3, 9, 11),
        "embedding_y": (3, 9, 11),
    },
    "activations": {"activation_combination": (2,), "activation_maps": (6, 3, 4)},
    "tuning": {"tuning_maps": (2, 6, 9, 11)},
    "spectra": {f"spectrum_hidden{k}": (15,) for k in range(3)},
    "portraits": {"portrait_hidden0": (99, 4), "portrait_hidden2": (99, 4)},
    "bars": {
        f"{name}_hidden{k}_h{degree}": shape
        for k in range(3)
        for degree in range(3)
        for name, shape in (("bars", (20,)), ("diagram", (20, 2)))
    },
    "ring_histograms": {
        f"{quantity}_hidden{k}_{pair}": (18,)
        for quantity in ("angles", "components", "residuals")
        for k in range(3)
        for pair in ("x-on-y", "x-on-x", "y-on-y")
    },
}


def test_every_exhibit_has_its_shapes_here():
    assert set(SHAPES) == set(exhibits.for_kind(Evidence))
    assert len({name for shapes in SHAPES.values() for name in shapes}) == sum(map(len, SHAPES.values()))


@pytest.mark.parametrize("name", exhibits.for_kind(Evidence))
def test_an_exhibit_is_named_arrays_of_known_shapes_and_small_numbers(name, pictured):
    found = exhibits.pick(name)(pictured)
    assert {key: array.shape for key, array in found.items()} == SHAPES[name]
    for array in found.values():
        assert array.dtype in (np.float16, np.uint8) or np.issubdtype(array.dtype, np.integer)
        assert np.isfinite(array).all()


@pytest.mark.parametrize("name", exhibits.for_kind(Evidence))
def test_an_exhibit_does_not_write_into_the_evidence(name, pictured):
    for group in (pictured.sections, pictured.layers, pictured.embeddings):
        for array in group.values():
            array.setflags(write=False)
    pictured.targets.setflags(write=False)
    pictured.outputs.setflags(write=False)
    exhibits.pick(name)(pictured)


@pytest.mark.parametrize("name", exhibits.for_kind(Evidence))
def test_black_on_white_shows_the_ink_that_white_on_black_shows(name, generic):
    dark, bright = (exhibits.pick(name)(generic(dark=dark)) for dark in (True, False))
    assert set(dark) == set(bright)
    for key in dark:
        assert dark[key].astype(float) == pytest.approx(bright[key].astype(float), abs=1e-2)


def test_all_exhibits_of_a_run_of_the_usual_size_are_small(from_ink, bumps, full_stripes):
    """28 x 28 levels and pixels, five hidden layers, the first with 32 channels of a quarter of the picture."""
    shape = (28, 28)
    rng = stream(2, "measures", "size")
    layers = {f"layer{k}": rng.normal(size=(784, 32 * 49 if k == 0 else 40)) for k in range(5)}
    evidence = from_ink(
        bumps(shape),
        shape=shape,
        hole=((6, 22), (6, 22)),
        hidden=layers,
        embeddings=full_stripes(shape),
        channels={"layer0": (32, 7, 7)},
    )
    arrays = {key: array for name in SHAPES for key, array in exhibits[name](evidence).items()}
    assert sum(array.nbytes for array in arrays.values()) < MOST_BYTES
    assert arrays["similarity"].shape == (TRAINED, HELD)
    assert len(arrays["superposition_truth"]) == PANELS


def brightest_is_one(picture: np.ndarray) -> np.ndarray:
    return picture / picture.max()


def test_panels_sum_exactly_the_trained_answers_that_share_a_level(pictured):
    found = exhibits.superposition(pictured)
    ink, levels = 1.0 - pictured.outputs, pictured.levels
    trained = [k for k in range(99) if pictured.sections["id"][k]]
    for panel, (y, x) in enumerate(found["superposition_combinations"]):
        same_y = [k for k in trained if levels[k, 0] == y]
        same_x = [k for k in trained if levels[k, 1] == x]
        assert len(same_y) == 5  # outside the hole's 6 columns
        assert len(same_x) == 4  # outside its 5 rows
        for name, members in (("superposition_y", same_y), ("superposition_x", same_x)):
            expected = brightest_is_one(sum(ink[k] for k in members))
            assert found[name][panel].astype(float) == pytest.approx(expected, abs=2e-3)


def test_panels_show_the_truth_and_the_answer_of_different_combinations_deep_in_the_hole(pictured):
    found = exhibits.superposition(pictured)
    chosen = found["superposition_combinations"]
    at = 11 * chosen[:, 0] + chosen[:, 1]
    assert len(set(at)) == 4
    assert pictured.sections["interior"][at].all()
    for name, pictures in (("truth", pictured.targets), ("answer", pictured.outputs)):
        assert found[f"superposition_{name}"].astype(float) == pytest.approx(1.0 - pictures[at], abs=2e-3)


def test_answers_that_draw_nothing_have_empty_panels(from_ink, bumps):
    found = exhibits.superposition(from_ink(np.zeros_like(bumps())))
    assert not found["superposition_x"].any()
    assert not found["superposition_answer"].any()
    assert found["superposition_truth"].max() == 1


def test_similarity_bytes_are_the_matrix_over_its_maximum(pictured):
    found = exhibits.similarity(pictured)
    matrix = similarity_matrix(pictured)
    assert found["similarity"].dtype == np.uint8
    assert found["similarity"].max() == 255
    assert found["similarity"] / 255 == pytest.approx(matrix / matrix.max(), abs=0.5 / 255 + 1e-9)
    assert found["similarity_trained"].tolist() == pictured.levels[pictured.sections["id"]].tolist()
    assert found["similarity_held"].tolist() == pictured.levels[pictured.sections["interior"]].tolist()


def test_a_large_similarity_matrix_is_thinned_with_its_levels(from_ink, bumps):
    shape = (20, 21)
    evidence = from_ink(bumps(shape), shape=shape, hole=((4, 16), (3, 15)))  # interior of 100, 276 trained
    found = exhibits.similarity(evidence)
    ink = {tuple(at): picture.ravel() for at, picture in zip(evidence.levels, 1 - evidence.outputs, strict=True)}
    trained, held = found["similarity_trained"], found["similarity_held"]
    overlap = np.array([[ink[tuple(a)] @ ink[tuple(b)] for b in held] for a in trained])
    assert overlap.shape == (TRAINED, HELD)
    assert found["similarity"] / 255 == pytest.approx(overlap / overlap.max(), abs=0.5 / 255 + 1e-9)


def test_where_nothing_is_drawn_nothing_is_similar(from_ink, bumps):
    assert not exhibits.similarity(from_ink(np.zeros_like(bumps())))["similarity"].any()


@pytest.mark.parametrize("periodic", [False, True])
def test_volume_maps_are_those_of_each_layer_in_order(generic, periodic):
    evidence = generic(periodic=periodic)
    maps = exhibits.volume(evidence)["volume_maps"].astype(float)
    for layer, rows in enumerate(evidence.layers.values()):
        g11, g22, g12 = pullback_metric(rows.reshape(9, 11, -1), periodic)
        assert maps[layer] == pytest.approx(0.5 * np.log10(g11 * g22 - g12**2), abs=5e-3)
        assert maps[layer] == pytest.approx(volume_map(rows.reshape(9, 11, -1), periodic), abs=5e-3)


def test_embeddings_are_of_a_quarter_half_and_three_quarters(pictured):
    found = exhibits.embeddings(pictured)
    assert found["embedding_levels_y"].tolist() == [2, 4, 6]
    assert found["embedding_levels_x"].tolist() == [2, 5, 8]
    expected = pictured.embeddings["x"][[2, 5, 8]]
    assert found["embedding_x"].astype(float) == pytest.approx(expected, abs=2e-3)


def test_activations_are_the_channels_that_vary_most_for_one_combination(pictured):
    found = exhibits.activations(pictured)
    y, x = found["activation_combination"]
    assert pictured.sections["interior"][11 * y + x]
    maps = pictured.layers["hidden0"][11 * y + x].reshape(8, 3, 4)
    by_range = sorted(maps, key=lambda channel: channel.min() - channel.max())
    assert found["activation_maps"].astype(float) == pytest.approx(np.array(by_range[:6]), abs=2e-3)


def test_fewer_channels_than_are_shown_are_all_shown(pictured):
    few = replace(pictured, channels={"hidden0": (2, 6, 8)})
    assert exhibits.activations(few)["activation_maps"].shape == (2, 6, 8)


def test_tuning_shows_the_busiest_units_with_different_peaks_of_the_first_and_the_last_layer(pictured):
    maps = exhibits.tuning(pictured)["tuning_maps"].astype(float)
    for shown, name in zip(maps, ("hidden0", "hidden2"), strict=True):
        expected: dict[int, np.ndarray] = {}
        for unit in sorted(pictured.layers[name].T, key=np.var, reverse=True):
            expected.setdefault(int(unit.argmax()), unit.reshape(9, 11))
        assert len(expected) > UNITS
        assert shown == pytest.approx(np.array(list(expected.values())[:UNITS]), abs=2e-3)


def test_units_with_one_peak_are_told_once():
    """Peaks at 1, 1, 5, 0 in order of business: the second of the first two is left out, and the list repeats."""
    maps = np.zeros((4, 2, 3))
    maps.reshape(4, 6)[range(4), [1, 1, 5, 0]] = 1.0
    assert distinct_peaks(maps, np.arange(4)).tolist() == [0, 2, 3, 0, 2, 3]
    assert distinct_peaks(maps, np.array([1, 0, 3, 2])).tolist() == [1, 3, 2, 1, 3, 2]


def test_no_more_units_are_shown_than_there_is_room_for():
    maps = np.eye(9).reshape(9, 3, 3)
    assert distinct_peaks(maps, np.arange(9)[::-1]).tolist() == [8, 7, 6, 5, 4, 3]


@settings(deadline=None)
@given(members=st.lists(st.booleans(), min_size=1).filter(any), most=st.integers(1, 8))
def test_spread_out_gives_different_members_in_order(members, most):
    mask = np.array(members)
    chosen = spread_out(mask, most)
    assert mask[chosen].all()
    assert (np.diff(chosen) > 0).all()
    assert len(chosen) == min(most, mask.sum())


@settings(deadline=None)
@given(size=st.integers(2, 300), most=st.integers(2, 50))
def test_evenly_keeps_both_ends_and_equal_gaps(size, most):
    chosen = evenly(size, most)
    assert (chosen[0], chosen[-1], len(chosen)) == (0, size - 1, min(size, most))
    gaps = np.diff(chosen)
    assert gaps.min() >= 1
    assert gaps.max() - gaps.min() <= 1


@pytest.mark.parametrize(
    ("name", "missing", "says"),
    [
        ("embeddings", {"embeddings": {}}, "no embeddings to exhibit; use a model that renders each factor alone"),
        ("activations", {"channels": {}}, "layer 'hidden0' is no picture, so it has no channels to exhibit"),
        ("activations", {"layers": {}}, "has no layers"),
        ("tuning", {"layers": {}}, "has no layers"),
        ("volume", {"layers": {}}, "has no layers"),
    ],
)
def test_what_cannot_be_exhibited_is_refused(pictured, name, missing, says):
    with pytest.raises(InputError, match=says):
        exhibits.pick(name)(replace(pictured, **missing))


@pytest.mark.parametrize("name", ["superposition", "similarity", "activations"])
def test_exhibits_of_the_hole_need_one(pictured, name):
    everything = np.ones(99, dtype=bool)
    with pytest.raises(InputError, match="'ood'"):
        exhibits.pick(name)(replace(pictured, sections={"id": everything, "ood": ~everything}))


def test_an_unknown_exhibit_is_refused_with_the_nearest():
    with pytest.raises(InputError, match="unknown exhibit 'volum'; did you mean 'volume'"):
        exhibits.pick("volum")


def test_half_precision_ends_where_it_ends():
    assert half(np.array([1e9, -1e9, 0.5])).tolist() == [65504.0, -65504.0, 0.5]


def test_weights_are_exhibited_with_the_module_of_each_hidden_unit(modules, blocks):
    evidence = modules(weights=blocks((2, 1, 2), (3, 2, 3), (1, 1, 1), (2, 2, 3), (1, 2, 1), between=0.1))
    found = exhibits.weights(evidence)
    assert list(found) == [*(f"weights_{k}" for k in range(4)), *(f"unit_modules_{k}" for k in range(3))]
    for place, matrix in enumerate(evidence.weights):
        assert found[f"weights_{place}"].dtype == np.float32
        assert found[f"weights_{place}"] == pytest.approx(np.abs(matrix), rel=1e-6)
    assert found["unit_modules_0"].tolist() == [0, 0, 0, 1, 1, 2, 2, 2]
    assert found["unit_modules_1"].tolist() == [0, 1, 2]
    assert found["unit_modules_2"].tolist() == [0, 0, 1, 1, 2, 2, 2]
    assert sum(array.nbytes for array in found.values()) < MOST_BYTES


def test_a_network_without_weights_or_without_modules_of_its_outputs_exhibits_none(modules):
    with pytest.raises(InputError, match="has no weights"):
        exhibits.weights(modules(weights=()))
    with pytest.raises(InputError, match="inputs belong to modules 0, 1, 2 and outputs to 0;"):
        exhibits.weights(modules(modules_out=np.zeros(4, dtype=int)))


def test_an_exhibit_refuses_evidence_of_another_kind(generic, decision, modules, scenes):
    shown = {kind: exhibits.for_kind(kind) for kind in (Evidence, ComponentEvidence, ModuleEvidence, SceneEvidence)}
    assert sorted(name for names in shown.values() for name in names) == sorted(exhibits)
    assert shown[ComponentEvidence] == ()
    others = ((decision(), "a component task"), (modules(), "a task of modules"), (scenes(), "a task of scenes"))
    for evidence, words in others:
        for name in shown[Evidence]:
            with pytest.raises(InputError, match=f"exhibit '{name}' shows pictures; this is {words}, so leave it out"):
                exhibits[name](evidence)
    with pytest.raises(InputError, match=r"network for a task of modules; .* one of exhibits.for_kind\(Evidence\)"):
        exhibits.weights(generic())


def test_an_exhibit_says_what_it_looks_at():
    ours = Exhibits("exhibit")

    @ours.register("sizes")
    def sizes(evidence: ModuleEvidence) -> dict[str, np.ndarray]:
        """How many items there are."""
        return {"sizes": np.array(evidence.targets.shape)}

    assert ours.summaries() == {"sizes": "How many items there are."}
    assert ours.sizes.__module__ == sizes.__module__  # by which workers know a script's own
    with pytest.raises(InputError, match="exhibit 'vague' does not say what it looks at; annotate its first parameter"):
        ours.register("vague")(lambda evidence: {})
    with pytest.raises(InputError, match="exhibit 'sizes' is registered already"):
        ours.register("sizes")(sizes)
