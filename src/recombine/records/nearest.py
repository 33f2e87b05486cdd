"""The runs a mistyped digest may have meant."""

from difflib import get_close_matches
from itertools import takewhile


def nearest(digest: str, known: list[str]) -> list[str]:
    """Up to three known digests: those that share the longest beginning (3 or more), else the most alike."""
    shared = {name: common(digest, name) for name in known}
    longest = max(shared.values(), default=0)
    if longest >= 3:
        return [name for name in known if shared[name] == longest][:3]
    return get_close_matches(digest, known, n=3, cutoff=0.6)


def common(a: str, b: str) -> int:
    """How many letters two names share at their beginnings."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(a, b, strict=False)))
