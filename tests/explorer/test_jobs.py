"""Trainings from the page: the record is that of `recombine train`, paused or not, and the page sees it come about."""

import json

import numpy as np
import pytest

from recombine.core.spec import dump
from recombine.data import Problem
from recombine.explorer import limits
from recombine.records import Store
from recombine.studies.training import standard_experiment, train
from recombine.training import Recipe

HOLE = {"task": {"kind": "bump", "n": 8}, "split": {"kind": "block", "y": [2, 5], "x": [3, 6]}}
SUMS = {"task": {"kind": "addition"}, "split": {"kind": "anchors", "first": [4], "second": [3]}}
SINES = {
    "task": {"kind": "parallel", "parts": 2, "levels": 4},
    "split": {"kind": "block", "x1": [2, 4], "x2": [2, 4]},
    "examples": 60,
    "centres": "uniform",
}
SCENES = {"task": {"kind": "sprites", "size": 8, "tests": 40}, "support": {"kind": "planes"}, "examples": 100}
BY_HAND = {"kind": "mlp-decoder", "width": 24, "depth": 2}
CNN = {"kind": "cnn-decoder", "width": 4}
NOISY = {"kind": "feedforward", "widths": [8, 8]}
ACTIVITY = {"noise": {"kind": "activity", "level": 0.05}}
SLOW = {"steps": 100_000}  # far longer than any test waits


def begin(server, problem, model, recipe, seed=0):
    return server.post("/api/train", problem=problem, model=model, recipe=recipe, seed=seed)["job"]


@pytest.mark.parametrize(
    ("problem", "model", "recipe"),
    [(HOLE, BY_HAND, {"steps": 300}), (HOLE, CNN, {"steps": 110}), (SINES, NOISY, {"steps": 400, **ACTIVITY})],
    ids=["mlp", "cnn", "noise"],
)
def test_the_record_is_that_of_the_command_though_it_was_watched_and_paused(server, tmp_path, problem, model, recipe):
    job = begin(server, problem, model, recipe)
    server.post(f"/api/jobs/{job}/stop")
    assert server.until(job, "paused")["step"] == 0
    for order in ("resume", "stop"):
        server.post(f"/api/jobs/{job}/{order}")
    server.until(job, "running", "paused")
    while not server.until(job, "paused")["step"]:  # still the first time
        pass
    server.post(f"/api/jobs/{job}/resume")
    ours = Store(server.store).read(server.until(job, "done")["digest"], weights=True)

    runs = train(Problem.read(problem), model, recipe=Recipe.read(recipe), store=tmp_path, workers=1)
    theirs = runs[0].record
    assert ours.digest == theirs.digest
    for part in ("specification", "seed", "status", "measures", "undefined", "layers", "parameters", "forecast"):
        assert ours.body[part] == theirs.body[part]
    assert all(np.array_equal(ours.weights[name], array) for name, array in theirs.weights.items())
    assert ours.arrays.keys() == theirs.arrays.keys()
    assert all(np.array_equal(ours.arrays[name], array, equal_nan=True) for name, array in theirs.arrays.items())


def test_a_paused_training_stands_still_until_it_is_resumed(server):
    job = begin(server, HOLE, BY_HAND, SLOW)
    server.until(job, "running")
    server.post(f"/api/jobs/{job}/stop")
    paused = server.until(job, "paused")
    assert server.get(f"/api/jobs/{job}")["step"] == paused["step"] < paused["steps"]
    assert server.get(f"/api/jobs/{job}")["seconds"] == paused["seconds"]
    server.post(f"/api/jobs/{job}/resume")
    assert server.until(job, "running")["left"] is None or paused["step"]
    assert server.post(f"/api/jobs/{job}/discard")["state"] == "stopped"
    digest = standard_experiment(Problem.read(HOLE), BY_HAND, Recipe.read(SLOW)).digest()
    assert not Store(server.store).has(digest)
    said = server.refused(server.client.post(f"/api/jobs/{job}/resume"), 422)
    assert "is stopped, so it can be neither stopped nor resumed" in said


def test_the_forecast_is_written_down_before_training_begins(server):
    problem = {**HOLE, "examples": 33}
    job = begin(server, problem, BY_HAND, SLOW)
    server.until(job, "running")
    told = Store(server.store).forecast(Problem.read(problem).digest())
    server.post(f"/api/jobs/{job}/discard")
    assert told["verdict"] == server.post("/api/forecast", problem=problem)["verdict"]


def test_events_tell_of_a_training_until_it_ends(server):
    job = begin(server, HOLE, CNN, {"steps": 120}, seed=7)
    told = list(server.events(job))
    assert told[-1]["state"] == "done"
    assert {"problem", "yaml"}.isdisjoint(told[-1])
    steps = [each["step"] for each in told]
    assert steps == sorted(steps)
    last = told[-1]
    assert last["losses"][-1][0] == last["steps"] == last["step"] == last["map_step"] == 120
    assert np.array(last["map"]["values"]).shape == (8, 8)
    assert last["course"]["ood_nmse"][0][0] == 0
    record = Store(server.store).read(last["digest"])
    assert last["course"]["ood_nmse"][-1][1] == pytest.approx(record.body["measures"]["ood_nmse"], rel=1e-4)
    assert np.allclose(np.array(last["map"]["values"]), record.arrays["error_map"], atol=1e-4)
    assert list(server.events(job)) == [last]  # an ended job has one event


@pytest.mark.parametrize(
    ("problem", "model", "quantity", "shape", "samples"),
    [
        (SUMS, {"kind": "mlp", "width": 20}, "nMSE", (9, 9), 6),
        (SINES, NOISY, "nMSE", (4, 4), 4),  # all that are held out
        (SCENES, {"kind": "monolithic", "width": 8, "maps": 4}, "MSE", (10, 10), 6),
    ],
    ids=["components", "functions", "scenes"],
)
def test_every_family_has_a_map_and_samples(server, problem, model, quantity, shape, samples):
    job = begin(server, problem, model, {"steps": 20}, seed=2)
    done = server.until(job, "done")
    assert done["map"]["quantity"] == quantity
    assert np.array(done["map"]["values"], dtype=float).shape == shape
    assert len(done["samples"]) == samples
    assert all(sample["target"] is not None and sample["output"] is not None for sample in done["samples"])
    assert done["course"]
    assert json.loads(json.dumps(done, allow_nan=False)) == done


def test_the_last_map_is_of_the_end_even_where_training_stops_early(server):
    job = begin(server, SUMS, {"kind": "mlp", "width": 30}, {"steps": 5000, "batch": "all", "stop": 0.05, "rate": 0.01})
    done = server.until(job, "done")
    assert done["map_step"] == done["step"] < 5000
    answers = Store(server.store).read(done["digest"]).arrays["answers"]
    shown = {tuple(each["combination"]): each["output"] for each in done["samples"]}
    assert all(value == pytest.approx(answers[9 * y + x], rel=1e-4) for (y, x), value in shown.items())


def test_what_is_recorded_is_not_trained_again(server):
    first = server.until(begin(server, HOLE, BY_HAND, {"steps": 10}), "done")
    again = server.get(f"/api/jobs/{begin(server, HOLE, BY_HAND, {'steps': 10})}")
    assert again["state"] == "done"
    assert again["digest"] == first["digest"]
    assert "recorded already" in again["reason"]


def test_the_same_training_twice_is_one_job_and_no_more_than_two_go_on(server):
    jobs = [begin(server, HOLE, BY_HAND, SLOW, seed) for seed in range(limits.JOBS)]
    assert begin(server, HOLE, BY_HAND, SLOW, 0) == jobs[0]
    asked = {"problem": HOLE, "model": BY_HAND, "recipe": SLOW, "seed": 9}
    said = server.refused(server.client.post("/api/train", json=asked), 429)
    assert "2 trainings are under way" in said
    listed = server.get("/api/jobs")
    assert [each["id"] for each in listed[:2]] == jobs[::-1]
    assert set(listed[0]) == {"id", "state", "title", "details", "when", "step", "steps", "digest", "reason"}
    for job in jobs:
        server.post(f"/api/jobs/{job}/discard")
    assert server.until(jobs[0], "stopped")["digest"] is None


def test_a_training_that_diverges_has_failed_and_is_recorded(server):
    job = begin(server, HOLE, BY_HAND, {"steps": 60, "optimiser": "sgd", "rate": 1e6})
    failed = server.until(job, "failed")
    assert "the loss became" in failed["reason"]
    assert Store(server.store).read(failed["digest"]).body["status"] == "failed"


def test_a_network_that_is_too_large_fails_in_one_sentence(server):
    failed = server.until(begin(server, HOLE, {"kind": "mlp-decoder", "width": 30_000}, {"steps": 1}), "failed")
    assert "would hold more than" in failed["reason"]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"model": "cnn-decodr"}, "unknown model 'cnn-decodr'; did you mean 'cnn-decoder'"),
        ({"model": {"kind": "cnn-decoder", "depth": 1}}, "depth = 1"),
        ({"model": "diffusion-unet", "problem": SUMS}, "diffusion-unet"),
        ({"recipe": {"steps": 10**9}}, "steps = 1,000,000,000 is more than"),
        ({"recipe": {"batch": 10**6}}, "batch = 1,000,000 is more than"),
        ({"seed": -1}, "seed: Input should be greater than or equal to 0"),
        ({"seed": "one"}, "seed: Input should be a valid integer"),
    ],
)
def test_what_cannot_be_trained_is_refused_in_one_sentence(server, change, sentence):
    asked = {"problem": HOLE, "model": BY_HAND, "recipe": {"steps": 10}, **change}
    assert sentence in server.refused(server.client.post("/api/train", json=asked), 422)


def test_a_job_that_does_not_exist(server):
    for path in ("/api/jobs/nothing", "/api/jobs/nothing/events"):
        assert "there is no job 'nothing'" in server.refused(server.client.get(path), 404)
    assert server.refused(server.client.post("/api/jobs/nothing/stop"), 404)
    assert server.refused(server.client.post("/api/jobs/nothing/explode"), 422)


def test_a_worker_that_dies_is_told(server):
    job = begin(server, HOLE, BY_HAND, SLOW, seed=5)
    server.until(job, "running")
    server.app.state.session.jobs.get(job).process.kill()
    assert "its process died" in server.until(job, "failed")["reason"]


def test_the_answer_says_what_was_asked(server):
    done = server.until(begin(server, HOLE, BY_HAND, {"steps": 10}), "done")
    experiment = standard_experiment(Problem.read(HOLE), BY_HAND, Recipe(steps=10))
    assert done["problem"] == experiment.problem.settings()
    assert done["model"] == dump(experiment.model)
    assert done["recipe"] == {"steps": 10}
    assert done["digest"] == experiment.digest()
