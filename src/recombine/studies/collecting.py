"""Records of several machines become one store: what is whole is copied, what two stores tell differently is refused.

A run is what its specification says, so two records of one digest should tell the same. On other hardware numbers come
out differently by rounding: two numbers count as equal if they differ by at most `RELATIVE` of the larger one, or both
are smaller than `NOTHING`; of arrays the largest entry is the measure.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from recombine.core.errors import InputError
from recombine.core.spec import canonical_json, sha256
from recombine.records import AlreadyRecorded, DamagedRecord, Record, Store
from recombine.records import forecasts as notes
from recombine.records.store import RECORD
from recombine.records.table import leaves, part
from recombine.studies.execution import read_work

RELATIVE = 1e-4
NOTHING = 1e-9


@dataclass(frozen=True)
class Conflict:
    """A run that two stores tell differently: the first thing in which they differ, with what each says."""

    digest: str
    title: str
    what: str
    there: Any  # in the destination
    here: Any  # in the source
    source: Path

    def __str__(self) -> str:
        named = f"run {self.digest!r}" + (f" ({self.title})" if self.title else "")
        return f"{named} differs: {self.what} is {self.there} in the destination and {self.here} in {self.source}"

    def to_dict(self) -> dict[str, Any]:
        named = {"digest": self.digest, "title": self.title, "what": self.what}
        return {**named, "in_destination": self.there, "in_source": self.here, "source": str(self.source)}


@dataclass
class Collected:
    """What came of collecting: digests that were copied or were there already, what is damaged, what conflicts."""

    copied: list[str] = field(default_factory=list)
    there: list[str] = field(default_factory=list)
    damaged: list[DamagedRecord] = field(default_factory=list)
    conflicting: list[Conflict] = field(default_factory=list)
    forecasts: int = 0
    failures: int = 0

    def counts(self) -> str:
        good = f"{len(self.copied)} copied, {len(self.there)} already there"
        return f"{good}, {len(self.damaged)} damaged, {len(self.conflicting)} conflicting"


def collect(sources: Sequence[Store], destination: Store, light: bool = False) -> Collected:
    """Copy what ``destination`` lacks; nothing in it is changed, and sources are only read.

    Digest, seal and hashes of all files of a run are checked before it is copied. Forecasts go before runs, so that no
    run is without its forecast wherever this is interrupted; of two forecasts the destination's stays.
    Started again it goes on: a run whose record is the same in both is passed over. ``light``: weights and
    notes of failures stay behind.
    """
    for source in sources:
        check_source(source, destination)
    found = Collected()
    for source in sources:
        found.forecasts += _copy_notes(source.forecasts, destination, destination.forecasts, found.damaged)
        if not light:
            found.failures += _copy_notes(source.failures, destination, destination.failures, found.damaged)
        for digest in source.folders():
            try:
                _take(digest, source, destination, light, found)
            except DamagedRecord as damage:
                found.damaged.append(damage)
    return found


def check_source(source: Store, destination: Store) -> None:
    """Refuse what is no store, and the destination itself."""
    root = source.root
    if not any(_is_folder(folder) for folder in (source.runs, source.forecasts, source.failures)):
        above = Store(root.parent)
        inside = root in (above.runs, above.forecasts, above.failures) and _is_folder(root)
        hint = f"did you mean {str(root.parent)!r}?" if inside else "give the folder that holds 'runs'."
        missing = "it is a file" if root.is_file() else "there is no such folder"
        reason = "it has no folder 'runs'" if _is_folder(root) else missing
        raise InputError(f"source {str(root)!r} is no store of records: {reason}; {hint}")
    if root.resolve() == destination.root.resolve():
        raise InputError(
            f"source {str(root)!r} is the destination itself; give another folder of records, or another --store."
        )


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        return False


def _copy_notes(folder: Path, destination: Store, into: Path, damaged: list[DamagedRecord]) -> int:
    """Copy the sealed documents of a folder that are not there yet; returns how many."""
    copied = 0
    for name in notes.names(folder):
        try:
            body = notes.read(folder, name)
            if body is not None and notes.read(into, name) is None:
                notes.commit(destination.root, into, destination.drafts, name, body)
                copied += 1
        except DamagedRecord as damage:
            damaged.append(damage)
    return copied


def _take(digest: str, source: Store, destination: Store, light: bool, found: Collected) -> None:
    """Copy one run, or compare it with the one that is there."""
    if not destination.has(digest):
        record = source.read(digest, weights=True)
        check_name(digest, record.body, source)
        _check_forecast(record, source, destination)
        try:
            destination.commit(Record(digest, record.body, record.arrays) if light else record)
        except AlreadyRecorded:  # by another process, just now
            pass
        else:
            found.copied.append(digest)
            return
    if destination.body(digest) != source.body(digest):
        there, here = destination.read(digest), source.read(digest)
        difference = next(_differences(there, here), None)
        if difference is not None:
            found.conflicting.append(Conflict(digest, _title(there.body), *difference, source.root))
            return
    found.there.append(digest)


def check_name(digest: str, body: Mapping[str, Any], source: Store) -> None:
    """Refuse a record whose digest is not that of its specification: it would stand for another run."""
    settings = body.get("specification")
    if settings is not None and (named := sha256(canonical_json(settings))[:16]) != digest:
        reason = f"tells of the specification of run {named!r}"
        raise DamagedRecord(digest, RECORD, reason, source.runs / digest)


def misnamed(store: Store) -> list[DamagedRecord]:
    """The records of a store whose digest is not that of their specification."""
    found = []
    for body in store.bodies()[0]:
        try:
            check_name(body["digest"], body, store)
        except DamagedRecord as damage:
            found.append(damage)
    return found


def _check_forecast(record: Record, source: Store, destination: Store) -> None:
    """Hold back a run whose forecast is damaged, unless the destination has one."""
    forecast = record.body.get("forecast")
    if not isinstance(forecast, str) or destination.forecast(forecast) is not None:
        return
    try:
        source.forecast(forecast)
    except DamagedRecord:
        reason = f"names the forecast {forecast!r}, which is damaged"
        raise DamagedRecord(record.digest, RECORD, reason, source.runs / record.digest) from None


def _differences(there: Record, here: Record) -> Iterator[tuple[str, Any, Any]]:
    """In what two records of one run differ, beyond rounding: what, the one's value, the other's."""
    for what in ("specification", "status"):
        if there.body.get(what) != here.body.get(what):
            yield what, there.body.get(what), here.body.get(what)
    one, other = (leaves(part(record.body, "measures")) for record in (there, here))
    for name in sorted(one.keys() | other.keys()):
        value, beside = one.get(name, "missing"), other.get(name, "missing")
        if not _alike(value, beside):
            yield f"measure {name}", value, beside
    for name in sorted(there.arrays.keys() | here.arrays.keys()):
        array, another = there.arrays.get(name), here.arrays.get(name)
        if array is None or another is None or not _arrays_alike(array, another):
            yield f"array {name}", _words(array), _words(another)


def _alike(one: object, other: object) -> bool:
    """Equal, or numbers that differ by rounding."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_alike, one, other))
    if any(isinstance(value, bool) or not isinstance(value, int | float) for value in (one, other)):
        return type(one) is type(other) and one == other
    return math.isclose(one, other, rel_tol=RELATIVE, abs_tol=NOTHING)  # type: ignore[arg-type]


def _arrays_alike(one: np.ndarray, other: np.ndarray) -> bool:
    if one.shape != other.shape or one.dtype.kind != other.dtype.kind:
        return False
    if one.dtype.kind not in "fc":
        return bool(np.array_equal(one, other))
    finite = np.isfinite(one)
    if not np.array_equal(one[~finite], other[~finite], equal_nan=True) or not np.isfinite(other[finite]).all():
        return False
    one, other = one[finite], other[finite]
    largest = max(np.abs(one).max(initial=0.0), np.abs(other).max(initial=0.0))
    return bool(np.abs(one - other).max(initial=0.0) <= max(RELATIVE * largest, NOTHING))


def _words(array: np.ndarray | None) -> str:
    if array is None:
        return "missing"
    told = f"of shape {array.shape} and type {array.dtype}"
    return f"{told} with mean {float(np.mean(array)):.6g}" if array.size and array.dtype.kind in "fiub" else told


def _title(body: Mapping[str, Any]) -> str:
    """What the run is, in a few words, as far as its specification can be read here."""
    try:
        return read_work(body["specification"]).title()
    except (InputError, KeyError, TypeError):
        return ""
