"""Commands about supports: forecasts of scenes, what can be listed, what is refused, and a run of a few steps."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from recombine.cli.forecasting import missing_parts
from recombine.cli.listing import written
from recombine.cli.problem import DRAWN, parse_settings, read_problem
from recombine.core.compositions import compositions
from recombine.core.errors import InputError
from recombine.splits import supports
from recombine.splits.designs import GAP, A

SMALL = ("--set", "size=8", "--set", "tests=4")
HARD = ("--set", "composition=hard", "--set", "raster=hard")


# Commands in one process of their own, where nothing checks annotations: starting one takes longer than running it.
DRIVER = """
import contextlib, io, json, sys
from recombine.cli import main
from recombine.studies import scene_forecast
scene_forecast.ANCHORS = 8  # enough for verdicts on small pictures
told = []
for arguments in json.load(sys.stdin):
    out, err, code = io.StringIO(), io.StringIO(), 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main(arguments)
        except SystemExit as left:
            code = left.code or 0
    told.append((code, out.getvalue(), err.getvalue()))
json.dump(told, sys.stdout)
"""


def python(*arguments: str, cwd: Path, given: str = "") -> str:
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, *arguments], input=given, capture_output=True, text=True, cwd=cwd, env=environment, timeout=600
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def all_of(commands: dict, cwd: Path) -> dict:
    """Exit code, standard output and standard error of each command."""
    answers = json.loads(python("-c", DRIVER, cwd=cwd, given=json.dumps(list(commands.values()))))
    return dict(zip(commands, answers, strict=True))


MODELS = {
    "monolithic": (1, "has no composition built in"),
    "compositional:composition=soft": (1, "the model composes by 'soft' and the data by 'addition'"),
    "compositional:composition={kind: addition}": (0, "Guaranteed: "),
}
SUM = ("forecast", "sprites", *SMALL, "--set", "composition=addition", "--support", "planes")
NARROW = ("forecast", "sprites", *SMALL, *HARD, "--support", "diagonal:width=0.1", "--json")
COMMANDS = {
    "gap": ("forecast", "sprites", *SMALL, *HARD, "--support", "planes:without={x1: [0.05, 0.45]}"),
    "sum": SUM,
    "narrow": NARROW,
    "narrow again": NARROW,
    **{model: (*SUM, "--model", model, "--strict") for model in MODELS},
    "everything": ("list", "--json"),
    **{what: ("list", what) for what in ("supports", "compositions")},
}


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    return all_of(COMMANDS, tmp_path_factory.mktemp("answers"))


def test_a_forecast_in_words(answers):
    code, out, _ = answers["gap"]
    assert code == 0
    assert "held-out performance" in out.splitlines()[0]
    assert "\nImpossible without help from the decoder" in out
    assert "share of pixels left free" in out
    assert "accuracy" not in out  # nobody has one
    assert "- unseen value: training never shows" in out
    assert "x1 from 0.0" in out
    told = out.split("Where values of sprite 1 lack support (. none, @ all of them):\n")[1].splitlines()
    assert [len(row) for row in told[:8]] == [16] * 8  # a pixel is two letters wide
    assert set("".join(told[:8])) <= set(".:-=+*#%@")
    assert set("".join(told[:8])) != {"."}


def test_a_forecast_of_what_is_guaranteed_draws_no_map(answers):
    code, out, _ = answers["sum"]
    assert code == 0
    assert "\nGuaranteed: " in out
    assert "lack support" not in out


def test_a_forecast_as_json(answers):
    told, again = (json.loads(answers[name][1]) for name in ("narrow", "narrow again"))
    assert told["problem"]["support"] == {"kind": "diagonal"}  # 0.1 is usual
    assert told["problem"]["examples"] == DRAWN
    assert told["problem"]["task"]["composition"] == {"kind": "hard"}
    assert (told["composes"], told["details"]["guarantee"]) == (False, "impossible")
    assert "certificate" not in told
    assert np.array(told["details"]["lacking_maps"]).shape == (2, 8, 8)
    assert [part["name"] for part in told["sections"]] == ["id", "all"]
    assert {**again, "seconds": 0} == {**told, "seconds": 0}


@pytest.mark.parametrize("model", MODELS)
def test_a_model_is_judged_by_its_composition(answers, model):
    expected, verdict = MODELS[model]
    code, out, _ = answers[model]
    expected_of_training, *rest = out.splitlines()
    assert "held-out performance" in expected_of_training
    assert any(verdict in line for line in rest)
    assert code == expected  # of --strict


def test_maps_are_darker_where_more_is_lacking():
    nothing, some = [[0.0, 0.0]] * 2, [[0.0, 0.5, 1.0], [0.1, 0.0, 0.25]]
    assert list(missing_parts([nothing, some])) == [
        "\nWhere values of sprite 2 lack support (. none, @ all of them):",
        "..++@@",
        "::..--",
    ]
    few = list(missing_parts([[[0.0, 0.01, 0.05, 1.0]]]))
    assert few[1] == "..::::@@"  # however few, they are not called none
    assert list(missing_parts([nothing, nothing])) == []
    assert list(missing_parts(())) == []


@pytest.mark.parametrize(("what", "registry"), [("supports", supports), ("compositions", compositions)])
def test_lists(answers, what, registry):
    listed = {row["name"]: row for row in json.loads(answers["everything"][1])[what]}
    assert set(listed) == set(registry)
    assert all(row["summary"] for row in listed.values())
    code, words, _ = answers[what]
    assert code == 0
    assert all(name in words and row["summary"] in words for name, row in listed.items())


def test_settings_of_supports_are_listed_with_their_defaults(answers):
    listed = {row["name"]: row["settings"] for row in json.loads(answers["everything"][1])["supports"]}
    assert listed["diagonal"]["width"] == "0.1"
    assert listed["random"] == {"without": "{}"}


# What a support on the command line means


def test_a_support_is_read_with_its_settings():
    found = read_problem("sprites", ["examples=30"], None, None, "random:without={x1: [0.05, 0.45]}")
    assert found.support == supports.random(without=GAP)
    assert found.examples == 30
    planes = "planes:planes=[{free: 0, at: [1, 1, 1, 0, 1]}],spread=0.3"
    found = read_problem("sprites", None, None, None, planes)
    assert found.examples == DRAWN
    assert [(plane.free, plane.at) for plane in found.support.planes] == [(0, A)]
    assert found.support.spread == 0.3


def test_a_support_in_a_file_may_be_changed(tmp_path):
    written = tmp_path / "p.yaml"
    written.write_text("task: {kind: sprites, size: 8}\nsupport: {kind: diagonal, width: 0.3}\n")
    found = read_problem(str(written), None, None, None)
    assert (found.support, found.examples) == (supports.diagonal(width=0.3), DRAWN)
    assert read_problem(str(written), ["support.width=0.2", "examples=5"], None, None).support.width == 0.2
    assert read_problem(str(written), None, None, None, "planes").support == supports.planes()


REFUSED = [
    (("forecast", "sprites", "--support", "plans"), "did you mean 'planes'"),
    (("forecast", "sprites", "--support", "diagonal:widht=0.2"), "did you mean 'width'"),
    (("forecast", "sprites", "--support", "diagonal:width=2"), "width = 2"),
    (("forecast", "sprites", "--support", "random:without={x1: [0.5, 0.2]}"), "needs 0 <= low <= high <= 1"),
    (("forecast", "sprites", "--support", "random:without={z1: [0.1, 0.2]}"), "a cut names the latent 'z1'"),
    (("forecast", "sprites", "--support", "random:without={x3: [0.1, 0.2]}"), "cuts by 'x3', but a scene has 2"),
    (("forecast", "sprites", "--support", "random:without={x1: [0, 1]}"), "a cut must keep one draw in 1,000"),
    (("forecast", "sprites", "--support", "random:without={x1"), "is no value"),
    (("forecast", "sprites"), "does not say what draws its training set, e.g. --support planes"),
    (("forecast", "sprites", "--hold-out", "block:shape1=0..0"), "is shown where a support draws it"),
    (
        ("forecast", "sprites", "--support", "planes", "--hold-out", "block:shape1=0..0"),
        "is shown where a support draws it: it has no split",
    ),
    (("forecast", "sprites", "--support", "planes", "--isolated", "all"), "it has no split, isolated factors"),
    (("forecast", "sprites", "--support", "planes", "--set", "examples=0"), "examples = 0 is too few"),
    (("forecast", "sprites", "--support", "planes:without={x1: [0.5]}"), "the range [0.5]; a range has two ends"),
    (("forecast", "sprites", "--support", "planes:without={x1: [0, 0.5, 1]}"), "a range has two ends"),
    (("forecast", "sprites", "--support", "planes", "--model", "cnn-decoder"), "draws pictures of one channel"),
    (("train", "sprites", "--support", "planes", "--model", "cnn-decoder"), "draws pictures of one channel"),
    (("forecast", "sprites", "--support", "planes", "--set", "count=1"), "a plane with the free slot 1"),
    (("forecast", "sprites", "--support", "planes", "--set", "composition=learned"), "has no formula"),
    (("forecast", "sprites", "--support", "planes", "--set", "inputs=unti"), "inputs = 'unti'"),
    (("forecast", "bump", "--support", "planes"), "task 'bump' is a grid of combinations and has no support"),
    (
        ("forecast", "bump", "--support", "planes", "--hold-out", "block:x=1..2,y=1..2"),
        "task 'bump' is a grid of combinations and has no support",
    ),
    (
        ("train", "sprites", "--support", "planes", "--set", "size=12", "--model", "compositional"),
        "must be a square whose side is 8, 16, 32",
    ),
    (
        ("train", "sprites", "--support", "planes", "--set", "inputs=physical",
         "--model", "compositional:family=relative"),
        "use sprites with inputs = unit or fourier",
    ),
    (("list", "suports"), "did you mean 'supports'"),
]  # fmt: skip


@pytest.fixture(scope="module")
def refusals(tmp_path_factory):
    """What each of them says, and what they all leave behind."""
    place = tmp_path_factory.mktemp("refused")
    return list(all_of({number: arguments for number, (arguments, _) in enumerate(REFUSED)}, place).values()), place


@pytest.mark.parametrize("number", range(len(REFUSED)), ids=[says for _, says in REFUSED])
def test_bad_input_gets_one_sentence_and_exit_code_two(refusals, number):
    (code, out, err), says = refusals[0][number], REFUSED[number][1]
    assert code == 2
    assert says in err
    assert err.count("\n") == 1
    assert out == ""


def test_what_is_refused_leaves_nothing_behind(refusals):
    assert list(refusals[1].iterdir()) == []


def test_a_grid_still_needs_to_hold_something_out():
    with pytest.raises(InputError, match="holds nothing out; say what"):
        read_problem("bump", None, None, None)


def test_a_few_steps_on_sprites(tmp_path: Path):
    arguments = (
        "train", "sprites", *SMALL, "--set", "examples=20", "--support", "planes",
        "--model", "compositional:family=mlp,width=6,composition=over",
        "--recipe", "steps=4,batch=5,schedule=cosine", "--store", "here", "--json",
    )  # fmt: skip
    code, out, err = all_of({"train": arguments}, tmp_path)["train"]
    assert code == 0, err
    (found,) = json.loads(out)
    assert found["status"] == "done"
    assert {"id_r2", "all_r2", "swap_error"} <= set(found["measures"])
    assert set(found["measures"]["swap_error"]) == {"1", "2"}
    assert found["specification"]["problem"]["support"] == {"kind": "planes"}
    assert found["specification"]["recipe"]["schedule"] == "cosine"
    assert len(list((tmp_path / "here" / "runs").iterdir())) == 1


def test_defaults_are_listed_as_they_are_typed(answers):
    found = json.loads(answers["everything"][1])
    models_, tasks_, supports_ = (
        {row["name"]: row["settings"] for row in found[sort]} for sort in ("models", "tasks", "supports")
    )
    assert models_["compositional"]["composition"] == "soft"
    assert tasks_["sprites"]["composition"] == "over"
    typed = supports_["planes"]["planes"]
    assert "Plane(" not in typed
    assert supports.parse({"kind": "planes", **parse_settings(f"planes={typed}")}) == supports.planes()


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (compositions.soft(temperature=2.0), "{kind: soft, temperature: 2.0}"),
        ((compositions.soft(), 1.5), "[soft, 1.5]"),
        ({"x1": (0.0, 0.5)}, "{x1: [0.0, 0.5]}"),
        (None, "None"),
    ],
)
def test_values_are_written_as_they_are_typed(value, words):
    assert written(value) == words
