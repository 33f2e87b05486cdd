"""Training: started, watched, stopped, resumed, looked into and compared."""

import re

from playwright.sync_api import Page, expect


def train(page: Page) -> None:
    """By key: a click is lost where the forecast arrives between its press and its release, and moves the button."""
    page.get_by_role("button", name="Train mlp-decoder").press("Enter")


def test_it_is_trained_stopped_and_resumed(opened, at, small, width, saved_rows):
    # Long enough to be stopped: a seed of each width, for what was trained is not trained again.
    page = opened(width, at("explore", **{**small, "recipe": {"steps": 10_000}, "seed": str(width)})).page
    train(page)
    status = page.locator(".job-progress p")
    expect(status).to_contain_text("Running")
    page.get_by_role("button", name="Stop").click()
    expect(status).to_contain_text("Paused")
    expect(page.get_by_label("Error map", exact=True).get_by_text("nMSE of the network")).to_be_visible()
    reached = status.inner_text()
    assert not re.search(r"step 10,000 of", reached), "it was to be stopped on the way"
    page.get_by_role("button", name="Resume").click()
    expect(status).to_contain_text("Done")
    expect(page.get_by_label(re.compile("^Loss of the training"))).to_be_visible()
    expect(page.get_by_label(re.compile("^Error on shown and on held-out combinations"))).to_be_visible()
    expect(page.get_by_role("img", name="Difference").first).to_be_visible()
    assert page.locator(".samples li").count() == 6
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    losses = [float(row["loss"]) for row in saved_rows(page, "the training", "Loss as CSV")]
    assert losses[-1] < losses[0]
    page.get_by_role("link", name="Look inside").click()
    expect(page.get_by_role("heading", name=re.compile("^mlp-decoder on bump"))).to_be_visible()


def test_what_was_trained_before_is_shown_and_compared(opened, at, small, small_runs, width):
    page = opened(width, at("explore", **small)).page
    train(page)
    expect(page.get_by_text("nothing was trained again")).to_be_visible()
    expect(page.get_by_label("Error map", exact=True).get_by_text("nMSE of the network")).to_be_visible()
    expect(page.get_by_label(re.compile(r"^Loss of the training\. loss: [\d.]+"))).to_be_visible()
    slider = page.get_by_label("Levels of each factor shown alone")
    slider.focus()
    page.keyboard.press("End")
    expect(slider).to_have_attribute("aria-valuetext", "all 8")
    train(page)
    last_two = page.get_by_role("link", name="Compare the last two")
    expect(last_two).to_have_attribute(
        "href", re.compile(rf"a={small_runs[0]}&b={small_runs[1]}|a={small_runs[1]}&b={small_runs[0]}")
    )
    last_two.click()
    expect(page.get_by_role("heading", name="Compare two runs")).to_be_visible()
    row = page.get_by_role("row", name=re.compile("problem.isolated"))
    expect(row).to_contain_text('["y", "x"]')
