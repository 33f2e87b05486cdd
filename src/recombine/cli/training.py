"""`recombine train`: train, measure, record."""

from typing import Annotated

import typer

from recombine.cli.output import Json, StorePath, Workers, print_json, print_table
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


def train(
    problem: ProblemName,
    model: Annotated[str, typer.Option("--model", help="A model, with settings: cnn-decoder:width=32,depth=4.")],
    settings: Set = None,
    hold_out: HoldOut = None,
    isolated: Isolated = None,
    support: SupportName = None,
    seeds: Annotated[int, typer.Option("--seeds", help="How many runs, one a seed.")] = 1,
    recipe: Annotated[str, typer.Option("--recipe", help="How to train: steps=700,batch=32,rate=0.001.")] = "",
    store: StorePath = None,
    workers: Workers = None,
    json: Json = False,
) -> None:
    """Train a model on a problem, once a seed; measure and record each run.

    Example: recombine train bump --set n=12 --hold-out block:x=4..8,y=4..8 --model mlp-decoder --recipe steps=500
    """
    from recombine.papers import Interval
    from recombine.studies.training import train as go
    from recombine.training import Recipe

    described = read_problem(problem, settings, hold_out, isolated, support)
    runs = go(described, parse_member(model), seeds, Recipe.read(parse_settings(recipe)), store, workers)
    bodies = [run.record.body for run in runs]
    if json:
        print_json([{"digest": run.record.digest, **run.record.body} for run in runs])
        return
    typer.echo(f"{len(runs)} runs: {', '.join(run.record.digest for run in runs)}")
    rows = []
    for name, value in bodies[0]["measures"].items():
        if not isinstance(value, dict):
            found = Interval.over_seeds([body["measures"][name] for body in bodies])
            spread = f"{found.low:.3g} to {found.high:.3g}" if len(runs) > 1 else "one seed: no interval"
            rows.append((name, f"{found.estimate:.3g}", spread))
    print_table(("measure", "mean", "95% over seeds"), rows)
