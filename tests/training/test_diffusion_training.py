"""Training a diffusion model: its schedule and running mean beside plain torch, its course, and what is refused."""

import os
import subprocess
import sys
from dataclasses import replace
from importlib import import_module

import numpy as np
import pytest
import torch

from recombine.core.errors import InputError
from recombine.core.seeds import torch_seed
from recombine.data import Problem, tasks
from recombine.measures import NotFinite
from recombine.models import models
from recombine.models.diffusion_network import DiffusionNetwork
from recombine.splits import regions, supports
from recombine.studies import change
from recombine.studies.forecasting import forecast
from recombine.training import Plan, Recipe, penalties, run, run_stack
from recombine.training.loop import Member, batches, fit
from recombine.training.noise import noises
from recombine.training.observe import observe
from recombine.training.run import build

torch.set_num_threads(1)

CODE = {"kind": "sinusoidal", "pairs": 4}
BUMPS = Problem(tasks.bump(n=(8, 16), encoding=CODE), regions.block(y=(2, 5), x=(6, 9)))
SMALL = models.diffusion(width=6, heads=2, pairs=3, samples=3)
MLP = models.mlp_decoder(width=7, depth=1)


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """A measured error of fewer pictures: of 300, more than there are."""
    monkeypatch.setattr(import_module("recombine.training.observe"), "DENOISED", 300)


def member(problem=BUMPS, model=SMALL, seed=0, **recipe):
    given = Recipe(**{"steps": 6, "batch": 4, **recipe})
    return Member(build(problem, model, seed), problem.training_set(seed), given, seed)


def weights(network):
    return torch.nn.utils.parameters_to_vector(network.parameters()).detach().clone()


# The rate


def one_cycle(steps, rate, parameters=None):
    """The library's optimiser and schedule."""
    descent = torch.optim.AdamW(parameters or [torch.nn.Parameter(torch.zeros(1))], lr=rate, weight_decay=0.01)
    return descent, torch.optim.lr_scheduler.OneCycleLR(descent, max_lr=rate, total_steps=steps, cycle_momentum=False)


@pytest.mark.parametrize("steps", [1, 2, 3, 4, 5, 7, 10, 33, 100, 1001])
@pytest.mark.parametrize("rate", [2e-3, 0.5])
def test_one_cycle_is_the_librarys(steps, rate):
    descent, schedule = one_cycle(steps, rate)
    expected = []
    for step in range(steps):
        expected.append(schedule.get_last_lr()[0])
        descent.step()
        if step < steps - 1:
            schedule.step()
    recipe = Recipe(steps=steps, rate=rate, schedule="one-cycle")
    assert [recipe.rate_at(step) for step in range(steps)] == pytest.approx(expected, rel=1e-9)


def test_a_cycle_rises_for_three_tenths_and_falls_to_nearly_nothing():
    recipe = Recipe(steps=1000, rate=1.0, schedule="one-cycle")
    rates = np.array([recipe.rate_at(step) for step in range(1000)])
    assert rates.argmax() == 299
    assert (rates[0], rates[299], rates[-1]) == pytest.approx((1 / 25, 1, 1 / 25 / 1e4))
    assert (np.diff(rates[:300]) > 0).all()
    assert (np.diff(rates[299:]) < 0).all()


@pytest.mark.parametrize("model", [MLP, models.per_pixel(width=8)], ids=lambda model: model.kind)
def test_training_follows_the_librarys_cycle(model):
    ours, plain = (member(model=model, steps=12, rate=5e-3, schedule="one-cycle") for _ in range(2))
    fit([ours])
    descent, schedule = one_cycle(12, 5e-3, list(plain.network.parameters()))
    for step, rows in enumerate(batches(len(plain.examples), 4, 12, 0)):
        answers = plain.network(torch.from_numpy(plain.examples.codes[rows]))
        descent.zero_grad()
        (answers - torch.from_numpy(plain.examples.targets[rows])).square().mean().backward()
        descent.step()
        if step < 11:
            schedule.step()
    torch.testing.assert_close(weights(ours.network), weights(plain.network), rtol=1e-4, atol=2e-5)


# The running mean


@pytest.mark.parametrize("model", [SMALL, MLP], ids=lambda model: model.kind)
@pytest.mark.parametrize("kept", [0.5, 0.9])
def test_what_training_leaves_is_a_mean_kept_by_hand(model, kept):
    """Of the weights of every step of the same training without a mean, those of the start included."""
    plain, averaged = member(model=model), member(model=model, ema=kept)
    seen = []
    fit([plain], look=lambda step, steps: seen.append(weights(plain.network)))
    assert len(seen) == 7
    mean = seen[0]
    for each in seen[1:]:
        mean = kept * mean + (1 - kept) * each
    histories = fit([averaged])
    torch.testing.assert_close(weights(averaged.network), mean, rtol=1e-5, atol=1e-6)
    assert not torch.allclose(mean, seen[-1], rtol=1e-3)
    assert np.isfinite(histories[0].losses).all()


@pytest.mark.parametrize("ema", [None, 0.8])
def test_a_look_sees_the_weights_that_training_would_end_with(ema):
    seen, watched, plain = [], member(ema=ema), member(ema=ema)
    fit([watched], look=lambda step, steps: seen.append(weights(watched.network)))
    fit([plain])
    assert np.array_equal(seen[-1], weights(watched.network))
    assert np.array_equal(weights(watched.network), weights(plain.network))


@pytest.mark.parametrize("ema", [None, 0.8])
def test_a_stack_of_diffusion_models_is_each_alone(ema):
    """Of other seeds, rates, held-out sets and numbers of examples."""
    few = change(BUMPS, examples=9)
    given = [(BUMPS, 0, 1e-3), (BUMPS, 1, 3e-3), (few, 1, 1e-3)]
    together, alone = (
        [member(problem, seed=seed, rate=rate, ema=ema, schedule="one-cycle") for problem, seed, rate in given]
        for _ in range(2)
    )
    histories = fit(together)
    for mine, theirs, history in zip(together, alone, histories, strict=True):
        (expected,) = fit([theirs])
        assert torch.equal(weights(mine.network), weights(theirs.network))
        assert np.array_equal(history.losses, expected.losses)
    assert len({float(weights(each.network).sum()) for each in together}) == 3


# Training


def error(network, problem, draws=12):
    """The denoising error over the training set, with the same noise whenever it is asked."""
    shown = problem.training_set()
    codes, pictures = torch.from_numpy(shown.codes), torch.from_numpy(shown.targets)
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(3)
        return float(np.mean([network.error(codes, pictures).item() for _ in range(draws)]))


def test_a_few_steps_lower_the_error_and_repeat_bit_by_bit():
    first, second, other = (member(seed=seed, steps=60, batch=16, rate=5e-3) for seed in (0, 0, 1))
    before = error(first.network, BUMPS)
    torch.manual_seed(17)
    state = torch.get_rng_state()
    fit([first])
    assert torch.equal(torch.get_rng_state(), state)
    assert error(first.network, BUMPS) < 0.6 * before
    torch.manual_seed(18)
    fit([second])
    assert torch.equal(weights(first.network), weights(second.network))
    fit([other])
    assert not torch.equal(weights(first.network), weights(other.network))


def test_a_step_is_one_of_adam_down_the_error_of_its_batch():
    ours, plain = member(steps=1), member(steps=1)
    fit([ours])
    descent = torch.optim.AdamW(plain.network.parameters(), lr=1e-3, weight_decay=0.01)
    rows = next(batches(len(plain.examples), 4, 1, 0))
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(torch_seed(0, "training", "dropout"))
        plain.network.error(
            torch.from_numpy(plain.examples.codes[rows]), torch.from_numpy(plain.examples.targets[rows])
        ).backward()
    descent.step()
    torch.testing.assert_close(weights(ours.network), weights(plain.network), rtol=1e-5, atol=1e-7)


# What is read off


def test_evidence_has_samples_and_what_the_probe_holds_beside_its_baselines():
    network, untrained = (build(BUMPS, SMALL, seed) for seed in (0, 1))
    found = observe(BUMPS, network, untrained, 0)
    targets = BUMPS.everything.targets
    names = ["input", "pixels", "untrained", "true", "noised-100", "noised-500", "bottleneck", "probe", "output"]
    assert list(found.layers) == names
    assert np.array_equal(found.layers["pixels"], targets.reshape(128, -1))
    assert np.array_equal(found.outputs, network(torch.from_numpy(BUMPS.everything.codes)).numpy())
    assert found.outputs.min() >= 0
    assert found.outputs.max() <= 1
    codes, pictures = torch.from_numpy(BUMPS.everything.codes), torch.from_numpy(targets)
    assert np.array_equal(found.layers["untrained"], untrained.represented(codes, pictures).numpy())
    assert np.array_equal(found.layers["true"], network.represented(codes, pictures).numpy())
    assert found.layers["probe"].shape == found.layers["true"].shape
    assert found.layers["bottleneck"].shape == (128, 12 * 1 * 2)
    assert set(found.denoising) == {"shown", "new"}
    again = observe(BUMPS, network, untrained, 0)
    assert again.denoising == found.denoising
    assert np.array_equal(again.layers["noised-500"], found.layers["noised-500"])
    assert observe(BUMPS, network, untrained, 1).denoising != found.denoising


def test_the_denoising_error_is_of_shown_pictures_and_of_cells_of_which_nothing_was():
    """A network whose error is 1 for codes that were shown and 3 for others; both at the same times and noise."""
    shown = {code.tobytes() for code in BUMPS.training_set().codes}
    asked = []

    class Planted(DiffusionNetwork):
        def missed(self, codes, pictures, times, noise):
            asked.append((codes, pictures, times, noise))
            wrong = [1.0 if code.numpy().tobytes() in shown else 3.0 for code in codes]
            return torch.tensor(wrong)[:, None, None].expand_as(pictures)

    network = build(BUMPS, SMALL, 0)
    network.__class__ = Planted
    assert observe(BUMPS, network, build(BUMPS, SMALL, 0), 0).denoising == {"shown": 1.0, "new": 3.0}
    old, new = asked
    assert torch.equal(old[2], new[2])
    assert torch.equal(old[3], new[3])
    assert {code.numpy().tobytes() for code in old[0]} == shown
    held_out = BUMPS.everything.codes[BUMPS.parts.held_out]
    assert {code.numpy().tobytes() for code in new[0]} == {code.tobytes() for code in held_out}
    assert new[2].float().mean() == pytest.approx(499.5, abs=5)  # all times alike
    revealed = change(BUMPS, reveal=True)
    assert set(observe(revealed, network, build(BUMPS, SMALL, 0), 0).denoising) == {"shown"}


# The course


def plan(checkpoints, steps=7, **given):
    recipe = Recipe(**{"steps": steps, "batch": 4, **given})
    return Plan(BUMPS, SMALL, recipe, 0, ("participation", "ood_nmse", "denoising_error"), (), checkpoints)


@pytest.mark.parametrize(("checkpoints", "steps", "at"), [(1, 7, [0, 7]), (3, 7, [0, 3, 5, 7]), (7, 7, range(8)),
                                                           (4, 8, [0, 2, 4, 6, 8]), (9, 2, [0, 1, 2])])  # fmt: skip
def test_checkpoints_give_a_course_from_the_start_to_the_end(checkpoints, steps, at):
    outcome = run(plan(checkpoints, steps))
    course = {name: array for name, array in outcome.arrays.items() if name.startswith("course_")}
    assert course["course_steps"].tolist() == list(at)
    assert {"course_participation.probe", "course_ood_nmse", "course_denoising_error.shown"} <= set(course)
    assert all(len(array) == len(list(at)) for array in course.values())
    assert course["course_ood_nmse"][-1] == pytest.approx(outcome.measures["ood_nmse"], rel=1e-5)
    start = observe(BUMPS, *(build(BUMPS, SMALL, 0) for _ in range(2)), 0)
    assert course["course_denoising_error.shown"][0] == pytest.approx(start.denoising["shown"], rel=1e-5)


def test_to_look_on_the_way_changes_nothing():
    looked, plain = run(plan(3)), run(plan(0))
    assert all(np.array_equal(looked.weights[name], plain.weights[name]) for name in plain.weights)
    assert np.array_equal(looked.arrays["losses"], plain.arrays["losses"])
    assert looked.measures == plain.measures
    assert not any(name.startswith("course") for name in plain.arrays)


def test_holes_take_seconds_and_are_counted_at_the_end_alone():
    asked = replace(plan(1, 1), measures=("participation", "holes"), exhibits=("bars", "spectra"))
    outcome = run(asked)
    assert "probe-h1" in outcome.measures["holes"]
    assert "diagram_probe_h1" in outcome.arrays
    assert "course_participation.probe" in outcome.arrays
    assert not [name for name in outcome.arrays if name.startswith("course_") and "holes" in name]


def test_plans_with_checkpoints_are_run_one_by_one():
    other = change(BUMPS, split=regions.block(y=(3, 5), x=(2, 9)))
    plans = [plan(2), Plan(other, SMALL, plan(2).recipe, 1, ("ood_nmse",), (), 2)]
    for together, each in zip(run_stack(plans), plans, strict=True):
        alone = run(each)
        assert together.measures == alone.measures
        assert np.array_equal(together.arrays["course_ood_nmse"], alone.arrays["course_ood_nmse"])


def test_a_run_that_diverges_between_checkpoints_has_failed_and_keeps_what_was_measured(monkeypatch):
    run_without_failing = run(plan(7)).arrays
    module, looks = import_module("recombine.training.run"), []
    measured = module.measure_network

    def measure_network(*given):
        looks.append(given)
        if len(looks) > 2:
            raise NotFinite("evidence outputs hold values that are not finite.")
        return measured(*given)

    monkeypatch.setattr(module, "measure_network", measure_network)
    outcome = run(plan(7))
    assert (outcome.status, outcome.measures) == ("failed", {})
    assert outcome.reason.startswith("diverged at the end")
    assert outcome.arrays["course_steps"].tolist() == [0, 1]
    assert outcome.arrays["course_ood_nmse"] == pytest.approx(run_without_failing["course_ood_nmse"][:2])


# What is refused


@pytest.mark.parametrize(
    "task",
    [
        tasks.sum_of_stripes(n=8, encoding=CODE),
        tasks.sum_of_stripes(n=8, encoding=CODE, stripe_ink=0.6),
    ],
    ids=["2 at a crossing", "1.2 at a crossing"],
)
def test_pictures_beyond_0_and_1_are_refused_in_one_sentence(task):
    problem = Problem(task, regions.block(y=(2, 5), x=(3, 6)))
    says = "draws pictures of values from 0 to 1, and task 'sum-of-stripes' has others; give its stripes half the ink"
    with pytest.raises(InputError, match=says) as caught:
        build(problem, SMALL, 0)
    assert "\n" not in str(caught.value)
    build(change(problem, task=change(task, stripe_ink=0.5)), SMALL, 0)
    build(problem, MLP, 0)


@pytest.mark.parametrize(
    "given",
    [
        {"penalties": (penalties.rendering(),)},
        {"loss": "mse-l1"},
        {"noise": next(iter(noises.values()))()},
    ],
    ids=lambda given: next(iter(given)),
)
def test_what_a_diffusion_model_would_not_heed_is_refused(given):
    with pytest.raises(InputError, match="a diffusion model is trained by the squared error of the noise it predicts"):
        fit([member(**given)])


@pytest.mark.parametrize(
    "problem",
    [
        Problem(tasks.addition(), regions.anchors(first=4, second=4)),
        Problem(tasks.sprites(size=8, tests=2), support=supports.random(), examples=5),
        Problem(tasks.parallel(parts=3, levels=4), regions.several(count=2, low=2)),
        Problem(tasks.locate(n=8), regions.block(y=(2, 5), x=(3, 6))),
    ],
    ids=lambda problem: problem.task.kind,
)
@pytest.mark.parametrize("model", ["diffusion", "diffusion-unet"])
def test_tasks_without_pictures_to_draw_are_refused(problem, model):
    with pytest.raises(
        InputError, match=f"{model} halves its picture again and again.*; use a task whose pictures are"
    ):
        build(problem, models.parse(model), 0)


@pytest.mark.parametrize("model", ["diffusion", "diffusion-unet"])
def test_a_diffusion_model_has_no_tangent_kernel(model):
    with pytest.raises(InputError, match=f"model '{model}' draws its answers from noise, so it has no tangent kernel"):
        forecast(BUMPS, model)


HOLE = ("--set", "n=8", "--hold-out", "block:x=3..5,y=2..4")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("train", "sprites", "--support", "random", "--set", "examples=5", "--set", "size=8"), "with 3 channels; use"),
        (("train", "addition", "--hold-out", "anchors:first=4,second=4"), "got 1 x 1 with 1 channels; use"),
        (("train", "sum-of-stripes", *HOLE), "give its stripes half the ink, e.g. stripe_ink = 0.5"),
        (("forecast", "bump", *HOLE), "has no tangent kernel"),
    ],
    ids=["scene", "component", "stripes", "forecast"],
)
def test_the_command_line_says_so_in_one_sentence(arguments, says, tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "recombine.cli", *arguments, "--model", "diffusion"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        timeout=120,
    )
    assert done.returncode == 2
    assert says in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""
    assert list(tmp_path.iterdir()) == []
