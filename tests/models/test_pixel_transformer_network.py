import pytest
import torch
from torch import nn

from recombine.models import pixel_transformer_network
from recombine.models.per_pixel_network import position_codes
from recombine.models.pixel_transformer_network import EncoderLayer, PixelTransformerNetwork

torch.set_num_threads(1)


@pytest.fixture(autouse=True)
def seeded():
    torch.manual_seed(0)


def small(image=(3, 5), **changed):
    settings = {"inputs": 6, "width": 8, "depth": 2, "heads": 2, "feedforward": 12, "dropout": 0.1}
    return PixelTransformerNetwork(**{**settings, **changed}, image=image)


def library(layer, tokens):
    """The forward pass that the layer has from the library."""
    return nn.TransformerEncoderLayer.forward(layer, tokens)


@pytest.mark.parametrize("mode", [True, False], ids=["training", "eval"])
def test_a_layer_is_the_librarys_dropout_included(mode):
    """One picture, so that what is dropped does not depend on how a batch lies in memory."""
    layer, tokens = EncoderLayer(12, 3, 20, 0.3, batch_first=True).train(mode), torch.randn(1, 7, 12)
    torch.manual_seed(1)
    ours = layer(tokens)
    torch.manual_seed(1)
    torch.testing.assert_close(ours, library(layer, tokens))
    again = layer(tokens)
    assert torch.equal(ours, again) is not mode


def test_attention_in_parts_is_attention(monkeypatch):
    layer, tokens = EncoderLayer(12, 3, 20, 0.1, batch_first=True).eval(), torch.randn(5, 7, 12)
    whole = layer(tokens)
    for pictures in (1, 2):
        monkeypatch.setattr(pixel_transformer_network, "AT_ONCE", pictures * 3 * 7**2)
        torch.testing.assert_close(layer(tokens), whole)
    monkeypatch.setattr(pixel_transformer_network, "AT_ONCE", 1)  # less than one picture
    torch.testing.assert_close(layer(tokens), whole)


def test_equals_library_layers_on_the_tokens_of_the_per_pixel_network():
    network, codes = small().eval(), torch.randn(4, 6)
    tokens = network.embed(codes)[:, None] + position_codes((3, 5), 8)
    told = dict(network.stages(codes))
    assert network.layer_names == ("layer0", "layer1")
    for name, layer in zip(network.layer_names, network.layers, strict=True):
        tokens = library(layer, tokens)
        torch.testing.assert_close(told[name], tokens)
    torch.testing.assert_close(told["output"], network.output(tokens).view(4, 3, 5))


def test_pixels_see_one_another():
    """A larger canvas changes the picture that the small one shows, unlike that of the per-pixel network."""
    one, other = small().eval(), small(image=(6, 7)).eval()
    other.load_state_dict(one.state_dict())
    codes = torch.randn(4, 6)
    assert not torch.allclose(other(codes)[:, :3, :5], one(codes), atol=1e-3)


def test_number_of_parameters():
    network = small(inputs=56, width=128, heads=4, feedforward=2048, depth=3, image=(4, 4))
    layer = 4 * 128 * 129 + 2049 * 128 + 129 * 2048 + 4 * 128
    assert sum(weight.numel() for weight in network.parameters()) == 57 * 128 + 3 * layer + 129
    assert all(module.p == 0.1 for module in network.modules() if isinstance(module, nn.Dropout))
    assert all(layer.self_attn.dropout == 0.1 and not layer.norm_first for layer in network.layers)
