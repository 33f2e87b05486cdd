"""Files that somebody else made, wherever a path is taken: nothing in them is run, and the answer is one sentence."""

import csv
import io
import json
import os
import pickle
import zipfile
from pathlib import Path

import numpy as np
import pytest

NESTED = "[" * 100_000
LAUGHS = "".join(
    f"a{level}: &a{level} [{', '.join(['lol' if level == 0 else f'*a{level - 1}'] * 10)}]\n" for level in range(12)
)
# What a file can be at its start and on the whole: the suffix it is offered under is another matter.
SUFFIXES = [
    ".npy",
    ".npz",
    ".h5",
    ".hdf5",
    ".csv",
    ".parquet",
    ".pt",
    ".pth",
    ".ckpt",
    ".pkl",
    ".safetensors",
    ".yaml",
    ".json",
    "",
]


def as_pickle(bomb, protocol=4):
    return pickle.dumps(bomb, protocol=protocol)


def as_npy(bomb):
    """An array of objects, which NumPy writes as a pickle."""
    buffer = io.BytesIO()
    np.save(buffer, np.array([bomb, bomb], dtype=object), allow_pickle=True)
    return buffer.getvalue()


def as_npz(bomb):
    buffer = io.BytesIO()
    np.savez(buffer, factors=np.array([[bomb], [bomb]], dtype=object), inputs=np.array([bomb, bomb], dtype=object))
    return buffer.getvalue()


def as_checkpoint(bomb):
    """As torch.save writes it: a zip file with a pickle inside."""
    import torch

    buffer = io.BytesIO()
    torch.save({"weights": bomb}, buffer)
    return buffer.getvalue()


def as_old_checkpoint(bomb):
    import torch

    buffer = io.BytesIO()
    torch.save({"weights": bomb}, buffer, _use_new_zipfile_serialization=False)
    return buffer.getvalue()


def as_safetensors(bomb):
    header = json.dumps({"w": {"dtype": "F32", "shape": [1], "data_offsets": [0, 1 << 62]}}).encode()
    return len(header).to_bytes(8, "little") + header + as_pickle(bomb)


def as_h5(bomb):
    """Objects of opaque bytes, and a type of variable length, as some libraries keep pickles."""
    import h5py

    buffer = io.BytesIO()
    with h5py.File(buffer, "w") as file:
        file["factors"] = np.array([[np.void(as_pickle(bomb))], [np.void(as_pickle(bomb))]])
        file["inputs"] = np.frombuffer(as_pickle(bomb), dtype=np.uint8)
        file.attrs["sizes"] = np.void(as_pickle(bomb))
    return buffer.getvalue()


def as_table(bomb):
    text = io.StringIO()
    csv.writer(text).writerows(
        [["a", "train", "file"], [as_pickle(bomb, 0).decode(), 1, "=cmd()"], ["b", 0, "../x.npy"]]
    )
    return text.getvalue().encode()


def as_parquet(bomb):
    """A column of bytes, with words for pandas that name a class to be made of it."""
    import pandas as pd

    buffer = io.BytesIO()
    pd.DataFrame({"a": [as_pickle(bomb), as_pickle(bomb)], "train": [True, False]}).to_parquet(buffer)
    return buffer.getvalue()


def as_yaml(bomb):
    return f"!!python/object/apply:os.mkdir ['{bomb.marker}']\n".encode()


def as_yaml_inside(bomb):
    return f"task: !!python/object/apply:os.mkdir ['{bomb.marker}']\nsplit: !!python/name:os.system\n".encode()


def as_laughs(bomb):
    return f"{LAUGHS}task: *a11\nsplit: *a11\n".encode()


def as_itself(bomb):
    return b"task: &a {kind: bump, n: *a}\nsplit: &b [*b]\n"


def as_nested(bomb):
    return NESTED.encode()


HOSTILE = [
    as_pickle,
    as_npy,
    as_npz,
    as_checkpoint,
    as_old_checkpoint,
    as_safetensors,
    as_h5,
    as_table,
    as_parquet,
    as_yaml,
    as_yaml_inside,
    as_laughs,
    as_itself,
    as_nested,
]


@pytest.fixture(params=HOSTILE, ids=lambda make: make.__name__)
def content(request, bomb):
    return request.param(bomb)


@pytest.fixture
def table(tmp_path):
    """A sound table to go with hostile data."""
    path = tmp_path / "sound.csv"
    path.write_text("a,b,train\np,q,1\np,r,1\ns,q,1\ns,r,0\n")
    return str(path)


def test_a_bomb_would_go_off(tmp_path, bomb):
    """Else nothing below would show anything."""
    tried = tmp_path / "tried"
    bomb.marker, kept = tried, bomb.marker
    (tmp_path / "x.npy").write_bytes(as_npy(bomb))
    np.load(tmp_path / "x.npy", allow_pickle=True)
    assert tried.is_dir()
    bomb.marker = kept


def test_data_of_an_audit(recombine, refused, content, table):
    """Under every suffix: what is read is chosen by it, whatever is inside."""
    for suffix in SUFFIXES:
        Path(f"data{suffix}").write_bytes(content)
        for more in ((), ("--table", table)):
            said = recombine("audit", f"data{suffix}", *more)
            sound = suffix in (".csv", ".parquet", ".npz", ".h5", ".hdf5") and said.code == 0  # a table of words is one
            assert refused(said) or sound, (suffix, more, said)


def test_table_of_an_audit(recombine, refused, content):
    np.save("data.npy", np.zeros((4, 3)))
    for suffix in SUFFIXES:
        Path(f"table{suffix}").write_bytes(content)
        assert refused(recombine("audit", "data.npy", "--table", f"table{suffix}")), suffix


def test_pictures_of_a_folder(recombine, refused, content):
    folder = Path("pictures")
    folder.mkdir()
    for suffix in (".png", ".jpg", ".bmp", ".npy"):
        for name in "abcd":
            (folder / f"{name}{suffix}").write_bytes(content)
        rows = [f"{name}{suffix},{place // 2},{place % 2},1\n" for place, name in enumerate("abcd")]
        Path("t.csv").write_text("file,x,y,train\n" + "".join(rows))
        assert refused(recombine("audit", "pictures", "--table", "t.csv")), suffix


def test_an_exported_folder(recombine, refused, content):
    """Every file of an export in turn is replaced."""
    assert recombine("export", "bump", "--set", "n=4", "--hold-out", "block:x=1..2,y=1..2", "-o", "sound").code == 0
    for name in ("croissant.json", "factors.csv", "inputs.npy", "targets.npy"):
        kept = Path("sound", name).read_bytes()
        Path("sound", name).write_bytes(content)
        assert refused(recombine("audit", "sound")), name
        Path("sound", name).write_bytes(kept)


def test_problems(recombine, refused, content):
    for suffix in (".yaml", ".yml", ".json", ".csv", ".pkl", ".pt", ""):
        Path(f"problem{suffix}").write_bytes(content)
        for words in (["forecast"], ["train", "--model", "mlp-decoder"], ["advise"], ["export", "-o", "out"]):
            assert refused(recombine(*words, f"problem{suffix}")), (words, suffix)


def test_settings(recombine, refused, bomb):
    for text in (
        as_yaml(bomb).decode(),
        "&a [*a]",
        f"{{{LAUGHS.splitlines()[0]}}}",
        "[" * 5000,
        "!!binary x",
        "!!int x",
    ):
        for words in (
            ["--set", f"n={text}"],
            ["--hold-out", f"cells:rows={text}"],
            ["--support", f"random:without={text}"],
        ):
            hold_out = [] if "--hold-out" in words else ["--hold-out", "corner:x=2,y=2"]
            assert refused(recombine("forecast", "bump", *words, *hold_out)), words
        train = ["train", "bump", "--set", "n=4", "--hold-out", "corner:x=2,y=2"]
        assert refused(recombine(*train, "--model", f"mlp-decoder:width={text}"))
        assert refused(recombine(*train, "--model", "mlp-decoder", "--recipe", f"penalties={text}"))


@pytest.fixture
def trained(tmp_path, recombine, monkeypatch):
    """A store with one short run in it, and no others to be read: the run's folder."""
    monkeypatch.setattr("recombine.studies.stores.REFERENCE", tmp_path / "missing")
    arguments = ["--set", "n=4", "--hold-out", "corner:x=2,y=2", "--model", "mlp-decoder:width=2,depth=1"]
    assert recombine("train", "bump", *arguments, "--recipe", "steps=1", "--store", "store", "--workers", "1").code == 0
    (folder,) = (tmp_path / "store" / "runs").iterdir()
    return folder


def test_records(recombine, refused, trained, bomb):
    """Every file of a run in turn is replaced, by everything; what reads it says which, and no command dies of it."""
    names = sorted(path.name for path in trained.iterdir())
    assert names == ["arrays.npz", "record.json", "weights.safetensors"] or names == [
        "record.json",
        "weights.safetensors",
    ]
    forecast = next((trained.parent.parent / "forecasts").iterdir())
    for path in [*trained.iterdir(), forecast]:
        kept = path.read_bytes()
        for make in HOSTILE:
            path.write_bytes(make(bomb))
            (trained.parent.parent / "index.sqlite").unlink(missing_ok=True)
            if path != forecast:
                assert refused(recombine("explain", trained.name, "--store", "store")), (path.name, make)
            told = recombine("doctor", "--store", "store", "--json")
            (damage,) = json.loads(told.out)["damaged"]
            assert told.code == 2
            assert path.name in damage, (path.name, make)
            judged = recombine("check", "FR1", "--store", "store")  # which reads no arrays
            assert refused(judged) if path.name == "record.json" else judged.code in (0, 1), (path.name, make)
        path.write_bytes(kept)
    assert recombine("explain", trained.name, "--store", "store").code == 0


def test_a_sealed_record_with_hostile_arrays(recombine, refused, trained, bomb):
    """The hashes are right here: somebody sealed a pickle."""
    from recombine.core.spec import canonical_json
    from recombine.records.artifacts import checksum
    from recombine.records.sealed import seal

    body = json.loads((trained / "record.json").read_text())["body"]
    for make in (as_npz, as_npy, as_checkpoint, as_pickle, as_safetensors):
        for file in ("arrays.npz", "weights.safetensors"):
            (trained / file).write_bytes(make(bomb))
            sums = {**body["artifacts"], file: checksum(make(bomb))}
            (trained / "record.json").write_bytes(seal(canonical_json({**body, "artifacts": sums})))
            said = recombine("explain", trained.name, "--store", "store")
            assert refused(said), (make, file)
            assert file in said.err or "arrays.npz" in said.err


def test_the_index_of_a_store(recombine, trained, bomb):
    index = trained.parent.parent / "index.sqlite"
    for make in HOSTILE:
        index.write_bytes(make(bomb))
        assert recombine("check", "FR1", "--store", "store").code in (0, 1)


def test_saved_benchmarks(tmp_path, bomb):
    """A report goes on without them."""
    from recombine.records import Store
    from recombine.reports.speed import speed_section

    place = tmp_path / "benchmarks.json"
    without = speed_section([Store(tmp_path)])
    strange = [
        {"results": [1]},
        {"results": {"a": 1}},
        {"results": [{"name": 1, "ratio": "x"}]},
        [],
        3,
        {"results": "x"},
    ]
    for content in [*(make(bomb) for make in HOSTILE), *(json.dumps(each).encode() for each in strange)]:
        place.write_bytes(content)
        assert speed_section([Store(tmp_path)]) == without, content[:80]
    one = {"name": "<script>", "ratio": 3.25, "low": 3, "high": 4, "agrees": True}
    place.write_text(json.dumps({"results": [one], "provenance": {"cpus": "<b>"}}))
    assert "&lt;script&gt;" in speed_section([Store(tmp_path)])
    assert "&lt;b&gt;" in speed_section([Store(tmp_path)])


def test_devices_and_pipes_and_links_without_end(recombine, refused, tmp_path):
    Path("loop.yaml").symlink_to("loop.yaml")
    for path in ("/dev/zero", "/dev/full", "loop.yaml", "/proc/self/mem", "/"):
        assert refused(recombine("forecast", path)), path
        assert refused(recombine("audit", path)), path
        assert refused(recombine("audit", path, "--table", path)), path


def test_a_packed_bomb_is_not_unpacked(recombine, refused, table):
    """A file of a megabyte that says it is 64 GB, and one that is: neither is held in memory."""
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<f8", "fortran_order": False, "shape": (1 << 33,)})
    with zipfile.ZipFile("short.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("factors.npy", header.getvalue() + bytes(100))
    assert refused(recombine("audit", "short.npz"))
    with zipfile.ZipFile("long.npz", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("factors.npy", header.getvalue() + bytes(200 << 20))
    before = peak()
    assert refused(recombine("audit", "long.npz"))
    assert peak() - before < 300 << 20
    # The same as a bare npy: it is mapped, and what it lacks is told.
    Path("short.npy").write_bytes(header.getvalue())
    assert refused(recombine("audit", "short.npy", "--table", table))


def peak() -> int:
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def test_a_folder_of_no_folder(recombine, refused):
    for words in (["--store", "/dev/null"], ["--store", "a\0b"], ["--store", "x" * 5000]):
        assert refused(recombine("explain", "abc", *words)), words
        assert refused(recombine("train", "bump", "--hold-out", "corner:x=20,y=20", "--model", "truth", *words)), words
    os.mkfifo("pipe")
    assert refused(recombine("report", "-o", "pipe"))
    assert refused(recombine("calibrate", "-o", "pipe/x"))
    assert refused(recombine("calibrate", "-o", "/dev/null"))
