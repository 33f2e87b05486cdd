"""Calculations: what theory says, and searches that train networks of their own, recorded like a run."""

import resource
import time
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from recombine.core.spec import Kinds
from recombine.studies.work import Tell, Work
from recombine.training import Outcome


@dataclass(frozen=True)
class Computed:
    """Numbers by name, and small arrays for figures."""

    measures: Mapping[str, float]
    arrays: Mapping[str, np.ndarray] = field(default_factory=dict)


class Calculation(Work):
    """A computation with settings. Those that draw nothing by chance are exact: one of them decides."""

    exact: ClassVar[bool] = True
    quantities: ClassVar[Mapping[str, str]] = {}  # what each of its numbers is, in words

    @abstractmethod
    def compute(self) -> Computed:
        """The numbers and arrays of this calculation."""

    def settings(self) -> dict[str, Any]:
        return {"kind": self.kind, **super().settings()}

    def title(self) -> str:
        return self.kind if self.exact else f"{self.kind}, seed {self.seed}"

    def line(self) -> str:
        told = ", ".join(f"{name} {value}" for name, value in self.settings().items() if name != "kind")
        return f"calculation {self.kind}" + (f" ({told})" if told else "")

    @classmethod
    def run_together(
        cls, members: "Sequence[Calculation]", tell: Tell | None = None, device: str = "cpu"
    ) -> list[Outcome]:
        return [_outcome(member) for member in members]


calculations: Kinds[Calculation] = Kinds("calculation")


def _outcome(calculation: Calculation) -> Outcome:
    started = time.perf_counter()
    found = calculation.compute()
    cost = {
        "training_seconds": 0.0,
        "seconds": time.perf_counter() - started,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }
    measures = {name: float(value) for name, value in found.measures.items()}
    return Outcome("done", None, measures, cost, {name: np.asarray(array) for name, array in found.arrays.items()})
