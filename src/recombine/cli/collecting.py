"""`recombine collect`: records of several machines become one store."""

from pathlib import Path
from typing import Annotated

import typer

from recombine.cli.output import Json, StorePath, print_json


def collect(
    sources: Annotated[list[Path], typer.Argument(metavar="SOURCE...", help="Folders of records to copy from.")],
    store: StorePath = None,
    keep: Annotated[
        bool, typer.Option("--keep", help="Where two tell a run differently, let what is there stand.")
    ] = False,
    json: Json = False,
) -> None:
    """Copy runs, forecasts and notes of failures into the store, each checked first; what it has is never changed.

    Exits with 2 if something is damaged, or a run is told differently by two stores; all else is copied.

    Example: recombine collect node1/runs node2/runs --store runs
    """
    from recombine.records import Store, user_store
    from recombine.studies.collecting import collect as go

    home = user_store(store)
    found = go([Store(source) for source in sources], home)
    for broken in found.damaged:
        typer.echo(f"recombine: {broken}", err=True)
    for conflict in found.conflicting:
        cure = (
            "what is there stands." if keep else "not copied; say --keep to let what is there stand, or move one away."
        )
        typer.echo(f"recombine: {conflict}; {cure}", err=True)
    if json:
        print_json(
            {
                "store": str(home.root),
                "copied": found.copied,
                "already_there": found.there,
                "damaged": [str(broken) for broken in found.damaged],
                "conflicting": [conflict.to_dict() for conflict in found.conflicting],
                "forecasts": found.forecasts,
                "failures": found.failures,
            }
        )
    else:
        typer.echo(f"{found.counts()}; {found.forecasts} forecasts and {found.failures} notes of failures copied.")
    if found.damaged or (found.conflicting and not keep):
        raise typer.Exit(2)
