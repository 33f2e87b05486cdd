"""Tasks of functions from one end to the other: forecast, trained, measured and refused, in Python and by name."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import recombine as rc
from recombine.core.errors import InputError
from recombine.data import Problem, tasks
from recombine.measures import ModuleEvidence, measures
from recombine.models import models
from recombine.reports.kinds import FUNCTIONS as SHOWN_AS_FUNCTIONS
from recombine.reports.kinds import kind_of, meaning
from recombine.reports.quantities import FUNCTIONS, errors_of, quantity_of
from recombine.splits import regions
from recombine.studies import Experiment, change, seconds_together
from recombine.studies.cost import seconds
from recombine.studies.forecasting import forecast
from recombine.studies.kernel_forecasting import check_forecast_size, forecast_functions
from recombine.studies.stacks import Stack
from recombine.studies.training import FUNCTIONS as MEASURED
from recombine.studies.training import OF_MODULES, Runs, standard_measures
from recombine.theory import tangent_kernels
from recombine.training import Recipe, noises, penalties

PARALLEL = Problem(tasks.parallel(parts=2), regions.several(count=2, low=3))
HILL = Problem(tasks.hill(levels=6), regions.block(x1=(0, 3), x2=(3, 6)))
COMPOSED = Problem(tasks.composed(levels=4), regions.random(fraction=0.2, seed=0))
ALONE = Problem(tasks.parallel(parts=1), regions.extrapolation(of=regions.random(fraction=0.3, seed=0)))
ONE_EACH = [PARALLEL, HILL, COMPOSED]
MODEL = models.feedforward(widths=(6, 6))
RECIPE = Recipe(steps=5)
TINY = Experiment(problem=PARALLEL, model=MODEL, recipe=RECIPE, measures=("id_nmse", "ood_nmse"))
each_problem = pytest.mark.parametrize("problem", ONE_EACH, ids=lambda problem: problem.task.kind)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("functions") / "here"


@pytest.fixture(scope="module")
def runs(store: Path) -> Runs:
    return rc.train(PARALLEL, MODEL, seeds=2, recipe=RECIPE, store=store, workers=1)


# Trained


def test_answers_are_those_of_every_seed_within_a_section(runs):
    """36 cells, 9 of them held out, each asked about at 28 places so that there are 1,000 or more."""
    each = PARALLEL.task.asked_each
    assert each == 28
    assert runs.answers().shape == runs.answers("ood").shape == (2, 9 * each, 2)
    assert runs.answers("id").shape == (2, 27 * each, 2)
    seen = runs[0].evidence
    assert isinstance(seen, ModuleEvidence)
    assert np.array_equal(runs.answers("ood")[0], seen.answers[seen.sections["ood"]])
    assert not np.array_equal(runs.answers()[0], runs.answers()[1])


def test_measures_are_recorded_and_given_seed_by_seed(runs):
    found = runs.measure("cross_talk")
    assert found.shape == (2,)
    assert ((found > 0) & (found < 1)).all()
    assert found == pytest.approx([measures["cross_talk"](run.evidence) for run in runs])
    assert list(runs.measure("spectral_score").columns) == ["layer0", "layer1"]
    assert runs.measure("pruned_mse").shape == (2,)  # one that is not standard is computed when asked for
    for run in runs:
        assert set(run.record.body["measures"]) == set(MEASURED)


def test_the_error_is_that_of_the_answers(runs):
    for run, answers in zip(runs, runs.answers("ood"), strict=True):
        truth = PARALLEL.task.asked(run.experiment.seed).targets[:, 0][run.evidence.sections["ood"]]
        assert run.record.body["measures"]["ood_mse"] == pytest.approx(np.square(answers - truth).mean(), rel=1e-5)
        normalised = np.square(answers - truth).mean() / np.square(truth).mean()
        assert run.record.body["measures"]["ood_nmse"] == pytest.approx(normalised, rel=1e-5)


def test_representations_are_rows_of_every_layer(runs):
    asked = PARALLEL.grid.size * PARALLEL.task.asked_each
    for layers in runs.representations():
        assert {name: rows.shape for name, rows in layers.items()} == {
            "input": (asked, 2), "layer0": (asked, 6), "layer1": (asked, 6), "output": (asked, 2),
        }  # fmt: skip


def test_there_are_no_images_and_one_sentence_says_so(runs):
    with pytest.raises(InputError, match=r"^these runs draw no pictures; ask for their `answers` instead\.$"):
        runs.images()


def test_a_section_that_is_not_there_is_named(runs):
    with pytest.raises(InputError, match=r"^this split has no section 'inside'; it has id, ood"):
        runs.answers("inside")


def test_a_measure_of_pictures_is_refused(runs):
    with pytest.raises(InputError, match="measure 'superposition_index' looks at pictures; this is a task of modules"):
        runs.measure("superposition_index")


def test_their_error_is_shared_out_though_they_draw_no_pictures(runs):
    assert [sum(each.blame.shares.values()) for each in rc.explain(runs)] == pytest.approx([1.0] * len(runs))


@pytest.mark.parametrize(("problem", "modules"), [(PARALLEL, 2), (HILL, 2)], ids=["parallel", "hill"])
def test_a_network_that_cannot_be_cut_is_refused_before_anything_starts(problem, modules, monkeypatch, tmp_path):
    monkeypatch.setattr("recombine.studies.training.execute", lambda *_: pytest.fail("workers were started"))
    with pytest.raises(InputError, match="feedforward cuts every layer into modules = 2 equal parts, and one has"):
        rc.train(problem, models.feedforward(widths=(5,), modules=modules), store=tmp_path / "store")


# What is measured


def test_tasks_of_one_answer_have_no_measures_of_modules():
    for problem in (HILL, COMPOSED, ALONE):
        assert standard_measures(problem) == tuple(name for name in MEASURED if name not in OF_MODULES)
    assert standard_measures(PARALLEL) == MEASURED
    assert set(OF_MODULES) < set(MEASURED)


@each_problem
def test_standard_measures_are_known_and_defined(problem):
    experiment = change(TINY, problem=problem, measures=standard_measures(problem))
    (outcome,) = Experiment.run_together([experiment])
    assert outcome.status == "done"
    assert outcome.undefined == {}
    assert set(outcome.measures) == set(standard_measures(problem)) <= set(measures.for_kind(ModuleEvidence))


# Stacks and costs


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        (noises.activity(level=0.1), noises.activity(level=0.3), True),
        (noises.dropout(rate=0.1), noises.dropout(rate=0.3), True),
        (noises.activity(level=0.1), noises.activity(level=0.1, exponent=2.0), False),
        (noises.activity(level=0.1), noises.activity(level=0.1, layers=("layer0",)), False),
        (noises.activity(level=0.1), noises.dropout(rate=0.1), False),
        (noises.activity(level=0.1), None, False),
    ],
)
def test_noise_of_another_size_is_of_one_shape_and_other_noise_is_not(one, other, alike):
    first, second = (change(TINY, recipe=change(RECIPE, noise=noise)) for noise in (one, other))
    assert first.digest() != second.digest()
    assert (first.shape() == second.shape()) == alike


def test_a_line_tells_of_noise_and_penalties():
    assert TINY.line() == "feedforward on parallel, seed 0, several, 5 steps"
    unusual = change(TINY, recipe=Recipe(steps=5, noise=noises.dropout(), penalties=(penalties.activity(),)))
    assert unusual.line() == f"{TINY.line()}, dropout noise, penalty activity"


def test_a_stack_of_functions_is_timed_once_and_shared():
    members = tuple(change(TINY, seed=seed) for seed in (0, 1))
    expected = seconds([Stack(members)])
    assert set(expected) == {member.digest() for member in members}
    assert len(set(expected.values())) == 1
    assert seconds_together(*members) > 0
    assert seconds_together(*members) == seconds_together(*members)


# Forecasts


@pytest.mark.parametrize(
    ("problem", "model"), [(PARALLEL, None), (HILL, None), (COMPOSED, None), (PARALLEL, "feedforward")],
    ids=["parallel", "hill", "composed", "parallel-feedforward"],
)  # fmt: skip
def test_a_forecast_is_finite_in_every_section(problem, model):
    found = forecast(problem, model=model)
    assert [section.name for section in found.sections] == list(problem.parts.sections)
    assert {"id", "ood"} <= {section.name for section in found.sections}
    for section in found.sections:
        assert 0 <= section.low <= section.expected <= section.high < np.inf
        assert section.accuracy is None  # nothing has a place
    assert found.outputs.shape == (problem.grid.size * problem.task.asked_each, len(problem.task.modules_out))
    assert found.quantity == "nMSE"
    assert "; 1 is always answering 0)" in found.verdict
    assert ("tangent kernel of feedforward" in found.method) == (model is not None)


def test_another_seed_has_other_functions_and_is_asked_about_other_places():
    """The kernel of a network is looked up for just those."""
    network = {"kind": "feedforward", "widths": (4,)}
    first, second = (forecast(PARALLEL, network, seed).sections for seed in (0, 1))
    assert [section.name for section in first] == [section.name for section in second]
    assert first != second


def test_what_was_shown_is_forecast_to_be_known_better_than_what_was_not():
    expected = {section.name: section.expected for section in forecast(PARALLEL).sections}
    assert expected["id"] < 0.01 < expected["ood"]


def test_a_kernel_with_the_truth_in_it_forecasts_no_error():
    """y = x is linear in the code, and so are the answers of a linear kernel."""
    repeating = Problem(tasks.parallel(parts=3, levels=2, functions="identity"), regions.several(count=3, low=1))
    found = forecast_functions(repeating, {"linear": lambda a, b: a @ b.T})
    assert all(section.expected == pytest.approx(0, abs=1e-9) for section in found.sections)


def test_truths_of_what_is_held_out_are_not_looked_at(monkeypatch):
    """With other answers where nothing is shown the forecast is the same; only its score changes."""
    before = forecast_functions(PARALLEL, tangent_kernels())
    real = type(PARALLEL.task).asked

    def false(self, seed):
        asked = real(self, seed)
        return type(asked)(asked.positions, asked.codes, -7 * asked.targets)

    monkeypatch.setattr(type(PARALLEL.task), "asked", false)
    after = forecast_functions(PARALLEL, tangent_kernels())
    assert np.array_equal(before.outputs, after.outputs)
    assert before.sections != after.sections


def test_a_forecast_that_would_not_fit_is_refused_by_counting():
    large = Problem(tasks.parallel(parts=5, levels=10), regions.several(count=2, low=5))
    with pytest.raises(InputError, match="a forecast for 100000 combinations"):
        check_forecast_size(large)
    check_forecast_size(change(large, examples=100))


# In reports


def test_a_report_speaks_of_functions(runs):
    run = runs[0]
    assert quantity_of(run.experiment) is FUNCTIONS
    assert kind_of(run.experiment) is SHOWN_AS_FUNCTIONS
    found = errors_of(run.experiment, run.record.body["measures"])
    recorded = run.record.body["measures"]
    assert (found["id"], found["ood"]) == (recorded["id_nmse"], recorded["ood_nmse"])


def test_every_measure_has_a_meaning_in_a_report():
    for name in measures.for_kind(ModuleEvidence):
        assert meaning(TINY, name)
    assert meaning(TINY, "spectral_score.layer1").startswith("layer1: ")


# By name


PROBLEM = ("parallel", "--set", "parts=2", "--hold-out", "several:count=2,low=3")


def recombine(*arguments: str, cwd: Path) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "recombine.cli", *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, timeout=120)


def test_the_command_forecasts(tmp_path: Path):
    done = recombine("forecast", *PROBLEM, "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["digest"] == PARALLEL.digest()
    assert [section["name"] for section in found["sections"]] == list(PARALLEL.parts.sections)
    assert found["certificate"]["held_out"] == 9


def test_the_command_trains_and_explains(tmp_path: Path):
    arguments = ("--model", "feedforward:widths=[6, 6]", "--recipe", "steps=3", "--store", "here", "--workers", "1")
    done = recombine("train", *PROBLEM, *arguments, "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (run,) = json.loads(done.stdout)
    assert run["status"] == "done"
    assert set(run["measures"]) == set(MEASURED)
    explained = recombine("explain", run["digest"], "--store", "here", "--json", cwd=tmp_path)
    assert explained.returncode == 0, explained.stderr
    assert json.loads(explained.stdout)["cause"] == "not learned"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("parallel", "--hold-out", "several:count=5,low=3"), "several: count = 5 is more than the 4 factors"),
        ((*PROBLEM, "--isolated", "all"), "task 'parallel' needs all of its inputs at once; leave out `isolated`"),
        (("parallel", "--set", "levels=100", "--hold-out", "several:count=2,low=3"), "use fewer levels"),
        ((*PROBLEM, "--set", "centres=uniform"), "it needs the number of examples"),
        (("hill", "--hold-out", "several:count=1,low=10"), "never shows"),
    ],
)
def test_problems_that_make_no_sense_are_refused_in_a_sentence(arguments, says, tmp_path: Path):
    done = recombine("forecast", *arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert says in done.stderr
    assert "Traceback" not in done.stderr
