"""Nothing is read or written outside the folder that was named, whatever an archive, a table or a digest says."""

import contextlib
import io
import os
import stat
import zipfile
from pathlib import Path

import numpy as np
import pytest

from recombine.core.errors import InputError
from recombine.core.packed_arrays import check_packed, memory
from recombine.records import DamagedRecord, Record, Store
from recombine.records.artifacts import unpack_arrays
from recombine.studies.publishing import publish

OUTSIDE = ["../../x", "..", "/etc/passwd", "a/../../b", "a\\..\\b", "", ".", "A", "a\0b", "a\n", "~", "x" * 129, "é"]


def npy(array):
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


def packed(*members):
    """A zip file of these names and contents."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return buffer.getvalue()


def tree(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


@pytest.mark.parametrize("name", ["../../escaped.npy", "/tmp/escaped.npy", "..\\escaped.npy", "factors.npy/../x.npy"])
def test_members_are_never_files(recombine, refused, tmp_path, name):
    """They are read by name from the archive, so that a path in it is a name like any other."""
    factors = npy(np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 2))
    Path("data.npz").write_bytes(packed(("factors.npy", factors), (name, npy(np.arange(3)))))
    before = tree(tmp_path)
    assert recombine("audit", "data.npz").code == 0
    assert tree(tmp_path) == before
    Path("data.npz").write_bytes(packed((name, factors)))
    assert refused(recombine("audit", "data.npz"))


def test_a_member_that_is_a_link_is_its_own_text(recombine, refused):
    link = zipfile.ZipInfo("factors.npy")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    Path("data.npz").write_bytes(packed((link, "/etc/passwd")))
    assert refused(recombine("audit", "data.npz"))


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_members_of_one_name(recombine, refused):
    """Readers would differ in which one they take."""
    content = packed(("factors.npy", npy(np.zeros((3, 2)))), ("factors.npy", npy(np.ones((3, 2)))))
    Path("data.npz").write_bytes(content)
    said = recombine("audit", "data.npz")
    assert refused(said)
    assert "two arrays called 'factors'" in said.err
    with pytest.raises(InputError, match="two arrays"):
        unpack_arrays(content)


def test_an_array_no_larger_than_it_says(monkeypatch):
    """Its header is believed before the first number is there."""
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<f8", "fortran_order": False, "shape": (7, 1 << 20)})
    archive = zipfile.ZipFile(io.BytesIO(packed(("a.npy", header.getvalue() + bytes(100)))))
    with pytest.raises(InputError, match="'a' that is cut short"):
        check_packed(archive, "x.npz")
    archive = zipfile.ZipFile(io.BytesIO(packed(("a.npy", npy(np.zeros((3, 5)))))))
    check_packed(archive, "x.npz")
    monkeypatch.setattr("recombine.core.packed_arrays.memory", lambda: 300)  # less than twice 128 + 3 x 5 x 8 bytes
    with pytest.raises(InputError, match="more than fits in the memory"):
        check_packed(archive, "x.npz")
    monkeypatch.setattr("recombine.core.packed_arrays.memory", lambda: 500)
    check_packed(archive, "x.npz")
    monkeypatch.undo()
    assert 100 << 20 < memory() < 1 << 50


@pytest.mark.parametrize(
    "name", ["../secret.npy", "/etc/hostname.npy", "link.npy", "inner/../../secret.npy", "sub/link.npy"]
)
def test_pictures_stay_in_their_folder(recombine, refused, tmp_path, name):
    folder = tmp_path / "pictures"
    (folder / "sub").mkdir(parents=True)
    np.save(tmp_path / "secret.npy", np.zeros((2, 2)))
    (folder / "link.npy").symlink_to(tmp_path / "secret.npy")
    (folder / "sub" / "link.npy").symlink_to("../../secret.npy")
    for place in range(3):
        np.save(folder / f"{place}.npy", np.zeros((2, 2)))
    rows = [f"{each},{place // 2},{place % 2},1\n" for place, each in enumerate(["0.npy", "1.npy", "2.npy", name])]
    Path("t.csv").write_text("file,x,y,train\n" + "".join(rows))
    said = recombine("audit", "pictures", "--table", "t.csv")
    assert refused(said)
    assert "is not in pictures" in said.out + said.err


@pytest.mark.parametrize("digest", OUTSIDE)
def test_digests_that_would_leave_the_store(tmp_path, digest):
    store = Store(tmp_path / "store")
    store.commit(Record("a0", {"n": 1}))
    before = tree(tmp_path)
    assert not store.has(digest)
    for act in (
        lambda: store.read(digest),
        lambda: store.forecast(digest),
        lambda: store.commit_forecast(digest, {}),
        lambda: Record(digest, {}),
    ):
        with pytest.raises(InputError):
            act()
    if digest and not "a0".startswith(digest):
        with pytest.raises(InputError):
            store.resolve(digest)
    assert tree(tmp_path) == before


def test_publishing_goes_nowhere_else(tmp_path):
    """A hostile record names a forecast outside: nothing is read or written there."""
    source, destination = Store(tmp_path / "source"), Store(tmp_path / "deep" / "destination")
    source.commit(Record("a0", {"forecast": "../../../escaped", "measures": {}}))
    with contextlib.suppress(InputError):
        publish(source, destination)
    assert not list((tmp_path / "deep").rglob("*escaped*"))
    assert {path.name for path in tmp_path.iterdir()} <= {"source", "deep"}
    assert not (tmp_path / "escaped.json").exists()


def test_a_run_folder_that_is_a_link(tmp_path):
    """What a link leads to is read like a run, with its digest and its hashes; another run is damage."""
    store = Store(tmp_path / "store")
    store.commit(Record("a0", {"n": 1}))
    (store.runs / "b0").symlink_to(store.runs / "a0")
    with pytest.raises(DamagedRecord, match="belongs to run 'a0'"):
        store.read("b0")


def test_exports_stay_in_their_folder(recombine, refused, tmp_path):
    """Also where names of factors and levels are paths."""
    Path("inner").mkdir()
    Path("problem.csv").write_text(
        "../up,/etc/x,target,trained\n../../a,/b,1,1\n../../a,c,2,1\n../d,/b,3,1\n../d,c,4,0\n", encoding="utf-8"
    )
    before = set(tree(tmp_path))
    assert recombine("export", "problem.csv", "-o", "inner/out").code == 0
    assert {name for name in set(tree(tmp_path)) - before if not name.startswith("inner/out")} == set()
    Path("link").symlink_to("inner")
    assert refused(recombine("export", "problem.csv", "-o", "link"))  # in use
    assert refused(recombine("export", "problem.csv", "-o", "/dev/null"))
    assert refused(recombine("export", "problem.csv", "-o", "missing/out"))


def test_devices_are_never_replaced(recombine, refused, tmp_path):
    """A rename would put a plain file in the place of /dev/null."""
    os.mkfifo("pipe")
    hold_out = ["--hold-out", "corner:x=2,y=2", "--set", "n=4"]
    for place in ("/dev/null", "pipe", "."):
        for words in (["calibrate"], ["report"], ["bench"], ["advise", "bump", *hold_out], ["audit", "x.csv"]):
            assert refused(recombine(*words, "-o", place)), (words, place)
        assert refused(recombine("export", "bump", *hold_out, "-o", place))
    assert stat.S_ISFIFO(Path("pipe").stat().st_mode)
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)
