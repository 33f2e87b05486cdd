"""A report as a file in a real browser: its filters, both themes, a phone's width, and no JavaScript at all."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from recombine.models import models
from recombine.papers import Check, Range, Scale
from recombine.reports.report import report_page
from recombine.studies import Experiment, change

IDS = ["X1", "X2", "Y1"]


@pytest.fixture(scope="module")
def file(tmp_path_factory, paper, make, real_store) -> Path:
    """The report on two papers: X1 is confirmed, X2 contradicted, and Y1 has no runs yet."""

    def later(scale: Scale) -> Experiment:
        return change(make.tiny(scale), model=models.mlp_decoder(width=9, depth=2))

    asked = Check("ood_nmse", Range(0.0, 1.0), "a guess")
    other = make.claim(
        "Y1", {"main": later}, {"main": make.tiny}, asked, says="It <b>will</b> be run </script><script>alert(1)"
    )
    second = replace(make.paper(replace(other, paper="y")), key="y", title="Another paper")
    path = tmp_path_factory.mktemp("report") / "a report.html"
    path.write_text(report_page([paper, second], Scale.QUICK, [real_store]), encoding="utf-8")
    return path


Open = Callable[..., Page]


@pytest.fixture
def opened(browser: Browser, file: Path) -> Iterator[Open]:
    """Opens the report; at the end its console must be empty, and nothing be fetched."""
    complaints: list[str] = []
    contexts = []

    def open_it(width: int = 1280, theme: str = "light", script: bool = True, place: str = "") -> Page:
        context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=theme, java_script_enabled=script
        )
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: request.url.startswith("http") and complaints.append(request.url))
        page.goto(file.as_uri() + place)
        return page

    yield open_it
    for context in contexts:
        context.close()
    assert complaints == []


def shown(page: Page) -> list[str]:
    return [claim for claim in IDS if page.locator(f"#claim-{claim}").is_visible()]


def overflow(page: Page) -> int:
    return page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")


@pytest.mark.parametrize("width", [390, 1280])
def test_claims_are_chosen_by_paper_verdict_and_words(opened: Open, width: int):
    page = opened(width)
    status = page.get_by_role("status")
    expect(status).to_have_text("3 claims of 3.")
    assert shown(page) == IDS
    assert overflow(page) == 0

    page.get_by_label("Paper").select_option(label="Another paper")
    expect(status).to_have_text("1 claim of 3.")
    assert shown(page) == ["Y1"]
    assert page.get_by_text("A paper & its title", exact=True).first.is_hidden()
    page.get_by_label("Paper").select_option("")

    page.get_by_label("Verdict", exact=True).select_option("contradicted")
    expect(status).to_have_text("1 claim of 3.")
    assert shown(page) == ["X2"]
    page.get_by_role("button", name="Contradicted 1").click()  # pressed already: all again
    assert shown(page) == IDS
    page.get_by_role("button", name="Confirmed 1").click()
    assert shown(page) == ["X1"]
    page.get_by_label("Verdict", exact=True).select_option("")

    page.get_by_label("Search").fill("y1 guess")
    assert shown(page) == []
    page.get_by_label("Search").fill("will be")
    assert shown(page) == ["Y1"]
    assert overflow(page) == 0


def test_a_link_to_a_hidden_claim_shows_it(opened: Open):
    page = opened()
    page.get_by_label("Verdict", exact=True).select_option("contradicted")
    assert shown(page) == ["X2"]
    page.locator('#settings a[href="#claim-X1"]').first.click()
    expect(page.locator("#claim-X1")).to_be_in_viewport()
    assert shown(page) == IDS


def test_the_theme_is_the_systems_until_one_is_chosen(opened: Open):
    colours = {theme: background(opened(theme=theme)) for theme in ("light", "dark")}
    assert colours["light"] != colours["dark"]
    page = opened(theme="light")
    page.get_by_role("button", name="Theme: system. Switch to light.").click()
    page.get_by_role("button", name="Theme: light. Switch to dark.").click()
    assert background(page) == colours["dark"]
    page.reload()
    assert background(page) == colours["dark"]


def background(page: Page) -> str:
    return page.evaluate("getComputedStyle(document.body).backgroundColor")


@pytest.mark.parametrize("width", [390, 1280])
def test_without_javascript_everything_is_there(opened: Open, width: int):
    page = opened(width, script=False)
    assert shown(page) == IDS
    for words in ("confirmed", "contradicted", "missing"):
        assert page.locator("#verdicts").get_by_text(words).first.is_visible()
    assert page.locator("article figure img").first.is_visible()
    assert page.get_by_label("Search").count() == 0
    page.locator("#claim-X1 summary").click()
    assert page.locator("#claim-X1").get_by_text("measured by hand, <b>twice</b>").is_visible()
    box = page.locator("main").bounding_box()
    assert box is not None
    assert box["x"] + box["width"] <= width


def test_every_figure_is_drawn(opened: Open):
    """An address that a browser does not take would leave a broken picture."""
    page = opened()
    widths = page.evaluate("Promise.all([...document.images].map(async (i) => (await i.decode(), i.naturalWidth)))")
    assert len(widths) > 10
    assert min(widths) > 100


def test_what_a_claim_says_is_text(opened: Open):
    page = opened()
    assert "It <b>will</b> be run </script><script>alert(1)" in page.locator("#claim-Y1").inner_text()
    assert page.locator("#claim-Y1 b").count() == 0
