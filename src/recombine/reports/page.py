"""The page around everything: one HTML document that needs nothing from outside."""

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any

from recombine.reports.markup import Markup, join, raw, tag

# Nothing is loaded, and nothing is run but the page's own script, whatever a record may contain.
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
    title: str,
    header: Markup,
    sections: Mapping[str, Markup | None],
    names: Mapping[str, str] | None = None,
    claims: Sequence[Mapping[str, Any]] = (),
) -> Markup:
    """The whole document: a header, links to the sections, the sections by their places; a None is left out.

    Where there are claims the page has a script that chooses among them, by what is said of them here. All of it stands
    in the page without the script too.
    """
    there = {place: section for place, section in sections.items() if section is not None}
    called = {**PLACES, **AT_TIMES} if names is None else names
    links = [tag("a", called[place], href=f"#{place}") for place in there]
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=_policy() if claims else POLICY),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", title),
        tag("style", raw(_built("report.css"))),
    )
    body = tag(
        "body",
        tag("div", id="theme") if claims else None,
        tag("header", header),
        tag("nav", links, aria_label="Sections"),
        tag("main", *there.values()),
        _data(claims) if claims else None,
        tag("script", raw(_built("report.js"))) if claims else None,
    )
    return join(raw("<!doctype html>\n"), tag("html", head, body, lang="en"), raw("\n"))


@cache
def _built(name: str) -> str:
    """A file of the page that is built from `web/`, with the explorer's components and colours (`make web`)."""
    return resources.files(__package__).joinpath("bundle", name).read_text(encoding="utf-8")


@cache
def _policy() -> str:
    """The policy of a page with a script: this one runs, and no other."""
    digest = base64.b64encode(hashlib.sha256(_built("report.js").encode()).digest()).decode()
    return f"{POLICY}; script-src 'sha256-{digest}'"


def _data(claims: Sequence[Mapping[str, Any]]) -> Markup:
    """Claims as data that the script reads; nothing in it can end the element."""
    written = json.dumps(list(claims), ensure_ascii=True).replace("<", "\\u003c").replace(">", "\\u003e")
    return tag("script", raw(written), type="application/json", id="claims")
