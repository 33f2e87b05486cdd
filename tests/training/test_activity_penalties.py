"""Penalties on weights and activity against plain sums, and the noise that one of them stands for.

With x_i = a_i + c |a_i|^(β/2) ξ_i on hidden units and K outputs, the mean squared error has the expectation

    E[L] = L₀ + (c²/K) Σ_i |a_i|^β ‖J_·i‖² + O(c⁴),        J = ∂y/∂a

exactly and without the rest where what follows is linear: then J = W, and it is the penalty weighted-activity of
strength c²/K and power β. Expectations are cubatures here, never samples.
"""

from itertools import product

import numpy as np
import pytest
import torch
from torch import nn

from recombine.core.errors import InputError
from recombine.data import Problem, tasks
from recombine.models import Interface, ModelSpec, models
from recombine.models.feedforward_network import FeedforwardNetwork
from recombine.splits import regions
from recombine.studies import Experiment
from recombine.training import Plan, Recipe, noises, penalties, run, run_stack
from recombine.training.loop import Member, fit
from recombine.training.objective import Objective
from recombine.training.penalties import powered
from recombine.training.run import build

torch.set_num_threads(1)

SINES = Problem(tasks.parallel(parts=3, levels=4), regions.several(count=2, low=2), examples=60, centres="uniform")
BUMPS = Problem(tasks.bump(n=(4, 8)), regions.corner(x=5, y=2))
SQUARE = Problem(tasks.bump(n=5, encoding="one-hot"), regions.corner(x=3, y=3))


def doubled(spec, inputs=4, image=(1, 3), seed=0):
    network = spec.build(Interface(inputs, (6,) * 2, image), torch.Generator().manual_seed(seed)).double()
    generator = torch.Generator().manual_seed(seed + 1)
    codes = torch.randn(3, inputs, generator=generator, dtype=torch.float64)
    targets = torch.randn(3, *image, generator=generator, dtype=torch.float64)
    return network, codes, targets


def stages_of(network, codes):
    return {name: stage.detach() for name, stage in network.stages(codes)}


# Against plain sums


CUT = {"widths": (6, 9), "modules": 3}
NETWORKS = {
    "dense": models.feedforward(widths=(5, 7)),
    "cut": models.feedforward(**CUT),
    "soft": models.feedforward(**CUT, crossing=0.5, bias=False, nonlinearity="tanh"),
    "mlp": models.mlp(width=5, depth=2),
}
each_network = pytest.mark.parametrize("spec", NETWORKS.values(), ids=NETWORKS)


def layered(spec):
    return doubled(spec, inputs=3)


@each_network
@pytest.mark.parametrize("power", [1, 2])
def test_size_of_weights_is_the_sum_over_weights_as_they_act_without_biases(spec, power):
    network, _, _ = layered(spec)
    plain = sum(abs(weight.item()) ** power for matrix in network.matrices() for weight in matrix.flatten())
    found = penalties.weights(power=power).term(network, {}, strength=0.3)
    assert found.item() == pytest.approx(0.3 * plain)


def test_a_network_of_another_kind_counts_every_weight_of_more_than_one_axis():
    network = build(SQUARE, models.forced_rendering(), 0)
    plain = sum(parameter.square().sum().item() for parameter in network.parameters() if parameter.ndim > 1)
    assert penalties.weights().size(network, {}).item() == pytest.approx(plain, rel=1e-5)
    assert any(parameter.ndim == 1 for parameter in network.parameters())


@each_network
@pytest.mark.parametrize("power", [1.0, 1.5, 2.0, 3.0])
def test_size_of_activity_is_the_mean_over_examples_of_the_sum_over_units(spec, power):
    network, codes, _ = layered(spec)
    stages = stages_of(network, codes)
    plain = sum(abs(a.item()) ** power for name in network.layer_names for a in stages[name].flatten()) / len(codes)
    found = penalties.activity(power=power).term(network, stages, strength=0.3)
    assert found.item() == pytest.approx(0.3 * plain)


@each_network
@pytest.mark.parametrize("power", [1.0, 1.5, 2.0, 3.0])
def test_weighted_activity_is_the_sum_over_units_and_the_weights_that_read_them(spec, power):
    network, codes, _ = layered(spec)
    stages = stages_of(network, codes)
    plain = 0.0
    for name, reading in zip(network.layer_names, network.matrices()[1:], strict=True):
        for b, i, j in product(range(len(codes)), range(reading.shape[1]), range(reading.shape[0])):
            plain += abs(stages[name][b, i].item()) ** power * reading[j, i].item() ** 2 / len(codes)
    found = penalties.weighted_activity(power=power).term(network, stages, strength=0.3)
    assert found.item() == pytest.approx(0.3 * plain)


@pytest.mark.parametrize("power", [1.0, 1.5, 2.0])
def test_powers_are_powers_and_their_slopes_at_zero_are_finite(power):
    units = torch.tensor([-2.0, 0.0, 0.25], dtype=torch.float64, requires_grad=True)
    raised = powered(units, power)
    torch.testing.assert_close(raised.detach(), torch.tensor([2.0**power, 0, 0.25**power], dtype=torch.float64))
    (slope,) = torch.autograd.grad(raised.sum(), units)
    torch.testing.assert_close(
        slope, torch.tensor([-power * 2 ** (power - 1), 0, power * 0.25 ** (power - 1)], dtype=torch.float64)
    )


@pytest.mark.parametrize("power", [1.0, 1.5, 2.0])
@pytest.mark.parametrize("scale", [0.25, 3.0])
def test_growing_units_with_shrinking_readers_changes_only_weighted_activity_and_by_a_power(power, scale):
    """a → s a, W → W / s keeps the function and multiplies the penalty by s^(power − 2): 2 is blind to it."""
    network, codes, _ = doubled(models.feedforward(widths=(5,), nonlinearity="relu"))
    penalty, answers = penalties.weighted_activity(power=power), network(codes)
    before = penalty.size(network, stages_of(network, codes)).item()
    with torch.no_grad():
        for parameter in network.each[0].parameters():
            parameter.mul_(scale)
        network.each[1].weight.div_(scale)
    torch.testing.assert_close(network(codes), answers)
    after = penalty.size(network, stages_of(network, codes)).item()
    assert after == pytest.approx(scale ** (power - 2) * before)


# The objective


def test_the_objective_is_the_error_plus_every_term():
    network, codes, targets = doubled(models.feedforward(widths=(5, 7)))
    chosen = (penalties.weights(), penalties.activity(power=1.5), penalties.weighted_activity(power=1.0))
    objective = Objective(network, Recipe(penalties=chosen))
    total, error = objective(codes, targets, [{"strength": 0.1}, {"strength": 0.2}, {"strength": 0.4}])
    stages = stages_of(network, codes)
    assert error.item() == pytest.approx((network(codes) - targets).square().mean().item())
    sizes = [penalty.size(network, stages).item() for penalty in chosen]
    assert total.item() == pytest.approx(error.item() + 0.1 * sizes[0] + 0.2 * sizes[1] + 0.4 * sizes[2])


def test_hidden_stages_are_kept_only_where_something_looks_at_them():
    network, codes, _ = doubled(models.feedforward(widths=(5, 7)))
    blind = Objective(network, Recipe(penalties=(penalties.weights(),)))
    looking = Objective(network, Recipe(penalties=(penalties.weights(), penalties.activity())))
    assert tuple(blind.stages(codes, None)) == ("output",)
    assert tuple(looking.stages(codes, None)) == ("layer0", "layer1", "output")


@pytest.mark.parametrize(
    "penalty", [penalties.weights(power=1), penalties.activity(), penalties.weighted_activity()], ids=lambda p: p.kind
)
def test_a_penalty_lowers_what_it_penalises(penalty):
    sizes = {}
    for strength in (0.0, 0.1):
        network = build(SINES, models.feedforward(widths=(8, 8)), 0)
        chosen = type(penalty)(**{**penalty.settings(), "strength": strength})
        fit([Member(network, SINES.training_set(0), Recipe(steps=60, rate=0.01, penalties=(chosen,)), 0)])
        with torch.no_grad():
            stages = dict(network.stages(torch.from_numpy(SINES.task.asked(0).codes)))
            sizes[strength] = penalty.size(network, stages).item()
    assert sizes[0.1] < 0.5 * sizes[0.0]


def test_plans_that_differ_in_strength_share_a_stack_and_those_that_differ_in_power_do_not():
    def shape(penalty):
        recipe = Recipe(penalties=(penalty,))
        return Experiment(problem=SINES, model=models.feedforward(), recipe=recipe, measures=("id_mse",)).shape()

    for kind in ("weights", "activity", "weighted-activity"):
        made = penalties.pick(kind)
        assert shape(made(strength=0.1)) == shape(made(strength=0.2))
        assert shape(made(power=1)) != shape(made(power=2))
    assert shape(penalties.activity()) != shape(penalties.weighted_activity())


# The noise it stands for


def expected_loss(objective, codes, targets, level):
    """E over normal draws of the noisy loss, by a rule that is exact for polynomials of degree three.

    The points ±√n e_i, i = 1..n, with equal weights have the moments of n independent normal numbers up to the third.
    The loss is a mean over examples, so that each example is shown once with every point in place of its draws.
    """
    widths = {name: stage.shape[1] for name, stage in objective.network.stages(codes) if name != "output"}
    count = sum(widths.values())
    points = count**0.5 * torch.cat([torch.eye(count), -torch.eye(count)]).double()
    parts = points.repeat(len(codes), 1).split(list(widths.values()), dim=1)
    shown = [each.repeat_interleave(len(points), dim=0) for each in (codes, targets)]
    return objective(*shown, [], (level, dict(zip(widths, parts, strict=True))))[0]


def test_the_rule_for_expectations_has_the_moments_of_normal_numbers():
    """Through the objective itself: additive noise on a linear network is a quadratic form of known expectation."""
    network, codes, targets = doubled(models.feedforward(widths=(5,), nonlinearity="linear"))
    objective = Objective(network, Recipe(noise=noises.activity(exponent=0.0)))
    plain = (network(codes) - targets).square().mean().item()
    added = 0.5**2 * network.matrices()[1].square().sum().item() / 3
    assert expected_loss(objective, codes, targets, 0.5).item() == pytest.approx(plain + added, rel=1e-12)


READOUTS = {
    "leaky": ({"widths": (5,)}, (1, 3)),
    "relu": ({"widths": (4,), "nonlinearity": "relu"}, (2, 2)),
    "tanh": ({"widths": (4,), "nonlinearity": "tanh", "bias": False}, (1, 2)),
    "cut": ({"widths": (4,), "modules": 2}, (1, 4)),
}


@pytest.mark.parametrize("level", [0.05, 0.8])
@pytest.mark.parametrize("exponent", [0.0, 0.5, 1.0, 1.5, 2.0])
@pytest.mark.parametrize(("settings", "image"), READOUTS.values(), ids=READOUTS)
def test_noise_before_a_linear_readout_adds_exactly_its_variance_times_squared_weights(
    settings, image, exponent, level
):
    """E[L] = L₀ + (c²/K) mean over examples of Σ_ij |a_i|^β W_ji², at any c."""
    network, codes, targets = doubled(models.feedforward(**settings), image=image)
    objective = Objective(network, Recipe(noise=noises.activity(level=level, exponent=exponent)))
    units, readout = stages_of(network, codes)["layer0"], network.matrices()[1].detach()
    outputs = image[0] * image[1]
    added = level**2 / outputs * (units.abs() ** exponent @ readout.square().T).sum() / len(codes)
    plain = (network(codes) - targets).square().mean()
    found = expected_loss(objective, codes, targets, level).item()
    # Where the power is a root, |a| has 1e-6 more: at most 0.4 √1e-6 c² more for an exponent of a half.
    slack = 1e-10 if exponent in (0, 2) else 1e-6 if exponent >= 1 else 1e-3 * level**2
    assert found == pytest.approx((plain + added).item(), abs=slack)


@pytest.mark.parametrize("level", [0.05, 0.5])
@pytest.mark.parametrize("exponent", [1.0, 1.5, 2.0])
@pytest.mark.parametrize(("settings", "image"), READOUTS.values(), ids=READOUTS)
def test_training_with_noise_before_a_linear_readout_is_training_with_the_penalty(settings, image, exponent, level):
    """Same loss and same gradient, of every weight, for strength c²/K and power β."""
    network, codes, targets = doubled(models.feedforward(**settings), image=image)
    noisy = Objective(network, Recipe(noise=noises.activity(level=level, exponent=exponent)))
    penalty = penalties.weighted_activity(strength=level**2 / (image[0] * image[1]), power=exponent)
    penalised = Objective(network, Recipe(penalties=(penalty,)))
    losses = expected_loss(noisy, codes, targets, level), penalised(codes, targets, [penalty.strengths()])[0]
    torch.testing.assert_close(*losses, rtol=0, atol=1e-6)
    gradients = [torch.autograd.grad(loss, list(network.parameters())) for loss in losses]
    for (name, _), ours, theirs in zip(network.named_parameters(), *gradients, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-6, msg=lambda text, name=name: f"{name}: {text}")


@pytest.mark.parametrize("rate", [0.1, 0.5])
def test_dropout_before_a_linear_readout_is_the_penalty_of_power_two(rate):
    """Strength rate / (1 − rate) / K, by adding up what happens for every set of units that is dropped."""
    network, codes, targets = doubled(models.feedforward(widths=(5,)))
    codes, targets = codes[:1], targets[:1]
    noisy = Objective(network, Recipe(noise=noises.dropout(rate=rate)))
    expected = torch.zeros((), dtype=torch.float64)
    for kept in product((True, False), repeat=5):
        chance = (1 - rate) ** sum(kept) * rate ** (5 - sum(kept))
        draws = torch.where(torch.tensor([kept]), 9.0, -9.0).double()  # far into either tail of the normal
        expected = expected + chance * noisy(codes, targets, [], (rate, {"layer0": draws}))[0]
    penalty = penalties.weighted_activity(strength=rate / (1 - rate) / 3, power=2.0)
    penalised, _ = Objective(network, Recipe(penalties=(penalty,)))(codes, targets, [penalty.strengths()])
    torch.testing.assert_close(expected, penalised)
    for ours, theirs in zip(
        *(torch.autograd.grad(loss, list(network.parameters())) for loss in (expected, penalised)), strict=True
    ):
        torch.testing.assert_close(ours, theirs)


def away_from_bends(nonlinearity, smallest=0.05):
    """A network of two hidden layers and one code at which no sum is near a bend."""
    for seed in range(100):
        network = FeedforwardNetwork(4, (5, 4), (1, 3), nonlinearity).double()
        with torch.no_grad():
            generator = torch.Generator().manual_seed(seed)
            for parameter in network.parameters():
                parameter.copy_(torch.randn(parameter.shape, generator=generator, dtype=torch.float64))
            code = torch.randn(1, 4, generator=generator, dtype=torch.float64)
            sums = [network.each[0](code)]
            sums.append(network.each[1](network.bend(sums[0])))
        if min(each.abs().min() for each in sums) > smallest:
            return network, code, sums
    raise AssertionError("no such network")


@pytest.mark.parametrize("fit_", ["perfect", "poor"])
@pytest.mark.parametrize("exponent", [0.0, 1.0, 1.5, 2.0])
@pytest.mark.parametrize("nonlinearity", ["leaky-relu", "relu", "linear"])
def test_small_noise_in_every_layer_adds_the_squared_jacobians(nonlinearity, exponent, fit_):
    """(E[L] − L₀) / c² → (1/K) Σ_l Σ_i |a_i|^β ‖J_·i‖², J of the whole way to the output, with an error of order c².

    Piecewise linear units have no second derivative, so it holds at a poor fit as well as at a perfect one.
    """
    network, code, (first, second) = away_from_bends(nonlinearity)
    targets = network(code).detach() + (0.0 if fit_ == "perfect" else 1.0)
    slope = {"leaky-relu": 0.1, "relu": 0.0, "linear": 1.0}[nonlinearity]
    _, middle, readout = (matrix.detach() for matrix in network.matrices())
    bends = torch.where(second > 0, 1.0, slope).double()
    jacobians = readout * bends @ middle, readout
    limit = sum(
        (torch.where(sums > 0, sums, slope * sums).abs() ** exponent * jacobian.square().sum(0)).sum().item() / 3
        for sums, jacobian in zip((first, second), jacobians, strict=True)
    )
    objective = Objective(network, Recipe(noise=noises.activity(exponent=exponent)))
    plain = (network(code) - targets).square().mean().item()
    rests = []
    for level in (4e-3, 1e-3):
        found = (expected_loss(objective, code, targets, level).item() - plain) / level**2
        rests.append(abs(found - limit) / limit)
    assert rests[1] < 1e-3
    assert rests[1] < 0.2 * rests[0] or rests[0] < 1e-4


def test_the_penalty_sees_a_layer_through_the_next_weights_only():
    """The exact sum over layers and the penalty agree in the last hidden layer and part in the first."""
    network, code, _ = away_from_bends("leaky-relu")
    stages = stages_of(network, code)
    _, middle, readout = (matrix.detach() for matrix in network.matrices())
    through = (stages["layer0"].abs() @ middle.square().T).sum() + (stages["layer1"].abs() @ readout.square().T).sum()
    assert penalties.weighted_activity(power=1.0).size(network, stages).item() == pytest.approx(through.item())


# Refusals


class Plain(nn.Module):
    """A network that does not tell its layers."""

    def __init__(self):
        super().__init__()
        self.only = nn.Linear(3, 3)

    def forward(self, codes):
        return self.only(codes)[:, None]


class PlainSpec(ModelSpec):
    """A model of a user's own."""

    def network(self, interface):
        return Plain()


@pytest.mark.parametrize("kind", ["activity", "weighted-activity"])
@pytest.mark.parametrize(("model", "name"), [(models.mlp(depth=0), "MlpNetwork"), (PlainSpec(), "Plain")])
def test_a_network_without_hidden_layers_has_no_activity_to_penalise(model, name, kind):
    recipe = Recipe(steps=2, penalties=({"kind": kind},))
    with pytest.raises(InputError, match=f"activity need hidden layers, and {name} has none to show"):
        run(Plan(SINES, model, recipe, 0, ("id_mse",)))


def test_weights_may_be_penalised_in_any_network():
    recipe = Recipe(steps=2, penalties=(penalties.weights(),))
    assert run(Plan(SINES, PlainSpec(), recipe, 0, ("id_mse",))).status == "done"


def test_weighted_activity_needs_a_network_that_says_what_reads_its_layers():
    recipe = Recipe(steps=2, penalties=(penalties.weighted_activity(),))
    with pytest.raises(InputError, match="PerPixelNetwork does not say which weights read its layer 'layer0'"):
        run(Plan(BUMPS, models.per_pixel(width=8), recipe, 0, ("ood_nmse",)))
    assert run(Plan(BUMPS, models.cnn_decoder(width=4), recipe, 0, ("ood_nmse",))).status == "done"


@pytest.mark.parametrize(
    ("kind", "settings", "says"),
    [
        ("weights", {"power": 3}, "weights: power = 3"),
        ("weights", {"strength": -1.0}, "weights: strength = -1.0: .* greater than or equal to 0"),
        ("activity", {"power": 0.5}, "activity: power = 0.5: .* greater than or equal to 1"),
        ("weighted-activity", {"power": 0.0}, "weighted-activity: power = 0.0: .* greater than or equal to 1"),
        ("weighted-activity", {"alpha": 1.0}, "unknown setting of weighted-activity 'alpha'"),
    ],
)
def test_nonsense_is_refused_when_built(kind, settings, says):
    with pytest.raises(InputError, match=says):
        penalties.pick(kind)(**settings)


def test_defaults_are_the_released_ones():
    assert penalties.weights().strengths() == {"strength": 1e-4}
    assert penalties.activity().strengths() == penalties.weighted_activity().strengths() == {"strength": 1e-3}
    assert penalties.weighted_activity().power == penalties.activity().power == 2.0
    assert np.isclose(noises.activity().level, 0.1)


@pytest.mark.parametrize(
    "model", [models.forced_rendering(hidden=1), models.mlp_decoder(width=8, depth=2)], ids=lambda model: model.kind
)
def test_weighted_activity_of_a_stack_is_that_of_its_members(model):
    task = tasks.bump(n=8, dark=False, encoding="one-hot")
    problem = Problem(task, regions.corner(x=4, y=4))
    recipe = Recipe(steps=4, penalties=({"kind": "weighted-activity", "power": 1.0, "strength": 1e-4},))
    plans = [Plan(problem, model, recipe, seed, ("id_mse",)) for seed in (0, 1)]
    together = [outcome.measures["id_mse"] for outcome in run_stack(plans)]
    assert together == pytest.approx([run(plan).measures["id_mse"] for plan in plans], rel=1e-4)


def test_a_single_penalty_needs_no_list():
    for given in ("weights", {"kind": "weights"}, penalties.weights(), ["weights"]):
        assert Recipe.read({"penalties": given}) == Recipe(penalties=(penalties.weights(),))


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("foo", "unknown penalty 'foo'; known: activity,"),
        (["weights", "foo"], "unknown penalty 'foo'; known: activity,"),
        ({"power": 1}, "a penalty needs a 'kind'"),
        (3, "3 is no penalty; give a name"),
    ],
)
def test_what_is_no_penalty_is_refused_with_those_there_are(given, says):
    with pytest.raises(InputError, match=says):
        Recipe.read({"penalties": given})
