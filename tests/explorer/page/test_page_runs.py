"""Runs: searched, filtered, paged, opened, looked into, and compared."""

import json
import re

import yaml
from playwright.sync_api import Page, expect

PNG = b"\x89PNG\r\n\x1a\n"


def drawn(page: Page, selector: str) -> str:
    """What is on a canvas, to be compared."""
    return page.locator(selector).evaluate("canvas => canvas.toDataURL()")


def test_runs_are_searched_filtered_and_paged(opened, at, small_runs, width, saved_rows):
    page = opened(width, at("runs")).page
    status = page.locator(".runs-bar p")
    expect(status).to_contain_text(re.compile(r"^1 to 25 of [\d,]+ runs"))
    page.get_by_role("button", name="Further rows").click()
    expect(status).to_contain_text(re.compile("^26 to 50 of"))
    page.get_by_label("Search").fill(small_runs[0])
    expect(status).to_contain_text("1 to 1 of 1 run")
    rows = saved_rows(page, "these runs", "Rows as CSV")
    assert [row["digest"] for row in rows] == [small_runs[0]]
    page.get_by_label("Search").fill("")
    page.get_by_label("Task", exact=True).select_option("addition")
    page.get_by_label("Network", exact=True).select_option("mlp")
    expect(page.locator(".run-name a").first).to_contain_text("mlp on addition")
    page.get_by_label("Search").fill("nothing has these words")
    expect(status).to_have_text("No run matches.")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_two_runs_are_ticked_and_compared(opened, at, small_runs, saved_rows):
    page = opened(1280, at("runs", query="mlp-decoder store")).page
    for digest in small_runs:
        page.get_by_role("row", name=re.compile(digest)).get_by_role("checkbox").check()
    page.get_by_role("link", name="Compare the two").click()
    expect(page.get_by_label("Error map", exact=True)).to_have_count(2)
    expect(page.get_by_label(re.compile("^Loss of both trainings"))).to_be_visible()
    rows = saved_rows(page, "the comparison", "Measures as CSV")
    found = {
        row["measure"]: (float(row["first"]), float(row["second"])) for row in rows if row["measure"] == "ood_nmse"
    }
    first, second = found["ood_nmse"]
    expect(page.get_by_role("row", name=re.compile("^ood nmse"))).to_be_visible()
    assert first != second


def test_runs_to_compare_are_searched(opened, at, small_runs, width):
    page = opened(width, at("compare")).page
    for title, digest in zip(("First run", "Second run"), small_runs, strict=True):
        side = page.get_by_role("region", name=title)
        side.get_by_label("Search runs").fill(digest)
        expect(side.locator(".offers li")).to_have_count(1)
        side.locator(".offers button").click()
        expect(side.get_by_text(digest)).to_be_visible()
    expect(page.get_by_role("heading", name="What differs")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    expect(page).to_have_url(re.compile("a=.*b="))  # it follows once all is settled
    link = page.url
    other = opened(1280).page
    other.goto("about:blank")
    other.goto(link)
    expect(other.get_by_label("Error map", exact=True)).to_have_count(2)


def test_a_look_inside(opened, at, small_runs, width, saved):
    page = opened(width, at(f"run/{small_runs[0]}")).page
    expect(page.get_by_role("heading", name="Which failure it is")).to_be_visible()
    page.get_by_role("tab", name="Overview").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("tab", name="Inside")).to_have_attribute("aria-selected", "true")

    scatter = page.locator(".scatter canvas")
    expect(scatter).to_be_visible()
    shown = drawn(page, ".scatter canvas")
    scatter.focus()
    page.keyboard.press("ArrowRight")
    assert (turned := drawn(page, ".scatter canvas")) != shown
    page.keyboard.press("ArrowLeft")
    assert drawn(page, ".scatter canvas") == shown
    box = scatter.bounding_box()
    assert box
    page.mouse.move(box["x"] + 100, box["y"] + 100)
    page.mouse.down()
    page.mouse.move(box["x"] + 160, box["y"] + 120)
    page.mouse.up()
    assert drawn(page, ".scatter canvas") not in (shown, turned)
    scatter.focus()
    page.keyboard.press("Home")
    by_x = drawn(page, ".scatter canvas")
    page.get_by_label("Colour by").select_option("y")
    expect(page.get_by_label(re.compile("coloured by y"))).to_be_visible()
    assert drawn(page, ".scatter canvas") != by_x

    expect(page.get_by_label(re.compile("^Persistence diagram"))).to_be_visible()
    expect(page.get_by_label(re.compile("^Weights of input to"))).to_be_visible()
    page.get_by_label("Layer", exact=True).select_option("output")
    expect(page.get_by_label(re.compile("^Representation of layer output"))).to_be_visible()
    assert len(json.loads(saved(page, "the representation", "JSON").read_text())["points"]) == 64
    assert saved(page, "the representation", "PNG").read_bytes().startswith(PNG)
    assert saved(page, "the persistence diagram", "PNG").read_bytes().startswith(PNG)
    assert saved(page, "the weights", "PNG").read_bytes().startswith(PNG)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    expect(page).to_have_url(re.compile("colour=y.*layer=output.*tab=inside"))


def test_a_link_restores_how_points_are_turned_and_coloured(opened, at, small_runs):
    page = opened(1280, at(f"run/{small_runs[0]}", tab="inside", colour="y")).page
    scatter = page.locator(".scatter canvas")
    expect(scatter).to_be_visible()
    first = drawn(page, ".scatter canvas")
    scatter.scroll_into_view_if_needed()
    box = scatter.bounding_box()
    assert box
    before = page.evaluate("history.length")
    page.mouse.move(box["x"] + 100, box["y"] + 100)
    page.mouse.down()
    page.mouse.move(box["x"] + 190, box["y"] + 60, steps=5)
    page.wait_for_timeout(500)
    assert "turn=" not in page.url  # not before the drag has ended
    page.mouse.up()
    expect(page).to_have_url(re.compile(r"turn=\d+%2C-?\d+"))
    assert page.evaluate("history.length") == before
    shown = drawn(page, ".scatter canvas")
    assert shown != first
    other = opened(1280).page
    other.goto("about:blank")
    other.goto(page.url)
    expect(other.get_by_label(re.compile("coloured by y"))).to_be_visible()
    assert drawn(other, ".scatter canvas") == shown
    other.locator(".scatter canvas").focus()
    other.keyboard.press("Home")
    expect(other).not_to_have_url(re.compile("turn="))
    assert drawn(other, ".scatter canvas") == first


def test_measures_by_layer_of_a_reference_run(opened, at, explorer):
    """A run of the reference that has such measures, whichever it is."""
    rows = explorer.ask("api/runs?limit=500&task=bump&model=cnn-decoder")["rows"]
    digest = next(row["digest"] for row in rows if explorer.ask(f"api/runs/{row['digest']}")["by_layer"])
    page = opened(390, at(f"run/{digest}", tab="inside")).page
    expect(page.get_by_label(re.compile(" by layer: "))).to_be_visible()
    expect(page.get_by_text("without its weights").first).to_be_visible()
    expect(page.get_by_text("The layers of cnn-decoder are not plain matrices")).to_be_visible()
    expect(page.get_by_role("button", name="Look for its matrices")).to_have_count(0)


def test_a_training_that_failed_has_nothing_inside(opened, at, explorer, small):
    failing = {**small, "recipe": {"steps": 60, "optimiser": "sgd", "rate": 1e6}}
    job = explorer.ask("api/train", failing)["job"]
    page = opened(1280, at("explore", **failing, job=job)).page
    expect(page.get_by_role("link", name="Look inside")).to_have_count(0)
    page.get_by_role("link", name="See its record").click()
    expect(page.get_by_role("alert")).to_contain_text("the loss became")
    expect(page.get_by_text("This training failed, so that there is no network to look into")).to_have_count(1)
    page.get_by_role("tab", name="Inside").click()
    expect(page.get_by_text("This training failed, so that there is no network to look into")).to_have_count(2)
    expect(page.get_by_role("button", name=re.compile("^Look for"))).to_have_count(0)


def test_the_record_says_how_to_have_it_again(opened, at, small, small_runs, saved):
    page = opened(1280, at(f"run/{small_runs[0]}", tab="record")).page
    expect(page.get_by_text(re.compile("^recombine train bump"))).to_be_visible()
    assert yaml.safe_load(saved(page, "the run", "Problem as YAML").read_text()) == small["problem"]
    page.get_by_role("link", name="Explore and train again").click()
    expect(page.locator(".region-words")).to_have_text("x 2 to 5, y 3 to 5")


def test_an_unknown_run_is_said_to_be_unknown(opened, at):
    made = opened(390, at("run/0123456789abcdef"))
    expect(made.page.get_by_role("alert")).to_contain_text("there is no run '0123456789abcdef'")
    made.refusals_are_meant()
