"""A full disk, a missing permission, a store that is no folder: one sentence, and nothing is lost."""

import errno
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from recombine.core.errors import InputError
from recombine.records import Record, Store

KEPT = r"finished runs are kept\.$"

# Commits a small run, a large one and another small one, and prints what each came to and what is there in the end.
THREE_COMMITS = """
import sys
import numpy as np
from pathlib import Path
from recombine.core.errors import InputError
from recombine.records import Record, Store

store = Store(Path(sys.argv[1]))
for digest, size in [("small0", 10), ("large0", 300_000), ("small1", 10)]:
    noise = np.random.default_rng(0).normal(size=size)
    try:
        store.commit(Record(digest, {"size": size}, arrays={"noise": noise}))
        print("done", digest)
    except InputError as error:
        print(error)
print(store.digests(), [body["size"] for body in store.bodies()[0]], store.verify())
print([path.name for path in store.drafts.folder.iterdir()])
"""


def run(command: list[str]) -> subprocess.CompletedProcess:
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def mounted(folder: Path, options: str, then: str, *arguments: str) -> list[str]:
    """Run commands with a small file system of their own at ``folder``, seen by no other process."""
    if shutil.which("unshare") is None:
        pytest.skip("needs private mounts, which this system does not offer")
    private = ["unshare", "--map-root-user", "--mount", "sh", "-ec"]
    mount = f'mount -t tmpfs -o {options} none "$0"'
    if run([*private, mount, str(folder)]).returncode != 0:
        pytest.skip("needs private mounts, which this system does not allow")
    done = run([*private, f"{mount}; {then}", str(folder), *arguments])
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_a_full_disk_is_one_sentence_and_loses_nothing(tmp_path):
    lines = mounted(tmp_path, "size=512k", '"$1" -c "$2" "$0/store"', sys.executable, THREE_COMMITS)
    assert lines == [
        "done small0",
        f"cannot write the record of large0 to {tmp_path / 'store'}: No space left on device; "
        "free some space and start again: finished runs are kept.",
        "done small1",
        "['small0', 'small1'] [10, 10] []",
        "[]",
    ]


def test_a_read_only_store_can_be_read_and_refuses_a_commit_in_one_sentence(tmp_path):
    commit = """
import sys
from pathlib import Path
from recombine.core.errors import InputError
from recombine.records import Record, Store
store = Store(Path(sys.argv[1]))
for action in (lambda: store.commit(Record(sys.argv[2], {})), lambda: store.commit_forecast(sys.argv[2], {"x": 1}),
               store.rebuild_index):
    try:
        print("done", action())
    except InputError as error:
        print(error)
print(store.digests(), len(store.bodies()[0]), len(store.table()), store.verify(), store.sweep_drafts())
"""
    script = (
        '"$1" -c "$2" "$0/store" a0; rm "$0/store/index.sqlite"; mount -o remount,ro "$0"; "$1" -c "$2" "$0/store" b0'
    )
    lines = mounted(tmp_path, "size=2m", script, sys.executable, commit)
    cure = (
        "Read-only file system; allow writing there or choose another store, and start again: finished runs are kept."
    )
    where = tmp_path / "store"
    assert lines == [
        "done None",
        "done {'x': 1}",
        "done 1",
        "['a0'] 1 1 [] []",
        f"cannot write the record of b0 to {where}: {cure}",
        f"cannot write the forecast of b0 to {where}: {cure}",
        f"cannot write the index to {where}: {cure}",
        "['a0'] 1 1 [] []",
    ]


def test_a_limit_on_the_size_of_files_is_one_sentence_and_loses_nothing(tmp_path):
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))\n"
    done = run([sys.executable, "-c", limit + THREE_COMMITS, str(tmp_path)])
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        "done small0",
        f"cannot write the record of large0 to {tmp_path}: File too large; "
        "choose another store or repair this one, and start again: finished runs are kept.",
        "done small1",
        "['small0', 'small1'] [10, 10] []",
        "[]",
    ]


def test_a_store_inside_a_file_is_refused_and_reads_as_empty(tmp_path, sample):
    (tmp_path / "file").write_text("mine")
    store = Store(tmp_path / "file" / "store")
    with pytest.raises(InputError, match=f"cannot write the record of a0 to .*: Not a directory; .*{KEPT}"):
        store.commit(sample("a0"))
    with pytest.raises(InputError, match=f"cannot write the forecast of a0 to .*: Not a directory; .*{KEPT}"):
        store.commit_forecast("a0", {})
    assert store.digests() == []
    assert store.bodies() == ([], [])
    assert store.verify() == []
    assert (tmp_path / "file").read_text() == "mine"


@pytest.mark.parametrize("part", ["runs", "drafts", "runs/a0"])
def test_a_file_where_a_folder_belongs_is_refused_and_left_alone(store, sample, part):
    path = store.root / part
    path.parent.mkdir(parents=True)
    path.write_text("mine")
    with pytest.raises(InputError, match=f"cannot write the record of a0 to .*{KEPT}"):
        store.commit(sample("a0"))
    assert path.read_text() == "mine"


@pytest.mark.skipif(not Path("/sys").is_dir(), reason="needs a folder that refuses even the superuser")
def test_a_place_nobody_may_write_to_is_refused(sample):
    store = Store(Path("/sys/recombine-store"))
    with pytest.raises(InputError, match=r"cannot write the record of a0 to /sys/.*; (allow writing|choose another)"):
        store.commit(sample("a0"))


def test_wherever_the_disk_fails_a_commit_is_whole_or_refused(tmp_path, sample, monkeypatch):
    """Each wait for the disk fails in turn; before the last one the run is not there, and no draft stays."""
    real, outcomes = os.fsync, []
    for failing in range(50):
        store, calls = Store(tmp_path / str(failing)), iter(range(1000))
        store.commit(Record("b0", {}))

        def fsync(handle, failing=failing, calls=calls):
            if next(calls) == failing:
                raise OSError(errno.EIO, os.strerror(errno.EIO))
            real(handle)

        monkeypatch.setattr(os, "fsync", fsync)
        refused = ""
        try:
            store.commit(sample("a0"))
        except InputError as error:
            refused = str(error)
        monkeypatch.setattr(os, "fsync", real)
        assert store.verify() == []
        assert store.has("b0")
        assert list(store.drafts.folder.iterdir()) == []
        outcomes.append((refused.startswith("cannot write the record of a0"), store.has("a0")))
        if not refused:
            break
    # Three files and the draft folder; then the list of runs, after the rename; then none is left to fail.
    assert outcomes == [(True, False)] * 4 + [(True, True)] + [(False, True)]


@pytest.mark.parametrize(("code", "stops"), [(errno.EINVAL, False), (errno.ENOTSUP, False), (errno.EIO, True)])
def test_a_file_system_that_cannot_sync_folders_is_good_enough(store, sample, monkeypatch, code, stops):
    real = os.fsync

    def fsync(handle):
        if os.path.isdir(f"/proc/self/fd/{handle}"):  # noqa: PTH112
            raise OSError(code, os.strerror(code))
        real(handle)

    if not Path("/proc/self/fd").is_dir():
        pytest.skip("cannot tell a folder's handle from a file's here")
    monkeypatch.setattr(os, "fsync", fsync)
    if stops:
        with pytest.raises(InputError, match="cannot write"):
            store.commit(sample("a0"))
    else:
        store.commit(sample("a0"))
        assert store.digests() == ["a0"]


def test_a_store_that_cannot_be_listed_is_one_sentence(store, sample, monkeypatch):
    store.commit(sample("a0"))

    def refuse(_):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(os, "listdir", refuse)
    monkeypatch.setattr(os, "scandir", refuse)
    looks = (store.digests, store.bodies, store.verify, store.sweep_drafts, store.rebuild_index)
    for look in (*looks, lambda: store.has("a0"), lambda: store.read("b0"), lambda: store.resolve("a")):
        with pytest.raises(InputError, match=r"cannot read the records in .*: Permission denied; allow reading"):
            look()
    with pytest.raises(InputError, match=r"cannot write the record of b0 to .*: Permission denied"):
        store.commit(sample("b0"))


def test_a_file_that_cannot_be_read_is_damage_by_name(store, sample, monkeypatch):
    store.commit(sample("a0"))
    real = Path.read_bytes
    for file in ("record.json", "arrays.npz", "weights.safetensors"):

        def refuse(path, file=file):
            if path.name == file:
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
            return real(path)

        monkeypatch.setattr(Path, "read_bytes", refuse)
        (damaged,) = store.verify()
        assert (damaged.file, damaged.reason) == (file, "cannot be read (Permission denied)")
