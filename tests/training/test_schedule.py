"""A rate that falls along half a wave: its formula, and that every way to step follows it as plain torch does."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from recombine.core.errors import InputError
from recombine.data import Problem, tasks
from recombine.models import models
from recombine.splits import regions, supports
from recombine.studies import Experiment
from recombine.training import Recipe
from recombine.training.feedforward_by_hand import FeedforwardByHand
from recombine.training.loop import Member, batches, fit, stepper_for
from recombine.training.mlp_by_hand import MlpByHand
from recombine.training.run import build
from recombine.training.steppers import Alone, Mapped

torch.set_num_threads(1)

BUMP = Problem(tasks.bump(n=(6, 8)), regions.block(y=(2, 4), x=(3, 6)))
SINES = Problem(tasks.parallel(parts=3, levels=4), regions.several(count=2, low=2), examples=30, centres="uniform")
SPRITES = Problem(tasks.sprites(size=8, tests=2), support=supports.random(), examples=20)
MLP = models.mlp_decoder(width=9, depth=2)
PIXELS = models.per_pixel(width=8)
STEPS, BATCH = 9, 4


def cosine(**settings):
    return Recipe(steps=STEPS, batch=BATCH, schedule="cosine", **settings)


# The formula


@given(
    steps=st.integers(1, 500),
    share=st.floats(0, 1),
    rate=st.floats(1e-6, 1.0),
    final_share=st.floats(0, 1),
)
def test_the_rate_is_half_a_wave_between_its_ends(steps, share, rate, final_share):
    final, step = final_share * rate, round(share * steps)
    recipe = Recipe(steps=steps, rate=rate, schedule="cosine", final=final)
    wave = math.cos(math.pi / 2 * step / steps) ** 2  # the same wave by the half angle
    assert recipe.rate_at(step) == pytest.approx(final + (rate - final) * wave, abs=1e-12)
    assert recipe.rate_at(step) + recipe.rate_at(steps - step) == pytest.approx(rate + final)


def test_the_rate_begins_at_rate_is_halfway_in_the_middle_and_final_after_the_last_step():
    recipe = Recipe(steps=10, rate=2e-3, schedule="cosine", final=1e-5)
    rates = [recipe.rate_at(step) for step in range(11)]
    assert rates[0] == 2e-3
    assert rates[5] == pytest.approx((2e-3 + 1e-5) / 2)
    assert rates[10] == pytest.approx(1e-5)
    assert rates == sorted(rates, reverse=True)
    assert len(set(rates)) == 11


def test_a_constant_rate_is_constant_whatever_is_said_of_the_end():
    recipe = Recipe(steps=10, rate=2e-3, final=0.5)
    assert {recipe.rate_at(step) for step in range(10)} == {2e-3}


def test_a_rate_cannot_rise():
    with pytest.raises(
        InputError, match=r"final = 0\.1 is the rate at the end of a cosine schedule and must be at most"
    ):
        Recipe(rate=0.01, schedule="cosine", final=0.1)
    assert Recipe(rate=0.01, schedule="cosine", final=0.01).rate_at(7) == 0.01
    with pytest.raises(InputError, match="schedule = 'linear'"):
        Recipe(schedule="linear")


def test_recipes_without_a_schedule_keep_their_names():
    assert Recipe().settings() == {}
    assert Recipe(schedule="constant", final=1e-5).digest() == Recipe().digest()
    assert Recipe(schedule="cosine").digest() != Recipe().digest()


# Stepping


def by_plain_torch(member):
    """The same steps with nothing but torch; the rate is set before each by the formula."""
    recipe, examples, network = member.recipe, member.examples, member.network.train()
    kinds = {"adamw": torch.optim.AdamW, "adam": torch.optim.Adam, "sgd": torch.optim.SGD}
    descent = kinds[recipe.optimiser](network.parameters(), lr=recipe.rate, weight_decay=recipe.decay)
    for step, rows in enumerate(batches(len(examples), recipe.batch, recipe.steps, member.seed)):
        turned = (1 + math.cos(math.pi * step / recipe.steps)) / 2
        descent.param_groups[0]["lr"] = recipe.final + (recipe.rate - recipe.final) * turned
        answers = network(torch.from_numpy(examples.codes[rows]))
        descent.zero_grad()
        (answers - torch.from_numpy(examples.targets[rows])).square().mean().backward()
        descent.step()


def members(problem, model, recipes):
    return [
        Member(build(problem, model, seed), problem.training_set(seed), recipe, seed)
        for seed, recipe in enumerate(recipes)
    ]


def weights(member):
    return torch.nn.utils.parameters_to_vector(member.network.parameters()).detach()


CASES = {
    "alone": (BUMP, PIXELS, 1, Alone),
    "alone, upsampling": (SPRITES, models.compositional(width=6, maps=3), 1, Alone),
    "mapped": (BUMP, PIXELS, 3, Mapped),
    "mapped, components": (SPRITES, models.compositional(family="mlp", width=6, depth=2), 2, Mapped),
    "mlp by hand, one": (BUMP, MLP, 1, MlpByHand),
    "mlp by hand": (BUMP, MLP, 3, MlpByHand),
    "feedforward by hand": (SINES, models.feedforward(widths=(6, 9)), 3, FeedforwardByHand),
}


@pytest.mark.parametrize("alike", [True, False], ids=["one rate", "a rate each"])
@pytest.mark.parametrize(("problem", "model", "count", "stepper"), CASES.values(), ids=CASES)
def test_training_is_a_plain_loop_with_the_rates_of_the_schedule(problem, model, count, stepper, alike):
    """Members of one rate are stepped as one matrix, members of several row by row; both must follow it."""
    rates = [4e-3] * 3 if alike else [4e-3, 1e-2, 1e-3]
    recipes = [cosine(rate=rate, final=5e-4) for rate in rates[:count]]
    ours, plain = members(problem, model, recipes), members(problem, model, recipes)
    assert type(stepper_for(ours)) is stepper
    fit(ours)
    for mine, theirs in zip(ours, plain, strict=True):
        by_plain_torch(theirs)
        torch.testing.assert_close(weights(mine), weights(theirs), rtol=1e-4, atol=2e-5)


@pytest.mark.parametrize("optimiser", ["adamw", "adam", "sgd"])
@pytest.mark.parametrize("model", [MLP, PIXELS], ids=lambda model: model.kind)
def test_a_stack_of_rates_and_decays_is_what_each_is_alone(model, optimiser):
    wide = 10 if optimiser == "sgd" else 1
    recipes = [
        cosine(optimiser=optimiser, rate=wide * rate, final=wide * 1e-4, decay=decay)
        for rate, decay in ((1e-2, 0.0), (3e-3, 0.1), (1e-2, 0.1))
    ]
    together, alone = members(BUMP, model, recipes), members(BUMP, model, recipes)
    fit(together)
    for mine, theirs in zip(together, alone, strict=True):
        fit([theirs])
        torch.testing.assert_close(weights(mine), weights(theirs), rtol=1e-4, atol=2e-5)


def test_a_schedule_changes_what_is_trained_and_a_flat_one_does_not():
    recipes = [Recipe(steps=STEPS, batch=BATCH), cosine(final=1e-3), cosine()]
    constant, flat, falling = (members(BUMP, MLP, [recipe])[0] for recipe in recipes)
    for member in (constant, flat, falling):
        fit([member])
    assert torch.equal(weights(constant), weights(flat))
    assert not torch.allclose(weights(constant), weights(falling), rtol=1e-3)


def test_steppers_set_one_rate_for_a_matrix_and_one_for_each_row():
    same = stepper_for(members(BUMP, MLP, [cosine(), cosine()]))
    same.set_rates([0.5, 0.5])
    assert [group["lr"] for group in same.descent.param_groups] == [0.5]
    apart = stepper_for(members(BUMP, MLP, [cosine(), cosine(rate=1e-2)]))
    apart.set_rates([0.5, 0.25])
    assert [group["lr"] for group in apart.descent.param_groups] == [0.5, 0.25]


def test_rates_share_a_stack_and_ends_of_schedules_do_not():
    """A stack of one rate has one schedule, that of its first member."""

    def shape(**settings):
        return Experiment(problem=BUMP, model=MLP, recipe=cosine(**settings), measures=("ood_nmse",)).shape()

    assert shape(rate=1e-3) == shape(rate=1e-2)
    assert shape(final=1e-5) != shape(final=1e-4)
    assert shape() != Experiment(
        problem=BUMP, model=MLP, recipe=Recipe(steps=STEPS, batch=BATCH), measures=("ood_nmse",)
    ).shape()  # fmt: skip


def test_a_rate_above_one_has_a_shape_too():
    recipe = cosine(optimiser="sgd", rate=4.0, final=2.0)
    experiment = Experiment(problem=BUMP, model=MLP, recipe=recipe, measures=("ood_nmse",))
    assert experiment.shape() == Experiment(
        problem=BUMP, model=MLP, recipe=cosine(optimiser="sgd", rate=3.0, final=2.0), measures=("ood_nmse",)
    ).shape()  # fmt: skip
