"""Bad input gets one sentence: the thing, its value, the rule, and the way out."""

from collections.abc import Iterable
from difflib import get_close_matches


class InputError(ValueError):
    """What was asked for cannot be done. The command line prints the message and exits with 2."""


def unknown(what: str, name: str, known: Iterable[str]) -> InputError:
    """The error for a name nobody registered, offering the nearest names that exist.

    ``unknown("task", "bmup", ["bump", "torus"])`` reads: unknown task 'bmup'; did you mean 'bump'? ...
    """
    names = sorted(known)
    near = get_close_matches(name.lower(), names, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(map(repr, near))}? " if near else ""
    return InputError(f"unknown {what} {name!r}; {hint}Known: {', '.join(names) or 'none'}.")
