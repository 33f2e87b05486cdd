"""The list of recorded runs, the user's and the reference ones. A record never changes, so a row is made once."""

import threading
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from recombine.explorer import plain
from recombine.explorer.naming import details
from recombine.records import Store
from recombine.records.artifacts import WEIGHTS
from recombine.records.table import no_collecting

STORE, REFERENCE = "store", "reference"
# What stands for a run in the list: the first of these pairs that it has, held out and trained.
MEASURED = (
    ("nMSE", "ood_nmse", "id_nmse"),
    ("accuracy", "ood_accuracy", "id_accuracy"),
    ("R²", "all_r2", "id_r2"),
    ("MSE", "ood_mse", "id_mse"),
    ("slope", "slope", "id_slope"),
)
Row = dict[str, Any]


class Listing:
    """Rows of all runs, newest first. Asked again, it reads only what is new."""

    def __init__(self, stores: Sequence[Store]) -> None:
        self.sources = dict(zip((STORE, REFERENCE), stores, strict=False))
        self._rows: dict[str, dict[str, Row]] = {name: {} for name in self.sources}
        self._damaged: dict[str, set[str]] = {name: set() for name in self.sources}  # not read again and again
        self._sorted: list[Row] = []
        self._lock = threading.Lock()

    def rows(self) -> list[Row]:
        """Every run once, the user's record before a reference one."""
        with self._lock:
            changed = [self._refresh(name, store) for name, store in self.sources.items()]
            if any(changed):
                merged: dict[str, Row] = {}
                for name in self.sources:
                    merged = {**self._rows[name], **merged}
                self._sorted = sorted(merged.values(), key=lambda row: (row["when"] or "", row["digest"]), reverse=True)
            return self._sorted

    def count(self) -> int:
        """How many runs there are, without reading any."""
        return len({digest for store in self.sources.values() for digest in store.digests()})

    def _refresh(self, source: str, store: Store) -> bool:
        """Read what is new in one store, and forget what is gone; whether anything was."""
        known, damaged = self._rows[source], self._damaged[source]
        there = set(store.digests()) if known else None  # the first time everything is asked for anyway
        new = None if there is None else there - known.keys() - damaged
        gone = set() if there is None else known.keys() - there
        if new is None or new:
            with no_collecting():
                bodies, broken = store.bodies(new)
                known.update({body["digest"]: row_of(body, source) for body in bodies})
            damaged.update(each.digest for each in broken)
        for digest in gone:
            del known[digest]
        return new is None or bool(new or gone)

    def page(
        self,
        offset: int,
        limit: int,
        query: str = "",
        task: str = "",
        model: str = "",
        only: Iterable[str] | None = None,
    ) -> dict[str, Any]:
        """Some of the runs that have every word of a query in their title, details, digest or status."""
        words = query.lower().split()
        wanted = None if only is None else set(only)
        found = [
            row
            for row in self.rows()
            if (not task or row["task"] == task)
            and (not model or row["model"] == model)
            and (wanted is None or row["digest"] in wanted)
            and all(word in row["words"] for word in words)
        ]
        return {"total": len(found), "rows": [_told(row) for row in found[offset : offset + limit]]}

    def home(self, digest: str) -> tuple[Store, str] | None:
        """The store that has a run, the user's first, and its name; None if there is no such run."""
        return next(((store, name) for name, store in self.sources.items() if store.has(digest)), None)


def row_of(body: Mapping[str, Any], source: str) -> Row:
    """What the list says of a run."""
    specification = body["specification"]
    calculation = "kind" in specification
    task = None if calculation else _kind(specification["problem"]["task"])
    model = specification["kind"] if calculation else _kind(specification["model"])
    title = model if calculation else f"{model} on {task}"
    recipe = {} if calculation else specification.get("recipe", {})
    row: Row = {
        "digest": body["digest"],
        "title": f"{title}, seed {body['seed']}" if not body.get("exact") else title,
        "details": "" if calculation else details(specification["problem"], recipe.get("steps", STEPS)),
        "task": task,
        "model": model,
        "seed": body["seed"],
        "steps": None if calculation else recipe.get("steps", STEPS),
        "status": body["status"],
        "when": (body.get("provenance") or {}).get("started"),
        "source": source,
        "measures": headline(body["measures"]),
        "weights": WEIGHTS in body["artifacts"],
    }
    row["words"] = " ".join(str(row[name]) for name in ("title", "details", "digest", "status", "source")).lower()
    return row


STEPS = 3000  # of a recipe that does not say


def _kind(member: Any) -> str:
    return str(member["kind"] if isinstance(member, Mapping) else member)


def headline(measures: Mapping[str, Any]) -> dict[str, Any]:
    """The numbers that stand for a run: one of what is held out, one of what was trained, and what they are."""
    for name, held_out, trained in MEASURED:
        if held_out in measures:
            return {"name": name, "ood": plain.number(measures[held_out]), "id": plain.number(measures.get(trained))}
    return {"name": None, "ood": None, "id": None}


def _told(row: Row) -> Row:
    return {name: value for name, value in row.items() if name != "words"}
