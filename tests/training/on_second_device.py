"""What is trained, observed and measured on another device is what it is on the CPU; `test_devices.py` runs this.

On a device that really computes and refuses to be mixed with the CPU (`second_device`), or on a GPU: $ON_DEVICE.
"""

import os
from importlib import import_module

import numpy as np
import pytest
import torch
from test_stacks import PICTURED, SCENES, SQUARE, TRAINABLE, Peculiar, PeculiarSpec

from recombine.core.errors import InputError
from recombine.data import Problem, tasks
from recombine.data import drawn as drawn_pictures
from recombine.data.drawn import Drawn
from recombine.models import models
from recombine.models.activations import activations
from recombine.models.diffusion_network import DiffusionNetwork, Sampler
from recombine.models.readers import PictureReader
from recombine.models.scene_specs import SceneSpec
from recombine.models.tangent import tangent_kernel
from recombine.splits import regions
from recombine.studies import change
from recombine.studies.execution import work
from recombine.studies.experiment import Experiment
from recombine.studies.training import standard_measures
from recombine.training import Plan, Recipe, noises, penalties, run, run_stack
from recombine.training.feedforward_by_hand import FeedforwardByHand
from recombine.training.loop import Member, fit, stepper_for
from recombine.training.mlp_by_hand import MlpByHand
from recombine.training.run import build

DEVICE = os.environ["ON_DEVICE"]
if DEVICE == "standin":
    import second_device

torch.set_num_threads(1)
# A GPU rounds otherwise. The stand-in computes on the CPU; but for norms over groups, torch has another way for it.
RELATIVE, ABSOLUTE = (1e-5, 1e-7) if DEVICE == "standin" else (1e-3, 1e-5)
PARALLEL = Problem(tasks.parallel(parts=3, levels=4), regions.several(count=2, low=2), examples=60, centres="uniform")
# A step as long as its gradient: what is rounded away stays small.
GENTLE = {"steps": 2, "batch": 6, "optimiser": "sgd", "rate": 0.01}


def close(here, there):
    """Arrays, numbers, and mappings of them by name."""
    if isinstance(here, dict):
        assert here.keys() == there.keys()
        for name in here:
            close(here[name], there[name])
    else:
        np.testing.assert_allclose(there, here, rtol=RELATIVE, atol=ABSOLUTE)


def problem_for(model):
    return PICTURED if isinstance(model, PictureReader) else SCENES if isinstance(model, SceneSpec) else SQUARE


def both(*plans):
    """The outcomes of plans on the CPU and on the device, which agree in all that does not come out of a sample."""
    pairs = list(zip(run_stack(plans), run_stack(plans, device=DEVICE), strict=True))
    for here, there in pairs:
        assert here.status == there.status == "done"
        assert all(isinstance(array, np.ndarray) for array in there.weights.values())
        close(here.weights, there.weights)
        for name in ("losses", "errors"):
            close(here.arrays[name], there.arrays[name])
        assert here.undefined == there.undefined
    return pairs


@pytest.fixture(autouse=True)
def few_noisy_pictures(monkeypatch):
    """On which the error of a diffusion model is measured: many take long."""
    monkeypatch.setattr(import_module("recombine.training.observe"), "DENOISED", 64)


@pytest.mark.parametrize("model", TRAINABLE.values(), ids=TRAINABLE)
def test_every_model_trains_there_as_it_does_here_alone_and_in_a_stack(model):
    problem = problem_for(model)
    measure = "denoising_error" if model.generative else "all_mse" if problem is SCENES else "id_mse"
    plans = [Plan(problem, model, Recipe(**GENTLE), seed, (measure,)) for seed in range(2)]
    apart = [] if not model.stackable else both(plans[0])  # those that are not stacked train one by one anyway
    for here, there in (*both(*plans), *apart):
        close(here.measures, there.measures)
        assert there.measures


# A problem and a model of each sort of evidence, with all that is usually measured of it.
OF_A_SORT = {
    "pictures": (SQUARE, models.forced_rendering()),
    "components": (PICTURED, models.mlp(width=6)),
    "functions": (PARALLEL, models.feedforward()),
    "scenes": (SCENES, TRAINABLE["compositional"]),
}


@pytest.mark.parametrize("sort", OF_A_SORT)
def test_what_is_measured_there_is_what_is_measured_here(sort):
    problem, model = OF_A_SORT[sort]
    plan = Plan(problem, model, Recipe(**GENTLE), 1, standard_measures(problem, model))
    ((here, there),) = both(plan)
    close(here.measures, there.measures)
    assert len(there.measures) > 5
    assert here.layers == there.layers
    close(here.arrays, there.arrays)


RECIPES = {
    "adam": {"optimiser": "adam", "decay": 0.1},
    "adamw, clipped": {"optimiser": "adamw", "clip": 0.1, "schedule": "one-cycle"},
    "momentum, cosine": {"momentum": 0.5, "schedule": "cosine"},
    "all at once": {"batch": "all", "loss": "mse-l1"},
    "stopped early": {"steps": 4, "stop": 1e6},
    "activity noise": {"noise": noises.activity(level=0.2)},
    "constant noise": {"noise": noises.activity(level=0.2, exponent=0.0)},
    "multiplicative noise": {"noise": noises.activity(level=0.2, exponent=2.0)},
    "dropped units": {"noise": noises.dropout(rate=0.3)},
    "penalties": {"penalties": (penalties.weights(), penalties.activity(power=1.5), penalties.weighted_activity())},
}


@pytest.mark.parametrize("bend", ["relu", "tanh"])  # written out by hand, and by autograd
@pytest.mark.parametrize("recipe", RECIPES)
def test_every_part_of_a_recipe_is_followed_there(recipe, bend):
    model = models.feedforward(widths=(9, 6), nonlinearity=bend, modules=3, modular_layers=1, crossing=0.5)
    settings = {**GENTLE, **RECIPES[recipe]}
    plans = [Plan(PARALLEL, model, Recipe(**settings), seed, ("id_mse",)) for seed in range(2)]
    if DEVICE != "standin" and settings["optimiser"] != "sgd":
        pytest.skip("where a slope is next to nothing, its sign, which Adam goes by, is a matter of rounding")
    both(*plans)
    both(plans[0])


def test_penalties_on_rendering_and_a_running_mean_are_followed_there():
    penalty = penalties.rendering(total_variation=0.1)
    recipe = Recipe(**GENTLE, penalties=(penalty,))
    both(
        *(
            Plan(SQUARE, models.forced_rendering(), change(recipe, ema=ema), s, ("id_mse",))
            for s, ema in [(0, None), (1, None)]
        )
    )
    both(Plan(SQUARE, models.forced_rendering(), change(recipe, ema=0.9), 0, ("id_mse",)))


def test_classes_are_learned_there():
    problem = Problem(tasks.context(), regions.block(feature1=(0, 2), feature2=(3, 5)))
    both(
        *(Plan(problem, models.mlp(width=6), Recipe(**GENTLE, loss="logistic"), s, ("id_accuracy",)) for s in range(2))
    )


def test_pictures_that_are_drawn_as_they_are_needed_get_there(monkeypatch):
    monkeypatch.setattr(drawn_pictures, "HELD_BYTES", 1)
    problem = change(SCENES, examples=31)
    assert isinstance(problem.training_set(0).pictures, Drawn)
    both(Plan(problem, TRAINABLE["monolithic"], Recipe(**GENTLE), 0, ("all_mse",)))


def test_a_diffusion_model_is_measured_on_its_way_there():
    plan = Plan(
        SQUARE, change(TRAINABLE["diffusion"], drop=0.3), Recipe(**GENTLE, ema=0.5), 0, ("id_nmse",), checkpoints=2
    )
    ((here, there),) = both(plan)
    close(here.arrays["course_steps"], there.arrays["course_steps"])
    assert len(there.arrays["course_id_nmse"]) == 3


@pytest.mark.parametrize(
    "sampler", [Sampler(steps=3, guidance=2.0), Sampler(steps=3, eta=1.0), Sampler(kind="ddpm")], ids=lambda s: s.kind
)
def test_samples_of_the_same_weights_are_the_same_there(sampler):
    network = build(SQUARE, models.diffusion(width=4, pairs=2, steps=20, samples=3), 0)
    assert isinstance(network, DiffusionNetwork)
    network.sampler = sampler
    codes = torch.from_numpy(SQUARE.everything.codes[:7])
    here = activations(network, codes)
    there = activations(network.to(DEVICE), codes)
    for name, rows in here.items():
        torch.testing.assert_close(there[name], rows, rtol=10 * RELATIVE, atol=10 * ABSOLUTE)


def test_kernels_are_the_same_there():
    for model in (models.cnn_decoder(width=3), models.forced_rendering()):
        network, codes = build(SQUARE, model, 0), torch.from_numpy(SQUARE.everything.codes[:5])
        here = tangent_kernel(network, codes, 2, generator=torch.Generator().manual_seed(0), share=0.5)
        there = tangent_kernel(network.to(DEVICE), codes, 2, generator=torch.Generator().manual_seed(0), share=0.5)
        np.testing.assert_allclose(there, here, rtol=RELATIVE)


def test_what_is_written_out_by_hand_is_so_there_too():
    shown = SQUARE.training_set(0)
    recipe = Recipe(**GENTLE)
    for model, kind in ((TRAINABLE["mlp-decoder"], MlpByHand), (models.feedforward(), FeedforwardByHand)):
        assert type(stepper_for([Member(build(SQUARE, model, 0).to(DEVICE), shown, recipe, 0)])) is kind


def test_a_member_that_diverges_there_is_failed_and_its_neighbour_is_done():
    model = models.mlp_decoder(width=12, depth=2)
    calm, wild = Recipe(steps=60, optimiser="sgd", rate=0.1), Recipe(steps=60, optimiser="sgd", rate=1e8)
    done, failed = run_stack([Plan(SQUARE, model, recipe, 0, ("id_nmse",)) for recipe in (calm, wild)], device=DEVICE)
    assert (done.status, failed.status) == ("done", "failed")
    assert "the loss became" in failed.reason


def test_a_users_own_network_with_dropout_and_buffers_trains_there():
    for how in ("frozen", "buffer", "dropout"):
        both(*(Plan(SQUARE, PeculiarSpec(how=how), Recipe(**GENTLE), seed, ("id_nmse",)) for seed in range(2)))


def test_a_network_that_leaves_a_tensor_behind_is_an_error_there():
    """The check itself: a plain attribute does not move with its network."""

    class Careless(Peculiar):
        def __init__(self, inputs, image):
            super().__init__(inputs, image, "plain")
            self.shift = torch.ones(inputs)

        def forward(self, codes):
            return super().forward(codes + self.shift)

    class CarelessSpec(PeculiarSpec):
        def network(self, interface):
            return Careless(interface.inputs, interface.image)

    plan = Plan(SQUARE, CarelessSpec(how="plain"), Recipe(**GENTLE), 0, ("id_nmse",))
    assert run(plan).status == "done"
    with pytest.raises(RuntimeError, match="same device"):
        run(plan, device=DEVICE)


def test_a_record_says_where_and_at_what_cost():
    experiment = Experiment(
        problem=SQUARE, model=TRAINABLE["mlp-decoder"], recipe=Recipe(**GENTLE), measures=("id_nmse",)
    )
    finished = work([], [experiment.settings()], lambda *news: None, DEVICE)
    assert finished.origin["device"] not in ("", "cpu")
    (outcome,) = finished.outcomes
    # The table of codes, on the device, is part of its peak.
    assert outcome.cost["peak_gpu_mb"] >= SQUARE.training_set(0).pictures.nbytes / 2**20
    assert "peak_gpu_mb" not in run(experiment.plan()).cost


@pytest.mark.skipif(DEVICE != "standin", reason="a GPU does not tell how often one waited for it")
def test_the_clock_is_read_when_the_device_has_settled():
    before = second_device.module.waited
    fit([Member(build(SQUARE, TRAINABLE["mlp-decoder"], 0).to(DEVICE), SQUARE.training_set(0), Recipe(**GENTLE), 0)])
    assert second_device.module.waited == before + 2


def test_a_device_that_is_not_there_is_refused():
    for name in (f"{DEVICE}:99", "meta", "no-such-device"):
        with pytest.raises(InputError, match=r"is not here: torch .* finds cpu"):
            run(Plan(SQUARE, TRAINABLE["mlp-decoder"], Recipe(**GENTLE), 0, ("id_nmse",)), device=name)
