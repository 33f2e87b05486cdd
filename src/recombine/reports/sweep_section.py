"""Figures over several settings: what a measure does along a number that was swept."""

import re
from collections.abc import Iterable, Mapping

from recombine.papers.sweeps import Sweep
from recombine.reports.ablation_scatter import Cloud, ablation_scatter
from recombine.reports.findings import Findings
from recombine.reports.kinds import meaning
from recombine.reports.markup import Markup, join, tag
from recombine.reports.scaling_figure import Growth, scaling_figure
from recombine.reports.settings import SettingRuns, key_of, numbers_of
from recombine.reports.sweep_figure import Series, Wording, lines_figure, plane_figure

ROOM = 48  # letters along an axis

Places = Mapping[str, Mapping[float, SettingRuns]]  # settings by series and swept number


def sweeps_section(findings: Findings) -> Markup | None:
    """Every sweep of the papers whose settings some claim runs at this scale; None if there is none."""
    found = [(sweep, places) for paper in findings.papers for sweep in paper.sweeps
             if (places := places_of(sweep, findings))]  # fmt: skip
    if not found:
        return None
    return tag(
        "section",
        tag("h2", "Sweeps"),
        tag("p", "Settings of the claims, arranged by what tells them apart."),
        [_sweep(sweep, places) for sweep, places in found],
        id="sweeps",
    )


def places_of(sweep: Sweep, findings: Findings) -> Places:
    """The settings of a sweep that claims run, by series and swept number; series without any are left out."""
    places: dict[str, dict[float, SettingRuns]] = {}
    for name, number, work in sweep.works(findings.scale):
        setting = findings.settings.get(key_of(work))
        if setting is not None:
            places.setdefault(name, {})[number] = setting
    return places


def sweep_drawing(sweep: Sweep, places: Places) -> Markup | None:
    """The figure of a sweep; None if none of its runs has the quantity."""
    some = next(iter(next(iter(places.values())).values()))
    words = meaning(some.work, sweep.quantity)
    caption = f"{sweep.title} ({sweep.place})." + (f" `{sweep.quantity}`: {words}" if words else "")
    label = sweep.value_label or _brief(words) or sweep.quantity
    if sweep.kind == "scatter":
        clouds = [Cloud(name, _pairs(settings.values(), sweep)) for name, settings in places.items()]
        errors = sweep.quantity.endswith("nmse")
        plain = sweep.quantity.endswith("r2")  # it has no lower end, and 1 is the best
        return ablation_scatter(clouds, caption, sweep.axis_label, label, of_errors=errors, plain=plain)
    if sweep.kind in ("scaling", "exponential"):
        kinds = {name: _measures(settings.values()) for name, settings in places.items()}
        growth = Growth(sweep.axis_label, sweep.value_label, sweep.kind == "exponential")
        return scaling_figure({name: seeds for name, seeds in kinds.items() if seeds}, caption, sweep.quantity, growth)
    axes = sweep.axis_label, caption, sweep.series_label, sweep.log_across, sweep.log_value
    wording = Wording(sweep.quantity, *axes, label)
    series = [
        Series(name, {number: setting.numbers(sweep.quantity) for number, setting in settings.items()})
        for name, settings in places.items()
    ]
    return (plane_figure if sweep.kind == "plane" else lines_figure)(series, wording)


def _sweep(sweep: Sweep, places: Places) -> Markup:
    settings = [setting for each in places.values() for setting in each.values()]
    missing = sum(len(setting.with_status("missing")) for setting in settings)
    runs = sum(len(setting.runs) for setting in settings)
    claims = dict.fromkeys(claim for setting in settings for claim in setting.claims())
    links = [join(", " if place else "", tag("a", id_, href=f"#claim-{id_}")) for place, id_ in enumerate(claims)]
    gap = tag("p", f"{missing} of its {runs} runs missing.", class_="note") if missing else None
    drawn = sweep_drawing(sweep, places)
    nothing = tag("p", f"None of its runs has {sweep.quantity} yet.", class_="note")
    return tag(
        "div",
        tag("h3", sweep.title),
        tag("p", f"{sweep.place}. Settings of ", links, ".", class_="used"),
        gap,
        drawn if drawn is not None else nothing,
        id=f"sweep-{sweep.key}",
        class_="setting",
    )


def _brief(words: str) -> str:
    """What comes before the first stop of a meaning, if an axis has room for it; else nothing."""
    first = re.split(r"[:;,.(=]", words.replace("`", ""), maxsplit=1)[0].strip()
    return first if 0 < len(first) <= ROOM else ""


def _measures(settings: Iterable[SettingRuns]) -> list[dict[str, float]]:
    """The numbers of every run that is done."""
    return [numbers_of(run.measures) for setting in settings for run in setting.with_status("done")]


def _pairs(settings: Iterable[SettingRuns], sweep: Sweep) -> list[tuple[float, float]]:
    """Both quantities of a scatter for every run that has both."""
    wanted = {sweep.against, sweep.quantity}
    return [(found[sweep.against], found[sweep.quantity]) for found in _measures(settings) if wanted <= set(found)]
