"""`recombine explain`: which failure a trained run is, with the evidence."""

import shlex
from collections.abc import Iterator
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from recombine.cli.output import Json, StorePath, print_json, say
from recombine.cli.problem import assign, parse_member, parse_settings
from recombine.core.errors import InputError

if TYPE_CHECKING:
    from recombine.studies import Experiment


def explain(
    run: Annotated[str, typer.Argument(metavar="RUN", help="The digest of a recorded run, or the beginning of it.")],
    at: Annotated[
        str | None,
        typer.Option(
            "--at",
            help="Which picture is taken apart, by level indices: y=12,x=9. [default: the deepest held out]",
        ),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Also draw the shares and what shows them to this SVG file.")
    ] = None,
    store: StorePath = None,
    json: Json = False,
) -> None:
    """Say how much of a trained model's held-out error is due to which failure, with the evidence.

    Example: recombine explain 3f09 --at y=10,x=9 -o explanation.svg
    """
    from recombine.studies.explaining import NoWeights, recorded_run
    from recombine.studies.explaining import explain as go

    if output:
        from recombine.reports.writing import check_place

        check_place(output, ".svg")
    place = None if at is None else _place(at)
    trained = recorded_run(run, store)
    try:
        found = go(trained, place)
    except NoWeights as error:
        raise NoWeights(error.experiment, error.digest, again(error.experiment)) from None
    if output:
        from recombine.reports.blame_figure import write_figure

        write_figure(found, output)
    if json:
        drawn = {"figure": str(output)} if output else {}
        settings = trained.experiment.settings()
        print_json({"digest": trained.record.digest, **found.to_dict(), "experiment": settings, **drawn})
        return
    say(f"{trained.record.digest}: {trained.experiment.line()}")
    say()
    say(str(found))
    if output:
        say()
        say(f"The figure is in {output}.")


def again(experiment: "Experiment") -> str:
    """How to train a run again so that its weights are kept: the commands where they can be written, else in words.

    They name a store without its record: in the one that has it, training would do nothing.
    """
    from recombine.studies import Experiment
    from recombine.studies.explaining import TRAIN_ELSEWHERE
    from recombine.studies.training import standard_measures

    command = train_command(experiment)
    if command is None:
        return TRAIN_ELSEWHERE
    new = Experiment(
        problem=experiment.problem,
        model=experiment.model,
        recipe=experiment.recipe,
        seed=experiment.seed,
        measures=standard_measures(experiment.problem),
    )
    where = ["--store", spare_store(experiment.digest(), new.digest())]
    return (
        f"train it again with `{shlex.join([*command, *where])}`, "
        f"then `{shlex.join(['recombine', 'explain', new.digest(), *where])}`"
    )


def spare_store(*digests: str) -> str:
    """A folder here in which none of these runs is recorded without its weights."""
    from recombine.records import Store
    from recombine.studies.explaining import SPARE

    def usable(name: str) -> bool:
        store = Store(Path(name))
        try:
            return all(store.read(digest, weights=True).weights for digest in digests if store.has(digest))
        except InputError:  # damaged, or no folder
            return False

    return next(name for name in chain([SPARE], (f"{SPARE}-{number}" for number in count(2))) if usable(name))


def train_command(experiment: "Experiment") -> list[str] | None:
    """The words of the `recombine train` that trains this again, seeds before it included; None if there is none.

    What is written is read again, and counts only if it comes out as the same settings.
    """
    from recombine.core.spec import dump
    from recombine.data import Problem
    from recombine.models import models
    from recombine.training import Recipe

    problem, model, recipe = experiment.problem, experiment.model, experiment.recipe
    described = problem.settings()
    sets = [*leaves(described.pop("task"), "", {"kind"}), *leaves(described, "")]
    member, numbers = model.kind, pairs(model.settings())
    told = f"{member}:{numbers}" if numbers else member
    document: dict[str, Any] = {"task": {"kind": problem.task.kind}}
    try:
        for each in sets:
            assign(document, each)
        same = (
            Problem.read(document) == problem
            and models.parse(parse_member(told)) == model
            and Recipe.read(parse_settings(pairs(recipe.settings()))) == recipe
        )
    except InputError:
        return None
    if not same or dump(models.parse(parse_member(told))) != dump(model):
        return None
    words = ["recombine", "train", problem.task.kind]
    words += [word for each in sets for word in ("--set", each)]
    words += ["--model", told, *(["--recipe", pairs(recipe.settings())] if recipe.settings() else [])]
    return [*words, *(["--seeds", str(experiment.seed + 1)] if experiment.seed else [])]


def leaves(settings: dict[str, Any], path: str, skipped: frozenset[str] | set[str] = frozenset()) -> Iterator[str]:
    """``a.b=value`` for every value of nested settings, a kind before the settings that hang on it."""
    import json

    for name, value in settings.items():
        if name in skipped:
            continue
        here = f"{path}.{name}" if path else name
        if isinstance(value, dict) and "kind" in value:
            yield f"{here}={value['kind']}"
            rest = {key: each for key, each in value.items() if key != "kind"}
            yield from leaves(rest, here)
        else:
            yield f"{here}={value if isinstance(value, str) else json.dumps(value)}"


def pairs(settings: dict[str, Any]) -> str:
    """``key=value,key=value``, as models and recipes are written."""
    import json

    told = ((name, value if isinstance(value, str) else json.dumps(value)) for name, value in settings.items())
    return ",".join(f"{name}={value}" for name, value in told)


def _place(at: str) -> dict[str, Any]:
    """``y=12,x=9`` as a mapping."""
    try:
        return parse_settings(at)
    except InputError:
        raise InputError(f"--at {at!r} must name each factor once with the index of a level, e.g. y=12,x=9.") from None
