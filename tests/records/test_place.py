"""Where records are kept unless told otherwise."""

from pathlib import Path

import pytest

from recombine import records
from recombine.core.errors import InputError
from recombine.records import Record, user_store


def test_a_path_comes_before_the_environment_and_that_before_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("RECOMBINE_STORE", raising=False)
    assert user_store().root == Path("runs")
    monkeypatch.setenv("RECOMBINE_STORE", "elsewhere")
    assert user_store().root == Path("elsewhere")
    assert user_store(Path("here/and/deep")).root == Path("here/and/deep")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("below", ["", "store", "far/below"])
def test_a_file_is_refused_wherever_it_was_named(below, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    file = tmp_path / "file"
    file.write_text("in the way")
    with pytest.raises(InputError, match=f"{str(file)!r} is a file; give a folder"):
        user_store(file / below)
    monkeypatch.setenv("RECOMBINE_STORE", str(file / below))
    with pytest.raises(InputError, match=f"{str(file)!r} is a file; give a folder"):
        user_store()


def test_a_folder_by_another_name_is_a_folder(tmp_path: Path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert user_store(tmp_path / "link").digests() == []


def test_the_package_is_called_with_a_path_or_its_text(tmp_path: Path):
    assert records(str(tmp_path)).root == records(tmp_path).root == tmp_path
    for wrong in (5, ["runs"], b"runs"):
        with pytest.raises(InputError, match=r"a store is a folder, got .*; give its path"):
            records(wrong)


@pytest.mark.parametrize("below", ["", "deeper", "a0"])
def test_a_place_among_the_runs_of_a_store_is_refused(below: str, tmp_path: Path):
    outer = user_store(tmp_path / "runs")  # a store may be called so
    outer.commit(Record("a0", {}))
    with pytest.raises(InputError, match=rf"among the runs of another store.*did you mean '{tmp_path / 'runs'}'"):
        user_store(outer.runs / below)
    assert user_store(outer.root).digests() == ["a0"]


def test_a_link_that_leads_nowhere_is_refused(tmp_path: Path):
    (tmp_path / "x").symlink_to("x")
    with pytest.raises(InputError, match="leads nowhere"):
        user_store(tmp_path / "x")
