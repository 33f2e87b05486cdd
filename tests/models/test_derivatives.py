import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn import functional as F

from recombine.core.compositions import AlphaOver, HardOcclusion, SoftOcclusion, compositions
from recombine.core.errors import InputError
from recombine.core.seeds import stream
from recombine.models import Interface, models
from recombine.models.derivatives import derivative, general_derivative

torch.set_num_threads(1)

KNOWN = {"addition": {}, "hard": {}, "soft": {"temperature": 1.7}, "over": {"opacity": "sigmoid"}}
POINTS, PIXELS = 5, 6


def parts_of(composition, slots=2, seed=0, points=POINTS, pixels=PIXELS):
    shape = (slots, points, pixels, composition.channels)
    return list(stream(seed, "test", "components").normal(size=shape))


def by_differences(join, slot, parts, step=1e-6):
    """Columns by central differences, one channel of the component at a time."""
    columns = []
    for channel in range(parts[slot].shape[-1]):
        change = np.zeros_like(parts[slot])
        change[..., channel] = step
        up, down = ([part + sign * change * (k == slot) for k, part in enumerate(parts)] for sign in (1, -1))
        columns.append((join(up) - join(down)) / (2 * step))
    return np.stack(columns, -1)


@pytest.mark.parametrize("slots", [1, 2, 3])
@pytest.mark.parametrize("kind", KNOWN)
def test_every_composition_agrees_with_finite_differences(kind, slots):
    composition = compositions[kind](**KNOWN[kind])
    parts = parts_of(composition, slots)
    for slot in range(slots):
        found = derivative(composition, slot, parts)
        assert found.shape == (POINTS, PIXELS, 3, composition.channels)
        assert found.dtype == np.float64
        np.testing.assert_allclose(found, by_differences(composition.join, slot, parts), atol=1e-8)


def test_every_composition_with_a_formula_is_tested_here():
    assert {kind for kind, composition in compositions.items() if not composition.learned} == set(KNOWN)


@settings(max_examples=15, deadline=None)
@given(temperature=st.floats(0.2, 6), seed=st.integers(0, 99))
def test_soft_occlusion_has_its_closed_form(temperature, seed):
    """Front: w I + t w (1 − w) (a − b) 1ᵀ; back: (1 − w) I, where w = sigmoid(t s)."""
    composition = SoftOcclusion(temperature=temperature)
    front, behind = parts_of(composition, seed=seed)
    weight = 1 / (1 + np.exp(-temperature * front.sum(-1)))[..., None, None]
    bend = temperature * weight * (1 - weight) * (front - behind)[..., None] * np.ones(3)
    np.testing.assert_allclose(derivative(composition, 0, [front, behind]), weight * np.eye(3) + bend, atol=1e-12)
    np.testing.assert_allclose(derivative(composition, 1, [front, behind]), (1 - weight) * np.eye(3), atol=1e-12)


def test_hard_occlusion_shows_one_component_per_pixel():
    front, behind = np.zeros((2, 3, 3)), np.full((2, 3, 3), 0.4)
    front[1, 2] = (1.0, 0.0, 0.2)
    shown = np.zeros((2, 3, 1, 1))
    shown[1, 2] = 1
    composition = HardOcclusion()
    assert np.array_equal(derivative(composition, 0, [front, behind]), shown * np.eye(3))
    assert np.array_equal(derivative(composition, 1, [front, behind]), (1 - shown) * np.eye(3))


def test_alpha_over_has_its_closed_form_and_at_most_three_directions():
    """Front: [α I, a − α_b b]; back: (1 − α) [α_b I, b], with opacities inside their range."""
    front, behind = stream(3, "test", "opaque").uniform(0.1, 0.9, size=(2, POINTS, PIXELS, 4))
    alpha, covered = front[..., 3, None, None], behind[..., 3, None, None]
    colour, below = front[..., :3, None], behind[..., :3, None]
    by_front = np.concatenate([alpha * np.eye(3), colour - covered * below], -1)
    by_back = (1 - alpha) * np.concatenate([covered * np.eye(3), below], -1)
    np.testing.assert_allclose(derivative(AlphaOver(), 0, [front, behind]), by_front, atol=1e-12)
    np.testing.assert_allclose(derivative(AlphaOver(), 1, [front, behind]), by_back, atol=1e-12)
    assert np.linalg.matrix_rank(by_front).max() == 3


def test_a_clamp_counts_its_ends_as_inside():
    front = np.array([[[0.3, 0.5, 0.7, alpha] for alpha in (-0.1, 0.0, 0.5, 1.0, 1.1)]])
    by_alpha = derivative(AlphaOver(), 0, [front, np.zeros_like(front)])[0, :, :, 3]
    assert np.array_equal(by_alpha, np.outer([0, 1, 1, 1, 0], [0.3, 0.5, 0.7]))


def test_single_precision_is_differentiated_in_double():
    parts = [part.astype(np.float32) for part in parts_of(SoftOcclusion())]
    wide = [part.astype(np.float64) for part in parts]
    assert np.array_equal(derivative(SoftOcclusion(), 0, parts), derivative(SoftOcclusion(), 0, wide))


@pytest.mark.parametrize("slot", [-1, 2])
def test_a_slot_that_is_not_there_is_refused(slot):
    with pytest.raises(InputError, match=f"slot = {slot} must be one of 0 to 1: there are 2 components"):
        derivative(SoftOcclusion(), slot, parts_of(SoftOcclusion()))


def test_a_learned_composition_has_no_formula():
    composition = compositions["learned"]()
    with pytest.raises(InputError, match="'learned' has no formula"):
        derivative(composition, 0, parts_of(composition))


@pytest.mark.parametrize("kind", KNOWN)
@pytest.mark.parametrize("pixels", [1, 6, 9])
def test_a_composition_as_any_function_is_found_to_be_blocks(kind, pixels):
    composition = compositions[kind](**KNOWN[kind])
    parts = parts_of(composition, slots=3, pixels=pixels)
    for slot in range(3):
        structure, found = general_derivative(composition.join, slot, parts)
        assert structure == "blocks"
        assert np.array_equal(found(parts), derivative(composition, slot, parts))


def test_a_learned_composition_of_a_network_is_blocks_and_is_differentiated():
    interface = Interface(inputs=4, levels=(2,), image=(2, 9), slots=2, channels=3)
    spec = models.compositional(family="mlp", width=3, composition="learned")
    network = spec.build(interface, torch.Generator().manual_seed(0)).double()

    def compose(parts):
        return network.compose([part[:, None] for part in parts])[:, 0]

    parts = parts_of(SoftOcclusion())
    structure, found = general_derivative(compose, 1, parts)
    assert structure == "blocks"

    def join(parts):
        return compose([torch.as_tensor(part) for part in parts]).detach().numpy()

    np.testing.assert_allclose(found(parts), by_differences(join, 1, parts), atol=1e-8)


def test_a_blur_is_dense_and_has_its_matrix():
    """Σ over pixels of blur · component, with two numbers out for three in."""
    draw = stream(0, "test", "blur")
    blur, mixed = draw.normal(size=(PIXELS, PIXELS)), draw.normal(size=(2, 3))
    front, behind = parts_of(SoftOcclusion())

    def blurred(parts):
        return torch.einsum("pq,bqj,ij->bpi", torch.tensor(blur), parts[0], torch.tensor(mixed)) + parts[1][..., :2]

    structure, found = general_derivative(blurred, 0, [front, behind])
    assert structure == "dense"
    expected = np.einsum("pq,ij->piqj", blur, mixed).reshape(2 * PIXELS, 3 * PIXELS)
    np.testing.assert_allclose(found([front, behind]), np.broadcast_to(expected, (POINTS, 1, *expected.shape)))
    # The other component is pixel by pixel, in the same function.
    structure, found = general_derivative(blurred, 1, [front, behind])
    assert structure == "blocks"
    assert np.array_equal(found([front, behind]), np.broadcast_to(np.eye(2, 3), (POINTS, PIXELS, 2, 3)))


def test_dense_takes_flat_pictures_too_and_other_points_than_those_probed():
    def blurred(parts):
        return F.avg_pool1d((parts[0] * parts[1]).movedim(-1, 1), 3, stride=1, padding=1).movedim(1, -1)

    _, found = general_derivative(blurred, 0, parts_of(SoftOcclusion()))
    others = parts_of(SoftOcclusion(), seed=1, points=2)
    flat = [part.reshape(2, 1, -1) for part in others]
    assert found(others).shape == (2, 1, 3 * PIXELS, 3 * PIXELS)
    assert np.array_equal(found(flat), found(others))


@given(pair=st.lists(st.integers(0, 10), min_size=2, max_size=2, unique=True))
@settings(max_examples=12, deadline=None)
def test_one_pixel_that_sees_one_other_is_enough_to_be_dense(pair):
    seen, seeing = pair
    link = torch.zeros(11, 11, dtype=torch.float64)
    link[seeing, seen] = 1

    def linked(parts):
        return parts[0] + parts[1] + torch.einsum("pq,bqc->bpc", link, parts[0])

    parts = parts_of(SoftOcclusion(), pixels=11)
    assert general_derivative(linked, 0, parts)[0] == "dense"
    assert general_derivative(linked, 1, parts)[0] == "blocks"


def test_an_answer_of_another_shape_is_dense():
    structure, found = general_derivative(
        lambda parts: (parts[0] * parts[1]).sum(1), 0, parts := parts_of(SoftOcclusion())
    )
    assert structure == "dense"
    expected = np.einsum("bpj,ij->bipj", parts[1], np.eye(3)).reshape(POINTS, 1, 3, -1)
    np.testing.assert_allclose(found(parts), expected)


@pytest.mark.parametrize(
    ("function", "why"),
    [
        (lambda parts: parts[0] + parts[1].detach(), "no graph"),
        (lambda parts: (parts[1] > 0).double(), "no graph"),
        (lambda parts: parts[0] * 2, "no graph"),
        (lambda parts: parts[0].numpy() + parts[1].numpy(), r"numpy\(\)"),
        (lambda parts: torch.as_tensor(np.sin(parts[1])), r"numpy\(\)"),
    ],
)
def test_what_torch_cannot_follow_is_refused_with_the_slot(function, why):
    with pytest.raises(InputError, match=f"differentiate the composition by the component of slot 1 .*{why}"):
        general_derivative(function, 1, parts_of(SoftOcclusion()))


def test_points_that_depend_on_one_another_are_refused():
    with pytest.raises(InputError, match=r"points depend on one another in its derivative by slot 0; .* first axis"):
        general_derivative(lambda parts: parts[0] - parts[0].mean(0) + parts[1], 0, parts_of(SoftOcclusion()))


def test_an_answer_without_points_is_refused():
    with pytest.raises(InputError, match=r"array of shape \(6, 3\) for 5 points"):
        general_derivative(lambda parts: (parts[0] + parts[1]).sum(0), 0, parts_of(SoftOcclusion()))
