"""A cell: opened by click, finger or Enter, with what it should be, what came out, and of what that is made."""

import json
import re
import struct

from playwright.sync_api import Page, expect


def cell_at(page: Page, row: int, column: int, rows: int = 8) -> tuple[float, float]:
    """The middle of a cell of the factor plane, on the screen."""
    area = page.locator(".cells-area").first
    area.scroll_into_view_if_needed()
    box = area.bounding_box()
    assert box
    side = box["height"] / rows
    return box["x"] + (column + 0.5) * side, box["y"] + (row + 0.5) * side


def test_a_click_opens_a_cell(opened, at, small, width):
    page = opened(width, at("explore", **small)).page
    expect(page.locator(".region-body")).to_be_visible()
    x, y = cell_at(page, 4, 3)  # held out, under the box that is dragged
    page.touchscreen.tap(x, y) if width < 500 else page.mouse.click(x, y)
    drawer = page.get_by_role("complementary", name="Cell x = 3, y = 4")
    expect(drawer.get_by_text("Held out")).to_be_visible()
    for title in ("Target", "Forecast", "Nearest training examples", "What the forecast is superposed of"):
        expect(drawer.get_by_text(title, exact=True).first).to_be_visible()
    expect(drawer.get_by_text("not trained").first).to_be_visible()
    expect(drawer.get_by_role("img", name="Target", exact=True)).to_be_visible()
    expect(drawer.get_by_text(re.compile("^distance"))).to_have_count(3)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_enter_opens_a_cell_and_escape_goes_back(opened, at, small):
    page = opened(1280, at("explore", **small)).page
    cells = page.get_by_label("Factor plane. Arrow keys choose a cell, Enter opens it.")
    cells.focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    expect(page.get_by_text("x = 3, y = 1: shown")).to_be_visible()
    page.keyboard.press("Enter")
    drawer = page.get_by_role("complementary", name="Cell x = 3, y = 1")
    expect(drawer.get_by_text("Shown in training.")).to_be_visible()
    expect(drawer).to_be_focused()
    page.keyboard.press("Escape")
    expect(drawer).to_have_count(0)
    expect(cells).to_be_focused()


def test_a_cell_of_a_run_has_its_output(opened, at, small_runs, saved):
    page = opened(1280, at(f"run/{small_runs[0]}", cell="4,3")).page
    drawer = page.get_by_role("complementary", name="Cell x = 3, y = 4")
    expect(drawer.get_by_text("output − target")).to_be_visible()
    expect(drawer.get_by_role("img", name="Output", exact=True)).to_be_visible()
    expect(drawer.get_by_text("What the output is superposed of")).to_be_visible()
    found = json.loads(saved(page, "the cell", "Cell as JSON").read_text())
    assert found["combination"] == [4, 3]
    assert found["output"] != found["target"]
    png = saved(page, "the cell", "Pictures as PNG").read_bytes()
    assert png.startswith(b"\x89PNG")
    assert struct.unpack(">I", png[20:24])[0] > 8 * 8  # eight pixels for each of a picture, and a title below
    export, close = (drawer.get_by_role("button", name=each) for each in ("Export the cell", "Close the cell"))
    page.set_viewport_size({"width": 240, "height": 900})
    sides = export.bounding_box(), close.bounding_box()
    assert sides[0]
    assert sides[1]
    assert abs(sides[0]["y"] - sides[1]["y"]) < sides[0]["height"] / 2  # beside it, however narrow
    drawer.get_by_role("button", name="Close the cell").click()
    expect(drawer).to_have_count(0)


def test_a_cell_of_a_task_that_reads_pictures_shows_what_it_reads(opened, at, width):
    problem = {"task": {"kind": "locate", "n": 8}, "split": {"kind": "block", "x": [2, 6], "y": [3, 6]}}
    page = opened(width, at("explore", problem=problem, cell="4,3")).page
    drawer = page.get_by_role("complementary", name="Cell x = 3, y = 4")
    pictures = drawer.locator(".answers").first.get_by_role("img")
    expect(pictures.nth(0)).to_have_accessible_name("Input")
    expect(pictures.nth(1)).to_have_accessible_name("Target")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
