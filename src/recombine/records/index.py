"""The index: a cache of record bodies in one SQLite file, so that listing runs need not open each.

Beside each body it has its line in the table of runs, which is quicker to read. It can be deleted at any time. What it
says of a run carries a seal and the stamp of the files it was read from, so that a stale or spoilt row is noticed and
read again from its folder.
"""

import contextlib
import hashlib
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Literal, NamedTuple

from recombine.records.drafts import Drafts

VERSION = 2
# What SQLite raises about a file it cannot use; where its own message quotes spoilt text, that fails to decode.
UNUSABLE = (sqlite3.Error, UnicodeDecodeError)
PATIENCE = 0.25  # seconds to wait for another process's lock before doing without the index


Part = Literal["bodies", "lines"]
PARTS: tuple[Part, Part] = ("bodies", "lines")


class Row(NamedTuple):
    """What the index has of one record."""

    digest: str
    stamp: str
    body: bytes  # canonical JSON
    line: bytes  # as `table.written_line` has it

    def sealed(self, part: Part) -> tuple[str, str, str, bytes]:
        """The columns of one of its parts."""
        text = self.body if part == "bodies" else self.line
        return self.digest, self.stamp, hashlib.sha256(text).hexdigest(), text


class Index:
    """Reads and writes rows. Its own failures never reach the caller but that of `replace`."""

    def __init__(self, path: Path, drafts: Drafts) -> None:
        self.path = path
        self.drafts = drafts

    def stamps(self) -> dict[str, str]:
        """The stamps of all runs it knows, by digest; none if the index is missing, locked or spoilt."""
        return dict(self._select("SELECT digest, stamp FROM lines"))

    def read(self, part: Part, stamps: Mapping[str, str]) -> dict[str, bytes]:
        """The bodies or lines of these runs, by digest, as far as they have these stamps and are unspoilt.

        A few hundred runs at a time: all are asked for in one question.
        """
        places = ", ".join("?" * len(stamps))
        found = self._select(f"SELECT * FROM {part} WHERE digest IN ({places})", list(stamps))
        return {
            digest: text
            for digest, stamp, seal, text in found
            if stamp == stamps[digest] and isinstance(text, bytes) and hashlib.sha256(text).hexdigest() == seal
        }

    def _select(self, question: str, values: Sequence[str] = ()) -> list[Any]:
        """The answer to a question; nothing where the index cannot give one."""
        try:
            if not self.path.is_file():
                return []
            with contextlib.closing(connect(self.path)) as connection:
                return connection.execute(question, values).fetchall()
        except (*UNUSABLE, OSError):
            return []

    def update(self, rows: Iterable[Row], gone: Iterable[str] = ()) -> None:
        """Put rows in and take others out. A spoilt index is replaced; a locked one is left as it is."""
        rows, gone = list(rows), list(gone)
        try:
            with contextlib.closing(connect(self.path)) as connection, connection:
                write(connection, rows)
                for part in PARTS:
                    connection.executemany(f"DELETE FROM {part} WHERE digest = ?", [(digest,) for digest in gone])
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
            columns = "digest TEXT PRIMARY KEY, stamp TEXT, seal TEXT, text BLOB"
            for part in PARTS:
                connection.execute(f"CREATE TABLE IF NOT EXISTS {part} ({columns})")
            connection.execute(f"PRAGMA user_version = {VERSION}")
    except UNUSABLE:
        connection.close()
        raise
    return connection


def write(connection: sqlite3.Connection, rows: Iterable[Row]) -> None:
    left = iter(rows)
    while some := list(islice(left, 1000)):
        for part in PARTS:
            change = f"INSERT OR REPLACE INTO {part} VALUES (?, ?, ?, ?)"
            connection.executemany(change, [row.sealed(part) for row in some])
