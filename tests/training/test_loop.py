"""The loop: what it shows, that it repeats, that it notices divergence, and that it learns."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from recombine.core.errors import InputError
from recombine.data import Problem, tasks
from recombine.models import models
from recombine.splits import regions
from recombine.training import Plan, Recipe, penalties
from recombine.training import run as run_plan
from recombine.training.loop import Member, batches, order_of
from recombine.training.loop import fit as fit_members
from recombine.training.run import build, run_stack

SMALL = Problem(tasks.bump(n=(6, 8)), regions.block(y=(2, 4), x=(3, 6)))
DOUBLED = Problem(tasks.bump(n=(8, 12)), regions.block(y=(2, 4), x=(3, 6)))  # sides that are multiples of 4
MLP = models.mlp_decoder(width=16, depth=2)


def run(*plan):
    return run_plan(Plan(*plan))


def fit(network, examples, recipe, seed, progress=None):
    return fit_members([Member(network, examples, recipe, seed)], progress)[0]


@given(items=st.integers(1, 20), batch=st.integers(1, 30), steps=st.integers(1, 30), seed=st.integers(0, 3))
@settings(deadline=None, max_examples=40)
def test_batches_are_full_and_show_every_example_before_any_again(items, batch, steps, seed):
    shown = np.concatenate(list(batches(items, batch, steps, seed)))
    assert len(shown) == steps * batch
    counts = np.bincount(shown, minlength=items)
    assert (
        counts.max() - counts.min() <= 1
        or np.ptp(np.bincount(shown[: len(shown) // items * items], minlength=items)) == 0
    )


STRIPED = Problem(tasks.bump(n=(6, 8)), regions.block(y=(2, 4), x=(3, 6)), isolated=("y", "x"))


def orders(problem, recipe, seed=2):
    shown, lone = problem.training_set(seed), int(problem.lone(seed).sum())
    return np.stack(list(order_of(Member(torch.nn.Identity(), shown, recipe, seed, lone)))), len(shown) - lone


@pytest.mark.parametrize(("share", "few"), [(0.1, 1), (0.3, 3), (0.5, 5), (0.9, 9)])
def test_batches_have_the_share_of_lone_factors_that_is_asked_for(share, few):
    chosen, whole = orders(STRIPED, Recipe(steps=60, batch=10, lone=share))
    assert chosen.shape == (60, 10)
    assert ((chosen >= whole).sum(1) == few).all()
    for part, items in ((chosen[chosen < whole], whole), (chosen[chosen >= whole] - whole, 6 + 8)):
        epochs = part[: len(part) // items * items]
        assert len(epochs) >= items
        assert np.ptp(np.bincount(epochs, minlength=items)) == 0


def test_without_lone_factors_or_without_a_share_batches_are_as_they_come():
    plain, _ = orders(STRIPED, Recipe(steps=7, batch=5))
    assert np.array_equal(plain, np.stack(list(batches(len(STRIPED.training_set(2)), 5, 7, 2))))
    assert np.array_equal(
        orders(SMALL, Recipe(steps=7, batch=5, lone=0.5))[0], orders(SMALL, Recipe(steps=7, batch=5))[0]
    )


def test_a_share_of_lone_factors_changes_what_is_learned_of_them_alone_and_in_a_stack():
    recipe, plan = Recipe(steps=30, batch=8, lone=0.5), ("ood_nmse",)
    alone = [run(STRIPED, MLP, recipe, seed, plan).measures["ood_nmse"] for seed in (0, 1)]
    together = run_stack([Plan(STRIPED, MLP, recipe, seed, plan) for seed in (0, 1)])
    assert [each.measures["ood_nmse"] for each in together] == pytest.approx(alone, rel=1e-4)
    assert run(STRIPED, MLP, Recipe(steps=30, batch=8), 0, plan).measures["ood_nmse"] != alone[0]


@pytest.mark.parametrize(("share", "batch", "is_"), [(0.5, 1, 0), (0.02, 16, 0), (0.9, 2, 2), (0.99, 16, 16)])
def test_a_share_that_leaves_nothing_else_or_nothing_alone_is_refused(share, batch, is_):
    with pytest.raises(InputError, match=f"of a batch of {batch} is {is_}, and a batch must have lone factors and oth"):
        Recipe(batch=batch, lone=share)


def test_a_share_of_a_batch_of_everything_is_refused():
    with pytest.raises(InputError, match="give batch a number, or leave lone out"):
        Recipe(batch="all", lone=0.5)


def test_the_same_seed_gives_the_same_run_and_another_seed_another():
    first, again, other = (run(SMALL, MLP, Recipe(steps=20), seed, ("ood_nmse",)) for seed in (0, 0, 1))
    assert first.measures == again.measures
    assert all(np.array_equal(first.weights[name], again.weights[name]) for name in first.weights)
    assert first.measures != other.measures


def test_training_learns_what_it_is_shown():
    outcome = run(
        SMALL, models.mlp_decoder(width=64, depth=2), Recipe(steps=1500, rate=3e-3), 0, ("id_nmse", "id_accuracy")
    )
    assert outcome.measures["id_nmse"] < 0.1
    assert outcome.measures["id_accuracy"] > 0.95


def test_the_loop_is_plain_adamw_on_the_mean_squared_error():
    """The same steps written out with nothing but torch."""
    recipe = Recipe(steps=7, batch=5, rate=2e-3, decay=0.1)
    examples = SMALL.training_set(3)
    network = build(SMALL, MLP, 3)
    fit(network, examples, recipe, 3)
    plain = build(SMALL, MLP, 3)
    descent = torch.optim.AdamW(plain.parameters(), lr=2e-3, weight_decay=0.1)
    for rows in batches(len(examples), 5, 7, 3):
        error = (
            (plain(torch.from_numpy(examples.codes[rows])) - torch.from_numpy(examples.targets[rows])).square().mean()
        )
        descent.zero_grad()
        error.backward()
        descent.step()
    for ours, theirs in zip(network.parameters(), plain.parameters(), strict=True):
        assert torch.allclose(ours, theirs, atol=1e-6)


@pytest.mark.parametrize("clip", [None, 0.02, 100.0])
@pytest.mark.parametrize("loss", ["mse", "mse-l1"])
@pytest.mark.parametrize("model", [MLP, models.per_pixel(width=8)], ids=lambda model: model.kind)
def test_losses_and_clipping_are_the_plain_ones(model, loss, clip):
    """The same steps written out with nothing but torch, for a network stepped by hand and one stepped by autograd."""
    recipe = Recipe(steps=7, batch=5, optimiser="sgd", rate=0.3, decay=0.0, loss=loss, clip=clip)
    examples = SMALL.training_set(3)
    network, plain = (build(SMALL, model, 3) for _ in "ab")
    history = fit(network, examples, recipe, 3)
    lengths = []
    for step, rows in enumerate(batches(len(examples), 5, 7, 3)):
        off = plain(torch.from_numpy(examples.codes[rows])) - torch.from_numpy(examples.targets[rows])
        error = off.square().mean() + (0.1 * off.abs().mean() if loss == "mse-l1" else 0)
        assert history.errors[step] == pytest.approx(error.item(), rel=1e-4)
        gradients = torch.autograd.grad(error, list(plain.parameters()))
        lengths.append(torch.cat([gradient.flatten() for gradient in gradients]).norm().item())
        shorter = min(1, (clip or np.inf) / lengths[-1])
        with torch.no_grad():
            for weight, gradient in zip(plain.parameters(), gradients, strict=True):
                weight -= 0.3 * shorter * gradient
    assert max(lengths) > 0.02, "nothing was clipped"
    for ours, theirs in zip(network.parameters(), plain.parameters(), strict=True):
        assert torch.allclose(ours, theirs, atol=1e-5)


@pytest.mark.parametrize("clip", [0, -1.0])
def test_a_clip_that_leaves_nothing_is_refused(clip):
    with pytest.raises(InputError, match=f"Recipe: clip = {clip}: .* greater than 0"):
        Recipe(clip=clip)


def test_new_settings_leave_the_names_of_records_alone():
    assert Recipe(clip=None, loss="mse").digest() == Recipe().digest()
    assert penalties.rendering(total_variation=0.0).digest() == penalties.rendering().digest()


@pytest.mark.parametrize(
    "model",
    [models.pixel_transformer(width=8, feedforward=8), models.rotation_decoder(width=4)],
    ids=lambda model: model.kind,
)
def test_what_is_dropped_or_counted_in_training_is_a_function_of_the_seed(model):
    torch.manual_seed(1)
    first = run(DOUBLED, model, Recipe(steps=8, batch=6), 0, ("ood_nmse",))
    torch.manual_seed(2)
    state = torch.get_rng_state()
    again = run(DOUBLED, model, Recipe(steps=8, batch=6), 0, ("ood_nmse",))
    assert torch.equal(torch.get_rng_state(), state)
    assert first.measures == again.measures
    assert all(np.array_equal(first.weights[name], again.weights[name]) for name in first.weights)


def test_statistics_of_batches_are_kept_in_training_and_left_alone_by_measuring():
    outcome = run(DOUBLED, models.rotation_decoder(width=4), Recipe(steps=8, batch=6), 0, ("ood_nmse",))
    assert outcome.weights["norms.0.num_batches_tracked"] == 8
    assert outcome.weights["norms.1.running_mean"].any()


def test_a_diverging_run_is_an_outcome_with_its_reason():
    outcome = run(SMALL, MLP, Recipe(steps=400, optimiser="sgd", rate=1e6), 0, ("ood_nmse",))
    assert outcome.status == "failed"
    assert "the loss became" in outcome.reason
    assert outcome.measures == {}


def test_progress_is_told_to_the_end():
    told = []
    fit(build(SMALL, MLP, 0), SMALL.training_set(0), Recipe(steps=30), 0, lambda *news: told.append(news))
    assert told[-1][:2] == (30, 30)
    assert [step for step, _, _ in told] == sorted(step for step, _, _ in told)


def test_the_penalty_lowers_what_it_penalises():
    square = Problem(tasks.bump(n=8, encoding="one-hot", dark=False), regions.corner(x=5, y=5))
    entropies = {}
    for name, chosen in {"with": (penalties.rendering(entropy=1.0),), "without": ()}.items():
        network = build(square, models.forced_rendering(), 0)
        fit(network, square.training_set(0), Recipe(steps=300, penalties=chosen), 0)
        entropies[name] = network.entropy_term().item()
    assert entropies["with"] < 0.5 * entropies["without"]


def test_a_penalty_for_another_network_is_refused():
    with pytest.raises(InputError, match="needs a forced-rendering network"):
        run(SMALL, MLP, Recipe(steps=2, penalties=(penalties.rendering(),)), 0, ("ood_nmse",))


def test_stripes_by_construction_leave_the_penalty_nothing_to_do():
    square = Problem(tasks.bump(n=8, encoding="one-hot", dark=False), regions.corner(x=5, y=5))
    recipe = Recipe(steps=2, penalties=(penalties.rendering(),))
    with pytest.raises(InputError, match=r"regularise, got StripeRenderingNetwork; .* share = none, or drop"):
        run(square, models.forced_rendering(share="stripe"), recipe, 0, ("ood_nmse",))


def test_the_weight_of_total_variation_lowers_it():
    square = Problem(tasks.bump(n=8, encoding="one-hot", dark=False), regions.corner(x=5, y=5))
    found = {}
    for weight in (0.0, 1.0):
        network = build(square, models.forced_rendering(), 0)
        chosen = (penalties.rendering(entropy=0.0, variance=0.0, total_variation=weight),)
        fit(network, square.training_set(0), Recipe(steps=60, rate=0.01, penalties=chosen), 0)
        found[weight] = network.total_variation_term().item()
    assert found[1.0] < 0.5 * found[0.0]


def test_the_truth_is_perfect_by_every_error():
    outcome = run(SMALL, models.truth(), Recipe(), 0, ("id_nmse", "ood_nmse", "ood_accuracy"))
    assert outcome.measures == {"id_nmse": 0, "ood_nmse": 0, "ood_accuracy": 1}


def test_a_run_keeps_its_cost_its_history_and_samples_of_held_out_pictures():
    outcome = run(SMALL, MLP, Recipe(steps=20), 0, ("ood_nmse",))
    assert outcome.cost["peak_mb"] > 10
    assert 0 < outcome.cost["training_seconds"] <= outcome.cost["seconds"]
    assert outcome.arrays["error_map"].shape == (6, 8)
    assert outcome.arrays["sample_outputs"].shape == outcome.arrays["sample_targets"].shape == (6, 6, 8)
    for y, x in outcome.arrays["sample_combinations"]:
        assert 2 <= y < 4
        assert 3 <= x < 6
    assert len(outcome.arrays["steps"]) == len(outcome.arrays["losses"])
