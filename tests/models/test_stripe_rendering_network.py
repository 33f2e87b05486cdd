import pytest
import torch
from torch.nn import functional as F

from recombine.models.forced_rendering_network import ForcedRenderingNetwork
from recombine.models.stripe_rendering_network import StripeRenderingNetwork

N = 5
Y, X = 0, 1  # the factors on the first axis of the weights


def network(levels=N, hidden=2, seed=0):
    torch.manual_seed(seed)
    return StripeRenderingNetwork(levels, hidden)


def test_a_level_of_x_is_a_column_profile_and_a_level_of_y_a_row_profile():
    net = network()
    pictures = net.embeddings()
    for level in range(N):
        for row in range(N):
            for column in range(N):
                assert pictures["x"][level, row, column] == net.profiles[X, level, column]
                assert pictures["y"][level, row, column] == net.profiles[Y, level, row]


def test_pictures_have_rank_one():
    values = torch.linalg.svdvals(torch.stack(list(network().embeddings().values())))
    assert (values[..., 1:] < 1e-5).all()
    assert (values[..., 0] > 1e-2).all()


def test_joins_its_pictures_as_the_factored_network_does():
    stripes = network()
    factored = ForcedRenderingNetwork(N, 2)
    with torch.no_grad():  # one term of each picture: the profile times a constant vector
        factored.scales.zero_()
        factored.scales[:, :, 0] = stripes.profiles.norm(dim=2) * N**0.5
        factored.left[Y, :, :, 0], factored.right[Y, :, 0] = stripes.profiles[Y], 1
        factored.left[X, :, :, 0], factored.right[X, :, 0] = 1, stripes.profiles[X]
    rest = {name: value for name, value in stripes.state_dict().items() if name != "profiles"}
    missing, unexpected = factored.load_state_dict(rest, strict=False)
    assert (sorted(missing), unexpected) == (["left", "right", "scales"], [])
    codes = torch.randn(4, 2 * N)
    assert stripes.layer_names == factored.layer_names
    told, expected = dict(stripes.stages(codes)), dict(factored.stages(codes))
    for name in expected:
        torch.testing.assert_close(told[name], expected[name])


def test_what_a_level_looks_like_is_learned_from_any_partner():
    """One example of a level of x teaches its whole stripe: what the factored network needs a regulariser for."""
    net = network()
    code = torch.cat([F.one_hot(torch.tensor(1), N), F.one_hot(torch.tensor(3), N)]).float()[None]
    net(code).square().sum().backward()
    taught = net.profiles.grad.abs() > 0
    assert taught[Y, 1].all()
    assert taught[X, 3].all()
    assert taught.sum() == 2 * N


def test_number_of_parameters_and_their_start():
    net = network(levels=32)
    assert sum(weight.numel() for weight in net.parameters()) == 2 * 32 * 32 + 98
    assert net.profiles.std().item() == pytest.approx(32**-0.5, rel=0.1)
    assert not hasattr(net, "regulariser")
