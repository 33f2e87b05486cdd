"""One cell: truth, forecast, a network's answer, its neighbours, and what the answer is a sum of."""

import numpy as np
import pytest

from recombine.data import Problem
from recombine.explorer import cells
from recombine.explorer.forecasts import forecast_of
from recombine.records import Store
from recombine.studies.experiment import Experiment
from recombine.studies.training import Run

HOLE = {"task": {"kind": "bump", "n": [8, 12]}, "split": {"kind": "block", "y": [2, 5], "x": [4, 9]}}
LONE = {**HOLE, "isolated": ["y", "x"]}
RING = {"task": {"kind": "torus", "n": [6, 10]}, "split": {"kind": "block", "y": [2, 4], "x": [8, 3]}}
SUMS = {"task": {"kind": "addition", "values": [0, 1, 3]}, "split": {"kind": "anchors", "first": [0], "second": [0]}}
SINES = {"task": {"kind": "parallel", "parts": 2, "levels": 4}, "split": {"kind": "block", "x1": [2, 4], "x2": [2, 4]}}


def test_a_cell_has_its_truth_and_its_forecast(server):
    told, problem = server.post("/api/cell", problem=HOLE, combination=[3, 6]), Problem.read(HOLE)
    place = 3 * 12 + 6
    assert told["labels"] == ["3", "6"]
    assert told["section"] == "rim"
    assert problem.parts.sections["rim"][place]
    assert np.allclose(told["target"], problem.everything.targets[place], atol=1e-4)
    found = forecast_of(problem)
    assert np.allclose(told["forecast"], found.outputs[place].reshape(8, 12), atol=1e-4)
    assert told["numbers"] == {"forecast_nmse": pytest.approx(found.errors[place], rel=1e-4)}
    assert told["output"] is None
    assert told["superposed"]["of"] == "forecast"


def test_a_shown_cell_has_no_forecast_error(server):
    told = server.post("/api/cell", problem=HOLE, combination=[0, 0])
    assert told["section"] == "shown"
    assert told["numbers"] == {"forecast_nmse": None}


@pytest.mark.parametrize("problem", [HOLE, RING], ids=["borders", "ring"])
def test_the_nearest_are_nearest(problem):
    described = Problem.read(problem)
    rows, columns = described.grid.shape
    at = (3, 9)

    def apart(a, b, size):
        return min(abs(a - b), size - abs(a - b)) if problem is RING else abs(a - b)

    every = [
        (np.hypot(apart(y, at[0], rows), apart(x, at[1], columns)), y, x)
        for y in range(rows)
        for x in range(columns)
        if described.shown()[y * columns + x] and (y, x) != at
    ]
    expected = [distance for distance, *_ in sorted(every)[:3]]
    found = cells.nearest(described, np.array(at), 0)
    assert [each["distance"] for each in found] == pytest.approx(expected, rel=1e-5)
    assert all(described.shown()[each["combination"][0] * columns + each["combination"][1]] for each in found)


def test_a_sum_of_shown_pictures_is_taken_apart_into_them():
    problem = Problem.read(LONE)
    pictures = problem.task.pictures(np.array([[0.0, 1.0], [7.0, 10.0], [np.nan, 6.0]]))
    ink = 0.5 * (1 - pictures[0]) + 0.3 * (1 - pictures[1]) + 0.2 * (1 - pictures[2])
    found = cells.superposed(problem, 1 - ink, "output", 0)
    assert [part["combination"] for part in found["parts"]][:3] == [[0, 1], [7, 10], [None, 6]]
    assert [part["weight"] for part in found["parts"]][:3] == pytest.approx([0.5, 0.3, 0.2], abs=1e-4)
    assert found["residual"] == pytest.approx(0, abs=1e-6)
    assert found["share"] == pytest.approx(1, abs=1e-3)


def test_what_nothing_shown_explains_is_residual():
    problem = Problem.read(HOLE)
    checkers = np.indices((8, 12)).sum(axis=0) % 2
    found = cells.superposed(problem, 1.0 - checkers, "output", 0)
    assert 0.2 < found["residual"] < 1
    assert len(found["parts"]) <= 6


def test_numbers_have_no_pictures(server):
    told = server.post("/api/cell", problem=SUMS, combination=[2, 1])
    assert told["target"] == 4.0
    assert told["superposed"] is None
    assert {each["distance"] for each in told["nearest"][:2]} == {1.0}  # words are all one apart
    assert told["nearest"][0]["picture"] in (0.0, 1.0, 3.0)


def test_a_cell_of_a_task_that_reads_pictures_has_the_picture_it_reads(server):
    """The network is given the picture of a bump, and answers with units or numbers for y and x."""
    drawn = Problem.read({**HOLE, "task": {"kind": "bump", "n": 9, "dark": False}})
    for answer, target in (("units", (2, 9)), ("numbers", (2, 1))):
        reads = {**HOLE, "task": {"kind": "locate", "n": 9, "answer": answer}}
        told = server.post("/api/cell", problem=reads, combination=[3, 6])
        assert np.shape(told["target"]) == target
        assert np.allclose(told["input"], drawn.everything.targets[3 * 9 + 6], atol=1e-4)
    assert server.post("/api/cell", problem=HOLE, combination=[3, 6])["input"] is None


def test_a_cell_of_symbols_with_images_has_a_picture_of_each():
    images = {"set": "mnist-5k", "size": 8, "distance": 8, "questions": 2, "per_category": 5, "total": 90}
    told = cells.given(Problem.read({**SUMS, "task": {**SUMS["task"], "images": images}}), np.array([2, 1]))
    picture = np.array(told)
    assert picture.shape[:2] == (8, 16)
    assert picture[:, :8].any()
    assert picture[:, 8:].any()


def test_functions_answer_with_a_number_for_each_output(server):
    told, problem = server.post("/api/cell", problem=SINES, combination=[3, 2]), Problem.read(SINES)
    asked = problem.task.asked(0).targets[:, 0].reshape(4, 4, -1, 2)
    assert np.allclose(told["target"], [asked[3, 2].mean(axis=0)], atol=1e-4)


@pytest.mark.parametrize(
    "model", [{"kind": "mlp-decoder", "width": 16, "depth": 1}, {"kind": "cnn-decoder", "width": 4}]
)
def test_the_answer_of_a_run_and_of_its_job_is_that_of_its_network(server, model):
    job = server.post("/api/train", problem=HOLE, model=model, recipe={"steps": 30}, seed=3)["job"]
    digest = server.until(job, "done")["digest"]
    of_run = server.post("/api/cell", problem=HOLE, combination=[3, 6], run=digest)
    of_job = server.post("/api/cell", problem=HOLE, combination=[3, 6], job=job)
    record = Store(server.store).read(digest, weights=True)
    evidence = Run(Experiment.read(record.body["specification"]), record).evidence
    drawn, truth = evidence.outputs[3 * 12 + 6], evidence.targets[3 * 12 + 6]
    # Half precision: three digits.
    assert np.allclose(of_run["output"], drawn, atol=2e-3)
    assert of_job == of_run
    assert np.allclose(of_run["difference"], drawn - truth, atol=2e-3)
    assert of_run["numbers"]["nmse"] == pytest.approx(record.arrays["error_map"][3, 6], rel=1e-4)
    assert of_run["superposed"]["of"] == "output"


def test_a_run_of_another_task_has_no_answer_here(server):
    job = server.post("/api/train", problem=SUMS, model={"kind": "mlp", "width": 8}, recipe={"steps": 5})["job"]
    digest = server.until(job, "done")["digest"]
    asked = {"problem": HOLE, "combination": [3, 6], "run": digest}
    assert "trained on another task (addition)" in server.refused(server.client.post("/api/cell", json=asked), 422)
    told = server.post("/api/cell", problem=SUMS, combination=[2, 1], run=digest)
    assert told["output"] == pytest.approx(Store(server.store).read(digest).arrays["answers"][7], abs=1e-3)
    assert told["difference"] == pytest.approx(told["output"] - 4.0, abs=1e-4)


@pytest.mark.parametrize("combination", [[], [1], [1, 2, 3], [8, 0], [0, 12], [-1, 0]])
def test_a_combination_that_is_not_on_the_grid_is_refused(server, combination):
    asked = server.client.post("/api/cell", json={"problem": HOLE, "combination": combination})
    assert "must have the index of a level for each of y, x" in server.refused(asked, 422)


def test_unknown_runs_and_jobs_and_scenes_have_no_cells(server):
    scenes = {"task": {"kind": "sprites", "tests": 20}, "support": {"kind": "planes"}, "examples": 50}
    for asked, status in (
        ({"problem": HOLE, "run": "0123456789abcdef"}, 404),
        ({"problem": HOLE, "job": "nothing"}, 404),
        ({"problem": scenes}, 422),
    ):
        assert server.refused(server.client.post("/api/cell", json={"combination": [1, 1], **asked}), status)
