import math
from itertools import pairwise
from statistics import variance

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import digamma
from torch import nn
from torch.nn import functional as F

from recombine.core.errors import InputError
from recombine.models.forced_rendering_network import ForcedRenderingNetwork, entropies, spreads, variations

N = 5
Y, X = 0, 1  # the factors on the first axis of the weights


def network(levels=N, hidden=2, seed=0):
    torch.manual_seed(seed)
    return ForcedRenderingNetwork(levels, hidden)


def one_hot(y, x, levels=N):
    """Codes for level ``y`` and level ``x``, y first; None leaves a factor out."""
    halves = [torch.zeros(levels) if level is None else F.one_hot(torch.tensor(level), levels) for level in (y, x)]
    return torch.cat(halves).float()[None]


def slow_embedding(net, factor, level):
    """E = L diag(λ) R with unit columns of L and unit rows of R, entry by entry."""
    scales, left, right = (array[factor, level].tolist() for array in (net.scales, net.left, net.right))
    steps = range(len(scales))
    picture = torch.zeros(len(scales), len(scales))
    for k in steps:
        length = math.sqrt(sum(left[r][k] ** 2 for r in steps)) * math.sqrt(sum(right[k][c] ** 2 for c in steps))
        for r in steps:
            for c in steps:
                picture[r, c] += scales[k] * left[r][k] * right[k][c] / length
    return picture


def slow_terms(net):
    """Entropy and variance for each factor and level, with plain numbers."""
    found = []
    for factor in (Y, X):
        for level in range(net.scales.shape[1]):
            squares = [scale**2 for scale in net.scales[factor, level].tolist()]
            shares = [max(square / sum(squares), 1e-8) for square in squares]
            columns, rows = net.left[factor, level].T.tolist(), net.right[factor, level].tolist()
            spread = sum(variance(column) for column in columns) + sum(variance(row) for row in rows)
            found.append((-sum(share * math.log(share) for share in shares), spread))
    return found


def test_has_as_many_parameters_as_the_released_network():
    net = network(levels=32)
    count = sum(weight.numel() for weight in net.parameters())
    pictures = net.scales.numel() + net.left.numel() + net.right.numel()
    assert (count, count - pictures) == (133_218, 98)


def test_pictures_are_scaled_products_of_unit_vectors():
    net = network()
    with torch.no_grad():  # norms far from one, so that a forgotten rescaling shows
        net.left.mul_(torch.rand_like(net.scales)[:, :, None, :] + 0.5)
        net.right.mul_(torch.rand_like(net.scales)[:, :, :, None] * 3 + 0.5)
    for name, factor in (("y", Y), ("x", X)):
        pictures = net.embeddings()[name]
        for level in (0, 3):
            torch.testing.assert_close(pictures[level], slow_embedding(net, factor, level), rtol=1e-4, atol=1e-5)


def test_equals_library_layers_on_the_two_pictures():
    net = network(hidden=2)
    codes = torch.randn(4, 2 * N)
    pictures = net.embeddings()
    by_factor = {"y": codes[:, :N], "x": codes[:, N:]}
    channels = [torch.tensordot(by_factor[name], pictures[name], dims=1) for name in ("x", "y")]
    expected = torch.stack(channels, dim=1)
    stages = [expected]
    for slope, convolution in zip(net.slopes, net.convolutions, strict=True):
        stages.append(nn.functional.prelu(stages[-1], slope.weight))
        stages.append(F.conv_transpose2d(stages[-1], convolution.weight, convolution.bias, padding=1))
    told = dict(net.stages(codes))
    assert net.layer_names == ("embedding", "prelu0", "conv0", "prelu1", "conv1", "prelu2")
    for name, stage in zip(net.layer_names, stages[:-1], strict=True):
        torch.testing.assert_close(told[name], stage)
    torch.testing.assert_close(told["output"], stages[-1][:, 0])


def test_the_code_has_y_first_and_the_picture_has_x_first():
    net = network()
    _, picture = next(net.stages(one_hot(y=1, x=3)))
    torch.testing.assert_close(picture[0, 0], net.embeddings()["x"][3])
    torch.testing.assert_close(picture[0, 1], net.embeddings()["y"][1])


def test_an_absent_factor_has_an_empty_picture():
    net = network()
    _, only_x = next(net.stages(one_hot(y=None, x=3)))
    assert not only_x[0, 1].any()
    torch.testing.assert_close(only_x[0, 0], net.embeddings()["x"][3])
    _, only_y = next(net.stages(one_hot(y=1, x=None)))
    assert not only_y[0, 0].any()


def test_only_the_levels_of_the_batch_are_taught():
    net = network()
    net(one_hot(y=1, x=3)).square().sum().backward()
    taught = net.scales.grad.abs().sum(-1) > 0
    assert [row.nonzero().flatten().tolist() for row in taught] == [[1], [3]]


def test_without_hidden_blocks_one_convolution_is_left():
    net = network(hidden=0)
    assert net.layer_names == ("embedding", "prelu0")
    assert net(one_hot(0, 1)).shape == (1, N, N)


@settings(max_examples=25, deadline=None)
@given(factors=st.lists(st.floats(0.1, 10.0), min_size=2, max_size=2), seed=st.integers(0, 50))
def test_lengths_of_the_vectors_do_not_show_in_the_picture(factors, seed):
    net = network(levels=3, seed=seed)
    before = net(one_hot(0, 2, levels=3))
    with torch.no_grad():
        net.left.mul_(factors[0])
        net.right.mul_(factors[1])
    torch.testing.assert_close(net(one_hot(0, 2, levels=3)), before, rtol=1e-3, atol=1e-5)


def test_a_single_term_makes_a_picture_of_rank_one():
    net = network()
    with torch.no_grad():
        net.scales[X, 2] = 0
        net.scales[X, 2, 4] = 1.5
    values = torch.linalg.svdvals(net.embeddings()["x"][2])
    torch.testing.assert_close(values, torch.tensor([1.5, 0, 0, 0, 0]), atol=1e-6, rtol=1e-5)


def test_the_regulariser_equals_plain_loops():
    net = network()
    with torch.no_grad():
        net.scales[X, 1, 2:] = 0  # these shares are clamped
        net.left.mul_(1.7)
    terms = slow_terms(net)
    entropy, spread = (sum(column) for column in zip(*terms, strict=True))
    assert net.entropy_term().item() == pytest.approx(entropy, rel=1e-5)
    assert net.variance_term().item() == pytest.approx(spread, rel=1e-5)
    assert net.regulariser(0.1, 0.01).item() == pytest.approx(0.1 * entropy + 0.01 * spread, rel=1e-5)
    assert net.regulariser(0.3, 0.0).item() == pytest.approx(0.3 * entropy, rel=1e-5)
    # By the mean over levels, then the sum over the two factors.
    assert net.regulariser(0.1, 0.01, "mean").item() == pytest.approx((0.1 * entropy + 0.01 * spread) / N, rel=1e-5)


def test_total_variation_equals_plain_loops_and_is_added_when_asked_for():
    net = network()
    total = 0.0
    for factor in (Y, X):
        for level in range(N):
            vectors = [*net.left[factor, level].T.tolist(), *net.right[factor, level].tolist()]
            total += sum(abs(b - a) for vector in vectors for a, b in pairwise(vector)) / (N - 1)
    without = net.regulariser(0.1, 0.01).item()
    assert net.total_variation_term().item() == pytest.approx(total, rel=1e-5)
    assert net.regulariser(0.1, 0.01, total_variation=0.3).item() == pytest.approx(without + 0.3 * total, rel=1e-5)
    by_mean = net.regulariser(0.1, 0.01, "mean", total_variation=0.3).item()
    assert by_mean == pytest.approx((without + 0.3 * total) / N, rel=1e-5)


def test_without_a_weight_total_variation_is_not_computed(monkeypatch):
    monkeypatch.delattr(ForcedRenderingNetwork, "total_variation_term")
    assert network().regulariser(0.1, 0.01).isfinite()


def test_total_variation_of_a_rise_is_between_its_ends_and_of_a_zigzag_is_its_length():
    rising, zigzag = torch.tensor([0.0, 1.0, 5.0, 9.0]), torch.tensor([0.0, 1.0, -1.0])
    # One term: a column of the left of four rows, a row of the right of three columns.
    assert variations(rising[None, :, None], torch.zeros(1, 1, 3)) == pytest.approx([9 / 3])
    assert variations(torch.zeros(1, 4, 1), zigzag[None, None, :]) == pytest.approx([3 / 2])
    assert variations(torch.ones(1, 4, 2), -2 * torch.ones(1, 2, 3)) == pytest.approx([0])


@settings(max_examples=25, deadline=None)
@given(factor=st.floats(-5, 5), shift=st.floats(-5, 5), seed=st.integers(0, 50))
def test_total_variation_ignores_shifts_and_grows_with_scale(factor, shift, seed):
    generator = torch.Generator().manual_seed(seed)
    left, right = (torch.randn(2, *size, generator=generator).double() for size in ((4, 3), (3, 6)))
    changed = variations(factor * left + shift, factor * right + shift)
    torch.testing.assert_close(changed, abs(factor) * variations(left, right))


def test_an_unknown_reduction_is_refused():
    with pytest.raises(InputError, match="by 'sum' or 'mean', got 'max'"):
        network().regulariser(0.1, 0.01, "max")


@settings(max_examples=50, deadline=None)
@given(
    scales=st.lists(st.floats(0.01, 10.0), min_size=2, max_size=9),
    factor=st.floats(0.1, 10.0),
)
def test_entropy_lies_between_one_term_and_equal_terms_and_ignores_scale(scales, factor):
    scales = torch.tensor(scales, dtype=torch.float64)
    entropy = entropies(scales).item()
    assert -1e-12 <= entropy <= math.log(len(scales)) + 1e-12
    assert entropies(factor * scales).item() == pytest.approx(entropy, abs=1e-9)


@pytest.mark.parametrize("terms", [1, 2, 7])
def test_entropy_of_equal_terms_is_the_logarithm_of_their_number(terms):
    scales = torch.zeros(7, dtype=torch.float64)
    scales[:terms] = -0.3
    clamped = (7 - terms) * 1e-8 * math.log(1e8)
    assert entropies(scales).item() == pytest.approx(math.log(terms) + clamped, abs=1e-12)


def test_entropy_of_nothing_is_finite():
    assert entropies(torch.zeros(2, 3)).isfinite().all()


def test_spreads_vanish_for_constant_vectors_and_only_for_them():
    left, right = torch.ones(2, 3, 4) * torch.randn(2, 1, 4), torch.ones(2, 4, 6) * torch.randn(2, 4, 1)
    assert spreads(left, right) == pytest.approx([0, 0], abs=1e-12)
    left[1, 0, 2] += 3  # one entry of three differs by 3: unbiased variance 9 · (1/3 − 1/9) · 3/2 = 3
    assert spreads(left, right) == pytest.approx([0, 3], rel=1e-5)


def test_the_start_is_as_released():
    net = network(levels=32)
    torch.testing.assert_close(net.left.norm(dim=2), torch.ones(2, 32, 32))
    torch.testing.assert_close(net.right.norm(dim=3), torch.ones(2, 32, 32))
    assert net.scales.std().item() == pytest.approx(32**-0.5, rel=0.1)
    assert [slope.weight.item() for slope in net.slopes] == [0.25] * 3
    # Shares of squared normal numbers are Dirichlet(1/2): mean entropy ψ(n/2 + 1) − ψ(3/2).
    assert net.entropy_term().item() / 64 == pytest.approx(digamma(17) - digamma(1.5), rel=0.02)
    # A random unit vector of length n has mean unbiased variance 1/n: 2 · 32 levels, 2 · 32 vectors each.
    assert net.variance_term().item() == pytest.approx(2 * 32 * 2 * 32 / 32, rel=0.02)
