import pytest
import torch
from torch import nn

from recombine.models.mlp_network import MlpNetwork


def test_is_the_plain_sequence_of_linear_and_relu():
    network = MlpNetwork(inputs=5, width=7, depth=2, image=(2, 3))
    first, second = network.hidden
    plain = nn.Sequential(first, nn.ReLU(), second, nn.ReLU(), network.output)
    codes = torch.randn(4, 5)
    assert torch.equal(network(codes), plain(codes).view(4, 2, 3))


def test_layers_are_taken_after_the_relu():
    network, codes = MlpNetwork(inputs=5, width=7, depth=3, image=(2, 3)), torch.randn(4, 5)
    stages = dict(network.stages(codes))
    assert network.layer_names == ("layer0", "layer1", "layer2")
    assert torch.equal(stages["layer0"], (codes @ network.hidden[0].weight.T + network.hidden[0].bias).relu())
    assert all(stages[name].min() == 0 for name in network.layer_names)


@pytest.mark.parametrize(("inputs", "width", "depth", "image"), [(56, 256, 4, (28, 28)), (2, 3, 1, (4, 6))])
def test_number_of_parameters(inputs, width, depth, image):
    network, pixels = MlpNetwork(inputs, width, depth, image), image[0] * image[1]
    expected = (inputs + 1) * width + (depth - 1) * (width + 1) * width + (width + 1) * pixels
    assert sum(weight.numel() for weight in network.parameters()) == expected


def test_without_hidden_layers_it_is_affine():
    network = MlpNetwork(inputs=3, width=9, depth=0, image=(2, 5))
    one, other = torch.randn(2, 1, 3)
    assert network.layer_names == ()
    middle = network((one + other) / 2)
    torch.testing.assert_close(middle, (network(one) + network(other)) / 2)
