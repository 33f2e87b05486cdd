"""The store: a folder of runs that only grows. The folders are the truth, the index is a cache of them.

<root>/runs/<digest>/record.json, arrays.npz, weights.safetensors     finished runs
<root>/forecasts/<digest>.json                                        forecasts made before training
<root>/failures/<digest>-<time>.json                                  runs that were given up, and why
<root>/drafts/                                                        what is being written
<root>/index.sqlite                                                   can be deleted at any time
"""

import contextlib
import errno
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recombine.core.errors import InputError
from recombine.core.spec import canonical_json, sha256
from recombine.records import artifacts, durable, forecasts
from recombine.records.damage import AlreadyRecorded, DamagedRecord
from recombine.records.drafts import Drafts, listing
from recombine.records.index import Index, Row
from recombine.records.nearest import nearest
from recombine.records.record import DIGEST, RESERVED, Record
from recombine.records.sealed import canonical_body, read_sealed, seal

if TYPE_CHECKING:
    import pandas

RECORD = "record.json"


class Store:
    """Records under one folder. Opening a store creates nothing; the first commit does.

    Several processes may use one store at once. Nothing here deletes or overwrites a run folder.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.runs = root / "runs"
        self.drafts = Drafts(root / "drafts")
        self.forecasts = root / "forecasts"
        self.failures = root / "failures"
        self.index = Index(root / "index.sqlite", self.drafts)

    # Writing

    def commit(self, record: Record) -> None:
        """Store a record, whole or not at all. A digest is recorded once: the second time is `AlreadyRecorded`.

        All files go into a draft folder and onto the disk; then one rename makes the run appear. A process
        killed before the rename leaves a draft that nobody reads, one killed after it leaves a finished run.
        """
        folder = self.runs / record.digest
        try:
            if listing(folder):
                raise self._taken(record.digest)
            files = artifacts.pack(record)
            sums = {file: artifacts.checksum(content) for file, content in files.items()}
            body = {**record.body, "digest": record.digest, "artifacts": sums}
            text = canonical_body(f"run {record.digest!r}", body)
            with self.drafts.fresh(record.digest) as draft:
                draft.mkdir()
                for file, content in {**files, RECORD: seal(text)}.items():
                    durable.write(draft / file, content)
                durable.settle(draft)
                durable.make_folder(self.runs)
                try:
                    draft.rename(folder)
                except OSError as error:
                    if error.errno in (errno.ENOTEMPTY, errno.EEXIST):
                        raise self._taken(record.digest) from None
                    raise
                durable.settle(self.runs)
        except OSError as error:
            raise durable.cannot_write(f"the record of {record.digest}", self.root, error) from error
        self.index.update([Row(record.digest, self._stamp(record.digest), sha256(text), text.encode())])

    def commit_forecast(self, digest: str, body: dict[str, Any]) -> dict[str, Any]:
        """Store what is forecast for a run before it is trained; return the forecast that stands.

        The first forecast stands: a later one is not written, and the first is returned in its place.
        """
        return forecasts.commit(self.root, self.forecasts, self.drafts, digest, body)

    def sweep_drafts(self) -> list[str]:
        """Remove the drafts that dead processes of this host left behind; return their names."""
        with self._reading():
            return self.drafts.sweep()

    # Reading

    def has(self, digest: str) -> bool:
        """Whether there is a record of this run. A damaged one counts: it is reported, not run over."""
        with self._reading():
            return bool(DIGEST.fullmatch(digest)) and bool(listing(self.runs / digest))

    def digests(self) -> list[str]:
        """The digests of all recorded runs, sorted. A folder without its record.json is not among them."""
        with self._reading():
            return [digest for digest in self._folders() if (self.runs / digest / RECORD).is_file()]

    def resolve(self, prefix: str) -> str:
        """The digest that begins with ``prefix``, if there is exactly one."""
        known = self._folders()
        if prefix in known:
            return prefix
        found = [digest for digest in known if prefix and digest.startswith(prefix)]
        if not found:
            raise self._missing(prefix, known)
        if len(found) > 1:
            some = ", ".join(found[:3]) + (", ..." if len(found) > 3 else "")
            raise InputError(f"{prefix!r} is the beginning of {len(found)} runs ({some}); give more of its digits.")
        return found[0]

    def read(self, digest: str, weights: bool = False) -> Record:
        """The record of a run, after checking its seal and the hash of every file that is loaded."""
        folder = self.runs / digest
        body = self._body(digest)
        sums = body["artifacts"]
        loaded: dict[str, dict[str, Any]] = {artifacts.ARRAYS: {}, artifacts.WEIGHTS: {}}
        for file in [artifacts.ARRAYS, artifacts.WEIGHTS] if weights else [artifacts.ARRAYS]:
            if file in sums:
                loaded[file] = artifacts.load(folder, file, digest, sums[file])
        own = {key: value for key, value in body.items() if key not in RESERVED}
        try:
            return Record(digest, own, loaded[artifacts.ARRAYS], loaded[artifacts.WEIGHTS])
        except InputError as error:  # the hashes are right, but no store of ours wrote such names
            raise DamagedRecord(digest, RECORD, "lists arrays by names that no record has", folder) from error

    def scan(self, weights: bool = False) -> Iterator[tuple[str, Record | DamagedRecord]]:
        """Every run with its record, or with what is wrong with it, so that one bad run stops nobody."""
        for digest in self._folders():
            found: Record | DamagedRecord
            try:
                found = self.read(digest, weights)
            except DamagedRecord as damage:
                found = damage
            except InputError:
                if self.has(digest):
                    raise
                continue  # it was moved away while we looked
            yield digest, found

    def verify(self) -> list[DamagedRecord]:
        """Check every byte of every record and forecast; return what is damaged."""
        damaged = [found for _, found in self.scan(weights=True) if isinstance(found, DamagedRecord)]
        with self._reading():
            return damaged + forecasts.verify(self.forecasts)

    def commit_failure(self, digest: str, body: dict[str, Any]) -> None:
        """Note that a run was given up, and why. It is not a result: the run still has no record."""
        name = f"{digest}-{time.time_ns():x}"
        forecasts.commit(self.root, self.failures, self.drafts, name, body)

    def forecast(self, digest: str) -> dict[str, Any] | None:
        """The forecast made before this run was trained, or None if there is none."""
        return forecasts.read(self.forecasts, digest)

    # Listing, with the index

    def bodies(self) -> tuple[list[dict[str, Any]], list[DamagedRecord]]:
        """The sealed bodies of all runs in the order of their digests, and the runs that are damaged.

        A sealed body is the caller's part with ``digest`` and ``artifacts``. Bodies whose files have not
        changed come from the index; the others are read, their seals checked, and put into it. Arrays and
        weights are not looked at: `verify` does that.
        """
        known = self.index.rows()
        bodies, fresh, damaged = self._collect(known)
        gone = known.keys() - {body["digest"] for body in bodies}
        if fresh or gone:
            self.index.update(fresh, gone)
        return bodies, damaged

    def rebuild_index(self) -> int:
        """Make the index anew from the folders; return the number of runs in it."""
        _, rows, _ = self._collect({})
        try:
            self.index.replace(rows)
        except OSError as error:
            raise durable.cannot_write("the index", self.root, error) from error
        except sqlite3.Error as error:
            raise InputError(
                f"cannot write the index to {self.root}: {error}; "
                "free some space or choose another store: finished runs are kept."
            ) from error
        return len(rows)

    def table(self) -> "pandas.DataFrame":
        """A row per run: digest, measures, settings, status, seed, seconds.

        Damaged runs have no row; their messages are listed in ``table().attrs["damaged"]``.
        """
        from recombine.records.table import tabulate

        bodies, damaged = self.bodies()
        frame = tabulate(bodies)
        frame.attrs["damaged"] = [str(damage) for damage in damaged]
        return frame

    # Inside

    def _collect(self, known: dict[str, Row]) -> tuple[list[dict[str, Any]], list[Row], list[DamagedRecord]]:
        """All sound bodies, the rows of those that ``known`` did not have as they are now, and the damaged."""
        bodies, fresh, damaged = [], [], []
        for digest in self._folders():
            stamp = self._stamp(digest)  # before reading: a change while we read makes the row stale, not wrong
            body = known[digest].content(stamp) if stamp and digest in known else None
            if body is None:
                try:
                    body = self._body(digest)
                except DamagedRecord as damage:
                    damaged.append(damage)
                    continue
                except InputError:
                    if self.has(digest):
                        raise
                    continue  # it was moved away while we looked
                text = canonical_json(body)
                fresh.append(Row(digest, stamp, sha256(text), text.encode()))
            bodies.append(body)
        return bodies, fresh, damaged

    def _folders(self) -> list[str]:
        """Names of the run folders that hold anything. One without record.json is damaged, not absent."""
        with self._reading():
            return [name for name in listing(self.runs) if self.has(name)]

    @contextlib.contextmanager
    def _reading(self) -> Iterator[None]:
        """Turn what the system says against looking into the store into one sentence."""
        try:
            yield
        except OSError as error:
            raise InputError(
                f"cannot read the records in {self.root}: {error.strerror}; "
                "allow reading there or choose another store."
            ) from error

    def _stamp(self, digest: str) -> str:
        """What changes when a run's files are touched: times of folder and record, and the record's size.

        Empty if they cannot be asked; the index is not believed then.
        """
        path = self.runs / digest
        try:
            folder, file = path.stat(), (path / RECORD).stat()
        except OSError:
            return ""
        return f"{folder.st_mtime_ns}:{file.st_mtime_ns}:{file.st_size}"

    def _body(self, digest: str) -> dict[str, Any]:
        """The sealed body of a run, checked."""
        folder = self.runs / digest
        if not self.has(digest):
            raise self._missing(digest, self._folders())
        try:
            body = read_sealed(folder / RECORD, digest, folder)
        except FileNotFoundError as error:
            raise DamagedRecord(digest, RECORD, "is missing", folder) from error
        sums = body.get("artifacts")
        files = {artifacts.ARRAYS, artifacts.WEIGHTS}
        if not isinstance(sums, dict) or not set(sums) <= files or not all(isinstance(s, str) for s in sums.values()):
            raise DamagedRecord(digest, RECORD, "lists files that no record has", folder)
        return body

    def _taken(self, digest: str) -> InputError:
        folder = self.runs / digest
        if not (folder / RECORD).exists():
            return DamagedRecord(digest, RECORD, "is missing", folder)
        return AlreadyRecorded(
            f"run {digest!r} is recorded already in {self.root}; a record is never overwritten, "
            f"so move {str(folder)!r} away first if it must be run again."
        )

    def _missing(self, digest: str, known: list[str]) -> InputError:
        near = nearest(digest, known)
        hint = f"did you mean {' or '.join(near)}?" if near else "give a digest or the beginning of one."
        return InputError(f"there is no run {digest!r} among the {len(known)} in {self.root}; {hint}")
