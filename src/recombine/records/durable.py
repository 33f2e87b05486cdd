"""Writing that survives a crash: contents and folder entries are on the disk before anyone is told."""

import errno
import os
from pathlib import Path

from recombine.core.errors import InputError


def write(path: Path, content: bytes) -> None:
    """Write a new file and wait until the disk has it."""
    with path.open("xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def settle(folder: Path) -> None:
    """Wait until the disk has the folder's list of entries, where the file system can say so."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        # Some network file systems cannot sync a folder; their entries are synchronous anyway.
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
    finally:
        os.close(handle)


def make_folder(folder: Path) -> None:
    """Create a folder and its parents, so that they too survive a crash."""
    if folder.is_dir():
        return
    if not folder.parent.exists():
        make_folder(folder.parent)
    folder.mkdir(exist_ok=True)
    settle(folder.parent)


def cannot_write(what: str, root: Path, error: OSError) -> InputError:
    """The one sentence for a write that the system refused, with the way out that fits the reason."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        cure = "free some space and start again"
    elif error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        cure = "allow writing there or choose another store, and start again"
    else:
        cure = "choose another store or repair this one, and start again"
    reason = error.strerror or type(error).__name__
    return InputError(f"cannot write {what} to {root}: {reason}; {cure}: finished runs are kept.")
