"""Stores of several machines become one: nothing lost, nothing changed, differences refused by name."""

import errno
import json
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recombine.core.errors import InputError
from recombine.core.spec import canonical_json, sha256
from recombine.records import DamagedRecord, NewerRecord, Record, Store
from recombine.studies import Experiment
from recombine.studies.collecting import collect, misnamed
from recombine.studies.publishing import publish

SPECIFICATIONS = {sha256(canonical_json(spec))[:16]: spec for spec in ({"kind": "toy", "size": n} for n in range(7))}
DIGESTS = sorted(SPECIFICATIONS)
LOST = "5f5f"  # a run that was given up


def record(digest: str, error: float = 0.5, scale: float = 1.0, **changes) -> Record:
    """A tiny run: its numbers hang on its digest, its cost and origin on nothing."""
    number = DIGESTS.index(digest)
    body = {
        "specification": SPECIFICATIONS[digest],
        "status": "done",
        "measures": {"ood_nmse": error + number, "by_section": {"rim": 0.25, "interior": None}, "shares": [0.1, 0.2]},
        "cost": {"seconds": 1.0},
        "forecast": f"problem-{number % 2}",
    }
    arrays = {"error_map": scale * np.arange(6.0).reshape(2, 3), "seen": np.array([True, False, number > 2])}
    return Record(digest, body | changes, arrays, {"layer.weight": np.full((3, 2), number, dtype=np.float32)})


def filled(root: Path, digests) -> Store:
    store = Store(root)
    for digest in digests:
        store.commit_forecast(record(digest).body["forecast"], {"verdict": "composes"})
        store.commit(record(digest))
    return store


def content(store: Store) -> dict[str, bytes]:
    """Every file of runs, forecasts and failures, byte for byte."""
    folders = [store.runs, store.forecasts, store.failures]
    paths = [path for folder in folders for path in sorted(folder.rglob("*")) if path.is_file()]
    return {str(path.relative_to(store.root)): path.read_bytes() for path in paths}


@settings(deadline=None, max_examples=20)
@given(
    parts=st.lists(st.sets(st.sampled_from(DIGESTS)), min_size=1, max_size=4),
    there=st.sets(st.sampled_from(DIGESTS)),
    order=st.randoms(use_true_random=False),
)
def test_any_parts_in_any_order_are_one_study(tmp_path_factory, parts, there, order):
    folder = tmp_path_factory.mktemp("parts")
    sources = [filled(folder / str(number), sorted(part)) for number, part in enumerate(parts) if part]
    order.shuffle(sources)
    destination = filled(folder / "all", sorted(there))
    found = collect(sources, destination)
    everything = there.union(*parts)
    assert destination.digests() == sorted(everything)
    assert content(destination) == content(filled(folder / "whole", sorted(everything)))
    assert sorted(found.copied) == sorted(everything - there)
    assert len(found.copied) + len(found.there) == sum(map(len, parts))
    assert (found.damaged, found.conflicting) == ([], [])
    assert destination.verify() == []
    again = collect(sources, destination)
    assert (again.copied, again.forecasts) == ([], 0)


def test_failure_notes_and_forecasts_without_a_run_come_along(tmp_path):
    source, destination = filled(tmp_path / "a", DIGESTS[:2]), Store(tmp_path / "b")
    source.commit_failure(LOST, {"reason": "killed"})
    source.commit_forecast("lonely", {"verdict": "fails"})
    found = collect([source], destination)
    assert (found.forecasts, found.failures) == (3, 1)
    assert content(destination) == content(source)
    assert collect([source], destination).failures == 0


def test_the_forecast_that_stands_stays(tmp_path):
    source, destination = Store(tmp_path / "a"), Store(tmp_path / "b")
    source.commit_forecast("p", {"verdict": "later"})
    destination.commit_forecast("p", {"verdict": "first"})
    found = collect([source], destination)
    assert found.forecasts == 0
    assert destination.forecast("p") == {"verdict": "first"}


def beside(tmp_path, mine: Record, theirs: Record):
    """Collect a store that has one run and another; the destination has the first one too."""
    source, destination = Store(tmp_path / "a"), Store(tmp_path / "b")
    destination.commit(mine)
    for each in (theirs, record(DIGESTS[6])):
        source.commit(each)
    before = content(destination)
    found = collect([source], destination)
    assert found.copied == [DIGESTS[6]]  # whatever became of the other
    assert content(destination) == before | {
        name: text for name, text in content(source).items() if name.startswith(f"runs/{DIGESTS[6]}/")
    }
    return found


@pytest.mark.parametrize(
    "theirs",
    [
        record(DIGESTS[1], error=0.5 * (1 + 1e-5)),
        record(DIGESTS[1], scale=1 + 5e-5),
        record(DIGESTS[1], cost={"seconds": 9.0}, provenance={"platform": "other"}),
        record(DIGESTS[1], reason="said otherwise"),
    ],
)
def test_rounding_cost_and_origin_are_no_difference(tmp_path, theirs):
    found = beside(tmp_path, record(DIGESTS[1]), theirs)
    assert (found.there, found.conflicting) == ([DIGESTS[1]], [])


@pytest.mark.parametrize("values", [(1e-12, 3e-11), (0.0, 5e-10), (-1e-10, 1e-10)])
def test_what_is_nothing_in_both_is_no_difference(tmp_path, values):
    mine, theirs = (record(DIGESTS[1], measures={"leak": value}) for value in values)
    assert beside(tmp_path, mine, theirs).there == [DIGESTS[1]]


MEASURES = {"ood_nmse": 1.5, "by_section": {"rim": 0.25, "interior": None}, "shares": [0.1, 0.2]}


@pytest.mark.parametrize(
    ("theirs", "what", "there", "here"),
    [
        (record(DIGESTS[1], error=0.51), "measure ood_nmse", 1.5, 1.51),
        (record(DIGESTS[1], error=0.5 + 1e-3), "measure ood_nmse", 1.5, 1.501),
        (record(DIGESTS[1], status="failed"), "status", "done", "failed"),
        (
            record(DIGESTS[1], measures=MEASURES | {"by_section": {"rim": 0.25, "interior": 0.0}}),
            "measure by_section.interior",
            None,
            0.0,
        ),
        (record(DIGESTS[1], measures=MEASURES | {"shares": [0.1, 0.3]}), "measure shares", [0.1, 0.2], [0.1, 0.3]),
        (record(DIGESTS[1], measures=MEASURES | {"more": 1.0}), "measure more", "missing", 1.0),
        (
            record(DIGESTS[1], specification={"kind": "toy", "size": 9}),
            "specification",
            SPECIFICATIONS[DIGESTS[1]],
            {"kind": "toy", "size": 9},
        ),
        (
            record(DIGESTS[1], scale=1.01),
            "array error_map",
            "of shape (2, 3) and type float64 with mean 2.5",
            "of shape (2, 3) and type float64 with mean 2.525",
        ),
    ],
)
def test_what_two_stores_tell_differently_is_refused_by_name(tmp_path, theirs, what, there, here):
    (conflict,) = beside(tmp_path, record(DIGESTS[1]), theirs).conflicting
    assert (conflict.digest, conflict.what, conflict.there, conflict.here) == (DIGESTS[1], what, there, here)
    assert str(conflict) == (
        f"run {DIGESTS[1]!r} differs: {what} is {there} in the destination and {here} in {tmp_path / 'a'}"
    )


def change_arrays(**arrays) -> Record:
    whole = record(DIGESTS[1])
    return Record(DIGESTS[1], whole.body, {**whole.arrays, **arrays}, whole.weights)


@pytest.mark.parametrize(
    "arrays",
    [
        {"seen": np.array([True, True, False])},
        {"seen": np.array([1.0, 0.0, 0.0])},
        {"error_map": np.arange(6.0)},
        {"error_map": np.array([[0, 1, 2], [3, 4, np.nan]])},
        {"other": np.ones(2)},
    ],
)
def test_arrays_of_other_values_shapes_types_or_names_differ(tmp_path, arrays):
    (conflict,) = beside(tmp_path, record(DIGESTS[1]), change_arrays(**arrays)).conflicting
    assert conflict.what == f"array {next(iter(arrays))}"


def test_missing_and_infinite_entries_are_equal_to_themselves(tmp_path):
    arrays = {"error_map": np.array([np.nan, np.inf, -np.inf, 2.0])}
    theirs = {"error_map": np.array([np.nan, np.inf, -np.inf, 2.0001])}
    assert beside(tmp_path, change_arrays(**arrays), change_arrays(**theirs)).there == [DIGESTS[1]]


def test_a_conflict_says_what_the_run_is(tmp_path):
    settings = {
        "problem": {"task": {"kind": "bump", "n": 8}, "split": {"kind": "block", "x": [2, 5], "y": [2, 5]}},
        "model": "mlp-decoder",
        "measures": ["ood_nmse"],
        "seed": 3,
    }
    specification = Experiment.read(settings).settings()
    mine, theirs = (record(DIGESTS[1], error=error, specification=specification) for error in (0.1, 0.9))
    (conflict,) = beside(tmp_path, mine, theirs).conflicting
    assert conflict.title == "mlp-decoder on bump, seed 3"


def spoil_bit(path: Path) -> None:
    text = bytearray(path.read_bytes())
    text[len(text) // 2] ^= 4
    path.write_bytes(text)


def spoil_end(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-20])


@pytest.mark.parametrize("spoil", [spoil_bit, spoil_end, Path.unlink])
@pytest.mark.parametrize("file", ["record.json", "arrays.npz", "weights.safetensors"])
def test_a_damaged_run_is_named_and_left_and_the_others_are_copied(tmp_path, file, spoil):
    source, destination = filled(tmp_path / "a", DIGESTS[:3]), Store(tmp_path / "b")
    spoil(source.runs / DIGESTS[1] / file)
    before = content(source)
    found = collect([source], destination)
    (damaged,) = found.damaged
    assert (damaged.digest, damaged.file, damaged.place) == (DIGESTS[1], file, source.runs / DIGESTS[1])
    assert found.copied == destination.digests() == [DIGESTS[0], DIGESTS[2]]
    assert content(source) == before
    assert not destination.has(DIGESTS[1])


@pytest.mark.parametrize("spoil", [spoil_bit, spoil_end])
@pytest.mark.parametrize("kind", ["forecasts", "failures"])
def test_damaged_notes_are_named_and_left(tmp_path, kind, spoil):
    source, destination = filled(tmp_path / "a", DIGESTS[:3]), Store(tmp_path / "b")
    source.commit_failure(LOST, {"reason": "killed"})
    path = sorted((source.root / kind).iterdir())[0]
    spoil(path)
    found = collect([source], destination)
    damaged, *held_back = found.damaged
    assert (damaged.digest, damaged.place) == (path.stem, path)
    without = [digest for digest in DIGESTS[:3] if record(digest).body["forecast"] == path.stem]
    assert [each.digest for each in held_back] == without
    assert found.copied == [digest for digest in DIGESTS[:3] if digest not in without]
    assert not (destination.root / kind / path.name).exists()
    assert [each.digest for each in source.verify()] == [path.stem]


def test_a_run_damaged_in_the_destination_is_named_and_not_overwritten(tmp_path):
    source, destination = filled(tmp_path / "a", DIGESTS[:2]), filled(tmp_path / "b", DIGESTS[:1])
    spoil_end(destination.runs / DIGESTS[0] / "record.json")
    before = content(destination)[f"runs/{DIGESTS[0]}/record.json"]
    found = collect([source], destination)
    assert [each.place for each in found.damaged] == [destination.runs / DIGESTS[0]]
    assert found.copied == [DIGESTS[1]]
    assert content(destination)[f"runs/{DIGESTS[0]}/record.json"] == before


def test_a_run_of_a_newer_version_is_named_and_left(tmp_path):
    source, destination = filled(tmp_path / "a", DIGESTS[:2]), Store(tmp_path / "b")
    path = source.runs / DIGESTS[0] / "record.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "format": 2}))
    found = collect([source], destination)
    assert [type(each) for each in found.damaged] == [NewerRecord]
    assert found.copied == [DIGESTS[1]]


def test_interrupted_it_goes_on_where_it_was(tmp_path, monkeypatch):
    source, destination = filled(tmp_path / "a", DIGESTS), Store(tmp_path / "b")
    commit, left = Store.commit, iter(range(3))

    def some(store, each):
        if next(left, None) is None:
            raise KeyboardInterrupt
        commit(store, each)

    monkeypatch.setattr(Store, "commit", some)
    with pytest.raises(KeyboardInterrupt):
        collect([source], destination)
    assert destination.digests() == DIGESTS[:3]
    assert all(destination.forecast(record(digest).body["forecast"]) for digest in DIGESTS[:3])
    monkeypatch.setattr(Store, "commit", commit)
    found = collect([source], destination)
    assert (found.there, found.copied) == (DIGESTS[:3], DIGESTS[3:])
    assert content(destination) == content(source)


def test_a_run_that_another_process_brings_meanwhile_is_compared(tmp_path, monkeypatch):
    source, destination = filled(tmp_path / "a", DIGESTS[:1]), Store(tmp_path / "b")
    commit = Store.commit

    def overtaken(store, each):
        commit(store, record(DIGESTS[0], error=0.9))
        commit(store, each)

    monkeypatch.setattr(Store, "commit", overtaken)
    found = collect([source], destination)
    assert found.copied == []
    assert [conflict.what for conflict in found.conflicting] == ["measure ood_nmse"]


def test_what_is_no_store_and_the_destination_itself_are_refused_before_anything_is_copied(tmp_path):
    source, destination = filled(tmp_path / "a", DIGESTS[:2]), Store(tmp_path / "b")
    (tmp_path / "c").mkdir()
    (tmp_path / "file").write_text("")
    (tmp_path / "link").symlink_to(tmp_path / "b")
    for bad, says in [
        (tmp_path / "c", r"is no store of records: it has no folder 'runs'; give the folder that holds 'runs'\.$"),
        (
            tmp_path / "nowhere",
            r"is no store of records: there is no such folder; give the folder that holds 'runs'\.$",
        ),
        (tmp_path / "a" / "nowhere", r"there is no such folder; give the folder that holds 'runs'\.$"),
        (tmp_path / "runs", r"there is no such folder; give the folder that holds 'runs'\.$"),
        (tmp_path / "file", "is no store of records: it is a file"),
        (source.runs, rf"did you mean '{source.root}'\?$"),
    ]:
        with pytest.raises(InputError, match=says):
            collect([source, Store(bad)], destination)
        assert not destination.root.exists()
    filled(tmp_path / "b", DIGESTS[2:3])
    for same in (tmp_path / "b", tmp_path / "link", tmp_path / "a" / ".." / "b"):
        with pytest.raises(InputError, match="is the destination itself"):
            collect([source, Store(same)], destination)
    assert destination.digests() == DIGESTS[2:3]


def test_a_destination_that_cannot_be_written_is_one_sentence(tmp_path, monkeypatch):
    source, destination = filled(tmp_path / "a", DIGESTS[:2]), Store(tmp_path / "b")

    def refuse(*_, **__):
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(InputError, match=r"cannot write .* to .*: Read-only file system; allow writing"):
        collect([source], destination)


def test_published_records_have_no_weights_and_are_compared_without_them(tmp_path):
    source, destination = filled(tmp_path / "a", DIGESTS[:3]), Store(tmp_path / "b")
    source.commit_failure(LOST, {"reason": "killed"})
    assert publish(source, destination) == 3
    assert not list(destination.root.rglob("weights.safetensors"))
    assert not destination.failures.exists()
    assert destination.forecast("problem-0") == {"verdict": "composes"}
    for digest in DIGESTS[:3]:
        assert canonical_json(destination.read(digest).body) == canonical_json(source.read(digest).body)
    assert publish(source, destination) == 0
    spoil_bit(source.runs / DIGESTS[0] / "arrays.npz")
    with pytest.raises(InputError, match=r"is damaged.*\(0 copied, 2 already there, 1 damaged, 0 conflicting\)"):
        publish(source, destination)


def test_damage_is_an_error_that_names_its_place(tmp_path):
    source = filled(tmp_path / "a", DIGESTS[:1])
    (source.runs / DIGESTS[0] / "arrays.npz").unlink()
    (damaged,) = collect([source], Store(tmp_path / "b")).damaged
    assert isinstance(damaged, DamagedRecord)
    assert str(source.runs / DIGESTS[0]) in str(damaged)


def test_a_record_whose_digest_is_of_another_specification_is_named_and_left(tmp_path):
    """Its seal is right and so are its hashes, but it would stand for a run that it is not."""
    source, destination = filled(tmp_path / "a", DIGESTS[:1]), Store(tmp_path / "b")
    source.commit(record(DIGESTS[1], specification=SPECIFICATIONS[DIGESTS[2]]))
    found = collect([source], destination)
    assert found.copied == DIGESTS[:1]
    (damaged,) = found.damaged
    assert (damaged.digest, damaged.reason) == (DIGESTS[1], f"tells of the specification of run {DIGESTS[2]!r}")


def test_a_run_whose_forecast_is_damaged_is_held_back_unless_the_destination_has_one(tmp_path):
    source, destination = filled(tmp_path / "source", DIGESTS[:2]), Store(tmp_path / "destination")
    spoil_end(source.forecasts / "problem-1.json")
    found = collect([source], destination)
    assert found.copied == DIGESTS[:1]
    note, run = map(str, found.damaged)
    assert note.startswith("forecast 'problem-1' is damaged")
    assert f"run '{DIGESTS[1]}' is damaged: record.json names the forecast 'problem-1', which is damaged" in run
    destination.commit_forecast("problem-1", {"verdict": "composes"})
    assert collect([source], destination).copied == DIGESTS[1:2]


def test_records_under_the_digest_of_another_are_found_where_they_lie(tmp_path):
    store = filled(tmp_path, DIGESTS[:1])
    store.commit(Record(DIGESTS[1], record(DIGESTS[0]).body))
    assert [damage.digest for damage in misnamed(store)] == [DIGESTS[1]]
