import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from recombine.core.errors import InputError
from recombine.core.spec import dump
from recombine.models import Interface, models
from recombine.models.activations import activations
from recombine.models.mlp_network import MlpNetwork

torch.set_num_threads(1)
READERS = ("convnet", "resnet", "vit")


@pytest.fixture(autouse=True)
def seeded():
    torch.manual_seed(0)


def picture(channels, rows, columns, image=(1, 1)):
    return Interface(channels * rows * columns, (9, 9), image, (channels, rows, columns))


def build(spec, interface, seed=0):
    return spec.build(interface, torch.Generator().manual_seed(seed))


def count(network):
    return sum(weight.numel() for weight in network.parameters())


# The interface


def test_a_picture_is_part_of_the_interface():
    assert picture(2, 3, 4) != Interface(24, (9, 9), (1, 1))
    assert Interface(24, (9, 9), (1, 1)).picture is None


@pytest.mark.parametrize(
    ("inputs", "shape", "says"),
    [
        (24, (2, 3, 0), r"picture = \(2, 3, 0\) must be \(channels, rows, columns\), all at least 1"),
        (25, (2, 3, 4), r"inputs = 25 must be the 24 numbers of picture = \(2, 3, 4\)"),
    ],
)
def test_a_picture_that_does_not_hold_the_inputs_is_refused(inputs, shape, says):
    with pytest.raises(InputError, match=says):
        Interface(inputs, (9, 9), (1, 1), shape)


# The fully connected reader


@pytest.mark.parametrize("depth", [0, 1, 3])
@pytest.mark.parametrize("scale", [1e-6, 0.1, 4.0])
def test_weights_at_a_scale_are_that_scale_times_those_at_one(depth, scale):
    interface = Interface(18, (9, 9), (1, 1))
    one, scaled = (build(models.mlp(width=30, depth=depth, scale=s), interface) for s in (1.0, scale))
    for name, weight in scaled.named_parameters():
        torch.testing.assert_close(weight, scale * one.get_parameter(name), rtol=1e-5, atol=1e-7 * scale)


def test_weights_are_gaussian_and_biases_uniform_in_every_layer():
    network = build(models.mlp(width=2000, depth=2, scale=0.5), Interface(40, (9, 9), (1, 1)))
    for layer in (*network.hidden, network.output):
        weight, bias, fan_in = layer.weight.detach(), layer.bias.detach(), layer.in_features
        # The mean square of n Gaussians has relative standard deviation √(2/n); their fourth moment is 3, ± √(96/n).
        n, squares = weight.numel(), weight.square() * fan_in / (2 * 0.5**2)
        assert squares.mean().item() == pytest.approx(1, abs=5 * math.sqrt(2 / n))
        assert squares.square().mean().item() == pytest.approx(3, abs=5 * math.sqrt(96 / n))
        assert bias.abs().max() <= 0.5 / math.sqrt(fan_in)
    # Σ of the squares of 2000 uniform numbers on ±1: mean 1/3, variance 4/45 each.
    spread = (network.hidden[1].bias.detach() * math.sqrt(2000) / 0.5).square().mean().item()
    assert spread == pytest.approx(1 / 3, abs=5 * math.sqrt(4 / 45 / 2000))


def test_is_the_very_network_that_stacks_know_by_heart():
    network = build(models.mlp(), Interface(18, (9, 9), (1, 1)))
    assert type(network) is MlpNetwork
    assert count(network) == 19 * 1000 + 1001


def test_the_scale_is_no_part_of_the_shape_and_all_else_is():
    shape = models.mlp(width=50, scale=0.1).shape()
    assert shape == models.mlp(width=50).shape() == {"kind": "mlp", "width": 50}
    assert models.mlp(width=50, depth=2).shape() != shape
    for spec in (models.mlp_decoder(width=50), models.vit(patch=4), models.forced_rendering()):
        assert spec.shape() == dump(spec)


# The readers of pictures


@pytest.mark.parametrize("name", READERS)
def test_a_plain_code_is_refused(name):
    with pytest.raises(InputError, match=rf"{name} reads pictures, .* plain code of 18 numbers; .* the model mlp"):
        build(models[name](), Interface(18, (9, 9), (1, 1)))


@pytest.mark.parametrize(
    ("kernel", "side", "says"),
    [
        (5, 17, r"18 x 18 or larger, got 17 x 40; use larger pictures, or set kernel to 4 or less"),
        (5, 14, r"kernel = 5 .* got 14 x 40; use larger pictures, or set kernel to 4 or less"),
        (3, 9, r"10 x 10 or larger, got 9 x 40; use larger pictures, or set kernel to 2 or less"),
        (1, 1, r"2 x 2 or larger, got 1 x 40; use larger pictures\.$"),
    ],
)
def test_convnet_says_which_pictures_are_too_small(kernel, side, says):
    with pytest.raises(InputError, match=says):
        build(models.convnet(kernel=kernel), picture(2, side, 40))


@settings(max_examples=25, deadline=None)
@given(sides=st.tuples(st.integers(2, 30), st.integers(2, 30)))
def test_the_kernel_that_convnet_proposes_is_the_largest_that_works(sides):
    interface = picture(1, *sides)
    fitting = [kernel for kernel in range(1, 10) if min(sides) - 4 * (kernel - 1) >= 2]
    answers = build(models.convnet(width=0.02, kernel=fitting[-1]), interface).eval()(torch.rand(2, interface.inputs))
    assert answers.shape == (2, 1, 1)
    with pytest.raises(InputError, match=f"set kernel to {fitting[-1]} or less"):
        models.convnet(kernel=fitting[-1] + 1).check(interface)


@pytest.mark.parametrize(("sides", "near"), [((28, 38), 2), ((32, 36), 4), ((32, 37), 1), ((20, 20), 5), ((12, 12), 6)])
def test_vit_says_which_patch_fits(sides, near):
    interface = picture(2, *sides)
    with pytest.raises(InputError, match=rf"patch = 8, got {sides[0]} x {sides[1]}; set patch to {near}, or"):
        models.vit().check(interface)
    models.vit(patch=near).check(interface)


@pytest.mark.parametrize("distance", [0, 5, 10, 15, 20])
def test_convnet_reads_two_digits_at_every_published_distance(distance):
    interface = picture(2, 28, 28 + distance)
    network = build(models.convnet(), interface).eval()
    assert network.dense[0].in_features == 64 * 6 * (6 + distance // 2)
    assert network(torch.rand(1, interface.inputs)).shape == (1, 1, 1)


def test_widths_scale_the_published_sizes():
    convnet = build(models.convnet(width=0.25, kernel=3), picture(2, 14, 19))
    assert [layer.out_channels for layer in convnet.convolutions] == [8, 8, 16, 16]
    assert [layer.out_features for layer in convnet.dense] == [128, 256]
    resnet = build(models.resnet(width=0.25), picture(3, 16, 16))
    assert [block.second.out_channels for block in resnet.blocks] == [4, 4, 8, 8, 16, 16, 32, 32]
    vit = build(models.vit(width=0.25), picture(3, 16, 16))
    block = vit.blocks[0]
    assert (vit.embed.out_features, block.widen.out_features, block.heads) == (64, 64, 6)
    assert block.project.in_features == 6 * 16


def test_published_sizes():
    convnet = build(models.convnet(), picture(2, 28, 28))
    assert [layer.out_channels for layer in convnet.convolutions] == [32, 32, 64, 64]
    assert [layer.kernel_size for layer in convnet.convolutions] == [(5, 5)] * 4
    assert [layer.out_features for layer in (*convnet.dense, convnet.output)] == [512, 1024, 1]
    resnet = build(models.resnet(), picture(6, 32, 32))
    assert [block.second.out_channels for block in resnet.blocks] == [16, 16, 32, 32, 64, 64, 128, 128]
    vit = build(models.vit(), picture(6, 32, 32))
    assert vit.positions.shape == (17, 256)
    assert [block.project.in_features for block in vit.blocks] == [6 * 64] * 4
    assert all(block.widen.out_features == 256 and block.dropout.p == 0.1 for block in vit.blocks)
    assert vit.dropout.p == 0.1


@pytest.mark.parametrize("name", READERS)
def test_the_narrowest_network_still_has_a_unit_everywhere(name):
    interface = picture(2, 24, 32, image=(2, 3))
    network = build(models[name](width=1e-6), interface).eval()
    assert network(torch.rand(3, interface.inputs)).shape == (3, 2, 3)


@pytest.mark.parametrize("name", READERS)
def test_readers_of_pictures_train_alone(name):
    assert not models[name].stackable
    assert models.mlp.stackable


@pytest.mark.parametrize("width", [0, -1])
@pytest.mark.parametrize("name", READERS)
def test_a_width_that_makes_no_network_is_refused(name, width):
    with pytest.raises(InputError, match=f"{name}: width = {width}: .* greater than 0"):
        models.parse({"kind": name, "width": width})


# Looking inside


@pytest.mark.parametrize("name", READERS)
def test_looking_inside_is_in_eval_mode_and_leaves_no_trace(name):
    interface = picture(2, 24, 32)
    network = build(models[name](width=0.1), interface).train()
    frozen = next(module for module in network.modules() if isinstance(module, nn.BatchNorm2d | nn.LayerNorm))
    frozen.eval()
    before = {key: value.clone() for key, value in network.state_dict().items()}
    codes = torch.rand(7, interface.inputs)
    state = torch.get_rng_state()
    told = activations(network, codes, chunk=3)
    assert torch.equal(torch.get_rng_state(), state)
    assert [module for module in network.modules() if not module.training] == [frozen]
    assert all(torch.equal(value, before[key]) for key, value in network.state_dict().items())
    torch.testing.assert_close(told["output"], network.eval()(codes).flatten(1))


def test_the_mode_is_restored_after_an_error():
    network = build(models.resnet(width=0.1), picture(2, 8, 8))
    with pytest.raises(RuntimeError):
        activations(network, torch.rand(3, 5))
    assert all(module.training for module in network.modules())
