"""What the support checker said before training beside what was measured after it, a row for each setting."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from recombine.data.scenes import Sprites
from recombine.models import ModelSpec
from recombine.models.scene_specs import Compositional
from recombine.reports.descriptions import named, support_words
from recombine.reports.findings import Findings
from recombine.reports.forecasts import WORDS
from recombine.reports.markup import Markup, join, tag
from recombine.reports.numbers import count, interval, short
from recombine.reports.predictor_table import predictor_tables
from recombine.reports.settings import SettingRuns, problem_of
from recombine.reports.strips import HEIGHT, WIDTH
from recombine.studies import Experiment

TITLE = "Support checker against outcome"
APART = 0.1  # R² between the least and the largest seed, from which on a mean would hide what happened
OUTCOMES = {"id_r2": "R² on the support", "all_r2": "R² on the whole space"}
GUARANTEES = ("guaranteed", "not guaranteed", "impossible")
CONDITIONS = {"sufficient": "full rank", "relative": "shows all that is asked"}
HEADS = ("Setting", "Support", "Pictures composed by", "Model", "Forecast before training", *OUTCOMES.values())


@dataclass(frozen=True, eq=False)
class Row:
    """A setting with a support, and its forecast as it was recorded; None where there is none."""

    setting: SettingRuns
    forecast: Mapping[str, Any] | None

    @property
    def details(self) -> Mapping[str, Any]:
        found = (self.forecast or {}).get("details")
        return found if isinstance(found, Mapping) else {}

    @property
    def guarantee(self) -> str | None:
        found = self.details.get("guarantee")
        return found if found in GUARANTEES else None

    @property
    def alike(self) -> bool:
        """Whether the model composes as the pictures do, so that the forecast of the problem speaks of it."""
        assert isinstance(self.setting.work, Experiment)
        model, task = self.setting.work.model, self.setting.work.problem.task
        return (
            isinstance(model, Compositional)
            and isinstance(task, Sprites)
            and model.composition.agrees(task.composition)
        )


def rows_of(findings: Findings) -> list[Row]:
    """The settings with a support, in the order in which the claims need them."""
    settings = [
        setting
        for setting in findings.settings.values()
        if isinstance(setting.work, Experiment) and setting.work.problem.support is not None
    ]
    return [Row(setting, _forecast(setting, findings)) for setting in settings]


def support_section(findings: Findings) -> Markup | None:
    """The tables with their reading; None where no setting has a support."""
    rows, predicted = rows_of(findings), predictor_tables(findings)
    if not rows:
        return None if predicted is None else tag("section", tag("h2", TITLE), predicted, id="supports")
    head = tag("thead", tag("tr", [tag("th", words, scope="col") for words in HEADS]))
    table = tag("table", head, tag("tbody", [_row(row) for row in rows]))
    return tag(
        "section",
        tag("h2", TITLE),
        tag(
            "p",
            "Compared is, setting by setting, what a checker says of the support before training with the R² that the "
            "trained model has on scenes of the support and of the whole space. The checker asks of every support "
            "whether each value of a component is shown, and whether the composition can be undone there; together "
            "they guarantee that a model is right on the whole space if "
            "it composes as the pictures do and is right on the support. The forecast is of such models, and one "
            "without a guarantee is no forecast of failure. R² is 1 where pictures are right and 0 where they are as "
            f"bad as the mean picture. Where seeds differ by more than {APART:g}, each is a dot between the least and "
            "the largest, and its value is listed.",
        ),
        _reading(rows),
        tag("div", table, class_="scroll"),
        predicted,
        id="supports",
    )


def seed_strip(values: Sequence[float]) -> Markup:
    """A dot for each seed, between the least and the largest; the numbers stand beside it."""
    low, high = min(values), max(values)
    room, middle = HEIGHT / 2, f"{HEIGHT / 2:.1f}"
    span = (high - low) or 1.0
    dots = [
        tag("circle", class_="estimate", cx=f"{room + (WIDTH - HEIGHT) * (value - low) / span:.1f}", cy=middle, r="3.5")
        for value in values
    ]
    line = tag("line", class_="bound", x1=f"{room:.1f}", x2=f"{WIDTH - room:.1f}", y1=middle, y2=middle)
    box = f"0 0 {WIDTH} {HEIGHT}"
    return tag("svg", line, dots, class_="strip", viewBox=box, width=WIDTH, height=HEIGHT, aria_hidden="true")


def _forecast(setting: SettingRuns, findings: Findings) -> Mapping[str, Any] | None:
    """The forecast that the runs were recorded with, or that of the problem."""
    recorded = [str(run.body.get("forecast")) for run in setting.runs if run.body is not None]
    digests = [*recorded, setting.work.forecast_digest or ""]
    return next((findings.forecasts[digest] for digest in digests if digest in findings.forecasts), None)


def _row(row: Row) -> Markup:
    setting = row.setting
    problem = problem_of(setting.work)
    assert isinstance(setting.work, Experiment)
    assert problem.support is not None
    composed = named(problem.task.composition) if isinstance(problem.task, Sprites) else "not said"
    return tag(
        "tr",
        tag("td", tag("a", setting.label, href=f"#{setting.anchor}")),
        tag("td", support_words(problem.support)),
        tag("td", composed),
        tag("td", _model(setting.work.model)),
        tag("td", _said(row)),
        [tag("td", _outcome(setting, quantity)) for quantity in OUTCOMES],
    )


def _model(model: ModelSpec) -> str:
    """A model by its kind, how it composes, and whether sprites share a decoder."""
    if not isinstance(model, Compositional):
        return model.kind
    return f"{model.kind}, {named(model.composition)}, {'one decoder' if model.shared else 'a decoder each'}"


def _said(row: Row) -> Markup:
    """The guarantee, the verdict, and the conditions it comes from."""
    if row.forecast is None:
        return join("none recorded")
    facts = [f"{words}: {_answer(row.details[name])}" for name, words in CONDITIONS.items() if name in row.details]
    share = row.details.get("free_share")
    if isinstance(share, int | float) and not isinstance(share, bool):
        facts.append(f"left free: {short(float(share))} of the pixels of unseen scenes")
    facts += [] if row.alike else ["this model composes otherwise, and the forecast is not of it"]
    verdict = str(row.forecast.get("verdict") or "")
    return join(
        tag("strong", row.guarantee or _composes(row.forecast.get("composes"))),
        [tag("br"), tag("span", "; ".join(facts), class_="meaning")] if facts else None,
        tag("details", tag("summary", "verdict"), verdict) if verdict else None,
    )


def _composes(found: object) -> str:
    return WORDS[found if isinstance(found, bool) else None]


def _answer(found: object) -> str:
    return "not known" if not isinstance(found, bool) else "yes" if found else "no"


def _outcome(setting: SettingRuns, quantity: str) -> Markup:
    """Estimate and interval; where seeds are far apart their values come first, as dots and as numbers."""
    values, measured = setting.numbers(quantity), setting.interval(quantity)
    failed = len(setting.with_status("failed"))
    gap = tag("span", f"{count(failed, 'seed')} failed", class_="meaning") if failed else None
    if measured is None:
        return join("not measured", [tag("br"), gap] if gap else None)
    words = [interval(measured), tag("br") if gap else None, gap]
    if max(values) - min(values) <= APART:
        return join(words)
    listed = ", ".join(short(value) for value in sorted(values))
    mean = tag("span", "mean ", words, class_="meaning")
    return join(seed_strip(values), tag("br"), f"seeds {listed}", tag("br"), mean)


def _reading(rows: Sequence[Row]) -> Markup:
    """For each answer of the checker, what was measured in the settings that got it, by whether it speaks of them."""
    lines = []
    for guarantee, alike in product((*GUARANTEES, None), (True, False)):
        members = [row.setting for row in rows if (row.guarantee, row.alike) == (guarantee, alike)]
        found = [measured.estimate for each in members if (measured := each.interval("all_r2")) is not None]
        if not members:
            continue
        words = tag("strong", guarantee or "no guarantee recorded")
        ends = f", mean R² on the whole space from {short(min(found))} to {short(max(found))}" if found else ""
        models = "models that compose as the pictures do" if alike else "other models"
        numbers = f"{count(len(members), 'setting')}, {len(found)} measured{ends}."
        lines.append(tag("li", words, f", {models}: {numbers}"))
    return tag("ul", lines, class_="scores")
