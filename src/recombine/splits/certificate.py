"""What a split really holds out, in numbers one can quote and check."""

import hashlib
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from recombine.core.shapes import Int
from recombine.core.spec import canonical_json
from recombine.factors import Grid
from recombine.splits.region import Mask
from recombine.splits.split import Split
from recombine.splits.unseen import unseen_levels


@dataclass(frozen=True, slots=True)
class Touching:
    """How many trained combinations touch a held-out one: least, middle and most over some of them."""

    min: int
    median: float
    max: int


@dataclass(frozen=True, slots=True)
class Certificate:
    """The facts of a split.

    A trained combination touches a held-out one when they share a level. 0 touching: nothing trained bears on it.
    """

    seen: int  # combinations trained on
    held_out: int
    share: float  # held_out / all combinations of the task
    sections: dict[str, int]  # combinations per section
    unseen: dict[str, tuple[int, ...]]  # level indices training never shows, by factor; {} when all are seen
    with_unseen_level: int  # held-out combinations that have such a level
    touching: dict[str, Touching]  # by section; "ood" is all that is held out
    digest: str  # of the grid and the held-out mask

    @property
    def words(self) -> str:
        """The same in two sentences."""
        levels = "; ".join(f"{len(found)} of {name}" for name, found in self.unseen.items())
        unseen = (
            f"Levels that training never shows: {levels}; {self.with_unseen_level} held-out combinations have one"
            if self.unseen
            else "Training shows every level"
        )
        near, share = self.touching["ood"], f"{self.share:.{0 if self.share >= 0.01 else 1}%}"
        number = f"{near.min} to {near.max}" if near.min < near.max else str(near.min)
        ones = "one" if number == "1" else "ones"
        return (
            f"Training shows {self.seen} combinations and {self.held_out} are held out ({share} of all). "
            f"{unseen}; a held-out combination shares a level with {number} trained {ones}."
        )

    def to_dict(self) -> dict[str, Any]:
        """The same as plain values that JSON can hold."""
        plain = asdict(self)
        plain["unseen"] = {name: list(levels) for name, levels in self.unseen.items()}
        return plain


def certificate(split: Split, shown: Mask | None = None, alone: Collection[str] = ()) -> Certificate:
    """Count what is trained on and held out, section by section.

    ``shown`` marks the combinations that training really shows, where that is not all the split allows; ``alone``
    names the factors whose every level is shown alone, so that none of theirs is unseen.
    """
    held_out, count = split.held_out, int(split.held_out.sum())
    not_shown = ~split.train if shown is None else ~shown
    touching = touching_training(split.grid, not_shown)
    unseen = {name: levels for name, levels in unseen_levels(split.grid, not_shown).items() if name not in alone}
    return Certificate(
        seen=split.grid.size - int(not_shown.sum()),
        held_out=count,
        share=count / int((~split.outside).sum()),
        sections={name: int(mask.sum()) for name, mask in split.sections.items()},
        unseen=unseen,
        with_unseen_level=int((held_out & _with_level(split.grid, unseen)).sum()),
        touching={name: _touching(touching[mask]) for name, mask in split.sections.items() if name != "id"},
        digest=split_digest(split.grid, held_out),
    )


def touching_training(grid: Grid, held_out: Mask) -> Int[np.ndarray, " combinations"]:
    """For each combination c, the number of trained combinations that share at least one level with it.

        touching(c) = T − Σ_t Π_f (1 − [t_f = c_f])

    t runs over the T trained combinations. The sum factorises: along each axis in turn, replace every entry by the
    sum over the axis less the entry. 0: no trained combination shares a level; T: every one does. A trained
    combination touches itself.
    """
    train = (~held_out).astype(int).reshape(grid.shape)
    apart = train
    for axis in range(len(grid.shape)):
        apart = apart.sum(axis=axis, keepdims=True) - apart
    return (train.sum() - apart).ravel()


def split_digest(grid: Grid, held_out: Mask) -> str:
    """The first 16 hexadecimal digits of a SHA-256 over the factors of the grid and the held-out mask.

    It names what is held out, not the rule: two regions that hold out the same combinations share a digest.
    """
    factors = [
        {"name": factor.name, "levels": [_plain(level) for level in factor.levels], "periodic": factor.periodic}
        for factor in grid.factors
    ]
    header = canonical_json({"factors": factors, "shape": grid.shape}).encode()
    return hashlib.sha256(header + b"\n" + np.ascontiguousarray(held_out).tobytes()).hexdigest()[:16]


def _plain(level: int | float | str) -> float | str:
    # Equal factors must have equal digests, and 1 == 1.0.
    return level if isinstance(level, str) else float(level)


def _touching(counts: Int[np.ndarray, " held_out"]) -> Touching:
    return Touching(min=int(counts.min()), median=float(np.median(counts)), max=int(counts.max()))


def _with_level(grid: Grid, chosen: Mapping[str, tuple[int, ...]]) -> Mask:
    rows, found = grid.combinations(), np.zeros(grid.size, dtype=bool)
    for name, levels in chosen.items():
        found |= np.isin(rows[:, grid.axis(name)], levels)
    return found
