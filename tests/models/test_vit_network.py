import math

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from recombine.models.vit_network import Block, ViTNetwork, cut_patches

torch.set_num_threads(1)
PICTURE = (2, 8, 12)


@pytest.fixture(autouse=True)
def seeded():
    torch.manual_seed(0)


def small(**changed):
    settings = {
        "picture": PICTURE,
        "patch": 4,
        "dim": 10,
        "hidden": 7,
        "depth": 2,
        "heads": 3,
        "head": 5,
        "dropout": 0.1,
        "image": (1, 1),
    }
    return ViTNetwork(**{**settings, **changed})


def flat(batch, picture=PICTURE):
    return torch.randn(batch, math.prod(picture))


def test_patches_are_the_squares_of_the_picture():
    pictures = torch.randn(3, 2, 6, 9)
    patches = cut_patches(pictures, 3)
    assert patches.shape == (3, 2 * 3, 2 * 3 * 3)
    for row in range(2):
        for column in range(3):
            square = pictures[:, :, 3 * row : 3 * row + 3, 3 * column : 3 * column + 3]
            assert torch.equal(patches[:, 3 * row + column], square.flatten(1))


@pytest.mark.parametrize("picture", [(6, 32, 32), (2, 24, 40)])
@pytest.mark.parametrize("image", [(1, 1), (2, 3)])
def test_number_of_parameters(picture, image):
    network = ViTNetwork(picture, 8, 256, 250, 4, 6, 64, 0.1, image).eval()
    channels, rows, columns = picture
    tokens, inner = 1 + rows * columns // 64, 6 * 64
    embedding = (64 * channels + 1) * 256 + 256 + tokens * 256
    attention = 256 * 3 * inner + (inner + 1) * 256
    block = 4 * 256 + attention + 257 * 250 + 251 * 256
    expected = embedding + 4 * block + 2 * 256 + 257 * image[0] * image[1]
    assert sum(weight.numel() for weight in network.parameters()) == expected
    assert network(flat(2, picture)).shape == (2, *image)


def test_layers_hold_the_tokens_and_then_the_class_token():
    network = small().eval()
    stages = dict(network.stages(flat(4)))
    assert tuple(stages) == (*network.layer_names, "output")
    assert network.layer_names == ("embedding", "block1", "block2", "readout")
    assert [tuple(stages[name].shape) for name in network.layer_names] == [(4, 7, 10)] * 3 + [(4, 10)]
    assert torch.equal(stages["embedding"][:, 0], (network.token + network.positions[0]).expand(4, -1))
    torch.testing.assert_close(stages["readout"], F.layer_norm(stages["block2"][:, 0], (10,)))
    torch.testing.assert_close(stages["output"][:, 0], network.output(stages["readout"]))


def test_attention_is_that_of_the_library():
    """Heads as wide as the tokens together: the one case in which the library has the same layer."""
    block, tokens = Block(dim=12, hidden=7, heads=3, head=4, dropout=0.1).eval(), torch.randn(5, 6, 12)
    library = nn.MultiheadAttention(12, 3, batch_first=True)
    with torch.no_grad():
        library.in_proj_weight.copy_(block.queries_keys_values.weight)
        library.in_proj_bias.zero_()
        library.out_proj.load_state_dict(block.project.state_dict())
    normed = block.attention_norm(tokens)
    attended = tokens + library(normed, normed, normed)[0]
    expected = attended + block.narrow(F.gelu(block.widen(block.hidden_norm(attended))))
    torch.testing.assert_close(block(tokens), expected)


def test_without_positions_the_patches_are_a_set():
    """Rows of patches may then change places; with positions they may not."""
    network, codes = small().eval(), flat(4)
    swapped = codes.view(4, *PICTURE).roll(4, dims=2).flatten(1)
    assert not torch.allclose(network(codes), network(swapped), atol=1e-4)
    nn.init.zeros_(network.positions)
    torch.testing.assert_close(network(codes), network(swapped))


def test_dropout_acts_in_training_only_and_follows_the_global_generator():
    network, codes = small(), flat(4)
    with torch.random.fork_rng():
        torch.manual_seed(0)
        first = network(codes)
        other = network(codes)
        torch.manual_seed(0)
        assert torch.equal(network(codes), first)
    assert not torch.equal(first, other)
    network.eval()
    assert torch.equal(network(codes), network(codes))


def test_dropout_reaches_the_embeddings_at_its_rate():
    network = small(dim=200, dropout=0.25)
    kept, dropped = (dict(network.train(mode).stages(flat(50)))["embedding"] for mode in (False, True))
    silent = (dropped == 0).float().mean().item()
    n = kept.numel()
    assert silent == pytest.approx(0.25, abs=5 * math.sqrt(0.25 * 0.75 / n))
    assert not (kept == 0).any()
