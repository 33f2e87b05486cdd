"""Arrays in a zip file (npz), looked over before any is unpacked: nothing is unpickled, and no name leaves the file."""

import math
import os
import zipfile
from typing import IO

import numpy as np

from recombine.core.errors import InputError, shown

SHARE = 0.5  # of the memory of this machine that one unpacked array may take


def check_packed(archive: zipfile.ZipFile, what: str) -> None:
    """Refuse an archive with two members of one name, or with arrays larger than they say or than fits in memory.

    Sizes are those the archive itself tells, beyond which it is never read; an array is made as large as its header
    says before the first number is there, so that the two must agree.
    """
    seen = set()
    for member in archive.infolist():
        name = member.filename.removesuffix(".npy")
        if name in seen:
            raise InputError(f"{what} has two arrays called {shown(name)}; keep one of them.")
        seen.add(name)
        if not member.filename.endswith(".npy"):
            continue
        if member.file_size > SHARE * memory():
            raise InputError(
                f"{what} has an array {shown(name)} of {member.file_size / 1e9:.1f} GB unpacked, more than fits in the "
                "memory of this machine; save it as npy, which is read in parts."
            )
        with archive.open(member) as file:
            numbers = _told(file)
        if numbers is not None and numbers > member.file_size:
            raise InputError(f"{what} has an array {shown(name)} that is cut short; save it again.")


def _told(file: IO[bytes]) -> int | None:
    """The bytes of the array that a header tells of; None for what is no array of plain values: reading it says so."""
    try:
        version = np.lib.format.read_magic(file)
        reader = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, _, dtype = reader(file)
    except (ValueError, OSError, EOFError, SyntaxError, TypeError, zipfile.BadZipFile):
        return None
    return None if dtype.hasobject else math.prod(shape) * dtype.itemsize


def memory() -> int:
    """The bytes of memory that this machine has."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):  # a system that does not tell
        return 16 << 30
