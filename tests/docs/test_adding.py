"""The page on adding one's own is a script; it runs, and what it registers is there."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from docs.running import blocks

PAGE = (Path(__file__).parents[2] / "docs" / "adding.md").read_text()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    home = tmp_path_factory.mktemp("adding")
    (home / "mine.py").write_text("\n\n".join(block.code for block in blocks(PAGE)))
    return home


def started(folder: Path, *arguments: str) -> str:
    environment = {name: value for name, value in os.environ.items() if name != "RECOMBINE_STORE"}
    done = subprocess.run(
        [sys.executable, "mine.py", *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_its_claim_is_run_and_confirmed(folder):
    said = started(folder)
    assert said.splitlines()[1].split()[:4] == ["MY1", "confirmed", "control", "contradicted"]


def test_what_it_registers_is_listed(folder):
    listed = json.loads(started(folder, "list", "--json"))
    for sort, name in {
        "tasks": "difference",
        "splits": "every-third",
        "models": "linear",
        "measures": "worst_error",
        "calculations": "difference-by-kernel",
        "claims": "MY1",
    }.items():
        assert name in {row["name"] for row in listed[sort]}, sort


def test_its_commands_run(folder):
    asked = [line.split()[2:] for line in PAGE.splitlines() if line.startswith("    python mine.py ")]
    assert [words[0] for words in asked] == ["forecast", "list"]
    assert "compose" in started(folder, *asked[0])
