"""`recombine train`: train, measure, record."""

from collections.abc import Collection, Mapping
from typing import Annotated, Any

import typer

from recombine.cli.output import Address, Gpus, Json, On, StorePath, Workers, print_json, print_table, say
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
    recipe: Annotated[
        list[str] | None,
        typer.Option(
            "--recipe",
            help="How to train: steps=700,batch=32,rate=0.001. May be repeated; the later value of a setting wins.",
        ),
    ] = None,
    measures: Annotated[
        str, typer.Option("--measures", help="Measures beside the usual ones, with commas; see `list measures`.")
    ] = "",
    checkpoints: Annotated[
        int, typer.Option("--checkpoints", help="How often the model is measured on the way as well.")
    ] = 0,
    store: StorePath = None,
    on: On = "local",
    address: Address = None,
    workers: Workers = None,
    gpus: Gpus = 0.0,
    json: Json = False,
) -> None:
    """Train a model on a problem, once a seed; measure and record each run.

    Example: recombine train bump --set n=12 --hold-out block:x=4..8,y=4..8 --model mlp-decoder --recipe steps=500
    """
    from recombine.papers import Interval
    from recombine.studies.training import train as go
    from recombine.training import Recipe

    described = read_problem(problem, settings, hold_out, isolated, support)
    asked = [name.strip() for name in measures.split(",") if name.strip()]
    how = Recipe.read({name: value for text in recipe or [] for name, value in parse_settings(text).items()})
    runs = go(
        described,
        parse_member(model),
        seeds,
        how,
        store,
        workers,
        measures=asked,
        checkpoints=checkpoints,
        on=on,
        address=address,
        gpus=gpus,
    )
    bodies = [run.record.body for run in runs]
    if json:
        print_json([{"digest": run.record.digest, **run.record.body} for run in runs])
        return
    say(f"{len(runs)} run{'s' * (len(runs) != 1)}: {', '.join(run.record.digest for run in runs)}")
    taken = [parts(body["measures"], asked) for body in bodies]
    rows = []
    for name in taken[0]:
        found = Interval.over_seeds([each[name] for each in taken if name in each])
        spread = f"{found.low:.3g} to {found.high:.3g}" if len(runs) > 1 else "one seed: no interval"
        rows.append((name, f"{found.estimate:.3g}", spread))
    print_table(("measure", "mean", "95% over seeds"), rows)
    for name, why in bodies[0].get("undefined", {}).items():
        say(f"{name} is not defined here: {why}")


def parts(measures: Mapping[str, Any], asked: Collection[str]) -> dict[str, float]:
    """The numbers of a run by name; of measures with several, those that were asked for, as ``name.part``."""
    found = {}
    for name, value in measures.items():
        if not isinstance(value, dict):
            found[name] = value
        elif name in asked:
            found |= {f"{name}.{part}": number for part, number in value.items()}
    return found
