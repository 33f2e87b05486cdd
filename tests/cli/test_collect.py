"""`recombine collect`, as it is typed."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from recombine.records import Record, Store


def run(*arguments: object, cwd: Path) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "recombine.cli", "collect", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd)


def store(root: Path, **errors: float) -> Store:
    made = Store(root)
    for digest, error in errors.items():
        made.commit(Record(digest, {"status": "done", "measures": {"ood_nmse": error}}))
    return made


def test_two_stores_become_one(tmp_path):
    store(tmp_path / "one", a0=0.1, b1=0.2)
    store(tmp_path / "two", b1=0.2, c2=0.3)
    done = run("one", "two", "--store", "all", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert (
        done.stdout
        == "3 copied, 1 already there, 0 damaged, 0 conflicting; 0 forecasts and 0 notes of failures copied.\n"
    )
    assert Store(tmp_path / "all").digests() == ["a0", "b1", "c2"]


def test_conflicts_and_damage_are_told_and_all_else_is_copied(tmp_path):
    store(tmp_path / "all", a0=0.1)
    one = store(tmp_path / "one", a0=0.4, b1=0.2, c2=0.3)
    assert run("one", "--store", "all", cwd=tmp_path).returncode == 2
    kept = run("one", "--store", "all", "--keep", cwd=tmp_path)
    assert kept.returncode == 0
    assert kept.stderr == (
        "recombine: run 'a0' differs: measure ood_nmse is 0.1 in the destination and 0.4 in one; "
        "what is there stands.\n"
    )
    (one.runs / "c2" / "record.json").write_text("")
    done = run("one", "--store", "new", "--json", cwd=tmp_path)
    assert done.returncode == 2
    told = json.loads(done.stdout)
    assert (told["copied"], told["already_there"], told["conflicting"]) == (["a0", "b1"], [], [])
    assert "run 'c2' is damaged: record.json is not valid JSON" in told["damaged"][0]
    again = json.loads(run("one", "--store", "all", "--json", cwd=tmp_path).stdout)
    assert again["conflicting"] == [
        {
            "digest": "a0",
            "title": "",
            "what": "measure ood_nmse",
            "in_destination": 0.1,
            "in_source": 0.4,
            "source": "one",
        }
    ]
    assert Store(tmp_path / "all").read("a0").body["measures"] == {"ood_nmse": 0.1}


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("nowhere", "--store", "all"), "source 'nowhere' is no store of records: there is no such folder"),
        (("all", "--store", "all"), "source 'all' is the destination itself"),
        (("all", "--store", "file"), "'file' is a file"),
        (("all", "--store", "/sys/recombine"), "cannot write the record of a0 to /sys/recombine"),
        (("--store", "all"), "SOURCE"),
    ],
)
def test_bad_places_get_one_sentence(tmp_path, arguments, says):
    store(tmp_path / "all", a0=0.1)
    (tmp_path / "file").write_text("mine")
    done = run(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert says in done.stderr
    assert len(done.stderr.splitlines()) == 1
