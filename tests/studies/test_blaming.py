"""`rc.explain` of every family of tasks: what it says, writes and draws, and that its numbers are the recorded ones."""

import json
import re
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

import recombine as rc
from recombine.core.seeds import stream
from recombine.data import Problem
from recombine.measures import measures
from recombine.measures.explanation_general import additive_share, support_map, telling_pair
from recombine.records import Record
from recombine.reports.blame_figure import general_svg, write_figure
from recombine.studies.explaining import NoWeights
from recombine.studies.lacking import lacking
from recombine.studies.training import Run
from recombine.training.run import Plan, build, run

READER = rc.models.mlp(width=8)
UNITS = rc.models.feedforward(widths=(6, 6))
MANY = (rc.splits.block(x1=(1, 3), x2=(1, 3)), {"centres": "uniform", "examples": 40})
SPRITES = rc.tasks.sprites(size=8, tests=4)
DIGITS = {"set": "digits", "size": 16, "per_category": 20, "total": 60, "questions": 2}
FAMILIES = {
    "addition": (READER, Problem(rc.tasks.addition(), rc.splits.anchors(first=4, second=4))),
    "context": (READER, Problem(rc.tasks.context(levels=4), rc.splits.cells(rows=[[0, 0, 3], [0, 3, 0], [1, 0, 3]]))),
    "equivalence": (READER, Problem(rc.tasks.equivalence(), rc.splits.cells(rows=[[0, 1], [1, 3]]))),
    "ordering": (READER, Problem(rc.tasks.ordering(items=5), rc.splits.cells(rows=[[1, 3], [3, 1], [0, 4]]))),
    "invariance": (READER, Problem(rc.tasks.invariance(irrelevant=3), rc.splits.cells(rows=[[1, 2]]))),
    "addition, images": (
        READER,
        Problem(
            rc.tasks.addition(values=(-1.0, 0.0, 1.0, 2.0), images=DIGITS),
            rc.splits.anchors(first=1, second=1),
        ),
    ),
    "parallel": (UNITS, Problem(rc.tasks.parallel(parts=2, levels=4), MANY[0], **MANY[1])),
    "hill": (UNITS, Problem(rc.tasks.hill(levels=6), rc.splits.block(x1=(2, 4), x2=(2, 4)))),
    "composed": (UNITS, Problem(rc.tasks.composed(levels=4), MANY[0], **MANY[1])),
    "sprites": (
        rc.models.compositional(family="mlp", width=6, depth=1),
        Problem(SPRITES, support={"kind": "planes"}, examples=20),
    ),
    "sprites, whole": (
        rc.models.monolithic(family="mlp", width=6, depth=1),
        Problem(SPRITES, support={"kind": "random", "without": {"x1": (0.5, 1.0)}}, examples=20),
    ),
    "locate": (READER, Problem(rc.tasks.locate(n=8), rc.splits.block(x=(3, 6), y=(2, 5)))),
    "locate, numbers": (READER, Problem(rc.tasks.locate(n=8, answer="numbers"), rc.splits.block(x=(3, 6), y=(2, 5)))),
    "rotated-digit": (
        rc.models.mlp_decoder(width=8, depth=1),
        Problem(
            rc.tasks.rotated_digit(pictures="digits", digits=(1, 4), angles=8),
            rc.splits.block(digit=(0, 1), angle=(2, 4)),
        ),
    ),
}


def trained(model, problem, steps=0, seed=0):
    """A run with its weights as they are after so many steps."""
    recipe = rc.Recipe(steps=max(steps, 1))
    experiment = rc.Experiment(problem=problem, model=model, recipe=recipe, seed=seed, measures=("id_mse",))
    if steps:
        weights = run(Plan(problem, model, recipe, seed, ())).weights
    else:
        weights = {name: tensor.numpy() for name, tensor in build(problem, model, seed).state_dict().items()}
    return Run(experiment, Record(experiment.digest(), {"status": "done"}, weights=weights))


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_is_explained(family):
    found = rc.explain(trained(*FAMILIES[family]))
    assert found.finding in ("composes", "unlearned", "fails")
    assert (found.finding == "composes") == (found.cause is None)
    assert (found.finding == "unlearned") == (found.cause == "not learned")
    assert found.cause is None or f"{found.cause} accounts for" in found.verdict or found.cause == "other"
    assert found.blame.error == next(each.error for each in found.sections if each.name == found.blame.section)
    assert sum(found.blame.shares.values()) == pytest.approx(1.0 if found.blame.parts else 0.0)
    document = json.loads(json.dumps(found.to_dict()))
    assert document["cause"] == found.cause
    assert [each["failure"] for each in document["blame"]] == list(found.blame.shares)
    page = str(found)
    assert page.startswith(found.verdict)
    assert all(f"\n{word}" in page for word in found.undefined)


@pytest.mark.parametrize("family", ["context", "parallel", "sprites", "locate"])
def test_the_figure_has_the_shares_and_what_there_is_to_see(family, tmp_path):
    found = rc.explain(trained(*FAMILIES[family]))
    drawn = write_figure(found, tmp_path / "figure.svg").read_text()
    assert ("share of the held-out error" in drawn) == bool(found.blame.parts)
    assert ("additive share" in drawn) == bool(found.layers)
    assert ("what training shows" in drawn) == (found.support is not None)
    assert ("by conjunction" in drawn) == bool(found.conjunctions)
    width = float(re.search(r'width="([\d.]+)pt"', drawn)[1])
    assert width / 72 * 96 < 1200


@pytest.mark.parametrize("family", ["addition", "parallel", "hill", "locate"])
def test_errors_are_those_of_the_measures(family):
    explained = trained(*FAMILIES[family])
    found = {each.name: each.error for each in rc.explain(explained).sections}
    assert found["id"] == pytest.approx(measures["id_nmse"](explained.evidence))
    assert found["ood"] == pytest.approx(measures["ood_nmse"](explained.evidence))


def test_errors_of_classes_are_rates():
    explained = trained(*FAMILIES["context"])
    found = rc.explain(explained)
    assert found.quantity == "error rate"
    assert {e.name: e.error for e in found.sections}["ood"] == pytest.approx(
        1 - measures["ood_accuracy"](explained.evidence)
    )


def test_scenes_are_measured_by_what_is_left_of_r2():
    explained = trained(*FAMILIES["sprites"])
    found = {each.name: each.error for each in rc.explain(explained).sections}
    assert found["all"] == pytest.approx(1 - measures["all_r2"](explained.evidence))


def test_a_place_that_cannot_be_taken_apart_is_told_in_a_word():
    explained = trained(*FAMILIES["addition"])
    for at in ({"y": 1, "x": 2}, {"first": 1, "second": 2}):
        told = rc.explain(explained, at=at).undefined[-1]
        assert told.startswith("at: task 'addition' draws no pictures over y and x")
    assert not any(word.startswith("at:") for word in rc.explain(explained).undefined)


def test_samples_of_a_diffusion_model_are_blamed_like_pictures():
    problem = Problem(rc.tasks.bump(n=8), rc.splits.block(x=(3, 6), y=(2, 5)), examples=10)
    found = rc.explain(trained(rc.models.diffusion(width=4, samples=2, heads=1), problem))
    assert found.finding == "unlearned"
    assert found.cause == "not learned"


def test_a_run_of_components_without_weights_is_refused():
    model, problem = FAMILIES["addition"]
    experiment = rc.Experiment(problem=problem, model=model, measures=("slope",))
    with pytest.raises(NoWeights, match="was recorded without its weights"):
        rc.explain(Run(experiment, Record(experiment.digest(), {"status": "done"})))


def test_where_nothing_is_held_out_nothing_is_blamed():
    problem = Problem(rc.tasks.parallel(parts=2, levels=4), MANY[0], reveal=True, **MANY[1])
    found = rc.explain(trained(UNITS, problem))
    assert (found.finding, found.cause, found.blame.error) == ("remembers", None, None)
    assert "Nothing is held out" in str(found)
    assert "nothing is held out" in general_svg(found)


def test_a_trained_sum_of_two_numbers_composes():
    problem = Problem(rc.tasks.addition(), rc.splits.cells(rows=[[0, 0], [8, 8], [0, 7], [7, 1]]))
    found = rc.explain(trained(rc.models.mlp(width=64), problem, steps=600))
    assert found.finding == "composes"
    assert found.verdict.startswith("Composes on what is held out (nMSE 0.0")
    assert found.blame.parts == ()


def test_several_seeds_are_told_together():
    model, problem = FAMILIES["addition"]
    runs = rc.studies.training.Runs([trained(model, problem, seed=seed) for seed in (0, 1)])
    assert "of 2 seeds" in rc.explain(runs).verdict


def test_a_band_that_scenes_never_show_lacks_support_only_where_it_is_asked():
    scenes = stream(0, "test", "scenes").random((5, 2, 5))
    assert not lacking(Problem(SPRITES, support={"kind": "random"}, examples=20), scenes).any()
    apart = scenes.copy()
    apart[:, 0, :2], apart[:, 1, :2] = 0.1, 0.9  # sprites that training never shows apart
    near = Problem(SPRITES, support={"kind": "diagonal", "width": 0.01}, examples=20)
    assert lacking(near, apart).all()


def test_the_additive_share_of_a_sum_is_one_and_of_its_parity_none():
    levels = np.array([[a, b] for a in range(4) for b in range(6)])
    rng = stream(0, "test", "layers")
    first, second = rng.normal(size=(4, 3)), rng.normal(size=(6, 3))
    assert additive_share(first[levels[:, 0]] + second[levels[:, 1]], levels) == pytest.approx(1.0)
    parity = (1.0 - 2 * (levels.sum(axis=1) % 2))[:, None]
    assert additive_share(parity, levels) == pytest.approx(0.0, abs=1e-12)
    assert additive_share(np.ones((24, 2)), levels) is None


def test_the_map_counts_examples_and_averages_errors():
    shown, asked = np.array([[0, 0], [0, 0], [1, 2]]), np.array([[1, 1], [1, 1]])
    found = support_map(("a", "b"), (2, 3), shown, asked, np.array([1.0, 3.0]))
    assert found.shown.tolist() == [[2, 0, 0], [0, 0, 1]]
    assert found.errors[1, 1] == 2.0
    assert np.isnan(found.errors).sum() == 5


def test_the_map_has_the_factors_that_hold_out_at_the_level_of_the_rest():
    """Context 0 is asked where features disagree: not the plane of context and a feature, on which nothing shows."""
    rows = [[0, a, b] for a, b in product(range(4), repeat=2) if (a < 2) != (b < 2)]
    found = rc.explain(trained(READER, Problem(rc.tasks.context(levels=4), rc.splits.cells(rows=rows)))).support
    assert (found.names, found.at) == (("feature1", "feature2"), {"context": 0})
    apart = np.array([[(a < 2) != (b < 2) for b in range(4)] for a in range(4)])
    assert found.shown.tolist() == (~apart).astype(float).tolist()
    assert np.isnan(found.errors).tolist() == (~apart).tolist()
    few = rc.explain(trained(READER, Problem(FAMILIES["addition"][1].task, FAMILIES["addition"][1].split, examples=1)))
    assert few.support.shown.sum() == 1


def test_the_telling_pair_is_the_one_whose_levels_hold_out_together():
    levels = np.indices((3, 4, 5))
    block = (levels[0] < 2) & (levels[2] < 2)
    assert telling_pair(block) == (0, 2)
    assert telling_pair((levels[1] + levels[2]) % 2 == 0) == (1, 2)
    assert telling_pair(levels[2] >= 3) == (0, 2)  # a band: any pair with that factor


def test_maps_of_no_error_begin_at_nothing():
    found = rc.explain(trained(*FAMILIES["equivalence"]))
    errors = np.where(np.isnan(found.support.errors), np.nan, 0.0)
    right = general_svg(replace(found, support=replace(found.support, errors=errors)))
    assert "\N{MINUS SIGN}0" not in right
