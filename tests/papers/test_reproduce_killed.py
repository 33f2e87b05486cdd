"""`recombine reproduce` itself, killed in the middle and started again: nothing is lost, nothing is done twice."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from runpy import run_path

from recombine.papers import Scale
from recombine.records import Store

PROGRAM = Path(__file__).with_name("reproduce_small_claim.py")


def reproduce(store: Path) -> subprocess.Popen:
    asked = ["reproduce", "SM1", "--scale", "quick", "--json", "--store", str(store)]
    command = [sys.executable, str(PROGRAM), *asked]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


def test_killing_reproduce_and_starting_it_again(tmp_path: Path):
    store, claim = Store(tmp_path), run_path(str(PROGRAM))["CLAIM"]
    wanted = {experiment.digest() for experiment in claim.works(Scale.QUICK)}
    driver = reproduce(tmp_path)
    deadline = time.monotonic() + 300
    while not store.digests() and driver.poll() is None and time.monotonic() < deadline:
        time.sleep(0.05)
    os.kill(driver.pid, signal.SIGKILL)
    driver.communicate()
    assert not store.verify()
    written = {digest: (tmp_path / "runs" / digest / "record.json").stat().st_mtime_ns for digest in store.digests()}
    assert 0 < len(written) < len(wanted)

    again = reproduce(tmp_path)
    (judged,) = json.loads(again.communicate(timeout=300)[0])
    assert set(store.digests()) == wanted
    assert not store.verify()
    for digest, moment in written.items():
        assert (tmp_path / "runs" / digest / "record.json").stat().st_mtime_ns == moment
    assert judged["verdict"] != "missing"
    assert judged["control_verdict"] != "missing"
