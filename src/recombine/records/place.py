"""Where records are kept unless told otherwise."""

import os
from pathlib import Path

from recombine.core.errors import InputError
from recombine.records.store import Store


def user_store(path: Path | None = None) -> Store:
    """The store at ``path``, or at $RECOMBINE_STORE, or in ``runs`` here: a folder, which need not exist yet."""
    root = path or Path(os.environ.get("RECOMBINE_STORE") or "runs")
    # Not Path.exists, which raises where looking is not allowed; the store has words of its own for that.
    there = next((place for place in (root, *root.parents) if os.path.exists(place)), None)  # noqa: PTH110
    if there is not None and not os.path.isdir(there):  # noqa: PTH112
        raise InputError(
            f"store {str(root)!r} cannot be opened: {str(there)!r} is a file; give a folder, or a new name."
        )
    return Store(root)
