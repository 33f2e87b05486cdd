"""The pages of papers and their claims: what each says, how it is checked, and how it came out."""

from collections import Counter
from collections.abc import Iterator

from recombine.cli.reference import judged, wording
from recombine.papers import Claim, Paper, Scale, Verdict, papers
from recombine.reports.numbers import interval, required

WORDS = (
    "A claim is `confirmed` when the 95% interval over seeds of every check lies inside the range that was written "
    "down beforehand, `contradicted` when one lies outside, `undecided` in between and `missing` without records. In "
    "the control at least one of the same checks must be contradicted."
)


def pages() -> dict[str, str]:
    """A page of studies, and one for the claims of each paper."""
    found = {"studies.md": _studies()}
    return {**found, **{f"claims/{paper.key}.md": _paper(paper) for paper in papers.values()}}


def _studies() -> str:
    counts = []
    for paper in papers.values():
        came_out = Counter(str(judged.judgements()[claim.id].verdict) for claim in paper.claims_at(judged.SCALE))
        told = ", ".join(f"{came_out[verdict]} {verdict}" for verdict in Verdict if came_out[verdict])
        counts.append((f"[{paper.title}](claims/{paper.key}.md)", paper.citation, told))
    studies = [
        (f"`{paper.key} at {scale}`", str(len(paper.claims_at(scale))), f"`recombine plan {paper.key} --scale {scale}`")
        for paper in papers.values()
        for scale in Scale
    ]
    parts = [
        *wording.table(("paper", "cited as", f"claims at `{judged.SCALE}`"), counts),
        "## Studies",
        "",
        "The claims of a paper and their controls at a scale are a study.",
        "",
        *wording.table(("study", "claims", "what it takes"), studies),
        *wording.contents(f"{paper.key} <claims/{paper.key}>" for paper in papers.values()),
    ]
    return wording.page("Claims", "Every claim of every paper, judged from the reference records.", parts)


def _paper(paper: Paper) -> str:
    parts = [WORDS, "", f"Cited as: {paper.citation}. Name of the paper: `{paper.key}`.", ""]
    return wording.page(paper.title, "", [*parts, *(line for claim in paper.claims for line in _claim(claim))])


def _claim(claim: Claim) -> Iterator[str]:
    judgement = judged.judgements().get(claim.id)
    yield from (f"## `{claim.id}`", "", f"{claim.says} ({claim.place})", "")
    if judgement is None:
        yield from (f"Asked from scale `{claim.least}` on.", "")
    else:
        broken = "" if judgement.sound else " **The control passes too, so the check shows nothing.**"
        yield from (
            f"At `{judged.SCALE}`: **{judgement.verdict}**; its control: {judgement.control_verdict}.{broken}",
            "",
        )
    results = {} if judgement is None else {result.check: result for result in judgement.checks}
    rows = []
    for check in claim.checks:
        result = results.get(check)
        found = "" if result is None else interval(result.measured) if result.measured else result.note
        if result is not None and (told := result.beside()):
            found += f" ({told})"
        rows.append((f"`{check.quantity}` of {check.where()}", required(check.expected), found, check.source))
    yield from wording.table(("quantity", "must be", "measured", "where the range comes from"), rows)
    yield from (f"Control: {claim.control.says}", "")
