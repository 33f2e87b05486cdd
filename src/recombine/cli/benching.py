"""`recombine bench`: the benchmarks, as ratios."""

from pathlib import Path
from typing import Annotated

import typer

from recombine.cli.output import Json, print_json, print_table

Names = Annotated[list[str] | None, typer.Argument(metavar="[NAME ...]", help="Which benchmarks; all if not given.")]


def bench(
    names: Names = None,
    rounds: Annotated[int, typer.Option("--rounds", min=1, help="How often the two sides alternate.")] = 5,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Also write them to this JSON file; those it has of others than NAME stay."
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Measure speed as ratios: each benchmark checks that both sides agree, then alternates them.

    Example: recombine bench stack-mlp-64 --rounds 3
    """
    from recombine.benchmarks import check_place, run_benchmarks, save

    if output:
        check_place(output, keep=bool(names))  # before minutes of measuring
    found = run_benchmarks(names or (), rounds)
    if output:
        save(found, output, keep=bool(names))
    if json:
        print_json([each.to_dict() for each in found])
    else:
        rows = [
            (
                each.name,
                f"{each.ratio:.3g} {each.unit}".rstrip(),
                f"{each.low:.3g} to {each.high:.3g}",
                "agree" if each.agrees else "DIFFER",
            )
            for each in found
        ]
        print_table(("benchmark", "ratio, or what its unit says", "over rounds", "sides"), rows)
    if not all(each.agrees for each in found):
        raise typer.Exit(1)
