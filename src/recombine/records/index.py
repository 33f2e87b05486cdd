"""The index: a cache of record bodies in one SQLite file, so that listing runs need not open each.

It can be deleted at any time. Every row carries the seal of its body and the stamp of the files it was read
from, so that a stale or spoilt row is noticed and read again from its folder.
"""

import contextlib
import hashlib
import json
import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from recombine.records.drafts import Drafts

VERSION = 1
# What SQLite raises about a file it cannot use; where its own message quotes spoilt text, that fails to decode.
UNUSABLE = (sqlite3.Error, UnicodeDecodeError)
PATIENCE = 0.25  # seconds to wait for another process's lock before doing without the index


class Row(NamedTuple):
    """One record in the index."""

    digest: str
    stamp: str
    seal: str
    body: bytes  # canonical JSON

    def content(self, stamp: str) -> dict[str, Any] | None:
        """The body, if this row still speaks of the files with that stamp and is itself unspoilt."""
        if self.stamp != stamp or not isinstance(self.body, bytes):
            return None
        if hashlib.sha256(self.body).hexdigest() != self.seal:
            return None
        try:
            body = json.loads(self.body)
        except ValueError:
            return None
        return body if isinstance(body, dict) and body.get("digest") == self.digest else None


class Index:
    """Reads and writes rows. Its own failures never reach the caller of `rows` and `update`."""

    def __init__(self, path: Path, drafts: Drafts) -> None:
        self.path = path
        self.drafts = drafts

    def rows(self) -> dict[str, Row]:
        """All rows by digest; none if the index is missing, locked or spoilt."""
        try:
            if not self.path.is_file():
                return {}
            with contextlib.closing(connect(self.path)) as connection:
                found = connection.execute("SELECT digest, stamp, seal, body FROM records").fetchall()
        except (*UNUSABLE, OSError):
            return {}
        return {row[0]: Row(*row) for row in found}

    def update(self, rows: Iterable[Row], gone: Iterable[str] = ()) -> None:
        """Put rows in and take others out. A spoilt index is replaced; a locked one is left as it is."""
        rows = list(rows)
        try:
            with contextlib.closing(connect(self.path)) as connection, connection:
                write(connection, rows)
                connection.executemany("DELETE FROM records WHERE digest = ?", [(digest,) for digest in gone])
        except UNUSABLE as error:
            if getattr(error, "sqlite_errorname", "").startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
                return
            with contextlib.suppress(*UNUSABLE, OSError):
                self.replace(rows)

    def replace(self, rows: Iterable[Row]) -> None:
        """Build a new index of just these rows and put it in place of the old one."""
        with self.drafts.fresh("index") as draft:
            draft.touch()  # by ourselves: where that is refused, the system says why and SQLite would not
            with contextlib.closing(connect(draft, journal=False)) as connection, connection:
                write(connection, rows)
            # A journal left by a killed writer belongs to the old file and would be played into the new one.
            self.path.with_name(self.path.name + "-journal").unlink(missing_ok=True)
            draft.replace(self.path)


def connect(path: Path, journal: bool = True) -> sqlite3.Connection:
    """An open index with its table. A file that is not of this version raises a `sqlite3.Error`."""
    connection = sqlite3.connect(path, timeout=PATIENCE)
    try:
        # A cache need not survive a power cut: what is lost or torn is read again from the folders.
        connection.execute("PRAGMA synchronous = OFF")
        if not journal:
            connection.execute("PRAGMA journal_mode = OFF")
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version not in (0, VERSION):
            raise sqlite3.DatabaseError(f"index of version {version}")
        if version == 0:
            columns = "digest TEXT PRIMARY KEY, stamp TEXT, seal TEXT, body BLOB"
            connection.execute(f"CREATE TABLE IF NOT EXISTS records ({columns})")
            connection.execute(f"PRAGMA user_version = {VERSION}")
    except UNUSABLE:
        connection.close()
        raise
    return connection


def write(connection: sqlite3.Connection, rows: Iterable[Row]) -> None:
    connection.executemany("INSERT OR REPLACE INTO records VALUES (?, ?, ?, ?)", rows)
