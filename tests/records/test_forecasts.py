"""A forecast is written once, before training, and the first one stands."""

import errno
import os

import pytest

from recombine.core.errors import InputError
from recombine.records import DamagedRecord, Record


def test_the_first_forecast_stands(store):
    assert store.forecast("a0") is None
    assert store.commit_forecast("a0", {"verdict": "fails", "shares": [1, 2.5]}) == {
        "verdict": "fails",
        "shares": [1, 2.5],
    }
    path = store.root / "forecasts" / "a0.json"
    before = path.read_bytes(), path.stat().st_mtime_ns
    assert store.commit_forecast("a0", {"verdict": "fails", "shares": [1, 2.5]}) == store.forecast("a0")
    assert store.commit_forecast("a0", {"verdict": "composes"}) == {"verdict": "fails", "shares": [1, 2.5]}
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before
    assert list(store.drafts.folder.iterdir()) == []


def test_an_empty_forecast_is_a_forecast(store):
    assert store.commit_forecast("a0", {}) == {}
    assert store.commit_forecast("a0", {"late": True}) == {}


def test_forecasts_and_runs_do_not_depend_on_each_other(store):
    store.commit_forecast("a0", {"verdict": "fails"})
    assert store.digests() == []
    assert not store.has("a0")
    store.commit(Record("a0", {"status": "done"}))
    assert store.forecast("a0") == {"verdict": "fails"}
    assert store.read("a0").body == {"status": "done"}


def test_a_damaged_forecast_is_named_and_not_written_over(store):
    store.commit_forecast("a0", {"share": 0.25})
    store.commit_forecast("b0", {"share": 0.5})
    path = store.forecasts / "a0.json"
    path.write_text(path.read_text().replace("0.25", "0.95"))
    says = r"forecast 'a0' is damaged: a0\.json does not match its seal; move '.*a0\.json' away"
    for attempt in (lambda: store.forecast("a0"), lambda: store.commit_forecast("a0", {"share": 0.3})):
        with pytest.raises(DamagedRecord, match=says):
            attempt()
    assert [damaged.digest for damaged in store.verify()] == ["a0"]
    assert "0.95" in path.read_text()


def test_a_forecast_under_another_name_is_damaged(store):
    store.commit_forecast("a0", {})
    (store.forecasts / "a0.json").rename(store.forecasts / "b0.json")
    with pytest.raises(DamagedRecord, match="belongs to run 'a0'"):
        store.forecast("b0")


def test_foreign_files_beside_forecasts_are_ignored(store):
    store.commit_forecast("a0", {})
    (store.forecasts / "NOTES.json").write_text("")
    (store.forecasts / "notes.txt").write_text("")
    assert store.verify() == []


def test_bad_forecasts_are_refused(store):
    with pytest.raises(InputError, match=r"the forecast of run 'a0' cannot be recorded: body\.share is nan"):
        store.commit_forecast("a0", {"share": float("nan")})
    with pytest.raises(InputError, match="has the key 'digest', which the store writes itself"):
        store.commit_forecast("a0", {"digest": "b0"})
    with pytest.raises(InputError, match="is no digest of a run"):
        store.commit_forecast("../a0", {})
    with pytest.raises(InputError, match="is no digest of a run"):
        store.forecast("../a0")
    assert not store.root.exists()


def test_a_file_system_without_hard_links_still_keeps_the_first(store, monkeypatch):
    def refuse(*_):
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(os, "link", refuse)
    assert store.commit_forecast("a0", {"number": 1}) == {"number": 1}
    monkeypatch.setattr("recombine.records.forecasts.read", lambda *_: None)  # a rival wrote it a moment ago
    store.commit_forecast("a0", {"number": 2})
    monkeypatch.undo()
    assert store.forecast("a0") == {"number": 1}
    assert list(store.drafts.folder.iterdir()) == []
