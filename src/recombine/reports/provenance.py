"""Where the numbers come from: versions, commits, machines, time, digests, and what is damaged or missing."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from recombine.reports.findings import Findings
from recombine.reports.markup import Markup, command, join, tag
from recombine.reports.numbers import count, duration

FACTS = {
    "recombine": "recombine",
    "commit": "Commit",
    "python": "Python",
    "numpy": "NumPy",
    "torch": "PyTorch",
    "platform": "Platform",
    "cpus": "Cores",
    "device": "Trained on",
}


def provenance_section(findings: Findings) -> Markup:
    """The origin of every run the claims use at this scale."""
    runs = findings.runs
    bodies = [run.body for run in runs if run.body is not None]
    return tag(
        "section",
        tag("h2", "Provenance"),
        _facts(findings, bodies),
        _damaged(findings),
        _missing(findings),
        _digests(findings),
        id="provenance",
    )


def command_for_all(findings: Findings) -> Markup:
    """What runs everything this page lacks."""
    named = "".join(f"{paper.key} " for paper in findings.papers) if findings.only else ""
    return command(f"reproduce {named}--scale {findings.scale}")


def _facts(findings: Findings, bodies: list[Mapping[str, Any]]) -> Markup:
    origins = [body.get("provenance") or {} for body in bodies]
    facts = {title: _tally(origin.get(name) for origin in origins) for name, title in FACTS.items()}
    status = Counter(str(body["status"]) for body in bodies)
    failed = f", {status['failed']} of them failed" if status["failed"] else ""
    seconds = sum((float((body.get("cost") or {}).get("seconds", 0.0)) for body in bodies), 0.0)
    started = sorted(str(origin["started"]) for origin in origins if origin.get("started"))
    needed = len(findings.runs)
    facts["Runs"] = f"{len(bodies)} recorded of the {needed} that the claims need{failed}"
    facts["Run time"] = f"{duration(seconds)} in all (each run on one core)"
    facts["Recorded"] = f"{started[0]} to {started[-1]}" if started else "never"
    facts["In the stores"] = f"{count(len(findings.bodies), 'record')} in all, other scales and studies too"
    return tag("dl", [tag("div", tag("dt", name), tag("dd", fact)) for name, fact in facts.items()], class_="facts")


def _tally(values: Iterable[object]) -> str:
    """The values that occur, each with its number of runs where there are several."""
    found = Counter("not known" if value is None else str(value) for value in values)
    if len(found) <= 1:
        return next(iter(found), "no run yet")
    return ", ".join(f"{value} ({count(number, 'run')})" for value, number in found.most_common())


def _damaged(findings: Findings) -> Markup | None:
    if not findings.damaged:
        return None
    lines = [tag("li", tag("code", it.digest), f": {it.file} {it.reason}") for it in findings.damaged.values()]
    words = f"{count(len(lines), 'file')} damaged and left out. "
    cure = join(command("doctor"), " names the folders; move them away and run these again.")
    return tag("div", tag("p", words, cure), tag("ul", lines), class_="note")


def _missing(findings: Findings) -> Markup | None:
    missing = [(it.label, run) for it in findings.settings.values() for run in it.runs if run.status == "missing"]
    if not missing:
        return None
    lines = [tag("li", tag("code", run.work.digest()), f" {label}, seed {run.work.seed}") for label, run in missing]
    summary = f"{count(len(missing), 'run')} missing"
    return tag(
        "div",
        tag("p", f"{summary}. To run all of them: ", command_for_all(findings)),
        tag("details", tag("summary", "Which runs are missing"), tag("ul", lines)),
        class_="note",
    )


def _digests(findings: Findings) -> Markup:
    """The recorded runs, a row for every setting and status: the digests of its seeds, and their time."""
    rows, runs = [], 0
    for setting in findings.settings.values():
        for status in ("done", "failed"):
            found = setting.with_status(status)
            bodies = [run.body for run in found if run.body is not None]
            seconds = sum((float((body.get("cost") or {}).get("seconds", 0.0)) for body in bodies), 0.0)
            if found:
                digests = [tag("div", tag("code", run.work.digest()), f" {run.work.seed}") for run in found]
                cells = (setting.label, status, duration(seconds))
                rows.append(tag("tr", [tag("td", cell) for cell in cells], tag("td", digests)))
                runs += len(found)
    heads = ("Setting", "Status", "Time", "Digest of the work, seed")
    head = tag("thead", tag("tr", [tag("th", name, scope="col") for name in heads]))
    table = tag("div", tag("table", head, tag("tbody", rows)), class_="scroll")
    return tag("details", tag("summary", f"Digests of {count(runs, 'recorded run')}"), table)
