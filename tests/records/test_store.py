"""What a store promises: what goes in comes out, once, under its own name."""

import hashlib
import json
import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recombine.core.errors import InputError
from recombine.core.spec import canonical_json, sha256
from recombine.records import AlreadyRecorded, DamagedRecord, NewerRecord, Record, Store
from recombine.records.sealed import seal


def test_a_new_store_is_empty_and_creates_nothing(store):
    assert store.digests() == []
    assert list(store.scan()) == []
    assert store.verify() == []
    assert store.bodies() == ([], [])
    assert store.forecast("abc") is None
    assert store.sweep_drafts() == []
    assert not store.has("abc")
    assert not store.root.exists()


def test_what_is_committed_is_read_back(store, sample, same):
    record = sample()
    store.commit(record)
    assert same(store.read(record.digest, weights=True), record)
    assert store.has(record.digest)
    assert store.digests() == [record.digest]
    assert store.verify() == []


def test_weights_are_read_only_when_asked_for(store, sample):
    store.commit(sample())
    (store.runs / sample().digest / "weights.safetensors").unlink()
    record = store.read(sample().digest)
    assert record.weights == {}
    assert record.arrays.keys() == {"heatmap", "seen"}
    with pytest.raises(DamagedRecord, match=r"weights\.safetensors is missing"):
        store.read(sample().digest, weights=True)


def test_the_layout_on_disk_is_the_documented_one(store, sample):
    record = sample()
    store.commit(record)
    folder = store.root / "runs" / record.digest
    assert sorted(path.name for path in folder.iterdir()) == ["arrays.npz", "record.json", "weights.safetensors"]
    document = json.loads((folder / "record.json").read_text(encoding="utf-8"))
    assert list(document) == ["seal", "format", "body"]
    assert document["format"] == 1
    assert document["seal"] == sha256(canonical_json(document["body"]))
    sums = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in document["body"]["artifacts"]}
    assert document["body"] == {**record.body, "digest": record.digest, "artifacts": sums}
    assert list((store.root / "drafts").iterdir()) == []
    with np.load(folder / "arrays.npz", allow_pickle=False) as archive:  # numpy alone can read it
        assert set(archive.files) == set(record.arrays)


def test_a_record_without_arrays_is_one_file(store):
    store.commit(Record("abc", {"status": "failed"}))
    assert [path.name for path in (store.runs / "abc").iterdir()] == ["record.json"]
    assert store.read("abc", weights=True).body == {"status": "failed"}


def test_a_record_can_be_carried_to_another_store_unchanged(store, sample, tmp_path):
    store.commit(sample())
    other = Store(tmp_path / "other")
    other.commit(store.read(sample().digest, weights=True))
    for path in (store.runs / sample().digest).iterdir():
        assert path.read_bytes() == (other.runs / sample().digest / path.name).read_bytes()


def test_a_second_commit_is_refused_and_changes_nothing(store, sample, same):
    store.commit(sample(seed=0))
    with pytest.raises(AlreadyRecorded, match=r"is recorded already in .*never overwritten"):
        store.commit(sample(seed=1))
    assert same(store.read(sample().digest, weights=True), sample(seed=0))
    assert list(store.drafts.folder.iterdir()) == []


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
bodies = st.dictionaries(st.text().filter(lambda key: key not in ("digest", "artifacts")), json_values, max_size=4)


@settings(deadline=None, max_examples=30)
@given(body=bodies)
def test_every_json_body_survives(tmp_path_factory, body):
    store = Store(tmp_path_factory.mktemp("bodies"))
    store.commit(Record("abc", body))
    assert canonical_json(store.read("abc").body) == canonical_json(body)  # as text: 1, 1.0 and True are told apart
    (cached,), damaged = store.bodies()
    assert canonical_json(cached) == canonical_json({**body, "digest": "abc", "artifacts": {}})
    assert damaged == []


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (float("nan"), r"body\.measures\.acc is nan"),
        (float("-inf"), r"body\.measures\.acc is -inf"),
        ([1.0, float("inf")], r"body\.measures\.acc\.1 is inf"),
        (np.float32(1), r"body\.measures\.acc is of type float32"),
        ({3: 1}, r"body\.measures\.acc has the key 3"),
        ({1, 2}, r"body\.measures\.acc is of type set"),
        ("\ud800", "not valid Unicode"),
        ({"\ud800": 1}, "not valid Unicode"),
        pytest.param(10**5000, "cannot be written as JSON", id="huge"),
    ],
)
def test_a_body_that_is_not_plain_json_is_refused_by_place(store, value, says):
    with pytest.raises(InputError, match=says):
        store.commit(Record("abc", {"measures": {"acc": value}}))
    assert store.digests() == []


def test_a_body_that_contains_itself_is_refused(store):
    body: dict = {}
    body["again"] = body
    with pytest.raises(InputError, match="cannot be written as JSON"):
        store.commit(Record("abc", body))


@pytest.mark.parametrize("key", ["digest", "artifacts"])
def test_keys_the_store_writes_itself_are_refused(key):
    with pytest.raises(InputError, match=f"'{key}', which the store writes itself"):
        Record("abc", {key: 1})


@pytest.mark.parametrize("digest", ["", "..", "a/b", "../abc", "ABC", ".hidden", "abc\n", "a" * 129, "-a", "abc.bak"])
def test_a_digest_cannot_leave_its_folder(store, digest):
    with pytest.raises(InputError, match="is no digest of a run"):
        Record(digest, {})
    assert not store.has(digest)
    with pytest.raises(InputError, match="there is no run"):
        store.read(digest)


def test_digests_are_sorted_and_foreign_entries_are_ignored(store, sample):
    for digest in ["c0", "a0", "b0"]:
        store.commit(sample(digest))
    (store.runs / "empty0").mkdir()
    (store.runs / "file0").write_text("")
    (store.runs / "a0.moved").mkdir()
    (store.runs / "a0.moved" / "record.json").write_text("")
    assert store.digests() == ["a0", "b0", "c0"]
    assert [digest for digest, _ in store.scan()] == ["a0", "b0", "c0"]
    assert store.verify() == []
    assert not store.has("empty0")
    store.commit(sample("empty0"))  # an empty folder holds nothing that could be overwritten
    assert store.read("empty0").digest == "empty0"


def test_a_folder_that_lost_its_record_is_damaged_not_absent(store, sample):
    store.commit(sample())
    (store.runs / sample().digest / "record.json").unlink()
    assert store.digests() == []
    assert store.has(sample().digest)  # it is reported rather than trained again for nothing
    (damaged,) = store.verify()
    assert damaged.file == "record.json"
    assert store.bodies()[1][0].reason == "is missing"
    with pytest.raises(DamagedRecord, match=r"record\.json is missing"):
        store.commit(sample())
    assert sorted(p.name for p in (store.runs / sample().digest).iterdir()) == ["arrays.npz", "weights.safetensors"]


def test_a_damaged_record_is_named_and_left_alone_while_others_are_read(store, sample, same):
    for digest in ["a0", "b0", "c0"]:
        store.commit(sample(digest))
    path = store.runs / "b0" / "arrays.npz"
    path.write_bytes(b"x" + path.read_bytes()[1:])
    found = dict(store.scan())
    assert same(found["a0"], Record("a0", sample().body, sample().arrays))
    assert isinstance(found["c0"], Record)
    damaged = found["b0"]
    assert isinstance(damaged, DamagedRecord)
    assert (damaged.digest, damaged.file) == ("b0", "arrays.npz")
    assert str(damaged) == (
        "run 'b0' is damaged: arrays.npz does not match its checksum; "
        f"move '{store.runs / 'b0'}' away and run it again (recombine never deletes it)."
    )
    assert [str(item) for item in store.verify()] == [str(damaged)]
    assert path.exists()


def test_errors_survive_the_way_between_processes(store):
    for kind in (DamagedRecord, NewerRecord):
        error = kind("abc", "record.json", "is missing", Path("runs/abc"))
        again = pickle.loads(pickle.dumps(error))
        assert type(again) is kind
        assert (str(again), again.place) == (str(error), error.place)


def test_a_record_under_another_name_is_damaged(store, sample):
    store.commit(sample("a0"))
    (store.runs / "a0").rename(store.runs / "b0")
    with pytest.raises(DamagedRecord, match="belongs to run 'a0'"):
        store.read("b0")


@pytest.mark.parametrize("written", [2, 10**30])
def test_a_newer_format_is_refused_with_the_advice_to_upgrade(store, sample, written):
    store.commit(sample("a0"))
    path = store.runs / "a0" / "record.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**document, "format": written}), encoding="utf-8")
    with pytest.raises(NewerRecord, match=rf"run 'a0' .* has format {written}, .*upgrade recombine"):
        store.read("a0")
    assert [type(item) for item in store.verify()] == [NewerRecord]


@pytest.mark.parametrize("written", [0, -1, 1.0, True, "1", None])
def test_a_format_that_never_was_is_damage(store, sample, written):
    store.commit(sample("a0"))
    path = store.runs / "a0" / "record.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**document, "format": written}), encoding="utf-8")
    with pytest.raises(DamagedRecord, match="has the unknown format"):
        store.read("a0")


def reseal(store: Store, digest: str, **changes: object) -> None:
    """Change a record's body and seal it again, as only a forger would."""
    path = store.runs / digest / "record.json"
    body = json.loads(path.read_text(encoding="utf-8"))["body"] | changes
    path.write_text(json.dumps({"seal": sha256(canonical_json(body)), "format": 1, "body": body}), encoding="utf-8")


@pytest.mark.parametrize("artifacts", [None, [], {"../../secret": "0"}, {"arrays.npz": 7}])
def test_a_forged_list_of_files_is_refused(store, sample, artifacts):
    store.commit(sample("a0"))
    reseal(store, "a0", artifacts=artifacts)
    with pytest.raises(DamagedRecord, match="lists files that no record has"):
        store.read("a0", weights=True)


def test_loading_never_unpickles(store, sample, tmp_path):
    class Trap:
        def __reduce__(self):
            return (Path.touch, (tmp_path / "sprung",))

    store.commit(sample("a0"))
    path = store.runs / "a0" / "arrays.npz"
    for forged in (lambda: np.savez(path, trap=np.array([Trap()])), lambda: path.write_bytes(pickle.dumps(Trap()))):
        forged()
        sums = {"arrays.npz": hashlib.sha256(path.read_bytes()).hexdigest()}
        reseal(store, "a0", artifacts=sums)
        with pytest.raises(DamagedRecord, match="is not a file of plain arrays"):
            store.read("a0")
        assert not (tmp_path / "sprung").exists()


def test_a_forged_file_of_another_kind_is_refused(store, sample):
    store.commit(sample("a0"))
    folder = store.runs / "a0"
    np.save(folder / "bare.npy", np.ones(3))
    for file, content in [("arrays.npz", (folder / "bare.npy").read_bytes()), ("weights.safetensors", b"\xff" * 64)]:
        (folder / file).write_bytes(content)
        reseal(store, "a0", artifacts={file: hashlib.sha256(content).hexdigest()})
        with pytest.raises(DamagedRecord, match=f"{file} is not a file of plain arrays"):
            store.read("a0", weights=True)


def test_forged_names_of_arrays_are_damage_and_do_not_stop_a_scan(store, sample):
    store.commit(sample("a0"))
    path = store.runs / "a0" / "arrays.npz"
    np.savez(path, **{"../up": np.ones(2)})
    reseal(store, "a0", artifacts={"arrays.npz": hashlib.sha256(path.read_bytes()).hexdigest()})
    ((_, found),) = store.scan()
    assert isinstance(found, DamagedRecord)


def test_a_missing_run_is_refused_with_the_nearest_ones(store):
    for digest in ["12ab00", "12ab11", "ffff00"]:
        store.commit(Record(digest, {}))
    with pytest.raises(InputError, match=r"there is no run '12ab99' among the 3 in .*did you mean 12ab00 or 12ab11\?$"):
        store.read("12ab99")
    with pytest.raises(InputError, match=r"did you mean ffff00\?$"):  # wrong in the first letter
        store.read("0fff00")
    with pytest.raises(InputError, match=r"give a digest or the beginning of one\.$"):
        store.read("zzzzzz")


def test_a_unique_beginning_names_a_run(store):
    for digest in ["12ab00", "12ab11", "12ab1", "ffff00"]:
        store.commit(Record(digest, {}))
    assert store.resolve("f") == "ffff00"
    assert store.resolve("12ab0") == "12ab00"
    assert store.resolve("12ab1") == "12ab1"  # itself, although another begins with it
    with pytest.raises(InputError, match=r"'12' is the beginning of 3 runs \(12ab00, 12ab1, 12ab11\); give more"):
        store.resolve("12")
    with pytest.raises(InputError, match="there is no run 'e' among the 4"):
        store.resolve("e")
    with pytest.raises(InputError, match="there is no run ''"):
        store.resolve("")


def test_a_run_moved_away_while_others_are_read_is_passed_over(store, sample, tmp_path):
    for digest in ["a0", "b0", "c0"]:
        store.commit(sample(digest))
    seen = []
    for digest, _ in store.scan():
        seen.append(digest)
        if digest == "a0":
            (store.runs / "b0").rename(tmp_path / "moved")
    assert seen == ["a0", "c0"]


@pytest.mark.parametrize("measures", [["no", "mapping"], {"ood_nmse": "0.5"}, {"by_layer": {"rim": "high"}}])
def test_measures_that_are_no_numbers_are_damage(store, measures):
    store.commit(Record("a0", {"measures": {}}))
    path = store.runs / "a0" / "record.json"
    body = json.loads(path.read_text())["body"] | {"measures": measures}
    path.write_bytes(seal(canonical_json(body)))
    (damaged,) = store.verify()
    assert damaged.reason == "has measures that are no numbers"


def test_runs_whose_forecast_is_gone_are_told(store):
    store.commit_forecast("f0", {"verdict": "composes"})
    for digest, forecast in {"a0": "f0", "b1": "f1", "c2": None}.items():
        store.commit(Record(digest, {"forecast": forecast}))
    assert store.without_forecast() == ["b1"]
    assert store.verify() == []


def test_whether_it_can_be_written_is_known_before(store):
    store.check_writable()
    assert list(store.drafts.folder.iterdir()) == []
    store.drafts.folder.rmdir()
    store.drafts.folder.write_text("in the way")
    with pytest.raises(InputError, match="cannot write records"):
        store.check_writable()
