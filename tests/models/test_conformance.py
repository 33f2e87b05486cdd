"""What every trainable model in the catalogue must do. Registering a model is all it takes to be tested here."""

import copy

import pytest
import safetensors.torch
import torch
from torch.func import functional_call, stack_module_state, vmap

from recombine.core.errors import InputError
from recombine.models import Interface, models
from recombine.models.activations import activations
from recombine.models.network import Network

torch.set_num_threads(1)

INTERFACES = [
    Interface(inputs=16, levels=(8, 8), image=(8, 8)),
    Interface(inputs=8, levels=(3, 5), image=(8, 12)),
    Interface(inputs=2, levels=(9, 7), image=(12, 4)),
    Interface(inputs=2 * 24 * 32, levels=(3, 4), image=(1, 1), picture=(2, 24, 32)),
    Interface(inputs=11 * 13, levels=(11, 13), image=(2, 13), picture=(1, 11, 13)),
    Interface(inputs=6, levels=(2, 3), image=(8, 24), slots=2, channels=3, place=(0, 1)),
]
# Every model as it is by default, and in the variants that are networks of their own.
TRAINABLE = {name: spec() for name, spec in models.items() if spec.trainable} | {
    "diffusion-unet": models.diffusion_unet(width=8),  # the same network, narrow: it draws in ten passes
    "forced-rendering-stripe": models.forced_rendering(share="stripe"),
    "monolithic-mlp": models.monolithic(family="mlp"),
    "compositional-mlp": models.compositional(family="mlp"),
    "compositional-learned": models.compositional(composition="learned"),
    "compositional-shared": models.compositional(shared=True, composition="over", kernel=2),
    "compositional-relative": models.compositional(family="relative"),
}


def fits(name, interface):
    try:
        TRAINABLE[name].check(interface)
    except InputError:
        return False
    return True


CASES = [
    pytest.param(name, interface, id=f"{name}-{interface.image[0]}x{interface.image[1]}")
    for name in TRAINABLE
    for interface in INTERFACES
    if fits(name, interface)
]
each_model = pytest.mark.parametrize(("name", "interface"), CASES)
# What draws from noise has no gradient from its pictures to its weights, and noise goes by the place in a batch.
each_decoder = pytest.mark.parametrize(
    ("name", "interface"), [case for case in CASES if not TRAINABLE[case.values[0]].generative]
)


def build(name, interface, seed=0):
    """In eval mode: in training, dropout and the statistics of a batch make an answer depend on more than its code."""
    return TRAINABLE[name].build(interface, torch.Generator().manual_seed(seed)).eval()


def codes_for(interface, batch=5, seed=1):
    return torch.rand(batch, interface.inputs, generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize("name", TRAINABLE)
def test_every_model_fits_somewhere(name):
    assert any(fits(name, interface) for interface in INTERFACES)


@each_model
def test_draws_finite_images_of_the_right_shape(name, interface):
    images = build(name, interface)(codes_for(interface))
    assert images.shape == (5, *interface.image)
    assert images.isfinite().all()
    assert images.std(0).max() > 1e-4, "the picture does not depend on the code"


@each_model
def test_weights_are_a_function_of_the_seed(name, interface):
    torch.manual_seed(7)
    before = torch.get_rng_state()
    first, again, other = (build(name, interface, seed).state_dict() for seed in (3, 3, 4))
    assert torch.equal(torch.get_rng_state(), before)
    assert all(torch.equal(first[key], again[key]) for key in first)
    assert any(not torch.equal(first[key], other[key]) for key in first)


@each_decoder
def test_the_gradient_reaches_every_parameter(name, interface):
    # Codes far apart, of both signs: near one another they may all fall on one side of a bend, and not teach its slope.
    network, codes = build(name, interface), 10 * codes_for(interface) - 5
    images = network(codes)
    (images * torch.randn(images.shape, generator=torch.Generator().manual_seed(2))).sum().backward()
    still = [key for key, weight in network.named_parameters() if weight.grad is None or not weight.grad.any()]
    assert still == []


@each_model
def test_stages_are_told_in_order_and_the_output_is_the_last(name, interface):
    network, codes = build(name, interface), codes_for(interface)
    assert isinstance(network, Network)
    told = activations(network, codes)
    assert tuple(told) == ("input", *network.layer_names, "output")
    assert len(network.layer_names) > 0
    assert torch.equal(told["input"], codes)
    assert torch.equal(told["output"].view(5, *interface.image), network(codes))
    assert all(stage.shape[0] == 5 and not stage.requires_grad for stage in told.values())


@each_model
def test_a_stage_is_not_overwritten_by_the_next(name, interface):
    network, codes = build(name, interface), codes_for(interface)
    seen = [(stage, stage.detach().clone()) for _, stage in network.stages(codes)]
    assert all(torch.equal(stage, copied) for stage, copied in seen)


@each_decoder
def test_examples_do_not_see_one_another(name, interface):
    network, codes = build(name, interface), codes_for(interface)
    alone = torch.cat([network(codes[[row]]) for row in range(len(codes))])
    torch.testing.assert_close(network(codes), alone, rtol=1e-4, atol=1e-6)
    assert network(codes[:0]).shape == (0, *interface.image)


@each_model
def test_weights_survive_safetensors(name, interface):
    network, other, codes = build(name, interface, 0), build(name, interface, 1), codes_for(interface)
    assert not torch.equal(network(codes), other(codes))
    other.load_state_dict(safetensors.torch.load(safetensors.torch.save(network.state_dict())))
    assert torch.equal(network(codes), other(codes))


@each_model
def test_double_precision_gives_the_same_picture(name, interface):
    network, codes = build(name, interface), codes_for(interface)
    double = copy.deepcopy(network).double()(codes.double())
    assert double.dtype == torch.float64
    torch.testing.assert_close(network(codes).double(), double, rtol=1e-4, atol=1e-5)


@each_decoder
def test_a_stack_of_seeds_equals_each_alone(name, interface):
    networks, codes = [build(name, interface, seed) for seed in range(3)], codes_for(interface)
    weights, buffers = stack_module_state(networks)

    def together(weights, buffers):
        return functional_call(networks[0], (weights, buffers), (codes,))

    stacked = vmap(together)(weights, buffers)
    alone = torch.stack([network(codes) for network in networks])
    torch.testing.assert_close(stacked, alone, rtol=1e-4, atol=1e-5)
