"""A file given where a folder of records is meant: every command that reads records says so."""

import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize("words", ["check FR1", "plan FR1", "reproduce FR1", "report", "doctor", "explain 3f09"])
def test_a_file_is_no_store(words, tmp_path: Path):
    (tmp_path / "notes.txt").write_text("mine")
    command = [sys.executable, "-m", "recombine.cli", *words.split(), "--store", "notes.txt"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=dict(os.environ), timeout=120)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == (
        "recombine: store 'notes.txt' cannot be opened: 'notes.txt' is a file; give a folder, or a new name.\n"
    )
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_an_empty_name_is_no_store():
    done = subprocess.run([sys.executable, "-m", "recombine.cli", "plan", "FR1", "--store", ""], capture_output=True)
    assert (done.returncode, b"'' is no name of a folder" in done.stderr) == (2, True)


def test_told_to_end_it_ends_as_if_interrupted():
    script = """
import os, signal, time
from recombine.cli import app
app.app = lambda **_: (os.kill(os.getpid(), signal.SIGTERM), time.sleep(30))
app.main([])
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.returncode, done.stderr.startswith("recombine: interrupted; finished runs are kept")) == (143, True)


@pytest.mark.parametrize(("options", "says"), [((), "[figures of 0 settings of "), (("--json",), "")])
def test_a_report_tells_how_far_it_is_and_nothing_beside_its_document(options: tuple[str, ...], says: str, tmp_path):
    words = ["report", "poisson-modularity", "--store", "runs", "-o", "page.html", *options]
    done = subprocess.run([sys.executable, "-m", "recombine.cli", *words], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stderr[: len(says) or None] == says
