"""Commands as a person runs them: in a process of their own, by what they print and how they exit."""

import compileall
import json
import os
import subprocess
import sys
from pathlib import Path
from statistics import median

import pytest

import recombine as recombine_package
from recombine.cli.reproducing import ScaleName
from recombine.papers import Scale

BLOCK = ("--set", "n=8", "--hold-out", "block:x=3..5,y=2..4")
HURRY = ("--model", "mlp-decoder:width=8,depth=1", "--recipe", "steps=20")


def recombine(*arguments: str, cwd: Path | None = None, **environment: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-m", "recombine.cli", *arguments],
        capture_output=True,
        text=True,
        cwd=cwd,
        env={**os.environ, **environment},
        timeout=120,
    )


def document(done: subprocess.CompletedProcess) -> object:
    """The one JSON document on standard output."""
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_problem_goes_from_forecast_to_record_to_table(tmp_path: Path):
    forecast = document(recombine("forecast", "bump", *BLOCK, "--json"))
    assert {"verdict", "reasons", "sections", "certificate"} <= set(forecast)
    assert {"name", "expected", "low", "high"} <= set(forecast["sections"][0])
    assert forecast["certificate"]["held_out"] == 9

    arguments = ("train", "bump", *BLOCK, *HURRY, "--seeds", "2", "--store", "here")
    runs = document(recombine(*arguments, "--json", cwd=tmp_path))
    assert [run["status"] for run in runs] == ["done", "done"]
    assert len(list((tmp_path / "here" / "runs").iterdir())) == 2

    again = recombine(*arguments, cwd=tmp_path)
    assert again.returncode == 0
    assert "ood_nmse" in again.stdout
    assert "[1/" not in again.stderr  # nothing was run again

    facts = document(recombine("doctor", "--store", "here", "--json", cwd=tmp_path))
    assert facts["stores"]["here"] == 2
    assert facts["damaged"] == []


def test_a_problem_file_is_the_same_problem(tmp_path: Path):
    (tmp_path / "p.yaml").write_text("task: {kind: bump, n: 8}\nsplit: {kind: block, x: [3, 6], y: [2, 5]}\n")
    from_file = document(recombine("forecast", "p.yaml", "--json", cwd=tmp_path))
    from_words = document(recombine("forecast", "bump", *BLOCK, "--json"))
    assert from_file["digest"] == from_words["digest"]
    changed = document(recombine("forecast", "p.yaml", "--set", "task.sigma=2", "--json", cwd=tmp_path))
    assert changed["problem"]["task"]["sigma"] == 2


def test_another_kind_keeps_the_settings_given_so_far():
    described = document(recombine("forecast", "bump", *BLOCK, "--set", "task=torus", "--json"))
    assert described["problem"]["task"] == {"kind": "torus", "n": 8}


def test_lists_name_everything(tmp_path: Path):
    everything = document(recombine("list", "--json"))
    assert {"tasks", "splits", "models", "measures", "papers", "claims", "studies"} <= set(everything)
    claims = document(recombine("list", "claims", "--json"))
    keys = {"id", "paper", "place", "says", "quantity", "expected", "source", "control"}
    assert all(keys <= set(claim) for claim in claims)
    for name in ("bump", "block", "cnn-decoder", "ood_nmse", "forced-rendering", "FR1"):
        assert name in recombine("list").stdout


def test_check_runs_nothing_and_says_what_is_missing(tmp_path: Path):
    done = recombine("check", "FR1", "--scale", "paper", "--store", "empty", "--json", cwd=tmp_path)
    (judged,) = document(done)
    keys = {"id", "verdict", "measured", "control_verdict", "scale", "seconds"}
    assert keys <= set(judged)
    assert not (tmp_path / "empty").exists()
    assert recombine("check", "FR1", "--scale", "paper", "--strict", cwd=tmp_path).returncode == 1


def test_strict_forecasts_of_failure_exit_with_one():
    wide = ("--set", "n=12", "--hold-out", "block:x=3..9,y=3..9")
    assert recombine("forecast", "bump", *wide, "--strict").returncode == 1


def test_a_recipe_takes_a_list_of_penalties(tmp_path: Path):
    problem = ("--set", "n=8", "--set", "encoding=one-hot", "--hold-out", "corner:x=4,y=4")
    recipe = "steps=5,penalties=[{kind: rendering, variance: 0.01, entropy: 0}]"
    arguments = (*problem, "--model", "forced-rendering", "--recipe", recipe, "--store", "here", "--json")
    (run,) = document(recombine("train", "bump", *arguments, cwd=tmp_path))
    assert run["specification"]["recipe"]["steps"] == 5
    assert run["specification"]["recipe"]["penalties"] == [{"kind": "rendering", "entropy": 0}]  # 0.01 is usual


def test_recipes_add_up_and_the_later_value_wins(tmp_path: Path):
    recipes = ("--recipe", "steps=5,batch=8", "--recipe", "rate=0.01,steps=3")
    arguments = (*BLOCK, "--model", "mlp-decoder:width=8,depth=1", *recipes, "--store", "here", "--json")
    (run,) = document(recombine("train", "bump", *arguments, cwd=tmp_path))
    assert run["specification"]["recipe"] == {"steps": 3, "batch": 8, "rate": 0.01}


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("train", "bump", *BLOCK, *HURRY, "--recipe", "steps=5,steps=6"), "'steps' is given twice"),
        (("forecast", "bmup"), "did you mean 'bump'"),
        (("forecast", "missing.yaml"), "cannot read 'missing.yaml'"),
        (("forecast", "bump"), "holds nothing out"),
        (("forecast", "bump", "--hold-out", "blok:x=1..2"), "did you mean 'block'"),
        (("forecast", "bump", "--hold-out", "block:x=20..40,y=1..2"), "28"),
        (("forecast", "bump", "--hold-out", "block:x=3..5"), "never shows"),
        (("forecast", "bump", "--set", "sigma=-1", "--hold-out", "block:x=1..2,y=1..2"), "sigma"),
        (("forecast", "bump", "--set", "sgma=1", "--hold-out", "block:x=1..2,y=1..2"), "did you mean 'sigma'"),
        (("forecast", "bump", "--set", "n", "--hold-out", "block:x=1..2,y=1..2"), "name=value"),
        (("forecast", "bump", "--set", "n=[", "--hold-out", "block:x=1..2,y=1..2"), "is no value"),
        (("forecast", "bump", *BLOCK, "--isolated", "z"), "'z'"),
        (("forecast", "rotated-digit", "--hold-out", "block:angle=1..9", "--isolated", "all"), "shows no factor alone"),
        (("forecast", "addition", "--hold-out", "block:first=1..2", "--isolated", "all"), "shows no factor alone"),
        (("forecast", "bmup", "--hold-out", "corner:x=4", "--isolated", "all"), "did you mean 'bump'"),
        (("forecast", "bump", "--set", "n=200", "--hold-out", "corner:x=100,y=100"), "for 40000 combinations"),
        (("train", "locate", "--hold-out", "corner:x=9,y=9", "--model", "cnn-decoder"), "or the model mlp-decoder"),
        (("train", "bump", *BLOCK, "--model", "mpl-decoder"), "did you mean 'mlp-decoder'"),
        (("train", "bump", *BLOCK, "--model", "mlp-decoder:widht=3"), "did you mean 'width'"),
        (("train", "bump", *BLOCK, "--model", "mlp-decoder", "--recipe", "stps=3"), "did you mean 'steps'"),
        (("train", "bump", *BLOCK, "--model", "mlp-decoder", "--seeds", "0"), "at least 1"),
        (("train", "bump", *BLOCK, "--model", "mlp-decoder", "--workers", "0"), "at least 1"),
        (("train", "bump", *BLOCK), "--model"),
        (("list", "tsks"), "did you mean 'tasks'"),
        (("check", "FR99"), "did you mean 'FR9'"),
        (("check", "FR12"), "claim FR12 takes more than scale quick allows; it is asked at --scale laptop"),
        (("train", "bump", *BLOCK, "--model", "cnn"), "'cnn-decoder'"),
        (("train", "bump", *BLOCK, "--model", "mlp-decoder:kind=truth"), "given twice"),
        (("forecast", "bump", *BLOCK, "--set", "n=9"), "given 2 times"),
        (("forecast", "bump", "--set", "n=100000", "--hold-out", "block:x=1..2,y=1..2"), "1024"),
        (("forecast", "bump", "--set", "sigma=1e300", "--hold-out", "block:x=1..2,y=1..2"), "sigma"),
        (("reprodce",), "did you mean 'reproduce'"),
        (("check", "--scal", "quick"), "did you mean '--scale'"),
        (("check", "--scale", "huge"), "huge"),
    ],
)
def test_bad_input_gets_one_sentence_and_exit_code_two(arguments, says, tmp_path: Path):
    done = recombine(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert says in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("train", "bump", *BLOCK, *HURRY, "--gpus", "1"), "torch finds no GPU on this machine; leave it out"),
        (("reproduce", "FR1", "--gpus", "0.5"), "torch finds no GPU on this machine; leave it out"),
        (("reproduce", "FR1", "--gpus", "2"), "gpus = 2 is the share of a GPU that each training takes"),
    ],
)
def test_a_gpu_that_is_not_there_is_said_in_one_sentence(arguments, says, tmp_path: Path):
    done = recombine(*arguments, cwd=tmp_path, CUDA_VISIBLE_DEVICES="")  # none, also where there is one
    assert done.returncode == 2
    assert says in done.stderr
    assert done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("task: bump\nsplti: {kind: block}\n", "did you mean 'split'"),
        ("task: bump\nsplit: {kind: block, x: [1, 3], y: [1, 3]}\nexample: 3\n", "did you mean 'examples'"),
        ("[1, 2]", "must hold a mapping"),
        ("a: [1,", "not valid YAML"),
        ("task: !!python/object/apply:os.getcwd []\n", "not valid YAML"),
        ("", "must hold a mapping"),
        ("1: 2", "names are words"),
        ("task: bump\nsplit: &s {kind: complement, of: *s}\n", "contains itself"),
    ],
)
def test_bad_problem_files(text, says, tmp_path: Path):
    (tmp_path / "p.yaml").write_text(text)
    done = recombine("forecast", "p.yaml", cwd=tmp_path)
    assert done.returncode == 2
    assert says in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_damaged_record_is_named_and_the_others_are_kept(tmp_path: Path):
    recombine("train", "bump", *BLOCK, *HURRY, "--seeds", "2", "--store", "here", cwd=tmp_path)
    first, second = sorted((tmp_path / "here" / "runs").iterdir())
    arrays = first / "arrays.npz"
    arrays.write_bytes(arrays.read_bytes()[:-7])
    done = recombine("doctor", "--store", "here", cwd=tmp_path)
    assert done.returncode == 2
    assert first.name in done.stdout
    assert second.name not in done.stdout
    assert arrays.exists()


def test_a_store_that_cannot_be_written_is_one_sentence(tmp_path: Path):
    (tmp_path / "file").write_text("in the way")
    done = recombine("train", "bump", *BLOCK, *HURRY, "--store", "file/store", cwd=tmp_path)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert (tmp_path / "file").read_text() == "in the way"


@pytest.mark.alone
@pytest.mark.parametrize("arguments", [("--help",), ("list",), ("list", "claims")])
def test_help_and_lists_answer_without_torch_in_little_more_than_their_imports_take(arguments):
    """Half a second of CPU on an idle machine (`recombine bench startup`); a ratio here, since machines are shared."""
    compileall.compile_dir(Path(recombine_package.__file__).parent, quiet=1)  # as an installed package is
    command = f"from recombine.cli import main\ntry: main({list(arguments)!r})\nexcept SystemExit: pass\n"
    libraries = "import numpy, pydantic.main, pydantic.types, typer.main\n"
    report = (
        "import resource, sys\nused = resource.getrusage(resource.RUSAGE_SELF)\n"
        "print(used.ru_utime + used.ru_stime, 'torch' in sys.modules, file=sys.stderr)\n"
    )

    def taken(script: str) -> tuple[float, str]:
        done = subprocess.run([sys.executable, "-c", script + report], capture_output=True, text=True)
        seconds, torch_loaded = done.stderr.split()[-2:]
        return float(seconds), torch_loaded

    tries = [(taken(libraries)[0], taken(command)) for _ in range(7)]
    assert {torch_loaded for _, (_, torch_loaded) in tries} == {"False"}
    assert median(seconds / base for base, (seconds, _) in tries) < 2.2


def test_what_papers_name_is_built_when_it_is_asked_for():
    """Loading the claims makes no work, nor any part of one that has settings of its own."""
    script = (
        "import recombine.data, recombine.models, recombine.training\n"
        "from recombine.core.spec import Spec\nfrom recombine.studies import Work\n"
        "plain, built = Spec.__init__, []\n"
        "def watched(self, /, **settings):\n"
        "    built.extend([type(self).__name__] if settings or isinstance(self, Work) else [])\n"
        "    plain(self, **settings)\n"
        "Spec.__init__ = watched\n"
        "from recombine.papers import Scale, papers\n"
        "print(built)\n"
        "papers.claims()[0].works(Scale.QUICK)\nprint(len(built) > 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout.splitlines() == ["[]", "True"], done.stderr


def test_every_command_has_help_with_an_example():
    listed = recombine("--help").stdout.split("Commands:")[1]
    for name in (line.split()[0] for line in listed.strip().splitlines() if line.startswith("  ") and line[2] != " "):
        text = recombine(name, "--help").stdout
        assert f"recombine {name}" in text
        assert "Example: " in text
        assert "--json" in text


def test_scales_on_the_command_line_are_the_scales():
    assert list(ScaleName.__args__) == [scale.value for scale in Scale]


def test_measures_beside_the_usual_ones_are_printed_part_by_part(tmp_path: Path):
    given = ("train", "bump", "--set", "n=8", "--hold-out", "extrapolation/cross:x=3..4,y=3..4", *HURRY)
    done = recombine(*given, "--measures", "strict_accuracy,participation_end", "--store", "here", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "strict_accuracy.vertical-x" in done.stdout
    assert "participation_end is not defined here" in done.stdout
    done = recombine(*given, "--measures", "strict_acuracy", "--store", "here", cwd=tmp_path)
    assert done.returncode == 2
    assert "strict_accuracy" in done.stderr
