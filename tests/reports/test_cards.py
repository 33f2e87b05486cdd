"""Cards say what records, specifications and verdicts say, and nothing where these are silent."""

import re
from dataclasses import replace

import numpy as np
import pytest

from recombine.audits import audit
from recombine.data import Problem, tasks
from recombine.data.component_pictures import ComponentPictures
from recombine.models import models
from recombine.papers import Check, Interval, Range, Scale, Verdict, judge, papers
from recombine.reports.audit_page import audit_page
from recombine.reports.cards import audited_data_card, audited_model_card, data_card, model_card
from recombine.reports.findings import gather
from recombine.reports.numbers import interval
from recombine.reports.report import report_page
from recombine.reports.settings import SeedRun, SettingRuns, settings_of
from recombine.splits import regions, supports
from recombine.studies import Calculation, Experiment, vary

BLOCK = regions.block(y=(2, 5), x=(3, 7))


@pytest.fixture(scope="module")
def facts(parsed):
    """A function from a card to its facts by name."""

    def read(markup):
        (table,) = parsed(markup).all("table")
        return {row.all("th")[0].text: row.all("td")[0].text for row in table.all("tr")}

    return read


def recorded(problem: Problem, **body) -> SettingRuns:
    """A setting with one run on a problem, as if it were recorded."""
    work = Experiment(problem=problem, model="truth", measures=())
    return SettingRuns("it", "", (), (SeedRun(work, {"status": "done", "measures": {}, "layers": [], **body}),))


@pytest.fixture
def filled(paper, store, record):
    """A store with a record of every run of the paper."""
    for work in {work.digest(): work for claim in paper.claims for work in claim.works(Scale.QUICK)}.values():
        value = 0.5 + 0.1 * work.seed
        record(store, work, {"ood_nmse": value, "rim_nmse": 2 * value, "nmse_by_section": {"ood": value, "id": 0.0}})
    return store


def test_every_setting_with_runs_has_both_cards_folded(paper, filled, parsed):
    tree = parsed(report_page([paper], Scale.QUICK, [filled]))
    tiny, drawn, shown = tree.all("article")
    for article in (tiny, drawn, shown):
        folded = {node.all("summary")[0].text: node for node in article.all("details")}
        for title in ("Data card", "Model card"):
            if article is drawn and title == "Data card":  # the same data as before
                (said,) = [each for each in article.all("p") if each.text.startswith("Data card")]
                assert said.text == "Data card: that of tiny."
                assert said.all("a")[0].attributes["href"] == f"#{tiny.attributes['id']}"
                continue
            assert "open" not in folded[title].attributes
            assert len(folded[title].all("tr")) > 6


def test_the_cards_of_a_setting(paper, filled, facts):
    findings = gather([paper], Scale.QUICK, [filled])
    setting = next(each for each in findings.settings.values() if each.label == "tiny")
    data, model = facts(data_card(setting)), facts(model_card(setting, findings.judgements))
    assert data["Task"].startswith("bump (n = (8, 11)): A Gaussian bump")
    assert data["Factors"] == "2: y with 8 levels, x with 11 levels"
    assert data["Trained on"] == f"{8 * 11 - 4 * 5} examples"
    assert "20 of 88 combinations (23%; rim 20)" in data["Never shown"]
    assert data["Resolution"] == "8 x 11 pixels"
    assert data["Seeds"] == "0 to 2"
    assert data["Licence"] == "MIT"
    assert data["Known limits"].startswith("synthetic")
    origin = setting.runs[0].body["provenance"]
    assert f"PyTorch {origin['torch']}" in model["Software"]
    assert origin["platform"] in model["Machine"]
    assert model["Layers looked at"].split(", ") == list(setting.runs[0].layers)
    assert (
        model["Measured on ood"] == f"nMSE {interval(Interval.over_seeds([0.5, 0.6, 0.7]))}"
    )  # once, though two measures have it
    assert model["Measured on rim"] == f"nMSE {interval(Interval.over_seeds([1.0, 1.2, 1.4]))}"
    assert model["Measured on id"] == "nMSE 0 [0, 0], 3 seeds"  # no id_nmse is recorded
    assert "Parameters" not in model  # these records do not have it


def test_nothing_is_said_before_anything_is_recorded_or_of_calculations(paper):
    for setting in settings_of(paper.claims, Scale.QUICK, lambda work: SeedRun(work, None)).values():
        assert data_card(setting) is None
        assert model_card(setting, {}) is None
    claims = papers.claims(scale=Scale.QUICK)
    found = settings_of(claims, Scale.QUICK, lambda work: SeedRun(work, {"status": "done", "measures": {}}))
    calculations = [setting for setting in found.values() if isinstance(setting.work, Calculation)]
    assert calculations
    assert {data_card(setting) for setting in calculations} == {None}
    assert {model_card(setting, {}) for setting in calculations} == {None}


def test_verdicts_and_failures_are_those_of_the_records(store, record, make, facts):
    claim = make.claim("X1", {"main": make.tiny}, {"main": make.shown}, Check("ood_nmse", Range(0.5, 1.5), "s"))
    first, second, third = vary(make.tiny(Scale.QUICK), seed=range(3))
    record(store, first, {"ood_nmse": 0.9})
    record(store, second, {"ood_nmse": 1.1})
    record(store, third, reason="diverged <b>& died</b>")
    for experiment in vary(make.shown(Scale.QUICK), seed=range(3)):
        record(store, experiment, {"ood_nmse": 0.0})
    findings = gather([make.paper(claim)], Scale.QUICK, [store])
    judged = judge(claim, Scale.QUICK, findings.bodies)
    main, control = findings.settings.values()
    told = facts(model_card(main, findings.judgements))
    assert told["Verdicts"] == f"X1 {judged.verdict}: It fails."
    assert told["Failed runs"] == "1 of 3: diverged <b>& died</b>"
    assert told["Measured on ood"] == f"nMSE {interval(Interval.over_seeds([0.9, 1.1]))}"
    assert judged.control_verdict is Verdict.CONTRADICTED
    told = facts(model_card(control, findings.judgements))
    assert told["Verdicts"] == "Control of X1: contradicted, as a control should be."
    assert "Failed runs" not in told


def test_parameters_are_told_where_records_have_them(facts):
    setting = recorded(Problem(tasks.bump(n=(6, 8)), BLOCK), parameters=12345)
    assert facts(model_card(setting, {}))["Parameters"] == "12,345"
    assert facts(model_card(setting, {}))["Training"] == "none: nothing is trained"


def test_settings_are_all_told_and_seeds_with_a_gap_one_by_one(facts):
    run = recorded(Problem(tasks.bump(n=(6, 8)), BLOCK)).runs[0]
    model = models.feedforward(widths=(8, 4))
    runs = tuple(replace(run, work=work) for work in vary(run.work.model_copy(update={"model": model}), seed=(0, 1, 3)))
    setting = SettingRuns("it", "", (), runs)
    assert facts(model_card(setting, {}))["Settings"] == (
        "widths (8, 4), nonlinearity leaky-relu, bias yes, modules 1, crossing 0"
    )
    assert facts(data_card(setting))["Seeds"] == "0, 1, 3"


PADDED = tasks.bump(n=12, pad=4)
COUNTED = {
    "all": Problem(tasks.bump(n=(6, 8)), BLOCK),
    "some": Problem(tasks.bump(n=(6, 8)), BLOCK, examples=9),
    "alone": Problem(tasks.bump(n=(6, 8)), BLOCK, isolated=("x", "y")),
    "some alone": Problem(tasks.bump(n=(6, 8)), BLOCK, examples=0, isolated=("x", "y"), isolated_levels=4),
    "between": Problem(tasks.bump(n=(6, 8)), BLOCK, spacing=0.5),
    "rim": Problem(PADDED, regions.block(y=(2, 5), x=(3, 7)), isolated=("x",), rim=True, spacing=0.5),
    "shown": Problem(tasks.addition(), regions.anchors(first=(1,), second=(0, 2)), reveal=True),
    "drawn": Problem(tasks.hill(levels=6), regions.block(x1=(1, 3), x2=(2, 4)), centres="uniform", examples=1234),
    "scenes": Problem(tasks.sprites(size=8, tests=3), support=supports.random(), examples=21),
}


@pytest.mark.parametrize("name", COUNTED)
def test_the_number_of_examples_is_that_of_the_training_set(name, facts):
    problem = COUNTED[name]
    said = facts(data_card(recorded(problem)))["Trained on"]
    numbers = [int(number.replace(",", "")) for number in re.findall(r"[\d,]*\d", said)]
    assert sum(numbers) == len(problem.training_set(0))
    if problem.isolated:
        assert numbers[1] == problem.lone(0).sum()


def test_what_is_never_shown(facts):
    def never(problem):
        return facts(data_card(recorded(problem)))["Never shown"]

    assert "12 of 48 combinations" in never(COUNTED["all"])
    assert never(COUNTED["shown"]).startswith("nothing: ")
    cut = Problem(tasks.sprites(tests=5), support=supports.random(without={"x1": (0.1, 0.4)}), examples=5)
    assert never(cut).endswith("without x1 from 0.1 to 0.4")
    asked = facts(data_card(recorded(cut)))["Asked"].split("; ")
    assert asked[:2] == ["id: 5 scenes", "all: 5 scenes"]
    assert "Asked" not in facts(data_card(recorded(COUNTED["all"])))


def test_pictures_of_others_are_named_with_their_terms(facts):
    """Without loading them: the page must not need a set that is not there."""
    pictures = ComponentPictures(set="cifar10", size=16, total=720)
    told = facts(
        data_card(recorded(Problem(tasks.context(images=pictures), regions.block(feature1=(0, 3), feature2=(3, 6)))))
    )
    assert told["Licence"] == "MIT and the terms of the image set cifar10"
    assert told["Trained on"] == "720 tuples of images, spread over 54 combinations"
    assert told["Resolution"] == "16 x 16 pixels an image"
    assert "cifar10" in told["Known limits"]


@pytest.mark.parametrize(
    ("task", "says"),
    [
        (tasks.bump(n=(6, 8)), "bump: A population of units"),
        (tasks.locate(n=8), "the picture itself"),
        (tasks["rotated-digit"](angles=8), "cosine and sine of the angle"),
    ],
)
def test_how_inputs_are_coded(task, says, facts):
    region = BLOCK if "x" in task.grid.names else regions.block(angle=(2, 4))
    assert facts(data_card(recorded(Problem(task, region))))["Inputs"].startswith(says)


@pytest.fixture(scope="module")
def audited():
    """An audit of a function that is right on trained rows and answers 0 elsewhere."""
    rows = [(a, b) for a in range(5) for b in range(4)]
    inputs = np.array([np.concatenate([np.eye(5)[a], np.eye(4)[b]]) for a, b in rows], dtype=np.float32)
    targets = np.array([a + 2.0 * b for a, b in rows])
    trained = np.array([not (a > 2 and b > 1) for a, b in rows])
    known = {row.tobytes(): value for row, value, there in zip(inputs, targets, trained, strict=True) if there}

    def model(batch):
        return np.array([known.get(row.tobytes(), 0.0) for row in batch])

    table = {"a": [a for a, _ in rows], "b": [b for _, b in rows]}
    return audit(inputs, targets, table, trained, model=model, source="mine <i>")


def test_the_cards_of_an_audit(audited, facts):
    data, model = facts(audited_data_card(audited)), facts(audited_model_card(audited))
    assert data["Data"] == "mine <i>"
    assert data["Trained on"] == "16 rows"
    assert data["Held out"] == "4 rows; unseen pair 4"
    assert data["Combinations"] == "16 of 20 are trained on"
    assert data["Factors looked at"] == "a, b"
    assert "Known limits" not in data  # no input is repeated
    assert model["Verdict"] == audited.verdict
    scored = {line["section"]: line["score"] for line in audited.scores}
    assert scored["trained"] == 1
    assert model["Measured on trained"].startswith("R² 1 [1, 1], 16 rows")
    assert "Measured on unseen pair" in model
    assert all(reason.text in model["Known failures"] for reason in audited.diagnosis)


def test_an_audit_without_a_mask_or_a_model_has_no_such_card(audited, parsed, assert_stands_alone):
    assert audited_data_card(replace(audited, held_out=None)) is None
    assert audited_model_card(replace(audited, performance=audited.performance.iloc[:0])) is None
    tree = parsed(audit_page(audited))
    assert_stands_alone(tree)
    assert [node.text for node in tree.all("summary") if "card" in node.text] == ["Data card", "Model card"]
