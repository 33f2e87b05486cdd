"""Which records are read: those of the user's store, then the reference ones that come with the repository."""

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

from recombine.records import DamagedRecord, Store, user_store

REFERENCE = Path(__file__).parents[3] / "reference"


def reading_stores(path: Path | None = None) -> list[Store]:
    """The stores that are read, the user's first."""
    return [user_store(path), *([Store(REFERENCE)] if REFERENCE.is_dir() else [])]


def all_bodies(
    stores: Iterable[Store], only: Collection[str] | None = None
) -> tuple[dict[str, Mapping[str, Any]], list[DamagedRecord]]:
    """The bodies of every record by digest, an earlier store's before a later one's, and what was damaged.

    With ``only``, just the bodies of these digests; what is damaged is told of all.
    """
    bodies: dict[str, Mapping[str, Any]] = {}
    damaged: list[DamagedRecord] = []
    for store in stores:
        found, broken = store.bodies(only)
        bodies = {body["digest"]: body for body in found} | bodies
        damaged += broken
    return bodies, damaged
