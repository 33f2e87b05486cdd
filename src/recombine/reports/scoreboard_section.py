"""How good forecasts were on drawn problems that they had not seen: the scoreboard that comes with the package."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from recombine.reports.canvas import COLOURS, MARKS, framed, image
from recombine.reports.markup import Markup, command, tag
from recombine.reports.numbers import count, short
from recombine.studies.calibration_file import NOT_NAMED, names_sentence, patterns
from recombine.theory.calibration import document, tuned_on
from recombine.theory.outlook import MEANING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SIZE = (4.9, 4.6)  # inches
ENDS = (-1.08, 1.08)


def scoreboard_section() -> Markup | None:
    """Scores of the forecast beside plain rules, by family and by failure; None before there are any."""
    saved = document()
    if saved is None:
        return None
    scores = saved["scoreboard"]
    tuned = tuned_on(saved)
    words = (
        f"Problems drawn by chance over tasks, splits and networks: {count(tuned, 'trial')} to tune the forecast on, "
        f"{count(scores['trials'], 'other')} to score it, foretold before they were trained. Performance: {MEANING}. "
        f"Mean error {short(scores['error'])}; {scores['inside']:.0%} inside the forecast's interval of 80%."
    )
    return tag(
        "section",
        tag("h2", "Scoreboard of the forecast"),
        tag("p", words),
        tag(
            "div",
            _figure(scores["points"]),
            tag("div", _rules(scores["rules"]), class_="words"),
            class_="beside",
        ),
        _groups("Family", scores["families"]),
        _groups("Expected failure", scores["failures"]),
        tag("h3", "Calibration"),
        _bins(scores["bins"]),
        tag("h3", "Whether the name was right"),
        *_names(scores),
        tag("h3", "Where it is wrong in a pattern"),
        tag("ul", [tag("li", line) for line in patterns(scores)]),
        tag("p", "To draw, train and score them again: ", command(f"calibrate --trials {scores['trials']}")),
        id="scoreboard",
    )


def _figure(points: Sequence[Mapping[str, Any]]) -> Markup:
    families = sorted({str(each["family"]) for each in points})

    def draw(figure: "Figure") -> None:
        axes = figure.add_subplot()
        axes.plot(ENDS, ENDS, "--", color="#666666", linewidth=1, zorder=1)
        for place, name in enumerate(families):
            mine = [each for each in points if each["family"] == name]
            across, up = [each["expected"] for each in mine], [each["measured"] for each in mine]
            axes.scatter(
                across, up, s=22, color=COLOURS[place], marker=MARKS[place], alpha=0.75, linewidths=0, label=name
            )
        axes.set_xlim(*ENDS)
        axes.set_ylim(*ENDS)
        axes.set_aspect("equal")
        axes.set_xlabel("expected held-out performance, before training")
        axes.set_ylabel("measured, after training")
        figure.legend(loc="outside upper left", ncols=len(families), frameon=False)

    told = f"{len(points)} trials, expected against measured held-out performance, by family of tasks"
    return framed(image(draw, SIZE, told), "Each mark is a trial that the forecast was not tuned on.")


def _rules(rules: Sequence[Mapping[str, Any]]) -> Markup:
    heads = ("Rule", "Rank correlation [95%]", "AUROC of composes [95%]")
    return _table(heads, [(each["name"], _spread(each["rank"]), _spread(each["area"])) for each in rules])


def _groups(title: str, groups: Sequence[Mapping[str, Any]]) -> Markup:
    heads = (
        title,
        "Trials",
        "Measured",
        "Mean error",
        "Expected less measured",
        "Inside 80%",
        "Rank correlation [95%]",
    )
    rows = [
        (
            each["name"],
            str(each["trials"]),
            short(each["measured"]),
            short(each["error"]),
            short(each["bias"]),
            f"{each['inside']:.0%}",
            _spread(each["rank"]) if each["rank"] else "",
        )
        for each in groups
    ]
    return _table(heads, rows)


def _bins(bins: Sequence[Mapping[str, Any]]) -> Markup:
    heads = ("Expected, mean of a fifth of the trials", "Measured", "Trials")
    return _table(heads, [(short(each["expected"]), short(each["measured"]), str(each["trials"])) for each in bins])


def _names(scores: Mapping[str, Any]) -> list[Markup]:
    """Expected names against those that were found, where they were."""
    if "names" not in scores:
        return [tag("p", NOT_NAMED, class_="note")]
    found = sorted({cause for row in scores["names"]["rows"] for cause in row["found"]})
    rows = [(row["expected"], *(str(row["found"].get(cause, 0)) for cause in found)) for row in scores["names"]["rows"]]
    return [tag("p", names_sentence(scores["names"])), _table(("Expected, found", *found), rows)]


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Markup:
    head = tag("thead", tag("tr", [tag("th", each, scope="col") for each in heads]))
    body = tag("tbody", [tag("tr", [tag("td", cell) for cell in row]) for row in rows])
    return tag("div", tag("table", head, body), class_="scroll")


def _spread(score: Mapping[str, float]) -> str:
    return f"{short(score['value'])} [{short(score['low'])}, {short(score['high'])}]"
