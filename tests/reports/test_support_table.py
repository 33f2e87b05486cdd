"""The support checker beside the outcome, and the page of scenes."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from recombine.data import Problem, tasks
from recombine.measures import SceneEvidence, exhibits, measures
from recombine.models import models
from recombine.papers import Check, Range, Scale
from recombine.records import Store
from recombine.reports.findings import gather
from recombine.reports.kinds import SCENES, kind_of, meaning
from recombine.reports.report import report_page
from recombine.reports.support_table import APART, HEADS, seed_strip, support_section
from recombine.splits import supports
from recombine.studies import Experiment, vary
from recombine.training import Recipe

GAP = {"x1": (0.05, 0.45)}


@cache
def scenes(scale, support="planes", model="compositional", **settings):
    """Two sprites on three planes."""
    return Experiment(
        problem=Problem(tasks.sprites(size=8, tests=30), support=support, examples=40),
        model=models.parse({"kind": model, "family": "mlp", "width": 8, "depth": 1, **settings}),
        recipe=Recipe(steps=4, batch=20),
        measures=("id_r2", "all_r2", "all_mse"),
        exhibits=("scenes", "latent_map", *(("component_pictures",) if model == "compositional" else ())),
    )


@cache
def with_gap(scale):
    """Two sprites, with a gap."""
    return scenes(scale, supports.planes(without=GAP), shared=True, composition="over")  # as the pictures are composed


@cache
def whole(scale):
    """One network for all."""
    return scenes(scale, model="monolithic")


def forecast(guarantee, **details):
    """A forecast as it is recorded for a support."""
    said = {"guarantee": guarantee, "sufficient": True, "relative": None, "free_share": 0.125, **details}
    return {"composes": True, "verdict": "It will <compose>.", "sections": [], "details": said}


@pytest.fixture
def paper(make):
    check = Check("all_r2", Range(low=0.5), "a guess")
    return make.paper(
        make.claim("Z1", {"main": scenes}, {"main": with_gap}, check),
        make.claim("Z2", {"main": scenes}, {"main": whole}, check),
    )


def section(paper, store):
    return support_section(gather([paper], Scale.QUICK, [store]))


def cells(parsed, markup):
    """The cells of every row, by the setting's name."""
    rows = [row.all("td") for row in parsed(markup).all("tbody")[0].all("tr")]
    return {row[0].text: dict(zip(HEADS, row, strict=True)) for row in rows}


def test_before_anything_is_run_every_setting_has_its_row(paper, store, parsed):
    found = cells(parsed, section(paper, store))
    assert list(found) == ["scenes", "with gap", "whole"]
    own, gap, mono = found.values()
    assert own["Support"].text.startswith("3 planes of uniform density")
    assert gap["Support"].text.endswith("without x1 from 0.05 to 0.45")
    assert own["Pictures composed by"].text == "over"
    assert own["Model"].text == "compositional, soft, a decoder each"
    assert gap["Model"].text == "compositional, over, one decoder"
    assert mono["Model"].text == "monolithic"
    for row in found.values():
        assert row["Forecast before training"].text == "none recorded"
        assert row["R² on the whole space"].text == "not measured"


def test_a_forecast_is_written_with_its_conditions(paper, store, record, parsed):
    work = scenes(Scale.QUICK)
    record(store, work, {"all_r2": 0.9})
    store.commit_forecast(work.problem.digest(), forecast("guaranteed"))
    said = cells(parsed, section(paper, store))["scenes"]["Forecast before training"].text
    assert said.startswith("guaranteed")
    assert said.endswith("verdictIt will <compose>.")
    assert "full rank: yes; shows all that is asked: not known; left free: 0.125 of the pixels of unseen scenes" in said


@pytest.mark.parametrize(
    ("stored", "words"),
    [
        ({"composes": False}, "does not compose"),
        ({"composes": None, "details": "nonsense"}, "undecided"),
        ({"composes": "perhaps", "details": {"guarantee": "made up", "free_share": None}}, "undecided"),
        ({"composes": True, "details": {"guarantee": "impossible"}}, "impossible"),
    ],
)
def test_forecasts_that_lack_something_do_no_harm(paper, store, record, parsed, stored, words):
    work = with_gap(Scale.QUICK)
    record(store, work, {"all_r2": 0.9})
    store.commit_forecast(work.problem.digest(), stored)
    assert cells(parsed, section(paper, store))["with gap"]["Forecast before training"].text == words


def test_seeds_that_agree_have_an_interval_and_no_dots(paper, store, record, parsed):
    for work, value in zip(vary(scenes(Scale.QUICK), seed=range(3)), (0.90, 0.91, 0.92), strict=True):
        record(store, work, {"all_r2": value})
    cell = cells(parsed, section(paper, store))["scenes"]["R² on the whole space"]
    assert cell.text == "0.91 [0.885, 0.935], 3 seeds"
    assert not cell.all("svg")


def test_seeds_far_apart_are_dots_and_numbers_before_their_mean(paper, store, record, parsed):
    for work, value in zip(vary(scenes(Scale.QUICK), seed=range(3)), (0.9, 0.3, 0.4), strict=True):
        record(store, work, {"all_r2": value, "id_r2": 0.95})
    row = cells(parsed, section(paper, store))["scenes"]
    cell = row["R² on the whole space"]
    assert cell.text.startswith("seeds 0.3, 0.4, 0.9mean 0.533 [")
    assert len(cell.all("circle")) == 3
    assert not row["R² on the support"].all("svg")


def test_a_failed_seed_is_said(paper, store, record, parsed):
    first, second, third = vary(scenes(Scale.QUICK), seed=range(3))
    record(store, first, {"all_r2": 0.90})
    record(store, second, {"all_r2": 0.91})
    record(store, third, reason="it died")
    row = cells(parsed, section(paper, store))["scenes"]
    assert row["R² on the whole space"].text.endswith("2 seeds1 seed failed")
    assert row["R² on the support"].text == "not measured1 seed failed"


def test_the_reading_counts_settings_by_what_was_said(paper, store, record, parsed):
    for setting, value in ((scenes, 0.9), (whole, -0.5), (with_gap, 0.6)):
        record(store, setting(Scale.QUICK), {"all_r2": value})
    store.commit_forecast(scenes(Scale.QUICK).problem.digest(), forecast("guaranteed"))
    store.commit_forecast(with_gap(Scale.QUICK).problem.digest(), forecast("impossible"))
    lines = [line.text for line in parsed(section(paper, store)).all("ul")[0].all("li")]
    assert lines == [
        "guaranteed, other models: 2 settings, 2 measured, mean R² on the whole space from −0.5 to 0.9.",
        "impossible, models that compose as the pictures do: 1 setting, 1 measured, mean R² on the whole space from "
        "0.6 to 0.6.",
    ]


def test_a_forecast_of_models_that_compose_otherwise_is_said_to_be_so(paper, store, record, parsed):
    for setting in (scenes, with_gap, whole):
        record(store, setting(Scale.QUICK), {"all_r2": 0.5})
    for setting in (scenes, with_gap):  # the third has the problem of the first
        store.commit_forecast(setting(Scale.QUICK).problem.digest(), forecast("guaranteed"))
    found = cells(parsed, section(paper, store))
    said = {name: "composes otherwise" in row["Forecast before training"].text for name, row in found.items()}
    assert said == {"scenes": True, "with gap": False, "whole": True}


def test_dots_lie_in_proportion_between_the_least_and_the_largest(parsed):
    places = [float(dot.attributes["cx"]) for dot in parsed(seed_strip([0.0, 1.0, 0.25])).all("circle")]
    assert places[2] - places[0] == pytest.approx((places[1] - places[0]) / 4, abs=0.1)
    assert len(parsed(seed_strip([0.5, 0.5])).all("circle")) == 2


def test_pages_without_supports_have_no_such_section(make, store, parsed):
    claim = make.claim("X1", {"main": make.tiny}, {"main": make.shown}, Check("ood_nmse", Range(0.5, 1.5), "s"))
    page = parsed(report_page([make.paper(claim)], Scale.QUICK, [store]))
    assert support_section(gather([make.paper(claim)], Scale.QUICK, [store])) is None
    assert "supports" not in {node.attributes["id"] for node in page.all("section")}
    places = ["verdicts", "settings", "forecast", "scoreboard", "speed", "provenance"]
    assert [link.attributes["href"] for link in page.all("nav")[0].all("a")] == [f"#{place}" for place in places]


def test_numbers_of_scenes_mean_what_their_own_measures_say():
    work = scenes(Scale.QUICK)
    assert kind_of(work) is SCENES
    assert "whole space" in meaning(work, "all_r2")
    assert meaning(work, "all_r2") == measures.summaries()["all_r2"]


def test_the_facts_of_scenes_name_the_support_and_the_numbers():
    facts = SCENES.facts(with_gap(Scale.QUICK))
    assert facts["Task"] == "sprites (size = 8, tests = 30): 2 components of 5 latents"
    assert facts["Composed by"] == "over"
    assert facts["Support"].endswith("without x1 from 0.05 to 0.45")
    assert facts["Shown"] == "40 examples drawn from the support by the seed"
    assert facts["Asked"] == "30 examples of the support, and as many of the whole space"
    assert "Held out" not in facts
    assert {"Model", "Training"} < set(facts)
    assert facts["Model composes by"] == "over"
    assert SCENES.facts(scenes(Scale.QUICK))["Model composes by"] == "soft"  # its default is said too
    assert SCENES.facts(whole(Scale.QUICK))["Model composes by"].startswith("nothing built in")


def arrays_of(work):
    """What a run would keep whose pictures are right but pale, and whose components are half the true ones."""
    task, everything = work.problem.task, work.problem.everything
    targets = everything.targets.reshape(-1, task.size, task.size, task.channels)
    inside = {}
    if work.model.kind == "compositional":
        truths = task.components(everything.positions, work.model.composition)
        inside = {"truths": truths, "components": truths / 2}
    evidence = SceneEvidence(
        targets=targets,
        outputs=targets * 0.75,
        latents=task.scenes(everything.positions),
        sections=work.problem.asked_sections,
        overlap=task.overlap(everything.positions),
        **inside,
    )
    curve = {
        "steps": np.arange(1, 5),
        "losses": np.array([4.0, 3.0, 2.0, 1.0]),
        "errors": np.array([4.0, 3.0, 2.0, 1.0]),
    }
    return {**curve, **{name: array for each in work.exhibits for name, array in exhibits.pick(each)(evidence).items()}}


@pytest.fixture(scope="module")
def page(tmp_path_factory, make, record):
    """The page of three settings, a seed of each with the arrays of real scenes."""
    check = Check("all_r2", Range(low=0.5), "a guess")
    store, copy = (Store(tmp_path_factory.mktemp("scenes") / name) for name in ("runs", "without"))
    for setting in (scenes, with_gap, whole):
        work = setting(Scale.QUICK)
        record(copy, work, {"all_r2": 0.5, "id_r2": 0.75})
        store.commit(replace(copy.read(work.digest()), arrays=arrays_of(work)))
    store.commit_forecast(scenes(Scale.QUICK).problem.digest(), forecast("not guaranteed"))
    claims = [make.claim("Z1", {"main": scenes}, {"main": with_gap}, check)]
    claims.append(make.claim("Z2", {"main": scenes}, {"main": whole}, check))
    return report_page([make.paper(*claims)], Scale.QUICK, [store])


def test_a_page_of_scenes_has_its_figures(page, parsed, assert_stands_alone):
    tree = parsed(page)
    assert_stands_alone(tree)
    articles = {article.all("h3")[0].text: article for article in tree.all("article")}
    alts = {name: [each.attributes["alt"] for each in article.all("img")] for name, article in articles.items()}
    starts = ["Training support", "Error over pairs", "Target, output", "True components", "Training squared"]
    for name, expected in {"scenes": starts, "with gap": starts, "whole": [*starts[:3], starts[4]]}.items():
        assert len(alts[name]) == len(expected)
        assert all(alt.startswith(words) for alt, words in zip(alts[name], expected, strict=True))
    # A setting stands beside its controls.
    assert "with gap (1 seed)" in alts["scenes"][1]
    assert "whole (1 seed)" in alts["scenes"][1]
    assert "scenes (1 seed)" not in alts["whole"][1]
    assert "Scenes. A picture is composed of sprites" in tree.all("section", id="settings")[0].text
    assert len(page) / len(articles) < 250_000


def test_a_page_of_scenes_has_the_checker_in_its_place(page, parsed):
    tree = parsed(page)
    places = [node.attributes["id"] for node in tree.all("section")]
    # What kernels forecast is another question, and a page of scenes has no section about it.
    assert places == ["verdicts", "settings", "supports", "speed", "provenance"]
    assert "Support checker" in tree.all("nav")[0].text
    text = tree.all("section", id="supports")[0].text
    assert "not guaranteed, other models: 2 settings, 2 measured" in text
    assert f"differ by more than {APART:g}" in text
