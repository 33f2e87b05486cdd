"""Noise on hidden units: its mean and variance, its special cases, where it acts, and what it does in a stack."""

from math import sqrt

import numpy as np
import pytest
import torch
from torch import nn

from recombine.core.errors import InputError
from recombine.data import Problem, tasks
from recombine.models import ModelSpec, models
from recombine.splits import regions
from recombine.studies import Experiment, change
from recombine.training import Plan, Recipe, noises, penalties, run, run_stack
from recombine.training.loop import Member
from recombine.training.noise import TINY, Draws, amplitude
from recombine.training.objective import Objective
from recombine.training.run import build
from recombine.training.steppers import NoiseOf

torch.set_num_threads(1)

SINES = Problem(
    tasks.parallel(parts=3, levels=4), regions.several(count=2, low=2), examples=60, centres="uniform"
)  # three inputs, three outputs
SQUARE = Problem(tasks.bump(n=5, encoding="one-hot"), regions.corner(x=3, y=3))
NETWORK = models.feedforward(widths=(6, 9))
EXPONENTS = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0)
DRAWS = 100_000


def draws(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


# Its size


@pytest.mark.parametrize("level", [0.1, 0.7])
@pytest.mark.parametrize("exponent", EXPONENTS)
def test_noise_has_no_mean_and_a_variance_that_is_a_power_of_activity(exponent, level):
    """Mean a, variance level² |a|^exponent. Of n draws their standard errors are √(variance/n), √(2/n) variance."""
    units = torch.tensor([-2.5, -0.3, 0.0, 0.01, 0.5, 1.0, 4.0], dtype=torch.float64)
    disturbed = noises.activity(level=level, exponent=exponent).on(units, draws(DRAWS, len(units)), level)
    variance = level**2 * (units.abs() + (TINY if exponent not in (0, 2) else 0)) ** exponent
    assert ((disturbed.mean(0) - units).abs() <= 5 * (variance / DRAWS).sqrt()).all()
    assert ((disturbed.var(0) - variance).abs() <= 5 * sqrt(2 / DRAWS) * variance).all()


@pytest.mark.parametrize("exponent", EXPONENTS)
def test_every_exponent_is_the_one_formula(exponent):
    """a + level |a|^(exponent/2) ξ, the whole numbers with short ways of their own among them."""
    units, xi = draws(4, 5, seed=1), draws(4, 5, seed=2)
    found = noises.activity(level=0.3, exponent=exponent).on(units, xi, 0.3)
    torch.testing.assert_close(found, units + 0.3 * units.abs() ** (exponent / 2) * xi, rtol=0, atol=1e-5)


@pytest.mark.parametrize("exponent", [0.0, 2.0])
def test_special_cases_are_the_limits_of_their_neighbours(exponent):
    units = draws(50, seed=1)
    for near in (exponent + 1e-7, abs(exponent - 1e-7)):
        torch.testing.assert_close(
            amplitude(units, exponent) * torch.ones_like(units), amplitude(units, near), rtol=0, atol=1e-5
        )


@pytest.mark.parametrize("exponent", EXPONENTS)
def test_noise_of_level_zero_changes_nothing(exponent):
    units = draws(7, seed=1)
    assert torch.equal(noises.activity(exponent=exponent).on(units, draws(7), 0.0), units)
    assert torch.equal(noises.dropout().on(units, draws(7), 0.0), units)


@pytest.mark.parametrize("exponent", EXPONENTS)
def test_the_gradient_goes_through_the_noise_and_is_one_where_a_unit_is_silent(exponent):
    units = torch.tensor([0.0, -0.0, 0.6, -1.7], dtype=torch.float64, requires_grad=True)
    xi = draws(4)
    noise = noises.activity(level=0.4, exponent=exponent)
    (slope,) = torch.autograd.grad(noise.on(units, xi, 0.4).sum(), units)
    sizes, signs = units.detach().abs(), units.detach().sign()
    expected = 1 + 0.4 * (exponent / 2) * torch.where(sizes > 0, sizes ** (exponent / 2 - 1), 0) * signs * xi
    assert slope.isfinite().all()
    assert (slope[:2] == 1).all()
    torch.testing.assert_close(slope, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("rate", [0.01, 0.1, 0.5, 0.9])
def test_dropout_silences_its_share_and_raises_the_rest(rate):
    """Mean a, variance a² rate / (1 − rate): multiplicative noise of level² = rate / (1 − rate)."""
    units = torch.full((DRAWS,), -1.4, dtype=torch.float64)
    dropped = noises.dropout(rate=rate).on(units, draws(DRAWS), rate)
    kept = dropped != 0
    assert (~kept).double().mean().item() == pytest.approx(rate, abs=5 * sqrt(rate * (1 - rate) / DRAWS))
    torch.testing.assert_close(dropped[kept], units[kept] / (1 - rate))
    level = sqrt(rate / (1 - rate))
    assert dropped.mean().item() == pytest.approx(-1.4, abs=5 * level * 1.4 / sqrt(DRAWS))


def test_dropout_lets_the_gradient_through_where_a_unit_is_kept():
    units = torch.ones(1000, dtype=torch.float64, requires_grad=True)
    dropped = noises.dropout().on(units, draws(1000), 0.25)
    (slope,) = torch.autograd.grad(dropped.sum(), units)
    torch.testing.assert_close(slope, (dropped.detach() != 0).double() / 0.75)


# Where it acts


def noisy_stages(network, noise, codes, seed=0):
    """The stages of an objective with noise, and the same network's own."""
    objective = Objective(network, Recipe(noise=noise))
    named = Draws(network, noise, codes, [seed]).next()
    stages = objective.stages(codes, (noise.strength, {name: each[0] for name, each in named.items()}))
    return stages, dict(network.stages(codes))


@pytest.mark.parametrize("noise", [noises.activity(exponent=0.0), noises.activity(), noises.dropout(rate=0.5)])
def test_hidden_layers_have_noise_and_the_input_and_the_output_have_none(noise):
    network = build(SINES, NETWORK, 0)
    codes = torch.from_numpy(SINES.training_set(0).codes[:8])
    assert noise.affected(network) == ("layer0", "layer1")
    before = codes.clone()
    stages, plain = noisy_stages(network, noise, codes)
    assert torch.equal(codes, before)
    for name in ("layer0", "layer1"):
        assert (stages[name] != plain[name]).any()
    # What comes in and what goes out are the plain maps of what they are given.
    first = network.bend(network.each[0](codes))
    torch.testing.assert_close(plain["layer0"], first)
    torch.testing.assert_close(stages["output"][:, 0], network.each[-1](stages["layer1"]))


def test_noise_acts_on_the_named_layers_alone():
    network = build(SINES, NETWORK, 0)
    codes = torch.from_numpy(SINES.training_set(0).codes[:8])
    noise = noises.activity(layers=("layer1",))
    stages, plain = noisy_stages(network, noise, codes)
    assert torch.equal(stages["layer0"], plain["layer0"])
    assert (stages["layer1"] != plain["layer1"]).all()
    assert set(Draws(network, noise, codes, [0]).next()) == {"layer1"}


def test_a_drawing_network_has_noise_on_its_activations_and_not_on_what_comes_before_a_bend():
    network = build(SQUARE, models.forced_rendering(), 0)
    codes = torch.from_numpy(SQUARE.training_set(0).codes[:4])
    assert noises.activity().affected(network) == ("prelu0", "prelu1", "prelu2")
    found = Draws(network, noises.activity(), codes, [0, 1]).next()
    assert {name: tuple(each.shape) for name, each in found.items()} == dict.fromkeys(found, (2, 4, 2, 5, 5))


def test_draws_are_a_members_own_and_new_at_every_step():
    network, codes = build(SINES, NETWORK, 0), torch.zeros(4, 3)
    noise = noises.activity()
    together, alone = Draws(network, noise, codes, [5, 6, 5]), Draws(network, noise, codes, [6])
    assert together.total == 4 * (6 + 9)
    for _ in range(3):
        first, only = together.next(), alone.next()
        assert [tuple(each.shape) for each in first.values()] == [(3, 4, 6), (3, 4, 9)]
        for name, each in first.items():
            assert torch.equal(each[1], only[name][0])
            assert torch.equal(each[0], each[2])
            assert not torch.equal(each[0], each[1])
    assert not torch.equal(first["layer0"], together.next()["layer0"])


def test_without_noise_there_are_no_draws():
    member = Member(build(SINES, NETWORK, 0), SINES.training_set(0), Recipe(), 0)
    assert NoiseOf([member]).next(torch.zeros(1, 4, 3)) is None


def test_noise_is_off_when_a_trained_network_is_asked():
    plan = Plan(SINES, NETWORK, Recipe(steps=5, batch=8, noise=noises.activity(level=3.0)), 0, ("id_mse",))
    outcome, network, asked = run(plan), build(SINES, NETWORK, 0), SINES.task.asked(0)
    network.load_state_dict({name: torch.from_numpy(weight) for name, weight in outcome.weights.items()})
    with torch.no_grad():
        wrong = (network(torch.from_numpy(asked.codes)).numpy() - asked.targets)[:, 0]
    trained = np.repeat(SINES.parts.train, SINES.task.asked_each)
    assert outcome.measures["id_mse"] == pytest.approx(np.square(wrong[trained]).mean(), rel=1e-5)


# In a stack

NOISY = {
    "additive": noises.activity(exponent=0.0, level=0.2),
    "poisson": noises.activity(level=0.1),
    "fractional": noises.activity(exponent=1.5),
    "multiplicative": noises.activity(exponent=2.0, level=0.3),
    "dropout": noises.dropout(rate=0.2),
    "one layer": noises.activity(exponent=2.0, layers=("layer0",)),
}


def weights_close(first, second):
    return all(np.allclose(first[name], second[name], rtol=1e-3, atol=1e-5) for name in first)


@pytest.mark.parametrize(
    ("model", "noise"),
    [
        *((NETWORK, noise) for noise in NOISY.values()),
        *((models.mlp(width=8, depth=2), NOISY[name]) for name in ("poisson", "dropout", "one layer")),
    ],
)
def test_a_stack_gives_each_member_what_it_gets_alone(model, noise):
    """Members of other seeds, levels, rates and penalties; few steps, for roots of noise magnify rounding."""
    plans = [
        Plan(
            SINES,
            model,
            Recipe(
                steps=5,
                batch=7,
                optimiser="sgd",
                rate=rate,
                penalties=(penalties.weighted_activity(strength=strength),),
                noise=change(noise, **{noise.strength_name: level}),
            ),
            seed,
            ("id_mse",),
        )
        for seed, rate, strength, level in [(0, 0.1, 0.01, 0.1), (1, 0.05, 0.0, 0.3), (1, 0.1, 0.02, 0.0)]
    ]
    outcomes = run_stack(plans)
    for together, plan in zip(outcomes, plans, strict=True):
        alone = run(plan)
        assert weights_close(together.weights, alone.weights)
        assert together.arrays["losses"] == pytest.approx(alone.arrays["losses"], rel=1e-3)
        assert together.measures == pytest.approx(alone.measures, rel=1e-3)
    assert not weights_close(outcomes[1].weights, run(change_recipe(plans[1], noise=None)).weights)


def change_recipe(plan, **settings):
    return Plan(plan.problem, plan.model, change(plan.recipe, **settings), plan.seed, plan.measures)


@pytest.mark.parametrize("noise", [noises.activity(exponent=2.0), noises.dropout(rate=0.3)], ids=lambda n: n.kind)
@pytest.mark.parametrize("model", [models.forced_rendering(), models.cnn_decoder(width=4)], ids=lambda m: m.kind)
def test_drawing_networks_bear_noise_in_a_stack_as_alone(model, noise):
    square = SQUARE if model.kind == "forced-rendering" else Problem(tasks.bump(n=8), regions.corner(x=5, y=5))
    recipe = Recipe(steps=4, batch=5, optimiser="sgd", rate=0.1, noise=noise)
    plans = [Plan(square, model, recipe, seed, ("ood_nmse",)) for seed in (0, 1)]
    for together, plan in zip(run_stack(plans), plans, strict=True):
        alone = run(plan)
        assert weights_close(together.weights, alone.weights)
        assert not weights_close(alone.weights, run(change_recipe(plan, noise=None)).weights)


def test_plans_that_differ_in_the_strength_of_noise_share_a_stack_and_others_do_not():
    def shape(noise):
        recipe = Recipe(noise=noise)
        return Experiment(problem=SINES, model=NETWORK, recipe=recipe, measures=("id_mse",)).shape()

    assert shape(noises.activity(level=0.1)) == shape(noises.activity(level=0.3))
    assert shape(noises.dropout(rate=0.1)) == shape(noises.dropout(rate=0.3))
    kinds = [None, noises.activity(), noises.activity(exponent=2.0), noises.activity(layers=("layer0",))]
    assert len({shape(noise) for noise in [*kinds, noises.dropout()]}) == 5


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


@pytest.mark.parametrize("noise", [noises.activity(), noises.dropout()], ids=lambda noise: noise.kind)
def test_noise_is_refused_by_a_network_that_does_not_tell_its_layers(noise):
    with pytest.raises(InputError, match="noise acts on hidden layers, and Plain does not tell its own; derive it"):
        run(Plan(SINES, PlainSpec(), Recipe(steps=2, noise=noise), 0, ("id_mse",)))


@pytest.mark.parametrize("model", [NETWORK, models.mlp(width=8, depth=2)], ids=["by hand", "autograd"])
def test_a_layer_that_is_not_there_is_refused_by_name(model):
    noise = noises.activity(layers=("layer1", "layer7"))
    with pytest.raises(InputError, match=r"noise names the layer 'layer7', which \w+ has not; .* are layer0, layer1"):
        run(Plan(SINES, model, Recipe(steps=2, noise=noise), 0, ("id_mse",)))


def test_noise_on_what_comes_before_a_bend_is_refused():
    recipe = Recipe(steps=2, noise=noises.activity(layers=("conv0",)))
    with pytest.raises(InputError, match=r"names the layer 'conv0', .* its layers of units are prelu0, prelu1, prelu2"):
        run(Plan(SQUARE, models.forced_rendering(), recipe, 0, ("ood_nmse",)))


def test_noise_without_a_hidden_layer_is_refused():
    affine = models.mlp(depth=0)
    with pytest.raises(InputError, match="need hidden layers, and MlpNetwork has none to show"):
        run(Plan(SINES, affine, Recipe(steps=2, noise=noises.activity()), 0, ("id_mse",)))


@pytest.mark.parametrize(
    ("kind", "settings", "says"),
    [
        ("activity", {"level": -0.1}, "level = -0.1: .* greater than or equal to 0"),
        ("activity", {"exponent": -1.0}, "exponent = -1.0: .* greater than or equal to 0"),
        ("activity", {"beta": 1.0}, "unknown setting of activity 'beta'"),
        ("dropout", {"rate": 1.0}, "rate = 1.0: .* less than 1"),
    ],
)
def test_nonsense_is_refused_when_built(kind, settings, says):
    with pytest.raises(InputError, match=says):
        noises.pick(kind)(**settings)


def test_a_recipe_without_noise_is_named_as_before():
    assert Recipe(noise=None).digest() == Recipe().digest()
    assert Recipe(noise="activity") == Recipe(noise=noises.activity())
