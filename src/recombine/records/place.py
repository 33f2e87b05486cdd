"""Where records are kept unless told otherwise."""

import os
from pathlib import Path

from recombine.records.store import Store


def user_store(path: Path | None = None) -> Store:
    """The store at ``path``, or at $RECOMBINE_STORE, or in ``runs`` here."""
    return Store(path or Path(os.environ.get("RECOMBINE_STORE") or "runs"))
