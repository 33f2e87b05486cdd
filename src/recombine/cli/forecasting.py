"""`recombine forecast`: the verdict before training."""

from typing import Annotated

import typer

from recombine.cli.output import Json, print_json, print_table
from recombine.cli.problem import HoldOut, Isolated, ProblemName, Set, parse_member, read_problem


def forecast(
    problem: ProblemName,
    settings: Set = None,
    hold_out: HoldOut = None,
    isolated: Isolated = None,
    model: Annotated[str | None, typer.Option("--model", help="Add this model's own tangent kernel.")] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 unless it is forecast to compose.")] = False,
    json: Json = False,
) -> None:
    """Say before training whether a problem will be composed, section by section, with reasons.

    Example: recombine forecast bump --set n=20 --hold-out block:x=5..15,y=5..15
    """
    from recombine.splits import text
    from recombine.splits.drawing import WIDEST
    from recombine.studies.forecasting import forecast as predict

    described = read_problem(problem, settings, hold_out, isolated)
    found = predict(described, parse_member(model) if model else None)
    facts = described.certificate()
    if json:
        document = {"problem": described.settings(), "digest": described.digest(), "certificate": facts.to_dict()}
        print_json({**document, **found.to_dict()})
    else:
        typer.echo(found.verdict)
        typer.echo()
        rows = [
            (part.name, f"{part.expected:.3g}", f"{part.low:.3g} to {part.high:.3g}", _percent(part.accuracy))
            for part in found.sections
        ]
        print_table(("section", found.quantity, "between", "accuracy"), rows)
        typer.echo()
        for each in found.details.get("answers", ()):
            numbers = ", ".join(
                f"{name} {each[name]:.3g}"
                for name in ("accuracy", "margin", "slope", "offset")
                if each[name] is not None
            )
            if numbers:
                typer.echo(f"{each['kernel']}, {each['solver']}: held-out {numbers}")
        for reason in found.reasons:
            typer.echo(f"- {reason.name}: {reason.text}")
        if len(described.grid.shape) == 2 and described.grid.shape[1] <= WIDEST:
            typer.echo()
            typer.echo(text(described.parts))
    if strict and not found.composes:
        raise typer.Exit(1)


def _percent(share: float | None) -> str:
    return "" if share is None else f"{share:.0%}"
