"""`recombine advise`: what to add to the training set, and why."""

from pathlib import Path
from typing import Annotated, Any

import typer

from recombine.cli.output import Json, StorePath, Workers, print_json
from recombine.cli.problem import (
    HoldOut,
    Isolated,
    ProblemName,
    Set,
    SupportName,
    parse_member,
    parse_settings,
    read_problem,
)
from recombine.core.errors import InputError, unknown


def advise(
    problem: ProblemName,
    settings: Set = None,
    hold_out: HoldOut = None,
    isolated: Isolated = None,
    support: SupportName = None,
    model: Annotated[
        str | None, typer.Option("--model", help="Forecast for this model, and train it with --verify: mlp:width=200.")
    ] = None,
    price: Annotated[
        list[str] | None,
        typer.Option(
            "--price", help="The price of one example of a kind: isolated=1, combination=2, overlap=2. May be repeated."
        ),
    ] = None,
    target: Annotated[float, typer.Option("--target", help="The held-out performance to be forecast.")] = 0.9,
    most: Annotated[int | None, typer.Option("--most", help="At most so many examples are added.")] = None,
    forecasts: Annotated[int, typer.Option("--forecasts", help="At most so many forecasts are made.")] = 400,
    seed: Annotated[int, typer.Option("--seed", help="Draws what is tried.")] = 0,
    verify: Annotated[
        bool, typer.Option("--verify", help="Train with the advised and with random additions, and compare.")
    ] = False,
    seeds: Annotated[int, typer.Option("--seeds", help="Runs of each training set with --verify.")] = 3,
    by: Annotated[
        str, typer.Option("--by", help="What --verify compares: accuracy, or error (1 - nMSE).")
    ] = "accuracy",
    recipe: Annotated[
        str, typer.Option("--recipe", help="How to train with --verify: steps=700,batch=32,rate=0.001.")
    ] = "",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the advised problem to this YAML file.")
    ] = None,
    store: StorePath = None,
    workers: Workers = None,
    json: Json = False,
) -> None:
    """Find the smallest additions to the training set that should make it compose, and exit with 1 if there are none.

    Example: recombine advise bump --set n=12 --hold-out block:x=3..8,y=3..8 --price isolated=1 --price combination=2
    """
    from recombine.reports.writing import writable_place, write_whole
    from recombine.studies.advising import advise as search

    if verify and model is None:
        raise InputError("--verify trains a network, so it needs one; name it, e.g. --model mlp-decoder.")
    if by not in ("accuracy", "error"):
        raise unknown("comparison", by, ("accuracy", "error"))
    if seeds < 1:
        raise InputError(f"--seeds {seeds} must be at least 1.")
    if output:
        writable_place(output)
    described = read_problem(problem, settings, hold_out, isolated, support)
    spec = parse_member(model) if model else None
    found = search(described, spec, read_prices(price), target, most, seed, forecasts=forecasts)
    told: dict[str, Any] = found.to_dict()
    if not json:
        typer.echo(str(found))
    if output and found.additions:
        write_whole(output, found.problem.to_yaml().encode())
        told["file"] = str(output)
        if not json:
            typer.echo(f"The problem with these additions is in {output}.")
    helps = True
    if verify and found.additions and spec is not None:
        from recombine.studies.verifying import verify as compare
        from recombine.training import Recipe

        how = Recipe.read(parse_settings(recipe))
        checked = compare(found, spec, seeds, how, store, workers, by=by)
        told["verification"] = checked.to_dict()
        helps = checked.helps
        if not json:
            typer.echo(f"\n{checked}")
    if json:
        print_json(told)
    if not found.composes or not helps:
        raise typer.Exit(1)


def read_prices(texts: list[str] | None) -> dict[str, float]:
    """``kind=number`` for each kind of example."""
    prices: dict[str, float] = {}
    for text in texts or []:
        kind, equals, number = (part.strip() for part in text.partition("="))
        try:
            value = float(number)
        except ValueError:
            equals = ""
        if not equals:
            raise InputError(f"--price {text!r} must read kind=number, e.g. --price combination=2.")
        if kind in prices:
            raise InputError(f"--price {kind} is given twice; give it once.")
        prices[kind] = value
    return prices
