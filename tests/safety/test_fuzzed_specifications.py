"""Whatever is written in a specification or on the command line, the answer is a result or one sentence.

A short run by default; `make fuzz` asks 10,000 cases, and RECOMBINE_FUZZ=N any number of them.
"""

import copy
import json
import os
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recombine.core.errors import InputError
from recombine.data import Problem, tasks
from recombine.data.encodings import encodings
from recombine.models import models
from recombine.splits import regions, supports
from recombine.training import Recipe, noises, penalties

CASES = int(os.environ.get("RECOMBINE_FUZZ") or 200)

# Small problems of every sort of task and of split, all of them sound.
SOUND = [
    {"task": {"kind": "bump", "n": [4, 5]}, "split": {"kind": "block", "x": [1, 3], "y": [1, 3]}, "examples": 7},
    {
        "task": {"kind": "sum-of-stripes", "n": 4, "sigma": 0.7, "encoding": {"kind": "one-hot"}, "dark": False},
        "split": {"kind": "random", "fraction": 0.3, "seed": 1},
        "isolated": ["x", "y"],
        "isolated_levels": 2,
    },
    {
        "task": {"kind": "torus", "n": 4},
        "split": {"kind": "corner", "x": 2, "y": 2},
        "centres": "uniform",
        "examples": 9,
    },
    {
        "task": {"kind": "bump", "n": 4, "sigma": 0.3, "pad": 2},
        "split": {"kind": "diagonal", "width": 0},
        "isolated": ["x", "y"],
        "rim": True,
    },
    {
        "task": {"kind": "bump", "n": 4, "margin": 1, "step": 2.0},
        "split": {"kind": "band", "factor": "x", "low": 1, "high": 2},
        "isolated": ["x", "y"],
    },
    {
        "task": {"kind": "bump", "n": 5},
        "split": {
            "kind": "difference",
            "of": {"kind": "cross", "x": [1, 2], "y": [1, 2]},
            "minus": {"kind": "cells", "rows": [[1, 1]]},
        },
        "spacing": 0.5,
        "isolated": ["y", "x"],
    },
    {
        "task": {"kind": "locate", "n": 4},
        "split": {"kind": "union", "of": [{"kind": "diagonal", "width": 1}, {"kind": "corner", "x": 3, "y": 3}]},
    },
    {
        "task": {"kind": "addition", "values": [1, 2, 3], "second": [0.5, 1.5]},
        "split": {"kind": "cells", "rows": [[1, 1]]},
    },
    {"task": {"kind": "addition"}, "split": {"kind": "anchors", "first": [0, 8], "second": [2]}},
    {
        "task": {"kind": "context", "levels": 2},
        "split": {"kind": "conjunctions", "of": [{"context": 0, "feature1": 1}]},
    },
    {"task": {"kind": "equivalence", "classes": [2, 3]}, "split": {"kind": "dispersed", "partners": 2}},
    {
        "task": {"kind": "ordering", "items": 4, "exceptions": [[0, 1]]},
        "split": {
            "kind": "intersection",
            "of": [
                {"kind": "complement", "of": {"kind": "cells", "rows": [[0, 1]]}},
                {"kind": "cells", "rows": [[0, 2]]},
            ],
        },
    },
    {
        "task": {"kind": "invariance", "irrelevant": 3},
        "split": {"kind": "extrapolation", "of": {"kind": "orthogonal", "at": {"irrelevant": 1}}},
    },
    {
        "task": {
            "kind": "table",
            "components": ["a", "b"],
            "rows": [[["p", "q"], 1.0], [["p", "r"], -1.0], [["s", "q"], 1], [["s", "r"], 0]],
        },
        "split": {"kind": "cells", "rows": [[1, 1]]},
    },
    {"task": {"kind": "parallel", "levels": 3, "parts": 2}, "split": {"kind": "several", "count": 2, "low": 1}},
    {"task": {"kind": "hill", "levels": 3, "reach": 1.0}, "split": {"kind": "random", "fraction": 0.3}, "reveal": True},
    {"task": {"kind": "composed", "levels": 3, "draw": 0}, "split": {"kind": "random", "fraction": 0.3}},
    {
        "task": {"kind": "sprites", "size": 4, "tests": 2, "composition": "hard"},
        "support": {"kind": "planes", "spread": 0.1},
        "examples": 5,
    },
    {
        "task": {"kind": "sprites", "size": 4, "tests": 2},
        "support": {"kind": "random", "without": {"x1": [0.05, 0.45]}},
        "examples": 5,
    },
]
REGISTRIES = [tasks, regions, supports, encodings, models, penalties, noises]
KINDS = [kind for registry in REGISTRIES for kind in registry]
NAMES = sorted(
    {
        field
        for registry in (tasks, regions, supports, encodings, models)
        for kind in registry.values()
        for field in kind.model_fields
    }
    | set(Problem.model_fields)
    | set(Recipe.model_fields)
)
# None between 12 and what is refused: problems of such sizes are sound and take minutes.
NUMBERS = [
    0,
    1,
    2,
    3,
    4,
    -1,
    -7,
    10**9,
    2**31,
    2**63,
    -(2**63),
    2**64,
    10**30,
    10**400,
    0.0,
    -0.0,
    0.5,
    1.5,
    -0.3,
    1e-9,
    1e-300,
    1e9,
    1e300,
    float("inf"),
    float("-inf"),
    float("nan"),
    True,
    False,
    None,
]
WORDS = [
    "",
    " ",
    "x",
    "y",
    "all",
    "none",
    "0",
    "-1",
    "1e9",
    "nan",
    "kind",
    "\x00",
    "\x1b[31m",
    "\u202egnp.exe",
    "é",
    "𝔘",
    "\ud800",
    "../../x",
    "<script>",
    "a.b",
    "a=b",
    "a,b",
    "~",
    "{",
    "[",
    "*a",
    "&a",
    "!!python/name:os.system",
    "null",
    "x" * 5000,
]

scalars = st.one_of(
    st.sampled_from(NUMBERS),
    st.sampled_from(WORDS),
    st.sampled_from(KINDS),
    st.integers(-3, 12),
    st.floats(-2, 2),
    st.text(max_size=8),
)
names = st.one_of(st.sampled_from(NAMES), st.sampled_from(WORDS), st.text(max_size=6))
trees = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=4), max_leaves=8
)


def places(value, path=()):
    """The path of everything inside a document."""
    yield path
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from places(inner, (*path, key))


def near(value):
    """Values of the same sort, most of which are taken where this one was."""
    if isinstance(value, bool):
        return st.booleans()
    if isinstance(value, int):
        return st.integers(-1, 6)
    if isinstance(value, float):
        return st.sampled_from([0.0, 1e-9, 1e-3, 0.1, 0.25, 0.5, 0.9, 1.0, 2.0, 3.5, 1e6, 1e300])
    if isinstance(value, list):
        return st.sampled_from([value[:-1], value[::-1], [*value, *value[:1]], [*value, *value], value[1:]])
    if value in KINDS:
        same = next(registry for registry in REGISTRIES if value in registry)
        return st.sampled_from(list(same))
    return (
        st.sampled_from(["x", "y", "first", "second", "grid", "uniform", "all", "p", "q"])
        if isinstance(value, str)
        else st.just(value)
    )


@st.composite
def documents(draw):
    """A sound problem with up to three things changed, dropped or added; now and then anything at all."""
    if draw(st.integers(0, 15)) == 0:
        return draw(trees)
    document = copy.deepcopy(draw(st.sampled_from(SOUND)))
    for _ in range(draw(st.integers(0, 3))):
        path = draw(st.sampled_from(list(places(document))[1:] or [()]))
        if not path:
            continue
        holder = document
        for key in path[:-1]:
            holder = holder[key]
        change = draw(st.sampled_from(["near"] * 8 + ["value", "value", "tree", "drop", "wrap", "add", "deep"]))
        if change == "near":
            holder[path[-1]] = draw(near(holder[path[-1]]))
        elif change == "drop":
            del holder[path[-1]]
        elif change == "wrap":
            holder[path[-1]] = [holder[path[-1]]]
        elif change == "deep":
            for _ in range(draw(st.sampled_from([3, 70, 500]))):
                holder[path[-1]] = draw(
                    st.sampled_from([[holder[path[-1]]], {"kind": "complement", "of": holder[path[-1]]}])
                )
        elif change == "add" and isinstance(holder, dict):
            holder[draw(names)] = draw(trees)
        else:
            holder[path[-1]] = draw(scalars if change == "value" else trees)
    return document


@st.composite
def texts(draw):
    """A document as it may lie in a file: YAML or JSON, now and then damaged."""
    document = draw(documents())
    try:
        if draw(st.booleans()):
            text = json.dumps(document)
        else:
            text = yaml.safe_dump(document, allow_unicode=True, default_flow_style=draw(st.booleans()))
    except (yaml.YAMLError, ValueError, RecursionError, UnicodeError):
        text = "task: bump"
    damage = draw(st.sampled_from([""] * 16 + ["cut", "put", "twice", "bytes"]))
    place = draw(st.integers(0, len(text)))
    if damage == "cut":
        text = text[:place]
    elif damage == "put":
        put = st.sampled_from(
            [
                "\t",
                "\x00",
                "!!int ",
                "!!python/object:os.system ",
                "*a",
                "&a ",
                "<<: ",
                "? ",
                "- ",
                "---\n",
                "%YAML 9\n",
                "2020-99-99",
            ]
        )
        text = text[:place] + draw(put) + text[place:]
    elif damage == "twice":
        text += "\n" + text
    content = text.encode("utf-8", "surrogatepass")
    return content + draw(st.binary(max_size=4)) if damage == "bytes" else content


@st.composite
def members(draw, kinds, fields=()):
    """``kind:name=value,...`` of models, recipes, regions or supports, rarely right."""
    kind = draw(st.one_of(st.sampled_from(list(kinds)), names))
    own = [*getattr(kinds.get(kind), "model_fields", {})] if hasattr(kinds, "get") else []
    some = st.one_of(scalars, st.integers(1, 6), st.sampled_from([0.1, 0.5]))
    pairs = draw(st.lists(st.tuples(st.sampled_from([*own, *fields]) if own or fields else names, some), max_size=3))
    told = ",".join(f"{name}={value}" for name, value in pairs)
    return draw(st.sampled_from([*[f"{kind}:{told}"] * 6, kind, told, f"{kind}:{told}+{kind}", f"{kind}:x=0..{told}"]))


values = st.one_of(
    scalars.map(str), trees.map(lambda tree: repr(tree)[:300]), st.sampled_from(["1..3", "[1,", "{a: *a}"])
)
assigned = st.tuples(st.sampled_from([*NAMES, "task.n", "task.encoding.sigma", "split.of", "a.b.c", ""]), values)


@st.composite
def commands(draw):
    """A command for a problem by name, with settings; what it must not do is told by where it is called."""
    head = draw(
        st.sampled_from(["bump --set n=4", "addition", "context --set levels=2", "hill --set levels=3", "table", ""])
    )
    words = head.split() or [draw(names)]
    for setting in draw(st.lists(assigned, max_size=2)) if draw(st.booleans()) else []:
        words += ["--set", "=".join(setting)]
    sound = st.sampled_from(["random:fraction=0.3", "block:x=1..2,y=1..2", "cells:rows=[[1, 1]]", "corner:x=2,y=2"])
    if draw(st.integers(0, 4)):
        words += ["--hold-out", draw(st.one_of(sound, sound, members(regions), st.text(max_size=12)))]
    for option, kinds in (("--isolated", None), ("--support", supports)):
        if draw(st.integers(0, 4)) == 0:
            words += [
                option,
                draw(members(kinds) if kinds else st.one_of(st.sampled_from(["x,y", "all", "x,,y"]), values)),
            ]
    return words


def ended_well(said, refused, negative=False):
    """Exit 0, a negative answer where there is one, or one sentence."""
    if said.code == 2:
        assert refused(said), said
    else:
        assert said.code in ((0, 1) if negative else (0,)), said


@pytest.fixture(scope="module")
def untrained():
    """Training ends where it would begin, and forecasts beside it are not made."""

    def stop(*_, **__):
        raise InputError("nothing is trained here.")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("recombine.studies.training.execute", stop)
        yield


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A folder to be in, so that no word can be the name of a file that is there."""
    folder = tmp_path_factory.mktemp("fuzz")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("RECOMBINE_STORE", str(folder / "runs"))
        yield folder


def cases(share):
    """Settings for a test that takes this share of all cases."""
    few = max(1, round(CASES * share))
    return settings(
        max_examples=few,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        derandomize=CASES == 200,
        database=None,
    )


@cases(0.45)
@given(
    content=texts(),
    model=st.sampled_from(["mlp-decoder:width=2,depth=1", "mlp:width=2", "feedforward", "truth", "monolithic"]),
)
def test_any_file_is_a_problem_or_refused(home, untrained, command, refused, content, model):
    (home / "problem.yaml").write_bytes(content)
    ended_well(command("train", "problem.yaml", "--model", model, "--recipe", "steps=1"), refused)


@cases(0.05)
@given(content=texts(), strict=st.booleans())
def test_any_file_is_forecast_or_refused(home, command, refused, content, strict):
    if b"sprites" in content:  # ten seconds each; they are among those above
        return
    (home / "problem.yaml").write_bytes(content)
    ended_well(command("forecast", "problem.yaml", *(["--strict"] if strict else ["--json"])), refused, negative=strict)


@cases(0.03)
@given(
    content=texts(),
    price=st.lists(values | st.sampled_from(["isolated=1", "combination=nan", "overlap=-1"]), max_size=2),
)
def test_any_file_is_advised_on_or_refused(home, command, refused, content, price):
    (home / "problem.yaml").write_bytes(content)
    prices = [word for each in price for word in ("--price", each)]
    ended_well(command("advise", "problem.yaml", "--forecasts", "2", "--most", "2", *prices), refused, negative=True)


@cases(0.27)
@given(
    words=commands(),
    model=st.one_of(members(models), st.sampled_from(["mlp-decoder:width=2", "mlp:width=2"])),
    recipe=st.lists(members(dict.fromkeys(["steps=1", "batch=2"]), list(Recipe.model_fields)), max_size=2),
    rest=st.lists(
        st.sampled_from(
            [
                "--seeds=0",
                "--seeds=1000000000",
                "--workers=0",
                "--measures=a,b",
                "--checkpoints=-1",
                "--on=x",
                "--gpus=0.5",
                "--gpus=nan",
                "--json",
                "--no",
            ]
        ),
        max_size=1,
    ),
)
def test_any_settings_are_trained_by_or_refused(home, untrained, command, refused, words, model, recipe, rest):
    recipes = [word for each in recipe for word in ("--recipe", each)]
    ended_well(command("train", *words, "--model", model, *recipes, *rest), refused)


@cases(0.05)
@given(words=commands())
def test_any_settings_are_exported_or_refused(home, command, refused, words):
    free = next(home / f"export{number}" for number in range(100_000) if not (home / f"export{number}").exists())
    ended_well(command("export", *words, "-o", str(free)), refused)
    assert {path.name for path in home.iterdir()} <= {"problem.yaml"} | {path.name for path in home.glob("export*")}


@cases(0.15)
@given(
    command_=st.sampled_from(["list", "explain", "check", "plan", "forecast", "bogus"]),
    words=st.lists(
        names
        | values
        | st.sampled_from(["FR1", "claims", "--json", "--store=\x00", "-o", "--at=y=1", "--scale=quick"]),
        min_size=1,
        max_size=3,
    ),
)
def test_any_name_is_known_or_refused(home, untrained, command, refused, command_, words):
    if command_ == "plan" and any(word in ("FR1", "--scale=quick", "--json") for word in words):
        return  # times its experiments
    ended_well(command(command_, *words), refused, negative=True)


def test_the_sound_problems_reach_training(untrained, home, command):
    """Else all of the above would only see refusals."""
    told = []
    for document in SOUND:
        Path("problem.yaml").write_text(json.dumps(document))
        told.append(command("train", "problem.yaml", "--model", "mlp-decoder:width=2,depth=1").err)
    assert [each for each in told if "nothing is trained here" not in each] == []
