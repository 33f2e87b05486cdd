"""A stack gives each member what it gets alone: same weights, same history, same measures."""

from importlib import import_module

import numpy as np
import pytest
import torch
from torch import nn

from recombine.data import Problem, tasks
from recombine.models import ModelSpec, models
from recombine.models.readers import PictureReader
from recombine.models.scene_specs import SceneSpec
from recombine.splits import regions, supports
from recombine.studies import Experiment, change
from recombine.training import Plan, Recipe, penalties, run, run_stack
from recombine.training.loop import Member, batches, fit, stepper_for
from recombine.training.mlp_by_hand import MlpByHand
from recombine.training.run import build
from recombine.training.steppers import Alone, Mapped

SQUARE = Problem(tasks.bump(n=8, encoding="one-hot"), regions.block(x=(3, 6), y=(2, 5)))
DIGITS = {"set": "digits", "size": 16, "per_category": 20, "total": 60, "questions": 2}
PICTURED = Problem(tasks.addition(values=(-1, 0, 1, 2), images=DIGITS), regions.anchors(first=1, second=1))
SCENES = Problem(tasks.sprites(size=8, tests=4), support=supports.planes(), examples=30)
SMALL = {
    "mlp-decoder": {"width": 12, "depth": 3},
    "cnn-decoder": {"width": 6},
    "rotation-decoder": {"width": 4},
    "per-pixel": {"width": 8},
    "pixel-transformer": {"width": 8, "feedforward": 16},
    "mlp": {"width": 20},
    "encoder": {"width": 3},
    "convnet": {"width": 0.1, "kernel": 3},
    "resnet": {"width": 0.1},
    "vit": {"width": 0.1},
    "monolithic": {"width": 8, "maps": 4},
    "compositional": {"width": 8, "maps": 4},
    "diffusion": {"width": 4, "pairs": 2, "samples": 2},
    "diffusion-unet": {"width": 4, "pairs": 2, "samples": 2},
}
TRAINABLE = {name: cls(**SMALL.get(name, {})) for name, cls in models.items() if cls.trainable} | {
    "forced-rendering-stripe": models.forced_rendering(share="stripe"),
    "monolithic-mlp": models.monolithic(family="mlp", width=8),
    "compositional-mlp": models.compositional(family="mlp", width=8, composition="over"),
    "compositional-relative": models.compositional(family="relative", width=8, maps=6),
}
WITH_PENALTY = (penalties.rendering(entropy=0.05, variance=0.02),)


def weights_close(first, second):
    return all(np.allclose(first[name], second[name], rtol=1e-3, atol=1e-5) for name in first)


@pytest.mark.parametrize("model", TRAINABLE.values(), ids=TRAINABLE)
def test_every_model_trains_in_a_stack_as_it_does_alone(model, monkeypatch):
    """Members with other seeds, rates, decays, held-out sets and numbers of examples."""
    monkeypatch.setattr(import_module("recombine.training.observe"), "DENOISED", 64)  # pictures; many take long
    if isinstance(model, PictureReader):
        base, other = PICTURED, change(PICTURED, split=regions.anchors(first=(0, 2), second=1))
        measure, few = "ood_mse", change(PICTURED, examples=5)
    elif isinstance(model, SceneSpec):
        base, other = SCENES, change(SCENES, support=supports.random(without={"x1": (0.0, 0.5)}))
        measure, few = "all_mse", change(SCENES, examples=12)
    else:
        base, other = SQUARE, change(SQUARE, split=regions.corner(x=5, y=4))
        measure, few = "ood_nmse", change(SQUARE, examples=20, isolated=("y", "x"))
    plans = [
        Plan(base, model, Recipe(steps=25, batch=8), 0, (measure,)),
        Plan(base, model, Recipe(steps=25, batch=8, rate=3e-3), 1, (measure,)),
        Plan(other, model, Recipe(steps=25, batch=8, decay=0.2), 1, (measure,)),
        Plan(few, model, Recipe(steps=25, batch=8), 2, (measure,)),
    ]
    for together, plan in zip(run_stack(plans), plans, strict=True):
        alone = run(plan)
        assert weights_close(together.weights, alone.weights)
        assert together.measures == pytest.approx(alone.measures, rel=1e-3)
        assert together.arrays["losses"] == pytest.approx(alone.arrays["losses"], rel=1e-3)


@pytest.mark.parametrize("loss", ["mse", "logistic"])
@pytest.mark.parametrize("optimiser", ["sgd", "adam"])
def test_whole_batches_losses_scales_and_stopping_are_alike_in_a_stack_and_alone(loss, optimiser):
    """Networks of other initial scales, full batches, either loss, and a loss at which each member stops by itself."""
    problem = Problem(tasks.context(), regions.block(feature1=(0, 2), feature2=(3, 5)))
    rate = {"sgd": 0.1, "adam": 0.01}[optimiser]
    recipe = Recipe(steps=400, batch="all", optimiser=optimiser, rate=rate, decay=0.0, loss=loss, stop=0.3)
    plans = [
        Plan(problem, models.mlp(width=30, scale=scale), recipe, seed, ("ood_accuracy",))
        for seed, scale in enumerate((0.3, 1.0, 1.5))
    ]
    outcomes = run_stack(plans)
    for together, plan in zip(outcomes, plans, strict=True):
        alone = run(plan)
        assert weights_close(together.weights, alone.weights)
        assert together.arrays["losses"] == pytest.approx(alone.arrays["losses"], rel=1e-3)
    ends = [outcome.arrays["steps"][-1] for outcome in outcomes]
    assert len(set(ends)) > 1, ends  # some stop before others, and keep the weights they had then
    for outcome in outcomes:
        assert (outcome.arrays["losses"][:-1] > 0.3).all()


class Peculiar(nn.Module):
    """What a stack cannot hold: a frozen layer, a buffer of its own, or dropout."""

    def __init__(self, inputs, image, how):
        super().__init__()
        self.image, self.how = image, how
        self.first, self.last = nn.Linear(inputs, 16), nn.Linear(16, image[0] * image[1])
        self.first.requires_grad_(how != "frozen")
        self.dropout = nn.Dropout(0.2 if how == "dropout" else 0.0) if how == "dropout" else nn.Identity()
        if how == "buffer":
            self.register_buffer("projection", torch.randn(inputs, inputs))

    def forward(self, codes):
        codes = codes @ self.projection if self.how == "buffer" else codes
        return self.last(self.dropout(torch.relu(self.first(codes)))).unflatten(1, self.image)


class PeculiarSpec(ModelSpec):
    """A model of a user's own."""

    how: str

    def network(self, interface):
        return Peculiar(interface.inputs, interface.image, self.how)


@pytest.mark.parametrize("how", ["frozen", "buffer", "dropout"])
def test_networks_that_cannot_be_stacked_are_trained_one_by_one(how):
    plans = [
        Plan(SQUARE, PeculiarSpec(how=how), Recipe(steps=20, batch=8, rate=1e-2), s, ("id_nmse",)) for s in range(3)
    ]
    for together, plan in zip(run_stack(plans), plans, strict=True):
        alone = run(plan)
        assert weights_close(together.weights, alone.weights)
        assert together.measures == pytest.approx(alone.measures, rel=1e-4)
    if how == "frozen":
        before = build(SQUARE, PeculiarSpec(how=how), 0).first.weight.detach().numpy()
        assert np.array_equal(run(plans[0]).weights["first.weight"], before)


def test_a_member_that_diverges_at_its_last_step_is_failed_and_its_neighbours_are_done():
    model = models.mlp_decoder(width=12, depth=2)
    calm, wild = (Recipe(steps=1, optimiser="sgd", rate=rate) for rate in (0.1, 1e30))
    plans = [Plan(SQUARE, model, recipe, 0, ("ood_nmse",)) for recipe in (calm, wild)]
    done, failed = run_stack(plans)
    assert (done.status, failed.status) == ("done", "failed")
    assert "diverged at the end" in failed.reason


def test_penalties_of_other_strengths_share_a_stack():
    model = models.forced_rendering()
    recipes = [Recipe(steps=30, penalties=(penalties.rendering(entropy=e),)) for e in (0.0, 0.1, 1.0)]
    plans = [Plan(SQUARE, model, recipe, 0, ("ood_nmse",)) for recipe in recipes]
    outcomes = run_stack(plans)
    for together, plan in zip(outcomes, plans, strict=True):
        assert weights_close(together.weights, run(plan).weights)
    assert not weights_close(outcomes[0].weights, outcomes[2].weights)


def test_a_stack_computes_total_variation_for_those_that_ask_and_for_no_one_else():
    recipes = [Recipe(steps=12, penalties=(penalties.rendering(total_variation=c),)) for c in (0.0, 0.02, 0.5)]
    plans = [Plan(SQUARE, models.forced_rendering(), recipe, 0, ("ood_nmse",)) for recipe in recipes]
    for order in (plans, plans[::-1]):  # whoever comes first
        outcomes = run_stack(order)
        for together, plan in zip(outcomes, order, strict=True):
            assert weights_close(together.weights, run(plan).weights)
        assert not weights_close(outcomes[0].weights, outcomes[2].weights)


def test_plans_put_those_that_ask_for_total_variation_into_stacks_of_their_own():
    recipes = [Recipe(penalties=(penalties.rendering(total_variation=c),)) for c in (0.0, 0.02, 0.5)]
    without, little, much = (
        Experiment(problem=SQUARE, model="forced-rendering", recipe=r, measures=("ood_nmse",)).shape() for r in recipes
    )
    assert without != little
    assert little == much


CLIPPED = {name: TRAINABLE[name] for name in ("mlp-decoder", "per-pixel", "forced-rendering")}


@pytest.mark.parametrize("loss", ["mse", "mse-l1"])
@pytest.mark.parametrize("model", CLIPPED.values(), ids=CLIPPED)
def test_gradients_are_clipped_in_a_stack_as_they_are_alone(model, loss):
    """Plain descent, so that the length of a gradient shows."""
    settings = {"steps": 20, "batch": 8, "optimiser": "sgd", "decay": 0.0, "loss": loss}
    plans = [
        Plan(problem, model, Recipe(**settings, rate=rate, clip=0.03), seed, ("ood_nmse",))
        for seed, (problem, rate) in enumerate([(SQUARE, 0.1), (SQUARE, 0.05), (change(SQUARE, examples=9), 0.1)])
    ]
    outcomes = run_stack(plans)
    for together, plan in zip(outcomes, plans, strict=True):
        alone = run(plan)
        assert weights_close(together.weights, alone.weights)
        assert together.arrays["losses"] == pytest.approx(alone.arrays["losses"], rel=1e-3)
        assert alone.status == "done"
    free = run(Plan(SQUARE, model, Recipe(**settings, rate=0.1), 0, ("ood_nmse",)))
    assert not weights_close(outcomes[0].weights, free.weights)


@pytest.mark.parametrize("optimiser", ["adamw", "adam", "sgd"])
@pytest.mark.parametrize("depth", [0, 1, 3])
def test_the_backward_pass_by_hand_is_autograds(depth, optimiser):
    recipe = Recipe(steps=1, batch=5, optimiser=optimiser, rate=0.01)
    problem = Problem(tasks.bump(n=(6, 9)), regions.block(y=(2, 4), x=(3, 6)))
    model = models.mlp_decoder(width=7, depth=depth)
    by_hand, by_autograd = (
        [Member(build(problem, model, s), problem.training_set(s), recipe, s) for s in range(3)] for _ in "ab"
    )
    hand, auto = MlpByHand(by_hand), Mapped(by_autograd)
    for step in range(4):
        rows = torch.from_numpy(np.stack([list(batches(48, 5, 4, s))[step] for s in range(3)]))
        codes, targets = (torch.from_numpy(getattr(problem.everything, name))[rows] for name in ("codes", "targets"))
        hand.step(codes, targets.clone())
        auto.step(codes, targets)
        assert torch.allclose(hand.losses(), auto.losses(), rtol=1e-4)
    hand.finish()
    auto.finish()
    for ours, theirs in zip(by_hand, by_autograd, strict=True):
        for left, right in zip(ours.network.parameters(), theirs.network.parameters(), strict=True):
            assert torch.allclose(left, right, atol=1e-5)


def test_a_member_that_diverges_does_not_disturb_its_neighbours():
    model = models.mlp_decoder(width=12, depth=2)
    calm, wild = Recipe(steps=60, optimiser="sgd", rate=0.1), Recipe(steps=60, optimiser="sgd", rate=1e8)
    plans = [Plan(SQUARE, model, recipe, seed, ("ood_nmse",)) for seed, recipe in enumerate((calm, wild, calm))]
    first, failed, last = run_stack(plans)
    assert failed.status == "failed"
    assert "the loss became" in failed.reason
    assert len(failed.arrays["losses"]) < len(first.arrays["losses"])
    for outcome, plan in ((first, plans[0]), (last, plans[2])):
        assert outcome.status == "done"
        assert weights_close(outcome.weights, run(plan).weights)


def test_one_planted_nan_stays_where_it_is():
    for model in (models.mlp_decoder(width=12, depth=2), models.per_pixel(width=8)):
        members = [
            Member(build(SQUARE, model, s), SQUARE.training_set(s), Recipe(steps=20, batch=8), s) for s in range(3)
        ]
        clean = [Member(build(SQUARE, model, s), SQUARE.training_set(s), Recipe(steps=20, batch=8), s) for s in (0, 2)]
        with torch.no_grad():
            next(members[1].network.parameters())[0, 0] = torch.nan
        histories = fit(members)
        assert [history.diverged is None for history in histories] == [True, False, True]
        fit(clean)
        for stacked, alone in zip((members[0], members[2]), clean, strict=True):
            for left, right in zip(stacked.network.parameters(), alone.network.parameters(), strict=True):
                assert torch.allclose(left, right, atol=1e-5)


def test_who_steps_how():
    def members(model, count, **settings):
        recipe = Recipe(steps=1, **settings)
        return [Member(build(SQUARE, model, s), SQUARE.training_set(s), recipe, s) for s in range(count)]

    assert type(stepper_for(members(TRAINABLE["mlp-decoder"], 3))) is MlpByHand
    assert type(stepper_for(members(TRAINABLE["mlp-decoder"], 3, clip=1.0))) is MlpByHand
    assert type(stepper_for(members(TRAINABLE["mlp-decoder"], 3, loss="mse-l1"))) is Mapped
    assert type(stepper_for(members(TRAINABLE["mlp-decoder"], 1, loss="mse-l1"))) is Alone
    assert type(stepper_for(members(models.forced_rendering(), 3, penalties=WITH_PENALTY))) is Mapped
    assert type(stepper_for(members(models.forced_rendering(), 1, penalties=WITH_PENALTY))) is Alone
