"""The command, as a person starts it."""

import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest


@pytest.fixture
def started(tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-m", "recombine.cli", "explore", "--port", "0", "--no-browser", "--json", "--store", "here"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    document = ""
    while not document.endswith("}\n"):
        document += process.stdout.readline()
    yield process, json.loads(document)["address"], tmp_path
    process.kill()
    process.communicate()


def children(process: subprocess.Popen) -> list[int]:
    """The processes that it started, and theirs."""
    found, left = [], [process.pid]
    while left:
        for task in Path(f"/proc/{left.pop()}/task").glob("*/children"):
            new = [int(number) for number in task.read_text().split()]
            found += new
            left += new
    return found


def test_it_serves_until_interrupted_and_leaves_no_process_behind(started):
    process, address, folder = started
    assert address.startswith("http://127.0.0.1:")
    with httpx.Client(base_url=address, timeout=60) as client:
        assert client.get("/").status_code == 200
        about = client.get("/api/about").json()
        assert about["store"] == "here"
        assert not (folder / "here").exists()  # looking creates nothing
        token = client.get("/").text.split('recombine-token" content="')[1].split('"')[0]
        problem = {"task": {"kind": "bump", "n": 8}, "split": {"kind": "block", "y": [2, 5], "x": [3, 6]}}
        told = client.post("/api/forecast", json={"problem": problem}, headers={"X-Recombine-Token": token})
        assert told.json()["verdict"].startswith("Undecided in the kernel (lazy) regime")
    beside = children(process)
    assert beside
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=60) in (0, 130)
    end = time.monotonic() + 30
    while any(_alive(number) for number in beside) and time.monotonic() < end:
        time.sleep(0.1)
    assert not any(_alive(number) for number in beside)


def test_an_end_in_the_middle_of_a_request_is_a_sentence(started):
    """A forecast that takes longer than the server waits for it: it is cut off, and no one is shown where."""
    process, address, _ = started
    problem = {"task": {"kind": "bump", "n": 48}, "split": {"kind": "block", "y": [9, 30], "x": [9, 30]}}
    with httpx.Client(base_url=address, timeout=60) as client, ThreadPoolExecutor(1) as beside:
        token = client.get("/").text.split('recombine-token" content="')[1].split('"')[0]
        headers = {"X-Recombine-Token": token}
        cut_off = beside.submit(client.post, "/api/forecast", json={"problem": problem}, headers=headers)
        time.sleep(2)
        assert not cut_off.done()
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
        cut_off.exception(timeout=60)
    assert "Traceback" not in said
    assert len(said.splitlines()) <= 1


def _alive(number: int) -> bool:
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_place_that_is_no_store_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    done = subprocess.run(
        [sys.executable, "-m", "recombine.cli", "explore", "--store", "file", "--no-browser", "--port", "0"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        env=os.environ,
    )
    assert done.returncode == 2
    assert "'file' is a file; give a folder" in done.stderr


def test_nothing_of_the_server_is_loaded_before_it_is_asked_for():
    """`recombine --help` and `list` start as fast as without it."""
    script = "import sys, recombine.cli.app; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()
    assert "recombine.cli.exploring" in loaded
    assert {"fastapi", "uvicorn", "starlette", "recombine.explorer"}.isdisjoint(loaded)


@pytest.mark.parametrize("port", ["-1", "65536", "99999"])
def test_what_is_no_port_is_refused(port, tmp_path):
    command = [sys.executable, "-m", "recombine.cli", "explore", "--port", port, "--no-browser"]
    refused = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert refused.returncode == 2
    assert "--port" in refused.stderr
