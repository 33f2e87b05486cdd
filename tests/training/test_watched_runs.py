"""To watch a training changes nothing, whichever way its steps are taken."""

import numpy as np
import pytest
import torch

from recombine.data import Problem, tasks
from recombine.models import models
from recombine.models.activations import activations
from recombine.splits import regions
from recombine.training import Plan, Recipe, noises, penalties, run

BUMPS = Problem(tasks.bump(n=(8, 12)), regions.block(y=(2, 4), x=(3, 7)))
SINES = Problem(tasks.parallel(parts=2, levels=4), regions.block(x1=(2, 4), x2=(2, 4)), examples=30, centres="uniform")
PLANS = {
    "by hand": Plan(BUMPS, models.mlp_decoder(width=9, depth=2), Recipe(steps=150), 3, ("ood_nmse",)),
    "noise": Plan(
        SINES,
        models.feedforward(widths=(5, 7)),
        Recipe(steps=130, noise=noises.activity(level=0.1), penalties=(penalties.weights(strength=1e-3),)),
        1,
        ("ood_mse",),
    ),
    "autograd": Plan(BUMPS, models.cnn_decoder(width=3), Recipe(steps=13, schedule="cosine"), 0, ("ood_nmse",)),
    "dropout": Plan(
        BUMPS, models.pixel_transformer(width=8, heads=2, depth=1, feedforward=8), Recipe(steps=7), 0, ("ood_nmse",)
    ),
    "running mean": Plan(BUMPS, models.mlp_decoder(width=9, depth=2), Recipe(steps=150, ema=0.9), 3, ("ood_nmse",)),
}


@pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS)
def test_to_watch_changes_nothing_and_shows_what_training_would_end_with(plan):
    seen = {}

    def watch(network, step, steps):
        assert steps == plan.recipe.steps
        activations(network, torch.from_numpy(plan.problem.everything.codes[:5]))
        seen[step] = {name: tensor.clone().numpy() for name, tensor in network.state_dict().items()}

    watched, plain = run(plan, watch=watch), run(plan)
    for name, array in plain.weights.items():
        assert np.array_equal(watched.weights[name], array)
        assert np.array_equal(seen[plan.recipe.steps][name], array)
    assert watched.measures == plain.measures
    assert np.array_equal(watched.arrays["losses"], plain.arrays["losses"])
    assert min(seen) == 0
    assert any(not np.array_equal(seen[0][name], array) for name, array in plain.weights.items())
