"""Lines of a plan that can be told apart: where pieces of work read alike, the settings in which they differ."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from recombine.core.spec import Spec
from recombine.studies.work import Work

Path: TypeAlias = tuple[str, ...]  # a setting, from the outermost name to its own

FEW = 3  # names of measures that are listed; more are counted
ABSENT = object()  # stands for a setting that a piece of work has not


def lines_apart(works: Sequence[Work]) -> list[str]:
    """The line of each piece of work; where several have the same one, followed by what they do not share."""
    alike: dict[str, list[int]] = {}
    for place, work in enumerate(works):
        alike.setdefault(work.line(), []).append(place)
    lines = [""] * len(works)
    for line, places in alike.items():
        for place, told in zip(places, differences([works[place] for place in places]), strict=True):
            lines[place] = ", ".join([line, *told])
    return lines


def differences(works: Sequence[Work]) -> list[list[str]]:
    """For each piece of work the settings in which these differ, in a few words each: "sigma 0.3".

    A setting is called by its own name, with those around it where that is one letter or the name of several settings.
    """
    if len(works) < 2:
        return [[] for _ in works]
    settings = [dict(flattened(work)) for work in works]
    paths = list(dict.fromkeys(path for each in settings for path in each))
    values = {path: [each.get(path, ABSENT) for each in settings] for path in paths}
    unlike = {path for path, found in values.items() if _several(found)}
    # What belongs to another kind goes without saying, but for the settings of the kind that several have.
    told = [
        path
        for path in paths
        if path in unlike
        and (unlike.isdisjoint(path[:end] for end in range(1, len(path))) or _several(_there(values[path])))
    ]
    # What is measured is no part of what is trained: it is told where nothing else tells two apart.
    plain = [path for path in told if not _listed(values[path])]
    found = _told(plain, values)
    return found if len(set(map(tuple, found))) == len(found) else _told(told, values)


def _told(paths: Sequence[Path], values: Mapping[Path, Sequence[Any]]) -> list[list[str]]:
    """The words of these settings for each piece of work, without those that it has not."""
    words = [_written(_name(path, values), values[path]) for path in paths]
    count = len(next(iter(values.values())))
    return [[each[place] for each in words if each[place]] for place in range(count)]


def flattened(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every setting below a value by its path, defaults too; a specification among them is told by its kind first."""
    inner: list[tuple[str, Any]] = []
    if isinstance(value, Spec):
        # By field: iterating would give cached properties too.
        inner = [(name, getattr(value, name)) for name in type(value).model_fields]
        inner += (value.model_extra or {}).items()
        if value.kind:
            yield path, value.kind
    elif isinstance(value, Mapping):
        inner = [(str(name), each) for name, each in value.items()]
    elif isinstance(value, tuple) and any(isinstance(each, Spec) for each in value):
        yield path, ", ".join(each.kind for each in value if each.kind) or len(value)
        inner = [(str(place), each) for place, each in enumerate(value, 1)]
    else:
        yield path, value
    for name, each in inner:
        yield from flattened(each, (*path, name))


def _several(values: Sequence[Any]) -> bool:
    return any(value != values[0] for value in values)


def _there(values: Sequence[Any]) -> list[Any]:
    return [value for value in values if value is not ABSENT]


def _listed(values: Sequence[Any]) -> bool:
    """Whether a setting is a list of names, such as measures."""
    return all(isinstance(value, tuple) and all(isinstance(each, str) for each in value) for value in _there(values))


def _name(path: Path, others: Iterable[Path]) -> str:
    """The shortest end of the path that starts with a word, not a letter or a number, and is no other setting's end."""
    whole = _words(path)
    endings = [whole[start:] for start in range(len(whole) - 1, -1, -1)]
    known = [_words(other) for other in others if other != path]
    for end in endings:
        starts = len(end[0]) > 1 and not end[0].isdigit()
        if starts and not any(other[-len(end) :] == end for other in known):
            return " ".join(end)
    return " ".join(whole)


def _words(path: Path) -> list[str]:
    """The names of a path; the one that says of what a region is made adds nothing."""
    return [name.replace("_", " ") for name in path if name != "of"] or list(path)


def _written(name: str, values: Sequence[Any]) -> list[str]:
    """A setting in words for each piece of work; nothing where it is absent."""
    if _listed(values):
        shared = set.intersection(*(set(value) for value in _there(values)))
        return ["" if value is ABSENT else _others(name, value, shared) for value in values]
    short = [_short(value) for value in values]
    # Numbers that only differ behind the digits that are usually shown are shown whole.
    hidden = any(a == b and first != second for a, first in zip(short, values, strict=True)
                 for b, second in zip(short, values, strict=True))  # fmt: skip
    return [
        "" if value is ABSENT else _said(name, str(value) if hidden else word)
        for word, value in zip(short, values, strict=True)
    ]


def _said(name: str, word: str) -> str:
    return {"True": name, "False": f"not {name}", "None": f"no {name}"}.get(word, f"{name} {word}")


def _short(value: Any) -> str:
    if isinstance(value, tuple):
        return f"({', '.join(_short(each) for each in value)})"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _others(name: str, listed: tuple[str, ...], shared: set[str]) -> str:
    """Those of some names that not all have; nothing if it has none."""
    others = [each for each in listed if each not in shared]
    more = f" and {len(others) - FEW} more" if len(others) > FEW else ""
    return f"{name} {' '.join(others[:FEW])}{more}" if others else ""
