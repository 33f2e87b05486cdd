"""`recombine report`: records and verdicts to one self-contained HTML file."""

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from recombine.papers import Paper, Scale, papers
from recombine.records import Store, provenance
from recombine.reports.findings import Findings, gather
from recombine.reports.forecasts import forecast_section
from recombine.reports.geometry_table import geometry_section
from recombine.reports.markup import Markup, join, tag
from recombine.reports.numbers import count
from recombine.reports.page import page
from recombine.reports.parity import parity_section
from recombine.reports.percolation_section import percolation_section
from recombine.reports.provenance import command_for_all, provenance_section
from recombine.reports.room import MOST, that_fit
from recombine.reports.scoreboard_section import scoreboard_section
from recombine.reports.setting_section import drawn_figures, settings_section
from recombine.reports.speed import speed_section
from recombine.reports.support_table import support_section
from recombine.reports.sweep_section import sweeps_section
from recombine.reports.verdicts import counts, listed, verdict_section
from recombine.reports.writing import writable_place, write_whole


def write_report(
    output: Path,
    scale: Scale,
    stores: Sequence[Store],
    about: Iterable[Paper] | None = None,
    whole: bool = False,
    tell: Callable[[int, int], None] | None = None,
) -> Path:
    """Write the report on papers (all of them) at a scale, from stored records; nothing is run. Returns ``output``.

    An earlier store's record is used before a later one's. The file replaces one that is there, whole or not at
    all, and holds everything it shows: it opens without a network. With papers named, runs of no claim of theirs are
    left out. Figures of settings that would make it larger than 5 MB are left out too, unless it is to be ``whole``.
    ``tell`` is told how far it is: settings whose figures are drawn, and all of them.
    """
    writable_place(output)  # before the figures are drawn, which takes a while
    written = report_page(papers.values() if about is None else about, scale, stores, about is not None, whole, tell)
    return write_whole(output, written.encode("utf-8", "replace"))


def report_page(
    chosen: Iterable[Paper],
    scale: Scale,
    stores: Sequence[Store],
    only: bool = False,
    whole: bool = False,
    tell: Callable[[int, int], None] | None = None,
) -> str:
    """The report on some papers as an HTML document.

    ``only``: without the runs that are not theirs; ``whole``: with all figures, however large it gets.
    """
    findings = gather(chosen, scale, stores, only)
    drawn = drawn_figures(findings, tell)
    forecasts = forecast_section(findings)
    sections = {
        "verdicts": verdict_section(findings),
        "sweeps": sweeps_section(findings),
        "settings": settings_section(findings, drawn, dict.fromkeys(drawn, ())),
        "forecast": forecasts,
        "scoreboard": scoreboard_section() if forecasts is not None else None,
        "supports": support_section(findings),
        "geometry": geometry_section(findings),
        "percolation": percolation_section(findings),
        "parity": parity_section(findings),
        "speed": speed_section(stores),
        "provenance": provenance_section(findings),
    }
    title, header = f"recombine report, scale {scale}", _header(findings)
    claims = listed(findings)
    bare = page(title, header, sections, claims=claims)
    room = MOST - len(bare.encode("utf-8", "replace"))
    fitting = drawn if whole else that_fit(drawn, findings.settings, room)
    return page(title, header, {**sections, "settings": settings_section(findings, drawn, fitting)}, claims=claims)


def _short(commit: str | None) -> str:
    """The first digits of a commit, with the mark of a changed folder."""
    digits, _, mark = (commit or "not known").partition("-")
    return f"{digits[:12]}-{mark}" if mark else digits[:12]


def _header(findings: Findings) -> Markup:
    runs = findings.runs
    gaps = {status: sum(run.status == status for run in runs) for status in ("missing", "failed")}
    now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    own = provenance()
    line = f"Written {now} by recombine {own['recombine']}, commit {_short(own['commit'])}. "
    line += f"{count(len(findings.claims), 'claim')} of {count(len(findings.papers), 'paper')}, "
    line += f"{len(runs) - gaps['missing']} of {count(len(runs), 'run')} recorded."
    notes = []
    if gaps["missing"]:
        words = f"{count(gaps['missing'], 'run')} missing, so some of this page is open. To run: "
        notes.append(tag("p", words, command_for_all(findings), class_="note"))
    if gaps["failed"]:
        words = f"{count(gaps['failed'], 'run')} failed; the settings below give the reasons."
        notes.append(tag("p", words, class_="note"))
    if findings.damaged:
        words = f"{count(len(findings.damaged), 'file')} damaged; they are named under Provenance."
        notes.append(tag("p", words, class_="note"))
    return join(
        tag("h1", "Will it compose? ", tag("span", f"Report at scale {findings.scale}", class_="scale")),
        tag(
            "p",
            "This page says, claim by claim, whether what papers report about compositional generalization was seen "
            "again in training runs and calculations of our own, and shows them. Each claim is turned into ranges, "
            "each with its source; the verdicts compare 95% intervals over seeds with them, or exact values where "
            "nothing is left to chance. Where a range or a measure was changed after a first run, the log of the "
            "repository says so.",
            class_="lead",
        ),
        counts(findings.judgements.values()),
        tag("p", line, class_="meaning"),
        notes,
    )
