"""`recombine calibrate`: forecasts scored against networks that are trained for the purpose."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from recombine.cli.output import Json, StorePath, Workers, print_json, print_table, say

if TYPE_CHECKING:
    from collections.abc import Sequence


def calibrate(
    trials: Annotated[
        int,
        typer.Option("--trials", min=8, help="Drawn problems that are scored; as many are new among those tuned on."),
    ] = 240,
    anew: Annotated[
        bool, typer.Option("--anew", help="Train what earlier versions trained of the public part once more.")
    ] = False,
    workers: Workers = None,
    store: StorePath = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Also write the fit and its scores to this JSON file.")
    ] = None,
    json: Json = False,
) -> None:
    """Draw problems, foretell and train them, and score the forecast on those it was not tuned on.

    The public part is trained first, unless an earlier version did, and the forecast fitted to it; what it says of the
    other part is written down before that is trained. Stopped and started again, it goes on where it was. With 240
    trials it takes about an hour of one core.

    Example: recombine calibrate --trials 240 --store runs/calibration
    """
    from recombine.records import user_store
    from recombine.studies.calibrating import calibrate as go
    from recombine.studies.calibration_file import check_place, names_sentence, patterns, save
    from recombine.studies.execution import executor
    from recombine.studies.progress import progress_for
    from recombine.studies.scoreboard import scoreboard

    executor(workers=workers)  # refused before anything is drawn
    if output:
        check_place(output)
    fitted, judged = go(trials, user_store(store), workers, progress_for(), anew)
    found = scoreboard(judged)
    if output:
        save(fitted, found, output)
    if json:
        print_json(found)
        return
    say(f"{found['trials']} trials that the forecast had not seen.")
    say()
    rows = [(each["name"], spread(each["rank"]), spread(each["area"])) for each in found["rules"]]
    print_table(("rule", "rank correlation", "AUROC of composes"), rows)
    say(f"Mean error of the forecast {found['error']:.3f}; {found['inside']:.0%} inside its interval of 80%.")
    for title, groups in (("family", found["families"]), ("expected failure", found["failures"])):
        say()
        print_table(
            (title, "trials", "measured", "mean error", "expected less measured", "inside", "rank correlation"),
            lines(groups),
        )
    typer.echo()
    if "names" in found:
        typer.echo(names_sentence(found["names"]))
    for line in patterns(found):
        typer.echo(f"- {line}")


def lines(groups: "Sequence[dict[str, Any]]") -> list[tuple[str, ...]]:
    """A line of the table for each group of trials."""
    return [
        (
            each["name"],
            str(each["trials"]),
            f"{each['measured']:.2f}",
            f"{each['error']:.2f}",
            f"{each['bias']:+.2f}",
            f"{each['inside']:.0%}",
            "" if each["rank"] is None else spread(each["rank"]),
        )
        for each in groups
    ]


def spread(score: "dict[str, float]") -> str:
    """A score with its interval."""
    return f"{score['value']:.2f} [{score['low']:.2f}, {score['high']:.2f}]"
