"""Where records are kept unless told otherwise."""

import os
from contextlib import suppress
from pathlib import Path

from recombine.core.errors import InputError
from recombine.records.drafts import listing
from recombine.records.store import RECORD, Store


def user_store(path: Path | None = None) -> Store:
    """The store at ``path``, or at $RECOMBINE_STORE, or in ``runs`` here: a folder, which need not exist yet."""
    root = path or Path(os.environ.get("RECOMBINE_STORE") or "runs")
    # Not Path.exists, which raises where looking is not allowed; the store has words of its own for that.
    there = next((place for place in (root, *root.parents) if os.path.exists(place)), None)  # noqa: PTH110
    if there is not None and not os.path.isdir(there):  # noqa: PTH112
        raise InputError(
            f"store {str(root)!r} cannot be opened: {str(there)!r} is a file; give a folder, or a new name."
        )
    if not os.path.exists(root) and os.path.islink(root):  # noqa: PTH110, PTH114
        raise InputError(f"store {str(root)!r} cannot be opened: it is a link that leads nowhere; mend it.")
    if outer := _around(Path(os.path.realpath(root))):
        raise InputError(
            f"store {str(root)!r} lies among the runs of another store, which it would damage; did you mean "
            f"{str(outer)!r}?"
        )
    return Store(root)


def _around(root: Path) -> Path | None:
    """The store in whose folder of runs a place lies, if any: that folder holds folders with records."""
    for place in (root, *root.parents):
        with suppress(OSError):  # of folders that may not be read the store has words of its own
            if place.name == "runs" and any((place / name / RECORD).is_file() for name in listing(place)):
                return place.parent
    return None
