"""What tells two trainings of one network on one task apart, in a few words."""

from collections.abc import Mapping
from typing import Any

SIDES = ("block", "cross")  # kinds whose settings are ranges of levels, half-open


def details(problem: Mapping[str, Any], steps: int) -> str:
    """The size of the task, the region, factors shown alone, and the numbers of examples and of steps."""
    task, alone, examples = problem["task"], problem.get("isolated"), problem.get("examples")
    size = task.get("n") if isinstance(task, Mapping) else None
    parts = [
        f"n {size}" if size is not None else "",
        region_words(problem.get("split") or problem.get("support")),
        f"{' and '.join(map(str, alone))} alone" if alone else "",
        f"{examples:,} examples" if examples else "",
        f"{steps:,} steps",
    ]
    return ", ".join(part for part in parts if part)


def region_words(region: Any) -> str:
    """A region by its kind and settings; of an extrapolation, what it is of."""
    if isinstance(region, list | tuple):
        return " ".join(map(region_words, region))
    if not isinstance(region, Mapping):
        return "" if region is None else str(region)
    kind = str(region.get("kind", ""))
    if kind == "extrapolation":
        return region_words(region.get("of"))
    told = [f"{name} {_value(kind, value)}" for name, value in region.items() if name != "kind"]
    return f"{kind} {', '.join(told)}".strip()


def _value(kind: str, value: Any) -> str:
    if kind in SIDES and isinstance(value, list | tuple) and len(value) == 2:
        low, high = value
        return f"{low} to {high - 1}"
    return region_words(value)
