"""`recombine advise`: what to add to the training set, and why."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from recombine.cli.output import Json, StorePath, Workers, print_json, say
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

if TYPE_CHECKING:
    from recombine.data import Problem
    from recombine.training import Recipe

COMPARED = ("accuracy", "error")
SEEDS = 3  # of every training set that --verify trains


def advise(
    problem: ProblemName,
    settings: Set = None,
    hold_out: HoldOut = None,
    isolated: Isolated = None,
    support: SupportName = None,
    model: Annotated[
        str | None,
        typer.Option("--model", help="Go by the outlook for this model, and train it with --verify: mlp:width=200."),
    ] = None,
    price: Annotated[
        list[str] | None,
        typer.Option(
            "--price", help="The price of one example of a kind: isolated=1, combination=2, overlap=2. May be repeated."
        ),
    ] = None,
    target: Annotated[
        float,
        typer.Option(
            "--target",
            help="The held-out performance to reach in the forecast's outlook: 1 is perfect, 0 knows nothing.",
        ),
    ] = 0.9,
    most: Annotated[int | None, typer.Option("--most", help="Add at most so many examples.")] = None,
    forecasts: Annotated[int, typer.Option("--forecasts", help="Try at most so many training sets.")] = 400,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Draws what is tried.")] = 0,
    verify: Annotated[
        bool, typer.Option("--verify", help="Train with the advised and with random additions, and compare.")
    ] = False,
    seeds: Annotated[
        int | None, typer.Option("--seeds", help="Runs of each training set with --verify. [default: 3]")
    ] = None,
    by: Annotated[
        str | None,
        typer.Option("--by", help="What --verify compares: accuracy, or error (1 - nMSE). [default: accuracy]"),
    ] = None,
    recipe: Annotated[
        str | None, typer.Option("--recipe", help="How to train with --verify: steps=700,batch=32,rate=0.001.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the advised problem to this YAML file.")
    ] = None,
    store: StorePath = None,
    workers: Workers = None,
    json: Json = False,
) -> None:
    """Find the smallest additions to the training set that should make it compose.

    Exits with 1 if nothing that was tried reaches the target, and with --verify also if training shows no gain.

    Example: recombine advise bump --set n=12 --hold-out block:x=3..8,y=3..8 --model cnn-decoder --price combination=2
    """
    from recombine.reports.writing import check_place, write_whole
    from recombine.studies.advising import advise as search

    if verify and model is None:
        raise InputError("--verify trains a network, so it needs one; name it, e.g. --model mlp-decoder.")
    of_training = {"--seeds": seeds, "--by": by, "--recipe": recipe, "--store": store, "--workers": workers}
    idle = [name for name, value in of_training.items() if value is not None]
    if idle and not verify:
        raise InputError(f"{' and '.join(idle)} would do nothing, since nothing is trained; add --verify to train.")
    if by not in (None, *COMPARED):
        raise unknown("comparison", by, COMPARED)
    if seeds is not None and seeds < 1:
        raise InputError(f"--seeds {seeds} must be at least 1.")
    if output:
        check_place(output, inputs=[Path(problem)])
    described = read_problem(problem, settings, hold_out, isolated, support)
    spec = parse_member(model) if model else None
    how = read_training(described, spec, recipe) if verify and spec is not None else None
    loss = how.loss if how is not None else "mse"
    found = search(described, spec, read_prices(price), target, most, seed, forecasts=forecasts, loss=loss)
    told: dict[str, Any] = found.to_dict()
    if not json:
        say(str(found))
    if output and found.additions:
        write_whole(output, found.problem.to_yaml().encode())
        told["file"] = str(output)
        if not json:
            say(f"The problem with these additions is in {output}.")
    elif output and not json:
        say(f"Nothing is written to {output}, since nothing is added.")
    helps = True
    if how is not None and spec is not None and found.additions:
        from recombine.studies.verifying import verify as compare

        try:
            checked = compare(found, spec, seeds or SEEDS, how, store, workers, by=by or COMPARED[0])
        except InputError as error:
            if json:  # the advice stands, though it could not be verified
                print_json({**told, "unverified": str(error)})
            raise
        told["verification"] = checked.to_dict()
        helps = checked.helps
        if not json:
            say(f"\n{checked}")
    if json:
        print_json(told)
    if not found.composes or not helps:
        raise typer.Exit(1)


def read_training(problem: "Problem", model: dict[str, Any], recipe: str | None) -> "Recipe":
    """How --verify trains; what cannot be trained is refused before anything is sought."""
    from recombine.models import models
    from recombine.studies.fitting import check_fit
    from recombine.training import Recipe

    check_fit(problem, models.parse(model))
    return Recipe.read(parse_settings(recipe or ""))


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
