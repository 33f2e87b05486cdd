"""`recombine list`: what there is, a line each."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any

import typer
from pydantic import BaseModel

from recombine.cli.output import Json, print_json, print_table, say
from recombine.core.errors import unknown


def _kinds(registry: Any) -> list[dict[str, Any]]:
    rows = []
    for name, summary in registry.summaries().items():
        fields = getattr(registry[name], "model_fields", {})
        rows.append({"name": name, "summary": summary, "settings": {key: default(f) for key, f in fields.items()}})
    return rows


def default(field: Any) -> str:
    """The default of a setting as it is typed, or that it must be given."""
    return "required" if field.is_required() else written(field.get_default(call_default_factory=True))


def written(value: Any) -> str:
    """A default as it is typed: a specification by its kind and settings, lists in [], mappings in {}."""
    if isinstance(value, BaseModel):
        kind = getattr(type(value), "kind", "")
        own = value.model_dump(mode="json", exclude_defaults=True)
        return kind if kind and not own else written({**({"kind": kind} if kind else {}), **own})
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{name}: {written(each)}" for name, each in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(written, value)) + "]"
    return str(value)


def _tasks() -> list[dict[str, Any]]:
    from recombine.data import tasks

    return _kinds(tasks)


def _encodings() -> list[dict[str, Any]]:
    from recombine.data import encodings

    return _kinds(encodings)


def _splits() -> list[dict[str, Any]]:
    from recombine.splits import regions

    return _kinds(regions)


def _supports() -> list[dict[str, Any]]:
    from recombine.splits import supports

    return _kinds(supports)


def _compositions() -> list[dict[str, Any]]:
    from recombine.core.compositions import compositions

    return _kinds(compositions)


def _models() -> list[dict[str, Any]]:
    from recombine.models import models

    return _kinds(models)


def _penalties() -> list[dict[str, Any]]:
    from recombine.training import penalties

    return _kinds(penalties)


def _noises() -> list[dict[str, Any]]:
    from recombine.training import noises

    return _kinds(noises)


def _measures() -> list[dict[str, Any]]:
    from recombine.measures import measures

    return [{"name": name, "summary": summary} for name, summary in measures.summaries().items()]


def _images() -> list[dict[str, Any]]:
    from recombine.data.image_sets import image_sets

    return [{"name": name, "summary": summary} for name, summary in image_sets.summaries().items()]


def _calculations() -> list[dict[str, Any]]:
    from recombine.papers import papers  # registers them
    from recombine.studies import calculations

    assert papers
    return _kinds(calculations)


def _papers() -> list[dict[str, Any]]:
    from recombine.papers import papers

    return [
        {"name": paper.key, "summary": f"{paper.title} ({paper.citation})", "claims": [c.id for c in paper.claims]}
        for paper in papers.values()
    ]


def _claims() -> list[dict[str, Any]]:
    from recombine.papers import papers

    return [{"name": claim.id, "summary": claim.says, **claim.describe()} for claim in papers.claims()]


def _studies() -> list[dict[str, Any]]:
    from recombine.papers import Scale, papers

    return [
        {
            "name": f"{paper.key} at {scale}",
            "summary": f"every {paper.prefixes[0]} claim and its control; recombine plan {paper.key} --scale {scale}",
        }
        for paper in papers.values()
        for scale in Scale
    ]


SORTS: dict[str, Callable[[], list[dict[str, Any]]]] = {
    "tasks": _tasks,
    "images": _images,
    "encodings": _encodings,
    "splits": _splits,
    "supports": _supports,
    "compositions": _compositions,
    "models": _models,
    "penalties": _penalties,
    "noises": _noises,
    "measures": _measures,
    "calculations": _calculations,
    "papers": _papers,
    "claims": _claims,
    "studies": _studies,
}


def list_things(
    what: Annotated[str | None, typer.Argument(help=f"One of {', '.join(SORTS)}; all if not given.")] = None,
    json: Json = False,
) -> None:
    """List what there is, a line each.

    Example: recombine list claims
    """
    if what is not None and what not in SORTS:
        raise unknown("list", what, SORTS)
    found = {name: collect() for name, collect in SORTS.items() if what in (None, name)}
    if json:
        print_json(found[what] if what else found)
        return
    for name, rows in found.items():
        if what is None:
            say(f"{name}:")
        print_table(("", ""), [((("  " if what is None else "") + row["name"]), row["summary"]) for row in rows])
        say()
