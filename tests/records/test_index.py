"""The index is a cache: with it listing is quick, without it nothing is missing."""

import contextlib
import json
import os
import sqlite3

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recombine.core.errors import InputError
from recombine.core.spec import canonical_json, sha256
from recombine.records import Record, Store, index, sealed
from recombine.records import store as store_module

DIGESTS = ["a0", "b1", "c2"]


@pytest.fixture
def full(store):
    for number, digest in enumerate(DIGESTS):
        store.commit(Record(digest, {"number": number}))
    return store


@pytest.fixture
def opened(monkeypatch):
    """The digests of the runs whose record.json is opened from now on."""
    seen: list[str] = []

    def read(path, digest, place):
        seen.append(digest)
        return sealed.read_sealed(path, digest, place)

    monkeypatch.setattr(store_module, "read_sealed", read)
    return seen


def expected(digests=DIGESTS):
    return [{"digest": digest, "artifacts": {}, "number": DIGESTS.index(digest)} for digest in digests]


def in_index(store):
    with contextlib.closing(sqlite3.connect(store.index.path)) as connection:
        return [digest for (digest,) in connection.execute("SELECT digest FROM lines ORDER BY digest")]


def test_committed_runs_are_listed_without_opening_them(full, opened):
    assert full.bodies() == (expected(), [])
    assert opened == []


def test_without_the_index_runs_are_read_once_and_indexed(full, opened):
    full.index.path.unlink()
    assert full.bodies() == (expected(), [])
    assert opened == DIGESTS
    assert full.bodies() == (expected(), [])
    assert opened == DIGESTS


def test_a_run_that_came_by_other_means_is_read_and_indexed(full, opened, tmp_path):
    other = Store(tmp_path / "other")
    other.commit(Record("d3", {"number": 3}))
    (other.runs / "d3").rename(full.runs / "d3")
    assert [body["number"] for body in full.bodies()[0]] == [0, 1, 2, 3]
    assert opened == ["d3"]
    assert in_index(full) == [*DIGESTS, "d3"]


def test_a_run_that_was_moved_away_leaves_the_index(full, tmp_path):
    (full.runs / "b1").rename(tmp_path / "b1")
    assert full.bodies() == (expected(["a0", "c2"]), [])
    assert in_index(full) == ["a0", "c2"]


def test_a_run_damaged_after_it_was_indexed_is_counted(full, opened):
    path = full.runs / "b1" / "record.json"
    path.write_text(path.read_text().replace('"number": 1', '"number": 7'))  # same size, same folder
    bodies, (damaged,) = full.bodies()
    assert bodies == expected(["a0", "c2"])
    assert (damaged.digest, damaged.reason) == ("b1", "does not match its seal")
    assert opened == ["b1"]


def spoil_text(path):
    path.write_text("this is no database " * 50)


def spoil_empty(path):
    path.write_bytes(b"")


def spoil_middle(path):
    content = bytearray(path.read_bytes())
    content[100:] = b"\xa5" * (len(content) - 100)
    path.write_bytes(content)


def spoil_truncated(path):
    path.write_bytes(path.read_bytes()[:5000])


def spoil_schema(path):
    path.write_bytes(path.read_bytes().replace(b"TABLE lines", b"TABLE li\xffes"))  # SQLite's message quotes it


def spoil_version(path):
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 99")


def spoil_columns(path):
    path.unlink()
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE lines (other TEXT)")


def spoil_journal(path):
    path.write_bytes(b"junk" * 1000)
    path.with_name(path.name + "-journal").write_bytes(b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + b"\x01" * 600)


@pytest.mark.parametrize(
    "spoil",
    [spoil_text, spoil_empty, spoil_middle, spoil_truncated, spoil_schema, spoil_version, spoil_columns, spoil_journal],
)
def test_a_spoilt_index_is_replaced_in_silence(full, opened, spoil):
    spoil(full.index.path)
    assert full.bodies() == (expected(), [])
    assert opened == DIGESTS
    assert full.bodies() == (expected(), [])
    assert opened == DIGESTS  # the second time from the new index
    spoil(full.index.path)
    full.commit(Record("d3", {"number": 3}))  # and a commit is not disturbed by it either
    assert [body["number"] for body in full.bodies()[0]] == [0, 1, 2, 3]
    assert list(full.drafts.folder.iterdir()) == []


def change(store, part, column, value):
    with contextlib.closing(sqlite3.connect(store.index.path)) as connection, connection:
        connection.execute(f"UPDATE {part} SET {column} = ? WHERE digest = 'b1'", (value,))


def forge(store, part, text):
    """Put another text into a row, with the right seal."""
    change(store, part, "text", text.encode())
    change(store, part, "seal", sha256(text))


FORGED = canonical_json({"digest": "b1", "artifacts": {}, "number": 9})
SWAPPED = canonical_json({"digest": "a0", "artifacts": {}, "number": 0})
LINES = [
    '[[], [], []]\n["a0"]',
    '[[], [], []]\n["b1", "b1"]',
    "[[], []]\n[]",
    "7\n[]",
    "[[], [], []]",
    "no\nlist",
    "{}\n7",
]


@pytest.mark.parametrize(
    ("column", "value"),
    [("text", FORGED.encode()), ("text", None), ("text", FORGED), ("seal", None), ("stamp", None), ("stamp", "1:1:1")],
)
@pytest.mark.parametrize("part", index.PARTS)
def test_a_row_that_was_changed_is_not_believed(full, opened, part, column, value):
    change(full, part, column, value)
    look = full.bodies if part == "bodies" else full.table
    before = full.table()
    assert full.bodies() == (expected(), [])
    assert full.table().equals(before)
    assert opened == ["b1"]
    look()
    assert opened == ["b1"]  # it was mended


@pytest.mark.parametrize("text", [SWAPPED, "no json", "[]"])
def test_a_body_that_belongs_elsewhere_is_not_believed(full, opened, text):
    forge(full, "bodies", text)
    assert full.bodies() == (expected(), [])
    assert opened == ["b1"]


@pytest.mark.parametrize("text", LINES)
def test_a_line_that_belongs_elsewhere_is_not_believed(full, opened, text):
    before = full.table()
    forge(full, "lines", text)
    assert full.table().equals(before)
    assert opened == ["b1"]


def test_asked_for_a_few_the_others_are_not_parsed_and_damage_is_told_of_all(full, opened, monkeypatch):
    assert full.bodies(only={"c2", "zz"}) == (expected(["c2"]), [])
    change(full, "bodies", "text", b"spoilt")  # of b1, which nobody asks for
    assert full.bodies(only={"c2"}) == (expected(["c2"]), [])
    assert opened == []
    assert full.bodies(only=["b1"]) == (expected(["b1"]), [])
    assert opened == ["b1"]
    path = full.runs / "a0" / "record.json"
    path.write_text(path.read_text().replace('"number": 0', '"number": 7'))
    bodies, (damaged,) = full.bodies(only=["c2"])
    assert bodies == expected(["c2"])
    assert (damaged.digest, damaged.reason) == ("a0", "does not match its seal")
    assert in_index(full) == ["b1", "c2"]


def test_asked_for_a_few_the_index_learns_what_is_new_and_keeps_the_rest(full, opened, tmp_path):
    other = Store(tmp_path / "other")
    other.commit(Record("d3", {"number": 3}))
    (other.runs / "d3").rename(full.runs / "d3")
    assert full.bodies(only=["a0"]) == (expected(["a0"]), [])
    assert in_index(full) == [*DIGESTS, "d3"]
    assert [body["number"] for body in full.bodies()[0]] == [0, 1, 2, 3]
    assert opened == ["d3"]


def test_an_index_of_the_version_before_is_replaced(full, opened):
    full.index.path.unlink()
    with contextlib.closing(sqlite3.connect(full.index.path)) as connection, connection:
        connection.execute("CREATE TABLE records (digest TEXT PRIMARY KEY, stamp TEXT, seal TEXT, body BLOB)")
        connection.execute("PRAGMA user_version = 1")
    assert full.bodies() == (expected(), [])
    assert full.bodies() == (expected(), [])
    assert opened == DIGESTS


@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.floats(0, 1), bits=st.integers(1, 255))
def test_no_change_to_the_index_changes_what_is_listed(full, place, bits):
    full.rebuild_index()
    content = bytearray(full.index.path.read_bytes())
    content[round(place * (len(content) - 1))] ^= bits
    full.index.path.write_bytes(content)
    assert full.table()["digest"].tolist() == DIGESTS
    full.index.path.write_bytes(content)
    assert full.bodies() == (expected(), [])


def test_a_locked_index_is_done_without(full, opened, monkeypatch):
    monkeypatch.setattr(index, "PATIENCE", 0.02)
    with contextlib.closing(sqlite3.connect(full.index.path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        assert full.bodies() == (expected(), [])
        assert opened == DIGESTS
        full.commit(Record("d3", {"number": 3}))
        other.execute("ROLLBACK")
    assert in_index(full) == DIGESTS  # left as it was
    assert [body["number"] for body in full.bodies()[0]] == [0, 1, 2, 3]
    assert in_index(full) == [*DIGESTS, "d3"]


def test_an_index_that_cannot_be_written_disturbs_nobody_but_who_asks_for_it(store):
    store.index.path.mkdir(parents=True)
    for number, digest in enumerate(DIGESTS):
        store.commit(Record(digest, {"number": number}))
    assert store.bodies() == (expected(), [])
    with pytest.raises(InputError, match=r"cannot write the index to .*; .*finished runs are kept\.$"):
        store.rebuild_index()


def test_rebuilding_counts_the_sound_runs(full):
    assert full.rebuild_index() == 3
    (full.runs / "b1" / "record.json").write_text("")
    assert full.rebuild_index() == 2
    assert in_index(full) == ["a0", "c2"]


def test_the_journal_of_a_killed_writer_is_not_played_into_a_new_index(full, opened):
    journal = full.index.path.with_name("index.sqlite-journal")
    with contextlib.closing(sqlite3.connect(full.index.path, isolation_level=None)) as writer:
        writer.execute("PRAGMA synchronous = OFF")
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("UPDATE bodies SET stamp = 'other', text = zeroblob(9000)")
        left = journal.read_bytes()
        writer.execute("ROLLBACK")
    assert len(left) > 512
    full.commit(Record("d3", {"number": 3, "padding": "x" * 9000}))
    journal.write_bytes(left)
    assert full.rebuild_index() == 4
    assert len(full.bodies()[0]) == 4
    assert opened == ["a0", "b1", "c2", "d3"]  # by the rebuilding alone


def test_the_index_agrees_with_the_folders_in_every_byte(store, sample):
    store.commit(sample("a0"))
    (cached,), _ = store.bodies()
    document = json.loads((store.runs / "a0" / "record.json").read_text(encoding="utf-8"))
    assert json.dumps(cached) == json.dumps(document["body"])  # the order of keys too: tables depend on it


def test_a_row_without_a_stamp_does_not_hide_a_lost_record(full):
    with contextlib.closing(sqlite3.connect(full.index.path)) as connection, connection:
        for part in index.PARTS:
            connection.execute(f"UPDATE {part} SET stamp = '' WHERE digest = 'b1'")
    (full.runs / "b1" / "record.json").rename(full.runs / "b1" / "record.bak")
    bodies, (damaged,) = full.bodies()
    assert bodies == expected(["a0", "c2"])
    assert (damaged.digest, damaged.reason) == ("b1", "is missing")


def test_touching_a_run_makes_its_row_stale(full, opened):
    os.utime(full.runs / "a0", ns=(1, 1))
    os.utime(full.runs / "c2" / "record.json", ns=(1, 1))
    assert full.bodies() == (expected(), [])
    assert opened == ["a0", "c2"]
