"""Recorded runs: the list, what a run holds, and a look inside it."""

import json
import re
import shlex
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

import recombine as rc
from recombine.benchmarks.synthetic import experiment, simulate
from recombine.core.errors import InputError
from recombine.explorer.listing import Listing
from recombine.explorer.naming import details
from recombine.measures.layered import hidden_modules
from recombine.measures.spectrum import principal_components
from recombine.models import Interface, models
from recombine.models.network import matrices_of
from recombine.records import Record, Store
from recombine.studies.experiment import Experiment
from recombine.studies.stores import REFERENCE
from recombine.studies.training import Run

HOLE = {"task": {"kind": "bump", "n": [8, 12]}, "split": {"kind": "block", "y": [2, 6], "x": [3, 9]}}
MLP = {"kind": "mlp-decoder", "width": 20, "depth": 2}
SINES = {"task": {"kind": "parallel", "parts": 2, "levels": 4}, "split": {"kind": "block", "x1": [2, 4], "x2": [2, 4]}}
MANY = 10_000


@pytest.fixture(scope="module")
def trained(server):
    """A run with its weights, as the library has it."""
    job = server.post("/api/train", problem=HOLE, model=MLP, recipe={"steps": 40, "batch": 8}, seed=4)["job"]
    record = Store(server.store).read(server.until(job, "done")["digest"], weights=True)
    return Run(Experiment.read(record.body["specification"]), record)


@pytest.fixture(scope="module")
def sines(server):
    model = {"kind": "feedforward", "widths": [7, 9]}
    job = server.post("/api/train", problem=SINES, model=model, recipe={"steps": 20})["job"]
    record = Store(server.store).read(server.until(job, "done")["digest"], weights=True)
    return Run(Experiment.read(record.body["specification"]), record)


# The list


def test_a_new_run_is_listed_first(server, trained):
    found = server.get("/api/runs", query=trained.record.digest)
    assert found["total"] == 1
    (row,) = found["rows"]
    measures = trained.record.body["measures"]
    assert row == {
        "digest": trained.record.digest,
        "title": "mlp-decoder on bump, seed 4",
        "details": details(trained.experiment.problem.settings(), 40),
        "task": "bump",
        "model": "mlp-decoder",
        "seed": 4,
        "steps": 40,
        "status": "done",
        "when": trained.record.body["provenance"]["started"],
        "source": "store",
        "measures": {
            "name": "nMSE",
            "ood": pytest.approx(measures["ood_nmse"], rel=1e-5),
            "id": pytest.approx(measures["id_nmse"], rel=1e-5),
        },
        "weights": True,
    }


def test_details_tell_runs_apart():
    block = {"kind": "block", "y": [5, 16], "x": [5, 6]}
    assert details({"task": {"kind": "bump", "n": 20}, "split": block}, 1000) == (
        "n 20, block y 5 to 15, x 5 to 5, 1,000 steps"
    )
    band = {"kind": "extrapolation", "of": {"kind": "band", "factor": "x", "low": 2, "high": 4}}
    told = details({"task": "bump", "split": band, "isolated": ["y", "x"], "examples": 1200}, 5)
    assert told == "band factor x, low 2, high 4, y and x alone, 1,200 examples, 5 steps"
    assert details({"task": {"kind": "sprites"}, "support": {"kind": "planes"}}, 5) == "planes, 5 steps"
    planes = {"kind": "planes", "planes": [{"at": [1.0, 0.0], "free": 0}]}
    assert details({"task": "sprites", "support": planes}, 5) == "planes planes at 1.0 0.0, free 0, 5 steps"


def test_runs_are_filtered_and_paged(server, trained):
    reference = server.get("/api/runs", query="reference", limit=500)
    assert reference["total"] == len(Store(REFERENCE).digests())
    assert {row["source"] for row in reference["rows"]} == {"reference"}
    diffusion = server.get("/api/runs", task="torus", model="diffusion", limit=3, offset=2)
    assert len(diffusion["rows"]) == 3
    assert {(row["task"], row["model"]) for row in diffusion["rows"]} == {("torus", "diffusion")}
    whole = server.get("/api/runs", task="torus", model="diffusion", limit=5)
    assert whole["rows"][2:] == diffusion["rows"]
    assert server.get("/api/runs", query="no such thing")["rows"] == []
    when = [row["when"] for row in server.get("/api/runs", limit=500)["rows"]]
    assert when == sorted(when, reverse=True)
    assert server.refused(server.client.get("/api/runs", params={"limit": 10_000}), 422)


def test_runs_of_a_paper_are_those_its_claims_need(server):
    paper = rc.papers.papers["kernel-theory"]
    scales = list(rc.papers.Scale)
    needed = {
        work.digest()
        for scale in scales
        for claim in paper.claims
        if claim.asked_at(scale)
        for work in claim.works(scale)
    }
    found = server.get("/api/runs", paper="kernel-theory", limit=500)
    assert found["total"] == len(needed & set(Store(REFERENCE).digests()) | needed & set(Store(server.store).digests()))
    assert {row["digest"] for row in found["rows"]} <= needed


@pytest.mark.alone
def test_ten_thousand_records_are_listed_within_a_second(tmp_path):
    store = simulate(tmp_path, MANY, arrays=False)
    assert Listing([store]).page(0, 1)["total"] == MANY  # leaves an index, as commits do
    listing = Listing([store])
    seconds = []
    for offset, query in ((0, ""), (0, "seed 77"), (MANY - 10, "cnn-decoder")):
        began = time.process_time()
        assert listing.page(offset, 50, query)["rows"]
        seconds.append(time.process_time() - began)
    assert max(seconds) < 1, seconds

    new = Record("a" * 16, store.read(experiment(0).digest()).body)
    store.commit(new)
    (store.runs / experiment(1).digest() / "record.json").unlink()
    listed = {row["digest"] for row in listing.page(0, 2 * MANY)["rows"]}
    assert "a" * 16 in listed
    assert experiment(1).digest() not in listed
    assert len(listed) == MANY


# One run


def test_a_run_is_told_as_it_was_recorded(server, trained):
    told, record = server.get(f"/api/runs/{trained.record.digest}"), trained.record
    body = record.body
    assert told["title"] == trained.experiment.line()
    assert told["problem"] == body["specification"]["problem"]
    assert rc.Problem.read(told["problem"]) == trained.experiment.problem
    assert told["measures"] == body["measures"]
    assert told["layers"] == ["input", "layer0", "layer1", "output"]
    assert list(told["by_layer"]["factorisation"]) == [
        name for name in told["layers"] if name in body["measures"]["factorisation"]
    ]
    assert [row[0] for row in told["losses"]] == record.arrays["steps"].tolist()
    assert [row[1] for row in told["losses"]] == pytest.approx(record.arrays["losses"].tolist(), rel=1e-5)
    assert told["map"]["quantity"] == "nMSE"
    assert np.allclose(told["map"]["values"], record.arrays["error_map"], atol=1e-4)
    assert [sample["combination"] for sample in told["samples"]] == record.arrays["sample_combinations"].tolist()
    assert np.allclose(told["samples"][2]["output"], record.arrays["sample_outputs"][2], atol=1e-4)
    assert (told["weights"], told["source"], told["status"]) == (True, "store", "done")


def test_the_command_of_a_run_trains_the_same(server, trained, tmp_path, monkeypatch):
    """As it is written, read by the command line itself."""
    from recombine.cli.app import main

    words = shlex.split(server.get(f"/api/runs/{trained.record.digest}")["command"])
    assert words[:3] == ["recombine", "train", "bump"]
    monkeypatch.setenv("RECOMBINE_STORE", str(tmp_path))
    with pytest.raises(SystemExit) as ended:
        main([*words[1:], "--workers", "1"])
    assert not ended.value.code
    assert Store(tmp_path).has(trained.record.digest)


def test_a_calculation_and_a_run_of_every_family_can_be_told(server):
    rows = [row for page in range(4) for row in server.get("/api/runs", limit=500, offset=500 * page)["rows"]]
    first = {}
    for row in rows:
        if row["source"] == "reference":
            first.setdefault(row["task"], row["digest"])
    assert None in first  # a calculation
    assert {"bump", "addition", "parallel", "sprites"} <= first.keys()
    for task, digest in first.items():
        told = server.get(f"/api/runs/{digest}")
        assert told["measures"]
        assert (told["problem"] is None) == (task is None)
        if task in ("bump", "addition"):
            assert told["map"] is not None


def test_a_run_that_does_not_exist(server):
    for path in ("", "/inside", "/weights", "/explain"):
        refused = server.client.get(f"/api/runs/0123456789abcdef{path}")
        assert "there is no run '0123456789abcdef'" in server.refused(refused, 404)


# Inside


def test_a_layer_is_seen_along_its_principal_components(server, trained):
    told = server.get(f"/api/runs/{trained.record.digest}/inside", layer="layer1")
    assert told["layers"] == ["input", "layer0", "layer1", "output"]
    expected = principal_components(trained.layers()["layer1"], 3)
    assert told["explained"] == pytest.approx(expected.shares.tolist(), rel=1e-4)
    points = np.array(told["points"])
    assert np.abs(points).max() == pytest.approx(1)
    scale = np.abs(expected.scores).max()
    assert np.allclose(points, expected.scores / scale, atol=1e-3)
    assert told["combinations"] == trained.experiment.problem.grid.combinations().tolist()
    assert told["labels"][13] == ["1", "1"]
    bars = {degree: np.array(pairs, dtype=float).reshape(-1, 2) for degree, pairs in told["persistence"].items()}
    assert set(bars) == {"0", "1", "2"}
    assert np.isnan(bars["0"][:, 1]).sum() == 1  # one component is never joined to another
    assert all((pairs[:, 0] <= np.nan_to_num(pairs[:, 1], nan=np.inf)).all() for pairs in bars.values())
    refused = server.client.get(f"/api/runs/{trained.record.digest}/inside", params={"layer": "layer9"})
    assert "unknown layer 'layer9'" in server.refused(refused, 422)


def test_a_circle_in_a_layer_has_one_loop_that_lasts():
    from recombine.explorer.inside import _diagram

    turn = 2 * np.pi * np.arange(40) / 40
    bars = _diagram(5 * np.column_stack([np.cos(turn), np.sin(turn)]) + 100)
    lasting = [death - birth for birth, death in bars["1"]]
    # In units of the radius: born when neighbours join, filled when the triangle with corners on the circle does.
    assert lasting[0] == pytest.approx(np.sqrt(3) - 2 * np.sin(np.pi / 40), abs=0.05)
    assert max([0.0, *lasting[1:]]) < 0.1


def test_weights_are_in_the_networks_own_order_with_the_order_by_module_beside_them(server, sines):
    found = server.get(f"/api/runs/{sines.record.digest}/weights", layer="layer0 to layer1")
    matrices = [matrix.detach().double().numpy() for matrix in sines.network.matrices()]
    assert found["layers"] == ["input to layer0", "layer0 to layer1", "layer1 to output"]
    assert np.allclose(found["matrix"], matrices[1], atol=1e-4)
    task = sines.experiment.problem.task
    hidden = hidden_modules(matrices, task.modules_in, task.modules_out)
    assert found["row_modules"] == hidden[1].tolist()
    assert found["column_modules"] == hidden[0].tolist()
    assert sorted(found["row_order"]) == list(range(9))
    assert sorted(hidden[1]) == [found["row_modules"][row] for row in found["row_order"]]
    assert found["sorted_by"] == "module"


def test_weights_of_a_decoder_are_sorted_by_the_factor_that_reaches_a_unit(server, trained):
    found = server.get(f"/api/runs/{trained.record.digest}/weights")
    assert found["layer"] == "input to layer0"
    assert found["sorted_by"] == "factor"
    assert found["column_modules"] == [0] * 8 + [1] * 12  # codes of y, then of x
    sizes = np.abs(np.array(found["matrix"]))
    by_factor = np.stack([sizes[:, :8].sum(axis=1), sizes[:, 8:].sum(axis=1)])
    assert found["row_modules"] == by_factor.argmax(axis=0).tolist()


def test_an_explanation_is_that_of_the_library(server, trained):
    told, found = server.get(f"/api/runs/{trained.record.digest}/explain"), rc.explain(trained)
    assert told["verdict"] == found.verdict
    assert told["text"] == str(found)
    assert {each["failure"]: each["share"] for each in told["shares"]} == pytest.approx(
        {str(part.failure): part.share for part in found.blame.told}
    )


def test_a_run_without_weights_says_how_to_get_them(server):
    (row,) = server.get("/api/runs", task="context", limit=1)["rows"]
    for path in ("inside", "weights", "explain"):
        refused = server.client.get(f"/api/runs/{row['digest']}/{path}")
        assert "recorded without its weights" in server.refused(refused, 404)
        assert "train it again from its page" in refused.json()["error"]


def test_what_a_record_kept_for_figures_is_shown_without_weights(server):
    kept = next(
        digest
        for row in server.get("/api/runs", task="torus", model="diffusion", limit=500)["rows"]
        if "portrait_probe" in Store(REFERENCE).read(digest := row["digest"]).arrays
    )
    told, arrays = server.get(f"/api/runs/{kept}/inside"), Store(REFERENCE).read(kept).arrays
    assert told["layer"] == "probe"
    scores = arrays["portrait_probe"].astype(float).reshape(-1, 4)[:, :3]
    assert np.allclose(told["points"], scores / np.abs(scores).max(), atol=1e-3)
    assert len(told["combinations"]) == len(told["points"])
    assert np.allclose(told["persistence"]["1"][0], arrays["diagram_probe_h1"][0].astype(float), atol=1e-3)


def test_the_page_knows_which_networks_have_matrices():
    """It asks for none of the others, and says so: the names are written there."""
    import torch

    sizes = [
        Interface(inputs=16, levels=(8, 8), image=(8, 8)),
        Interface(inputs=2 * 8 * 8, levels=(3, 4), image=(1, 1), picture=(2, 8, 8)),
        Interface(inputs=6, levels=(2, 3), image=(8, 24), slots=2, channels=3, place=(0, 1)),
    ]
    found = set()
    for name in (name for name in models if models[name].trainable):
        for size in sizes:
            with suppress(InputError):
                models[name]().check(size)
                if matrices_of(models[name]().build(size, torch.Generator())):
                    found.add(name)
    page = Path(__file__).parents[2].joinpath("web", "src", "logic", "looks.ts").read_text()
    written = re.search(r"const PLAIN = (\[.*?\]);", page)
    assert written
    assert set(json.loads(written[1])) == found


def test_convolutions_have_no_matrix_to_sort(server):
    job = server.post("/api/train", problem=HOLE, model={"kind": "cnn-decoder", "width": 2}, recipe={"steps": 2})["job"]
    digest = server.until(job, "done")["digest"]
    assert "are not plain matrices" in server.refused(server.client.get(f"/api/runs/{digest}/weights"), 422)
