"""Forecasts: sealed documents written before training, once. The first one stands."""

import errno
import os
from pathlib import Path
from typing import Any

from recombine.records import durable
from recombine.records.damage import DamagedRecord
from recombine.records.drafts import Drafts, listing
from recombine.records.record import DIGEST, check_body, check_digest
from recombine.records.sealed import canonical_body, read_sealed, seal

NO_LINKS = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)


def commit(root: Path, folder: Path, drafts: Drafts, digest: str, body: dict[str, Any]) -> dict[str, Any]:
    """Write the forecast for ``digest`` unless there is one; return the one that stands."""
    check_digest(digest)
    check_body(digest, body)
    text = canonical_body(f"the forecast of run {digest!r}", {**body, "digest": digest})
    if (standing := read(folder, digest)) is not None:
        return standing
    try:
        durable.make_folder(folder)
        with drafts.fresh(digest) as draft:
            durable.write(draft, seal(text))
            publish(draft, folder / f"{digest}.json")
        durable.settle(folder)
    except OSError as error:
        raise durable.cannot_write(f"the forecast of {digest}", root, error) from error
    standing = read(folder, digest)
    return body if standing is None else standing


def publish(draft: Path, target: Path) -> None:
    """Give a finished file its name, unless the name is taken."""
    try:
        os.link(draft, target)
    except FileExistsError:
        return
    except OSError as error:
        if error.errno not in NO_LINKS:
            raise
        # No hard links here. The file still appears whole; of two writers in the same instant the last one wins.
        if not target.exists():
            draft.rename(target)


def read(folder: Path, digest: str) -> dict[str, Any] | None:
    """The forecast for ``digest`` as it was given, its seal checked, or None if there is none."""
    path = folder / f"{check_digest(digest)}.json"
    try:
        body = read_sealed(path, digest, path)
    except FileNotFoundError:
        return None
    return {key: value for key, value in body.items() if key != "digest"}


def names(folder: Path) -> list[str]:
    """The digests of which a folder has a document, sorted."""
    found = [name.removesuffix(".json") for name in listing(folder) if name.endswith(".json")]
    return [digest for digest in found if DIGEST.fullmatch(digest)]


def verify(folder: Path) -> list[DamagedRecord]:
    """The forecasts that are damaged."""
    damaged = []
    for digest in names(folder):
        try:
            read(folder, digest)
        except DamagedRecord as damage:
            damaged.append(damage)
    return damaged
