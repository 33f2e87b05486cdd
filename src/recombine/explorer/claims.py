"""The claims of the papers with their verdicts and figures, judged from the stores. Computed beside the server."""

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recombine.core.errors import InputError
from recombine.explorer.refusals import Unknown
from recombine.papers import Claim, Judgement, Scale, judge, papers
from recombine.records import Store
from recombine.studies.stores import all_bodies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from recombine.reports.settings import SettingRuns


def told(roots: Sequence[str], scale: str) -> list[dict[str, Any]]:
    """Every claim that is asked at a scale, with its verdict."""
    at = Scale(scale)
    claims = papers.claims((), at)
    needed = {work.digest() for claim in claims for work in claim.works(at)}
    bodies, _ = all_bodies(_stores(roots), needed)
    return [_told(judge(claim, at, bodies)) for claim in claims]


def digests(paper: str) -> set[str]:
    """The runs that the claims of a paper need, at any scale."""
    if paper not in papers:
        return set()
    found = [(claim, scale) for claim in papers[paper].claims for scale in Scale if claim.asked_at(scale)]
    return {work.digest() for claim, scale in found for work in claim.works(scale)}


def _told(judged: Judgement) -> dict[str, Any]:
    claim = judged.claim
    checks = [
        {
            **result.to_dict(),
            "measured": result.measured.to_dict() if result.measured else result.note,
            "source": result.check.source,
            "beside": result.beside(),
            "control_verdict": control.verdict,
        }
        for result, control in zip(judged.checks, judged.control_checks, strict=True)
    ]
    headline = judged.checks[0]
    return {
        **{name: value for name, value in claim.describe().items() if name not in ("checks", "least_scale")},
        "paper_title": papers[claim.paper].title,
        "verdict": judged.verdict,
        "control_verdict": judged.control_verdict,
        "sound": judged.sound,
        "measured": headline.measured.to_dict() if headline.measured else None,
        "checks": checks,
        "scale": judged.scale,
        "seconds": judged.seconds,
        "command": f"recombine reproduce {claim.id} --scale {judged.scale}",
        "figure": any(result.measured for result in judged.checks),
    }


def figure(roots: Sequence[str], name: str, scale: str, which: int = 0) -> str:
    """A figure of a claim as an SVG file: first come those of its settings, then its checks beside their ranges."""
    at = Scale(scale)
    claim = next((each for each in papers.claims((), at) if each.id == name), None)
    if claim is None:
        raise Unknown(f"there is no claim {name!r} at scale {scale}; the claims are listed at /api/claims.")
    drawn = list(islice(_own(claim, at, _stores(roots)), which + 1))
    if which < len(drawn):
        return drawn[which]
    bodies, _ = all_bodies(_stores(roots), {work.digest() for work in claim.works(at)})
    judged = judge(claim, at, bodies)
    measured = any(result.measured for result in judged.checks)
    if which == len(drawn) and measured:
        return _checks(judged)
    last = len(drawn) + measured - 1  # the one of its checks comes after its own
    if last < 0:
        raise Unknown(f"claim {name} has no figure at scale {scale}: nothing of it is recorded that could be drawn.")
    there = "0 alone" if last == 0 else f"0 to {last}"
    raise Unknown(f"claim {name} has no figure which = {which} at scale {scale}; there is {there}.")


def _own(claim: Claim, scale: Scale, stores: Sequence[Store]) -> Iterator[str]:
    """The figures of the settings of a claim, its controls apart, drawn one by one."""
    from recombine.reports.canvas import drawing_in
    from recombine.reports.kinds import kind_of
    from recombine.reports.settings import counterparts

    settings = _settings(claim, scale, stores)
    for setting in settings.values():
        if not setting.serves_a_claim() or not setting.with_status("done"):
            continue
        for drawn in kind_of(setting.work).figures(setting, counterparts(setting, scale, settings)):
            if drawn is not None and (found := drawing_in(drawn)) is not None:
                yield found


def _settings(claim: Claim, scale: Scale, stores: Sequence[Store]) -> "dict[str, SettingRuns]":
    from recombine.reports.settings import SeedRun, settings_of
    from recombine.studies import Work

    def run_of(work: Work) -> SeedRun:
        digest = work.digest()
        for store in stores:
            if store.has(digest):
                try:
                    record = store.read(digest)
                except InputError:  # damaged, and reported elsewhere
                    continue
                return SeedRun(work, record.body, record.arrays)
        return SeedRun(work, None)

    return settings_of([claim], scale, run_of)


def _checks(judged: Judgement) -> str:
    """Every check on an axis of its own: the range it must lie in, and what was measured."""
    from recombine.reports.canvas import COLOURS, svg

    shown = [result for result in judged.checks if result.measured]

    def draw(figure: "Figure") -> None:
        for axes, result in zip(figure.subplots(len(shown), 1, squeeze=False)[:, 0], shown, strict=True):
            measured, expected = result.measured, result.check.expected
            assert measured is not None
            ends = [measured.estimate, measured.low, measured.high, expected.low, expected.high]
            finite = [end for end in ends if abs(end) != float("inf")]
            room = 0.2 * ((max(finite) - min(finite)) or abs(finite[0]) or 1.0)
            low, high = min(finite) - room, max(finite) + room
            axes.axvspan(max(expected.low, low), min(expected.high, high), color="#cde7d8", zorder=1)
            axes.plot(
                [max(measured.low, low), min(measured.high, high)], [0, 0], color=COLOURS[0], linewidth=2, zorder=2
            )
            axes.plot([measured.estimate], [0], "o", color=COLOURS[0], zorder=3)
            axes.set_xlim(low, high)
            axes.set_yticks([])
            axes.set_title(f"{result.check.quantity} ({result.check.where()}): must be {expected}", loc="left")

    return svg(draw, (6.0, 0.9 * len(shown) + 0.2))


def _stores(roots: Sequence[str]) -> list[Store]:
    return [Store(Path(root)) for root in roots]
