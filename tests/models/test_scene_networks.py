import numpy as np
import pytest
import safetensors.torch
import torch
from torch.func import functional_call, stack_module_state, vmap
from torch.nn import functional as F

from recombine.core.compositions import compositions
from recombine.core.errors import InputError
from recombine.models import Interface, models
from recombine.models.activations import activations, channels
from recombine.models.component_decoders import UnitDecoder, UpsamplingDecoder

torch.set_num_threads(1)

NAMES = ("monolithic", "compositional")
SMALL = {"width": 7, "maps": 5, "depth": 2}


def scenes(side=8, slots=2, inputs=3, columns=None):
    image = (side, 3 * (columns or side))
    return Interface(inputs=inputs * slots, levels=(2,), image=image, slots=slots, channels=3)


def build(spec, interface, seed=0):
    return spec.build(interface, torch.Generator().manual_seed(seed))


def codes_for(interface, batch=4):
    return torch.randn(batch, interface.inputs, generator=torch.Generator().manual_seed(1))


def size(module):
    return sum(parameter.numel() for parameter in module.parameters())


def test_the_sizes_of_the_paper():
    """Wiedemer et al. (2023): two sprites of five numbers each, pictures of 64 x 64."""
    paper = {"kernel": 2, "corners": True}
    compositional = build(models.compositional(width=256, maps=32, **paper), scenes(64, inputs=5))
    monolithic = build(models.monolithic(width=320, maps=64, **paper), scenes(64, inputs=5))
    assert [size(decoder) for decoder in compositional.decoders] == [277_475, 277_475]
    assert size(compositional) == 554_950
    assert size(monolithic) == 587_779


@pytest.mark.parametrize("inputs", [5, 35])
def test_both_models_are_about_as_large_by_default(inputs):
    sizes = [size(build(models[name](), scenes(16, inputs=inputs))) for name in NAMES]
    assert max(sizes) < 1.1 * min(sizes)


def by_formula(decoder, codes):
    """The upsampling decoder as the paper lists its layers, with torch's own padding."""
    hidden = codes
    for linear in decoder.hidden:
        hidden = F.elu(linear(hidden))
    pictures = decoder.first(hidden).unflatten(1, (4, 4, -1)).movedim(-1, 1)
    for convolution in decoder.convolutions:
        pictures = F.elu(pictures)
        doubled = torch.nn.Upsample(scale_factor=2, mode="bilinear", align_corners=decoder.corners)(pictures)
        pictures = F.conv2d(doubled, convolution.weight, convolution.bias, padding="same")
    return pictures


@pytest.mark.filterwarnings("ignore:Using padding='same' with even kernel:UserWarning")
@pytest.mark.parametrize("corners", [True, False])
@pytest.mark.parametrize("kernel", [2, 3])
@pytest.mark.parametrize("side", [8, 16, 32])
def test_upsampling_is_what_the_paper_lists(side, kernel, corners):
    decoder = UpsamplingDecoder(3, 7, 2, 5, kernel, corners, side, 4)
    codes = torch.randn(6, 3)
    pictures = decoder(codes)
    assert pictures.shape == (6, 4, side, side)
    torch.testing.assert_close(pictures, by_formula(decoder, codes))


def test_corner_pixels_are_kept_with_corners_alone():
    pictures = torch.randn(2, 5, 4, 4)
    with_corners, without = (UpsamplingDecoder(3, 7, 1, 5, 3, corners, 8, 3) for corners in (True, False))
    ends = (slice(None), slice(None), slice(None, None, 7), slice(None, None, 7))
    torch.testing.assert_close(with_corners.doubled(pictures)[ends], pictures[..., ::3, ::3])
    # Without, the second pixel is three quarters the first of the old ones and one quarter the second.
    first, second = pictures[..., 0, 0], pictures[..., 0, 1]
    torch.testing.assert_close(without.doubled(pictures)[..., 0, 1], 0.75 * first + 0.25 * second)


def test_a_kernel_of_two_sees_a_pixel_and_those_after_it():
    decoder = UpsamplingDecoder(3, 7, 1, 1, 2, True, 8, 1)
    picture = torch.zeros(1, 1, 8, 8)
    picture[..., 3, 5] = 1
    convolution = decoder.convolutions[0]
    moved = convolution(decoder.framed(picture)) - convolution.bias
    places = {tuple(place) for place in moved[0, 0].abs().gt(0).nonzero().tolist()}
    assert places == {(2, 4), (2, 5), (3, 4), (3, 5)}


def test_units_draw_pixel_by_pixel_row_by_row():
    decoder = UnitDecoder(3, 7, 2, (2, 5), 4)
    codes = torch.randn(6, 3)
    hidden = F.elu(decoder.hidden[1](F.elu(decoder.hidden[0](codes))))
    flat = hidden @ decoder.output.weight.T + decoder.output.bias
    torch.testing.assert_close(decoder(codes).permute(0, 2, 3, 1).flatten(1), flat)


@pytest.mark.parametrize("family", ["upsampling", "mlp"])
@pytest.mark.parametrize("name", NAMES)
def test_the_output_has_the_channels_of_a_pixel_side_by_side(name, family):
    interface = scenes(8, slots=3)
    network, codes = build(models[name](family=family, **SMALL), interface), codes_for(interface)
    if name == "monolithic":
        pictures = network.decoder(codes)
    else:
        pictures = network.compose(network.components(codes)).permute(0, 3, 1, 2)
    images = network(codes)
    assert images.shape == (4, *interface.image)
    for channel in range(3):
        assert torch.equal(images[..., channel::3], pictures[:, channel])


@pytest.mark.parametrize("kind", [kind for kind in compositions if kind != "learned"])
@pytest.mark.parametrize("slots", [2, 3])
def test_components_depend_on_their_own_code_and_are_joined_front_first(kind, slots):
    interface = scenes(6, slots, columns=5)
    spec = models.compositional(family="mlp", composition=kind, **SMALL)
    network, codes = build(spec, interface), codes_for(interface)
    parts = network.components(codes).detach()
    assert parts.shape == (slots, 4, 6, 5, compositions[kind].channels)
    joined = compositions[kind]().join(list(parts.numpy()))
    np.testing.assert_allclose(network(codes).detach().unflatten(2, (5, 3)), joined, rtol=1e-5, atol=1e-6)
    changed = codes.clone()
    changed[:, 3:6] += 1  # of slot 1 alone
    same = [torch.equal(one, other) for one, other in zip(parts, network.components(changed), strict=True)]
    assert same == [slot != 1 for slot in range(slots)]


def test_a_shared_decoder_draws_equal_codes_alike_and_is_kept_once():
    interface, settings = scenes(8, inputs=4), SMALL
    shared, apart = (build(models.compositional(shared=shared, **settings), interface) for shared in (True, False))
    assert 2 * size(shared) == size(apart)
    codes = torch.randn(5, 4).repeat(1, 2)
    front, behind = shared.components(codes)
    assert torch.equal(front, behind)
    front, behind = apart.components(codes)
    assert not torch.allclose(front, behind, atol=1e-3)
    safetensors.torch.save(shared.state_dict())  # refuses tensors that are listed twice


def test_a_learned_composition_is_one_small_network_for_all_pixels():
    interface = scenes(6, slots=3, columns=5)
    spec = models.compositional(family="mlp", composition={"kind": "learned", "hidden": 11}, **SMALL)
    network, codes = build(spec, interface), codes_for(interface)
    parts = network.components(codes)
    mixer = network.mixer
    assert size(mixer) == (9 + 1) * 11 + (11 + 1) * 3
    pixel = torch.cat([part[2, 4, 3] for part in parts])
    colour = mixer.output.weight @ F.elu(mixer.hidden.weight @ pixel + mixer.hidden.bias) + mixer.output.bias
    torch.testing.assert_close(network(codes)[2, 4, 9:12], colour)
    torch.testing.assert_close(network.compose(parts).flatten(2), network(codes))
    network(codes).square().sum().backward()
    assert all(parameter.grad.any() for parameter in network.parameters())


def test_hidden_stages_are_told_slot_by_slot_with_the_component_at_the_end():
    interface = scenes(16)
    network = build(models.compositional(composition="over", **SMALL), interface)
    slot = ("layer0", "layer1", "maps0", "maps1")
    names = (*(f"slot0_{name}" for name in slot), "component0", *(f"slot1_{name}" for name in slot), "component1")
    assert network.layer_names == names
    assert network.unit_layers == tuple(name for name in names if not name.startswith("component"))
    codes = codes_for(interface)
    told = activations(network, codes)
    assert tuple(told) == ("input", *names, "output")
    pictures = channels(network, codes[:1])
    assert pictures == {
        "slot0_maps0": (5, 4, 4),
        "slot0_maps1": (5, 8, 8),
        "component0": (4, 16, 16),
        "slot1_maps0": (5, 4, 4),
        "slot1_maps1": (5, 8, 8),
        "component1": (4, 16, 16),
    }
    parts = torch.stack([told[f"component{slot}"].unflatten(1, (4, 16, 16)) for slot in range(2)])
    torch.testing.assert_close(parts.permute(0, 1, 3, 4, 2), network.components(codes).detach())


def test_a_learned_composition_tells_its_units_last():
    network = build(models.compositional(family="mlp", composition="learned", **SMALL), scenes(6, columns=5))
    assert network.layer_names[-2:] == ("component1", "composition")
    assert "composition" in network.unit_layers
    assert channels(network, torch.randn(1, 6))["composition"] == (32, 6, 5)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("settings", [{}, {"family": "mlp"}], ids=["upsampling", "mlp"])
def test_the_next_stage_is_computed_from_what_went_through(name, settings):
    """Silencing any one hidden stage changes the answer, and every stage is asked about by its own name."""
    interface = scenes(8)
    composition = {"composition": "learned"} if name == "compositional" else {}
    network, codes = build(models[name](**settings, **composition, **SMALL), interface), codes_for(interface)
    plain = network(codes)
    for silenced in network.layer_names:
        asked = []

        def through(stage_name, stage, silenced=silenced, asked=asked):
            asked.append(stage_name)
            return torch.zeros_like(stage) if stage_name == silenced else stage

        told = dict(network.stages(codes, through))
        assert tuple(asked) == network.layer_names
        assert not told[silenced].any()
        assert not torch.allclose(told["output"], plain, atol=1e-5)


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("composition", ["soft", "hard", "over", "learned"])
def test_a_stack_of_units_equals_each_alone(composition, shared):
    interface = scenes(6, columns=5)
    spec = models.compositional(family="mlp", shared=shared, composition=composition, **SMALL)
    networks, codes = [build(spec, interface, seed) for seed in range(3)], torch.randn(3, 4, 6)
    weights, buffers = stack_module_state(networks)

    def one(weights, codes):
        return functional_call(networks[0], (weights, buffers), (codes,))

    alone = torch.stack([network(code) for network, code in zip(networks, codes, strict=True)])
    torch.testing.assert_close(vmap(one)(weights, codes), alone)


@pytest.mark.parametrize("name", NAMES)
def test_a_few_steps_teach_it(name):
    interface = scenes(8)
    network, codes = build(models[name](**SMALL), interface), codes_for(interface, 32)
    teacher = build(models[name](**SMALL), interface, seed=5)(codes).detach()
    descent = torch.optim.AdamW(network.parameters(), lr=1e-2)
    errors = []
    for _ in range(60):
        error = F.mse_loss(network(codes), teacher)
        descent.zero_grad()
        error.backward()
        descent.step()
        errors.append(error.item())
    assert errors[-1] < 0.3 * errors[0]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("image", [(8, 16), (12, 12), (4, 4), (15, 15), (6, 5)])
def test_sizes_that_no_doubling_reaches_are_refused_by_upsampling_alone(name, image):
    interface = Interface(inputs=6, levels=(2,), image=(image[0], 3 * image[1]), slots=2, channels=3)
    says = f"{name} doubles a picture of 4 x 4 .* 8, 16, 32 or so on, got {image[0]} x {image[1]} pixels; .* mlp"
    with pytest.raises(InputError, match=says):
        models[name]().check(interface)
    assert build(models[name](family="mlp", width=3), interface)(torch.randn(2, 6)).shape == (2, *interface.image)


def test_compositional_needs_components_in_colour():
    with pytest.raises(InputError, match=r"the code of 6 numbers is of one component alone; .* e.g. sprites"):
        models.compositional().check(Interface(inputs=6, levels=(2,), image=(8, 24), channels=3))
    with pytest.raises(InputError, match=r"pictures of 3 channels, got a task of 1; .* or the model monolithic"):
        models.compositional().check(Interface(inputs=6, levels=(2,), image=(8, 8), slots=2))
    grey = Interface(inputs=6, levels=(2,), image=(8, 8))
    assert build(models.monolithic(**SMALL), grey)(torch.randn(2, 6)).shape == (2, 8, 8)
