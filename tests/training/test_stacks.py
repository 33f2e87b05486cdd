"""A stack gives each member what it gets alone: same weights, same history, same measures."""

import numpy as np
import pytest
import torch

from recombine.data import Problem, tasks
from recombine.models import models
from recombine.splits import regions
from recombine.studies import change
from recombine.training import Plan, Recipe, penalties, run, run_stack
from recombine.training.loop import Member, batches, fit, stepper_for
from recombine.training.mlp_by_hand import MlpByHand
from recombine.training.run import build
from recombine.training.steppers import Alone, Mapped

SQUARE = Problem(tasks.bump(n=8, encoding="one-hot"), regions.block(x=(3, 6), y=(2, 5)))
SMALL = {"mlp-decoder": {"width": 12, "depth": 3}, "cnn-decoder": {"width": 6}, "per-pixel": {"width": 8}}
TRAINABLE = {name: cls(**SMALL.get(name, {})) for name, cls in models.items() if cls.trainable}
WITH_PENALTY = (penalties.rendering(entropy=0.05, variance=0.02),)


def weights_close(first, second):
    return all(np.allclose(first[name], second[name], rtol=1e-3, atol=1e-5) for name in first)


@pytest.mark.parametrize("model", TRAINABLE.values(), ids=TRAINABLE)
def test_every_model_trains_in_a_stack_as_it_does_alone(model):
    """Members with other seeds, rates, decays, held-out sets and numbers of examples."""
    corner = change(SQUARE, split=regions.corner(x=5, y=4))
    few = change(SQUARE, examples=20, isolated=("y", "x"))
    plans = [
        Plan(SQUARE, model, Recipe(steps=25, batch=8), 0, ("ood_nmse",)),
        Plan(SQUARE, model, Recipe(steps=25, batch=8, rate=3e-3), 1, ("ood_nmse",)),
        Plan(corner, model, Recipe(steps=25, batch=8, decay=0.2), 1, ("ood_nmse",)),
        Plan(few, model, Recipe(steps=25, batch=8), 2, ("ood_nmse",)),
    ]
    for together, plan in zip(run_stack(plans), plans, strict=True):
        alone = run(plan)
        assert weights_close(together.weights, alone.weights)
        assert together.measures == pytest.approx(alone.measures, rel=1e-3)
        assert together.arrays["losses"] == pytest.approx(alone.arrays["losses"], rel=1e-3)


def test_penalties_of_other_strengths_share_a_stack():
    model = models.forced_rendering()
    recipes = [Recipe(steps=30, penalties=(penalties.rendering(entropy=e),)) for e in (0.0, 0.1, 1.0)]
    plans = [Plan(SQUARE, model, recipe, 0, ("ood_nmse",)) for recipe in recipes]
    outcomes = run_stack(plans)
    for together, plan in zip(outcomes, plans, strict=True):
        assert weights_close(together.weights, run(plan).weights)
    assert not weights_close(outcomes[0].weights, outcomes[2].weights)


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
    assert type(stepper_for(members(models.forced_rendering(), 3, penalties=WITH_PENALTY))) is Mapped
    assert type(stepper_for(members(models.forced_rendering(), 1, penalties=WITH_PENALTY))) is Alone
