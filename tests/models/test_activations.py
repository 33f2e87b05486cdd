import pytest
import torch
from torch import nn

from recombine.core.errors import InputError
from recombine.models.activations import activations, channels
from recombine.models.cnn import CnnNetwork
from recombine.models.mlp_network import MlpNetwork

torch.set_num_threads(1)


@pytest.fixture
def network():
    return MlpNetwork(inputs=3, width=4, depth=2, image=(2, 5))


def test_each_stage_is_flattened_per_example(network):
    told = activations(network, torch.randn(7, 3))
    assert {name: tuple(stage.shape) for name, stage in told.items()} == {
        "input": (7, 3),
        "layer0": (7, 4),
        "layer1": (7, 4),
        "output": (7, 10),
    }


def test_only_named_stages_are_kept_in_the_networks_order(network):
    codes = torch.randn(7, 3)
    told = activations(network, codes, names=["output", "layer1", "input"])
    assert list(told) == ["input", "layer1", "output"]
    assert torch.equal(told["layer1"], activations(network, codes)["layer1"])
    assert activations(network, codes, names=[]) == {}


def test_an_unknown_layer_is_refused_with_the_known_ones(network):
    with pytest.raises(InputError, match=r"'layer2'; did you mean .*Known: input, layer0, layer1, output"):
        activations(network, torch.randn(7, 3), names=["layer2"])


@pytest.mark.parametrize("chunk", [1, 3, 7, 100])
def test_chunks_change_nothing(network, chunk):
    codes = torch.randn(7, 3)
    whole, pieces = activations(network, codes), activations(network, codes, chunk=chunk)
    for name in whole:
        torch.testing.assert_close(pieces[name], whole[name])


def test_no_codes_give_empty_stages(network):
    assert activations(network, torch.zeros(0, 3))["layer1"].shape == (0, 4)


def test_a_module_without_stages_shows_its_ends():
    module, codes = nn.Sequential(nn.Linear(3, 6), nn.Unflatten(1, (2, 3))), torch.randn(7, 3)
    told = activations(module, codes)
    assert list(told) == ["input", "output"]
    assert torch.equal(told["output"], module(codes).flatten(1))


def test_the_hidden_layers_of_a_convolutional_decoder_are_pictures():
    """A quarter of the picture, then doubled twice, then kept; the output is a picture without channels."""
    decoder, codes = CnnNetwork(inputs=3, width=5, depth=3, image=(8, 12)), torch.randn(4, 3)
    shapes = channels(decoder, codes[:1])
    assert shapes == {"layer0": (5, 2, 3), "layer1": (5, 4, 6), "layer2": (5, 8, 12), "layer3": (5, 8, 12)}
    # The flat activations are those pictures, channel by channel.
    first = next(stage for _, stage in decoder.stages(codes))
    flat = activations(decoder, codes, names=["layer0"])["layer0"]
    torch.testing.assert_close(flat.reshape(4, *shapes["layer0"]), first)


def test_a_network_of_units_has_no_channels(network):
    assert channels(network, torch.randn(1, 3)) == {}


def test_asking_for_channels_leaves_every_module_in_its_mode():
    decoder = CnnNetwork(inputs=3, width=2, depth=2, image=(4, 4))
    decoder.hidden.eval()
    modes = [module.training for module in decoder.modules()]
    channels(decoder, torch.randn(1, 3))
    assert [module.training for module in decoder.modules()] == modes
    assert len(set(modes)) == 2
