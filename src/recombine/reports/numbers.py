"""How numbers are written on a page."""

import math

from recombine.papers import Interval

MINUS = "\N{MINUS SIGN}"
ROUNDING = 1e-12  # smaller is what double precision leaves of zero


def short(value: float) -> str:
    """Three digits: 0.0123, 12.3, 1.2e−5; what is left of 0 by rounding is ≈0."""
    if not math.isfinite(value):
        return {math.inf: "∞", -math.inf: f"{MINUS}∞"}.get(value, "not a number")
    if 0 < abs(value) < ROUNDING:
        return "≈0"
    text = f"{value:.3g}"
    if "e" in text:
        digits, exponent = text.split("e")
        text = f"{digits}e{int(exponent)}"
    return text.replace("-", MINUS)


def interval(measured: Interval) -> str:
    """The estimate with its ends and the number of seeds; a single seed has no ends."""
    if measured.seeds < 2:
        return f"{short(measured.estimate)} (1 seed, no interval)"
    ends = f"[{short(measured.low)}, {short(measured.high)}]"
    return f"{short(measured.estimate)} {ends}, {measured.seeds} seeds"


def count(number: int, thing: str) -> str:
    """``1 run``, ``3 runs``."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def duration(seconds: float) -> str:
    """Seconds up to two minutes, minutes up to two hours, hours from there."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
