"""A process may be killed at any moment: no finished run is lost, no half-written one is ever read."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import recombine
from recombine.records import Record, Store

# The files that touch the disk; where a process dies inside a computation makes no difference.
FOLDER = Path(recombine.__file__).parent / "records"
FILES = {str(FOLDER / name) for name in ("store.py", "durable.py", "forecasts.py", "index.py")}

COMMITS = """
import sys
import numpy as np
from pathlib import Path
from recombine.records import Record, Store

store, first = Store(Path(sys.argv[1])), int(sys.argv[2])
for number in range(first, first + 10_000):
    digest = f"{number:08d}"
    noise = np.random.default_rng(number).normal(size=(40, 50))
    store.commit_forecast(digest, {"number": number})
    store.commit(Record(digest, {"number": number}, arrays={"noise": noise}, weights={"noise": noise}))
    print(digest, flush=True)
"""


def killed_after(lines: int, action) -> bool:
    """Run ``action`` in a child that is killed (SIGKILL) before its n-th line of the package; True if it was."""
    child = os.fork()
    if child == 0:
        left = lines
        os.fsync = lambda _: None  # a killed process takes no written byte with it; waiting only slows the test

        def count(frame, event, _):
            nonlocal left
            if frame.f_code.co_filename not in FILES:
                return None
            if event == "line":
                left -= 1
                if left < 0:
                    os.kill(os.getpid(), signal.SIGKILL)
            return count

        sys.settrace(count)
        try:
            action()
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


def test_killed_before_any_line_of_a_commit_the_run_is_there_whole_or_not_at_all(tmp_path, sample, same):
    store, record, seen, lines = Store(tmp_path), sample("a0"), [], 0
    earlier = sample("b0", seed=5)
    store.commit(earlier)
    while killed_after(lines, lambda: store.commit(record)):
        seen.append(store.has("a0"))
        assert store.digests() == (["a0", "b0"] if seen[-1] else ["b0"])
        assert store.verify() == []
        if seen[-1]:
            assert same(store.read("a0", weights=True), record)
            assert [body["digest"] for body in store.bodies()[0]] == ["a0", "b0"]
            # For the next round; the test may do what recombine never does.
            (store.runs / "a0").rename(tmp_path / f"taken-{lines}")
        lines += 1
    assert seen == sorted(seen)  # not there up to the rename, there ever after
    assert seen.count(False) > 20
    assert seen.count(True) > 2
    assert same(store.read("b0", weights=True), earlier)
    assert len(list(store.drafts.folder.iterdir())) > 5  # killed ones leave drafts, and those can be swept
    assert len(store.sweep_drafts()) > 5
    assert list(store.drafts.folder.iterdir()) == []
    assert store.verify() == []


def test_killed_before_any_line_of_a_forecast_it_is_there_whole_or_not_at_all(tmp_path):
    store, seen, lines = Store(tmp_path), [], 0
    while killed_after(lines, lambda: store.commit_forecast("a0", {"verdict": "composes"})):
        standing = store.forecast("a0")
        assert standing in (None, {"verdict": "composes"})
        seen.append(standing is not None)
        assert store.verify() == []
        if seen[-1]:
            (store.forecasts / "a0.json").unlink()
        lines += 1
    assert seen == sorted(seen)
    assert {False, True} == set(seen)


@pytest.mark.parametrize("seed", range(2))
def test_killed_at_random_moments_of_a_sweep_every_reported_run_is_kept(tmp_path, seed):
    chance, reported = random.Random(seed), []
    for start in (0, 20_000):
        command = [sys.executable, "-c", COMMITS, str(tmp_path), str(start)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            reported += [process.stdout.readline().strip() for _ in range(chance.randrange(1, 4))]
            time.sleep(chance.random() * 0.03)
            process.kill()
            reported += process.stdout.read().split()
    store = Store(tmp_path)
    assert len(reported) >= 2
    assert set(reported) <= set(store.digests())
    assert store.verify() == []
    assert [body["number"] for body in store.bodies()[0]] == [int(digest) for digest in store.digests()]
    assert len(store.digests()) <= len(reported) + 2  # at most the run whose report was cut off, per kill
    assert all(store.forecast(digest) == {"number": int(digest)} for digest in store.digests())
    store.sweep_drafts()
    assert list(store.drafts.folder.iterdir()) == []


def test_an_interrupted_commit_takes_its_draft_with_it(store, sample, monkeypatch):
    def interrupt(_):
        raise KeyboardInterrupt

    store.commit(Record("b0", {}))
    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        store.commit(sample("a0"))
    assert store.digests() == ["b0"]
    assert list(store.drafts.folder.iterdir()) == []
