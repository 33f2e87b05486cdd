"""A record says where it came from, and nothing about whose machine it was."""

import getpass
import os
import platform
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from importlib import metadata

import pytest

import recombine
from recombine.records import Record, provenance
from recombine.records.provenance import commit, version


@pytest.fixture
def checkout(tmp_path):
    """A repository with one commit that holds a package, and a function that runs git in it."""
    folder = tmp_path / "repository" / "package"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("")

    def git(*arguments: str) -> str:
        who = ["-c", "user.name=nobody", "-c", "user.email=nobody@example.org", "-c", "commit.gpgsign=false"]
        clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        done = subprocess.run(
            ["git", *who, *arguments], cwd=folder.parent, env=clean, check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "first")
    commit.cache_clear()
    return folder, git


def test_it_says_what_ran_and_when(store):
    before = datetime.now(UTC) - timedelta(seconds=1)
    found = provenance()
    assert found["recombine"] == recombine.__version__
    assert found["python"] == platform.python_version()
    assert found["numpy"] == metadata.version("numpy")
    assert found["torch"] == metadata.version("torch")
    assert found["cpus"] == os.cpu_count()
    assert platform.machine() in found["platform"]
    started = datetime.fromisoformat(found["started"])
    assert started.utcoffset() == timedelta(0)
    assert before <= started <= datetime.now(UTC)
    store.commit(Record("a0", {"provenance": found}))  # plain JSON
    assert store.read("a0").body["provenance"] == found


def test_it_names_no_path_no_host_and_no_user():
    values = {str(value) for value in provenance().values()}
    assert platform.node() not in values
    assert getpass.getuser() not in values
    assert not any("/" in value for value in values)


def test_asking_for_the_version_of_torch_does_not_import_it():
    code = "import sys, recombine.records as r; r.provenance(); print({'torch', 'pandas'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_a_package_that_is_not_installed_has_no_version():
    assert version("no-such-package-at-all") is None


def test_a_checkout_gives_its_commit_and_says_when_it_was_changed(checkout):
    folder, git = checkout
    head = git("rev-parse", "HEAD")
    assert commit(folder) == head
    (folder.parent / "notes.txt").write_text("not part of the package")
    commit.cache_clear()
    assert commit(folder) == head
    (folder / "new.py").write_text("")
    commit.cache_clear()
    assert commit(folder) == f"{head}-dirty"
    (folder / "new.py").unlink()
    (folder / "__init__.py").write_text("changed = True")
    commit.cache_clear()
    assert commit(folder) == f"{head}-dirty"


def test_a_copy_installed_inside_another_repository_has_no_commit(checkout):
    folder, _ = checkout
    installed = folder / "site-packages" / "recombine"
    installed.mkdir(parents=True)
    (installed / "__init__.py").write_text("")
    assert commit(installed) is None


def test_no_repository_or_no_git_means_no_commit(tmp_path, checkout, monkeypatch):
    assert commit(tmp_path) is None
    monkeypatch.setenv("PATH", str(tmp_path))
    assert commit(checkout[0]) is None


def test_variables_of_a_surrounding_git_command_do_not_mislead(checkout, tmp_path, monkeypatch):
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    assert commit(checkout[0]) == checkout[1]("rev-parse", "HEAD")
