"""PROBLEM on the command line: a YAML file, or the name of a task with settings."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from recombine.core.errors import InputError, shown
from recombine.core.plain_documents import split_outside

if TYPE_CHECKING:
    from recombine.data import Problem

ProblemName = Annotated[
    str, typer.Argument(metavar="PROBLEM", help="A YAML file, a CSV table, or the name of a task, e.g. bump.")
]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", help="A setting, dotted: n=28 (of the task), task.sigma=1.5, examples=50. May be repeated."),
]
HoldOut = Annotated[
    str | None,
    typer.Option(
        "--hold-out",
        help="What is held out: block:x=6..22,y=6..22 or band:x=5..8, ends included; as low= and high=, high is not.",
    ),
]
Isolated = Annotated[
    str | None, typer.Option("--isolated", help="Factors whose levels are also shown alone: x,y or all.")
]

SupportName = Annotated[
    str | None,
    typer.Option(
        "--support",
        help="What draws the training scenes of a continuous task: planes, diagonal:width=0.2, "
        "random:without={x1: [0.05, 0.45]}.",
    ),
]
DRAWN = 20_000  # scenes that a support draws unless `examples` is set


def read_problem(
    name: str, settings: list[str] | None, hold_out: str | None, isolated: str | None, support: str | None = None
) -> "Problem":
    """The problem that the arguments of a command describe."""
    from recombine.core.spec import read_yaml
    from recombine.data import Problem, tasks
    from recombine.data.tables import read_table
    from recombine.splits import parse_region

    document: dict[str, Any]
    where = ""
    if name in tasks:
        document = {"task": {"kind": name}}
    elif Path(name).suffix == ".csv":
        document = read_table(name)
    elif Path(name).suffix in {".yaml", ".yml", ".json"} or Path(name).exists():
        found, where = read_yaml(Path(name)), name
        if not isinstance(found, dict):
            raise InputError(f"{name!r} must hold a mapping with a task and a split, got {type(found).__name__}.")
        document = found
    else:
        tasks.pick(name)  # refuses, with the nearest names
    given = [setting.partition("=")[0] for setting in settings or []]
    for path in given:
        if given.count(path) > 1:
            raise InputError(f"--set {path} is given {given.count(path)} times; give it once.")
    for setting in settings or []:
        assign(document, setting)
    if hold_out:
        document["split"] = parse_region(hold_out)
    if support:
        document["support"] = parse_member(support)
    if "support" in document:
        if document.setdefault("examples", DRAWN) == 0:
            raise InputError(
                "examples = 0 is too few: a support must draw at least one training scene; raise it, or leave it out "
                f"for {DRAWN}."
            )
    elif "split" not in document and set(document) <= set(Problem.model_fields):  # misspelt ones are told below
        if name in tasks and tasks[name].continuous:
            raise InputError(f"problem {name!r} does not say what draws its training set, e.g. --support planes.")
        raise InputError(f"problem {name!r} holds nothing out; say what, e.g. --hold-out random:fraction=0.3.")
    if isolated:
        document["isolated"] = factor_names(document) if isolated == "all" else tuple(isolated.split(","))
    return Problem.read(document, where)


def factor_names(document: dict[str, Any]) -> tuple[str, ...]:
    """The names of the factors of the task in a document; none if the task is wrong, which reading it will tell."""
    from recombine.data import tasks

    try:
        return tasks.parse(document.get("task")).grid.names
    except InputError:
        return ()


def assign(document: dict[str, Any], setting: str) -> None:
    """Put ``a.b=value`` into a nested document; a first name that is no setting of a problem is one of its task."""
    from recombine.data import Problem

    path, equals, text = setting.partition("=")
    if not equals or not path:
        raise InputError(f"--set {setting!r} must read name=value, e.g. --set n=28.")
    keys = path.split(".")
    if keys[0] not in Problem.model_fields:
        keys = ["task", *keys]
    for key in keys[:-1]:
        inner = document.setdefault(key, {})
        if isinstance(inner, str):
            inner = document[key] = {"kind": inner}
        if not isinstance(inner, dict):
            raise InputError(f"--set {setting!r}: {key!r} has no settings of its own.")
        document = inner
    value, last = parse_value(text), keys[-1]
    if isinstance(value, str) and isinstance(document.get(last), dict):
        document[last] = {**document[last], "kind": value}  # another kind keeps the settings given so far
    else:
        document[last] = value


def parse_value(text: str) -> Any:
    """A value as YAML reads it: 3, 1.5, true, word, [1, 2]."""
    from recombine.core.plain_documents import read_document

    try:
        return read_document(text, "it")
    except InputError as error:
        why = str(error).rstrip(".")
        raise InputError(
            f"{shown(text)} is no value; write a number, a word, true or false, or a list [a, b] ({why})."
        ) from None


def parse_member(text: str) -> dict[str, Any]:
    """``name:key=value,key=value`` as the mapping a registry of specifications reads."""
    kind, _, rest = text.partition(":")
    return {"kind": kind, **parse_settings(rest)}


def parse_settings(text: str) -> dict[str, Any]:
    """``key=value,key=value`` as a mapping; commas inside brackets, braces or quotes belong to a value."""
    settings = {}
    for part in filter(None, split_outside(text, ",")):
        key, equals, value = part.partition("=")
        if not equals:
            raise InputError(f"{part!r} must read name=value, e.g. width=32.")
        name = key.strip()
        if name in settings or name == "kind":
            raise InputError(f"{name!r} is given twice in {text!r}; give it once.")
        settings[name] = parse_value(value)
    return settings
