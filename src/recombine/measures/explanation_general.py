"""An explanation for tasks that are no pictures over y and x: what is to blame, and whatever views the task has."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, pairwise
from typing import Any

import numpy as np

from recombine.core.shapes import Bool, Float, Int
from recombine.measures.blame import Blame, spelt
from recombine.measures.explanation_verdict import Finding, decide, sentence
from recombine.measures.explanation_words import table

DROP = 0.1  # of the additive share from one layer to the next from which on factorisation counts as lost there
MOST = 1000  # items over which a layer is looked at
DIGITS = 12  # to which shares count as equal


@dataclass(frozen=True, slots=True)
class SectionError:
    """The mean error over a section, in units of its scale."""

    name: str
    items: int
    error: float


@dataclass(frozen=True, eq=False)
class SupportMap:
    """Two factors side by side: how many training examples each pair of levels has, and how wrong what is held out is.

    Errors are in the units of the sections; NaN where nothing is held out. ``at`` has the level of other factors that
    all of what is held out has; only examples with these levels are counted.
    """

    names: tuple[str, str]
    shown: Float[np.ndarray, "first second"]
    errors: Float[np.ndarray, "first second"]
    at: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class GeneralExplanation:
    """What is to blame for the held-out error, with the evidence. Printed, it is a page of text."""

    finding: Finding
    verdict: str
    quantity: str  # what errors are: "nMSE" or "error rate"
    sections: tuple[SectionError, ...]
    shown_error: float  # on what training showed
    blame: Blame
    conjunctions: Mapping[str, float] = field(default_factory=dict)  # share of each type; empty: not defined
    layers: Mapping[str, float] = field(default_factory=dict)  # additive share by layer, input first; empty: none
    support: SupportMap | None = None
    undefined: tuple[str, ...] = ()  # views that this task has not, a word on each

    @property
    def cause(self) -> str | None:
        """The failure with the largest share of the error; None: there is no error to speak of."""
        return self.blame.cause

    @property
    def lost(self) -> str | None:
        """The layer at which the additive share falls most, where it falls by a tenth or more."""
        names, shares = list(self.layers), list(self.layers.values())
        drops = [before - after for before, after in pairwise(shares)]
        return names[1 + int(np.argmax(drops))] if drops and max(drops) >= DROP else None

    def to_dict(self) -> dict[str, Any]:
        """Everything but the map, as plain JSON values."""
        return {
            "finding": str(self.finding),
            "verdict": self.verdict,
            **self.blame.to_dict(),
            "quantity": self.quantity,
            "sections": [{"name": each.name, "items": each.items, "error": each.error} for each in self.sections],
            "shown_error": self.shown_error,
            "conjunctions": dict(self.conjunctions),
            "layers": dict(self.layers),
            "lost": self.lost,
            "undefined": list(self.undefined),
        }

    def __str__(self) -> str:
        rows = [(each.name, str(each.items), spelt(each.error)) for each in self.sections]
        learned = f"on what training showed: {self.quantity} {spelt(self.shown_error)}"
        parts = [self.verdict, str(self.blame), f"{table(('section', 'items', self.quantity), rows)}\n{learned}"]
        if self.conjunctions:
            shares = [(name, f"{share:.0%}") for name, share in self.conjunctions.items()]
            parts.append(table(("conjunctions", "share of the answers"), shares))
        if self.layers:
            shares = [(name, f"{share:.2f}") for name, share in self.layers.items()]
            where = f"falls most at {self.lost}" if self.lost else f"falls by less than {DROP} from layer to layer"
            parts.append(f"{table(('layer', 'additive share'), shares)}\nthe additive share {where}")
        return "\n\n".join([*parts, *self.undefined])


def explain_general(
    quantity: str,
    sections: Sequence[SectionError],
    shown_error: float,
    blame: Blame,
    revealed: bool = False,
    **views: Any,
) -> GeneralExplanation:
    """Which finding it is, in a sentence, around what is to blame."""
    finding = decide(blame, revealed)
    measured = "" if blame.error is None else f"{quantity} {spelt(blame.error)}"
    verdict = sentence(finding, blame, measured, revealed)
    return GeneralExplanation(finding, verdict, quantity, tuple(sections), shown_error, blame, **views)


def additive_share(
    activations: Float[np.ndarray, "items features"], levels: Int[np.ndarray, "items factors"]
) -> float | None:
    """Share of a layer's variance over items that a sum of one vector per level of each factor explains.

        R² = 1 − Σ ‖h − ĥ‖² / Σ ‖h − mean h‖²,   ĥ = Σ_f v_f(level) by least squares, over at most 1,000 items

    1: the layer adds up factors; 0: no level tells anything on its own. None where the layer does not vary.
    """
    some = np.linspace(0, len(levels) - 1, min(len(levels), MOST)).round().astype(int)
    rows = activations[some].astype(np.float64)
    rows = rows - rows.mean(axis=0)
    size = np.square(rows).sum()
    if not size > 0:
        return None
    design = np.concatenate([(column[:, None] == np.unique(column)).astype(float) for column in levels[some].T], axis=1)
    fitted = design @ np.linalg.lstsq(design, rows, rcond=None)[0]
    return float(1 - np.square(rows - fitted).sum() / size)


def support_map(
    names: tuple[str, str],
    shape: tuple[int, int],
    shown: Int[np.ndarray, "examples 2"],
    asked: Int[np.ndarray, "held 2"],
    errors: Float[np.ndarray, " held"],
    at: Mapping[str, int] | None = None,
) -> SupportMap:
    """Count training examples and average held-out errors over pairs of levels."""
    counts, total, there = (np.zeros(shape) for _ in range(3))
    np.add.at(counts, tuple(shown.T), 1.0)
    np.add.at(total, tuple(asked.T), errors)
    np.add.at(there, tuple(asked.T), 1.0)
    return SupportMap(names, counts, np.divide(total, there, out=np.full(shape, np.nan), where=there > 0), at or {})


def telling_pair(held_out: Bool[np.ndarray, "*levels"]) -> tuple[int, int]:
    """The two axes of a grid that tell best, taken together, what is held out; the earlier of equals.

        max over pairs of mean (h_ij − h_i − h_j + h)²,  of equals  mean (h_ij − h)²

    h are shares of combinations held out, over pairs of levels, over single ones, and over all.
    """

    def told(pair: tuple[int, int]) -> tuple[float, float]:
        share = held_out.mean(axis=tuple(axis for axis in range(held_out.ndim) if axis not in pair))
        joint = share - share.mean(axis=0, keepdims=True) - share.mean(axis=1, keepdims=True) + share.mean()
        return round(float(np.square(joint).mean()), DIGITS), round(float(share.var()), DIGITS)

    return max(combinations(range(held_out.ndim), 2), key=told)
