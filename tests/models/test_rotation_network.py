import math

import pytest
import torch
from torch import nn

from recombine.models.activations import activations
from recombine.models.rotation_network import RotationNetwork

torch.set_num_threads(1)


@pytest.fixture
def network():
    torch.manual_seed(0)
    return RotationNetwork(inputs=2, width=6, image=(8, 12))


@pytest.mark.parametrize("mode", [True, False], ids=["training", "eval"])
def test_is_the_plain_sequence(network, mode):
    codes = torch.randn(5, 2)
    blocks = [part for pair in zip(network.doubling, network.norms, strict=True) for part in (*pair, nn.ReLU())]
    sequence = nn.Sequential(network.first, nn.Unflatten(1, (6, 2, 3)), *blocks, network.output, nn.Sigmoid())
    plain = sequence.train(mode)(codes)
    torch.testing.assert_close(network.train(mode)(codes), plain[:, 0])


def test_sizes_are_those_of_the_paper():
    network = RotationNetwork(inputs=2, width=128, image=(28, 28))
    stages = dict(network.stages(torch.randn(3, 2)))
    sizes = [(128, 7, 7), (128, 14, 14), (64, 28, 28)]
    assert [tuple(stages[name].shape) for name in network.layer_names] == [(3, *size) for size in sizes]
    assert stages["layer0"].min() < 0
    assert stages["layer1"].min() == stages["layer2"].min() == 0
    weights = 3 * 128 * 49 + (128 * 16 + 1) * 128 + (128 * 16 + 1) * 64 + 2 * (128 + 64) + 9 * 64 + 1
    assert sum(weight.numel() for weight in network.parameters()) == weights


def test_the_picture_lies_between_black_and_white(network):
    images = network(100 * torch.randn(50, 2))
    assert images.min() >= 0
    assert images.max() <= 1
    assert images.max() - images.min() > 0.5


def test_weights_start_at_a_variance_of_two_over_the_fan_out():
    network = RotationNetwork(inputs=7, width=64, image=(32, 16))
    fans = {network.first: 64 * 8 * 4, network.doubling[0]: 64 * 16, network.doubling[1]: 64 * 16, network.output: 9}
    for layer, fan_out in fans.items():
        # The mean square of n Gaussians has relative standard deviation √(2/n).
        squares = layer.weight.detach().square().mean().item() * fan_out / 2
        assert squares == pytest.approx(1, abs=5 * math.sqrt(2 / layer.weight.numel()))
        assert not layer.bias.any()


def test_looking_inside_moves_no_statistics(network):
    network.train()
    codes = torch.randn(9, 2)
    before = {key: value.clone() for key, value in network.state_dict().items()}
    told = activations(network, codes, chunk=4)
    assert all(torch.equal(value, before[key]) for key, value in network.state_dict().items())
    assert all(module.training for module in network.modules())
    torch.testing.assert_close(told["output"], network.eval()(codes).flatten(1))
