"""A part of the page for each setting: what it is, its figures, and all its numbers."""

from collections.abc import Callable, Sequence

from recombine.measures import course, measures
from recombine.reports.cards import data_card, model_card
from recombine.reports.findings import Findings
from recombine.reports.kinds import kind_of
from recombine.reports.markup import Markup, command, join, tag
from recombine.reports.measure_table import measure_meanings, measure_table
from recombine.reports.numbers import count
from recombine.reports.room import MOST, Figures
from recombine.reports.settings import SeedRun, SettingRuns, counterparts
from recombine.reports.shown_words import no_combination, shown_instead
from recombine.studies import Experiment, Work


def drawn_figures(findings: Findings, tell: Callable[[int, int], None] | None = None) -> dict[str, list[Markup]]:
    """Every figure of every setting, by key. ``tell`` is told of how many settings they are drawn, and of how many."""
    drawn: dict[str, list[Markup]] = {}
    if tell and findings.settings:
        tell(0, len(findings.settings))
    for key, setting in findings.settings.items():
        drawn[key] = _drawn(setting, findings)
        if tell:
            tell(len(drawn), len(findings.settings))
    return drawn


def _drawn(setting: SettingRuns, findings: Findings) -> list[Markup]:
    controls = counterparts(setting, findings.scale, findings.settings)
    return [figure for figure in kind_of(setting.work).figures(setting, controls) if figure is not None]


def settings_section(findings: Findings, drawn: Figures, shown: Figures) -> Markup:
    """All settings of the claims, in the order in which the claims need them, with those of their figures to show."""
    settings = list(findings.settings.values())
    told: dict[Markup, SettingRuns] = {}
    lacking = {key: len(figures) - len(shown[key]) for key, figures in drawn.items()}
    kinds = {kind.name: kind.note for kind in (kind_of(setting.work) for setting in settings)}
    return tag(
        "section",
        tag("h2", "Settings"),
        tag("p", "What the claims are measured in."),
        _left_out(sum(lacking.values()), findings),
        tag("ul", [tag("li", tag("strong", f"{name}."), f" {note}") for name, note in kinds.items()], class_="scores"),
        measure_meanings(settings),
        [_contents(paper.title, _first_used_by(paper.key, settings)) for paper in findings.papers],
        [_setting(each, findings, shown[each.key], lacking[each.key], told) for each in settings],
        id="settings",
    )


def _first_used_by(paper: str, settings: Sequence[SettingRuns]) -> list[SettingRuns]:
    return [setting for setting in settings if setting.uses[0].claim.paper == paper]


def _contents(title: str, settings: Sequence[SettingRuns]) -> Markup | None:
    links = [tag("a", setting.label, href=f"#{setting.anchor}") for setting in settings]
    listed = [join(" · " if place else "", link) for place, link in enumerate(links)]
    return tag("p", tag("strong", title), tag("br"), listed, class_="contents") if links else None


def _left_out(figures: int, findings: Findings) -> Markup | None:
    """That there are more figures than the page has room for, and where they are."""
    if not figures:
        return None
    words = f"{count(figures, 'figure')} of settings left out, so that this page stays below {MOST // 10**6} MB. "
    if len(findings.papers) > 1:
        words += "A report on one paper has room for more of its figures. "
    named = "".join(f"{paper.key} " for paper in findings.papers) if findings.only else ""
    every = command(f"report {named}--scale {findings.scale} --whole")
    return tag("p", words, "All of them, in a file of any size: ", every, class_="note")


def _shared(card: Markup | None, setting: SettingRuns, told: dict[Markup, SettingRuns]) -> Markup | None:
    """A card, or where it stands already: settings that differ in their model alone have one data card."""
    if card is None:
        return None
    first = told.setdefault(card, setting)
    if first is setting:
        return card
    return tag("p", "Data card: that of ", tag("a", first.label, href=f"#{first.anchor}"), ".", class_="meaning")


def _setting(
    setting: SettingRuns, findings: Findings, figures: Sequence[Markup], lacking: int, told: dict[Markup, SettingRuns]
) -> Markup:
    return tag(
        "article",
        tag("h3", setting.label),
        tag("p", setting.says) if setting.says else None,
        _used(setting),
        _facts(setting),
        _gaps(setting, findings),
        _not_combined(setting),
        tag("div", figures, class_="figures") if figures or lacking else None,  # empty, it counts in what is left
        tag("p", f"{count(lacking, 'figure')} left out.", class_="meaning") if lacking else None,
        measure_table(setting),
        _undefined(setting),
        _shared(data_card(setting), setting, told),
        model_card(setting, findings.judgements),
        id=setting.anchor,
        class_="setting",
    )


def _used(setting: SettingRuns) -> Markup:
    """Which claims look at this setting."""
    parts = []
    for control, words in ((False, "Measured by"), (True, "Control of")):
        ids = dict.fromkeys(use.claim.id for use in setting.uses if use.control is control)
        links = [join(", " if place else "", tag("a", id_, href=f"#claim-{id_}")) for place, id_ in enumerate(ids)]
        parts += [tag("span", words, " ", links, ". ")] if links else []
    return tag("p", parts, class_="used")


def _facts(setting: SettingRuns) -> Markup:
    facts = dict(kind_of(setting.work).facts(setting.work))
    runs = {status: len(setting.with_status(status)) for status in ("done", "failed", "missing")}
    facts["Runs"] = ", ".join(f"{number} {status}" for status, number in runs.items() if number)
    return tag("dl", [tag("div", tag("dt", name), tag("dd", fact)) for name, fact in facts.items()], class_="facts")


def _gaps(setting: SettingRuns, findings: Findings) -> Markup:
    """What failed, with its reason, and what is missing, with the command that runs it."""
    notes = [tag("p", _failure(run), class_="note") for run in setting.with_status("failed")]
    missing = setting.with_status("missing")
    if missing:
        seeds = "" if setting.work.exact else f" (seed {', '.join(str(run.work.seed) for run in missing)})"
        cure = command(f"reproduce {setting.claims()[0]} --scale {findings.scale}")
        words = f"{count(len(missing), 'run')} missing{seeds}. To run: "
        notes.append(tag("p", words, cure, class_="note"))
    trained = isinstance(setting.work, Experiment)  # many calculations have numbers only
    if trained and setting.with_status("done") and not any(run.arrays for run in setting.runs):
        notes.append(tag("p", "No figures: the recorded runs have no arrays that can be read.", class_="note"))
    return join(notes)


def _not_combined(setting: SettingRuns) -> Markup | None:
    """A warning where nothing was trained on that measures call trained."""
    if not isinstance(setting.work, Experiment) or not no_combination(setting.work.problem):
        return None
    said = shown_instead(setting.work.problem)
    words = f"{said[0].upper()}{said[1:]}. What measures call trained (id) is what the split does not hold out."
    return tag("p", words, class_="note")


def _failure(run: SeedRun) -> str:
    reason = run.body.get("reason") if run.body else None
    return f"Seed {run.work.seed} failed: {reason or 'no reason was recorded'}."


def can_have(work: Work, measure: str) -> bool:
    """Whether a measure may have a value here: one of the course of training has none where no checkpoint is kept."""
    checkpoints = work.checkpoints if isinstance(work, Experiment) else 0
    return checkpoints > 0 or measure not in of_the_course()


def of_the_course() -> set[str]:
    """The measures that look at checkpoints."""
    return {name for name, measured in measures.items() if measured.__module__ == course.__name__}


def _undefined(setting: SettingRuns) -> Markup | None:
    """Measures that were asked for and have no value though they might, each with its reason."""
    reasons = {name: why for run in setting.runs if run.body for name, why in (run.body.get("undefined") or {}).items()}
    reasons = {name: why for name, why in reasons.items() if can_have(setting.work, name)}
    lines = [tag("li", tag("code", name), f": {why}") for name, why in sorted(reasons.items())]
    return tag("div", tag("p", "Not defined here:"), tag("ul", lines), class_="note") if lines else None
