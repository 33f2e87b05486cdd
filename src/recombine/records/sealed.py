"""Sealed JSON: a document that carries the hash of its own content.

    {"seal": sha256(canonical JSON of body), "format": 1, "body": {..., "digest": ...}}

Any change to the body breaks the seal; white space and the order of keys are free.
"""

import json
import math
from pathlib import Path
from typing import Any

from recombine.core.errors import InputError
from recombine.core.spec import canonical_json, sha256
from recombine.records.damage import DamagedRecord, NewerRecord

FORMAT = 1


def canonical_body(what: str, body: dict[str, Any]) -> str:
    """The canonical JSON of ``body``, or an `InputError` that says where it is not plain JSON."""
    try:
        found = fault(body)
        if found is None:
            return canonical_json(body)
    except (ValueError, RecursionError) as error:
        found = f"it cannot be written as JSON ({error})"
    raise InputError(
        f"{what} cannot be recorded: {found}; give str, int, finite float, bool, None, list and dict only."
    )


def fault(value: object, where: str = "body") -> str | None:
    """The first thing in ``value`` that JSON would not give back as it is, or None."""
    if isinstance(value, dict):
        for key, item in value.items():
            if not isinstance(key, str):
                # JSON would turn 1 into "1", whose place in the canonical order is another.
                return f"{where} has the key {key!r}, which is no string"
            if found := fault(key, f"a key of {where}") or fault(item, f"{where}.{key}"):
                return found
        return None
    if isinstance(value, list | tuple):
        return next((found for i, item in enumerate(value) if (found := fault(item, f"{where}.{i}"))), None)
    if isinstance(value, str):
        broken = any("\ud800" <= letter <= "\udfff" for letter in value)
        return f"{where} is {value!r}, which is not valid Unicode" if broken else None
    if isinstance(value, float):
        return None if math.isfinite(value) else f"{where} is {value}, which JSON has no number for"
    if value is None or isinstance(value, int):
        return None
    return f"{where} is of type {type(value).__name__}"


def seal(canonical: str) -> bytes:
    """The sealed document around a body in canonical JSON, laid out for people and for diffs."""
    document = {"seal": sha256(canonical), "format": FORMAT, "body": json.loads(canonical)}
    return (json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode()


def read_sealed(path: Path, digest: str, place: Path) -> dict[str, Any]:
    """The body of a sealed document about ``digest``, after checking its seal.

    A missing file stays a FileNotFoundError; anything else that is wrong is a `DamagedRecord`.
    """

    def damage(reason: str) -> DamagedRecord:
        return DamagedRecord(digest, path.name, reason, place)

    try:
        content = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        raise FileNotFoundError(path) from None
    except OSError as error:
        raise damage(f"cannot be read ({error.strerror})") from error
    try:
        document = json.loads(content.decode())
    except (ValueError, RecursionError) as error:
        raise damage("is not valid JSON") from error
    if not isinstance(document, dict) or set(document) != {"seal", "format", "body"}:
        raise damage("is not a sealed document")
    written = document["format"]
    if type(written) is int and written > FORMAT:
        reason = f"has format {written}, and this version knows formats up to {FORMAT}"
        raise NewerRecord(digest, path.name, reason, place)
    if type(written) is not int or written < 1:
        raise damage(f"has the unknown format {written!r}")
    body = document["body"]
    try:
        unbroken = isinstance(body, dict) and sha256(canonical_json(body)) == document["seal"]
    except (ValueError, RecursionError):  # NaN, or text that is no Unicode: never written by us
        unbroken = False
    if not unbroken:
        raise damage("does not match its seal")
    if body.get("digest") != digest:
        raise damage(f"belongs to run {body.get('digest')!r}")
    return body
