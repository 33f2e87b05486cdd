"""How fast this is, from the last benchmarks that were saved beside the records."""

import json
from collections.abc import Sequence
from typing import Any

from recombine.records import Store
from recombine.reports.markup import Markup, command, join, tag
from recombine.reports.numbers import short

IN_SECONDS = ("startup", "homology", "percolation", "support-check")


def speed_section(stores: Sequence[Store]) -> Markup:
    """The ratios of the first saved file of benchmarks, or how to make one."""
    saved = next((found for store in stores if (found := _read(store)) is not None), None)
    return tag("section", tag("h2", "Speed"), saved or _missing(), id="speed")


def _read(store: Store) -> Markup | None:
    """The table of the benchmarks beside these records; None where there are none, or none that are ours."""
    try:
        found = json.loads((store.root / "benchmarks.json").read_text(encoding="utf-8"))
        return _table(found) if found["results"] else None
    except (OSError, ValueError, LookupError, TypeError, AttributeError, OverflowError, RecursionError):
        return None


def _missing() -> Markup:
    return tag(
        "p", "No benchmarks have been saved beside the records. To measure: ", command("bench -o runs/benchmarks.json")
    )


def _unit(result: dict[str, Any]) -> str:
    """The unit of a result; files that were saved before results had one go by the name."""
    name = str(result["name"])
    return str(result.get("unit", "GFLOP/s" if name.startswith("gflops-") else "CPU s" if name in IN_SECONDS else ""))


def _table(saved: dict[str, Any]) -> Markup:
    where = saved.get("provenance") or {}
    words = (
        "How many times faster than the plain way, in one run that alternates both; with a unit, what was measured "
        "(peak: share of this machine's matrix products; growth: 4 is proportional). "
    )
    words += f"{where.get('cpus', '?')} shared cores."
    head = tag(
        "tr", [tag("th", title) for title in ("Benchmark", "Ratio, or what its unit says", "Over rounds", "Both sides")]
    )
    rows = [
        tag(
            "tr",
            tag("td", tag("code", str(each["name"]))),
            tag("td", f"{short(float(each['ratio']))} {_unit(each)}".rstrip()),
            tag("td", f"{short(float(each['low']))} to {short(float(each['high']))}"),
            tag("td", "agree" if each["agrees"] else "differ"),
        )
        for each in saved["results"]
    ]
    return join(tag("p", words), tag("div", tag("table", tag("thead", head), tag("tbody", rows)), class_="scroll"))
