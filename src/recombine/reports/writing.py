"""A file that appears whole or not at all."""

import contextlib
import errno
import os
import secrets
from collections.abc import Iterable
from pathlib import Path

from recombine.core.errors import InputError
from recombine.records import durable


def writable_place(output: Path) -> Path:
    """The file that writing to ``output`` would replace; an `InputError` where there can be none.

    A link is followed. Devices, folders and pipes are refused: a rename would put a plain file in their place.
    """
    target = Path(os.path.realpath(output))
    if target.exists() and not target.is_file():
        raise InputError(f"cannot write to {output}: it is no plain file; give the name of a new one.")
    if not target.parent.is_dir():
        raise InputError(
            f"cannot write to {output}: there is no folder {str(output.parent)!r}; make it first or choose "
            "another place."
        )
    return target


def check_place(output: Path, suffix: str = "", inputs: Iterable[Path] = ()) -> None:
    """Refuse an output before any work: what cannot be written, does not end in ``suffix``, or is one of the inputs."""
    target = writable_place(output)
    for given in inputs:
        if target.exists() and given.exists() and target.samefile(given):
            raise InputError(
                f"cannot write to {output}: the command reads {given}, which would be lost; give the name of a new "
                "file."
            )
    if not output.name.endswith(suffix):
        kind = suffix.removeprefix(".").upper()
        raise InputError(f"cannot write to {output}: this is written as {kind}; give a name that ends in {suffix}.")


def write_whole(output: Path, content: bytes) -> Path:
    """Put ``content`` in the place of ``output``: a draft beside it, onto the disk, then one rename.

    Until the rename a file that was there before stays as it is.
    """
    target = writable_place(output)
    draft = target.with_name(f".{target.name}.{os.getpid()}.{secrets.token_hex(4)}.draft")
    try:
        durable.write(draft, content)
        draft.replace(target)
        durable.settle(target.parent)
    except OSError as error:
        with contextlib.suppress(OSError):
            draft.unlink(missing_ok=True)
        raise _refused(output, error) from error
    return output


def _refused(output: Path, error: OSError) -> InputError:
    reason = error.strerror or type(error).__name__
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        cure = "free some space or choose another place"
    else:
        cure = "allow writing there or choose another place"
    return InputError(f"cannot write to {output}: {reason}; {cure} (a file already there is kept).")
