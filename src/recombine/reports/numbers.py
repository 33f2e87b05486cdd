"""How numbers are written on a page."""

import math
from collections import Counter
from collections.abc import Sequence

from recombine.papers import Interval, Range

MINUS = "\N{MINUS SIGN}"
ROUNDING = 1e-12  # smaller is what double precision leaves of zero


def short(value: float) -> str:
    """Three digits: 0.0123, 12.3, 1.2e−5; what is left of 0 by rounding is ≈0."""
    if not math.isfinite(value):
        return {math.inf: "∞", -math.inf: f"{MINUS}∞"}.get(value, "not a number")
    return "≈0" if 0 < abs(value) < ROUNDING else _typeset(f"{value:.3g}")


def _typeset(number: str) -> str:
    """1.2e-05 as 1.2e−5."""
    digits, mark, exponent = number.partition("e")
    return f"{digits}{mark}{int(exponent) if mark else ''}".replace("-", MINUS)


def interval(measured: Interval) -> str:
    """The estimate with its ends and the number of seeds; a single seed has no ends, and what is exact needs none."""
    if measured.seeds < 2 and measured.low == measured.high:
        return f"{short(measured.estimate)} (exact)"
    if measured.seeds < 2:
        return f"{short(measured.estimate)} (1 seed, no interval)"
    ends = f"[{short(measured.low)}, {short(measured.high)}]"
    return f"{short(measured.estimate)} {ends}, {measured.seeds} seeds"


def counted(numbers: Sequence[float]) -> str:
    """Numbers of things as they came out, the most frequent first: ``2 (4 of 5 seeds), 3 (1)``."""
    found = Counter(numbers).most_common()
    if len(numbers) == 1:
        return f"{short(numbers[0])} (1 seed)"
    (first, often), *others = found
    rest = "".join(f", {short(number)} ({times})" for number, times in others)
    return f"{short(first)} ({often} of {len(numbers)} seeds){rest}"


def required(expected: Range) -> str:
    """Where a number must lie, to the last digit of the range; one value alone is ``exactly`` that."""
    low, high = (_typeset(f"{end:g}") if math.isfinite(end) else None for end in (expected.low, expected.high))
    if low is None or high is None:
        return "anything" if low is high else f"at most {high}" if low is None else f"at least {low}"
    return f"exactly {low}" if expected.low == expected.high else f"{low} to {high}"


def count(number: int, thing: str) -> str:
    """``1 run``, ``3 runs``."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def duration(seconds: float) -> str:
    """Seconds up to two minutes, minutes up to two hours, hours from there."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
