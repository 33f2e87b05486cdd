"""The backward pass written out for feedforward networks with noise and penalties is autograd's.

In double precision, where rounding is far below anything that a wrong term would do.
"""

import pytest
import torch

from recombine.data import Problem, tasks
from recombine.models import Interface, models
from recombine.splits import regions
from recombine.studies import change
from recombine.training import Plan, Recipe, noises, penalties, run, run_stack
from recombine.training.feedforward_by_hand import FeedforwardByHand
from recombine.training.loop import Member, fit, stepper_for
from recombine.training.run import build
from recombine.training.steppers import Alone, Mapped

torch.set_num_threads(1)

SINES = Problem(tasks.parallel(parts=3, levels=4), regions.several(count=2, low=2), examples=60, centres="uniform")
INTERFACE = Interface(inputs=3, levels=(4, 4, 4), image=(2, 3))
BATCH = 5

NETWORKS = {
    "dense": models.feedforward(widths=(4, 7)),
    "one layer": models.feedforward(widths=(5,), nonlinearity="relu"),
    "relu, cut": models.feedforward(widths=(6, 9), nonlinearity="relu", modules=3),
    "soft": models.feedforward(widths=(6, 9), modules=3, crossing=0.4),
    "cut at first, no bias": models.feedforward(widths=(6, 3, 4), modules=3, modular_layers=2, bias=False),
    "linear, no bias": models.feedforward(widths=(4, 7), nonlinearity="linear", bias=False),
    "linear, soft": models.feedforward(widths=(6, 3), nonlinearity="linear", modules=3, crossing=0.7),
}
PENALTIES = {
    "weights 1": (penalties.weights(power=1),),
    "weights 2": (penalties.weights(power=2),),
    **{f"activity {power:g}": (penalties.activity(power=power),) for power in (1.0, 1.5, 2.0)},
    **{f"weighted {power:g}": (penalties.weighted_activity(power=power),) for power in (1.0, 1.5, 2.0)},
}
ALL = (penalties.weights(), penalties.activity(power=1.5), penalties.weighted_activity(power=1.0))
NOISES = {
    "additive": noises.activity(exponent=0.0),
    "poisson": noises.activity(exponent=1.0),
    "fractional": noises.activity(exponent=1.5),
    "multiplicative": noises.activity(exponent=2.0),
    "cubic": noises.activity(exponent=3.0),
    "dropout": noises.dropout(),
    "one layer": noises.activity(layers=("layer0",)),
}
STRENGTHS = (0.05, 0.0, 0.2)  # of each member, for penalties and noise alike


@pytest.fixture
def in_double():
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


def members(model, penalties_=(), noise=None, **settings):
    """Three of them, that differ in weights, in strengths and in the seed of their noise."""
    plain = {"batch": BATCH, "optimiser": "sgd", "rate": 0.1, "decay": 0.01, **settings}
    recipes = [
        Recipe(
            **plain,
            penalties=tuple(change(penalty, strength=strength) for penalty in penalties_),
            noise=noise and change(noise, **{noise.strength_name: strength}),
        )
        for strength in STRENGTHS
    ]
    return [
        Member(model.build(INTERFACE, torch.Generator().manual_seed(seed)), SINES.training_set(0), recipe, seed)
        for seed, recipe in enumerate(recipes)
    ]


def batches(steps):
    generator = torch.Generator().manual_seed(3)
    for _ in range(steps):
        yield (
            torch.randn(len(STRENGTHS), BATCH, INTERFACE.inputs, generator=generator),
            torch.randn(len(STRENGTHS), BATCH, *INTERFACE.image, generator=generator),
        )


def same_steps(make, steps=3, rtol=1e-8):
    """By hand, mapped over members, and the last member alone: losses at every step and weights at the end."""
    by_hand, mapped, alone = make(), make(), make()[-1]
    assert FeedforwardByHand.fits(by_hand)
    hand, auto, single = FeedforwardByHand(by_hand), Mapped(mapped), Alone(alone)
    started = [[weight.detach().clone() for weight in member.network.parameters()] for member in by_hand]
    for codes, targets in batches(steps):
        auto.step(codes, targets)
        single.step(codes[-1:], targets[-1:])
        hand.step(codes, targets.clone())
        torch.testing.assert_close(hand.losses(), auto.losses(), rtol=rtol, atol=rtol)
        torch.testing.assert_close(hand.losses()[-1:], single.losses(), rtol=rtol, atol=rtol)
    hand.finish()
    auto.finish()
    pairs = [*zip(by_hand, mapped, started, strict=True), (by_hand[-1], alone, started[-1])]
    for ours, theirs, before in pairs:
        for left, right, start in zip(ours.network.parameters(), theirs.network.parameters(), before, strict=True):
            torch.testing.assert_close(left, right, rtol=rtol, atol=rtol)
            assert not torch.equal(left, start)


@pytest.mark.usefixtures("in_double")
@pytest.mark.parametrize("chosen", PENALTIES.values(), ids=PENALTIES)
@pytest.mark.parametrize("model", [NETWORKS["dense"], NETWORKS["relu, cut"], NETWORKS["linear, soft"]], ids="abc")
def test_every_penalty_has_the_gradient_of_autograd(model, chosen):
    same_steps(lambda: members(model, chosen))


@pytest.mark.usefixtures("in_double")
@pytest.mark.parametrize("noise", NOISES.values(), ids=NOISES)
@pytest.mark.parametrize("name", ["dense", "relu, cut", "cut at first, no bias", "linear, soft"])
def test_every_noise_with_all_penalties_has_the_gradient_of_autograd(name, noise):
    same_steps(lambda: members(NETWORKS[name], ALL, noise))


@pytest.mark.usefixtures("in_double")
@pytest.mark.parametrize("model", NETWORKS.values(), ids=NETWORKS)
def test_without_noise_or_penalties_it_is_plain_descent(model):
    same_steps(lambda: members(model))


@pytest.mark.usefixtures("in_double")
@pytest.mark.parametrize("settings", [{"optimiser": "adamw", "decay": 0.1}, {"optimiser": "adam"}, {"clip": 0.05}])
def test_every_optimiser_and_clipping_step_alike(settings):
    rate = 0.1 if "clip" in settings else 0.01
    same_steps(lambda: members(NETWORKS["soft"], ALL, NOISES["poisson"], **{"rate": rate, **settings}), steps=5)


@pytest.mark.parametrize("name", ["poisson", "dropout"])
def test_in_single_precision_twenty_steps_agree_to_rounding(name):
    same_steps(lambda: members(NETWORKS["dense"], ALL, NOISES[name]), steps=20, rtol=1e-5)


@pytest.mark.usefixtures("in_double")
def test_units_that_are_silent_stay_out_of_the_way():
    """All sums at or below 0: every slope is 0, and roots at 0 must not make it nan."""

    def silent():
        found = members(NETWORKS["one layer"], ALL, NOISES["poisson"])
        with torch.no_grad():
            for member in found:
                member.network.each[0].weight.zero_()
                member.network.each[0].bias.fill_(-1.0)
        return found

    hand, auto = silent(), silent()
    steppers = FeedforwardByHand(hand), Mapped(auto)
    for codes, targets in batches(3):
        for stepper in steppers:
            stepper.step(codes, targets.clone())
        torch.testing.assert_close(*(stepper.losses() for stepper in steppers))
        assert steppers[0].losses().isfinite().all()


@pytest.mark.usefixtures("in_double")
def test_losses_are_those_before_the_step_and_hold_the_error_apart():
    (member,) = members(NETWORKS["soft"], ALL)[:1]
    codes, targets = (each[:1] for each in next(batches(1)))
    network, strength = member.network, STRENGTHS[0]
    with torch.no_grad():
        stages = dict(network.stages(codes[0]))
        error = (stages["output"] - targets[0]).square().mean()
        terms = [strength * penalty.size(network, stages) for penalty in ALL]
    hand = FeedforwardByHand([member])
    hand.step(codes, targets)
    torch.testing.assert_close(hand.losses(), torch.stack([error + sum(terms), error])[None])


@pytest.mark.usefixtures("in_double")
def test_what_a_hard_mask_cuts_is_never_trained():
    found = members(NETWORKS["relu, cut"], ALL, NOISES["poisson"], decay=0.0)
    before = [[linear.weight.detach().clone() for linear in member.network.each] for member in found]
    hand = FeedforwardByHand(found)
    for codes, targets in batches(4):
        hand.step(codes, targets)
    hand.finish()
    for member, started in zip(found, before, strict=True):
        for index, (linear, start) in enumerate(zip(member.network.each, started, strict=True)):
            cut = member.network.mask(index) == 0
            assert torch.equal(linear.weight[cut], start[cut])
            assert (linear.weight[~cut] != start[~cut]).any()


def test_a_member_that_stops_keeps_its_weights():
    found = members(NETWORKS["dense"], ALL, NOISES["poisson"])
    hand = FeedforwardByHand(found)
    kept = None
    for step, (codes, targets) in enumerate(batches(4)):
        if step == 2:
            hand.stop(1)
            kept = hand.weights.clone()
        hand.step(codes, targets)
    hand.finish()
    ends = [torch.cat([weight.flatten() for weight in member.network.parameters()]) for member in found]
    assert torch.equal(ends[1], kept[1])
    assert not torch.equal(ends[0], kept[0])


# Which stepper


def test_who_steps_how():
    def stepper(model=NETWORKS["dense"], count=3, **settings):
        return type(stepper_for(members(model, **settings)[:count]))

    assert stepper() is FeedforwardByHand
    assert stepper(count=1) is FeedforwardByHand
    assert stepper(penalties_=ALL, noise=NOISES["dropout"], clip=1.0) is FeedforwardByHand
    assert stepper(loss="mse-l1") is Mapped
    assert stepper(count=1, loss="logistic") is Alone
    for smooth in ("tanh", "sigmoid"):
        assert stepper(models.feedforward(widths=(4,), nonlinearity=smooth)) is Mapped
        assert stepper(models.feedforward(widths=(4,), nonlinearity=smooth), count=1) is Alone
    assert stepper(models.mlp(width=4), noise=NOISES["poisson"]) is Mapped
    assert stepper(models.mlp(width=4), penalties_=ALL) is Mapped


def test_a_frozen_layer_is_left_to_autograd():
    found = members(NETWORKS["dense"])
    found[1].network.each[0].weight.requires_grad_(False)
    assert not FeedforwardByHand.fits(found)


@pytest.mark.parametrize("nonlinearity", ["tanh", "sigmoid"])
def test_smooth_units_bear_noise_and_penalties_in_a_stack_as_alone(nonlinearity):
    model = models.feedforward(widths=(6, 6), nonlinearity=nonlinearity, modules=3, crossing=0.3)
    recipe = Recipe(steps=5, batch=7, optimiser="sgd", rate=0.1, penalties=ALL, noise=NOISES["multiplicative"])
    plans = [Plan(SINES, model, change(recipe, rate=rate), seed, ("id_mse",)) for seed, rate in ((0, 0.1), (1, 0.3))]
    for together, plan in zip(run_stack(plans), plans, strict=True):
        alone = run(plan)
        assert together.measures == pytest.approx(alone.measures, rel=1e-3)
        for name, weight in alone.weights.items():
            assert together.weights[name] == pytest.approx(weight, abs=1e-5)


def test_networks_of_other_masks_are_trained_one_by_one():
    """Masks are buffers, and members of a stack share theirs."""
    recipe = Recipe(steps=4, batch=6)
    models_ = [models.feedforward(widths=(6,), modules=3, crossing=crossing) for crossing in (0.0, 0.5)]
    together, alone = ([Member(build(SINES, m, 0), SINES.training_set(0), recipe, 0) for m in models_] for _ in "ab")
    fit(together)
    for member in alone:
        fit([member])
    for ours, theirs in zip(together, alone, strict=True):
        for left, right in zip(ours.network.parameters(), theirs.network.parameters(), strict=True):
            torch.testing.assert_close(left, right)
