"""What was predicted before training beside what was measured after it."""

from recombine.reports.comparisons import ENOUGH, Comparison, comparable, compare, held_out_rank
from recombine.reports.findings import OF_THESE, Findings
from recombine.reports.markup import Markup, join, tag
from recombine.reports.numbers import count, interval, short
from recombine.reports.quantities import Quantity
from recombine.reports.scatter import scatter_figure

WORDS = {True: "composes", False: "does not compose", None: "undecided"}


def forecast_section(findings: Findings) -> Markup | None:
    """For each quantity the scatter of predicted against observed, its scores in words, and a table.

    None where nothing that was or will be trained has an error to be forecast.
    """
    comparisons, without = compare(findings)
    expected = any(comparable(setting.work) for setting in findings.settings.values())
    if not (comparisons or without or expected):
        return None
    by_quantity: dict[Quantity, list[Comparison]] = {}
    for each in comparisons:
        by_quantity.setdefault(each.quantity, []).append(each)
    absent = f"{count(without, 'trained setting')} without a recorded forecast left out." if without else ""
    whose = f"{OF_THESE}, but for those of supports," if findings.only else ""
    nothing = tag("p", f"No trained run{whose} with a recorded forecast yet.", class_="note")
    return tag(
        "section",
        tag("h2", "Predicted against observed"),
        tag(
            "p",
            "Before its first training, every problem gets a forecast of the error in each of its sections. The "
            "forecast is that of the kernel regime: it is what networks do that are so wide that training hardly "
            "changes their layers. Networks that learn features may do better or worse, above all when factors are "
            "shown alone or a regulariser is used: how far the points lie off the line is what these figures are for. "
            "Errors of different sorts of answers are different quantities, and each is compared with its own kind "
            "only.",
        ),
        [_compared(quantity, members) for quantity, members in by_quantity.items()] or nothing,
        tag("p", absent, class_="note") if absent else None,
        id="forecast",
    )


def _compared(quantity: Quantity, comparisons: list[Comparison]) -> Markup:
    return join(
        tag("h3", f"{quantity.of}: {quantity.name}"),
        tag("p", f"Compared: {quantity.name}, the {quantity.meaning}."),
        tag(
            "div",
            scatter_figure(comparisons),
            tag("div", _scores(comparisons), _table(comparisons), class_="words"),
            class_="beside",
        ),
    )


def _scores(comparisons: list[Comparison]) -> Markup:
    pairs = [pair for each in comparisons if (pair := each.held_out) is not None]
    inside = sum(pair.inside for pair in pairs)
    rank, name = held_out_rank(comparisons), comparisons[0].quantity.name
    if rank is None:
        order = f"No rank correlation: it takes at least {ENOUGH} distinct problems."
    else:
        order = (
            f"Spearman rank correlation of forecast with measured held-out {name}: {short(rank[0])}, over {rank[1]} "
            f"settings of {rank[2]} distinct problems (1 right order, 0 no relation; settings of one problem share its "
            "forecast)."
        )
    range_ = f"The measured mean lies inside the forecast range in {inside} of {count(len(pairs), 'setting')}."
    return tag("ul", tag("li", order), tag("li", range_), class_="scores")


def _table(comparisons: list[Comparison]) -> Markup:
    name = comparisons[0].quantity.name
    held_out = (f"Forecast held-out {name} [range]", f"Measured held-out {name} [95%]")
    heads = ("No.", "Setting", "Forecast", *held_out, "In range")
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
