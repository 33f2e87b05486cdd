"""Conditions beside outcomes as numbers: a row for each support and composition, and how often each condition is right.

What each condition says, and the error that was measured, are those of the calculation `support-predictors`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from recombine.core.shapes import Bool, Float
from recombine.papers.first_principles.predictors import (
    COMPOSES,
    CONDITIONS,
    FITTED,
    OTHERS,
    PAIRS,
    SUPPORTS,
    SupportPredictors,
)
from recombine.reports.findings import Findings
from recombine.reports.markup import Markup, join, tag
from recombine.reports.numbers import count, short
from recombine.reports.settings import SettingRuns
from recombine.studies.supporting import FREE, LACKING

MEANING = {
    "published": "every value of a sprite is shown, and the derivatives that show it have a sum of full rank",
    "relative": f"every value is shown, and in all but {LACKING:.1%} of the pixels every change that the whole space "
    "shows of it",
    "identifiable": f"the equations of training, to first order, leave at most {FREE:.0%} of the pixels of new "
    "combinations free",
}
HEADS = ("Pictures composed by", "Support", *CONDITIONS, "Error ratio: mean (seeds)", "Composes")
CONFUSED = ("Condition", "says yes, composes", "says yes, fails", "says no, composes", "says no, fails", "Right")


@dataclass(frozen=True, eq=False)
class Grid:
    """What was measured in every case, and what the conditions said of it, seed by seed."""

    ratios: Float[np.ndarray, "seeds pairs supports"]
    said: Mapping[str, Bool[np.ndarray, "seeds pairs supports"]]

    @property
    def composes(self) -> Bool[np.ndarray, "seeds pairs supports"]:
        return self.ratios <= COMPOSES

    def confusion(self, condition: str) -> tuple[int, int, int, int]:
        """Cases times seeds: said yes and it composes, yes and it fails, no and it composes, no and it fails."""
        yes, right = self.said[condition], self.composes
        return tuple(int((a & b).sum()) for a in (yes, ~yes) for b in (right, ~right))  # type: ignore[return-value]


def grid_of(setting: SettingRuns) -> Grid | None:
    """The arrays of all seeds that are done; None if there is none."""
    needed = {"ratios", *CONDITIONS}
    kept = [run.arrays for run in setting.with_status("done") if needed <= set(run.arrays)]
    if not kept:
        return None
    ratios = np.stack([arrays["ratios"] for arrays in kept]).astype(np.float64)
    return Grid(ratios, {name: np.stack([arrays[name] for arrays in kept]).astype(bool) for name in CONDITIONS})


def predictor_tables(findings: Findings) -> Markup | None:
    """Every calculation of conditions beside outcomes that is recorded, those that are only controls folded away."""
    found = [
        (setting, grid)
        for setting in findings.settings.values()
        if isinstance(setting.work, SupportPredictors) and (grid := grid_of(setting)) is not None
    ]
    if not found:
        return None
    meanings = [tag("li", tag("strong", name), f": {words}.") for name, words in MEANING.items()]
    return join(
        tag("h3", "Which condition predicts what composes?"),
        tag(
            "p",
            "Compared is what three conditions say of a support before training with what a small network does that "
            f"was trained on it, for {len(SUPPORTS) + len(OTHERS)} supports and {len(PAIRS)} compositions. The error "
            "ratio is the error on the whole space over that of the same network trained on the whole space; a case "
            f"composes if it is at most {COMPOSES:g}, and nothing does where training on the whole space has an R² "
            f"below {FITTED:g} (ratio ∞). The conditions are asked of the data's composition and say yes if:",
        ),
        tag("ul", meanings, class_="scores"),
        [_shown(setting, grid) for setting, grid in found],
    )


def _shown(setting: SettingRuns, grid: Grid) -> Markup:
    assert isinstance(setting.work, SupportPredictors)
    seeds, supports = len(grid.ratios), list(setting.work.supports)
    cases = f"{grid.ratios[0].size} cases with {count(seeds, 'seed')} each: {grid.ratios.size} in all"
    link = tag("a", setting.label, href=f"#{setting.anchor}")
    tables = join(
        tag("p", link, f", {cases}, of which {int(grid.composes.sum())} compose."),
        _table(CONFUSED, [_confused(name, grid) for name in CONDITIONS]),
        _table(HEADS, [_case(pair, support, supports, grid) for pair, support in np.ndindex(*grid.ratios.shape[1:])]),
    )
    if setting.serves_a_claim():
        return tables
    return tag("details", tag("summary", f"{setting.label} (a control)"), tables)


def _confused(condition: str, grid: Grid) -> list[str]:
    counts = grid.confusion(condition)
    return [condition, *map(str, counts), f"{counts[0] + counts[3]} of {sum(counts)}"]


def _case(pair: int, support: int, supports: Sequence[str], grid: Grid) -> list[str]:
    ratios = grid.ratios[:, pair, support]
    listed = ", ".join(_number(each) for each in ratios.tolist())
    said = [_share(grid.said[name][:, pair, support]) for name in CONDITIONS]
    mean = f"{_number(float(ratios.mean()))} ({listed})"
    return [list(PAIRS)[pair], supports[support], *said, mean, _share(grid.composes[:, pair, support])]


def _number(value: float) -> str:
    return short(value) if np.isfinite(value) else "∞"


def _share(yes: Bool[np.ndarray, " seeds"]) -> str:
    """Yes or no where all seeds agree, else how many say yes."""
    if yes.all() or not yes.any():
        return "yes" if yes.all() else "no"
    return f"in {int(yes.sum())} of {len(yes)} seeds"


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Markup:
    head = tag("thead", tag("tr", [tag("th", name, scope="col") for name in heads]))
    body = tag("tbody", [tag("tr", [tag("td", cell) for cell in row]) for row in rows])
    return tag("div", tag("table", head, body), class_="scroll")
