"""What commands print: one JSON document, or text for people."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]


def _folder(text: str) -> Path:
    if not str(text) or "\0" in str(text):
        raise typer.BadParameter(f"{str(text)!r} is no name of a folder; give one, or . for this one")
    return Path(text)


StorePath = Annotated[
    Path | None,
    typer.Option(
        "--store",
        help="Folder of records. [default: $RECOMBINE_STORE, else ./runs]",
        show_default=False,
        parser=_folder,
        metavar="PATH",
    ),
]
Workers = Annotated[int | None, typer.Option("--workers", help="Worker processes; one a core if not given.")]
On = Annotated[Literal["local", "ray"], typer.Option("--on", help="Where: worker processes here, or a Ray cluster.")]
Address = Annotated[
    str | None,
    typer.Option("--address", help="Of the Ray cluster. [default: $RAY_ADDRESS, else one is started here]"),
]
Gpus = Annotated[
    float,
    typer.Option("--gpus", help="Share of a GPU that each training takes: 1 for a whole one, 0.25 for a quarter."),
]


# What a terminal obeys, or shows in an order of its own, and halves of letters that no encoding has. Line ends and tabs
# stay.
UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def visible(text: str) -> str:
    """Text in which control characters are written out, e.g. as ``\\x1b``: names come from files of others."""
    return UNSEEN.sub(lambda found: found[0].encode("unicode-escape", "surrogatepass").decode(), text)


def say(text: str = "", err: bool = False) -> None:
    """Print text for people. All that commands print goes through here or `print_json`."""
    typer.echo(visible(text), err=err)


def print_json(document: Any) -> None:
    text = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)
    # Only strings can have them, where they may be written so.
    typer.echo(UNSEEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text))


def print_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Columns as wide as their cells; the last one runs free."""
    lines = [[" ".join(visible(cell).split("\n")) for cell in row] for row in [header, *rows]]
    widths = [max(len(row[i]) for row in lines) for i in range(len(header))]
    for row in lines:
        say("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
