"""A report appears whole or not at all."""

import errno
import os
from pathlib import Path

import pytest

from recombine.core.errors import InputError
from recombine.records import durable
from recombine.reports.writing import write_whole


def test_the_file_is_there_and_nothing_else(tmp_path):
    output = tmp_path / "report.html"
    output.write_text("old")
    assert write_whole(output, b"new") == output
    assert output.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [output]


@pytest.mark.parametrize(
    ("code", "cure"),
    [(errno.ENOSPC, "free some space"), (errno.EACCES, "allow writing"), (errno.EIO, "choose another place")],
)
@pytest.mark.parametrize("step", ["write", "replace"])
def test_a_refused_write_keeps_the_report_that_is_there(tmp_path, monkeypatch, code, cure, step):
    output = tmp_path / "report.html"
    output.write_text("old")

    def refuse(path: Path, *rest: object) -> None:
        if step == "write":
            path.write_bytes(b"ne")  # a part of it
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(*((durable, "write") if step == "write" else (Path, "replace")), refuse)
    with pytest.raises(InputError, match=f"cannot write to .*report.html: .*{cure}") as raised:
        write_whole(output, b"new")
    assert "\n" not in str(raised.value)
    assert output.read_text() == "old"
    assert list(tmp_path.iterdir()) == [output]


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(InputError, match=r"there is no folder '.*nowhere'; make it first"):
        write_whole(tmp_path / "nowhere" / "report.html", b"new")
    assert list(tmp_path.iterdir()) == []


def test_a_file_in_the_place_of_a_folder_is_refused(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputError, match="there is no folder"):
        write_whole(tmp_path / "file" / "report.html", b"new")
    assert (tmp_path / "file").read_text() == "x"


def test_a_folder_or_a_pipe_is_not_replaced(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for place in (tmp_path, tmp_path / "pipe"):
        with pytest.raises(InputError, match="it is no plain file"):
            write_whole(place, b"new")
    assert (tmp_path / "pipe").is_fifo()


def test_a_link_is_followed(tmp_path):
    (tmp_path / "real.html").write_text("old")
    (tmp_path / "link.html").symlink_to("real.html")
    write_whole(tmp_path / "link.html", b"new")
    assert (tmp_path / "link.html").is_symlink()
    assert (tmp_path / "real.html").read_bytes() == b"new"
