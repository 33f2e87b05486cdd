"""A JSON file at a place of the user's choice: it appears whole or not at all."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from recombine.core.errors import InputError


def check_place(path: Path, what: str) -> None:
    """Refuse a place where ``what`` could not be written."""
    if not path.name or path.is_dir():
        example = f"{what.split()[-1]}.json"
        raise InputError(f"cannot write {what} to {str(path)!r}: it names no file; give one, e.g. {example}.")
    if path.exists() and not path.is_file():  # a rename would put a plain file in the place of a device
        raise InputError(f"cannot write {what} to {str(path)!r}: it is no plain file; give the name of a new one.")
    if not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
        raise InputError(f"cannot write {what} to {str(path)!r}: its folder is not there or not writable.")


def write_document(path: Path, what: str, document: Mapping[str, Any], indent: int | None = None) -> None:
    """Write a document, in one piece."""
    check_place(path, what)
    draft = path.with_name(path.name + ".draft")
    try:
        draft.write_text(json.dumps(document, indent=indent, allow_nan=False) + "\n", encoding="utf-8")
        draft.replace(path)
    except OSError as error:
        raise InputError(f"cannot write {what} to {str(path)!r}: {error.strerror}.") from None
