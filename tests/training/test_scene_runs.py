"""Scenes from training to measures: which are defined for which model, and what a model of the truth would score."""

import numpy as np
import pytest
import torch

from recombine.core.compositions import compositions
from recombine.core.errors import InputError
from recombine.data import Problem, tasks
from recombine.measures import SceneEvidence, exhibits, measures
from recombine.models import models
from recombine.models.component_decoders import ComponentDecoder
from recombine.models.network import unchanged
from recombine.models.scene_networks import CompositionalNetwork
from recombine.splits import regions, supports
from recombine.splits.designs import GAP
from recombine.studies import change, scene_forecast
from recombine.studies.training import standard_measures, train
from recombine.training import Plan, Recipe, run, run_stack
from recombine.training.observe import observe
from recombine.training.run import build

torch.set_num_threads(1)

SMALL = {"width": 6, "depth": 1, "maps": 3}
PLANES = Problem(
    tasks.sprites(size=8, tests=30, scales=(0.4, 0.6), inputs="unit"), support=supports.planes(), examples=25
)
WITH_GAP = change(PLANES, support=supports.planes(without=GAP))
HURRY = Recipe(steps=6, batch=5)
OF_ALL = {"id_r2", "all_r2", "id_mse", "all_mse", "all_overlap_mse", "all_rest_mse", "generalisation_ratio"}
OF_COMPONENTS = {"component_r2", "component_error", "swap_error"}
OF_UNSEEN = {"seen_r2", "seen_mse", "unseen_mse", "unseen_ratio"}


def outcome_of(problem, model, seed=0):
    return run(Plan(problem, model, HURRY, seed, standard_measures(problem), exhibits.for_kind(SceneEvidence)))


# Runs


@pytest.mark.parametrize("family", ["mlp", "upsampling"])
@pytest.mark.parametrize("kind", ["compositional", "monolithic"])
def test_a_run_measures_what_its_model_has(kind, family):
    outcome = outcome_of(PLANES, models[kind](family=family, **SMALL))
    assert outcome.status == "done"
    assert outcome.layers == ()
    assert len(outcome.arrays["losses"]) == 6
    assert any(name not in ("steps", "losses", "errors") for name in outcome.arrays)  # exhibits
    expected = OF_ALL | (OF_COMPONENTS if kind == "compositional" else set())
    assert set(outcome.measures) == expected
    assert set(outcome.undefined) == OF_COMPONENTS - expected
    for name in outcome.undefined:
        assert "use a model that draws each sprite on its own" in outcome.undefined[name]
    if kind == "compositional":
        for name in OF_COMPONENTS:
            assert set(outcome.measures[name]) == {"1", "2"}
            assert np.isfinite(list(outcome.measures[name].values())).all()


def test_a_learned_composition_has_no_true_components():
    outcome = outcome_of(PLANES, models.compositional(family="mlp", composition="learned", **SMALL))
    assert set(outcome.measures) == OF_ALL
    assert set(outcome.undefined) == OF_COMPONENTS


def test_what_is_unseen_is_measured_where_something_is():
    assert not OF_UNSEEN & set(standard_measures(PLANES))
    assert set(standard_measures(WITH_GAP)) >= OF_UNSEEN
    outcome = outcome_of(WITH_GAP, models.monolithic(family="mlp", **SMALL))
    assert set(outcome.measures) == OF_ALL | OF_UNSEEN
    assert outcome.measures["unseen_ratio"] == pytest.approx(
        outcome.measures["unseen_mse"] / outcome.measures["seen_mse"]
    )


def test_one_sprite_never_overlaps_and_says_so():
    alone = Problem(tasks.sprites(size=8, count=1, tests=10), support=supports.random(), examples=20)
    outcome = outcome_of(alone, models.monolithic(family="mlp", **SMALL))
    assert set(outcome.undefined) == {"all_overlap_mse", *OF_COMPONENTS}
    assert "sprites overlap in no pixel" in outcome.undefined["all_overlap_mse"]
    assert outcome.measures["all_rest_mse"] == pytest.approx(outcome.measures["all_mse"])


def test_the_errors_are_those_of_the_pictures():
    """By hand, from what the trained network draws."""
    model = models.compositional(family="mlp", **SMALL)
    outcome = outcome_of(PLANES, model)
    network = build(PLANES, model, 0)
    network.load_state_dict({name: torch.from_numpy(array) for name, array in outcome.weights.items()})
    everything = PLANES.everything
    with torch.no_grad():
        errors = np.square(network(torch.from_numpy(everything.codes)).numpy() - everything.targets)
    assert outcome.measures["id_mse"] == pytest.approx(errors[:30].mean(), rel=1e-5)
    assert outcome.measures["all_mse"] == pytest.approx(errors[30:].mean(), rel=1e-5)
    varied = np.square(everything.targets[30:] - everything.targets[30:].mean(axis=0)).sum()
    assert outcome.measures["all_r2"] == pytest.approx(1 - errors[30:].sum() / varied, rel=1e-5)


def test_seeds_and_supports_share_a_stack():
    model = models.compositional(family="mlp", **SMALL)
    plans = [Plan(each, model, HURRY, seed, ("all_mse",)) for each in (PLANES, WITH_GAP) for seed in (0, 1)]
    for together, plan in zip(run_stack(plans), plans, strict=True):
        assert together.measures == pytest.approx(run(plan).measures, rel=1e-4)


def test_training_learns_scenes():
    problem = change(PLANES, examples=400)
    model = models.compositional(family="mlp", width=40, depth=2, composition="over")
    recipe = Recipe(steps=300, batch=40, rate=5e-3, schedule="cosine")
    few, many = (
        run(Plan(problem, model, change(recipe, steps=steps), 0, ("id_r2",))).measures["id_r2"] for steps in (1, 300)
    )
    assert few < 0.1
    assert many > 0.3


# What a model of the truth would score


class Oracle(ComponentDecoder):
    """Draws the true sprite from a code of unit inputs, or what ``spoil`` makes of it."""

    def __init__(self, task, composition, spoil=lambda picture: picture):
        super().__init__(5, 1, 0)
        self.task, self.composition, self.spoil = task, composition, spoil

    @property
    def layer_names(self):
        return ()

    def stages(self, codes, through=unchanged):
        latents = ((codes.double().numpy() + 1) / 2).clip(0, 1)
        yield "output", torch.from_numpy(self.spoil(self.task.component(latents, self.composition))).permute(0, 3, 1, 2)


def oracle(problem, kind, *spoils, **settings):
    """What is seen of a network whose components are the true ones, but for those that are spoilt."""
    task, composition = problem.task, compositions[kind](**settings)
    decoders = [Oracle(task, composition, spoil) for spoil in spoils or [lambda picture: picture] * task.count]
    network = CompositionalNetwork(decoders, task.count, composition)
    return observe(problem, network, network, 0)


def kept(picture):
    return picture


@pytest.mark.parametrize("count", [2, 3])
@pytest.mark.parametrize("kind", ["addition", "hard", "soft", "over"])
def test_true_components_score_perfectly_under_the_composition_of_the_data(kind, count):
    task = change(PLANES.task, composition=compositions[kind](), count=count)
    evidence = oracle(Problem(task, support=supports.random(), examples=5), kind)
    slots = [str(slot + 1) for slot in range(count)]
    assert measures["swap_error"](evidence) == pytest.approx(dict.fromkeys(slots, 0.0), abs=1e-6)
    assert measures["component_r2"](evidence) == pytest.approx(dict.fromkeys(slots, 1.0), abs=1e-6)
    assert measures["all_r2"](evidence) == pytest.approx(1.0, abs=1e-6)
    assert evidence.composed == pytest.approx(evidence.targets, abs=1e-5)


@pytest.mark.parametrize("kind", ["addition", "hard", "soft"])
def test_true_components_swap_perfectly_whatever_the_data_are_composed_by(kind):
    """Swaps are judged by the model's own composition; its pictures are wrong where sprites overlap, or all over."""
    evidence = oracle(PLANES, kind)
    assert measures["swap_error"](evidence) == pytest.approx({"1": 0.0, "2": 0.0}, abs=1e-6)
    assert measures["component_r2"](evidence) == pytest.approx({"1": 1.0, "2": 1.0}, abs=1e-6)
    assert measures["all_r2"](evidence) < 0.999


def test_a_component_that_is_wrong_is_the_one_with_the_error():
    evidence = oracle(PLANES, "over", kept, lambda picture: 0.5 * picture)
    swaps, components = measures["swap_error"](evidence), measures["component_r2"](evidence)
    assert swaps["1"] == pytest.approx(0, abs=1e-6)
    assert swaps["2"] > 0.01
    assert components["1"] == pytest.approx(1, abs=1e-6)
    assert components["2"] < 0.99


def test_what_one_component_makes_up_for_in_another_is_right_in_pictures_and_wrong_in_swaps():
    task = change(PLANES.task, composition=compositions.addition())
    problem = Problem(task, support=supports.random(), examples=5)
    shift = np.float32(0.3)
    evidence = oracle(problem, "addition", lambda picture: picture + shift, lambda picture: picture - shift)
    assert measures["all_r2"](evidence) == pytest.approx(1.0, abs=1e-6)
    truth = evidence.composed[evidence.sections["all"]]
    varied = np.square(truth - truth.mean(axis=0)).sum() / truth.size
    expected = dict.fromkeys("12", pytest.approx(shift**2 / varied, rel=1e-4))
    assert measures["swap_error"](evidence) == expected


def test_the_colour_of_what_is_not_there_does_not_count():
    """A clear pixel may have any colour: no picture shows it."""

    def painted(picture):
        return np.where(picture[..., 3:] == 0, np.float32([1, 1, 1, 0]), picture)

    evidence = oracle(PLANES, "over", painted, painted)
    assert measures["swap_error"](evidence) == pytest.approx({"1": 0.0, "2": 0.0}, abs=1e-6)
    assert measures["component_r2"](evidence) == pytest.approx({"1": 1.0, "2": 1.0}, abs=1e-6)


def test_what_is_hidden_counts_in_components_and_not_in_swaps():
    """A back that is painted white wherever the front is in its way."""
    front = []

    def remembered(picture):
        front[:] = [picture]
        return picture

    def painted(picture):
        return np.where(front[0].sum(axis=-1, keepdims=True) > 0.5, np.float32(1), picture)

    evidence = oracle(PLANES, "hard", remembered, painted)
    assert measures["swap_error"](evidence) == pytest.approx({"1": 0.0, "2": 0.0}, abs=1e-6)
    assert evidence.outputs == pytest.approx(oracle(PLANES, "hard").outputs, abs=1e-5)
    components = measures["component_r2"](evidence)
    assert components["1"] == pytest.approx(1, abs=1e-6)
    assert components["2"] < 0.8


@pytest.mark.parametrize("count", [2, 3])
def test_swapped_pictures_have_one_component_of_the_model_among_true_ones(count):
    problem = Problem(change(PLANES.task, count=count), support=supports.random(), examples=5)
    model = models.compositional(family="mlp", composition="soft", **SMALL)
    network = build(problem, model, 3)
    evidence, soft = observe(problem, network, network, 3), compositions.soft()
    true = problem.task.components(problem.everything.positions, soft)
    with torch.no_grad():
        own = network.components(torch.from_numpy(problem.everything.codes)).numpy()
    assert np.array_equal(evidence.truths, true)
    assert evidence.components == pytest.approx(own, abs=1e-5)
    assert evidence.composed == pytest.approx(soft.join(list(true)), abs=1e-6)
    assert evidence.outputs == pytest.approx(soft.join(list(own)), abs=1e-5)
    for slot in range(count):
        among = [own[slot] if here == slot else true[here] for here in range(count)]
        assert evidence.swapped[slot] == pytest.approx(soft.join(among), abs=1e-5)


def test_the_evidence_is_of_what_is_asked():
    network = build(WITH_GAP, models.monolithic(family="mlp", **SMALL), 0)
    evidence = observe(WITH_GAP, network, network, 0)
    positions = WITH_GAP.everything.positions
    assert np.array_equal(evidence.latents.reshape(60, 10), positions)
    assert np.array_equal(evidence.targets.reshape(60, 8, 24), WITH_GAP.everything.targets)
    assert np.array_equal(evidence.overlap, WITH_GAP.task.overlap(positions))
    assert set(evidence.sections) == {"id", "all", "ood", "seen", "unseen"}
    assert evidence.components is None


# Runs at hand


def test_trained_runs_show_their_pictures(tmp_path, monkeypatch):
    monkeypatch.setattr(scene_forecast, "ANCHORS", 8)  # a forecast is written down first
    model = models.compositional(family="mlp", **SMALL)
    runs = train(WITH_GAP, model, seeds=2, recipe=HURRY, store=tmp_path / "here", workers=1)
    pictures = runs.images("all")
    assert pictures.shape == (2, 30, 8, 8, 3)
    codes = torch.from_numpy(WITH_GAP.everything.codes[30:])
    with torch.no_grad():
        assert pictures[1] == pytest.approx(runs[1].network(codes).numpy().reshape(30, 8, 8, 3), abs=1e-5)
    unseen = WITH_GAP.asked_sections["unseen"].sum()
    assert runs.images("unseen").shape == (2, unseen, 8, 8, 3)
    assert list(runs.measure("swap_error").columns) == ["1", "2"]
    overlapping = WITH_GAP.task.overlap(WITH_GAP.everything.positions)[30:].mean()
    assert runs.measure("overlap_share") == pytest.approx([overlapping] * 2)
    layers = runs.representations()[0]
    assert {"slot0_layer0", "component1", "output"} <= set(layers)
    assert all(len(rows) == 60 for rows in layers.values())
    with pytest.raises(InputError, match="these runs draw pictures; ask for their `images` instead"):
        runs.answers("all")
    assert runs.images().shape == (2, WITH_GAP.asked_sections["ood"].sum(), 8, 8, 3)
    with pytest.raises(InputError, match="no section 'rim'; it has id, all, ood, seen, unseen"):
        runs.images("rim")


@pytest.mark.parametrize(
    ("model", "task", "says"),
    [
        (models.compositional(), {"count": 1}, "it needs a task of components"),
        (models.compositional(), {"size": 12}, "a square whose side is 8, 16, 32"),
        (models.cnn_decoder(), {"size": 9}, "draws pictures of one channel, and those of task 'sprites' have 3"),
    ],
)
def test_a_model_that_does_not_fit_is_refused_before_training(model, task, says, tmp_path):
    problem = Problem(tasks.sprites(**task), support=supports.random(), examples=50)
    with pytest.raises(InputError, match=says):
        train(problem, model, store=tmp_path / "here", workers=1)
    assert not (tmp_path / "here").exists()


def test_a_model_of_scenes_does_not_fit_a_grid(tmp_path):
    bump = Problem(tasks.bump(n=8), regions.block(x=(3, 6), y=(2, 5)))
    with pytest.raises(InputError, match="it needs a task of components"):
        train(bump, models.compositional(), store=tmp_path / "here", workers=1)
