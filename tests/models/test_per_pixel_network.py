import math

import pytest
import torch

from recombine.models.per_pixel_network import PerPixelNetwork, position_codes


def test_positions_interleave_sines_and_cosines_of_row_and_column():
    codes = position_codes((3, 5), 8)
    assert codes.shape == (15, 8)
    row, column = 2, 4
    slow = 10000 ** (-4 * 1 / 8)
    expected = [wave(place * rate) for rate in (1.0, slow) for place in (row, column) for wave in (math.sin, math.cos)]
    assert codes[row * 5 + column].tolist() == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("depth", [1, 3])
def test_equals_the_network_run_pixel_by_pixel(depth):
    network = PerPixelNetwork(inputs=6, width=8, depth=depth, image=(3, 5))
    codes = torch.randn(4, 6)
    places = position_codes((3, 5), 8).view(3, 5, 8)
    images = network(codes)
    for row, column in ((0, 0), (2, 1), (1, 4)):
        hidden = network.embed(codes) + places[row, column]
        for linear, slope in zip((network.first, *network.hidden), network.slopes, strict=True):
            hidden = slope(linear(hidden))
        torch.testing.assert_close(images[:, row, column], network.output(hidden)[:, 0])


def test_layers_hold_every_pixel_after_the_prelu():
    network = PerPixelNetwork(inputs=6, width=8, depth=2, image=(3, 5))
    stages = dict(network.stages(torch.randn(4, 6)))
    assert network.layer_names == ("layer0", "layer1")
    assert [tuple(stages[name].shape) for name in network.layer_names] == [(4, 15, 8)] * 2
    bent = network.slopes[1](network.hidden[0](stages["layer0"]))
    torch.testing.assert_close(stages["layer1"], bent)


def test_a_larger_canvas_shows_the_same_picture_and_more():
    small = PerPixelNetwork(inputs=6, width=8, depth=2, image=(3, 5))
    large = PerPixelNetwork(inputs=6, width=8, depth=2, image=(6, 7))
    large.load_state_dict(small.state_dict())
    codes = torch.randn(4, 6)
    torch.testing.assert_close(large(codes)[:, :3, :5], small(codes))


def test_number_of_parameters():
    network = PerPixelNetwork(inputs=56, width=256, depth=2, image=(28, 28))
    expected = 57 * 256 + 2 * (257 * 256 + 1) + 257
    assert sum(weight.numel() for weight in network.parameters()) == expected
