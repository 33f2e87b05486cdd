"""The page in a real browser, before the real server: started by its command, over a store of its own."""

import csv
import io
import json
import os
import re
import subprocess
import sys
import time
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect

WIDTHS = (390, 1280)
PATIENCE = 120.0  # seconds; many times what anything here takes on an idle machine
REFUSED = re.compile(r"Failed to load resource: the server responded with a status of 4\d\d")

# Small enough to train in a second or two, and with plain matrices to be looked at.
SMALL: dict[str, Any] = {
    "problem": {"task": {"kind": "bump", "n": 8}, "split": {"kind": "block", "x": [2, 6], "y": [3, 6]}},
    "model": {"kind": "mlp-decoder", "width": 16},
    "recipe": {"steps": 120},
}


@dataclass(frozen=True)
class Explorer:
    """A server that was started by its command."""

    address: str
    token: str

    def ask(self, path: str, body: dict[str, Any] | None = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        headers = {"X-Recombine-Token": self.token, "Content-Type": "application/json"}
        request = urllib.request.Request(f"{self.address}{path}", data, headers)
        with urllib.request.urlopen(request, timeout=PATIENCE) as response:
            return json.load(response)

    def train(self, **what: Any) -> str:
        """The digest of a training once it is done."""
        job = self.ask("api/train", what)["job"]
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            found = self.ask(f"api/jobs/{job}")
            if found["state"] == "done":
                return found["digest"]
            assert found["state"] in ("waiting", "running"), found["reason"]
            time.sleep(0.1)
        raise AssertionError(f"the training is still {found['state']} after {PATIENCE:.0f} s")


@contextmanager
def serving(store: Path) -> Iterator[Explorer]:
    """The command, from its start to its end."""
    command = [sys.executable, "-m", "recombine.cli", "explore", "--no-browser", "--port", "0", "--store", str(store)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, "COLUMNS": "200"}) as server:
        try:
            assert server.stdout is not None
            said = server.stdout.readline()
            found = re.search(r"http://127\.0\.0\.1:\d+/", said)
            assert found, f"the server did not say its address: {said!r}"
            with urllib.request.urlopen(found[0], timeout=PATIENCE) as response:
                token = re.search(r'name="recombine-token" content="([^"]+)"', response.read().decode())
            assert token, "the page has no token"
            yield Explorer(found[0], token[1])
        finally:
            server.terminate()
            server.wait(30)


@pytest.fixture(scope="session")
def served() -> Callable[[Path], AbstractContextManager[Explorer]]:
    return serving


@pytest.fixture(scope="session")
def explorer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Explorer]:
    with serving(tmp_path_factory.mktemp("page") / "runs") as found:
        yield found


@pytest.fixture(scope="session")
def small_runs(explorer: Explorer) -> tuple[str, str]:
    """Two small trainings: without and with factors shown alone."""
    alone = {**SMALL["problem"], "isolated": ["y", "x"]}
    return explorer.train(**SMALL), explorer.train(**{**SMALL, "problem": alone})


@dataclass
class Opened:
    """A page and what its console complained of."""

    page: Page
    complaints: list[str]
    foreign: list[str]

    def refusals_are_meant(self) -> None:
        """A browser puts every refused request on its console; forget those."""
        self.complaints[:] = [line for line in self.complaints if not REFUSED.match(line)]


Open = Callable[..., Opened]


@pytest.fixture
def opened(browser: Browser, explorer: Explorer) -> Iterator[Open]:
    """Opens the page somewhere; at the end its console must be without errors, and nothing be fetched elsewhere."""
    expect.set_options(timeout=1000 * PATIENCE)
    every: list[Opened] = []

    def open_at(width: int = 1280, hash: str = "", theme: str = "light") -> Opened:
        context = browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme="dark" if theme == "dark" else "light",
            has_touch=width < 500,
            accept_downloads=True,
            permissions=["clipboard-read", "clipboard-write"],
        )
        context.set_default_timeout(1000 * PATIENCE)
        page = context.new_page()
        made = Opened(page, [], [])

        def said(message: ConsoleMessage) -> None:
            if message.type in ("error", "warning"):
                made.complaints.append(message.text)

        page.on("console", said)
        page.on("pageerror", lambda error: made.complaints.append(str(error)))
        page.on("request", lambda request: request.url.startswith(("http", "ws")) and made.foreign.append(request.url))
        every.append(made)
        page.goto(f"{explorer.address}{hash}")
        return made

    yield open_at
    for made in every:
        made.page.context.close()
    assert [line for made in every for line in made.complaints] == []
    assert {url for made in every for url in made.foreign if not url.startswith(explorer.address)} == set()


def place(view: str, **params: Any) -> str:
    """The part of an address behind "#"."""
    text = {name: value if isinstance(value, str) else json.dumps(value) for name, value in params.items()}
    return f"#/{view}" + (f"?{urllib.parse.urlencode(text)}" if text else "")


@pytest.fixture
def at() -> Callable[..., str]:
    return place


@pytest.fixture
def small() -> dict[str, Any]:
    return SMALL


@pytest.fixture
def saved() -> Callable[[Page, str, str], Path]:
    """Uses one way of an export menu; the file that the browser saved."""

    def save(page: Page, of: str, way: str) -> Path:
        page.get_by_role("button", name=f"Export {of}", exact=True).click()
        with page.expect_download() as download:
            page.get_by_role("button", name=way, exact=True).click()
        return Path(download.value.path())

    return save


@pytest.fixture
def saved_rows(saved: Callable[[Page, str, str], Path]) -> Callable[[Page, str, str], list[dict[str, str]]]:
    """The same for a table."""

    def save(page: Page, of: str, way: str) -> list[dict[str, str]]:
        return list(csv.DictReader(io.StringIO(saved(page, of, way).read_text(), newline="")))

    return save


@pytest.fixture(params=WIDTHS, ids=lambda width: f"{width}px")
def width(request: pytest.FixtureRequest) -> int:
    return request.param
