"""What the page asks first: the page itself, what there is, problems and forecasts."""

import re
import threading
import time

import httpx
import numpy as np
import pytest
import yaml

import recombine
from recombine.data import Problem, tasks
from recombine.explorer import cells, forecasts
from recombine.explorer.bundled import Bundle
from recombine.explorer.presets import PRESETS
from recombine.explorer.refusals import Left, TooSlow
from recombine.measures import measures
from recombine.models import models
from recombine.splits import regions
from recombine.studies.forecasting import forecast
from recombine.studies.training import check_fit
from recombine.training import Recipe


def bumps(**more):
    """A small problem of unequal sides."""
    return {
        "task": {"kind": "bump", "n": [8, 12]},
        "split": {"kind": "block", "y": [2, 5], "x": [4, 9]},
        **more,
    }


HILL = {"task": {"kind": "hill", "levels": 6}, "split": {"kind": "block", "x1": [2, 4], "x2": [2, 4]}}
CONTEXT = {"task": {"kind": "context"}, "split": {"kind": "block", "feature1": [0, 3], "feature2": [3, 6]}}


def test_the_page_has_the_token_of_this_server(server):
    page = server.client.get("/")
    assert page.headers["content-type"].startswith("text/html")
    assert re.search(r'name="recombine-token" content="([^"]+)"', page.text)[1] == server.app.state.token


def test_without_a_bundle_the_page_is_one_sentence(tmp_path):
    page = Bundle(tmp_path / "nothing").index("t&ken")
    assert "is not part of this copy of recombine" in page
    assert 'content="t&amp;ken"' in page


def test_files_of_the_bundle_are_served_by_name_and_the_index_is_not(tmp_path):
    (tmp_path / "assets").mkdir()
    (tmp_path / "index.html").write_text('<meta name="recombine-token" content="">')
    (tmp_path / "assets" / "page.js").write_text("1")
    bundle = Bundle(tmp_path)
    assert bundle.index("abc") == '<meta name="recombine-token" content="abc">'
    assert bundle.file("assets/page.js") == (b"1", "text/javascript")
    assert [bundle.file(name) for name in ("index.html", "assets", "assets/../index.html", "")] == [None] * 4


def test_about(server):
    about = server.get("/api/about")
    assert about["version"] == recombine.__version__
    assert about["store"] == str(server.store)
    assert about["scale_names"] == ["quick", "laptop", "paper"]
    assert len(about["papers"]) == 5


def test_the_catalogue_has_everything_that_is_registered(server):
    found = server.get("/api/catalogue")
    assert {each["name"] for each in found["tasks"]} == set(tasks)
    assert {each["name"] for each in found["regions"]} == set(regions)
    assert {each["name"] for each in found["measures"]} == set(measures)
    assert {each["name"] for each in found["models"]} == {name for name in models if models[name].trainable}
    by_name = {each["name"]: each for each in found["tasks"]}
    assert by_name["bump"]["settings"]["sigma"] == {
        "type": "number", "default": 1.0, "required": False, "minimum": 0.001, "maximum": 1e6,
    }  # fmt: skip
    assert by_name["bump"]["settings"]["encoding"]["choices"] == ["one-hot", "bump", "ramp", "sinusoidal"]
    assert by_name["bump"]["isolates"]
    assert not by_name["addition"]["isolates"]
    assert not by_name["sprites"]["drawable"]
    assert not by_name["table"]["drawable"]  # needs a table
    assert found["recipe"]["batch"] == {
        "type": "integer", "default": 32, "required": False, "minimum": 1, "maximum": 1_000_000, "choices": ["all"],
    }  # fmt: skip


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset["id"])
def test_a_preset_can_be_trained(preset):
    problem, model = Problem.read(preset["problem"]), models.parse(preset["model"])
    check_fit(problem, model)
    assert Recipe.read(preset["recipe"]).steps > 0


def test_every_model_fits_some_family(server):
    families = {model["name"]: model["families"] for model in server.get("/api/catalogue")["models"]}
    assert all(families.values()), families
    assert families["vit"] == ["components"]  # its patches divide photographs, and no digits


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset["id"])
def test_a_problem_names_the_networks_that_fit_it(server, preset):
    told = server.post("/api/problem", problem=preset["problem"])["models"]
    assert preset["model"]["kind"] in told
    assert ("cnn-decoder" in told) == (preset["id"] in ("hole", "stripes", "sum-of-stripes", "torus"))


def test_a_problem_is_told_as_it_is(server):
    asked = bumps(isolated=["x"], isolated_levels=5, examples=40)
    told, problem = server.post("/api/problem", problem=asked), Problem.read(asked)
    assert told["digest"] == problem.digest()
    assert Problem.read(yaml.safe_load(told["yaml"])) == problem
    assert told["problem"] == problem.settings()
    assert [factor["name"] for factor in told["factors"]] == ["y", "x"]
    assert [len(factor["levels"]) for factor in told["factors"]] == [8, 12]
    assert told["plane"] == {"rows": 0, "columns": 1, "fixed": []}
    cells = np.array(told["cells"])
    assert cells.shape == (8, 12)
    shown, held = problem.shown().reshape(8, 12), problem.parts.held_out.reshape(8, 12)
    assert np.array_equal(cells == "shown", shown)
    assert np.array_equal(cells == "not shown", ~shown & ~held)
    assert np.array_equal(np.isin(cells, ["rim", "interior"]), held)
    assert told["counts"] == {"shown": 40, "held_out": 15, "lone": 5}
    assert told["certificate"]["words"] == problem.certificate().words
    lone = [each for each in told["shown_pictures"] if None in each["combination"]]
    assert len(lone) == 3
    assert all(each["combination"][0] is None for each in lone)
    level = lone[0]["combination"][1]
    (stripe,) = problem.task.pictures(np.array([[np.nan, float(level)]]))
    assert np.allclose(lone[0]["picture"], stripe, atol=1e-4)


def test_a_plane_of_three_factors_is_cut_where_something_is_held_out(server):
    told = server.post("/api/problem", problem=CONTEXT)
    assert told["plane"] == {"rows": 1, "columns": 2, "fixed": [0]}
    assert np.sum(np.array(told["cells"]) == "ood") == 9
    other = server.post("/api/problem", problem=CONTEXT, plane={"rows": 0, "columns": 2, "fixed": [5]})
    assert np.array(other["cells"]).tolist() == [["shown"] * 6] * 2
    refused = server.client.post("/api/problem", json={"problem": CONTEXT, "plane": {"rows": 0, "columns": 0}})
    assert "must name two of the 3 factors" in server.refused(refused, 422)


def test_cells_without_an_answer_are_outside(server):
    cells = np.array(server.post("/api/problem", problem=HILL)["cells"])
    problem = Problem.read(HILL)
    assert np.array_equal((cells == "outside").ravel(), problem.task.outside)
    assert (cells == "outside").any()


def test_scenes_have_no_plane(server):
    scenes = {"task": {"kind": "sprites", "tests": 20}, "support": {"kind": "planes"}, "examples": 50}
    told = server.post("/api/problem", problem=scenes)
    assert told["family"] == "scenes"
    assert told["plane"] is None
    assert told["cells"] == []
    assert np.array(told["shown_pictures"][0]["picture"]).shape == (16, 16, 3)


@pytest.mark.parametrize(
    "asked", [bumps(), bumps(isolated=["y", "x"]), CONTEXT, HILL], ids=["hole", "lone", "context", "hill"]
)
def test_a_forecast_is_that_of_the_library(server, asked):
    told, problem = server.post("/api/forecast", problem=asked), Problem.read(asked)
    found = forecast(problem)
    assert (told["verdict"], told["composes"], told["quantity"]) == (found.verdict, found.composes, found.quantity)
    assert [each["name"] for each in told["reasons"]] == [reason.name for reason in found.reasons]
    assert told["outlook"]["verdict"] == found.outlook.verdict
    expected = {section.name: section.expected for section in found.sections}
    assert {each["name"]: each["expected"] for each in told["sections"]} == pytest.approx(expected)


def test_the_mean_of_the_map_is_what_is_expected_of_all_that_is_held_out(server):
    told, problem = server.post("/api/forecast", problem=bumps()), Problem.read(bumps())
    values = np.array(told["map"]["values"], dtype=float)
    held = problem.parts.held_out.reshape(8, 12)
    (ood,) = [each for each in told["sections"] if each["name"] == "ood"]
    assert np.isnan(values[~held]).all()
    assert values[held].mean() == pytest.approx(ood["expected"], abs=1e-4)


def test_a_forecast_whose_client_has_left_is_not_begun(server, monkeypatch):
    """Two ask while another is computed, and one of them leaves."""
    quick, begun = server.app.state.session.quick, []
    ask = quick._ask
    monkeypatch.setattr(quick, "_ask", lambda *what: begun.append(what[1][0]) or ask(*what))
    left, stayed = bumps(examples=31), bumps(examples=32)
    told = []
    patient = threading.Thread(target=lambda: told.append(server.post("/api/forecast", problem=stayed)))
    with quick._asking:
        with pytest.raises(httpx.ReadTimeout):
            server.client.post("/api/forecast", json={"problem": left}, timeout=0.5)
        patient.start()
        time.sleep(2)  # long enough for its request to be there, and for the other's end to be noticed
    patient.join()
    assert begun == [stayed]
    assert told[0]["digest"] == Problem.read(stayed).digest()


def test_a_client_that_leaves_is_noticed_while_its_forecast_is_computed(server, monkeypatch):
    there, gone = threading.Event(), threading.Event()

    def forecast(problem, model, plane, wanted):
        if wanted():
            there.set()
        end = time.monotonic() + 60
        while time.monotonic() < end:
            if not wanted():
                gone.set()
                break
            time.sleep(0.1)
        raise Left("it was given up.")

    monkeypatch.setattr(server.app.state.session, "forecast", forecast)
    with pytest.raises(httpx.ReadTimeout):
        server.client.post("/api/forecast", json={"problem": bumps()}, timeout=5)
    assert there.is_set()
    assert gone.wait(60)


def test_a_forecast_that_takes_too_long_says_what_to_do_and_its_cells_go_without(server, monkeypatch):
    session, asked = server.app.state.session, []
    ask, large = session.quick.ask, bumps(examples=33)

    def slow(function, *arguments, **how):
        """Too slow is whatever has this forecast in it, as it is with very many levels."""
        asked.append(function)
        if function is forecasts.told or len(arguments) == 4:
            raise TooSlow(f"this takes longer than the {how['seconds']:g} seconds; {how.get('way_out')}.")
        return ask(function, *arguments, **how)

    monkeypatch.setattr(session.quick, "ask", slow)
    said = server.refused(server.client.post("/api/forecast", json={"problem": large}), 503)
    assert "longer than the 20 seconds" in said
    assert "a smaller n" in said
    assert "`recombine forecast problem.yaml`" in said
    told = server.post("/api/cell", problem=large, combination=[3, 6])
    assert np.shape(told["target"]) == (8, 12)
    assert (told["forecast"], told["superposed"], told["numbers"]) == (None, None, {})
    assert asked == [forecasts.told, cells.told]  # the forecast was not waited for a second time
    other = bumps(examples=34)
    server.post("/api/cell", problem=other, combination=[3, 6])
    server.post("/api/cell", problem=other, combination=[3, 7])
    assert asked[2:] == 3 * [cells.told]  # it was waited for once
    monkeypatch.undo()
    server.post("/api/forecast", problem=large)  # the machine was busy before
    assert server.post("/api/cell", problem=large, combination=[3, 6])["forecast"] is not None


def test_a_forecast_with_a_model_adds_its_kernel(server):
    told = server.post("/api/forecast", problem=bumps(), model={"kind": "mlp-decoder", "width": 16, "depth": 1})
    assert "tangent kernel of mlp-decoder" in told["method"]
    assert told["outlook"]["networks"] == []


@pytest.mark.parametrize(
    ("problem", "sentence"),
    [
        ({}, "None is no task"),
        ({"task": "bmup"}, "unknown task 'bmup'; did you mean 'bump'?"),
        (bumps(exmples=3), "unknown setting of Problem 'exmples'"),
        ({"task": "bump"}, "task 'bump' needs a split"),
        ({**bumps(), "split": {"kind": "block", "y": [2, 50]}}, "outside the grid"),
    ],
)
def test_a_bad_problem_is_refused_in_one_sentence(server, problem, sentence):
    for path in ("/api/problem", "/api/forecast"):
        assert sentence in server.refused(server.client.post(path, json={"problem": problem}), 422)


def test_what_is_no_json_or_has_other_fields_is_refused_in_one_sentence(server):
    assert server.refused(server.client.post("/api/problem", content=b"{"), 422)
    assert "other: Extra inputs" in server.refused(
        server.client.post("/api/problem", json={"problem": {}, "other": 1}), 422
    )
    deep = "[" * 100_000
    assert server.refused(server.client.post("/api/problem", content=deep.encode()), 422)
