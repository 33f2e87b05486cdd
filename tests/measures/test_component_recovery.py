"""Recovery of components: perfect, mean and disturbed ones by closed form, and right pictures of wrong components."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recombine.core.compositions import compositions
from recombine.core.errors import InputError
from recombine.core.seeds import stream
from recombine.measures import SceneEvidence, measures

ITEMS, ROWS, COLUMNS = 14, 3, 5
ALL = np.arange(ITEMS) >= 4

each_size = pytest.mark.parametrize("slots", [2, 3])
each_composition = pytest.mark.parametrize("kind", ["addition", "hard", "soft", "over"])


def composed_by(kind, truths, components):
    """What a model shows whose composition is right and whose components are these."""
    composition, slots = compositions[kind](), len(truths)
    swapped = [
        composition.join([components[k] if k == taken else truths[k] for k in range(slots)]) for taken in range(slots)
    ]
    return SceneEvidence(
        targets=composition.join(list(truths)),
        outputs=composition.join(list(components)),
        latents=np.full((ITEMS, slots, 5), 0.5),
        sections={"id": ~ALL, "all": ALL},
        overlap=np.zeros((ITEMS, ROWS, COLUMNS), dtype=bool),
        truths=truths,
        components=components,
        swapped=np.stack(swapped),
        composed=composition.join(list(truths)),
    )


def true_components(kind, slots, seed=0):
    """Sprites of plain colours, each over a part of the pixels."""
    rng = stream(seed, "measures", "components")
    colour = rng.uniform(0.4, 1, size=(slots, ITEMS, ROWS, COLUMNS, 3))
    cover = (rng.uniform(size=(slots, ITEMS, ROWS, COLUMNS, 1)) < 0.5).astype(float)
    return compositions[kind]().component(colour, cover)


def spread(values):
    """Mean over "all" of the squared distance from each entry's own mean."""
    return np.square(values[ALL] - values[ALL].mean(axis=0)).mean()


@each_composition
@each_size
def test_true_components_are_perfect(kind, slots):
    truths = true_components(kind, slots)
    evidence = composed_by(kind, truths, truths.copy())
    names = [str(slot + 1) for slot in range(slots)]
    assert measures["component_r2"](evidence) == dict.fromkeys(names, 1.0)
    assert measures["swap_error"](evidence) == dict.fromkeys(names, 0.0)
    assert measures["all_r2"](evidence) == 1.0


@each_composition
@each_size
def test_the_mean_of_a_component_has_an_r2_of_0_and_costs_that_sprite_alone(kind, slots):
    truths = true_components(kind, slots)
    components = truths.copy()
    components[1] = truths[1, ALL].mean(axis=0)
    evidence = composed_by(kind, truths, components)
    found = measures["component_r2"](evidence)
    assert found.pop("2") == pytest.approx(0, abs=1e-12)
    assert set(found.values()) == {1.0}
    wrong = measures["swap_error"](evidence)
    assert wrong.pop("2") > 0
    assert set(wrong.values()) == {0.0}


def test_the_mean_picture_has_a_swap_error_of_1():
    truths = true_components("addition", 3)
    evidence = composed_by("addition", truths, truths)
    mean = np.broadcast_to(evidence.composed[ALL].mean(axis=0), evidence.composed.shape)
    answers = np.stack([mean, evidence.composed, 2 * evidence.composed - mean])
    shown = SceneEvidence(**{**vars(evidence), "swapped": answers})
    assert measures["swap_error"](shown) == pytest.approx({"1": 1.0, "2": 0.0, "3": 1.0})


def test_a_constant_moved_between_summed_components_leaves_the_picture_right_and_both_measures_see_it():
    """Addition fixes components up to a constant picture b: (φ_1 + b) + (φ_2 − b) = φ_1 + φ_2.

    R² of component k falls to 1 − mean b² / var φ_k, and the swap error is mean b² / var C for both.
    """
    truths = true_components("addition", 2)
    moved = stream(1, "measures", "gauge").normal(size=(ROWS, COLUMNS, 3))
    evidence = composed_by("addition", truths, np.stack([truths[0] + moved, truths[1] - moved]))
    size = np.square(moved).mean()
    assert measures["all_mse"](evidence) == pytest.approx(0, abs=1e-28)
    assert measures["all_r2"](evidence) == pytest.approx(1)
    by_component = {str(k + 1): 1 - size / spread(truths[k]) for k in range(2)}
    assert max(by_component.values()) < 0  # worse than the mean component, and the picture is right
    assert measures["component_r2"](evidence) == pytest.approx(by_component)
    assert measures["swap_error"](evidence) == pytest.approx(dict.fromkeys("12", size / spread(evidence.composed)))


@each_size
def test_what_an_opaque_front_hides_counts_for_the_component_and_not_for_the_swap(slots):
    truths = true_components("hard", slots)
    hidden = (truths[0].sum(-1) > 0)[..., None]
    components = truths.copy()
    components[1:] += 5.0 * hidden * stream(2, "measures", "hidden").normal(size=truths[1:].shape)
    evidence = composed_by("hard", truths, components)
    assert measures["all_mse"](evidence) == 0.0
    assert set(measures["swap_error"](evidence).values()) == {0.0}
    front, *behind = measures["component_r2"](evidence).values()
    assert front == 1.0
    assert max(behind) < 0


@each_size
def test_the_colour_of_nothing_counts_for_the_component_and_not_for_the_swap(slots):
    truths = true_components("over", slots)
    components = truths.copy()
    components[..., :3] += 4.0 * (truths[..., 3:] == 0)
    evidence = composed_by("over", truths, components)
    assert measures["all_r2"](evidence) == 1.0
    assert set(measures["swap_error"](evidence).values()) == {0.0}
    assert max(measures["component_r2"](evidence).values()) < 0


@settings(deadline=None)
@given(seed=st.integers(0, 1000), slots=st.integers(2, 3), size=st.floats(0.01, 3))
def test_for_a_sum_the_two_measures_differ_by_the_share_of_variance(seed, slots, size):
    """C(φ̂_k, others) − C = φ̂_k − φ_k, so swap error = (1 − R²) var φ_k / var C."""
    truths = true_components("addition", slots, seed)
    noise = stream(seed, "measures", "noise").normal(size=truths.shape)
    evidence = composed_by("addition", truths, truths + size * noise)
    recovered = measures["component_r2"](evidence)
    for slot, wrong in measures["swap_error"](evidence).items():
        share = spread(truths[int(slot) - 1]) / spread(evidence.composed)
        assert wrong == pytest.approx((1 - recovered[slot]) * share)


def test_a_swap_is_judged_by_the_composition_of_the_model():
    """True components under a wrong composition: the pictures are wrong, and no component is to blame."""
    truths = true_components("addition", 2)
    evidence = composed_by("addition", truths, truths)
    drawn = SceneEvidence(**{**vars(evidence), "targets": compositions["hard"]().join(list(truths))})
    assert measures["all_mse"](drawn) > 0.01
    assert measures["swap_error"](drawn) == {"1": 0.0, "2": 0.0}


def test_only_the_whole_space_counts():
    truths = true_components("soft", 2)
    components = truths + np.where(ALL, 0.0, 7.0)[:, None, None, None]
    evidence = composed_by("soft", truths, components)
    assert measures["id_mse"](evidence) > 1
    assert set(measures["component_r2"](evidence).values()) == {1.0}
    assert set(measures["swap_error"](evidence).values()) == {0.0}


def test_what_never_varies_cannot_be_recovered():
    truths = true_components("addition", 2)
    truths[1] = 0.1
    with pytest.raises(InputError, match=r"variance of true component 2 in 'all' is 0, .* use two items or more"):
        measures["component_r2"](composed_by("addition", truths, truths + 0.1))
    truths[0] = 0.2
    with pytest.raises(InputError, match="variance of pictures composed of true components in 'all' is 0"):
        measures["swap_error"](composed_by("addition", truths, truths + 0.1))
