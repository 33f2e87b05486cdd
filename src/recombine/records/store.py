"""The store: a folder of runs that only grows. The folders are the truth, the index is a cache of them.

<root>/runs/<digest>/record.json, arrays.npz, weights.safetensors     finished runs
<root>/forecasts/<digest>.json                                        forecasts made before training
<root>/failures/<digest>-<time>.json                                  runs that were given up, and why
<root>/drafts/                                                        what is being written
<root>/index.sqlite                                                   can be deleted at any time
"""

import contextlib
import errno
import json
import os
import sqlite3
import time
from collections.abc import Callable, Collection, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from recombine.core.errors import InputError
from recombine.core.spec import canonical_json
from recombine.records import artifacts, durable, forecasts
from recombine.records.damage import AlreadyRecorded, DamagedRecord
from recombine.records.drafts import Drafts, holds_anything, listing
from recombine.records.index import Index, Part, Row
from recombine.records.nearest import nearest
from recombine.records.record import DIGEST, RESERVED, Record
from recombine.records.sealed import canonical_body, read_sealed, seal
from recombine.records.table import leaves, line_of, read_line, tabulate, written_line

if TYPE_CHECKING:
    import pandas

T = TypeVar("T")

RECORD = "record.json"
AT_ONCE = 500  # runs that the index is asked for in one question


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
        self.index.update([_row(self._stamp(record.digest), body)])

    def commit_forecast(self, digest: str, body: dict[str, Any]) -> dict[str, Any]:
        """Store what is forecast for a run before it is trained; return the forecast that stands.

        The first forecast stands: a later one is not written, and the first is returned in its place.
        """
        return forecasts.commit(self.root, self.forecasts, self.drafts, digest, body)

    def check_writable(self) -> None:
        """Refuse a place that cannot be written to, by a draft that is removed again."""
        try:
            durable.make_folder(self.runs)
            with self.drafts.fresh("trial") as draft:
                durable.write(draft, b"")
            if not os.access(self.runs, os.W_OK):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        except OSError as error:
            raise durable.cannot_write("records", self.root, error) from error

    def sweep_drafts(self) -> list[str]:
        """Remove the drafts that dead processes of this host left behind; return their names."""
        with self._reading():
            return self.drafts.sweep()

    # Reading

    def has(self, digest: str) -> bool:
        """Whether there is a record of this run. A damaged one counts: it is reported, not run over."""
        with self._reading():
            return bool(DIGEST.fullmatch(digest)) and holds_anything(self.runs / digest)

    def digests(self) -> list[str]:
        """The digests of all recorded runs, sorted. A folder without its record.json is not among them."""
        with self._reading():
            return [digest for digest in self.folders() if os.path.isfile(f"{self.runs}/{digest}/{RECORD}")]  # noqa: PTH113

    def folders(self) -> list[str]:
        """The names of the run folders that hold anything. One without record.json is damaged, not absent."""
        return [digest for digest, _ in self._stamped()]

    def resolve(self, prefix: str) -> str:
        """The digest that begins with ``prefix``, if there is exactly one."""
        known = self.folders()
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
        body = self.body(digest)
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

    def body(self, digest: str) -> dict[str, Any]:
        """The sealed body of a run, checked: the caller's part with ``digest`` and ``artifacts``. No array is read."""
        folder = self.runs / digest
        if not DIGEST.fullmatch(digest):
            raise self._missing(digest, self.folders())
        try:
            body = read_sealed(folder / RECORD, digest, folder)
        except FileNotFoundError as error:
            if not self.has(digest):
                raise self._missing(digest, self.folders()) from None
            raise DamagedRecord(digest, RECORD, "is missing", folder) from error
        sums = body.get("artifacts")
        files = {artifacts.ARRAYS, artifacts.WEIGHTS}
        if not isinstance(sums, dict) or not set(sums) <= files or not all(isinstance(s, str) for s in sums.values()):
            raise DamagedRecord(digest, RECORD, "lists files that no record has", folder)
        measured = body.get("measures", {})
        if not isinstance(measured, dict) or any(isinstance(value, str) for value in leaves(measured).values()):
            raise DamagedRecord(digest, RECORD, "has measures that are no numbers", folder)
        return body

    def scan(self, weights: bool = False) -> Iterator[tuple[str, Record | DamagedRecord]]:
        """Every run with its record, or with what is wrong with it, so that one bad run stops nobody."""
        for digest in self.folders():
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
        """Check every byte of every record, forecast and note of a failure; return what is damaged."""
        damaged = [found for _, found in self.scan(weights=True) if isinstance(found, DamagedRecord)]
        with self._reading():
            return damaged + forecasts.verify(self.forecasts) + forecasts.verify(self.failures)

    def commit_failure(self, digest: str, body: dict[str, Any]) -> None:
        """Note that a run was given up, and why. It is not a result: the run still has no record."""
        name = f"{digest}-{time.time_ns():x}"
        forecasts.commit(self.root, self.failures, self.drafts, name, body)

    def forecast(self, digest: str) -> dict[str, Any] | None:
        """The forecast made before this run was trained, or None if there is none."""
        return forecasts.read(self.forecasts, digest)

    def without_forecast(self) -> list[str]:
        """The digests of the runs whose record names a forecast that is not here."""
        with self._reading():
            known = {None, *forecasts.names(self.forecasts)}
        return [body["digest"] for body in self.bodies()[0] if body.get("forecast") not in known]

    # Listing, with the index

    def bodies(self, only: Collection[str] | None = None) -> tuple[list[dict[str, Any]], list[DamagedRecord]]:
        """The sealed bodies of all runs in the order of their digests, and the runs that are damaged.

        A sealed body is the caller's part with ``digest`` and ``artifacts``. Bodies whose files have not
        changed come from the index; the others are read, their seals checked, and put into it. Arrays and
        weights are not looked at: `verify` does that. With ``only``, the bodies of these digests alone are
        given, which spares parsing all others; damage is told of every run all the same.
        """
        damaged: list[DamagedRecord] = []
        return list(self._sound("bodies", _known_body, lambda body: body, damaged, only)), damaged

    def rebuild_index(self) -> int:
        """Make the index anew from the folders; return the number of runs in it."""
        count = 0

        def rows() -> Iterator[Row]:
            nonlocal count
            for digest, stamp in self._stamped():
                body = self._read_again(digest, [])
                if body is not None:
                    count += 1
                    yield _row(stamp, body)

        try:
            self.index.replace(rows())
        except OSError as error:
            raise durable.cannot_write("the index", self.root, error) from error
        except sqlite3.Error as error:
            raise InputError(
                f"cannot write the index to {self.root}: {error}; "
                "free some space or choose another store: finished runs are kept."
            ) from error
        return count

    def table(self) -> "pandas.DataFrame":
        """A row per run: digest, measures, settings, status, seed, seconds.

        Damaged runs have no row; their messages are listed in ``table().attrs["damaged"]``.
        """
        damaged: list[DamagedRecord] = []
        frame = tabulate(self._sound("lines", read_line, line_of, damaged))
        frame.attrs["damaged"] = [str(damage) for damage in damaged]
        return frame

    # Inside

    def _sound(
        self,
        part: Part,
        of_text: Callable[[str, bytes], T | None],
        of_body: Callable[[dict[str, Any]], T],
        damaged: list[DamagedRecord],
        only: Collection[str] | None = None,
    ) -> Iterator[T]:
        """Every sound run, made of what the index has of it, or of its body where the index does not know its files.

        Damage goes to ``damaged``. At the end the index has learnt what it did not know.
        """
        known, fresh, sound = self.index.stamps(), [], set()
        runs = iter(self._stamped())
        while some := dict(islice(runs, AT_ONCE)):
            same = {digest: stamp for digest, stamp in some.items() if stamp and known.get(digest) == stamp}
            asked = same if only is None else {digest: stamp for digest, stamp in same.items() if digest in only}
            cached = self.index.read(part, asked) if asked else {}
            for digest, stamp in some.items():
                found = of_text(digest, cached[digest]) if digest in cached else None
                if found is None and (digest in asked or digest not in same):  # else nobody asks what it says
                    body = self._read_again(digest, damaged)
                    if body is None:
                        continue
                    fresh.append(_row(stamp, body))
                    found = of_body(body) if only is None or digest in only else None
                sound.add(digest)
                if found is not None:
                    yield found
        gone = known.keys() - sound
        if fresh or gone:
            self.index.update(fresh, gone)

    def _read_again(self, digest: str, damaged: list[DamagedRecord]) -> dict[str, Any] | None:
        """The body of a run from its folder; None where it is damaged, or was moved away while we looked."""
        try:
            return self.body(digest)
        except DamagedRecord as damage:
            damaged.append(damage)
        except InputError:
            if self.has(digest):
                raise
        return None

    def _stamped(self) -> list[tuple[str, str]]:
        """The same with the stamp of each, taken before anything is read: a change after it makes a row stale."""
        with self._reading():
            stamped = [(name, self._stamp(name)) for name in listing(self.runs) if DIGEST.fullmatch(name)]
            return [(name, stamp) for name, stamp in stamped if stamp or holds_anything(self.runs / name)]

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
        path = f"{self.runs}/{digest}"
        try:
            folder, file = os.stat(path), os.stat(f"{path}/{RECORD}")  # noqa: PTH116
        except OSError:
            return ""
        return f"{folder.st_mtime_ns}:{file.st_mtime_ns}:{file.st_size}"

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


def _row(stamp: str, body: dict[str, Any]) -> Row:
    return Row(body["digest"], stamp, canonical_json(body).encode(), written_line(line_of(body)))


def _known_body(digest: str, text: bytes) -> dict[str, Any] | None:
    try:
        body = json.loads(text)
    except ValueError:
        return None
    return body if isinstance(body, dict) and body.get("digest") == digest else None
