"""The explorer opens, forecasts and shows a first map as fast as a person expects, in seconds of CPU."""

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import httpx
import pytest
import uvicorn

from recombine.explorer.app import create_app
from recombine.explorer.presets import PRESETS
from recombine.explorer.serving import bind

TICKS = os.sysconf("SC_CLK_TCK")
PATIENCE = 120


def used(pid: int) -> float:
    """Seconds of CPU that a process has used, with those of its threads."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


@pytest.mark.alone
def test_it_opens_within_three_seconds(tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-m", "recombine.cli", "explore", "--port", "0", "--no-browser", "--json"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        document = ""
        while not document.endswith("}\n"):
            document += process.stdout.readline()
        with httpx.Client(base_url=json.loads(document)["address"], timeout=PATIENCE) as client:
            for path in ("/", "/api/about", "/api/catalogue"):
                assert client.get(path).status_code == 200
        assert used(process.pid) < 3
    finally:
        process.kill()
        process.communicate()


@pytest.mark.alone
def test_a_drag_is_forecast_within_a_second_and_a_training_shows_its_first_map_within_five(tmp_path):
    app, listening = create_app(tmp_path), bind("127.0.0.1", 0)
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", ws="none", timeout_graceful_shutdown=1))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    session, first = app.state.session, PRESETS[0]
    client = httpx.Client(
        base_url=f"http://127.0.0.1:{listening.getsockname()[1]}",
        headers={"X-Recombine-Token": app.state.token},
        timeout=PATIENCE,
    )
    try:
        client.post("/api/forecast", json={"problem": first["problem"]})  # once all is loaded
        beside = session.quick._process.pid
        for end in range(10, 16):
            dragged = {**first["problem"], "split": {**first["problem"]["split"], "x": [4, end]}}
            before = used(beside) + time.process_time()
            assert client.post("/api/problem", json={"problem": dragged}).status_code == 200
            assert client.post("/api/forecast", json={"problem": dragged}).status_code == 200
            assert used(beside) + time.process_time() - before < 1

        asked = {name: first[name] for name in ("problem", "model", "recipe")}
        name = client.post("/api/train", json=asked).json()["job"]
        job, began = session.jobs.get(name), time.monotonic()
        while job.seen is None and not job.ended and time.monotonic() - began < PATIENCE:
            time.sleep(0.01)
        assert client.get(f"/api/jobs/{name}").json()["map"] is not None
        assert used(job.process.pid) < 5
        client.post(f"/api/jobs/{name}/discard")
    finally:
        client.close()
        server.should_exit = True
        thread.join()
