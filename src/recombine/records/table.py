"""Runs as a table: a row per run, a column per measure and per setting."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas

GENERAL = ("status", "seed", "seconds")


def tabulate(bodies: list[dict[str, Any]]) -> "pandas.DataFrame":
    """The data frame of some record bodies, in their order.

    Columns: digest; measures (``ood_accuracy``, or ``name.layer`` where a measure gives a value per layer);
    leaves of the specification by their path (``problem.task.n``); status, seed and seconds. What a run does
    not have is missing in its row. Where a setting has the name of a measure, the setting's column is called
    ``specification.<path>``. Status, seed and seconds are looked for in the body, then in its ``cost``, then among
    the settings.
    """
    import pandas

    measures = [dict(leaves(part(body, "measures"))) for body in bodies]
    settings = [dict(leaves(part(body, "specification"))) for body in bodies]
    taken = {"digest", *(name for row in measures for name in row)}
    rows = []
    for body, measured, chosen in zip(bodies, measures, settings, strict=True):
        own = {f"specification.{name}" if name in taken else name: value for name, value in chosen.items()}
        general = {name: place[name] for place in (part(body, "cost"), body) for name in GENERAL if name in place}
        rows.append({**measured, **own, **general, "digest": body["digest"]})
    middle = {f"specification.{name}" if name in taken else name for row in settings for name in row}
    columns = ["digest", *sorted(taken - {"digest", *GENERAL}), *sorted(middle - set(GENERAL)), *GENERAL]
    return pandas.DataFrame(rows, columns=columns)


def part(body: dict[str, Any], key: str) -> dict[str, Any]:
    """A mapping inside a body; empty if the body has none there."""
    value = body.get(key)
    return value if isinstance(value, dict) else {}


def leaves(value: object, path: str = "") -> Iterator[tuple[str, Any]]:
    """Dotted paths and values. A list of plain values is one leaf; a list of mappings is numbered."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from leaves(item, f"{path}.{key}" if path else key)
    elif isinstance(value, list) and any(isinstance(item, dict) for item in value):
        for number, item in enumerate(value):
            yield from leaves(item, f"{path}.{number}")
    else:
        yield path, plain(value)


def plain(value: Any) -> Any:
    """A value that can be grouped and compared in a table: lists become tuples."""
    return tuple(plain(item) for item in value) if isinstance(value, list) else value
