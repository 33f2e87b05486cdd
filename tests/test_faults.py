"""Faults, a few of each, for real; `make faults` makes many."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
NAMES = ("anyone", "two-drivers", "clock", "ray-worker", "ray-driver", "ray-node", "full-disk", "read-only")


def made(*names: str) -> list[dict]:
    done = subprocess.run(
        [sys.executable, "-m", "faults", "--short", "--json", *names],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=400,
    )
    assert done.stdout, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_lost_and_nothing_run_twice(name: str):
    rows = made(name)
    if not rows:
        pytest.skip("mounting a small disk is not allowed here")
    assert all(row["sound"] for row in rows), rows


def test_damage_of_every_kind_of_file_is_told_by_name():
    rows = made("damage", "index", "draft", "newer")
    assert len(rows) == 8
    assert all(row["sound"] for row in rows), rows
