"""Layers of units, dense or cut into modules: counts, masks, and the separate networks a masked one is made of."""

import math
from itertools import pairwise

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from recombine.core.errors import InputError
from recombine.models import Interface, models
from recombine.models.feedforward_network import FeedforwardNetwork, linear_reach, module_of

torch.set_num_threads(1)


@pytest.fixture(autouse=True)
def seeded():
    torch.manual_seed(0)


def interface(inputs, outputs):
    return Interface(inputs, (6,) * inputs, (1, outputs))


def build(spec, inputs, outputs, seed=0):
    return spec.build(interface(inputs, outputs), torch.Generator().manual_seed(seed))


def acting(network):
    """Weights that a mask does not make zero, and biases."""
    weights = sum(int((matrix != 0).sum()) for matrix in network.matrices())
    return weights + sum(linear.bias.numel() for linear in network.each if linear.bias is not None)


# Sizes


@pytest.mark.parametrize(
    ("spec", "count"),
    [
        (models.feedforward(widths=(128, 2, 128), modules=2, modular_layers=2), 899),
        (models.feedforward(widths=(128, 2, 128)), 1155),
        (models.feedforward(widths=(128, 128, 128)), 33537),
    ],
    ids=["modular", "bottleneck", "full"],
)
def test_the_networks_of_the_hill_have_the_released_numbers_of_parameters(spec, count):
    assert acting(build(spec, 2, 1)) == count


@pytest.mark.parametrize(
    ("inputs", "widths", "outputs", "modules", "bias"),
    [(4, (32, 32, 32), 4, 1, True), (6, (9, 12), 3, 3, True), (4, (8,), 2, 2, False), (5, (7, 11), 3, 1, False)],
)
def test_a_hard_mask_keeps_one_weight_in_so_many_and_every_bias(inputs, widths, outputs, modules, bias):
    network = build(models.feedforward(widths=widths, modules=modules, bias=bias), inputs, outputs)
    sizes = (inputs, *widths, outputs)
    weights = sum(before * after for before, after in pairwise(sizes))
    assert acting(network) == weights // modules + bias * (sum(widths) + outputs)
    assert network.layer_names == tuple(f"layer{index}" for index in range(len(widths)))


@given(each=st.integers(1, 6), modules=st.integers(1, 6))
@settings(deadline=None)
def test_modules_are_equal_runs_in_order(each, modules):
    assert module_of(each * modules, modules).tolist() == [module for module in range(modules) for _ in range(each)]


# What it computes

BENDS = {
    "leaky-relu": lambda z: torch.where(z > 0, z, 0.1 * z),
    "relu": lambda z: z * (z > 0),
    "linear": lambda z: z,
    "tanh": lambda z: 1 - 2 / (torch.exp(2 * z) + 1),
    "sigmoid": lambda z: 1 / (1 + torch.exp(-z)),
}


@pytest.mark.parametrize("nonlinearity", BENDS)
def test_it_is_the_plain_formula(nonlinearity):
    network = FeedforwardNetwork(3, (5, 7), (2, 4), nonlinearity).double()
    codes = torch.randn(6, 3, dtype=torch.float64)
    hidden = codes
    for name, linear in zip(network.layer_names, network.each, strict=False):
        hidden = BENDS[nonlinearity](hidden @ linear.weight.T + linear.bias)
        torch.testing.assert_close(dict(network.stages(codes))[name], hidden)
    last = network.each[-1]
    torch.testing.assert_close(network(codes), (hidden @ last.weight.T + last.bias).view(6, 2, 4))


def test_a_linear_network_is_linear_and_its_matrix_is_the_product():
    network = FeedforwardNetwork(3, (8, 5, 7), (1, 4), "linear", bias=False).double()
    one, other = torch.randn(2, 6, 3, dtype=torch.float64)
    torch.testing.assert_close(network(2 * one - 3 * other), 2 * network(one) - 3 * network(other))
    first, second, third, last = network.matrices()
    torch.testing.assert_close(network(one)[:, 0], one @ (last @ third @ second @ first).T)
    assert not any(parameter.ndim == 1 for parameter in network.parameters())


@pytest.mark.parametrize("nonlinearity", ["leaky-relu", "relu"])
def test_piecewise_linear_units_without_bias_are_homogeneous(nonlinearity):
    network = FeedforwardNetwork(3, (8, 5), (1, 4), nonlinearity, bias=False).double()
    codes = torch.randn(6, 3, dtype=torch.float64)
    torch.testing.assert_close(network(5 * codes), 5 * network(codes))


def one_module(network, module, modules, nonlinearity, bias):
    """A small network of its own with the weights that a masked one has inside one module."""
    blocks = [
        matrix.unflatten(1, (modules, -1)).unflatten(0, (modules, -1))[module, :, module]
        for matrix in network.matrices()
    ]
    inputs, *widths = (block.shape[1] for block in blocks)
    small = FeedforwardNetwork(inputs, widths, (1, blocks[-1].shape[0]), nonlinearity, bias).double()
    with torch.no_grad():
        for linear, block, whole in zip(small.each, blocks, network.each, strict=True):
            linear.weight.copy_(block)
            if bias:
                linear.bias.copy_(whole.bias.unflatten(0, (modules, -1))[module])
    return small


@pytest.mark.parametrize("nonlinearity", ["leaky-relu", "relu", "tanh", "linear"])
@pytest.mark.parametrize(("modules", "widths", "bias"), [(2, (4, 6), True), (3, (9, 3, 6), True), (3, (6,), False)])
def test_a_masked_network_is_so_many_small_ones_side_by_side(modules, widths, bias, nonlinearity):
    spec = models.feedforward(widths=widths, modules=modules, nonlinearity=nonlinearity, bias=bias)
    network = build(spec, 2 * modules, 3 * modules).double()
    codes = torch.randn(5, 2 * modules, dtype=torch.float64)
    apart = [
        one_module(network, module, modules, nonlinearity, bias)(codes.unflatten(1, (modules, 2))[:, module])
        for module in range(modules)
    ]
    torch.testing.assert_close(network(codes), torch.cat(apart, dim=2))


def test_an_input_of_one_module_moves_no_other_unit_and_teaches_none():
    network = build(models.feedforward(widths=(6, 9), modules=3), 3, 3)
    codes = torch.randn(4, 3)
    moved = codes.clone()
    moved[:, 1] += 100.0
    for (name, before), (_, after) in zip(network.stages(codes), network.stages(moved), strict=True):
        changed = (before != after).flatten(1).any(0)
        assert not changed[module_of(len(changed), 3) != 1].any(), name
    network(codes)[:, 0, 1].sum().backward()
    for index, linear in enumerate(network.each):
        assert not linear.weight.grad[network.mask(index) == 0].any()


@pytest.mark.parametrize("modular_layers", [0, 1, 2, 3, None])
def test_only_the_first_weight_matrices_are_cut(modular_layers):
    spec = models.feedforward(widths=(4, 6), modules=2, modular_layers=modular_layers)
    network = build(spec, 2, 4)
    cut = 3 if modular_layers is None else modular_layers
    assert spec.cut == cut
    for index, matrix in enumerate(network.matrices()):
        assert (network.mask(index) is not None) == (index < cut)
        assert int((matrix == 0).sum()) == (matrix.numel() // 2 if index < cut else 0)


@pytest.mark.parametrize("crossing", [0.0, 0.3, 1.0])
def test_a_soft_mask_scales_the_weights_between_modules(crossing):
    network = build(models.feedforward(widths=(4, 6), modules=2, crossing=crossing), 2, 4)
    for index, (matrix, linear) in enumerate(zip(network.matrices(), network.each, strict=True)):
        same = module_of(matrix.shape[0], 2)[:, None] == module_of(matrix.shape[1], 2)
        torch.testing.assert_close(matrix[same], linear.weight[same])
        torch.testing.assert_close(matrix[~same], crossing * linear.weight[~same])
        assert torch.equal(network.mask(index), torch.where(same, 1.0, crossing))


def test_a_mask_of_ones_changes_nothing():
    codes = torch.randn(3, 4)
    dense, softest = (
        build(models.feedforward(widths=(8,), **cut), 4, 2) for cut in ({}, {"modules": 2, "crossing": 1})
    )
    assert torch.equal(dense(codes), softest(codes))


def test_a_mask_is_no_weight_and_is_not_saved():
    network = build(models.feedforward(widths=(4,), modules=2), 2, 2)
    assert set(network.state_dict()) == {f"linears.{i}.{name}" for i in (0, 1) for name in ("weight", "bias")}


# Where it begins


@pytest.mark.parametrize(("modules", "crossing"), [(1, 0.0), (4, 0.0), (4, 0.5), (2, 0.25)])
def test_weights_begin_within_the_bound_of_a_module_and_fill_it(modules, crossing):
    """U(±1/√fan_in), with fan_in = n (1 + (K − 1) crossing²) / K: every other module counts crossing² of one."""
    width = 64
    network = build(models.feedforward(widths=(width, width), modules=modules, crossing=crossing), width, width)
    bound = 1 / math.sqrt(width * (1 + (modules - 1) * crossing**2) / modules)
    for linear in network.each:
        for parameter in (linear.weight, linear.bias):
            assert parameter.abs().max() <= bound * (1 + 1e-6)
            assert parameter.abs().max() > 0.9 * bound
        # Uniform: the variance is bound² / 3, and its estimate from n weights has a standard error of √(4/45n) bound².
        assert linear.weight.square().mean().item() == pytest.approx(
            bound**2 / 3, abs=5 * bound**2 * math.sqrt(4 / 45 / width**2)
        )


def test_matrices_that_are_not_cut_begin_as_those_of_a_dense_network():
    dense = build(models.feedforward(widths=(4, 6)), 2, 4)
    cut = build(models.feedforward(widths=(4, 6), modules=2, modular_layers=1), 2, 4)
    assert torch.equal(dense.each[1].weight, cut.each[1].weight)
    assert torch.equal(dense.each[2].bias, cut.each[2].bias)
    torch.testing.assert_close(cut.each[0].weight, math.sqrt(2) * dense.each[0].weight)


# How far units reach


def test_reach_is_the_sum_of_values_times_squared_weights():
    weight, values = torch.randn(3, 5, dtype=torch.float64), torch.rand(4, 5, dtype=torch.float64)
    plain = sum(values[b, i] * weight[j, i] ** 2 for b in range(4) for i in range(5) for j in range(3))
    torch.testing.assert_close(linear_reach(weight, values), plain)


def test_a_mask_shortens_the_reach():
    network = build(models.feedforward(widths=(4, 6), modules=2, crossing=0.5), 2, 4)
    values = torch.rand(3, 4)
    mask, weight = network.mask(1), network.each[1].weight
    torch.testing.assert_close(network.squared_reach("layer0", values), linear_reach(weight * mask, values))


# Refusals


@pytest.mark.parametrize(
    ("settings_", "says"),
    [
        ({"widths": ()}, "feedforward: widths = .* at least 1"),
        ({"widths": (4, 0)}, "greater than or equal to 1"),
        ({"modules": 0}, "modules = 0"),
        ({"crossing": 1.5}, "crossing = 1.5: .* less than or equal to 1"),
        ({"nonlinearity": "gelu"}, "nonlinearity = 'gelu'"),
        (
            {"widths": (4, 4), "modules": 2, "modular_layers": 4},
            r"modular_layers = 4 is more than the 3 weight matrices of widths \(4, 4\); lower it",
        ),
    ],
)
def test_nonsense_is_refused_when_built(settings_, says):
    with pytest.raises(InputError, match=says):
        models.feedforward(**settings_)


@pytest.mark.parametrize(
    ("inputs", "widths", "outputs", "modular_layers", "odd"),
    [(3, (4,), 2, None, 3), (2, (5,), 2, None, 5), (2, (4, 4), 3, None, 3), (2, (4, 7), 4, 2, 7)],
)
def test_layers_that_modules_do_not_divide_are_refused(inputs, widths, outputs, modular_layers, odd):
    spec = models.feedforward(widths=widths, modules=2, modular_layers=modular_layers)
    with pytest.raises(InputError, match=f"modules = 2 equal parts, and one has {odd} units; use widths"):
        build(spec, inputs, outputs)


def test_what_is_not_cut_may_have_any_size():
    network = build(models.feedforward(widths=(4, 2, 7), modules=2, modular_layers=2), 2, 3)
    assert network(torch.zeros(5, 2)).shape == (5, 1, 3)
    models.feedforward(widths=(7,), modules=5, modular_layers=0).check(interface(3, 2))
