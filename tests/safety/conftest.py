"""Commands as one calls them, in this process: what they print, how they exit, and that nothing else gets out."""

import contextlib
import io
import os
import pickle
import signal
import unicodedata
from dataclasses import dataclass
from pathlib import Path

import pytest

from recombine.cli.app import main

SECONDS = 60  # that any command here may take, several times what they do on a busy machine


class Late(BaseException):
    """A command that goes on for too long; no command can catch it by accident."""


@dataclass(frozen=True)
class Said:
    """What a command did."""

    code: int
    out: str
    err: str


def call(*arguments: str) -> Said:
    """Run a command to its exit. What `main` would call an internal error is raised here instead."""

    def late(*_: object) -> None:
        raise Late(f"recombine {' '.join(arguments)[:300]}")

    before = signal.signal(signal.SIGALRM, late)
    debug = os.environ.get("RECOMBINE_DEBUG")
    os.environ["RECOMBINE_DEBUG"] = "1"
    out, err = io.StringIO(), io.StringIO()
    signal.alarm(SECONDS)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), pytest.raises(SystemExit) as ended:
            main(list(arguments))
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
        os.environ.pop("RECOMBINE_DEBUG") if debug is None else os.environ.update(RECOMBINE_DEBUG=debug)
    return Said(ended.value.code or 0, out.getvalue(), err.getvalue())


def is_obeyed(text: str) -> set[str]:
    """The characters of a text that a terminal would obey instead of showing them; line ends and tabs are meant."""
    return {
        letter
        for letter in text
        if (unicodedata.category(letter) in ("Cc", "Cs", "Zl", "Zp") and letter not in "\n\t")
        or unicodedata.bidirectional(letter) in ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")
    }


def is_refused(said: Said) -> bool:
    """Whether it is exit code 2 with one line that a terminal shows as it is.

    An audit says the line before what it could do all the same.
    """
    line, end, rest = said.err.partition("\n")
    if said.code == 2 and not said.err and said.out.startswith("Refused: "):
        return "Traceback" not in said.out and not is_obeyed(said.out)
    return (
        said.code == 2
        and line.startswith("recombine: ")
        and end == "\n"
        and not rest
        and "Traceback" not in line
        and len(line) < 2_100
        and not is_obeyed(line)
    )


@pytest.fixture(scope="session")
def command():
    """Runs a command where one is."""
    return call


@pytest.fixture(scope="session")
def refused():
    """Whether what a command said is one sentence, with exit code 2."""
    return is_refused


@pytest.fixture(scope="session")
def obeyed():
    """The characters of a text that a terminal would obey."""
    return is_obeyed


@pytest.fixture
def recombine(tmp_path, monkeypatch):
    """Runs a command in an empty folder of its own."""
    monkeypatch.chdir(tmp_path)
    return call


class Bomb:
    """What makes a folder when it is unpickled."""

    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self):
        return Path.mkdir, (self.marker,)


@pytest.fixture
def bomb(tmp_path):
    """A thing whose unpickling leaves a folder, which must not be there at the end; that it would is tried first."""
    tried, marker = tmp_path / "tried", tmp_path / "marker"
    pickle.loads(pickle.dumps(Bomb(tried)))
    assert tried.is_dir()
    tried.rmdir()
    yield Bomb(marker)
    assert not marker.exists()
