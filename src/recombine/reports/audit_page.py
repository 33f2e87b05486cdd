"""The page of an audit: verdict, what is held out, forecast, answers by section, and what layers hold."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from recombine.audits import Audit
from recombine.audits.held_out import LACKS
from recombine.audits.telling import certificate_words, data_words, held_out_words
from recombine.reports.canvas import COLOURS, LINES, MARKS, brief, framed, image
from recombine.reports.cards import audited_data_card, audited_model_card
from recombine.reports.markup import Markup, join, tag
from recombine.reports.numbers import short
from recombine.reports.page import OF_AUDITS, page
from recombine.reports.writing import writable_place, write_whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LOWEST = -1.0  # an R² below is as good as no read-out, and would hide the others
BY_LAYER = {
    "additive_held_out": "R² on held-out rows of a sum of one vector per level, fitted on trained rows",
    "additive_share": "share of the variance that a sum of one vector per level explains",
    "share": "share of the variance between the levels of a factor",
    "readout": "linear read-out of a factor on rows it was not fitted on",
    "participation": "effective number of directions in use",
}


def write_audit(output: Path, found: Audit) -> Path:
    """Write the page of an audit as one HTML file that opens offline. Returns ``output``."""
    writable_place(output)
    return write_whole(output, audit_page(found).encode("utf-8", "replace"))


def audit_page(found: Audit) -> str:
    """The page as an HTML document."""
    sections = {
        "diagnosis": _reasons("diagnosis", "Diagnosis", found),
        "data": _data(found),
        "forecast": _forecast(found),
        "answers": _answers(found),
        "inside": _inside(found),
        "notes": _notes(found),
    }
    header = join(
        tag("h1", "Will it compose? ", tag("span", f"Audit of {found.source}", class_="scale")),
        tag("p", found.verdict, class_="lead"),
    )
    return page(f"recombine audit of {found.source}", header, sections, OF_AUDITS)


def _reasons(place: str, title: str, found: Audit) -> Markup:
    lines = [tag("li", tag("b", f"{reason.name}. "), reason.text) for reason in found.diagnosis]
    nothing = "Nothing that fails was found."
    if found.performance.empty:
        nothing = "No answer of a model was scored, so that nothing can be said to fail."
    return _section(place, title, tag("ul", lines) if lines else tag("p", nothing, class_="note"))


def _data(found: Audit) -> Markup:
    held = found.held_out
    if held is None:
        return _section("data", "Data", tag("p", data_words(found)))
    rows = [(name, str(int(mask.sum())), LACKS[name]) for name, mask in held.sections.items()]
    return _section(
        "data",
        "What is held out",
        tag("p", data_words(found)),
        tag("p", f"Held out: {held_out_words(held)}"),
        tag("p", f"Certificate: {certificate_words(found)}"),
        _table(("Held-out rows", "Number", "What training lacks of them"), rows) if rows else None,
        audited_data_card(found),
    )


def _forecast(found: Audit) -> Markup | None:
    forecast = found.forecast
    if forecast is None:
        return None
    rows = [(each.name, short(each.expected), f"{short(each.low)} to {short(each.high)}") for each in forecast.sections]
    reasons = [tag("li", tag("b", f"{reason.name}. "), reason.text) for reason in forecast.reasons]
    return _section(
        "forecast",
        "Forecast",
        tag("p", forecast.verdict) if forecast.verdict not in found.verdict else None,
        _table(("Held-out rows", forecast.quantity, "Between"), rows),
        tag("ul", reasons) if reasons else None,
        tag("p", f"By {forecast.method}.", class_="meaning"),
    )


def _answers(found: Audit) -> Markup | None:
    if found.performance.empty:
        return None
    rows = [
        (line["section"], str(line["rows"]), f"{short(line['score'])} [{short(line['low'])}, {short(line['high'])}]")
        for line in found.scores
    ]
    table = _table(("Rows", "Number", f"{found.quantity} [95% interval]"), rows)
    return _section(
        "answers",
        "What the model answers",
        table,
        tag("div", _bars(found), class_="figures"),
        audited_model_card(found),
    )


def _bars(found: Audit) -> Markup:
    lines = found.scores

    def draw(figure: "Figure") -> None:
        axes = figure.subplots()
        for place, line in enumerate(lines):
            axes.bar(place, line["score"], color=COLOURS[0 if place == 0 else 1], width=0.6)
            axes.plot([place, place], [line["low"], line["high"]], color="black", linewidth=1)
        axes.set_xticks(range(len(lines)), [line["section"].replace(" ", "\n") for line in lines])
        axes.set_ylabel(str(found.quantity))
        axes.axhline(0, color="black", linewidth=0.6)

    told = "; ".join(f"{line['section']} {short(line['score'])}" for line in lines)
    caption = f"{found.quantity} by what training lacks of the rows; lines: 95% intervals over rows. {told}."
    return framed(image(draw, (1.5 + 0.9 * len(lines), 2.6), caption), caption)


def _inside(found: Audit) -> Markup | None:
    if found.measures.empty:
        return None
    figures = [figure for kind, says in BY_LAYER.items() if (figure := _by_layer(found.measures, kind, says))]
    names = {"value": "Value", "null": "Shuffled", "null_low": "from", "null_high": "to", "p": "As large by chance"}
    names |= {"untrained": "Untrained"} if "untrained" in found.measures else {}
    rows = [
        (line["layer"], line["measure"], line["of"], *(_number(line[name]) for name in names))
        for line in found.measures.to_dict("records")
    ]
    table = _table(("Layer", "Measure", "Of", *names.values()), rows)
    every = tag("details", tag("summary", "All measures"), tag("div", table, class_="scroll"))
    says = (
        "Each measure of a layer stands beside what shuffled tables of factors give (grey: 95% of them) and, where "
        "weights can be drawn anew, beside the same model untrained (dotted)."
    )
    return _section("inside", "What layers hold", tag("p", says), tag("div", figures, class_="figures"), every)


def _by_layer(measures: pd.DataFrame, kind: str, says: str) -> Markup | None:
    chosen = measures[measures["measure"] == kind]
    if chosen.empty:
        return None
    layers = list(dict.fromkeys(chosen["layer"]))
    factors = list(dict.fromkeys(chosen["of"]))

    def draw(figure: "Figure") -> None:
        axes = figure.subplots()
        for number, factor in enumerate(factors):
            lines = chosen[chosen["of"] == factor].set_index("layer").reindex(layers)
            colour, look = COLOURS[number % len(COLOURS)], number % len(MARKS)
            places = range(len(layers))
            axes.plot(
                places, lines["value"], color=colour, marker=MARKS[look], ls=LINES[look], label=brief(factor) or None
            )
            axes.fill_between(places, lines["null_low"], lines["null_high"], color="0.6", alpha=0.3, linewidth=0)
            if "untrained" in lines:
                axes.plot(places, lines["untrained"], color=colour, linestyle=":", linewidth=1)
        axes.set_xticks(range(len(layers)), [brief(layer) for layer in layers], rotation=45, ha="right")
        axes.set_ylabel(kind.replace("_", " "))
        axes.set_ylim(bottom=max(axes.get_ylim()[0], LOWEST))
        if len(factors) > 1:
            axes.legend(frameon=False)

    caption = f"`{kind}`: {says}."
    return framed(image(draw, (max(3.2, 0.45 * len(layers) + 1.6), 2.8), caption.replace("`", "")), caption)


def _notes(found: Audit) -> Markup | None:
    return _section("notes", "Notes", tag("ul", [tag("li", words) for words in found.notes])) if found.notes else None


def _section(place: str, title: str, *content: Markup | list[Markup] | None) -> Markup:
    return tag("section", tag("h2", title), *content, id=place)


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Markup:
    head = tag("tr", [tag("th", words, scope="col") for words in heads])
    return tag(
        "table", tag("thead", head), tag("tbody", [tag("tr", [tag("td", cell) for cell in row]) for row in rows])
    )


def _number(value: object) -> str:
    return "" if not isinstance(value, float) or value != value else short(value)
