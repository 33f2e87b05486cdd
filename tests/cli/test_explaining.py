"""`recombine explain` on tiny runs: what it prints, draws and refuses."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

import recombine as rc
from recombine.cli.explaining import again, spare_store, train_command
from recombine.cli.problem import parse_settings
from recombine.core.errors import InputError
from recombine.core.spec import canonical_json, sha256
from recombine.data import Problem
from recombine.records import Record, Store
from recombine.reports.explanation_figure import explanation_svg
from recombine.studies.execution import commit
from recombine.studies.explaining import Explanations, NoWeights, explain, recorded_run
from recombine.studies.publishing import publish
from recombine.studies.training import Run, Runs
from recombine.training import Outcome
from recombine.training.run import build

CALCULATED = sha256(canonical_json({"kind": "leaking"}))[:16]
BLOCK = ("--set", "n=8", "--hold-out", "block:x=3..5,y=2..4")
HURRY = ("--model", "mlp-decoder:width=8,depth=2", "--recipe", "steps=20")


def recombine(*arguments: str, cwd: Path) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "recombine.cli", *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, timeout=120)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store of two trained seeds, a diverged run, a component run and a calculation."""
    folder = tmp_path_factory.mktemp("explained")
    done = recombine("train", "bump", *BLOCK, *HURRY, "--seeds", "2", "--store", "here", cwd=folder)
    assert done.returncode == 0, done.stderr
    store = Store(folder / "here")
    (first, second) = (recorded_run(digest, store.root) for digest in store.digests())
    assert {first.experiment.seed, second.experiment.seed} == {0, 1}
    diverged = rc.Experiment(**{**dict(first.experiment), "recipe": rc.Recipe(steps=7), "seed": 0})
    commit(diverged, Outcome("failed", "the loss is not finite at step 3", {}, {}), store)
    sums = rc.Experiment(
        problem=Problem(rc.tasks.addition(), rc.splits.anchors(first=4, second=4)),
        model=rc.models.mlp(width=4),
        measures=("slope",),
    )
    commit(sums, Outcome("done", None, {"slope": 1.0}, {}), store)
    calculated = {"specification": {"kind": "leaking"}, "status": "done", "measures": {}}
    store.commit(Record(CALCULATED, calculated))
    return folder


def digest_of(home: Path, seed: int = 0, **wanted: object) -> str:
    for body in Store(home / "here").bodies()[0]:
        facts = {"status": body["status"], "task": body["specification"].get("problem", {}).get("task", {}).get("kind")}
        if facts == {"status": "done", "task": "bump", **wanted} and body.get("seed", seed) == seed:
            return body["digest"]
    raise AssertionError(wanted)


def test_the_text_has_the_verdict_the_parts_and_the_layers(home: Path):
    digest = digest_of(home)
    done = recombine("explain", digest[:8], "--store", "here", "-o", "figure.svg", cwd=home)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    assert lines[0] == f"{digest}: mlp-decoder on bump, seed 0, block, 20 steps"
    assert lines[2].endswith(".")
    assert "y = 3, x = 4 (never shown): nMSE" in done.stdout
    assert "superposition index" in done.stdout
    assert "factorisation is lost at" in done.stdout
    drawn = (home / "figure.svg").read_text()
    for words in ("truth", "answer", "weight", "row", "column", "ink"):
        assert f">{words}" in drawn
    assert drawn.count(">ink<") == 1  # one scale for truth, answer and sum
    assert float(drawn.split('width="')[1].split("pt")[0]) * 96 / 72 < 1200
    assert f"held-out error {lines[2].split('nMSE ')[1].split(',')[0]} (section ood), by cause:" in lines


def test_the_document_has_the_same(home: Path):
    digest = digest_of(home)
    done = recombine("explain", digest, "--store", "here", "--at", "x=7,y=0", "--json", cwd=home)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["digest"] == digest
    assert found["at"] == {"y": 0, "x": 7, "trained": True}
    assert [(each["y"], each["x"]) for each in found["answer"]["contributors"]] == [(0, 7)]
    assert {"finding", "verdict", "answer", "sections", "superposition", "layers", "lost"} <= set(found)
    assert [layer["name"] for layer in found["layers"]] == ["input", "layer0", "layer1", "output"]
    assert set(found["layers"][0]) == {"name", "factorisation", "contrast", "probe"}
    assert set(found["sections"][0]) == {"name", "combinations", "nmse", "accuracy"}
    assert found["experiment"]["problem"]["task"] == {"kind": "bump", "n": 8}


def test_shares_of_the_error_are_told_drawn_and_written(home: Path):
    digest = digest_of(home)
    told = recombine("explain", digest, "--store", "here", "-o", "shares.svg", cwd=home)
    written = json.loads(recombine("explain", digest, "--store", "here", "--json", cwd=home).stdout)
    assert sum(each["share"] for each in written["blame"]) == pytest.approx(1.0)
    assert written["cause"] == max(written["blame"], key=lambda each: each["share"])["failure"]
    for each in written["blame"]:
        assert set(each) == {"failure", "share", "text", "evidence"}
        assert each["share"] < 0.005 or (each["failure"] in told.stdout and each["text"] in told.stdout)
    assert "share of the held-out error" in (home / "shares.svg").read_text()


def test_a_run_of_components_is_explained_by_the_command(tmp_path: Path):
    problem, model = Problem(rc.tasks.addition(), rc.splits.anchors(first=4, second=4)), rc.models.mlp(width=4)
    experiment = rc.Experiment(problem=problem, model=model, measures=("slope",))
    weights = {name: tensor.numpy() for name, tensor in build(problem, model, 0).state_dict().items()}
    commit(experiment, Outcome("done", None, {"slope": 1.0}, {}, weights=weights), Store(tmp_path / "here"))
    told = ("explain", experiment.digest()[:8], "--store", "here", "--at", "y=1,x=2", "-o", "figure.svg")
    done = recombine(*told, "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["cause"] == "not learned"
    assert found["blame"][0]["failure"] == "not learned"
    assert {each["name"] for each in found["sections"]} == {"id", "ood"}
    assert "at: task 'addition' draws no pictures over y and x" in found["undefined"][-1]
    drawn = (tmp_path / "figure.svg").read_text()
    assert "share of the held-out error" in drawn
    assert "additive share" in drawn


def test_the_numbers_are_those_that_were_recorded(home: Path):
    run = recorded_run(digest_of(home), home / "here")
    found = explain(run)
    recorded = run.record.body["measures"]
    sections = {section.name: section for section in found.sections}
    assert sections["ood"].nmse == pytest.approx(recorded["ood_nmse"])
    assert sections["ood"].accuracy == pytest.approx(recorded["ood_accuracy"])
    assert found.superposition is not None
    assert found.superposition.index == pytest.approx(recorded["superposition_index"], abs=1e-5)
    for layer in found.layers:
        assert layer.factorisation == pytest.approx(recorded["factorisation"][layer.name], abs=1e-5)


def test_runs_are_explained_seed_by_seed(home: Path):
    problem = Problem(rc.tasks.bump(n=8), rc.splits.block(x=(3, 6), y=(2, 5)))
    model = rc.models.mlp_decoder(width=8, depth=2)
    runs = rc.train(problem, model, seeds=2, recipe=rc.Recipe(steps=20), store=home / "here")
    found = rc.explain(runs, at={"y": 3, "x": 4})
    assert isinstance(found, Explanations)
    assert len(found) == 2
    assert [each.finding for each in found] == [rc.explain(run).finding for run in runs]
    assert "of 2 seeds" in found.verdict
    assert "seed 1: " in str(found)


def test_the_truth_needs_no_weights():
    problem = Problem(rc.tasks.bump(n=(8, 9)), rc.splits.block(x=(3, 6), y=(2, 5)))
    experiment = rc.Experiment(problem=problem, model=rc.models.truth(), measures=("ood_nmse",))
    assert explain(Run(experiment, Record(experiment.digest(), {"status": "done"}))).finding == "composes"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("nothing",), "there is no run 'nothing' among the"),
        (("{digest}", "--at", "3,4"), "--at '3,4' must name each factor once with the index of a level"),
        (("{digest}", "-o", "figure.png"), "give a name that ends in .svg"),
        (("{digest}", "-o", "no/figure.svg"), "there is no folder 'no'"),
        (("{component}",), "was recorded without its weights, so that nothing can be asked of it; train it again with"),
    ],
)
def test_bad_input_gets_one_sentence_and_exit_code_two(home: Path, arguments, says):
    names = {"digest": digest_of(home), "component": digest_of(home, task="addition")}
    done = recombine("explain", *(word.format(**names) for word in arguments), "--store", "here", cwd=home)
    assert done.returncode == 2
    assert says in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


def test_what_was_not_trained_or_failed_is_refused(home: Path):
    with pytest.raises(InputError, match="there is no run ''"):
        recorded_run("", home / "here")
    with pytest.raises(InputError, match=f"run {CALCULATED} is the calculation 'leaking', in which nothing was"):
        recorded_run(CALCULATED[:5], home / "here")
    with pytest.raises(InputError, match="failed: the loss is not finite at step 3; it has nothing to explain"):
        explain(recorded_run(digest_of(home, status="failed"), home / "here"))


@pytest.mark.parametrize(
    ("at", "says"),
    [
        ({"y": 3}, "needs the index of a level of x, a whole number, got None; give both, e.g. y=12,x=9"),
        ({"y": 3, "z": 1}, "'z' is neither"),
        ({"y": 3, "x": 8}, "x has 8 levels, so give an index from 0 to 7"),
        ({"y": 3.0, "x": 4}, "index of a level of y, a whole number, got 3.0"),
        ({"y": 3, "x": "4"}, "index of a level of x, a whole number, got '4'"),
        ({"y": True, "x": 4}, "index of a level of y, a whole number, got True"),
        ({"y": np.True_, "x": 4}, "index of a level of y, a whole number, got .*True"),
        ({"y": [3], "x": 4}, "a whole number, got a list"),
        ({0: 3, 1: 4}, "0 is neither"),
        ((3, 4), "`at` must be a mapping from factors to level indices, got a tuple; give both"),
        ("y=3,x=4", "`at` must be a mapping from factors to level indices, got 'y=3,x=4'"),
        (12, "`at` must be a mapping from factors to level indices, got 12"),
    ],
)
def test_combinations_that_are_not_named_whole_are_refused(home: Path, at, says):
    with pytest.raises(InputError, match=says):
        rc.explain(recorded_run(digest_of(home), home / "here"), at)


def test_levels_may_be_whole_numbers_of_numpy(home: Path):
    found = rc.explain(recorded_run(digest_of(home), home / "here"), {"y": np.int64(3), "x": np.uint8(4)})
    assert (found.answer.y, found.answer.x) == (3, 4)
    assert json.loads(json.dumps(found.to_dict()))["at"] == {"y": 3, "x": 4, "trained": False}


def test_what_is_no_run_is_refused_with_the_ways_out(home: Path):
    run = recorded_run(digest_of(home), home / "here")
    given = {
        "got a list": [run],
        f"got '{run.record.digest}'": run.record.digest,
        "got None": None,
        "got a Problem": run.experiment.problem,
        "got an Experiment": run.experiment,
        "got no runs at all": Runs([run])[1:],
    }
    for says, mistake in given.items():
        with pytest.raises(InputError, match=f"explain needs trained runs, {says}; ") as caught:
            rc.explain(mistake)
        for way in ("`runs` as rc.train returned them", "`runs[0]`", "`recombine explain DIGEST`"):
            assert way in str(caught.value)


def test_a_slice_of_runs_is_runs(home: Path):
    first, second = (recorded_run(digest_of(home, seed), home / "here") for seed in (0, 1))
    runs = Runs([first, second, first])
    assert isinstance(runs[:2], Runs)
    assert list(runs[::-1][:2]) == [first, second]
    assert runs[1] is second
    assert len(rc.explain(runs[1:2])) == 1


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"model": {"kind": "mine", "width": 3}}, "unknown model 'mine'"),
        ({"problem": {"task": {"kind": "blots"}, "split": {"kind": "block"}}}, "unknown task 'blots'"),
    ],
)
def test_what_a_script_registered_is_explained_from_that_script(home: Path, tmp_path: Path, change, says):
    specification = {**recorded_run(digest_of(home), home / "here").record.body["specification"], **change}
    Store(tmp_path / "kept").commit(Record("ffff0000ffff0000", {"specification": specification, "status": "done"}))
    with pytest.raises(InputError, match=f"run ffff0000ffff0000 cannot be built here: {says}; ") as caught:
        recorded_run("ffff0000ffff", tmp_path / "kept")
    assert "explain the run from that script with rc.explain(runs)" in str(caught.value)


def untrained(problem: Problem, seed: int) -> Run:
    """A network with its initial weights, as if they had been recorded."""
    model = rc.models.mlp_decoder(width=8, depth=2)
    experiment = rc.Experiment(problem=problem, model=model, seed=seed, measures=("ood_nmse",))
    weights = {name: tensor.numpy() for name, tensor in build(problem, model, seed).state_dict().items()}
    return Run(experiment, Record(experiment.digest(), {"status": "done"}, weights=weights))


@pytest.mark.parametrize("examples", [0, None])
def test_lone_stripes_are_remembered(examples: int | None):
    """Those of the very seed: 5 levels of each factor. What was not trained has not learned them."""
    problem = Problem(
        rc.tasks.bump(n=(8, 9)),
        rc.splits.block(x=(3, 6), y=(2, 5)),
        isolated=("x", "y"),
        isolated_levels=5,
        examples=examples,
    )
    runs = Runs([untrained(problem, seed) for seed in (0, 1)])
    for seed, found in enumerate(rc.explain(runs)):
        positions = problem.training_set(seed).positions[-10:]
        combinations = 0 if examples == 0 else 72 - 9
        assert (found.answer.remembered, found.answer.stripes) == (combinations + 10, 10)
        shown = {tuple(None if np.isnan(level) else int(level) for level in row) for row in positions}
        lone = {(each.y, each.x) for each in found.answer.contributors if None in (each.y, each.x)}
        assert lone
        assert lone <= shown
        assert found.finding == "unlearned"
        assert "superposing" not in found.verdict
        asked = problem.training_set(seed)
        with torch.no_grad():
            drawn = runs[seed].network(torch.from_numpy(asked.codes[-10:])).numpy().reshape(10, 8, 9)
        ratio = np.square(drawn - asked.targets[-10:]).sum() / np.square(1 - asked.targets[-10:]).sum()
        assert found.stripes_nmse == pytest.approx(ratio, rel=1e-4)


def test_the_truth_of_stripes_is_learned():
    problem = Problem(rc.tasks.bump(n=(8, 9)), rc.splits.block(x=(3, 6), y=(2, 5)), isolated=("x",), examples=0)
    experiment = rc.Experiment(problem=problem, model=rc.models.truth(), measures=("ood_nmse",))
    found = explain(Run(experiment, Record(experiment.digest(), {"status": "done"})))
    assert (found.finding, found.stripes_nmse, found.answer.stripes) == ("composes", 0.0, 9)


def test_the_figure_says_that_its_map_leaves_out_stripes():
    for isolated, examples, title in (
        (("x", "y"), 0, "(stripes 100%; red: held out)"),
        ((), None, "of each remembered"),
    ):
        split = rc.splits.block(x=(3, 6), y=(2, 5))
        problem = Problem(rc.tasks.sum_of_stripes(n=(8, 9)), split, isolated=isolated, examples=examples)
        experiment = rc.Experiment(problem=problem, model=rc.models.truth(), measures=("ood_nmse",))
        found = explain(Run(experiment, Record(experiment.digest(), {"status": "done"})))
        drawn = explanation_svg(found)
        assert title in drawn
        assert ("combinations only" in drawn) == bool(isolated)
        if isolated:  # the truth is the sum of its two stripes
            assert found.answer.sum == pytest.approx(found.answer.truth, abs=1e-5)
            assert "sum of 2 pictures" in drawn


def test_a_beginning_of_two_digests_is_refused(tmp_path: Path):
    store = Store(tmp_path)
    for digest in ("zzz1", "zzz2"):
        store.commit(Record(digest, {"specification": {"kind": "leaking"}, "status": "done"}))
    with pytest.raises(InputError, match=r"'zzz' is the beginning of 2 runs \(zzz1, zzz2\); give more of its digits"):
        recorded_run("zzz", tmp_path)
    with pytest.raises(InputError, match=r"did you mean zzz1 or zzz2\?$"):
        recorded_run("zzz3", tmp_path)


def test_a_run_without_weights_says_how_to_get_them(home: Path, tmp_path: Path):
    publish(Store(home / "here"), Store(tmp_path / "published"))
    digest = digest_of(home, seed=1)
    with pytest.raises(NoWeights, match=f"run {digest} was recorded without its weights.*train it again"):
        explain(recorded_run(digest, tmp_path / "published"))
    done = recombine("explain", digest, "--store", "published", cwd=tmp_path)
    assert done.returncode == 2
    command = (
        "`recombine train bump --set n=8 --set split=block --set 'split.x=[3, 6]' --set 'split.y=[2, 5]' "
        "--model mlp-decoder:width=8,depth=2 --recipe steps=20 --seeds 2 --store runs-with-weights`"
    )
    assert command in done.stderr
    # The run of that command has the same settings and the standard measures: here it is the very same run.
    assert f"then `recombine explain {digest} --store runs-with-weights`" in done.stderr


def test_the_advice_never_names_a_store_that_has_the_run_without_weights(home: Path, tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    digest = digest_of(home, seed=1)
    assert spare_store(digest) == "runs-with-weights"
    publish(Store(home / "here"), Store(tmp_path / "runs-with-weights"))
    experiment = recorded_run(digest, Path("runs-with-weights")).experiment
    assert spare_store(digest) == "runs-with-weights-2"
    assert again(experiment).count("--store runs-with-weights-2`") == 2
    # One that has it with its weights is as good as an empty one.
    shutil.copytree(home / "here", tmp_path / "runs-with-weights-2")
    assert spare_store(digest) == "runs-with-weights-2"
    with pytest.raises(NoWeights, match=r"into another store, `runs = rc\.train\(\.\.\., store='runs-with-weights'\)`"):
        rc.explain(recorded_run(digest, Path("runs-with-weights")))


def test_the_command_that_trains_again_is_written_only_if_it_reads_back(home: Path, monkeypatch: pytest.MonkeyPatch):
    experiment = recorded_run(digest_of(home), home / "here").experiment
    problem = Problem(
        rc.tasks.bump(n=(8, 9), encoding={"kind": "one-hot"}),
        rc.splits.block(x=(3, 6), y=(2, 5)) | rc.splits.block(x=(0, 2), y=(0, 2)),
        isolated=("x", "y"),
        examples=20,
    )
    varied = rc.Experiment(**{**dict(experiment), "problem": problem})
    words = train_command(varied)
    assert words is not None
    assert "encoding=one-hot" in words
    assert "examples=20" in words
    variance = rc.penalties.parse({"kind": next(iter(rc.penalties))})
    penalised = rc.Experiment(**{**dict(experiment), "recipe": rc.Recipe(penalties=(variance, variance))})
    words = train_command(penalised)
    assert words is not None
    assert rc.Recipe.read(parse_settings(words[words.index("--recipe") + 1])) == penalised.recipe
    monkeypatch.setattr("recombine.cli.explaining.parse_settings", lambda text: {})
    assert train_command(penalised) is None
    assert "`runs = rc.train(..., store='runs-with-weights')`" in again(penalised)


@pytest.mark.parametrize(
    "model", ["diffusion-unet:before=true,width=4,pairs=4,samples=3", "mlp-decoder:width=8,depth=2"]
)
def test_stripes_beyond_the_border_are_remembered_pictures_too(model, tmp_path):
    sines = "encoding={kind: sinusoidal, pairs: 4}"
    task = ("bump", "--set", "n=8", "--set", "pad=4", "--set", sines, "--hold-out", "block:x=3..4,y=3..4")
    recipe = ("--isolated", "x,y", "--model", model, "--recipe", "steps=6,batch=8,lone=0.5", "--store", "here")
    trained = recombine("train", *task, *recipe, cwd=tmp_path)
    assert trained.returncode == 0, trained.stderr
    (digest,) = Store(tmp_path / "here").digests()
    told = recombine("explain", digest, "--store", "here", cwd=tmp_path)
    assert told.returncode in (0, 1), told.stderr
    assert "stripes" in told.stdout
    assert "Warning" not in told.stderr
