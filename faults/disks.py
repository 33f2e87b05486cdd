"""A disk that is full, and one that may not be written to."""

import subprocess
from pathlib import Path

from faults.tally import Study, Tally, place


def full_disk(times: int, seed: int) -> Tally:
    """A small disk fills up: one sentence; with room again, the study goes on and nothing that was there is touched."""
    tally = Tally("disk full", detected=0)
    for _ in range(times):
        with place("2m") as store:
            study = Study(store, 30, 0.0, kilobytes=100)
            _refused(study, tally, "free some space")
            _remount(store, "size=100m")
            tally.lost += study.drive("--workers=2").wait() != 0
            study.settle(tally)
    return tally


def read_only_store(times: int, seed: int) -> Tally:
    tally = Tally("read-only store", detected=0)
    for _ in range(times):
        with place("50m") as store:
            study = Study(store, 12, 0.2)
            early = study.drive("--workers=2")
            early.wait_for(2)
            early.process.kill()
            early.wait()
            _remount(store, "ro")
            _refused(study, tally, "allow writing there")
            _remount(store, "rw")
            tally.lost += study.drive("--workers=2").wait() != 0
            study.settle(tally)
    return tally


def _refused(study: Study, tally: Tally, way_out: str) -> None:
    """The driver must end with code 2 and one sentence that says what to do."""
    driver = study.drive("--workers=2")
    tally.injected += 1
    code, words = driver.wait(), "".join(driver.errors)
    told = code == 2 and way_out in words and "Traceback" not in words
    tally.detected = (tally.detected or 0) + told
    tally.note = "" if told else f"exit {code}: {words[-200:]}"
    tally.lost += len(study.said - study.recorded())


def _remount(store: Path, option: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{option}", str(store.parent)], check=True)
