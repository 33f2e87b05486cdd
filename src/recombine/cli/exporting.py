"""`recombine export`: a generated data set as plain files."""

from pathlib import Path
from typing import Annotated

import typer

from recombine.cli.output import Json, print_json, print_table, say
from recombine.cli.problem import HoldOut, Isolated, ProblemName, Set, SupportName, read_problem


def export(
    problem: ProblemName,
    output: Annotated[Path, typer.Option("--output", "-o", help="A new or empty folder.")],
    settings: Set = None,
    hold_out: HoldOut = None,
    isolated: Isolated = None,
    support: SupportName = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Draws the training set.")] = 0,
    json: Json = False,
) -> None:
    """Write the data of a problem as arrays, a table of factors and Croissant metadata.

    Example: recombine export bump --set n=12 --hold-out block:x=4..8,y=4..8 -o bumps
    """
    from recombine.audits.exported import TRAINED
    from recombine.reports.exporting import export_data, free_place

    free_place(output)
    found = export_data(read_problem(problem, settings, hold_out, isolated, support), output, seed)
    if json:
        print_json(found.to_dict())
        return
    say(f"{found.examples} examples are in {found.path}: {', '.join(found.files)}.")
    print_table(("section", "examples"), [(name, str(number)) for name, number in found.sections.items()])
    say(f"A model learns from {TRAINED}; all other sections are asked about afterwards.")
