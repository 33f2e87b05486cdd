import math

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from recombine.models.resnet_network import BasicBlock, ResNetwork

torch.set_num_threads(1)


@pytest.fixture(autouse=True)
def seeded():
    torch.manual_seed(0)


def flat(batch, picture):
    return torch.randn(batch, math.prod(picture))


@pytest.mark.parametrize("picture", [(6, 32, 32), (2, 28, 38), (3, 16, 16), (1, 5, 3)])
@pytest.mark.parametrize("image", [(1, 1), (2, 3)])
def test_number_of_parameters_whatever_the_size_of_the_picture(picture, image):
    network = ResNetwork(picture, (16, 32, 64, 128), image).eval()
    changing = sum(9 * n * m + 9 * m * m + 4 * m + n * m + 2 * m for n, m in [(16, 32), (32, 64), (64, 128)])
    keeping = sum(18 * m * m + 4 * m for m in (16, 16, 32, 64, 128))
    stem = 9 * picture[0] * 16 + 2 * 16
    expected = stem + changing + keeping + 129 * image[0] * image[1]
    assert sum(weight.numel() for weight in network.parameters()) == expected
    assert network(flat(2, picture)).shape == (2, *image)


def test_strides_halve_the_picture_three_times():
    network = ResNetwork((2, 24, 13), (3, 4, 5, 6), (1, 1)).eval()
    stages = dict(network.stages(flat(4, (2, 24, 13))))
    assert tuple(stages) == (*network.layer_names, "output")
    assert network.layer_names == ("stem", *(f"block{index}" for index in range(1, 9)), "pool")
    sizes = [(3, 24, 13)] * 3 + [(4, 12, 7)] * 2 + [(5, 6, 4)] * 2 + [(6, 3, 2)] * 2 + [(6,)]
    assert [tuple(stages[name].shape[1:]) for name in network.layer_names] == sizes
    assert all(stages[name].min() == 0 for name in network.layer_names[:-1])


def test_on_32_by_32_the_mean_over_places_is_the_average_pool_of_4():
    network = ResNetwork((3, 32, 32), (2, 3, 4, 5), (1, 1)).eval()
    stages = dict(network.stages(flat(4, (3, 32, 32))))
    pooled = F.avg_pool2d(stages["block8"], 4).flatten(1)
    torch.testing.assert_close(stages["pool"], pooled)
    torch.testing.assert_close(stages["output"], network.output(pooled)[:, :, None])


@pytest.mark.parametrize("stride", [1, 2])
def test_a_block_with_silent_convolutions_is_its_shortcut(stride):
    block, pictures = BasicBlock(3, 5, stride).eval(), torch.randn(4, 3, 6, 9)
    nn.init.zeros_(block.second.weight)
    scale = 1 / math.sqrt(1 + block.second_norm.eps)  # of BatchNorm that has seen nothing
    convolution = block.shortcut[1].weight[:, :, 0, 0]
    mixed = torch.einsum("oi,birc->borc", convolution, pictures[:, :, ::stride, ::stride])
    torch.testing.assert_close(block(pictures), (scale * mixed).relu())


def test_a_block_that_changes_nothing_adds_to_its_input():
    block, pictures = BasicBlock(3, 3, 1), torch.randn(4, 3, 6, 9)
    assert not list(block.shortcut.parameters())
    inner = nn.Sequential(block.first, block.first_norm, nn.ReLU(), block.second, block.second_norm)
    torch.testing.assert_close(block(pictures), (inner(pictures) + pictures).relu())
    nn.init.zeros_(block.second.weight)
    torch.testing.assert_close(block(pictures), pictures.relu())


def test_in_eval_mode_the_batch_does_not_matter_and_in_training_it_does():
    network, codes = ResNetwork((2, 8, 12), (3, 4, 5, 6), (1, 1)), flat(6, (2, 8, 12))
    assert not torch.allclose(network(codes)[:3], network(codes[:3]))
    assert network.norm.num_batches_tracked == 2
    network.eval()
    torch.testing.assert_close(network(codes)[:3], network(codes[:3]))
    assert network.norm.num_batches_tracked == 2
