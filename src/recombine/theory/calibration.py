"""A forecast that has learned from trained networks: regression by a Gaussian process from facts to performance.

The facts of a problem and what kernels predict for it are numbers; a trained network's held-out performance is one. The
process is fitted to drawn problems (the public part of the trials), whose table it carries. Far from all of them it
falls back to their mean, and says how little it knows (Rasmussen & Williams 2006, Eq. 2.25 and 2.26).

Some sorts of problems are easier to foretell than others, which one noise for all cannot say. How wide an interval is
follows from the trials that are most alike: from how many deviations each of them lies off what the others say of it.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from typing import Any, TypeAlias

import numpy as np

from recombine.core.shapes import Float, Int

SHARE = 0.8  # of what is measured should lie inside the interval
WITHIN = 1.2816  # standard deviations on either side of the mean that hold as much of a normal distribution
ALIKE = 25  # trials that tell how wide an interval is
CEILING, FLOOR = 1.0, -1.0  # of performance
GRIDS, SCENES = "calibration", "scenes"  # what was fitted by itself: tasks over grids of levels, and scenes

Each: TypeAlias = Float[np.ndarray, " asked"]


@dataclass(frozen=True, eq=False)
class Calibration:
    """A fitted process: k(a, b) = signal exp(-|a - b| / length) on standardised features, and noise."""

    names: tuple[str, ...]
    rows: Float[np.ndarray, "trials features"]
    performance: Float[np.ndarray, " trials"]
    length: float
    signal: float  # variance
    noise: float  # variance
    models: tuple[str, ...]  # the kind of network of each trial
    digests: tuple[str, ...] = ()  # of the first run of each trial, by which it is known again

    def nearest(self, features: Mapping[str, float], count: int) -> Int[np.ndarray, " nearest"]:
        """The trials that are most alike, the nearest first."""
        asked = self._standard(np.array([[features.get(name, 0.0) for name in self.names]]))
        return np.argsort(-self._alike(asked, self._known)[0], kind="stable")[:count]

    def column(self, name: str) -> Float[np.ndarray, " trials"]:
        """One feature of all trials."""
        return self.rows[:, self.names.index(name)]

    def expect(self, features: Sequence[Mapping[str, float]]) -> tuple[float, float, float]:
        """Mean performance and an interval of 80%, over networks with these features, each as likely as the others."""
        means, deviations, widths = self.each(features)
        mean = float(means.mean())
        reach = float(np.sqrt(np.square(widths * deviations).mean() + WITHIN**2 * means.var()))
        mean, low, high = np.clip([mean, mean - reach, mean + reach], FLOOR, CEILING).tolist()
        return mean, low, high

    def each(self, features: Sequence[Mapping[str, float]]) -> tuple[Each, Each, Each]:
        """For each: the mean, the deviation, and how many deviations on either side the interval has."""
        asked = self._standard(np.array([[each.get(name, 0.0) for name in self.names] for each in features]))
        alike = self._alike(asked, self._known)
        near = self.signal * alike
        solved = self._unfactor @ near.T
        spread = self.signal + self.noise - np.square(solved).sum(axis=0)
        nearest = np.argsort(-alike, axis=1, kind="stable")[:, :ALIKE]
        return (
            self.performance.mean() + near @ self._weights,
            np.sqrt(np.maximum(spread, self.noise)),
            np.quantile(self._surprises[nearest], SHARE, axis=1),
        )

    @cached_property
    def _surprises(self) -> Float[np.ndarray, " trials"]:
        """How many deviations each trial lies off what the others say of it (Rasmussen & Williams 2006, Eq. 5.12)."""
        inverse = np.linalg.inv(self._factor @ self._factor.T)
        return np.abs(self._weights) / np.sqrt(np.diag(inverse))

    @cached_property
    def _known(self) -> Float[np.ndarray, "trials features"]:
        return self._standard(self.rows)

    @cached_property
    def _factor(self) -> Float[np.ndarray, "trials trials"]:
        gram = self.signal * self._alike(self._known, self._known)
        return np.linalg.cholesky(gram + self.noise * np.eye(len(gram)))

    @cached_property
    def _unfactor(self) -> Float[np.ndarray, "trials trials"]:
        """The inverse of the factor: noise keeps it well conditioned, and outlooks are asked for by the hundred."""
        return np.linalg.inv(self._factor)

    @cached_property
    def _weights(self) -> Float[np.ndarray, " trials"]:
        centred = self.performance - self.performance.mean()
        return np.linalg.solve(self._factor.T, np.linalg.solve(self._factor, centred))

    def _standard(self, rows: Float[np.ndarray, "items features"]) -> Float[np.ndarray, "items features"]:
        spread = self.rows.std(axis=0)
        return (rows - self.rows.mean(axis=0)) / np.where(spread > 0, spread, 1.0)

    def _alike(
        self, a: Float[np.ndarray, "some features"], b: Float[np.ndarray, "others features"]
    ) -> Float[np.ndarray, "some others"]:
        distances = np.square(a).sum(axis=1)[:, None] + np.square(b).sum(axis=1) - 2 * a @ b.T
        return np.exp(-np.sqrt(np.maximum(distances, 0.0)) / self.length)

    def to_dict(self) -> dict[str, Any]:
        return {
            "names": list(self.names),
            "rows": np.round(self.rows, 6).tolist(),
            "performance": np.round(self.performance, 6).tolist(),
            "length": self.length,
            "signal": self.signal,
            "noise": self.noise,
            "models": list(self.models),
            "digests": list(self.digests),
        }

    @classmethod
    def read(cls, plain: Mapping[str, Any]) -> "Calibration":
        return cls(
            names=tuple(plain["names"]),
            rows=np.array(plain["rows"], dtype=float),
            performance=np.array(plain["performance"], dtype=float),
            length=float(plain["length"]),
            signal=float(plain["signal"]),
            noise=float(plain["noise"]),
            models=tuple(plain["models"]),
            digests=tuple(plain.get("digests", ())),
        )


def document() -> dict[str, Any] | None:
    """What `recombine calibrate -o` wrote for this package: fits, scores, where it was made; None if nothing."""
    place = files("recombine.theory") / "calibration.json"
    return json.loads(place.read_text(encoding="utf-8")) if place.is_file() else None


@cache
def standing(of: str = GRIDS) -> Calibration | None:
    """The calibration that comes with the package, of grids or of scenes; None before there is one."""
    saved = document() or {}
    return Calibration.read(saved[of]) if of in saved else None


def tuned_on(saved: Mapping[str, Any]) -> int:
    """How many trials a saved calibration was fitted to."""
    return sum(len(saved[of]["performance"]) for of in (GRIDS, SCENES) if of in saved)
