"""Pages of the guide whose code is run as it stands; what it prints and draws goes back into the pages.

`python -m docs.running docs` (`make tutorials`) runs every page that shows a figure or a printed answer of
its own, and writes these anew.
"""

import os
import re
import shlex
import shutil
import sys
import tempfile
from contextlib import chdir, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

from recombine.core.errors import InputError

BLOCK = re.compile(r"^```(python|sh)\n(.*?)^```$", flags=re.MULTILINE | re.DOTALL)
PRINTED = re.compile(r"printed/([\w-]+-(\d+)\.txt)")
FIGURE = re.compile(r"figures/([\w-]+\.svg)")


@dataclass(frozen=True)
class Block:
    """A block of a page: Python, or lines for a shell."""

    language: str
    code: str


@dataclass(frozen=True)
class Ran:
    """What a page did: what each of its blocks printed, and the names that its Python left."""

    printed: tuple[str, ...]
    names: dict[str, Any]


def blocks(text: str) -> list[Block]:
    """The blocks of a page in order; those in other languages, and set-in text, are not run."""
    return [Block(language, code) for language, code in BLOCK.findall(text)]


def run(page: Path, folder: Path) -> Ran:
    """Run the blocks of a page one after the other in a folder, Python in one namespace.

    Of lines for a shell those that begin with ``recombine`` are run, in this process; a command that says no (exit
    code 1) has run, one that refuses its input has not.
    """
    found, printed, names = blocks(page.read_text(encoding="utf-8")), [], {"__name__": "__page__"}
    before = os.environ.get("RECOMBINE_STORE")
    os.environ["RECOMBINE_STORE"] = str(folder / "runs")
    try:
        with chdir(folder):
            for number, block in enumerate(found, start=1):
                with redirect_stdout(StringIO()) as said:
                    if block.language == "python":
                        exec(compile(block.code, f"{page.name}, block {number}", "exec"), names)
                    else:
                        _commands(block.code)
                printed.append(said.getvalue())
    finally:
        if before is None:
            del os.environ["RECOMBINE_STORE"]
        else:
            os.environ["RECOMBINE_STORE"] = before
    return Ran(tuple(printed), names)


def commands(code: str) -> list[str]:
    """The commands in lines for a shell, those that go on over several lines joined."""
    lines = code.replace("\\\n", " ").splitlines()
    return [line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#")]


def _commands(code: str) -> None:
    from recombine.cli.app import main

    for line in commands(code):
        program, *arguments = shlex.split(line, comments=True)
        if program != "recombine":
            continue
        try:
            main(arguments)
        except SystemExit as ended:
            if ended.code not in (None, 0, 1):
                raise InputError(f"`{line}` ended with exit code {ended.code}; mend the page.") from None


def shown(text: str) -> dict[str, int]:
    """The files of printed answers that a page shows, with the number of the block that prints each."""
    return {name: int(number) for name, number in PRINTED.findall(text)}


def figures(text: str) -> set[str]:
    """The figures that a page shows."""
    return set(FIGURE.findall(text))


def write(page: Path) -> None:
    """Run a page, and write the figures and the printed answers that it shows."""
    text = page.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        ran = run(page, Path(folder))
        for name in figures(text):
            (page.parent / "figures").mkdir(exist_ok=True)
            shutil.copyfile(Path(folder) / name, page.parent / "figures" / name)
        for name, number in shown(text).items():
            (page.parent / "printed").mkdir(exist_ok=True)
            (page.parent / "printed" / name).write_text(ran.printed[number - 1], encoding="utf-8")


if __name__ == "__main__":
    for page in sorted(Path(sys.argv[1]).rglob("*.md")):
        words = page.read_text(encoding="utf-8")
        if shown(words) or figures(words):
            sys.stderr.write(f"{page}\n")
            write(page)
