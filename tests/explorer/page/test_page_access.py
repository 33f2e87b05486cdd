"""Every view, in both widths and themes: named controls, no keyboard traps, visible focus, nothing too wide."""

import pytest
from playwright.sync_api import expect

# Controls without a name for screen readers, and pictures without one.
NAMELESS = """() => [
    ...document.querySelectorAll('button, a[href], input, select, textarea, canvas, svg, [tabindex="0"]')
  ]
  .filter(each => !each.closest('[aria-hidden="true"]'))
  .filter(each => !(each.getAttribute('aria-label') || each.textContent.trim() || each.labels?.length
    || each.getAttribute('aria-labelledby')))
  .map(each => each.outerHTML.slice(0, 120))"""

# Where the focus is, and whether it is seen.
FOCUSED = """() => {
  const here = document.activeElement
  if (!here || here === document.body) return null
  const drawn = [here, ...here.querySelectorAll('rect')]
  const seen = drawn.map(each => getComputedStyle(each))
    .some(style => style.outlineStyle !== 'none' || parseFloat(style.strokeWidth) >= 3)
  here.dataset.visited = Number(here.dataset.visited ?? 0) + 1
  return {name: here.outerHTML.slice(0, 100), seen, times: Number(here.dataset.visited)}
}"""


def settle(page) -> None:
    """Wait until everything that was asked for is shown."""
    expect(page.locator("main .panel").first).to_be_visible()
    expect(page.locator("main .quiet", has_text="…")).to_have_count(0)
    expect(page.locator("[aria-busy=true]")).to_have_count(0)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_view_fits_and_has_names(opened, at, small, small_runs, width, theme):
    first, second = small_runs
    places = {
        "explore": at("explore", **small, cell="4,3"),
        "runs": at("runs"),
        "run": at(f"run/{first}", tab="inside"),
        "compare": at("compare", a=first, b=second),
        "claims": at("claims", scale="paper"),
    }
    page = opened(width, places["explore"], theme).page
    for name, where in places.items():
        page.evaluate("where => { location.hash = where }", where)
        settle(page)
        assert page.evaluate(NAMELESS) == [], name
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name
        assert page.evaluate("document.querySelectorAll('h1, h2').length") > 0, name


def test_the_tab_key_reaches_everything_and_is_never_caught(opened, at, small):
    page = opened(1280, at("explore", **small)).page
    settle(page)
    focusable = page.evaluate(
        """() => [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]')]
        .filter(each => !each.disabled && each.checkVisibility()).length"""
    )
    visited = 0
    for _ in range(focusable + 5):
        page.keyboard.press("Tab")
        found = page.evaluate(FOCUSED)
        if found is None:  # beyond the last: the browser's own controls
            break
        assert found["times"] == 1, f"the focus came back before it left the page: {found['name']}"
        assert found["seen"], f"the focus is not seen: {found['name']}"
        visited += 1
    assert visited == focusable


def test_the_content_can_be_reached_at_once(opened):
    page = opened(1280).page
    expect(page.get_by_role("link", name="Explore")).to_be_visible()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()


def test_a_view_that_is_not_there_is_said(opened, at):
    page = opened(390, at("nonsense")).page
    expect(page.get_by_role("alert")).to_contain_text("There is no view named")
    page.get_by_role("link", name="Explore").click()
    expect(page.get_by_role("heading", name="Forecast")).to_be_visible()
