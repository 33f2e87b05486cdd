"""A trained network asked again: each disturbance against the same thing done by hand."""

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F

from recombine.core.seeds import stream
from recombine.data import tasks
from recombine.measures import probe_names, prune
from recombine.models import Interface, models
from recombine.models.feedforward_network import FeedforwardNetwork
from recombine.training.probing import DIFFERENTIATED, EXPONENTS, Probes

torch.set_num_threads(1)

TASK = tasks.parallel(parts=3, levels=5)
POINTS = stream(0, "points").uniform(-2, 2, size=(300, 3))
CUT = {"widths": (9, 6), "modules": 3}


def build(spec, task=TASK, seed=0):
    units = task.code(POINTS[:1]).shape[1]
    return spec.build(Interface(units, task.grid.shape, (1, 3)), torch.Generator().manual_seed(seed)).eval()


def probes(network, task=TASK, points=POINTS, seed=0):
    return Probes(task, network, points, seed)


def answers(network, codes):
    with torch.no_grad():
        return network(torch.from_numpy(codes)).flatten(1).double().numpy()


NETWORKS = {
    "dense": models.feedforward(widths=(8, 6)),
    "cut": models.feedforward(**CUT),
    "soft": models.feedforward(**CUT, crossing=0.3, nonlinearity="tanh"),
    "mlp": models.mlp(width=8, depth=2),
}
each_network = pytest.mark.parametrize("spec", NETWORKS.values(), ids=NETWORKS)


# A mapping


def test_it_is_a_mapping_of_all_probes_in_order():
    found = probes(build(NETWORKS["dense"]))
    assert tuple(found) == probe_names()
    assert len(found) == len(probe_names())
    for name, answer in found.items():
        assert answer.shape == ((3, 3) if name == "sensitivity" else (300, 3))
        assert answer.dtype == np.float64
        assert np.isfinite(answer).all()


def test_what_was_computed_is_kept():
    found = probes(build(NETWORKS["dense"]))
    assert found["poisson 0.1"] is found["poisson 0.1"]
    assert list(found.found) == ["poisson 0.1"]


@pytest.mark.parametrize("name", ["shift", "shift 3", "gaussian 0.1", "pruned sensitivity", "pruned pruned"])
def test_a_probe_of_another_name_is_not_there(name):
    found = probes(build(NETWORKS["dense"]))
    with pytest.raises(KeyError, match=name):
        found[name]
    assert name not in found


def test_a_network_without_plain_weight_matrices_has_no_probes():
    network = nn.Sequential(nn.Linear(3, 3), nn.Unflatten(1, (1, 3)))
    found = probes(network)
    assert (len(found), list(found)) == (0, [])
    with pytest.raises(KeyError, match="shift 1"):
        found["shift 1"]


def test_the_network_and_the_points_are_left_as_they_were():
    network, points = build(NETWORKS["soft"]).train(), POINTS.copy()
    before = {name: weight.clone() for name, weight in network.state_dict().items()}
    dict(probes(network, points=points))
    assert np.array_equal(points, POINTS)
    assert network.training
    assert all(torch.equal(weight, before[name]) for name, weight in network.state_dict().items())
    assert all(weight.grad is None for weight in network.parameters())


# Inputs out of range


@each_network
@pytest.mark.parametrize("name", ["shift 0.1", "shift 1000", "scale 2", "scale 8"])
def test_shifts_and_scales_move_the_first_input_and_no_other(spec, name):
    network, (kind, size) = build(spec), name.split()
    moved = POINTS.copy()
    moved[:, 0] = moved[:, 0] + float(size) if kind == "shift" else moved[:, 0] * float(size)
    found = probes(network)[name]
    assert np.array_equal(found, answers(network, moved.astype(np.float32)))
    if spec == NETWORKS["cut"]:
        assert np.array_equal(found[:, 1:], answers(network, POINTS.astype(np.float32))[:, 1:])
        assert (found[:, 0] != answers(network, POINTS.astype(np.float32))[:, 0]).any()


def test_a_shift_is_one_of_the_input_and_not_of_its_code():
    task = tasks.parallel(parts=3, levels=5, encoding={"kind": "bump", "sigma": 0.5})
    network = build(NETWORKS["dense"], task)
    moved = POINTS + np.array([1.0, 0.0, 0.0])
    assert np.array_equal(probes(network, task)["shift 1"], answers(network, task.code(moved)))
    assert probes(network, task)["sensitivity"].shape == (3, 15)


# Noise


@pytest.mark.parametrize("kind", EXPONENTS)
def test_noisy_answers_repeat_for_a_seed_and_differ_for_another(kind):
    network = build(NETWORKS["dense"])
    first, again, other = (probes(network, seed=seed)[f"{kind} 0.1"] for seed in (4, 4, 5))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


@each_network
@pytest.mark.parametrize("kind", EXPONENTS)
def test_more_noise_is_more_error(spec, kind):
    network = build(spec)
    plain, found = answers(network, POINTS.astype(np.float32)), probes(network)
    wrong = [np.square(found[f"{kind} {size:g}"] - plain).mean() for size in (0.02, 0.05, 0.1, 0.2, 0.4)]
    assert wrong == sorted(wrong)
    assert wrong[0] > 0
    assert wrong[-1] > 100 * wrong[0]  # in a calm range it grows with the square, 400 times


@pytest.mark.parametrize("kind", EXPONENTS)
def test_noise_before_a_linear_readout_has_the_variance_of_the_formula(kind):
    """Mean over items of c² Σ_i |a_i|^β W_ki², within five standard errors of a mean of that many squares."""
    network = build(models.feedforward(widths=(8,)))
    codes = torch.from_numpy(POINTS.astype(np.float32))
    with torch.no_grad():
        units = dict(network.stages(codes))["layer0"].abs() ** EXPONENTS[kind]
        variances = (0.2**2 * units @ network.matrices()[1].square().T).numpy()
    off = probes(network)[f"{kind} 0.2"] - answers(network, codes.numpy())
    error = np.sqrt(2 * np.square(variances).sum(axis=0)) / len(POINTS)
    assert (np.abs(np.square(off).mean(axis=0) - variances.mean(axis=0)) < 5 * error).all()


# Sensitivity


@pytest.mark.parametrize("settings", [{"widths": (8, 5)}, {**CUT, "crossing": 0.2}, CUT], ids=["dense", "soft", "cut"])
def test_the_sensitivity_of_a_linear_network_is_the_size_of_its_product(settings):
    network = build(models.feedforward(nonlinearity="linear", bias=False, **settings))
    first, second, third = (matrix.detach().double().numpy() for matrix in network.matrices())
    assert probes(network)["sensitivity"] == pytest.approx(np.abs(third @ second @ first), abs=1e-6)


@each_network
def test_sensitivity_is_the_mean_size_of_finite_differences(spec):
    network, few = build(spec), POINTS[:40]
    found = probes(network, points=few)["sensitivity"]
    network.double()
    step, expected = 1e-6, np.zeros((3, 3))
    for unit in range(3):
        above, below = (answers(network, few + sign * step * np.eye(3)[unit]) for sign in (1, -1))
        expected[:, unit] = np.abs(above - below).mean(axis=0) / (2 * step)
    assert found == pytest.approx(expected, abs=1e-4)


def test_sensitivity_is_taken_at_some_of_many_points():
    """A linear network has the same everywhere; a bent one is looked at all along the list, not at its beginning."""
    many = np.repeat(np.array([[-1.0], [1.0]]), 3 * DIFFERENTIATED, axis=0)
    network = FeedforwardNetwork(1, (1,), (1, 1), "relu", bias=False)
    with torch.no_grad():
        for weight in network.parameters():
            weight.fill_(1.0)  # the slope is 0 in the first half and 1 in the second
    found = probes(network, tasks.parallel(parts=1), many)["sensitivity"]
    assert found == pytest.approx(np.array([[0.5]]))


# Pruning


def two_sizes(spec, seed=0):
    """A network whose weights are of two sizes, far apart, and which of them are large."""
    network = build(spec)
    rng, large = stream(seed, "weights"), []
    with torch.no_grad():
        for linear in network.each:
            keep = rng.random(linear.weight.shape) < 0.5
            sizes = np.where(keep, 1.0, 1e-4) * 10 ** rng.normal(0, 0.1, keep.shape) * rng.choice([-1, 1], keep.shape)
            linear.weight.copy_(torch.from_numpy(sizes))
            large.append(keep)
    return network, large


@pytest.mark.parametrize("name", ["dense", "cut"])
def test_pruning_takes_the_small_weights_and_leaves_the_large_ones_and_the_biases(name):
    network, large = two_sizes(NETWORKS[name])
    found = probes(network)
    hidden = torch.from_numpy(POINTS.astype(np.float32))
    for matrix, linear, keep in zip(network.matrices(), network.each, large, strict=True):
        hidden = F.linear(hidden, matrix.detach() * torch.from_numpy(keep), linear.bias.detach())
        hidden = hidden if linear is network.each[-1] else F.leaky_relu(hidden, 0.1)
    assert found["pruned"] == pytest.approx(hidden.double().numpy(), abs=1e-5)
    pruned = found._pruned.matrices()
    for ours, kept, keep in zip(
        pruned, prune([each.detach().numpy() for each in network.matrices()]), large, strict=True
    ):
        assert np.array_equal(ours.detach().numpy(), kept)
        assert not ours[torch.from_numpy(~keep)].any()
    assert not np.array_equal(found["pruned"], answers(network, POINTS.astype(np.float32)))


def test_the_pruned_network_is_shifted_as_the_whole_one_is():
    network, _ = two_sizes(NETWORKS["dense"])
    found, moved = probes(network), POINTS + np.array([10.0, 0.0, 0.0])
    assert np.array_equal(found["pruned shift 10"], answers(found._pruned, moved.astype(np.float32)))
    assert not np.array_equal(found["pruned shift 10"], found["shift 10"])


def test_pruning_stops_the_leak_of_a_network_that_is_modular_but_for_small_weights():
    network = build(models.feedforward(widths=(9, 6)))
    mask = build(models.feedforward(**CUT))
    rng = stream(1, "weights")
    with torch.no_grad():
        for index, linear in enumerate(network.each):
            inside = mask.mask(index).numpy() == 1
            sizes = np.where(inside, 1.0, 1e-4) * 10 ** rng.normal(0, 0.05, inside.shape)
            linear.weight.copy_(torch.from_numpy(sizes))
    found = probes(network)
    leak = np.abs(found["shift 1000"] - answers(network, POINTS.astype(np.float32)))[:, 1:].max()
    assert leak > 0.1
    assert np.array_equal(found["pruned shift 1000"][:, 1:], found["pruned"][:, 1:])
