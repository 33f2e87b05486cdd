"""Bad input gets one sentence: the thing, its value, the rule, and the way out."""

from collections.abc import Iterable
from difflib import get_close_matches
from reprlib import Repr

LONGEST = 100  # letters of a value in a message


class InputError(ValueError):
    """What was asked for cannot be done. The command line prints the message and exits with 2."""


def shown(value: object) -> str:
    """A value as Python writes it, the middle of a long one left out, so that a message stays a sentence."""
    brief = Repr()
    brief.maxstring = brief.maxother = brief.maxlong = LONGEST
    brief.maxlist = brief.maxtuple = brief.maxdict = 10
    return brief.repr(value)


def unknown(what: str, name: str, known: Iterable[str]) -> InputError:
    """The error for a name nobody registered, offering the nearest names that exist.

    ``unknown("task", "bmup", ["bump", "torus"])`` reads: unknown task 'bmup'; did you mean 'bump'? ...
    """
    names = sorted(known)
    spelt = {known_name.lower(): known_name for known_name in names}
    name = name if len(name) <= LONGEST else f"{name[:LONGEST]}..."
    near = [spelt[match] for match in get_close_matches(name.lower(), spelt, n=3, cutoff=0.5)]
    near += [each for low, each in spelt.items() if name and low.startswith(name.lower()) and each not in near][:3]
    hint = f"did you mean {' or '.join(map(repr, near))}? Known" if near else "known"
    return InputError(f"unknown {what} {name!r}; {hint}: {', '.join(names) or 'none'}.")
