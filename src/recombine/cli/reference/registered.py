"""The pages of what is registered: tasks, splits, models, measures and their like, a section each."""

from collections.abc import Iterator
from typing import Any

from recombine.cli.listing import SORTS
from recombine.cli.reference import signatures, wording
from recombine.measures.registry import KINDS, Measure

# The sorts of `recombine list` that share a page, by its file; claims have pages of their own.
PAGES: dict[str, tuple[str, ...]] = {
    "tasks": ("tasks", "images", "encodings"),
    "splits": ("splits", "supports", "compositions"),
    "models": ("models", "penalties", "noises"),
    "measures": ("measures",),
    "calculations": ("calculations",),
}
WORDS = {
    "tasks": "What is asked: a task turns combinations of factors into inputs and answers.",
    "splits": "What is held out of a grid, what is shown of a continuous space, and how components become a picture.",
    "models": "Networks, and what is added to their loss or to their units while they train.",
    "measures": "What is read off a trained network. One with several numbers names each by layer, section or type.",
    "calculations": "What theory says, and searches that train networks of their own, recorded like a run.",
}


def pages() -> dict[str, str]:
    """A page for each group of sorts."""
    found = {}
    for name, sorts in PAGES.items():
        parts = [line for sort in sorts for line in _sort(sort, len(sorts) > 1)]
        found[f"{name}.md"] = wording.page(name.capitalize(), WORDS[name], parts)
    return found


def _sort(sort: str, several: bool) -> Iterator[str]:
    if several:
        yield from (f"## {sort.capitalize()}", "")
    things = _registry(sort)
    for row in SORTS[sort]():
        thing = things[row["name"]]
        yield from (f"{'###' if several else '##'} `{row['name']}`", "")
        if isinstance(thing, Measure):
            yield from _measure(thing)
            continue
        yield from (wording.described(thing.__doc__), "")
        yield from wording.settings(
            row.get("settings", {}), signatures.meanings(thing) if isinstance(thing, type) else {}
        )
        quantities = getattr(thing, "quantities", {})
        yield from wording.table(("quantity", "what it is"), [(f"`{key}`", words) for key, words in quantities.items()])
        yield from (f"Defined in `{thing.__module__}`.", "")


def _measure(measure: Measure) -> Iterator[str]:
    """What it is of each kind of evidence that it is read off."""
    for kind, function in measure.functions.items():
        yield from (f"*Of {KINDS[kind][0]}* (`{kind.__name__}`, `{function.__module__}`):", "")
        yield from (wording.described(function.__doc__), "")


def _registry(sort: str) -> Any:
    """The registry behind a sort."""
    from recombine.core.compositions import compositions
    from recombine.data import encodings, tasks
    from recombine.data.image_sets import image_sets
    from recombine.measures import measures
    from recombine.models import models
    from recombine.splits import regions, supports
    from recombine.studies import calculations
    from recombine.training import noises, penalties

    found: dict[str, Any] = {
        "tasks": tasks,
        "images": image_sets,
        "encodings": encodings,
        "splits": regions,
        "supports": supports,
        "compositions": compositions,
        "models": models,
        "penalties": penalties,
        "noises": noises,
        "measures": measures,
        "calculations": calculations,
    }
    return found[sort]
