import pytest
import torch
from torch import nn
from torch.nn import functional as F

from recombine.core.errors import InputError
from recombine.models.unet_network import Attention, DoubleConvolution, Down, UnetDenoiser, Up

torch.set_num_threads(1)
UNITS, PAIRS = 6, 4


@pytest.fixture(autouse=True)
def seeded():
    torch.manual_seed(0)


def small(image=(16, 24), **changed):
    return UnetDenoiser(**{"units": UNITS, "image": image, "width": 8, "pairs": PAIRS, **changed})


def asked(image=(16, 24), batch=3):
    """Noisy pictures, times and codes."""
    return torch.randn(batch, *image), torch.randint(0, 1000, (batch,)).float(), torch.randn(batch, UNITS)


def double(inputs, outputs, middle=None):
    """Weights of two 3 x 3 convolutions without bias, and a scale and a shift per channel after each."""
    middle = outputs if middle is None else middle
    return 9 * inputs * middle + 2 * middle + 9 * middle * outputs + 2 * outputs


def attention(channels):
    """Two norms; queries, keys, values and what joins them; two linear layers as wide as the tokens."""
    return 2 * 2 * channels + 4 * channels * (channels + 1) + 2 * channels * (channels + 1)


def block(inputs, outputs, middle, embedding):
    return double(inputs, inputs) + double(inputs, outputs, middle) + (embedding + 1) * outputs


@pytest.mark.parametrize(
    ("limit", "with_attention"),
    [
        (None, (128, 256, 256, 128, 64, 64)),
        (256, (128, 256, 256, 128, 64)),
        (255, (256, 256, 128)),
        (64, (256, 256, 128)),
        (16, (256,)),
        (0, ()),
    ],
)
def test_number_of_parameters_of_the_published_network(limit, with_attention):
    with torch.device("meta"):
        network = UnetDenoiser(units=512, image=(32, 32), attention=limit)
    downs = block(64, 128, 128, 768) + block(128, 256, 256, 768) + block(256, 256, 256, 768)
    bottleneck = double(256, 512) + double(512, 512) + double(512, 256)
    ups = block(512, 128, 256, 768) + block(256, 64, 128, 768) + block(128, 64, 64, 768)
    expected = double(1, 64) + downs + bottleneck + ups + 64 + 1 + sum(map(attention, with_attention))
    assert sum(weight.numel() for weight in network.parameters()) == expected
    if limit is None:
        assert round(expected / 1e6, 1) == 23.8


@pytest.mark.parametrize("image", [(32, 32), (16, 16), (16, 24), (8, 16)])
def test_sizes_of_the_stages(image):
    network, (pictures, times, codes) = small(image), asked(image)
    stages = dict(network.stages(pictures, times, codes))
    assert tuple(stages) == (*network.layer_names, "output")
    assert network.layer_names == ("layer0", "layer1", "layer2", "bottleneck", "layer3", "layer4", "layer5")
    assert network.probe == "layer4"
    sizes = [(16, 2), (32, 4), (32, 8), (32, 8), (16, 4), (8, 2), (8, 1)]  # channels, share of the sides
    expected = [(3, channels, image[0] // share, image[1] // share) for channels, share in sizes]
    assert [tuple(stages[name].shape) for name in network.layer_names] == expected
    assert stages["output"].shape == pictures.shape
    mixed = torch.einsum("c,bcij->bij", network.head.weight[0, :, 0, 0], stages["layer5"]) + network.head.bias
    torch.testing.assert_close(stages["output"], mixed)


def test_layer_four_can_be_read_before_its_attention():
    after, before, given = small(), small(before=True), asked()
    before.load_state_dict(after.state_dict())
    plain, told = dict(after.stages(*given)), dict(before.stages(*given))
    assert before.probe == "layer4-before"
    assert tuple(told) == (*before.layer_names, "output")
    assert before.layer_names == (*after.layer_names[:5], "layer4-before", *after.layer_names[5:])
    assert all(torch.equal(told[name], stage) for name, stage in plain.items())
    torch.testing.assert_close(before.ups[1].block.attention(told["layer4-before"]), told["layer4"])
    assert not torch.allclose(told["layer4-before"], told["layer4"])
    assert not before.ups[1].block.attention._forward_pre_hooks


@pytest.mark.parametrize("image", [(16, 20), (12, 16), (0, 8), (4, 4)])
def test_sides_that_cannot_be_halved_three_times_are_refused(image):
    with pytest.raises(InputError, match=f"{image[0]} x {image[1]}.*multiples of 8"):
        small(image)


def test_heads_that_cannot_share_the_width_are_refused():
    with pytest.raises(InputError, match=r"width 10 cannot be shared among 4 heads.*12"):
        small(width=10)


@pytest.mark.parametrize(
    ("limit", "ending"), [(None, {0, 1, 2, 3, 4, 5}), (96, {0, 1, 2, 3, 4}), (95, {1, 2, 3}), (6, {2}), (5, set())]
)
def test_attention_is_left_out_on_large_grids(limit, ending):
    """The grids of 16 x 24 have 96, 24, 6, 24, 96 and 384 places."""
    network = small(attention=limit)
    blocks = [stage.block for stage in (*network.downs, *network.ups)]
    assert {index for index, told in enumerate(blocks) if isinstance(told.attention, Attention)} == ending
    assert network(*asked()).shape == (3, 16, 24)


def test_every_up_stage_is_joined_with_its_own_size_on_the_way_down():
    network, given, stem = small(), {}, []
    network.stem.register_forward_hook(lambda module, inputs, output: stem.append(output))
    for index, up in enumerate(network.ups):
        up.register_forward_pre_hook(lambda module, inputs, index=index: given.update({index: inputs[:2]}))
    stages = dict(network.stages(*asked()))
    below = [stages["bottleneck"], stages["layer3"], stages["layer4"]]
    beside = [stages["layer1"], stages["layer0"], stem[0]]
    for index in range(3):
        assert torch.equal(given[index][0], below[index])
        assert torch.equal(given[index][1], beside[index])


@pytest.mark.parametrize("index", range(3))
@pytest.mark.parametrize("way", ["below", "beside"])
def test_what_comes_from_below_and_from_beside_matters(index, way):
    network, told = small(), asked()
    before, place = network(*told), 0 if way == "below" else 1
    silence = network.ups[index].register_forward_pre_hook(
        lambda module, inputs: tuple(torch.zeros_like(x) if i == place else x for i, x in enumerate(inputs))
    )
    assert (network(*told) - before).abs().max() > 1e-3
    silence.remove()
    assert torch.equal(network(*told), before)


@pytest.mark.parametrize("index", range(6))
def test_the_embedding_reaches_every_block(index):
    """With the projections of the other blocks silent, time and code still change the noise through this one."""
    network, (pictures, times, codes) = small(), asked()
    blocks = [stage.block for stage in (*network.downs, *network.ups)]
    for other in blocks[:index] + blocks[index + 1 :]:
        nn.init.zeros_(other.project.weight)
    codes.requires_grad_()
    noise = network(pictures, times, codes)
    noise.square().sum().backward()
    assert (codes.grad.abs() > 1e-8).all()
    assert (network(pictures, times + 1, codes) - noise).abs().max() > 1e-4
    nn.init.zeros_(blocks[index].project.weight)
    assert torch.equal(network(pictures, times, codes), network(pictures, times + 1, codes + 1))


def test_the_embedding_is_added_alike_at_every_pixel():
    network = small(attention=0)
    down, pictures, told = network.downs[0].block, torch.randn(3, 8, 4, 6), torch.randn(3, UNITS + 2 * PAIRS)
    added = down(pictures, told) - down.convolutions(pictures)
    torch.testing.assert_close(added, down.project(told)[:, :, None, None].expand(-1, -1, 4, 6))


def test_the_blocks_are_told_silu_of_time_and_code():
    network, seen = small(), []
    network.downs[0].register_forward_pre_hook(lambda module, inputs: seen.append(inputs[1]))
    pictures, times, codes = asked()
    network(pictures, times, codes)
    frequencies = 10_000.0 ** (-torch.arange(PAIRS) / PAIRS)
    angles = times[:, None] * frequencies
    x = torch.cat([angles.sin(), angles.cos(), codes], dim=1)
    torch.testing.assert_close(seen[0], x / (1 + (-x).exp()))


def test_pictures_of_a_batch_do_not_meet():
    network, (pictures, times, codes) = small(), asked(batch=4)
    apart = torch.cat([network(pictures[i : i + 1], times[i : i + 1], codes[i : i + 1]) for i in range(4)])
    torch.testing.assert_close(network(pictures, times, codes), apart, atol=1e-4, rtol=1e-4)


def test_the_seed_decides_the_weights_and_nothing_else_is_drawn():
    told = asked()
    torch.manual_seed(3)
    first = small()
    torch.manual_seed(3)
    second = small()
    assert torch.equal(first(*told), first(*told))
    assert torch.equal(first(*told), second(*told))
    assert not torch.equal(first(*told), small()(*told))


def test_a_double_convolution_ends_normalised_over_the_whole_picture():
    hidden = DoubleConvolution(3, 5, middle=4)(7 + 3 * torch.randn(2, 3, 6, 9))
    assert hidden.shape == (2, 5, 6, 9)
    torch.testing.assert_close(hidden.mean((1, 2, 3)), torch.zeros(2), atol=1e-5, rtol=0)
    torch.testing.assert_close(hidden.var((1, 2, 3), correction=0), torch.ones(2), atol=1e-3, rtol=0)


def test_a_double_convolution_is_its_formula():
    layer, pictures = DoubleConvolution(3, 5, middle=4), torch.randn(2, 3, 6, 9)
    with torch.no_grad():
        for norm in (layer.first_norm, layer.second_norm):
            norm.weight.normal_()
            norm.bias.normal_()

    def normed(hidden, norm):
        centred = hidden - hidden.mean((1, 2, 3), keepdim=True)
        scaled = centred / (centred.square().mean((1, 2, 3), keepdim=True) + 1e-5).sqrt()
        return scaled * norm.weight[:, None, None] + norm.bias[:, None, None]

    middle = normed(F.conv2d(pictures, layer.first.weight, padding=1), layer.first_norm)
    middle = middle * (1 + torch.erf(middle / 2**0.5)) / 2
    expected = normed(F.conv2d(middle, layer.second.weight, padding=1), layer.second_norm)
    torch.testing.assert_close(layer(pictures), expected, atol=1e-5, rtol=1e-4)


def test_a_silent_residual_double_convolution_is_gelu():
    layer, pictures = DoubleConvolution(3, 3, residual=True), torch.randn(2, 3, 6, 9)
    nn.init.zeros_(layer.second.weight)
    torch.testing.assert_close(layer(pictures), F.gelu(pictures))


def seen_by_the_block(stage, *inputs):
    seen = []
    stage.block.register_forward_pre_hook(lambda module, given: seen.append(given[0]))
    stage(*inputs)
    return seen[0]


def test_down_takes_the_largest_of_four_pixels():
    pictures = torch.randn(2, 3, 4, 6)
    seen = seen_by_the_block(Down(3, 4, 5, 2), pictures, torch.randn(2, 5))
    assert torch.equal(seen, pictures.unflatten(3, (3, 2)).unflatten(2, (2, 2)).amax((3, 5)))


def test_up_puts_corners_on_corners_and_joins_behind_the_skip():
    """A ramp stays a ramp between the same ends, which holds with aligned corners only."""
    rows, columns = torch.linspace(0, 1, 3), torch.linspace(0, 5, 4)
    ramp = (rows[:, None] + columns).expand(2, 1, 3, 4)
    skip = torch.randn(2, 2, 6, 8)
    seen = seen_by_the_block(Up(3, 4, 5, 2), ramp, skip, torch.randn(2, 5))
    assert torch.equal(seen[:, :2], skip)
    expected = torch.linspace(0, 1, 6)[:, None] + torch.linspace(0, 5, 8)
    torch.testing.assert_close(seen[:, 2:], expected.expand(2, 1, 6, 8))


def test_the_middle_of_up_is_half_of_its_inputs():
    second = Up(10, 4, 5, 2).block.convolutions[1]
    assert second.first.weight.shape == (5, 10, 3, 3)
    assert second.second.weight.shape == (4, 5, 3, 3)


@pytest.mark.parametrize(("channels", "heads"), [(12, 3), (8, 4), (16, 1)])
def test_attention_is_that_of_the_library(channels, heads):
    layer, pictures = Attention(channels, heads), torch.randn(5, channels, 4, 6)
    library = nn.MultiheadAttention(channels, heads, batch_first=True)
    with torch.no_grad():
        for bias in (layer.queries_keys_values.bias, layer.project.bias):
            bias.normal_()
        library.in_proj_weight.copy_(layer.queries_keys_values.weight)
        library.in_proj_bias.copy_(layer.queries_keys_values.bias)
        library.out_proj.load_state_dict(layer.project.state_dict())
    tokens = pictures.flatten(2).mT
    normed = layer.attention_norm(tokens)
    attended = tokens + library(normed, normed, normed)[0]
    expected = attended + layer.narrow(F.gelu(layer.widen(layer.hidden_norm(attended))))
    torch.testing.assert_close(layer(pictures), expected.mT.unflatten(2, (4, 6)), atol=1e-5, rtol=1e-4)


def test_attention_starts_as_that_of_the_library():
    """Uniform up to sqrt(6 / (inputs + outputs)), the three maps counted as one; no bias."""
    layer = Attention(16, 4)
    library = nn.MultiheadAttention(16, 4)
    bound = (6 / (16 + 3 * 16)) ** 0.5
    for weight in (layer.queries_keys_values.weight, library.in_proj_weight):
        assert weight.abs().max() <= bound
        assert weight.abs().max() > 0.95 * bound
    for bias in (layer.queries_keys_values.bias, layer.project.bias):
        assert not bias.any()


def test_pixels_have_no_place_for_attention():
    layer, pictures = Attention(8, 4), torch.randn(2, 8, 4, 6)
    torch.testing.assert_close(layer(pictures.roll((1, 2), (2, 3))), layer(pictures).roll((1, 2), (2, 3)))
