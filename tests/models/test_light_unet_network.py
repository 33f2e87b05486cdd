"""The light UNet: sizes, numbers of weights counted by hand, and that every path through it matters."""

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from recombine.models import models
from recombine.models.denoiser import sinusoids
from recombine.models.light_unet_network import Attention, Joined, LightBlock, LightUnetDenoiser, additions

torch.set_num_threads(1)
UNITS, PAIRS, WIDTH, HEADS = 6, 4, 6, 3


@pytest.fixture(autouse=True)
def seeded():
    torch.manual_seed(0)


def small(width=WIDTH):
    return LightUnetDenoiser(UNITS, width, PAIRS, HEADS)


def asked(image=(8, 16), batch=3):
    """Noisy pictures, times and codes."""
    return torch.randn(batch, *image), torch.randint(0, 1000, (batch,)).float(), torch.randn(batch, UNITS)


def blocks(network):
    return [*network.down, network.middle, *network.up]


@pytest.mark.parametrize("image", [(16, 16), (8, 16), (8, 8), (24, 8)])
def test_sizes_of_the_stages(image):
    network = small()
    stages = dict(network.stages(*asked(image)))
    assert tuple(stages) == (*network.layer_names, "output")
    assert network.layer_names == ("layer0", "layer1", "bottleneck", "layer3", "layer4")
    assert network.probe == "layer3"
    sizes = [(6, 2), (12, 4), (12, 8), (12, 4), (6, 2)]  # channels, share of the sides
    expected = [(3, channels, image[0] // share, image[1] // share) for channels, share in sizes]
    assert [tuple(stages[name].shape) for name in network.layer_names] == expected
    assert stages["output"].shape == (3, *image)


def block(inputs, outputs, told):
    """Two norms, two 3 x 3 convolutions, what is told, and a pointwise map where the channels change."""
    norms, convolutions = 2 * (inputs + outputs), 9 * outputs * (inputs + outputs) + 2 * outputs
    across = 0 if inputs == outputs else (inputs + 1) * outputs
    return norms + convolutions + (told + 1) * outputs + across


@pytest.mark.parametrize(("units", "width", "pairs"), [(64, 24, 16), (6, 6, 4), (10, 8, 3)])
def test_number_of_parameters(units, width, pairs):
    told, c = 2 * pairs + units, width
    down = block(c, c, told) + block(c, 2 * c, told)
    up = block(4 * c, 2 * c, told) + block(3 * c, c, told)
    attention = 2 * 2 * c + 4 * 2 * c * (2 * c + 1)
    ends = (9 * 4 * c + c) + 2 * c + (9 * c * 4 + 4)
    expected = down + block(2 * c, 2 * c, told) + attention + up + ends
    network = LightUnetDenoiser(units, width, pairs, 2)
    assert sum(weight.numel() for weight in network.parameters()) == expected
    assert width != 24 or width == models.diffusion().width


def silenced(network, module, place=0):
    """A hook that gives this module zeros in the place of half of its input."""

    def pre(_, inputs):
        joined = inputs[0].clone()
        joined[:, place] = 0
        return joined, *inputs[1:]

    return module.register_forward_pre_hook(pre)


@pytest.mark.parametrize("index", [0, 1])
@pytest.mark.parametrize("way", ["below", "beside"])
def test_what_comes_from_below_and_from_beside_matters(index, way):
    network, given = small(), asked()
    below = 2 * WIDTH  # channels that come from the coarser grid, in front
    before = network(*given)
    place = slice(0, below) if way == "below" else slice(below, None)
    hook = silenced(network, network.up[index], place)
    assert (network(*given) - before).abs().max() > 1e-4
    hook.remove()
    assert torch.equal(network(*given), before)


def test_every_way_up_is_joined_with_its_own_size_on_the_way_down():
    network, seen = small(), {}
    for index, up in enumerate(network.up):
        up.register_forward_pre_hook(lambda module, inputs, index=index: seen.update({index: inputs[0]}))
    stages = dict(network.stages(*asked()))
    for index, (below, beside) in enumerate((("bottleneck", "layer1"), ("layer3", "layer0"))):
        doubled = stages[below].repeat_interleave(2, dim=2).repeat_interleave(2, dim=3)
        assert torch.equal(seen[index], torch.cat([doubled, stages[beside]], dim=1))


@pytest.mark.parametrize("index", range(5))
def test_time_and_code_reach_every_block(index):
    """With the other blocks told nothing, time and code still change the noise through this one."""
    network, (pictures, times, codes) = small(), asked()
    for other in blocks(network)[:index] + blocks(network)[index + 1 :]:
        nn.init.zeros_(other.told.weight)
    codes.requires_grad_()
    noise = network(pictures, times, codes)
    noise.square().sum().backward()
    assert (codes.grad.abs() > 1e-9).all()
    assert (network(pictures, times + 1, codes) - noise).abs().max() > 1e-5
    nn.init.zeros_(blocks(network)[index].told.weight)
    assert torch.equal(network(pictures, times, codes), network(pictures, times + 1, codes + 1))


def test_every_block_is_told_silu_of_time_and_code():
    network, seen = small(), []
    blocks = [*network.down, network.middle, *network.up]
    for block in blocks:
        block.register_forward_pre_hook(lambda module, inputs: seen.append(inputs[1]))
    pictures, times, codes = asked()
    network(pictures, times, codes)
    x = torch.cat([sinusoids(times, PAIRS), codes], dim=1)
    for block, added in zip(blocks, seen, strict=True):
        torch.testing.assert_close(added, block.told(x / (1 + (-x).exp())) + block.convolutions[0].bias)


def test_a_times_code_is_sines_then_cosines_of_ever_slower_waves():
    times = torch.tensor([0.0, 1.0, 999.0], dtype=torch.float64)
    found = sinusoids(times, 3)
    for k in range(3):
        frequency = 10_000.0 ** (-k / 3)
        torch.testing.assert_close(found[:, k], (frequency * times).sin())
        torch.testing.assert_close(found[:, 3 + k], (frequency * times).cos())


@pytest.mark.parametrize(("inputs", "outputs"), [(3, 3), (3, 5)])
def test_a_block_is_its_formula_and_so_are_its_slopes(inputs, outputs):
    layer = LightBlock(inputs, outputs, 4).double()
    pictures = torch.randn(2, inputs, 4, 6, dtype=torch.float64, requires_grad=True)
    told = torch.randn(2, 4, dtype=torch.float64, requires_grad=True)

    def normed(hidden):
        centred = hidden - hidden.mean((1, 2, 3), keepdim=True)
        return centred / (centred.square().mean((1, 2, 3), keepdim=True) + 1e-5).sqrt()

    first, second = layer.convolutions
    hidden = F.conv2d(normed(pictures).clamp(min=0), first.weight, first.bias, padding=1)
    hidden = hidden + (told @ layer.told.weight.T + layer.told.bias)[:, :, None, None]
    added = F.conv2d(normed(hidden).clamp(min=0), second.weight, second.bias, padding=1)
    across = pictures
    if inputs != outputs:
        across = torch.einsum("oi,birc->borc", layer.across.weight[:, :, 0, 0], pictures)
        across = across + layer.across.bias[:, None, None]
    expected, found = across + added, layer(pictures, *additions([layer], told))
    torch.testing.assert_close(found, expected)
    upstream = torch.randn_like(expected)
    # The formula leaves out the scales and shifts of the norms, which are 1 and 0 here; all else has its slopes there.
    asked_for = [pictures, told, *(p for name, p in layer.named_parameters() if not name.startswith("norms"))]
    for ours, theirs in zip(
        torch.autograd.grad(found, asked_for, upstream), torch.autograd.grad(expected, asked_for, upstream), strict=True
    ):
        torch.testing.assert_close(ours, theirs)


@pytest.mark.parametrize(("below", "beside"), [(3, 2), (1, 4)])
def test_joining_is_doubling_and_standing_beside_there_and_back(below, beside):
    small = torch.randn(2, below, 2, 3, dtype=torch.float64, requires_grad=True)
    large = torch.randn(2, beside, 4, 6, dtype=torch.float64, requires_grad=True)
    plain = torch.cat([F.interpolate(small, scale_factor=2), large], dim=1)
    assert torch.equal(Joined.apply(small, large), plain)
    assert torch.autograd.gradcheck(Joined.apply, (small, large))


@pytest.mark.parametrize(("below", "beside", "outputs"), [(3, 2, 5), (1, 4, 5), (4, 1, 2)])
def test_a_block_that_knows_which_channels_are_doubled_says_the_same_there_and_back(below, beside, outputs):
    knowing = LightBlock(below + beside, outputs, 4, below).double()
    with torch.no_grad():
        for scale in knowing.norms.parameters():
            scale.normal_()
    small = torch.randn(2, below, 2, 3, dtype=torch.float64, requires_grad=True)
    large = torch.randn(2, beside, 4, 6, dtype=torch.float64, requires_grad=True)
    told = torch.randn(2, 4, dtype=torch.float64, requires_grad=True)
    asked_for = [small, large, told, *knowing.parameters()]
    upstream = torch.randn(2, outputs, 4, 6, dtype=torch.float64)

    def answers():
        found = knowing(Joined.apply(small, large), *additions([knowing], told))
        return found, *torch.autograd.grad(found, asked_for, upstream)

    known = answers()
    knowing.doubled = 0
    for ours, theirs in zip(known, answers(), strict=True):
        torch.testing.assert_close(ours, theirs)


def test_the_last_block_up_knows_the_channels_that_are_doubled():
    network = LightUnetDenoiser(3, 8, PAIRS, 2)
    assert [block.doubled for block in (*network.down, network.middle, *network.up)] == [0, 0, 0, 0, 16]


@pytest.mark.parametrize(("channels", "heads"), [(12, 3), (8, 4), (6, 1)])
def test_attention_is_that_of_the_library(channels, heads):
    layer, pictures = Attention(channels, heads), torch.randn(5, channels, 2, 3)
    library = nn.MultiheadAttention(channels, heads, batch_first=True)
    with torch.no_grad():
        library.in_proj_weight.copy_(layer.three.weight)
        library.in_proj_bias.copy_(layer.three.bias)
        library.out_proj.load_state_dict(layer.output.state_dict())
    tokens = pictures.flatten(2).mT
    normed = layer.norm(tokens)
    expected = tokens + library(normed, normed, normed)[0]
    torch.testing.assert_close(layer(pictures), expected.mT.unflatten(2, (2, 3)), atol=1e-5, rtol=1e-4)


def test_attention_lets_every_place_of_the_smallest_grid_see_all_others():
    network, (pictures, times, codes) = small(), asked((16, 16), batch=1)
    pictures.requires_grad_()
    told = dict(network.stages(pictures, times, codes))
    told["bottleneck"][0, :, 0, 0].sum().backward()
    assert (pictures.grad[0, -2:, -2:].abs() > 0).all()


def test_pictures_of_a_batch_do_not_meet():
    network, (pictures, times, codes) = small(), asked(batch=4)
    apart = torch.cat([network(pictures[i : i + 1], times[i : i + 1], codes[i : i + 1]) for i in range(4)])
    torch.testing.assert_close(network(pictures, times, codes), apart, atol=1e-4, rtol=1e-4)


def test_every_weight_learns():
    network = small()
    network(*asked()).square().sum().backward()
    still = [name for name, weight in network.named_parameters() if weight.grad is None or not weight.grad.any()]
    assert still == []


def test_rows_and_columns_are_not_exchanged():
    """Turned over the diagonal, pictures go through kernels that are turned likewise to noise that is."""
    network, turned, (pictures, times, codes) = small(), small(), asked()
    turned.load_state_dict(network.state_dict())
    with torch.no_grad():
        for module in turned.modules():
            if isinstance(module, nn.Conv2d):
                module.weight.copy_(module.weight.mT.clone())
        # Two by two pixels become channels in the order of rows: the second and the third are exchanged.
        order = [0, 2, 1, 3]
        turned.stem.weight.copy_(turned.stem.weight[:, order].clone())
        turned.head.weight.copy_(turned.head.weight[order].clone())
        turned.head.bias.copy_(turned.head.bias[order].clone())
    torch.testing.assert_close(
        turned(pictures.mT, times, codes), network(pictures, times, codes).mT, atol=1e-5, rtol=1e-4
    )
