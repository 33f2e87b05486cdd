"""Drafts: what is being written, under a name that says by which process."""

import contextlib
import hashlib
import os
import platform
import re
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path

from recombine.records.durable import make_folder

DRAFT = re.compile(r"(?P<what>[0-9a-z_-]+)\.(?P<host>[0-9a-f]{8})\.(?P<pid>[0-9]+)\.(?P<token>[0-9a-f]{16})")


class Drafts:
    """The folder of unfinished things, each named ``<what>.<host>.<pid>.<token>``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @contextlib.contextmanager
    def fresh(self, what: str) -> Iterator[Path]:
        """A path nobody else uses. Whatever is still there at the end is removed, as far as possible."""
        make_folder(self.folder)
        path = self.folder / f"{what}.{host()}.{os.getpid()}.{secrets.token_hex(8)}"
        try:
            yield path
        finally:
            remove(path)

    def sweep(self) -> list[str]:
        """Remove the drafts whose process is dead on this host; return the names of those removed.

        Drafts of live processes, of other hosts, and files we did not name are left alone.
        """
        swept = []
        for name in listing(self.folder):
            found = DRAFT.fullmatch(name)
            if found and found["host"] == host() and not alive(int(found["pid"])):
                remove(self.folder / name)
                swept.append(name)
        left = set(listing(self.folder))
        return [name for name in swept if name not in left]


def remove(path: Path) -> None:
    """Remove one draft, best effort: a draft that stays costs space and nothing else."""
    with contextlib.suppress(OSError):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def listing(folder: Path) -> list[str]:
    """The names in a folder, sorted; none if there is no folder."""
    try:
        return sorted(os.listdir(folder))  # noqa: PTH208  (no Path for each of a hundred thousand)
    except (FileNotFoundError, NotADirectoryError):
        return []


def holds_anything(folder: Path) -> bool:
    """Whether there is a folder with something in it."""
    try:
        with os.scandir(folder) as entries:
            return next(entries, None) is not None
    except (FileNotFoundError, NotADirectoryError):
        return False


def alive(pid: int) -> bool:
    """Whether a process of this number runs here; yes where that cannot be told."""
    if os.name == "nt":  # os.kill would end it there
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def host() -> str:
    """Eight digits that tell apart the places in which a process number has a meaning.

    Containers on one machine may share a name but count processes apart, so the process namespace goes in.
    """
    namespace = ""
    with contextlib.suppress(OSError):
        namespace = str(Path("/proc/self/ns/pid").readlink())
    return hashlib.sha256(f"{platform.node()} {namespace}".encode()).hexdigest()[:8]
