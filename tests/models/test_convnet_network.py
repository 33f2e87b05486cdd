import math

import pytest
import torch
from torch import nn

from recombine.models.convnet_network import ConvNetwork

torch.set_num_threads(1)
PICTURE = (2, 12, 15)


@pytest.fixture(autouse=True)
def seeded():
    torch.manual_seed(0)


def small(**changed):
    settings = {"picture": PICTURE, "channels": (3, 4, 5, 6), "dense": (7, 9), "kernel": 3, "image": (1, 1)}
    return ConvNetwork(**{**settings, **changed})


def flat(batch, picture=PICTURE):
    return torch.randn(batch, math.prod(picture))


def plain(network):
    """The same layers as one sequence."""
    layers = []
    for convolution, norm in zip(network.convolutions, network.norms, strict=True):
        layers += [convolution, nn.ReLU(), norm]
    layers += [nn.MaxPool2d(2), nn.Flatten()]
    for linear in network.dense:
        layers += [linear, nn.ReLU()]
    return nn.Sequential(*layers, network.output)


@pytest.mark.parametrize("training", [True, False])
def test_is_the_plain_sequence_of_its_layers(training):
    network, codes = small(image=(2, 3)).train(training), flat(4)
    expected = plain(network)(codes.view(4, *PICTURE)).view(4, 2, 3)
    torch.testing.assert_close(network(codes), expected)


@pytest.mark.parametrize(
    ("picture", "kernel", "image"),
    [((2, 28, 28), 5, (1, 1)), ((2, 28, 38), 5, (1, 1)), ((1, 33, 18), 5, (2, 3)), ((3, 14, 19), 3, (1, 1))],
)
def test_number_of_parameters(picture, kernel, image):
    network = ConvNetwork(picture, (32, 32, 64, 64), (512, 1024), kernel, image)
    inputs, rows, columns = picture
    pairs = [(inputs, 32), (32, 32), (32, 64), (64, 64)]
    convolutions = sum((kernel**2 * before + 1) * after + 2 * after for before, after in pairs)
    pooled = 64 * ((rows - 4 * (kernel - 1)) // 2) * ((columns - 4 * (kernel - 1)) // 2)
    dense = (pooled + 1) * 512 + 513 * 1024 + 1025 * image[0] * image[1]
    assert sum(weight.numel() for weight in network.parameters()) == convolutions + dense
    assert network(flat(2, picture)).shape == (2, *image)


def test_layers_are_taken_after_the_relu_and_before_batchnorm():
    network, codes = small().eval(), flat(4)
    for norm in network.norms:
        nn.init.constant_(norm.bias, -3.0)  # what comes after BatchNorm is negative somewhere
    stages = dict(network.stages(codes))
    assert tuple(stages) == (*network.layer_names, "output")
    assert network.layer_names == ("conv1", "conv2", "conv3", "conv4", "dense1", "dense2")
    sizes = [(3, 10, 13), (4, 8, 11), (5, 6, 9), (6, 4, 7), (7,), (9,)]
    assert [tuple(stages[name].shape[1:]) for name in network.layer_names] == sizes
    assert all(stages[name].min() == 0 for name in network.layer_names)
    fourth = network.convolutions[3](network.norms[2](stages["conv3"])).relu()
    torch.testing.assert_close(stages["conv4"], fourth)


def test_every_weight_starts_with_variance_two_over_fan_in():
    torch.manual_seed(0)
    network = ConvNetwork((2, 18, 20), (32, 32, 64, 64), (512, 1024), 5, (1, 1))
    for layer in (*network.convolutions, *network.dense, network.output):
        weight, fan_in = layer.weight.detach(), layer.weight[0].numel()
        # The mean square of n Gaussians has relative standard deviation √(2/n), their mean 1/√n: five of each allowed.
        n = weight.numel()
        assert weight.square().mean().item() * fan_in / 2 == pytest.approx(1, abs=5 * math.sqrt(2 / n))
        assert abs(weight.mean().item()) < 5 * math.sqrt(2 / fan_in / n)
        assert layer.bias.abs().max() <= 1 / math.sqrt(fan_in)


def test_in_eval_mode_batchnorm_uses_the_running_statistics():
    network, codes = small(), flat(6)
    network.eval()
    stages = dict(network.stages(codes))
    norm = network.norms[0]
    norm.running_mean.copy_(torch.tensor([0.5, -1.0, 2.0]))
    norm.running_var.copy_(torch.tensor([4.0, 0.25, 9.0]))
    scaled = (stages["conv1"] - norm.running_mean[:, None, None]) / (norm.running_var[:, None, None] + norm.eps).sqrt()
    expected = network.convolutions[1](scaled).relu()
    torch.testing.assert_close(dict(network.stages(codes))["conv2"], expected)
    assert norm.num_batches_tracked == 0


def test_training_moves_the_running_statistics_and_they_are_saved():
    network, codes = small(), flat(6)
    first = dict(network.stages(codes))["conv1"]
    saved = network.state_dict()
    torch.testing.assert_close(saved["norms.0.running_mean"], 0.1 * first.mean((0, 2, 3)))
    assert saved["norms.3.num_batches_tracked"] == 1
    other = small().eval()
    other.load_state_dict(saved)
    assert torch.equal(other(codes), network.eval()(codes))
