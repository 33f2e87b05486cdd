import math

import pytest
import torch
from torch import nn

from recombine.models.encoder_network import EncoderNetwork

torch.set_num_threads(1)


@pytest.mark.parametrize("picture", [(1, 12, 20), (2, 5, 9), (1, 1, 1)])
def test_is_the_plain_sequence_of_strided_convolutions(picture):
    network, codes = EncoderNetwork(picture, 3, (2, 7)), torch.randn(4, math.prod(picture))
    convolutions = [layer for convolution in network.convolutions for layer in (convolution, nn.ReLU())]
    dense = [nn.Flatten(), network.dense, nn.ReLU(), network.output]
    plain = nn.Sequential(*convolutions, *dense)(codes.view(4, *picture))
    torch.testing.assert_close(network(codes), plain.view(4, 2, 7))


def test_sizes_are_those_of_the_paper():
    network = EncoderNetwork((1, 28, 28), 32, (2, 28))
    stages = dict(network.stages(torch.rand(3, 28 * 28)))
    assert network.layer_names == ("conv1", "conv2", "conv3", "dense1")
    sizes = [(32, 14, 14), (64, 7, 7), (128, 4, 4), (128,)]
    assert [tuple(stages[name].shape) for name in network.layer_names] == [(3, *size) for size in sizes]
    assert all(stages[name].min() == 0 for name in network.layer_names)
    weights = 10 * 32 + 289 * 64 + 577 * 128 + 2049 * 128 + 129 * 56
    assert sum(weight.numel() for weight in network.parameters()) == weights


def test_the_answer_may_be_two_numbers():
    assert EncoderNetwork((1, 6, 10), 2, (2, 1))(torch.rand(3, 60)).shape == (3, 2, 1)
