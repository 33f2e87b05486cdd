"""Explore: the region is dragged, the forecast follows, cells open, and a link restores it all."""

import json
import re

import pytest
import yaml
from playwright.sync_api import Locator, Page, expect

SCENES = "Two sprites"  # the preset without a grid of combinations
PNG = b"\x89PNG\r\n\x1a\n"


def region(page: Page) -> Locator:
    return page.get_by_label("Held-out region:")


def words(page: Page) -> Locator:
    return page.locator(".region-words")


def forecast_of(page: Page) -> str:
    """The digest of the problem whose forecast is shown, once it is the newest."""
    expect(page.locator(".forecast-panel [aria-busy=false]")).to_be_visible()
    found = re.search(r"problem ([0-9a-f]{16})", page.locator(".forecast-panel").inner_text())
    assert found
    return found[1]


def test_it_opens_with_a_forecast_for_the_first_preset(opened, width):
    page = opened(width).page
    expect(page.get_by_text("Does not compose", exact=True)).to_be_visible()
    expect(page.get_by_role("heading", name="Why")).to_be_visible()
    expect(page.get_by_role("heading", name="Connectivity")).to_be_visible()
    expect(page.get_by_label(re.compile("^Expected error by section: shown 0"))).to_be_visible()
    expect(page.get_by_label(re.compile("^Expected held-out performance by section and by network"))).to_be_visible()
    plane = page.get_by_label("Factor plane", exact=True)
    expect(plane.get_by_text("Forecast nMSE of held-out cells")).to_be_visible()  # the colour scale has its quantity
    expect(plane.get_by_text("x", exact=True)).to_be_visible()
    expect(plane.get_by_text("y", exact=True)).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_mouse_moves_resizes_and_draws_the_region(opened, at, small):
    page = opened(1280, at("explore", **small)).page
    expect(words(page)).to_have_text("x 2 to 5, y 3 to 5")
    first = forecast_of(page)
    box = page.locator(".region-body").bounding_box()
    assert box
    cell = box["width"] / 4

    def drag(x: float, y: float, by_x: float, by_y: float) -> None:
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + by_x / 2, y + by_y / 2)
        page.mouse.move(x + by_x, y + by_y)
        page.mouse.up()

    drag(box["x"] + 2 * cell, box["y"] + 1.5 * cell, cell, -2 * cell)
    expect(words(page)).to_have_text("x 3 to 6, y 1 to 3")
    expect(page.get_by_text(" 12 are held out")).to_be_visible()
    assert forecast_of(page) != first

    right, bottom = box["x"] + 5 * cell, box["y"] + 1 * cell
    drag(right, bottom, -2 * cell, 3 * cell)  # the lower right corner
    expect(words(page)).to_have_text("x 3 to 4, y 1 to 6")

    drag(box["x"] - 1.5 * cell, box["y"] - 2.5 * cell, cell, 3 * cell)  # from a cell outside: a new one
    expect(words(page)).to_have_text("x 0 to 1, y 0 to 3")
    expect(page.get_by_text(" 8 are held out")).to_be_visible()


def test_a_finger_moves_the_region_and_scrolls_beside_it(opened, at, small):
    page = opened(390, at("explore", **small)).page
    expect(words(page)).to_have_text("x 2 to 5, y 3 to 5")
    forecast_of(page)
    page.locator(".region-body").scroll_into_view_if_needed()
    box = page.locator(".region-body").bounding_box()
    assert box
    cell = box["width"] / 4
    session = page.context.new_cdp_session(page)

    def swipe(x: float, y: float, by_x: float, by_y: float) -> None:
        session.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
        for share in (0.25, 0.5, 0.75, 1):
            point = {"x": x + share * by_x, "y": y + share * by_y}
            session.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [point]})
        session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})

    swipe(box["x"] + 2 * cell, box["y"] + 1.5 * cell, cell, 2 * cell)
    expect(words(page)).to_have_text("x 3 to 6, y 5 to 7")
    swipe(box["x"] + 5 * cell, box["y"] + 2 * cell, cell, -cell)  # its upper right corner
    expect(words(page)).to_have_text("x 3 to 7, y 4 to 7")

    before = page.evaluate("scrollY")
    swipe(box["x"] - 1.5 * cell, box["y"] + 2 * cell, 0, -3 * cell)
    page.wait_for_timeout(300)
    assert page.evaluate("scrollY") > before
    expect(words(page)).to_have_text("x 3 to 7, y 4 to 7")
    expect(page.locator(".drawer")).to_have_count(0)


def test_keys_move_and_resize_the_region(opened, at, small, width):
    page = opened(width, at("explore", **small)).page
    region(page).focus()
    for key, then in [
        ("ArrowRight", "x 3 to 6, y 3 to 5"),
        ("ArrowUp", "x 3 to 6, y 2 to 4"),
        ("Shift+ArrowRight", "x 3 to 7, y 2 to 4"),
        ("ArrowRight", "x 3 to 7, y 2 to 4"),  # it is at the border
        ("Shift+ArrowUp", "x 3 to 7, y 2 to 3"),
        ("Shift+ArrowUp", "x 3 to 7, y 2"),
        ("Shift+ArrowUp", "x 3 to 7, y 2"),  # one level is left
    ]:
        page.keyboard.press(key)
        expect(words(page)).to_have_text(then)
    expect(page.get_by_text(" 5 are held out")).to_be_visible()
    assert "X 3 TO 7, Y 2" in (region(page).get_attribute("aria-label") or "").upper()


def test_answers_to_what_was_asked_before_are_dropped(opened, at, small):
    page = opened(1280, at("explore", **small)).page
    first = forecast_of(page)
    asked: list[str] = []

    def late(route) -> None:
        asked.append(route.request.post_data)
        if len(asked) == 1:
            page.wait_for_timeout(400)  # longer than the next change takes to be asked
        route.continue_()

    page.route("**/api/forecast", late)
    region(page).focus()
    page.keyboard.press("ArrowLeft")
    page.wait_for_timeout(200)
    for _ in range(8):
        page.keyboard.press("ArrowRight")  # held down: eight changes within the wait
    expect(words(page)).to_have_text("x 4 to 7, y 3 to 5")
    last = forecast_of(page)
    page.wait_for_timeout(600)
    assert last == forecast_of(page) != first
    assert json.loads(asked[-1])["problem"]["split"]["x"] == [4, 8]
    assert len(asked) < 5, "keys that follow each other closely are to be asked about once"


def test_what_a_field_cannot_take_is_not_trained(opened, at, small):
    page = opened(1280, at("explore", **small)).page
    train, seed = page.get_by_role("button", name="Train mlp-decoder"), page.get_by_label("Seed")
    expect(train).to_be_enabled()
    for wrong in ("2.5", "-1", "1000000000"):
        seed.fill(wrong)
        expect(page.locator(".field-fault")).to_have_text("Seed must be a whole number from 0 to 99,999.")
        expect(train).to_be_disabled()
    seed.fill("7")
    expect(train).to_be_enabled()


def test_a_field_may_be_empty_while_it_is_edited(opened, at, small):
    page = opened(1280, at("explore", **small)).page
    expect(words(page)).to_have_text("x 2 to 5, y 3 to 5")
    page.get_by_text("Settings of the task").click()
    size = page.get_by_label("n", exact=True)
    size.fill("")
    page.wait_for_timeout(700)
    expect(size).to_have_value("")
    for typed in ("2", "4"):  # 2 is a size too, and is taken over in between
        size.press_sequentially(typed)
        page.wait_for_timeout(700)
    expect(words(page)).to_have_text("x 6 to 17, y 9 to 17")


@pytest.mark.parametrize("task", ["hill", "locate"])
def test_another_task_has_a_network_that_fits(opened, task):
    page = opened().page
    expect(page.get_by_label("Network", exact=True)).to_have_value("cnn-decoder")
    page.get_by_label("Task", exact=True).select_option(f"task:{task}")
    expect(page.get_by_label("Network", exact=True)).to_have_value("mlp-decoder")
    assert "cnn-decoder" not in page.get_by_label("Network", exact=True).inner_text()


def test_a_link_that_cannot_be_read_says_so(opened):
    page = opened(1280, "#/explore?problem={bad&preset=nope").page
    expect(page.get_by_role("alert")).to_contain_text("could not be read in full; left out: its preset, problem.")


def test_a_link_restores_the_view(opened, at, small):
    page = opened(1280, at("explore", **small)).page
    region(page).focus()
    page.keyboard.press("ArrowRight")
    expect(words(page)).to_have_text("x 3 to 6, y 3 to 5")
    page.get_by_label("Network", exact=True).select_option("cnn-decoder")
    page.get_by_label("Seed").fill("7")
    page.locator(".cells").first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.get_by_role("complementary", name="Cell x = 0, y = 1")).to_be_visible()
    page.get_by_role("button", name="Copy link").click()
    link = page.evaluate("navigator.clipboard.readText()")

    other = opened(390).page
    other.goto("about:blank")
    other.goto(link)
    expect(words(other)).to_have_text("x 3 to 6, y 3 to 5")
    expect(other.get_by_role("complementary", name="Cell x = 0, y = 1")).to_be_visible()
    expect(other.get_by_label("Network", exact=True)).to_have_value("cnn-decoder")
    expect(other.get_by_label("Seed")).to_have_value("7")


def test_factors_shown_alone_change_the_problem_and_its_forecast(opened, at, small, width):
    page = opened(width, at("explore", **small)).page
    before = forecast_of(page)
    slider = page.get_by_label("Levels of each factor shown alone")
    expect(slider).to_have_attribute("aria-valuetext", "none")
    slider.focus()
    page.keyboard.press("End")
    expect(slider).to_have_attribute("aria-valuetext", "all 8")
    expect(page.get_by_text("16 examples of a factor alone")).to_be_visible()
    whole = forecast_of(page)
    page.keyboard.press("ArrowLeft")
    expect(slider).to_have_attribute("aria-valuetext", "7 of 8")
    expect(page.get_by_text("14 examples of a factor alone")).to_be_visible()
    assert len({before, whole, forecast_of(page)}) == 3


def test_every_preset_opens_with_a_forecast(opened):
    page = opened(390).page
    presets = page.get_by_label("Task", exact=True).locator("optgroup[label=Presets] option")
    expect(presets.first).to_be_attached()
    count = presets.count()
    assert count >= 6
    for place in range(count):
        title = presets.nth(place).inner_text()
        if title == SCENES:
            continue
        page.get_by_label("Task", exact=True).select_option(label=title)
        forecast_of(page)
        expect(page.get_by_role("alert")).to_have_count(0)
        expect(page.locator(".forecast-verdict .verdict")).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), title


def test_scenes_have_pictures_and_no_plane(opened, width):
    page = opened(width).page
    page.get_by_label("Task", exact=True).select_option(label=SCENES)
    expect(page.get_by_text("Training shows 20,000 examples")).to_be_visible()
    expect(page.locator(".plane-panel").get_by_role("img").first).to_be_visible()
    expect(page.get_by_label("Factor plane", exact=True)).to_have_count(0)
    expect(page.get_by_role("button", name="Work out the forecast")).to_be_visible()


def test_the_forecast_of_scenes_is_worked_out_once_it_is_asked_for(opened, at):
    tiny = {"task": {"kind": "sprites", "size": 4, "tests": 10}, "support": {"kind": "planes"}, "examples": 200}
    page = opened(1280, at("explore", preset="sprites", problem=tiny)).page
    page.get_by_role("button", name="Work out the forecast").click()
    forecast_of(page)
    expect(page.locator(".forecast-verdict .verdict")).to_be_visible()
    expect(page.get_by_role("heading", name="Support")).to_be_visible()


def test_a_forecast_that_takes_long_says_so_meanwhile(opened, at, small):
    page = opened(1280, at("explore", **small)).page
    first = forecast_of(page)
    held = []
    page.route("**/api/forecast", lambda route: held.append(route))
    region(page).focus()
    page.keyboard.press("ArrowRight")
    said = page.locator(".forecast-panel").get_by_text("takes longer than most")
    expect(said).to_contain_text("This forecast of 52 examples")
    expect(said).to_contain_text("`recombine forecast problem.yaml`")
    held.pop().continue_()
    expect(said).to_have_count(0)
    assert forecast_of(page) != first


def test_kinds_of_region_are_chosen_and_set(opened, at, small):
    page = opened(1280, at("explore", **small)).page
    for kind in ("corner", "cross", "band", "diagonal", "orthogonal", "anchors", "random", "block"):
        page.get_by_label("Region", exact=True).select_option(kind)
        forecast_of(page)
        expect(page.get_by_role("alert")).to_have_count(0)
        expect(page.get_by_text(re.compile(r" [1-9]\d? (are|is) held out"))).to_be_visible()
    page.get_by_label("Region", exact=True).select_option("random")
    page.get_by_label("fraction").fill("0.5")
    expect(page.get_by_text(" 32 are held out")).to_be_visible()


def test_a_refusal_is_shown_as_the_sentence_it_is(opened, at, small):
    made = opened(1280, at("explore", **small))
    page = made.page
    page.get_by_text("Settings of the task, and the problem as text").click()
    text = page.get_by_label("The problem as JSON")
    text.fill("{")
    page.get_by_role("button", name="Use this problem").click()
    expect(page.get_by_role("alert").first).to_contain_text("This is not JSON")
    text.fill(json.dumps({**small["problem"], "split": {"kind": "block", "x": [2, 99]}}))
    page.get_by_role("button", name="Use this problem").click()
    expect(page.get_by_role("alert").first).to_have_text(
        "block: x = (2, 99) is outside the grid; x has 8 levels, so give a range within (0, 8)."
    )
    expect(page.get_by_role("button", name="Train mlp-decoder")).to_be_disabled()
    text.fill(json.dumps(small["problem"]))
    page.get_by_role("button", name="Use this problem").click()
    expect(page.get_by_role("alert")).to_have_count(0)
    made.refusals_are_meant()


def test_the_problem_and_its_forecast_are_saved(opened, at, small, saved, saved_rows):
    page = opened(1280, at("explore", **small)).page
    digest = forecast_of(page)
    assert yaml.safe_load(saved(page, "the problem", "Problem as YAML").read_text()) == small["problem"]
    assert json.loads(saved(page, "the problem", "Problem as JSON").read_text()) == small["problem"]
    assert saved(page, "the problem", "Plane as PNG").read_bytes().startswith(PNG)
    rows = saved_rows(page, "the problem", "Forecast map as CSV")
    assert len(rows) == 64
    assert {(row["x"], row["y"]) for row in rows if row["nMSE"]} == {
        (str(x), str(y)) for x in range(2, 6) for y in range(3, 6)
    }
    assert json.loads(saved(page, "the forecast", "Forecast as JSON").read_text())["digest"] == digest
    sections = {row["name"] for row in saved_rows(page, "the forecast", "Numbers as CSV")}
    assert {"id", "ood", "cnn-decoder"} <= sections
    assert saved(page, "the forecast", "Sections as PNG").read_bytes().startswith(PNG)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_theme_is_the_systems_until_it_is_chosen(opened, theme):
    page = opened(1280, theme=theme).page
    shade = "getComputedStyle(document.body).backgroundColor"
    button = page.get_by_role("button", name="Theme:")
    system = page.evaluate(shade)
    button.click()
    expect(button).to_contain_text("light")
    light = page.evaluate(shade)
    button.click()
    expect(button).to_contain_text("dark")
    dark = page.evaluate(shade)
    assert light != dark
    assert system == (dark if theme == "dark" else light)
    page.reload()
    expect(button).to_contain_text("dark")
    assert page.evaluate(shade) == dark


def test_a_plane_of_one_long_row_is_broken_into_lines(opened, at, width):
    """360 angles of a digit: dragged, moved by keys and opened as any other plane."""
    problem = {"task": {"kind": "rotated-digit"}, "split": {"kind": "block", "angle": [160, 200]}}
    page = opened(width, at("explore", problem=problem)).page
    expect(words(page)).to_have_text("angle 160 to 199, digit 0")
    forecast_of(page)
    area = page.locator(".plane-panel .cells-area")
    area.scroll_into_view_if_needed()
    box, part = area.bounding_box(), page.locator(".plane-panel .region-body").first.bounding_box()
    assert box
    assert part
    assert part["height"] > 10  # of a cell
    across = round(box["width"] / part["height"])
    cell = box["width"] / across
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    for start in range(0, 360, across):  # the first of every line has its label
        expect(page.locator(".plane-panel .tick", has_text=re.compile(f"^{start}$")).first).to_be_visible()

    region(page).focus()
    for key, then in [
        ("ArrowRight", "angle 161 to 200, digit 0"),
        ("ArrowDown", f"angle {161 + across} to {200 + across}, digit 0"),
        ("Shift+ArrowLeft", f"angle {161 + across} to {199 + across}, digit 0"),
    ]:
        page.keyboard.press(key)
        expect(words(page)).to_have_text(then)

    cells = page.locator(".plane-panel .cells")
    cells.focus()
    for key in ("ArrowDown", "ArrowRight", "ArrowRight"):
        page.keyboard.press(key)
    expect(page.get_by_text(f"digit = 4, angle = {across + 2}: shown")).to_be_visible()
    page.keyboard.press("Enter")
    drawer = page.get_by_role("complementary", name=f"Cell digit = 4, angle = {across + 2}")
    expect(drawer).to_be_visible()
    page.keyboard.press("Escape")
    expect(drawer).to_have_count(0)

    if width > 500:  # the third cell of the second line, then on to the third line
        pitch = (box["height"] - cell) / (-(-360 // across) - 1)
        x, y = box["x"] + 2.5 * cell, box["y"] + pitch + cell / 2
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + cell, y + pitch / 2)
        page.mouse.move(x + cell, y + pitch)
        page.mouse.up()
        expect(words(page)).to_have_text(f"angle {across + 2} to {2 * across + 3}, digit 0")
        page.mouse.move(x + cell, y)  # the box that was drawn, pulled a line up
        page.mouse.down()
        page.mouse.move(x, y - pitch / 2)
        page.mouse.move(x, y - pitch)
        page.mouse.up()
        expect(words(page)).to_have_text(f"angle 1 to {across + 2}, digit 0")
