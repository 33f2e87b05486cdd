"""By the clock, on an idle machine: how long a person waits for the explorer (`make clock`)."""

import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import median
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from recombine.benchmarks.synthetic import experiment, simulate

MANY = 10_000
DRAGS = 8
LOOK = (
    "const all = at => [...document.querySelectorAll(at)]; const text = at => all(at).map(e => e.textContent).join();"
)
PLANE = "all('[aria-label=\"Factor plane\"]').length > 0"

pytestmark = pytest.mark.slow


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    expect.set_options(timeout=120_000)
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    yield context.new_page()
    context.close()


@pytest.fixture
def told(capsys: pytest.CaptureFixture[str]) -> Callable[..., float]:
    """Prints what took how long, and gives the middle of it."""

    def tell(what: str, seconds: list[float]) -> float:
        spread = f" ({min(seconds):.2f} to {max(seconds):.2f} of {len(seconds)})" if len(seconds) > 1 else ""
        with capsys.disabled():
            sys.stdout.write(f"\n{what}: {median(seconds):.2f} s{spread}")
            sys.stdout.flush()
        return median(seconds)

    return tell


@contextmanager
def clock(seconds: list[float]) -> Iterator[None]:
    began = time.perf_counter()
    yield
    seconds.append(time.perf_counter() - began)


def drawn(page: Page, script: str, *values: Any) -> None:
    """Waits until something is on the page, asking at every frame: `expect` asks every half second at last."""
    page.wait_for_function(f"values => {{ {LOOK} return {script} }}", arg=values)


def drags(page: Page) -> list[float]:
    """Seconds from letting go of the region until the forecast for where it lies now is drawn, drag after drag."""
    seconds: list[float] = []
    panel = page.locator(".forecast-panel")
    expect(panel.locator("[aria-busy=false]")).to_be_visible()
    for turn in range(DRAGS):
        before = re.search(r"problem ([0-9a-f]{16})", panel.inner_text())
        box = page.locator(".region-body").bounding_box()
        assert before
        assert box
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        by = (-1) ** turn * (40 + 15 * turn)  # to and fro, further every time
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + by / 2, y)
        page.mouse.move(x + by, y)
        with clock(seconds):
            page.mouse.up()
            drawn(
                page,
                "!text('.forecast-panel').includes(values[0]) && all('.forecast-panel [aria-busy=false]').length",
                before[1],
            )
    return seconds


def test_the_explorer_opens_within_three_seconds(tmp_path, page, served, told):
    seconds: list[float] = []
    for turn in range(3):
        began = time.perf_counter()
        with served(tmp_path / f"runs-{turn}") as explorer:
            page.goto(explorer.address)
            drawn(page, PLANE)
            seconds.append(time.perf_counter() - began)
    assert told("from the command to the page", seconds) < 3


def test_a_forecast_follows_a_drag_within_a_second_and_a_map_a_training_within_five(tmp_path, page, served, told):
    with served(tmp_path / "runs") as explorer:
        page.goto(explorer.address)
        forecast = told("from a drag to the forecast", drags(page))
        seconds: list[float] = []
        page.get_by_role("button", name=re.compile("^Train ")).first.press("Enter")
        with clock(seconds):
            drawn(page, "text('[aria-label=\"Error map\"]').includes('nMSE of the network')")
        mapped = told("from the start of a training to its first map", seconds)
    assert forecast < 1
    assert mapped < 5


def test_with_many_records_and_a_training_beside_it_stays_responsive(tmp_path, page, served, told, at):
    simulate(tmp_path / "runs", MANY, arrays=False)
    with served(tmp_path / "runs") as explorer:
        listed: list[float] = []

        def look() -> None:
            page.goto("about:blank")
            with clock(listed):
                page.goto(explorer.address + at("runs"))
                drawn(page, r"/^1 to 25 of 1\d,\d{3} runs/.test(text('.runs-bar p')) && all('.run-name a').length")

        look()
        told(f"list with {MANY:,} records, the first, which makes its index", listed)
        del listed[:]
        for _ in range(3):
            look()
        lists = told(f"list with {MANY:,} records", listed)
        del listed[:]
        for seed in (77, 512, 9041, 1234):
            with clock(listed):
                page.get_by_label("Search").fill(experiment(seed).digest())
                drawn(page, "text('.run-name a').endsWith(values[0])", f"seed {seed}")
        searches = told("search among them", listed)

        del listed[:]
        explorer.ask(
            "api/train",
            {
                "problem": {"task": {"kind": "bump", "n": 16}, "split": {"kind": "block", "x": [4, 9], "y": [4, 9]}},
                "model": {"kind": "cnn-decoder"},
                "recipe": {"steps": 100_000},
            },
        )
        for _ in range(3):
            look()
        beside = told("list while a training runs", listed)
        page.goto(explorer.address + at("explore"))
        forecast = told("from a drag to the forecast while a training runs", drags(page))
    assert max(lists, searches, beside, forecast) < 1
