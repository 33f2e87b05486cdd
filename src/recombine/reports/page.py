"""The page around everything: one HTML document that needs nothing from outside."""

from collections.abc import Mapping
from importlib import resources

from recombine.reports.markup import Markup, join, raw, tag

# Nothing is loaded and nothing is run, whatever a record may contain.
POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
PLACES = {
    "verdicts": "Verdicts",
    "settings": "Settings",
    "speed": "Speed",
    "provenance": "Provenance",
}
# Sections of pages that have something to say in them.
AT_TIMES = {
    "sweeps": "Sweeps",
    "forecast": "Predicted against observed",
    "scoreboard": "Scoreboard of the forecast",
    "supports": "Support checker",
    "geometry": "Geometry beside its baselines",
    "percolation": "Percolation beside training",
    "parity": "Which kernel predicts the slope?",
}
# Sections of the page of an audit.
OF_AUDITS = {
    "diagnosis": "Diagnosis",
    "data": "What is held out",
    "forecast": "Forecast",
    "answers": "What the model answers",
    "inside": "What layers hold",
    "notes": "Notes",
}


def page(
    title: str, header: Markup, sections: Mapping[str, Markup | None], names: Mapping[str, str] | None = None
) -> Markup:
    """The whole document: a header, links to the sections, the sections by their places; a None is left out."""
    there = {place: section for place, section in sections.items() if section is not None}
    called = {**PLACES, **AT_TIMES} if names is None else names
    links = [tag("a", called[place], href=f"#{place}") for place in there]
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=POLICY),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", title),
        tag("style", raw(style_sheet())),
    )
    body = tag("body", tag("header", header), tag("nav", links, aria_label="Sections"), tag("main", *there.values()))
    return join(raw("<!doctype html>\n"), tag("html", head, body, lang="en"), raw("\n"))


def style_sheet() -> str:
    """The page's style sheet."""
    return resources.files(__package__).joinpath("page.css").read_text(encoding="utf-8")
