"""The local executor: real worker processes, real kills, real records."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from recombine.core.errors import InputError
from recombine.data import Problem, tasks
from recombine.models import models
from recombine.records import Store
from recombine.splits import regions
from recombine.studies import Experiment, vary
from recombine.studies.local import execute, missing
from recombine.training import Recipe, run

BASE = Experiment(
    problem=Problem(tasks.bump(n=(6, 8)), regions.block(x=(2, 5), y=(2, 4))),
    model=models.mlp_decoder(width=8, depth=1),
    recipe=Recipe(steps=30),
    measures=("ood_nmse",),
)


def test_runs_are_recorded_once_with_their_forecast_and_match_running_alone(tmp_path: Path):
    store = Store(tmp_path)
    experiments = list(vary(BASE, seed=range(3)))
    assert execute(experiments, store, workers=2) == 3
    assert execute(experiments, store, workers=2) == 0
    for experiment in experiments:
        record = store.read(experiment.digest(), weights=True)
        alone = run(experiment.plan())
        assert record.body["measures"] == pytest.approx(alone.measures, rel=1e-4)
        assert Experiment.read(record.body["specification"]) == experiment
        assert record.body["seed"] == experiment.seed
    forecast = store.forecast(BASE.problem.digest())
    assert forecast is not None
    assert {"verdict", "sections"} <= set(forecast)
    assert len(store.table()) == 3


def test_a_diverged_run_is_recorded_as_failed_and_stops_nothing(tmp_path: Path):
    store = Store(tmp_path)
    wild = Recipe(steps=400, optimiser="sgd", rate=1e6)
    experiments = list(vary(BASE, recipe=(wild, BASE.recipe)))
    execute(experiments, store, workers=1)
    failed, fine = (store.read(experiment.digest()).body for experiment in experiments)
    assert failed["status"] == "failed"
    assert "the loss became" in failed["reason"]
    assert fine["status"] == "done"
    assert missing(experiments, store) == []


def test_bad_input_in_one_run_is_raised_after_the_others_are_done(tmp_path: Path):
    store = Store(tmp_path)
    bad = Experiment.read({**BASE.settings(), "measures": ["stripe_extension"]})  # an MLP renders no embeddings
    with pytest.raises(InputError, match="embeddings"):
        execute([bad, BASE], store, workers=1)
    assert store.has(BASE.digest())
    assert not store.has(bad.digest())


def test_a_worker_that_dies_twice_makes_a_failed_run_and_its_neighbours_finish(tmp_path: Path):
    """Seed 1 kills its own worker process with SIGKILL, every time."""
    script = f"""
import os, signal
import recombine.studies.local as local
from recombine.records import Store
from pathlib import Path

work = local._work

def deadly(settings):
    if any(each.get("seed") == 1 for each in settings):
        os.kill(os.getpid(), signal.SIGKILL)
    return work(settings)

local._work = deadly
if __name__ == "__main__":
    from recombine.studies import Experiment, vary
    base = Experiment.read({BASE.settings()!r})
    local.execute(list(vary(base, seed=range(3))), Store(Path({str(tmp_path)!r})), workers=2)
"""
    path = tmp_path / "deadly.py"
    path.write_text(script)
    subprocess.run([sys.executable, path], check=True, timeout=120)
    store = Store(tmp_path)
    bodies = [store.read(experiment.digest()).body for experiment in vary(BASE, seed=range(3))]
    assert [body["status"] for body in bodies] == ["done", "failed", "done"]
    assert bodies[1]["reason"] == "its worker process died twice"


def start(store: Path) -> subprocess.Popen:
    """A reproduction of many short runs, in a session of its own."""
    script = (
        "from recombine.studies import Experiment, vary; from recombine.studies.local import execute; "
        "from recombine.records import Store; from pathlib import Path\n"
        "if __name__ == '__main__':\n"
        f"    base = Experiment.read({BASE.settings()!r})\n"
        f"    execute(list(vary(base, seed=range(12))), Store(Path({str(store)!r})), workers=2)\n"
    )
    path = store.parent / "driver.py"
    path.write_text(script)
    return subprocess.Popen([sys.executable, path], start_new_session=True)


def test_killing_the_driver_loses_and_repeats_nothing_and_leaves_no_orphan(tmp_path: Path):
    root = tmp_path / "store"
    store = Store(root)
    seen: dict[str, int] = {}
    for wanted in (1, 4):
        driver = start(root)
        deadline = time.monotonic() + 90
        while len(store.digests()) < wanted and time.monotonic() < deadline and driver.poll() is None:
            time.sleep(0.02)
        os.kill(driver.pid, signal.SIGKILL)
        driver.wait()
        assert not store.verify()
        finished = {digest: (root / "runs" / digest / "record.json").stat().st_mtime_ns for digest in store.digests()}
        assert seen.items() <= finished.items()  # nothing lost, nothing written again
        seen = finished
        assert_no_process_of_session(driver.pid)
    assert start(root).wait(timeout=120) == 0
    assert len(store.digests()) == 12
    assert not store.verify()
    for digest, written in seen.items():
        assert (root / "runs" / digest / "record.json").stat().st_mtime_ns == written


def assert_no_process_of_session(session: int) -> None:
    """Workers notice that their driver is gone and leave."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        listed = subprocess.run(["ps", "-o", "pid=", "-s", str(session)], capture_output=True, text=True)
        if not listed.stdout.strip():
            return
        time.sleep(0.2)
    pytest.fail(f"processes left behind: {listed.stdout}")
