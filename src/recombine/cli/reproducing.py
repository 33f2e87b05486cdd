"""`recombine plan`, `reproduce` and `check`: what the papers claim, and whether it holds here."""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from recombine.cli.output import Address, Gpus, Json, On, StorePath, Workers, print_json, print_table, say

if TYPE_CHECKING:
    from recombine.papers import Interval, Judgement
    from recombine.studies import Work

Names = Annotated[
    list[str] | None, typer.Argument(metavar="[PAPER|CLAIM ...]", help="Papers or claims: forced-rendering, FR1.")
]
ScaleName = Literal["quick", "laptop", "paper"]
AtScale = Annotated[ScaleName, typer.Option("--scale", help="How large: minutes, hours, or the paper's own settings.")]


def plan(
    names: Names = None,
    scale: AtScale = "quick",
    store: StorePath = None,
    anew: Annotated[
        bool, typer.Option("--anew", help="As if nothing had been recorded: what the whole set costs.")
    ] = False,
    json: Json = False,
) -> None:
    """Print the experiments of papers or claims, their number and expected cost; run nothing.

    Example: recombine plan forced-rendering --scale laptop
    """
    from recombine.studies.cost import START_UP, seconds_aside
    from recombine.studies.execution import missing
    from recombine.studies.progress import progress_for
    from recombine.studies.stacks import plan_stacks
    from recombine.studies.stores import reading_stores
    from recombine.studies.telling_apart import lines_apart

    experiments = _works(names, scale)
    lacking = missing(experiments, *reading_stores(store))
    to_run = missing(experiments) if anew else lacking
    stacks = plan_stacks(to_run, os.cpu_count() or 1)
    expected = seconds_aside(stacks, progress_for().timed)
    total = sum(expected.values()) + START_UP * min(len(stacks), os.cpu_count() or 1)
    if json:
        print_json(
            {
                "scale": scale,
                "experiments": len(experiments),
                "recorded": len(experiments) - len(lacking),
                "expected_core_seconds": total,
                "to_run": [
                    {"digest": item.digest(), "expected_core_seconds": expected[item.digest()], **item.settings()}
                    for item in to_run
                ],
            }
        )
        return
    lines = zip(to_run, lines_apart(to_run), strict=True)
    rows = [(item.digest(), f"{expected[item.digest()]:.0f} s", line) for item, line in lines]
    print_table(("experiment", "expected", "what"), rows)
    say(
        f"{len(experiments)} experiments, {len(experiments) - len(lacking)} recorded, "
        f"{len(to_run)} to run{' anew' * anew}: about {_of_a_core(total)}."
    )


def _of_a_core(seconds: float) -> str:
    """A time in the largest unit that leaves two of it or more."""
    size, unit = next((each for each in ((86400, "days"), (3600, "hours")) if seconds >= 2 * each[0]), (60, "minutes"))
    return f"{seconds / size:,.1f} core {unit}"


def reproduce(
    names: Names = None,
    scale: AtScale = "quick",
    on: On = "local",
    address: Address = None,
    workers: Workers = None,
    gpus: Gpus = 0.0,
    store: StorePath = None,
    json: Json = False,
) -> None:
    """Run what has no record yet, then judge the claims. Stopped and started again, it goes on where it was.

    Example: recombine reproduce FR1 FR8 --scale quick
    """
    from recombine.records import user_store
    from recombine.studies.execution import execute, executor, missing
    from recombine.studies.progress import progress_for
    from recombine.studies.stores import reading_stores

    where = executor(on, workers, address, gpus)
    home = user_store(store)
    to_run = missing(_works(names, scale), *reading_stores(store))
    say(f"{len(to_run)} runs to do at scale {scale}, records in {home.root}", err=True)
    execute(to_run, home, where, progress_for())
    check(names, scale, store, False, json)


def check(
    names: Names = None,
    scale: AtScale = "quick",
    store: StorePath = None,
    strict: Annotated[bool, typer.Option("--strict", help="Count undecided and missing claims as failures.")] = False,
    json: Json = False,
) -> None:
    """Judge claims from stored records; run nothing. Exits with 1 if a claim is contradicted.

    Example: recombine check forced-rendering --json
    """
    from recombine.papers import Scale, Verdict, judge, papers
    from recombine.studies.stores import all_bodies, reading_stores

    claims = papers.claims(names or (), Scale(scale))
    needed = {work.digest() for claim in claims for work in claim.works(Scale(scale))}
    bodies, damaged = all_bodies(reading_stores(store), needed)
    judged = [judge(claim, Scale(scale), bodies) for claim in claims]
    for broken in damaged:
        say(f"recombine: {broken}", err=True)
    if json:
        print_json([judgement.to_dict() for judgement in judged])
    else:
        show(judged)
    failing = {Verdict.CONTRADICTED} | ({Verdict.UNDECIDED, Verdict.MISSING} if strict else set())
    if damaged:
        raise typer.Exit(2)
    if any(judgement.verdict in failing or not judgement.sound for judgement in judged):
        raise typer.Exit(1)


def show(judged: "Sequence[Judgement]") -> None:
    """The verdict table: a line per claim, with its checks below it."""
    from recombine.papers import Verdict

    rows: list[tuple[str, str, str, str]] = []
    for judgement in judged:
        claim = judgement.claim
        broken = "" if judgement.sound else "  BROKEN CHECK: the control passes too"
        rows.append((claim.id, judgement.verdict, f"control {judgement.control_verdict}", claim.says + broken))
        for result, control in zip(judgement.checks, judgement.control_checks, strict=True):
            found = result.note
            if result.measured:
                found = f"{result.measured.estimate:.3g} {_spread(result.measured)}"
            both = result.verdict is control.verdict is Verdict.CONFIRMED
            also = "; its control passes this check too" if both else ""
            where = "" if result.check.where() == "main" else f" ({result.check.where()})"
            rows.append(
                (
                    "",
                    f"  {result.verdict}",
                    result.check.quantity + where,
                    f"{found}; must be {result.check.expected}{also}",
                )
            )
            if told := result.beside():
                rows.append(("", "", "", f"  beside it {told}"))
    print_table(("claim", "verdict", "", ""), rows)


def _spread(measured: "Interval") -> str:
    if measured.low == measured.estimate == measured.high and measured.seeds == 1:
        return "(exact)"
    return f"[{measured.low:.3g}, {measured.high:.3g}], {measured.seeds} seed{'s' * (measured.seeds != 1)}"


def _works(names: list[str] | None, scale: ScaleName) -> "list[Work]":
    from recombine.papers import Scale, papers
    from recombine.studies import distinct

    return distinct(item for claim in papers.claims(names or (), Scale(scale)) for item in claim.works(Scale(scale)))
