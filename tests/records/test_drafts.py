"""Drafts of the dead may go; those of the living, of other hosts, and files of others stay."""

import os
import subprocess
import sys

import pytest

from recombine.records.drafts import DRAFT, Drafts, alive, host


@pytest.fixture
def dead() -> int:
    """The number of a process that has ended."""
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    return process.pid


def test_only_the_drafts_of_dead_processes_of_this_host_are_swept(tmp_path, dead):
    drafts = Drafts(tmp_path)
    token = "0123456789abcdef"
    other = "0" * 8 if host() != "0" * 8 else "1" * 8
    swept = [f"a0.{host()}.{dead}.{token}", f"index.{host()}.{dead}.{token}"]
    kept = [
        f"a0.{host()}.{os.getpid()}.{token}",
        f"a0.{host()}.1.{token}",
        f"a0.{other}.{dead}.{token}",
        f"a0.{host()}.{dead}",
        f"a0.{host()}.{dead}.{token}.bak",
        "notes.txt",
    ]
    for name in [swept[0], *kept[:4]]:
        (tmp_path / name).mkdir()
        (tmp_path / name / "record.json").write_text("{")
    for name in [swept[1], *kept[4:]]:
        (tmp_path / name).write_text("")
    assert drafts.sweep() == swept
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(kept)


def test_sweeping_does_not_follow_links(tmp_path, dead):
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "file").write_text("")
    drafts = Drafts(tmp_path / "drafts")
    drafts.folder.mkdir()
    link = drafts.folder / f"a0.{host()}.{dead}.0123456789abcdef"
    link.symlink_to(precious)
    assert drafts.sweep() == [link.name]
    assert (precious / "file").exists()


def test_a_draft_has_a_name_of_its_own_and_goes_when_it_is_done_with(tmp_path):
    drafts = Drafts(tmp_path / "deep" / "drafts")
    with drafts.fresh("a0") as first, drafts.fresh("a0") as second:
        assert first != second
        found = DRAFT.fullmatch(first.name)
        assert found is not None
        assert (found["what"], found["host"], int(found["pid"])) == ("a0", host(), os.getpid())
        first.mkdir()
        (first / "file").write_text("")
        second.write_text("")
        assert drafts.sweep() == []
    assert list(drafts.folder.iterdir()) == []


def test_a_process_that_cannot_be_asked_counts_as_alive(dead):
    assert alive(os.getpid())
    assert alive(1)
    assert alive(10**30)
    assert not alive(dead)


def test_the_host_is_told_by_digits_not_by_name():
    assert host() == host()
    assert len(host()) == 8
    assert os.uname().nodename not in host()
