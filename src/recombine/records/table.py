"""Runs as a table: a row per run, a column per measure and per setting."""

import contextlib
import gc
import json
import math
from collections.abc import Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import pandas

GENERAL = ("status", "seed", "seconds")


class Line(NamedTuple):
    """A run in the table, by the names and values of its leaves. Runs of one study have equal names."""

    names: str  # JSON: names of measures, of settings, and which of GENERAL it has
    values: tuple[Any, ...]  # in that order, and last the digest


def line_of(body: dict[str, Any]) -> Line:
    """The line of a run; status, seed and seconds are looked for in the body and in its ``cost``."""
    measured, chosen = leaves(part(body, "measures")), leaves(part(body, "specification"))
    general = {name: place[name] for place in (part(body, "cost"), body) for name in GENERAL if name in place}
    values = (*measured.values(), *chosen.values(), *general.values(), body["digest"])
    return Line(json.dumps([list(measured), list(chosen), list(general)]), values)


def written_line(line: Line) -> bytes:
    """Two JSON documents, a row each."""
    return f"{line.names}\n{json.dumps(line.values)}".encode()


def read_line(digest: str, text: bytes) -> Line | None:
    """The line of this run, if the text is one."""
    try:
        names, _, values = text.decode().partition("\n")
        line = Line(names, tuple(json.loads(values)))
        return line if len(line.values) == _length(names) and line.values[-1] == digest else None
    except (ValueError, TypeError):
        return None


@cache
def _length(names: str) -> int:
    """How many values a line of these names has."""
    measured, chosen, general = json.loads(names)
    return len([*measured, *chosen, *general, "digest"])


def tabulate(lines: Iterable[Line]) -> "pandas.DataFrame":
    """The data frame of some runs, in their order.

    Columns: digest; measures (``ood_accuracy``, or ``name.layer`` where a measure gives a value per layer);
    leaves of the specification by their path (``problem.task.n``); status, seed and seconds. What a run does
    not have is missing in its row. Where a setting has the name of a measure, the setting's column is called
    ``specification.<path>``. Status, seed and seconds are looked for in the body, then in its ``cost``, then among
    the settings.
    """
    import pandas

    alike: dict[str, tuple[list[int], list[tuple[Any, ...]]]] = {}
    count = 0
    with no_collecting():
        for names, values in lines:
            numbers, rows = alike.setdefault(names, ([], []))
            numbers.append(count)
            rows.append(values)
            count += 1
    kinds = [(*json.loads(names), *found) for names, found in alike.items()]
    taken = {"digest", *(name for measured, *_ in kinds for name in measured)}
    middle: set[str] = set()
    columns: dict[str, list[Any]] = {}
    for measured, chosen, general, numbers, rows in kinds:
        own = [f"specification.{name}" if name in taken else name for name in chosen]
        middle.update(own)
        # Of leaves with one name the last stands: what the run says before what its settings say.
        found = dict(zip((*measured, *own, *general, "digest"), zip(*rows, strict=True), strict=True))
        for name, column in found.items():
            whole = columns.setdefault(name, [math.nan] * count)
            for number, value in zip(numbers, column, strict=True):
                whole[number] = plain(value) if type(value) is list else value
    order = ["digest", *sorted(taken - {"digest", *GENERAL}), *sorted(middle - set(GENERAL)), *GENERAL]
    return pandas.DataFrame(columns, columns=order)


@contextlib.contextmanager
def no_collecting() -> Iterator[None]:
    """Python looks for no cycles meanwhile: among very many new rows, none of which has one, it looks in vain."""
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()


def part(body: dict[str, Any], key: str) -> dict[str, Any]:
    """A mapping inside a body; empty if the body has none there."""
    value = body.get(key)
    return value if isinstance(value, dict) else {}


def leaves(mapping: dict[str, Any], path: str = "") -> dict[str, Any]:
    """Values by their dotted paths. A list of plain values is one leaf; a list of mappings is numbered."""
    found: dict[str, Any] = {}
    for key, value in mapping.items():
        kind = type(value)
        if kind is list and any(isinstance(item, dict) for item in value):
            kind, value = dict, {str(number): item for number, item in enumerate(value)}
        if kind is dict:
            found |= leaves(value, f"{path}{key}.")
        else:
            found[path + key] = value
    return found


def plain(value: Any) -> Any:
    """A value that can be grouped and compared in a table: lists become tuples."""
    return tuple(plain(item) for item in value) if isinstance(value, list) else value
