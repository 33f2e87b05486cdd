"""Where records are kept unless told otherwise."""

import os
from pathlib import Path

from recombine.core.errors import InputError
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
    links = [each for each in (root, *root.parents) if os.path.islink(each)]  # noqa: PTH114
    if dangling := next((link for link in links if not os.path.exists(link)), None):  # noqa: PTH110
        raise InputError(f"store {str(root)!r} cannot be opened: the link {str(dangling)!r} leads nowhere; mend it.")
    if outer := _around(Path(os.path.realpath(root))):
        raise InputError(
            f"store {str(root)!r} lies among the runs of another store, which it would damage; did you mean "
            f"{str(outer)!r}?"
        )
    return Store(root)


def _around(root: Path) -> Path | None:
    """The store in whose folder of runs a place lies, if any: that folder holds folders with records."""
    for place in (root, *root.parents):
        if place.name == "runs" and any(os.path.isfile(f"{place}/{name}/{RECORD}") for name in _names(place)):  # noqa: PTH113
            return place.parent
    return None


def _names(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)  # noqa: PTH208
    except OSError:
        return []
