"""What was predicted before training beside what was measured after it."""

from recombine.reports.comparisons import ENOUGH, Comparison, compare, held_out_rank
from recombine.reports.findings import Findings
from recombine.reports.markup import Markup, tag
from recombine.reports.numbers import count, interval, short
from recombine.reports.scatter import scatter_figure

WORDS = {True: "composes", False: "does not compose", None: "undecided"}


def forecast_section(findings: Findings) -> Markup:
    """The scatter of predicted against observed, its scores in words, and a table."""
    comparisons, without = compare(findings)
    absent = f"{count(without, 'trained setting')} without a recorded forecast left out." if without else ""
    body = (
        tag(
            "div",
            scatter_figure(comparisons),
            tag("div", _scores(comparisons), _table(comparisons), class_="words"),
            class_="beside",
        )
        if comparisons
        else tag("p", "No trained run with a recorded forecast yet.", class_="note")
    )
    return tag(
        "section",
        tag("h2", "Predicted against observed"),
        tag(
            "p",
            "Before its first training, every problem gets a forecast of the error in each of its sections. The "
            "forecast is that of the kernel regime: it is what networks do that are so wide that training hardly "
            "changes their layers. Networks that learn features may do better or worse, above all when factors are "
            "shown alone or a regulariser is used: how far the points lie off the line is what this figure is for.",
        ),
        body,
        tag("p", absent, class_="note") if absent else None,
        id="forecast",
    )


def _scores(comparisons: list[Comparison]) -> Markup:
    pairs = [pair for each in comparisons if (pair := each.held_out) is not None]
    inside = sum(pair.inside for pair in pairs)
    rank = held_out_rank(comparisons)
    if rank is None:
        order = f"No rank correlation: it takes at least {ENOUGH} distinct problems."
    else:
        order = (
            f"Spearman rank correlation of forecast with measured held-out nMSE: {short(rank[0])}, over {rank[1]} "
            f"settings of {rank[2]} distinct problems (1 right order, 0 no relation; settings of one problem share its "
            "forecast)."
        )
    range_ = f"The measured mean lies inside the forecast range in {inside} of {count(len(pairs), 'setting')}."
    return tag("ul", tag("li", order), tag("li", range_), class_="scores")


def _table(comparisons: list[Comparison]) -> Markup:
    heads = ("No.", "Setting", "Forecast", "Forecast held-out nMSE [range]", "Measured held-out nMSE [95%]", "In range")
    rows = []
    for number, each in enumerate(comparisons, start=1):
        pair = each.held_out
        cells = [str(number), each.label, WORDS.get(each.composes, "undecided")]
        if pair is None:
            cells += ["not forecast", "", ""]
        else:
            cells += [f"{short(pair.expected)} [{short(pair.low)}, {short(pair.high)}]", interval(pair.measured)]
            cells += ["yes" if pair.inside else "no"]
        rows.append(tag("tr", [tag("td", cell) for cell in cells]))
    head = tag("thead", tag("tr", [tag("th", name, scope="col") for name in heads]))
    return tag("div", tag("table", head, tag("tbody", rows)), class_="scroll")
