"""What a training mask really holds out, read off a table of factors."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from recombine.audits.factor_table import FactorTable
from recombine.core.shapes import Bool, Int

# Held-out rows by what training lacks of them, the gravest first; every held-out row is in exactly one.
UNSEEN_LEVEL, UNSEEN_PAIR, NEW, KNOWN = "unseen level", "unseen pair", "new combination", "known combination"
LACKS = {
    UNSEEN_LEVEL: "some factor has a level that training never shows",
    UNSEEN_PAIR: "all levels are shown, and two of them never together",
    NEW: "every two of the levels are shown together, and all of them never",
    KNOWN: "training shows another example of the same combination",
}
LISTED = 20  # unseen levels that are named


@dataclass(frozen=True)
class HeldOut:
    """The facts of a training mask.

    ``sections``: held-out rows by what training lacks of them (`LACKS`), those that are not empty. ``unseen``: levels
    that training never shows, by factor. ``parts``: into how many groups trained levels fall when trained rows tie them
    together; with more than one, nothing says how a level of one group goes with one of another. A single factor is one
    group; where no trained row shows factors together there is none. Rows that show a factor alone are no combinations.
    """

    trained: int
    held_out: int
    alone: int  # trained rows that show a factor alone
    combinations: int  # different ones in the table
    trained_combinations: int
    sections: Mapping[str, Bool[np.ndarray, " rows"]]
    unseen: Mapping[str, tuple[Any, ...]]
    parts: int
    repeated: int  # held-out rows whose input is also that of a trained row

    def to_dict(self) -> dict[str, Any]:
        """The same as plain values that JSON can hold."""
        return {
            "trained": self.trained,
            "held_out": self.held_out,
            "alone": self.alone,
            "combinations": self.combinations,
            "trained_combinations": self.trained_combinations,
            "sections": {name: int(mask.sum()) for name, mask in self.sections.items()},
            "unseen": {name: list(levels[:LISTED]) for name, levels in self.unseen.items()},
            "parts": self.parts,
            "repeated": self.repeated,
        }


def look_at_mask(
    table: FactorTable, trained: Bool[np.ndarray, " rows"], repeated: Bool[np.ndarray, " rows"] | None = None
) -> HeldOut:
    """Sort the held-out rows by what training lacks of them.

    ``repeated`` marks held-out rows whose input is that of a trained one.
    """
    rows, together = table.combinations, ~table.alone
    whole = _seen(rows, trained)
    levels = np.all([_seen(rows[:, [f]], trained) for f in range(rows.shape[1])], axis=0)
    pairs = np.all(
        [_seen(rows[:, [f, g]], trained) for f, g in combinations(range(rows.shape[1]), 2)] or [levels], axis=0
    )
    found = {
        UNSEEN_LEVEL: ~levels,
        UNSEEN_PAIR: levels & ~pairs,
        NEW: levels & pairs & ~whole,
        KNOWN: whole,
    }
    sections = {name: mask & ~trained for name, mask in found.items()}
    unseen = {
        column.name: tuple(np.asarray(column.levels, dtype=object)[~_has(column.codes[trained], len(column.levels))])
        for column in table.columns
    }
    return HeldOut(
        trained=int(trained.sum()),
        held_out=int((~trained).sum()),
        alone=int((trained & ~together).sum()),
        combinations=len(np.unique(rows[together], axis=0)),
        trained_combinations=len(np.unique(rows[trained & together], axis=0)),
        sections={name: mask for name, mask in sections.items() if mask.any()},
        unseen={name: each for name, each in unseen.items() if each},
        parts=tied_levels(rows[trained & together]) if rows.shape[1] > 1 else 1,
        repeated=0 if repeated is None else int((repeated & ~trained).sum()),
    )


def tied_levels(rows: Int[np.ndarray, "rows factors"]) -> int:
    """How many groups the levels in these rows fall into when levels of one row belong together."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    if not len(rows):
        return 0
    offsets = np.concatenate([[0], np.cumsum(rows.max(axis=0) + 1)])
    nodes = rows + offsets[:-1]
    first, others = np.repeat(nodes[:, :1], rows.shape[1], axis=1).ravel(), nodes.ravel()
    size = int(offsets[-1])
    _, labels = connected_components(coo_matrix((np.ones(len(first)), (first, others)), shape=(size, size)), False)
    return len(np.unique(labels[np.unique(nodes)]))


def _seen(rows: Int[np.ndarray, "rows some"], trained: Bool[np.ndarray, " rows"]) -> Bool[np.ndarray, " rows"]:
    """Which rows equal one of the trained rows."""
    _, codes = np.unique(rows, axis=0, return_inverse=True)
    codes = codes.reshape(-1)
    return _has(codes[trained], int(codes.max()) + 1)[codes]


def _has(codes: Int[np.ndarray, " some"], count: int) -> Bool[np.ndarray, " count"]:
    found = np.zeros(count, dtype=bool)
    found[codes] = True
    return found
