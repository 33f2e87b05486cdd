"""What commands print: one JSON document, or text for people."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]
StorePath = Annotated[
    Path | None,
    typer.Option("--store", help="Folder of records. [default: $RECOMBINE_STORE, else ./runs]", show_default=False),
]
Workers = Annotated[int | None, typer.Option("--workers", help="Worker processes; one a core if not given.")]
On = Annotated[Literal["local", "ray"], typer.Option("--on", help="Where: worker processes here, or a Ray cluster.")]
Address = Annotated[
    str | None,
    typer.Option("--address", help="Of the Ray cluster. [default: $RAY_ADDRESS, else one is started here]"),
]


def print_json(document: Any) -> None:
    typer.echo(json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False))


def print_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Columns as wide as their cells; the last one runs free."""
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]
    for row in [header, *rows]:
        typer.echo("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
