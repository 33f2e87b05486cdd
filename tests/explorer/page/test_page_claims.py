"""Claims: all of them, with verdict, interval, control, figure and command; filtered by paper and verdict."""

import re
import struct

from playwright.sync_api import expect


def test_claims_are_listed_filtered_and_opened(opened, at, explorer, width, saved, saved_rows):
    claims = explorer.ask("api/claims?scale=laptop")
    page = opened(width, at("claims")).page
    expect(page.locator(".claim")).to_have_count(len(claims))
    verdict = next(each["verdict"] for each in claims if each["figure"])
    page.get_by_label("Verdict", exact=True).select_option(verdict)
    wanted = [each for each in claims if each["verdict"] == verdict]
    expect(page.locator(".claim")).to_have_count(len(wanted))
    paper = next(each["paper"] for each in wanted if each["figure"])
    page.get_by_label("Paper", exact=True).select_option(paper)
    wanted = [each for each in wanted if each["paper"] == paper]
    expect(page.locator(".claim")).to_have_count(len(wanted))

    claim = next(each for each in wanted if each["figure"])
    card = page.locator(f"#claim-{claim['id']}")
    card.get_by_role("button", name=re.compile(f"^{claim['id']} ")).click()
    expect(card.get_by_text(re.compile(r"\d seeds?\)")).first).to_be_visible()
    expect(card.get_by_text(claim["control"])).to_be_visible()
    expect(card.get_by_text(claim["command"], exact=True)).to_be_visible()
    figure = card.get_by_role("img", name=re.compile(f"^Figure of claim {claim['id']}"))
    expect(figure).to_be_visible()
    size = figure.evaluate("image => [image.naturalWidth, image.naturalHeight]")
    png = saved(page, f"the figure of {claim['id']}", "Figure as PNG").read_bytes()
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    assert list(struct.unpack(">II", png[16:24])) == [2 * side for side in size]  # width and height of its header
    assert size[0] > 0
    card.get_by_role("button", name="Copy").click()
    assert page.evaluate("navigator.clipboard.readText()") == claim["command"]
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")

    rows = saved_rows(page, "these claims", "Claims as CSV")
    assert [row["id"] for row in rows] == [each["id"] for each in wanted]
    expect(page).to_have_url(re.compile(f"claim={claim['id']}.*paper={paper}.*verdict={verdict}"))
    page.reload()
    expect(card.get_by_text(claim["command"], exact=True)).to_be_visible()


def test_verdicts_are_counted(opened, at, explorer):
    claims = explorer.ask("api/claims?scale=laptop")
    page = opened(1280, at("claims")).page
    for verdict in ("confirmed", "contradicted", "undecided", "missing"):
        count = sum(each["verdict"] == verdict for each in claims)
        expect(page.get_by_role("button", name=f"{verdict.capitalize()} {count}", exact=True)).to_be_visible()
