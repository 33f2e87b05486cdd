"""`recombine forecast`: the verdict before training."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from recombine.cli.output import Json, print_json, print_table, say
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
from recombine.core.errors import InputError

if TYPE_CHECKING:
    from recombine.data.task import Task
    from recombine.theory.outlook import Outlook

SHADES = ".:-=+*#%@"


def forecast(
    problem: ProblemName,
    settings: Set = None,
    hold_out: HoldOut = None,
    isolated: Isolated = None,
    support: SupportName = None,
    model: Annotated[
        str | None, typer.Option("--model", help="The outlook for such a network, and its own tangent kernel.")
    ] = None,
    recipe: Annotated[
        str | None,
        typer.Option("--recipe", help="How the network is trained, of which the loss matters: loss=logistic."),
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 unless it is forecast to compose.")] = False,
    json: Json = False,
) -> None:
    """Say before training whether a problem will be composed, section by section, with reasons.

    Example: recombine forecast bump --set n=20 --hold-out block:x=5..15,y=5..15
    """
    from recombine.splits import text
    from recombine.splits.drawing import WIDEST
    from recombine.studies.combination_forecasts import combination_forecasts
    from recombine.studies.forecasting import forecast as predict

    described = read_problem(problem, settings, hold_out, isolated, support)
    if recipe is not None and model is None:
        raise InputError("--recipe is how a network is trained, so it needs one; name it, e.g. --model mlp.")
    found = predict(described, parse_member(model) if model else None, loss=read_loss(recipe) if recipe else "mse")
    if json:
        # What a support shows is told among the details.
        facts = {} if described.support is not None else {"certificate": described.certificate().to_dict()}
        combinations = combination_forecasts(described, found)
        if combinations is not None:
            facts["combinations"] = combinations
        print_json({"problem": described.settings(), "digest": described.digest(), **facts, **found.to_dict()})
    else:
        if found.outlook:
            show_outlook(found.outlook)
        say(found.verdict)
        say()
        told = any(part.accuracy is not None for part in found.sections)  # scenes have no accuracy
        rows = [
            (
                part.name,
                f"{part.expected:.3g}",
                f"{part.low:.3g} to {part.high:.3g}",
                *((_percent(part.accuracy),) if told else ()),
            )
            for part in found.sections
        ]
        print_table(("section", found.quantity, "between", *(("accuracy",) if told else ())), rows)
        if told:
            say(what_is_right(described.task))
        say()
        for each in found.details.get("answers", ()):
            numbers = ", ".join(
                f"{name} {each[name]:.3g}"
                for name in ("accuracy", "margin", "slope", "offset")
                if each[name] is not None
            )
            if numbers:
                say(f"{each['kernel']}, {each['solver']}: held-out {numbers}")
        for reason in found.reasons:
            say(f"- {reason.name}: {reason.text}")
        if found.details.get("additive"):
            say("- additive: nothing rules out that a sum over what training shows is right for all that is held out.")
        if described.support is None:
            say(f"- certificate: {described.certificate().words}")
        for line in missing_parts(found.details.get("lacking_maps", ())):
            say(line)
        if described.support is None and len(described.grid.shape) == 2 and described.grid.shape[1] <= WIDEST:
            say()
            say(text(described.parts, described.shown()))
    if strict and not found.composes:
        raise typer.Exit(1)


def read_loss(recipe: str) -> str:
    """The loss of a recipe."""
    from recombine.training import Recipe

    return Recipe.read(parse_settings(recipe)).loss


def show_outlook(outlook: "Outlook") -> None:
    """What to expect of trained networks, section by section, and which failures."""
    say(outlook.verdict)
    if outlook.loss:
        say(f"Ask about another loss with --recipe loss={'mse' if outlook.loss == 'logistic' else 'logistic'}.")
    say()
    rows = [(each.name, f"{each.expected:z.2f}", f"{each.low:z.2f} to {each.high:z.2f}") for each in outlook.sections]
    print_table(("section", "performance", "between"), rows)
    if outlook.depends:
        typer.echo()
        rows = [
            (each.name, f"{each.expected:z.2f}", f"{each.low:z.2f} to {each.high:z.2f}") for each in outlook.networks
        ]
        print_table(("network", "performance", "between"), rows)
        typer.echo("Networks differ: name yours with --model.")
    if not outlook.calibrated:
        say("These are the theory's own numbers: no networks were trained to tune it on such problems.")
    for each in outlook.failures:
        say(f"- {each.failure}: {each.text}")
    for note in outlook.notes:
        say(note)
    say()


def what_is_right(task: "Task") -> str:
    """What counts as right in the column of accuracies."""
    from recombine.data.picture_task import PictureTask
    from recombine.theory.scores import TOLERANCE

    if not isinstance(task, PictureTask):
        return "accuracy: share of classes that are right; an answer of zero counts one half."
    extreme, pixels = "darkest" if task.dark else "brightest", "pixel" + "s" * (TOLERANCE != 1)
    return (
        f"accuracy: share of pictures with one {extreme} pixel, at most {TOLERANCE} {pixels} away from the true one "
        "along rows and along columns."
    )


def missing_parts(maps: Sequence[Sequence[Sequence[float]]]) -> Iterator[str]:
    """For every sprite that lacks support a picture of the pixels, darker where more of its values lack it there."""
    for number, rows in enumerate(maps, 1):
        if any(share for row in rows for share in row):
            yield f"\nWhere values of sprite {number} lack support (. none, @ all of them):"
            yield from ("".join(_shade(share) * 2 for share in row) for row in rows)


def _shade(share: float) -> str:
    """The mark of a share; the first one is for none at all, however few others stand for."""
    return SHADES[max(round(share * (len(SHADES) - 1)), int(share > 0))]


def _percent(share: float | None) -> str:
    return "" if share is None else f"{share:.0%}"
