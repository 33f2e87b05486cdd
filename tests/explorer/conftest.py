"""A server as a person has it: listening on a port of this machine, asked over HTTP."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn
from fastapi import FastAPI

from recombine.cli.explaining import train_command
from recombine.explorer.app import create_app
from recombine.explorer.serving import bind

PATIENCE = 120  # seconds; several times what anything here takes on a busy machine


@dataclass
class Running:
    """A server that answers, and a client that has its token."""

    app: FastAPI
    client: httpx.Client
    port: int
    store: Path

    def get(self, path: str, **query: Any) -> Any:
        return self.answer(self.client.get(path, params=query))

    def post(self, path: str, **body: Any) -> Any:
        return self.answer(self.client.post(path, json=body))

    def answer(self, response: httpx.Response) -> Any:
        assert response.status_code == 200, response.text
        return response.json()

    def refused(self, response: httpx.Response, status: int) -> str:
        """The one sentence of a refusal."""
        assert response.status_code == status, response.text
        document = response.json()
        assert set(document) == {"error"}
        assert "\n" not in document["error"]
        return document["error"]

    def events(self, job: str) -> Iterator[dict[str, Any]]:
        with self.client.stream("GET", f"/api/jobs/{job}/events") as stream:
            assert stream.headers["content-type"].startswith("text/event-stream")
            for line in stream.iter_lines():
                if line:
                    yield json.loads(line.removeprefix("data: "))

    def until(self, job: str, *states: str) -> dict[str, Any]:
        """The job once it is in one of these states."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            found = self.get(f"/api/jobs/{job}")
            if found["state"] in states:
                return found
            time.sleep(0.05)
        raise AssertionError(f"job {job} is {found['state']} and not {states}: {found['reason']}")


@contextmanager
def running(store: Path) -> Iterator[Running]:
    """A server over a store, in a thread."""
    listening = bind("127.0.0.1", 0)
    port = listening.getsockname()[1]
    app = create_app(store, command_of=train_command)
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", ws="none", timeout_graceful_shutdown=1))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        with httpx.Client(
            base_url=f"http://127.0.0.1:{port}", headers={"X-Recombine-Token": app.state.token}, timeout=PATIENCE
        ) as client:
            yield Running(app, client, port, store)
    finally:
        server.should_exit = True
        thread.join()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running(tmp_path_factory.mktemp("explorer") / "runs") as found:
        yield found


@pytest.fixture
def start() -> Callable[[Path], AbstractContextManager[Running]]:
    """Starts a server over a store of one's own."""
    return running
