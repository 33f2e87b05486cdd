import pytest
import torch
from torch import nn

from recombine.models.cnn import CnnNetwork


def test_is_the_plain_sequence_of_transposed_convolutions():
    network = CnnNetwork(inputs=5, width=6, depth=3, image=(8, 12))
    layers = [layer for hidden in (network.first, *network.hidden) for layer in (hidden, nn.ReLU())]
    codes = torch.randn(4, 5)
    plain = nn.Sequential(*layers, network.output)(codes[:, :, None, None])
    torch.testing.assert_close(network(codes), plain[:, 0])


@pytest.mark.parametrize("depth", [2, 5])
def test_layer_sizes_start_at_a_quarter_and_double_twice(depth):
    network = CnnNetwork(inputs=5, width=6, depth=depth, image=(8, 12))
    stages = dict(network.stages(torch.randn(3, 5)))
    sizes = [(2, 3), (4, 6), (8, 12)] + [(8, 12)] * (depth - 2)
    assert network.layer_names == tuple(f"layer{index}" for index in range(depth + 1))
    assert [tuple(stages[name].shape) for name in network.layer_names] == [(3, 6, *size) for size in sizes]
    assert all(stages[name].min() == 0 for name in network.layer_names)


def test_kernels_are_those_of_the_paper():
    network = CnnNetwork(inputs=56, width=64, depth=4, image=(28, 28))
    shapes = [tuple(layer.weight.shape) for layer in (network.first, *network.hidden, network.output)]
    doubling, keeping = (64, 64, 4, 4), (64, 64, 3, 3)
    assert shapes == [(56, 64, 7, 7), doubling, doubling, keeping, keeping, (64, 1, 3, 3)]


def test_layers_after_the_first_are_channels_last():
    network = CnnNetwork(inputs=5, width=6, depth=3, image=(8, 12))
    for name, stage in network.stages(torch.randn(3, 5)):
        if name != "output":
            assert stage.is_contiguous(memory_format=torch.channels_last), name
