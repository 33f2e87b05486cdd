"""Results on disk: sealed records that appear whole or not at all, and are never overwritten.

The package can be called: ``rc.records()`` is the user's store, ``rc.records().table()`` its runs as a data frame.
"""

import sys
from pathlib import Path
from types import ModuleType

from recombine.records.damage import AlreadyRecorded, DamagedRecord, NewerRecord
from recombine.records.place import user_store
from recombine.records.provenance import provenance
from recombine.records.record import Record
from recombine.records.store import Store

__all__ = ["AlreadyRecorded", "DamagedRecord", "NewerRecord", "Record", "Store", "provenance", "user_store"]


class _Callable(ModuleType):
    def __call__(self, path: Path | None = None) -> Store:
        return user_store(path)


sys.modules[__name__].__class__ = _Callable
