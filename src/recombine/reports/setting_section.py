"""A part of the page for each setting: what it is, where it errs, what it draws, how its layers look."""

from collections.abc import Sequence

from recombine.measures import measures
from recombine.reports.curves import curves_figure
from recombine.reports.error_maps import error_map_figure
from recombine.reports.findings import Findings
from recombine.reports.layers import layer_figures
from recombine.reports.markup import Markup, command, join, prose, tag
from recombine.reports.numbers import count, interval
from recombine.reports.samples import samples_figure
from recombine.reports.settings import SeedRun, SettingRuns, counterparts, describe
from recombine.splits import certificate


def settings_section(findings: Findings) -> Markup:
    """All settings of the claims, in the order in which the claims need them."""
    return tag(
        "section",
        tag("h2", "Settings"),
        tag(
            "p",
            "What the claims are measured in. nMSE is the squared error divided by that of a blank picture: 0 is "
            "right, 1 is as bad as drawing nothing, above 1 the wrong thing is drawn. All maps share one colour scale.",
        ),
        tag("p", "Settings: ", _contents(list(findings.settings.values())), class_="contents"),
        [_setting(setting, findings) for setting in findings.settings.values()],
        id="settings",
    )


def _contents(settings: Sequence[SettingRuns]) -> Markup:
    links = [tag("a", setting.label, href=f"#{setting.anchor}") for setting in settings]
    return join([join(" · " if place else "", link) for place, link in enumerate(links)])


def _setting(setting: SettingRuns, findings: Findings) -> Markup:
    controls = counterparts(setting, findings.scale, findings.settings)
    pictures = [error_map_figure(setting), samples_figure(setting), curves_figure(setting)]
    if setting.serves_a_claim():
        pictures += layer_figures(setting, controls)
    drawn = [picture for picture in pictures if picture is not None]
    return tag(
        "article",
        tag("h3", setting.label),
        tag("p", setting.says) if setting.says else None,
        _used(setting),
        _facts(setting),
        _gaps(setting, findings),
        tag("div", drawn, class_="figures") if drawn else None,
        _measures(setting),
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
    problem = setting.experiment.problem
    held = certificate(problem.parts)
    own = [f"{name} {size}" for name, size in held.sections.items() if name not in ("id", "ood")]
    facts = describe(setting.experiment)
    facts["Held out"] += f": {held.held_out} of {held.seen + held.held_out} combinations ({held.share:.0%}"
    facts["Held out"] += f"; {', '.join(own)})" if own else ")"
    runs = {status: len(setting.with_status(status)) for status in ("done", "failed", "missing")}
    facts["Runs"] = ", ".join(f"{number} {status}" for status, number in runs.items() if number)
    return tag("dl", [tag("div", tag("dt", name), tag("dd", fact)) for name, fact in facts.items()], class_="facts")


def _gaps(setting: SettingRuns, findings: Findings) -> Markup:
    """What failed, with its reason, and what is missing, with the command that runs it."""
    notes = [tag("p", _failure(run), class_="note") for run in setting.with_status("failed")]
    missing = setting.with_status("missing")
    if missing:
        seeds = ", ".join(str(run.experiment.seed) for run in missing)
        cure = command(f"reproduce {setting.claims()[0]} --scale {findings.scale}")
        words = f"{count(len(missing), 'run')} missing (seed {seeds}). To run: "
        notes.append(tag("p", words, cure, class_="note"))
    if setting.with_status("done") and not any(run.arrays for run in setting.runs):
        notes.append(tag("p", "No figures: the recorded runs have no arrays that can be read.", class_="note"))
    return join(notes)


def _failure(run: SeedRun) -> str:
    reason = run.body.get("reason") if run.body else None
    return f"Seed {run.experiment.seed} failed: {reason or 'no reason was recorded'}."


def _measures(setting: SettingRuns) -> Markup | None:
    """Every measure that is one number, with its interval over seeds."""
    names = sorted({name for run in setting.with_status("done") for name in run.measures})
    found = {name: measured for name in names if (measured := setting.interval(name)) is not None}
    if not found:
        return None
    known = measures.summaries()
    rows = [
        tag("tr", tag("td", tag("code", name)), tag("td", interval(measured)), tag("td", prose(known.get(name, ""))))
        for name, measured in found.items()
    ]
    heads = [tag("th", words, scope="col") for words in ("Measure", "Estimate [95% interval]", "What it is")]
    table = tag("table", tag("thead", tag("tr", heads)), tag("tbody", rows), class_="measures")
    return tag("details", tag("summary", f"All measures of {setting.label}"), tag("div", table, class_="scroll"))
