"""The verdicts: how many of each, and a row per claim that opens to its checks."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from recombine.papers import Check, CheckResult, Judgement, Paper, Scale, Verdict
from recombine.papers.claims import Setting
from recombine.reports.findings import Findings
from recombine.reports.kinds import meaning
from recombine.reports.markup import Markup, command, join, prose, tag
from recombine.reports.numbers import counted, duration, interval, required
from recombine.reports.settings import SettingRuns, key_of
from recombine.reports.strips import strip

# The explorer's badges (`web/src/parts/Verdict.tsx`), by their tone.
TONES = {
    Verdict.CONFIRMED: "good",
    Verdict.CONTRADICTED: "bad",
    Verdict.UNDECIDED: "unsure",
    Verdict.MISSING: "missing",
}
SYMBOLS = {"good": "✓", "bad": "✗", "unsure": "?", "missing": "–"}
MEANING = {
    Verdict.CONFIRMED: "every check's interval, or exact value, lies inside its range",
    Verdict.CONTRADICTED: "some check's interval, or exact value, lies outside its range",
    Verdict.UNDECIDED: "some interval lies only partly inside, or a run failed",
    Verdict.MISSING: "some runs have no record yet",
}
# Words before a cell where a narrow screen leaves no room for the head of its column.
LABELS = {"Setting": "Setting", "Measured": "Measured", "Must be": "Must be", "Source of the range": "Source"}
COLUMNS = ("Claim", "Place", "What it says", "Verdict", "Measured: estimate [95% interval]", "Must be", "Control")


def badge(verdict: Verdict, words: str = "", tone: str = "") -> Markup:
    """A verdict as a symbol and a word; the colour only repeats them."""
    shown = tone or TONES[verdict]
    symbol = tag("span", SYMBOLS[shown], aria_hidden="true")
    return tag("span", symbol, f" {words or verdict.value}", class_=f"verdict verdict-{shown}")


def listed(findings: Findings) -> list[dict[str, str]]:
    """What the script of the page chooses claims by."""
    titles = {paper.key: paper.title for paper in findings.papers}
    kept = ("id", "paper", "place", "says", "quantity", "control")
    return [
        {
            **{name: value for name, value in claim.describe().items() if name in kept},
            "paper_title": titles[claim.paper],
            "verdict": findings.judgements[claim.id].verdict,
        }
        for claim in findings.claims
    ]


def counts(judgements: Iterable[Judgement]) -> Markup:
    """A chip for every verdict with the number of claims that came out so, and one for broken checks."""
    judged = list(judgements)
    found = Counter(judgement.verdict for judgement in judged)
    broken = sum(not judgement.sound for judgement in judged)
    items = [
        tag("li", badge(verdict, f"{found[verdict]} {verdict.value}"), tag("span", MEANING[verdict], class_="meaning"))
        for verdict in Verdict
    ]
    if broken:
        meaning = tag("span", "the control passes too, so the check shows nothing", class_="meaning")
        items.append(tag("li", _broken(f"{broken} broken"), meaning))
    return tag("ul", items, class_="counts")


def verdict_section(findings: Findings) -> Markup:
    """A table for each paper."""
    return tag(
        "section",
        tag("h2", "Verdicts"),
        tag(
            "p",
            "A claim is confirmed if every one of its checks is. The row shows the first check, or the first that came "
            "out as the claim did where not all are confirmed. Its control is a setting in which the same checks must "
            "come out contradicted. Open a row for all checks and where the ranges come from.",
        ),
        tag("div", id="claim-filters"),  # filled by the page's script
        [_table(paper, findings) for paper in findings.papers],
        id="verdicts",
    )


def _table(paper: Paper, findings: Findings) -> Markup:
    heading = join(tag("strong", paper.title), tag("span", f" {paper.citation}", class_="meaning"))
    rows = [_claim(findings.judgements[claim.id], findings) for claim in paper.claims_at(findings.scale)]
    head = tag("thead", tag("tr", [tag("th", name, scope="col") for name in COLUMNS]))
    table = tag("div", tag("table", tag("caption", heading), head, rows, class_="verdicts"), class_="scroll")
    later = [claim for claim in paper.claims if not claim.asked_at(findings.scale)]
    words = f"Asked at larger scales only: {', '.join(f'{claim.id} (from {claim.least})' for claim in later)}."
    return tag("div", table, tag("p", words, class_="meaning") if later else None, class_="paper")


def _claim(judgement: Judgement, findings: Findings) -> Markup:
    claim, headline = judgement.claim, deciding(judgement)
    where = tag("span", f" {headline.check.where()}", class_="meaning") if len(claim.settings) > 1 else None
    quantity = join(tag("code", headline.check.quantity), where)
    cells = [
        tag("th", claim.id, scope="row"),
        tag("td", claim.place, class_="place"),
        tag("td", claim.says, class_="says"),
        tag("td", badge(judgement.verdict)),
        tag(
            "td",
            quantity,
            tag("br"),
            _measured(headline, claim.settings, findings),
            data_label="Measured",
            class_="measured",
        ),
        tag("td", required(headline.check.expected), data_label="Must be", class_="short"),
        tag("td", _control(judgement), data_label="Control"),
    ]
    more = tag("details", tag("summary", f"{claim.id}: all checks, sources, control"), _details(judgement, findings))
    opened = tag("tr", tag("td", more, colspan=len(COLUMNS)), class_="more")
    return tag("tbody", tag("tr", cells), opened, id=f"claim-{claim.id}", class_="claim")


def deciding(judgement: Judgement) -> CheckResult:
    """The first check that came out as the claim did: one that decided it, or the first where all are confirmed."""
    return next((each for each in judgement.checks if each.verdict is judgement.verdict), judgement.checks[0])


def _details(judgement: Judgement, findings: Findings) -> Markup:
    claim, scale = judgement.claim, judgement.scale
    warning = "The control passes too: this check is broken and its verdict shows nothing."
    return join(
        tag("h4", "Checks"),
        _checks(judgement.checks, claim.settings, findings, sources=True),
        _later(judgement),
        tag("h4", f"Control: {claim.control.says}"),
        tag("p", "At least one of the same checks must be contradicted here."),
        None if judgement.sound else tag("p", _broken("broken check"), f" {warning}"),
        _checks(judgement.control_checks, claim.control.settings, findings, sources=False),
        tag("p", "Runs: ", _links(judgement, findings), f". {duration(judgement.seconds)} of computing in all."),
        tag("p", "To run and judge it: ", command(f"reproduce {claim.id} --scale {scale}")),
    )


def _later(judgement: Judgement) -> Markup | None:
    """Checks that are asked at larger scales only."""
    asked = {result.check for result in judgement.checks}
    later = [check for check in judgement.claim.checks if check not in asked]
    if not later:
        return None
    listed = [join("; " if place else "", tag("code", c.quantity), f" of {c.where()}") for place, c in enumerate(later)]
    return tag("p", f"Asked from scale {min(later, key=_size).least} on: ", listed, ".", class_="meaning")


def _size(check: Check) -> int:
    return list(Scale).index(check.least)


def _checks(
    results: Sequence[CheckResult], settings: Mapping[str, Setting], findings: Findings, sources: bool
) -> Markup:
    several = len(settings) > 1
    names = ["Verdict", "Quantity", *(["Setting"] if several else []), "Measured", "Must be", "Drawn"]
    names += ["Source of the range"] if sources else []
    rows = []
    for result in results:
        check = result.check
        cells: list[str] = [badge(result.verdict), _quantity(check, settings, findings, said=sources)]
        cells += [check.where()] if several else []
        told = result.beside()
        beside = join(tag("br"), tag("span", f"beside it {told}", class_="meaning")) if told else ""
        cells += [join(_measured(result, settings, findings), beside), required(check.expected)]
        cells += [strip(check.expected, result.measured) if result.measured else ""]
        cells += [check.source] if sources else []
        labelled = zip(names, cells, strict=True)
        rows.append(tag("tr", [tag("td", cell, data_label=LABELS.get(name)) for name, cell in labelled]))
    head = tag("thead", tag("tr", [tag("th", name, scope="col") for name in names]))
    return tag("div", tag("table", head, tag("tbody", rows), class_="checks"), class_="scroll")


def _quantity(check: Check, settings: Mapping[str, Setting], findings: Findings, said: bool) -> Markup:
    """The name of what is checked, and what it is; a control checks the same, of which enough is said."""
    name = tag("code", check.quantity)
    if not said:
        return name
    words = prose(meaning(settings[check.of](findings.scale), check.quantity))
    return join(name, tag("br"), tag("span", words, class_="meaning"))


def _measured(result: CheckResult, settings: Mapping[str, Setting], findings: Findings) -> str:
    """What was measured, with its interval; numbers of things that must be one number as they were counted."""
    check = result.check
    if result.measured is None:
        return result.note or "nothing measured"
    setting = findings.settings.get(key_of(settings[check.of](findings.scale)))
    numbers = setting.numbers(check.quantity) if setting and check.beside is None else []
    exact = check.expected.low == check.expected.high
    if exact and len(numbers) == result.measured.seeds > 1 and all(float(number).is_integer() for number in numbers):
        return counted(numbers)
    return interval(result.measured)


def _control(judgement: Judgement) -> Markup:
    """The control's verdict. Contradicted is how it should be, so that it does not look like an alarm."""
    verdict = judgement.control_verdict
    if verdict is Verdict.CONTRADICTED:
        words = tag("span", "as it must be", class_="meaning")
        return tag("span", badge(verdict, tone="good"), tag("br"), words, class_="control")
    return badge(verdict) if judgement.sound else join(badge(verdict), tag("br"), _broken("broken check"))


def _broken(words: str) -> Markup:
    return tag("span", tag("span", "⚠", aria_hidden="true"), f" {words}", class_="verdict verdict-broken")


def _links(judgement: Judgement, findings: Findings) -> Markup:
    """Links to the settings behind a claim and its control."""
    claim, scale = judgement.claim, judgement.scale
    keys = dict.fromkeys(key_of(runs[0]) for side in (claim.runs, claim.control_runs) for runs in side(scale).values())
    links = [_link(findings.settings[key]) for key in keys]
    return join([join(", " if place else "", link) for place, link in enumerate(links)])


def _link(setting: SettingRuns) -> Markup:
    return tag("a", setting.label, href=f"#{setting.anchor}")
