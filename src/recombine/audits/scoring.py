"""How right a model is, section by section, without holding all its answers at once."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from recombine.audits.counting import counted, rows_where
from recombine.core.errors import InputError
from recombine.core.seeds import stream
from recombine.core.shapes import Bool, Float, Int

RESAMPLES = 500
ACCURACY, R2 = "accuracy", "R²"  # of classes, and of numbers


@dataclass(frozen=True)
class Scores:
    """Of every row the error and what it is divided by: 1 − Σ error / Σ scale over rows is the score of these."""

    quantity: str
    errors: Float[np.ndarray, " rows"]
    scales: Float[np.ndarray, " rows"]

    def of(self, rows: Bool[np.ndarray, " rows"]) -> float:
        """The score over some rows; NaN where nothing varies."""
        scale = self.scales[rows].sum()
        return 1.0 - float(self.errors[rows].sum() / scale) if scale else float("nan")

    def table(self, sections: Mapping[str, Bool[np.ndarray, " rows"]], seed: int = 0) -> pd.DataFrame:
        """A line per section: rows, score, and its 95% interval over rows drawn again."""
        lines = []
        for name, mask in sections.items():
            rows = np.flatnonzero(mask)
            if not len(rows):
                continue
            rng = stream(seed, "audit", "bootstrap", name)
            again = rng.integers(len(rows), size=(RESAMPLES, len(rows))) if len(rows) <= 5000 else None
            low, high = self._interval(rows, again)
            lines.append((name, len(rows), self.of(mask), low, high))
        return pd.DataFrame(lines, columns=["section", "rows", "score", "low", "high"])

    def _interval(self, rows: np.ndarray, again: np.ndarray | None) -> tuple[float, float]:
        errors, scales = self.errors[rows], self.scales[rows]
        if again is None:  # many rows: the delta method, which resampling would only repeat
            mean = 1 - errors.sum() / scales.sum()
            spread = 1.96 * float(np.std(errors - (1 - mean) * scales) / scales.mean() / np.sqrt(len(rows)))
            return float(mean - spread), float(mean + spread)
        drawn = 1 - errors[again].sum(axis=1) / np.maximum(scales[again].sum(axis=1), 1e-300)
        low, high = np.quantile(drawn, (0.025, 0.975))
        return float(low), float(high)


class Scorer:
    """Takes answers batch by batch. Classes are words, or whole numbers with a score for each.

    ``numbers`` are those of the rows as they were given, for messages. ``further``: there may be scores of classes that
    no target has, numbered from 0 on.
    """

    def __init__(
        self,
        targets: Any,
        trained: Bool[np.ndarray, " rows"],
        numbers: Int[np.ndarray, " rows"] | None = None,
        further: bool = False,
    ) -> None:
        self.further = further
        self.targets, self.errors, self.scales = targets, np.zeros(len(targets)), np.zeros(len(targets))
        self.bad, self.numbers = np.zeros(len(targets), dtype=bool), numbers
        self.first = np.asarray(targets[:1])  # targets may be rows that are read when they are asked for
        self.levels = np.unique(targets) if self.first.ndim == 1 and self.first.dtype.kind in "USiub" else None
        self.classes = False
        chosen = np.flatnonzero(trained if trained.any() else ~trained)
        chosen = chosen[:: max(1, len(chosen) // 5000)]
        self.middle = None if self.first.dtype.kind in "US" else _floats(targets[chosen]).mean(axis=0)

    def sorts(self, scores: int) -> np.ndarray | None:
        """The class that each of so many scores stands for; None where answers are no scores of classes.

        With as many scores as classes among the targets, these in order; else, if allowed, whole numbers from 0 on.
        """
        if self.levels is None or scores < 2:
            return None
        if len(self.levels) == scores or not self.further:
            return self.levels if len(self.levels) == scores else None
        whole = self.levels.dtype.kind in "iu" and self.levels[0] >= 0 and self.levels[-1] < scores
        return np.arange(scores) if whole and len(self.levels) > 1 else None

    def fits(self, answers: np.ndarray) -> bool:
        """Whether answers can be compared with the targets at all."""
        numbers = answers[0].size
        return self.sorts(numbers) is not None or (self.middle is not None and self.first.size == numbers)

    def take(self, rows: slice, answers: np.ndarray) -> None:
        """Score one batch."""
        truth = np.asarray(self.targets[rows])
        flat = answers.reshape(len(answers), -1)
        self.bad[rows] = ~np.isfinite(flat).all(axis=1)
        sorts = self.sorts(flat.shape[1])
        if sorts is not None:
            self.classes = True
            self.errors[rows], self.scales[rows] = sorts[flat.argmax(axis=1)] != truth, 1.0
            return
        if self.middle is None:
            told = counted(0 if self.levels is None else len(self.levels), "sort")
            raise InputError(
                f"targets are words of {told} and the model gives {counted(flat.shape[1], 'number')} for each input; "
                "it must give a score for each sort."
            )
        wanted = _floats(truth).reshape(len(truth), -1)
        if wanted.shape != flat.shape:
            raise InputError(
                f"the model answers with {counted(flat.shape[1], 'number')} and targets have {wanted.shape[1]}; they "
                "must agree."
            )
        with np.errstate(invalid="ignore", over="ignore"):  # answers that are not finite are refused at the end
            self.errors[rows] = np.square(flat - wanted).sum(axis=1)
        self.scales[rows] = np.square(wanted - self.middle.reshape(1, -1)).sum(axis=1)

    def scores(self) -> Scores:
        """What was taken, if all of it is finite."""
        if self.bad.any():
            where = rows_where(self.bad, self.numbers)
            raise InputError(f"the model's answers are not finite in {where}; none is scored, so mend the model.")
        return Scores(ACCURACY if self.classes else R2, self.errors, self.scales)


def _floats(targets: np.ndarray) -> np.ndarray:
    array = np.asarray(targets)
    return array.astype(np.float64) / (255 if array.dtype == np.uint8 and array.ndim > 1 else 1)
