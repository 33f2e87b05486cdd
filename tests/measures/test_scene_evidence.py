"""Scene evidence is a picture per item, nonsense is refused when it is built, and its measures keep common rules."""

import dataclasses

import jaxtyping
import numpy as np
import pytest

from recombine.core.compositions import compositions
from recombine.core.errors import InputError
from recombine.core.seeds import stream
from recombine.measures import NotFinite, SceneEvidence, exhibits, measures

ITEMS, ROWS, COLUMNS = 20, 3, 4
PROMISED = {
    "id_mse", "all_mse", "seen_mse", "unseen_mse", "id_r2", "all_r2", "ood_r2", "seen_r2", "all_overlap_mse",
    "all_rest_mse", "overlap_share", "generalisation_ratio", "unseen_ratio", "component_r2", "component_error",
    "swap_error",
}  # fmt: skip


def some_scenes(slots=2, kind="over", **changes):
    """A model with nearly right components: items 0 to 7 are "id", 8 to 19 are "all", of which 8 to 15 are seen."""
    rng, composition = stream(slots, "measures", "scenes"), compositions[kind]()
    truths = rng.uniform(size=(slots, ITEMS, ROWS, COLUMNS, composition.channels))
    components = truths + 0.1 * rng.normal(size=truths.shape)
    place = np.arange(ITEMS)
    swapped = [
        composition.join([components[k] if k == taken else truths[k] for k in range(slots)]) for taken in range(slots)
    ]
    defaults = {
        "targets": composition.join(list(truths)),
        "outputs": composition.join(list(components)),
        "latents": rng.uniform(size=(ITEMS, slots, 5)),
        "sections": {
            "id": place < 8,
            "all": place >= 8,
            "ood": place >= 10,
            "seen": (place >= 8) & (place < 16),
            "unseen": place >= 16,
        },
        "overlap": rng.uniform(size=(ITEMS, ROWS, COLUMNS)) < 0.3,
        "truths": truths,
        "components": components,
        "swapped": np.stack(swapped),
        "composed": composition.join(list(truths)),
    }
    return SceneEvidence(**{**defaults, **changes})


def by_name(answer):
    return answer if isinstance(answer, dict) else {"": answer}


def test_every_promised_measure_and_exhibit_is_there():
    assert set(measures.for_kind(SceneEvidence)) == PROMISED
    assert set(exhibits.for_kind(SceneEvidence)) == {"scenes", "latent_map", "component_pictures"}


each_measure = pytest.mark.parametrize("name", measures.for_kind(SceneEvidence))
each_size = pytest.mark.parametrize("slots", [2, 3])


@each_measure
@each_size
def test_a_measure_answers_in_finite_numbers_by_sprite_and_writes_nothing(name, slots):
    evidence = some_scenes(slots)
    for field in dataclasses.fields(evidence):
        value = getattr(evidence, field.name)
        for array in value.values() if field.name == "sections" else [value]:
            array.setflags(write=False)
    answer = measures[name](evidence)
    assert isinstance(answer, float) or list(answer) == ["1", "2", "3"][:slots]
    for value in by_name(answer).values():
        assert type(value) is float
        assert np.isfinite(value)


@each_measure
@each_size
def test_the_order_of_items_and_single_precision_change_nothing(name, slots):
    evidence = some_scenes(slots)
    order = stream(1, "measures", "order").permutation(ITEMS)

    def changed(by_item, by_slot):
        pictures = {
            key: by_item(getattr(evidence, key)) for key in ("targets", "outputs", "latents", "overlap", "composed")
        }
        parts = {key: by_slot(getattr(evidence, key)) for key in ("truths", "components", "swapped")}
        return dataclasses.replace(evidence, **pictures, **parts)

    shuffled = changed(lambda array: array[order], lambda array: array[:, order])
    shuffled = dataclasses.replace(shuffled, sections={key: mask[order] for key, mask in evidence.sections.items()})
    single = changed(lambda array: array if array.dtype == bool else array.astype(np.float32), np.float32)
    expected = by_name(measures[name](evidence))
    assert by_name(measures[name](shuffled)) == pytest.approx(expected)
    assert by_name(measures[name](single)) == pytest.approx(expected, rel=1e-4)


def test_the_name_of_a_sprite_follows_its_slot():
    evidence = some_scenes(3)
    turned = dataclasses.replace(
        evidence,
        truths=evidence.truths[::-1],
        components=evidence.components[::-1],
        swapped=evidence.swapped[::-1],
    )
    for name in ("component_r2", "swap_error"):
        first, second, third = measures[name](evidence).values()
        assert len({first, second, third}) == 3
        assert measures[name](turned) == {"1": third, "2": second, "3": first}


MONOLITHIC = {"truths": None, "components": None, "swapped": None, "composed": None}


@pytest.mark.parametrize("truths", [None, np.zeros((2, ITEMS, ROWS, COLUMNS, 0))])
def test_a_model_without_components_has_every_measure_of_pictures(truths):
    evidence = some_scenes(**{**MONOLITHIC, "truths": truths})
    assert not evidence.has_truths
    for name in PROMISED - {"component_r2", "component_error", "swap_error"}:
        assert measures[name](evidence) == measures[name](some_scenes())
    with pytest.raises(InputError, match="no components; use a model that draws each sprite on its own"):
        evidence.need_components()
    with pytest.raises(InputError, match="no swapped components; use a model"):
        evidence.need_swaps()


def test_components_may_be_there_without_swaps():
    evidence = some_scenes(swapped=None, composed=None)
    truths, components = evidence.need_components()
    assert truths is evidence.truths
    assert components is evidence.components
    with pytest.raises(InputError, match="no swapped components"):
        evidence.need_swaps()


def test_parts_of_all_may_be_missing():
    evidence = some_scenes()
    whole = {name: evidence.sections[name] for name in ("id", "all")}
    assert some_scenes(sections=whole).slots == 2
    with pytest.raises(InputError, match="no section 'unseen', only id, all"):
        some_scenes(sections=whole).section("unseen")
    with pytest.raises(InputError, match="section 'unseen' of this evidence is empty"):
        some_scenes(sections={**whole, "unseen": np.zeros(ITEMS, dtype=bool)}).section("unseen")


def bad_values(good):
    """A change to good evidence, and what the refusal must say."""
    masks, endless = good.sections, np.full_like(good.targets, np.nan)
    beyond, lost = good.latents.copy(), good.latents.copy()
    beyond[3, 1, 2], beyond[4, 0, 0], lost[0, 0, 0] = 1.5, -0.1, np.nan
    wide, nothing = good.truths[..., :3], np.zeros(ITEMS, dtype=bool)
    return {
        "flat targets": ({"targets": good.targets[..., 0]}, r"targets have shape \(20, 3, 4\); they must be \(items"),
        "no items": ({"targets": good.targets[:0]}, r"targets have shape \(0, 3, 4, 3\)"),
        "fewer outputs": ({"outputs": good.outputs[1:]}, r"outputs of shape \(19, 3, 4, 3\) must be .*\(20, 3, 4, 3\)"),
        "diverged": ({"outputs": endless}, "outputs hold values that are not finite; a run that diverged"),
        "endless targets": ({"targets": endless}, "targets hold values that are not finite"),
        "overlap by channel": ({"overlap": good.targets > 0}, r"overlap of shape \(20, 3, 4, 3\) must .*\(20, 3, 4\);"),
        "overlap in numbers": ({"overlap": good.overlap.astype(float)}, "overlap is float64; it must be a boolean"),
        "flat latents": ({"latents": good.latents[:, 0]}, r"latents have shape \(20, 5\); .* \(20, slots, latents\)"),
        "fewer latents": ({"latents": good.latents[1:]}, r"latents have shape \(19, 2, 5\)"),
        "no latents": ({"latents": good.latents[:, :, :0]}, r"latents have shape \(20, 2, 0\)"),
        "outside": ({"latents": beyond}, r"latents have 2 values outside \[0, 1\], the first is 1.5"),
        "lost latents": ({"latents": lost}, r"latents have 1 values outside \[0, 1\], the first is nan"),
        "no all": ({"sections": {"id": masks["id"]}}, "needs a section 'all', got id"),
        "no sections": ({"sections": {}}, "needs a section 'id', got none"),
        "empty id": ({"sections": {**masks, "id": nothing}}, "section 'id' of this evidence is empty"),
        "empty all": ({"sections": {"id": masks["id"], "all": nothing}}, "section 'all' of this evidence is empty"),
        "short mask": ({"sections": {**masks, "far": masks["id"][1:]}}, r"section 'far' is bool of shape \(19,\)"),
        "whole numbers": ({"sections": {**masks, "id": masks["id"].astype(int)}}, "section 'id' is int64 of shape"),
        "id in all": ({"sections": {**masks, "id": masks["id"] | masks["seen"]}}, "8 items in both 'id' and 'all'"),
        "seen and not": ({"sections": {**masks, "unseen": masks["all"]}}, "8 items in both 'seen' and 'unseen'"),
        "seen beyond": ({"sections": {**masks, "seen": masks["id"]}}, "'seen' has 8 items that are not in 'all'"),
        "fewer truths": ({"truths": good.truths[:1]}, r"truths of shape \(1, 20, 3, 4, 4\) must .*\(2, 20, 3, 4, 4\)"),
        "other parts": ({"components": wide}, r"components of shape \(2, 20, 3, 4, 3\) must be .*\(2, 20, 3, 4, 4\)"),
        "no truths": ({"truths": None}, "components of a model and no true ones to compare them with; give truths"),
        "endless truths": ({"truths": good.truths * np.inf}, "truths hold values that are not finite"),
        "endless components": ({"components": good.truths * np.inf}, "components hold values that are not finite"),
        "no swapped": ({"swapped": None}, "has composed pictures and no swapped ones; they are compared"),
        "no composed": ({"composed": None}, "has swapped pictures and no composed ones"),
        "one swapped": ({"swapped": good.swapped[:1]}, r"swapped of shape \(1, 20, 3, 4, 3\) .*\(2, 20, 3, 4, 3\)"),
        "fewer composed": ({"composed": good.composed[1:]}, r"composed of shape \(19, 3, 4, 3\)"),
        "endless swapped": ({"swapped": good.swapped * np.inf}, "swapped hold values that are not finite"),
        "endless composed": ({"composed": endless}, "composed hold values that are not finite"),
    }  # fmt: skip


def test_nonsense_is_refused_with_its_name_and_value(monkeypatch):
    good = some_scenes()
    # As users have it: without the checker of shapes, which in tests refuses some of these first.
    monkeypatch.setattr(jaxtyping.config, "jaxtyping_disable", True)
    for change, message in bad_values(good).values():
        with pytest.raises(InputError, match=message):
            dataclasses.replace(good, **change)


def test_a_model_that_diverged_is_told_from_a_mistake():
    with pytest.raises(NotFinite):
        some_scenes(outputs=np.full((ITEMS, ROWS, COLUMNS, 3), np.inf))
    with pytest.raises(InputError) as refused:
        some_scenes(latents=np.full((ITEMS, 2, 5), np.nan))
    assert not isinstance(refused.value, NotFinite)
