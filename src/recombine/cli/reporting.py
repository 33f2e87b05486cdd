"""`recombine report`: one self-contained HTML file."""

from pathlib import Path
from typing import Annotated

import typer

from recombine.cli.output import Json, StorePath, print_json, say
from recombine.cli.reproducing import AtScale


def report(
    chosen: Annotated[
        list[str] | None, typer.Argument(metavar="[PAPER]...", help="Papers by key; all if none is given.")
    ] = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="Where to write it.")] = Path("report.html"),
    scale: AtScale = "quick",
    whole: Annotated[
        bool, typer.Option("--whole", help="All figures of settings, also those that do not fit into 5 MB.")
    ] = False,
    store: StorePath = None,
    json: Json = False,
) -> None:
    """Write verdicts, figures and provenance to one HTML file that opens offline.

    Example: recombine report first-principles --scale laptop -o report.html
    """
    from recombine.core.errors import unknown
    from recombine.papers import Scale, papers
    from recombine.reports import write_report
    from recombine.reports.room import MOST
    from recombine.studies.progress import progress_for
    from recombine.studies.stores import reading_stores

    for key in chosen or ():
        if key not in papers:
            raise unknown("paper", key, papers)
    about = [papers[key] for key in dict.fromkeys(chosen)] if chosen else None
    tell = None if json else progress_for().drawn
    written = write_report(output, Scale(scale), reading_stores(store), about, whole, tell)
    size = written.stat().st_size
    if size > MOST and not whole:
        large = f"The report has {size / 1e6:.1f} MB, above {MOST / 1e6:.0f} MB even without figures of settings"
        say(f"{large}; reports on single papers are smaller.", err=True)
    if json:
        print_json({"file": str(written), "bytes": size, "scale": scale})
    else:
        say(f"The report is in {written} ({size / 1e6:.1f} MB).")
