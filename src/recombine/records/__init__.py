"""Results on disk: sealed records that appear whole or not at all, and are never overwritten.

The package can be called: ``rc.records()`` is the user's store, ``rc.records().table()`` its runs as a data frame.
"""

import os
import sys
from pathlib import Path
from types import ModuleType

from recombine.core.errors import InputError
from recombine.records.damage import AlreadyRecorded, DamagedRecord, NewerRecord
from recombine.records.place import user_store
from recombine.records.provenance import provenance
from recombine.records.record import Record
from recombine.records.store import Store

__all__ = ["AlreadyRecorded", "DamagedRecord", "NewerRecord", "Record", "Store", "provenance", "user_store"]


class _Callable(ModuleType):
    def __call__(self, path: str | os.PathLike[str] | None = None) -> Store:
        if path is not None and not isinstance(path, str | os.PathLike):
            raise InputError(f"a store is a folder, got {path!r}; give its path, or nothing for the store in use.")
        return user_store(Path(path) if path else None)


sys.modules[__name__].__class__ = _Callable
