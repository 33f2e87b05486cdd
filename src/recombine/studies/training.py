"""`rc.train`: a run per seed, recorded like any other, with its network at hand."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from recombine.core.errors import InputError
from recombine.data import Problem
from recombine.measures import measures
from recombine.models import ModelSpec, models
from recombine.records import Record, user_store
from recombine.studies.experiment import Experiment, vary
from recombine.studies.local import check_workers, execute
from recombine.studies.progress import Progress, progress_for
from recombine.training import Recipe

if TYPE_CHECKING:
    from torch import nn

    from recombine.measures import Evidence


@dataclass(frozen=True)
class Run:
    """One trained model: its experiment and its record."""

    experiment: Experiment
    record: Record

    @cached_property
    def network(self) -> "nn.Module":
        """The trained network, from the recorded weights."""
        import torch

        from recombine.training.run import build

        network = build(self.experiment.problem, self.experiment.model, self.experiment.seed)
        network.load_state_dict({name: torch.from_numpy(array) for name, array in self.record.weights.items()})
        return network.eval()

    @cached_property
    def evidence(self) -> "Evidence":
        """Outputs and activations over the whole grid."""
        from recombine.training.observe import observe, truth

        problem = self.experiment.problem
        return observe(problem, self.network) if self.experiment.model.trainable else truth(problem)


class Runs(Sequence[Run]):
    """The runs of one experiment over its seeds."""

    def __init__(self, runs: Sequence[Run]) -> None:
        self._runs = list(runs)

    def __getitem__(self, index: Any) -> Any:
        return self._runs[index]

    def __len__(self) -> int:
        return len(self._runs)

    def __iter__(self) -> Iterator[Run]:
        return iter(self._runs)

    def measure(self, name: str) -> Any:
        """The measure of each seed: an array, or a data frame with a column per layer or section."""
        measure = measures.pick(name)
        values = [run.record.body["measures"].get(name) for run in self]
        values = [measure(run.evidence) if value is None else value for run, value in zip(self, values, strict=True)]
        if isinstance(values[0], dict):
            import pandas as pd

            return pd.DataFrame(values)
        return np.array(values)

    def images(self, section: str = "ood") -> np.ndarray:
        """What each seed draws for the combinations of a section: (seeds, combinations, rows, columns)."""
        return np.stack([run.evidence.outputs[_section(run, section)] for run in self])

    def representations(self) -> list[dict[str, np.ndarray]]:
        """For each seed, every layer's activations over the whole grid, in order: (combinations, features)."""
        return [dict(run.evidence.layers) for run in self]


def _section(run: Run, name: str) -> np.ndarray:
    sections = run.evidence.sections
    if name not in sections:
        raise InputError(f"this split has no section {name!r}; it has {', '.join(sections)}.")
    return sections[name]


STANDARD = (
    "id_nmse", "ood_nmse", "rim_nmse", "interior_nmse", "error_plateau", "id_accuracy", "ood_accuracy",
    "interior_accuracy", "superposition_index", "sharer_weight", "sharer_chance", "similarity_advantage_band1",
    "factorisation", "volume_contrast", "probe_held_out", "nmse_by_section",
)  # fmt: skip
NEEDS = {
    "rim_nmse": {"rim"},
    "interior_nmse": {"interior"},
    "interior_accuracy": {"interior"},
    "error_plateau": {"rim", "interior"},
}


def standard_measures(problem: Problem) -> tuple[str, ...]:
    """What is measured when nothing is said: the standard measures whose sections the split has."""
    sections = set(problem.parts.sections)
    return tuple(name for name in STANDARD if NEEDS.get(name, set()) <= sections)


def train(
    problem: Problem,
    model: str | Mapping[str, Any] | ModelSpec,
    seeds: int = 1,
    recipe: Recipe | None = None,
    store: str | Path | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Runs:
    """Train a model on a problem once per seed, record each run, and return them. Recorded runs are not repeated."""
    if seeds < 1:
        raise InputError(f"seeds = {seeds} must be at least 1.")
    base = Experiment(
        problem=problem, model=models.parse(model), recipe=recipe or Recipe(), measures=standard_measures(problem)
    )
    experiments = list(vary(base, seed=range(seeds)))
    home = user_store(Path(store) if store else None)
    execute(experiments, home, check_workers(workers), progress or progress_for())
    records = [home.read(experiment.digest(), weights=True) for experiment in experiments]
    for record in records:
        if record.body["status"] != "done":
            raise InputError(f"run {record.digest} failed: {record.body['reason']}; change the recipe and train again.")
    return Runs([Run(*pair) for pair in zip(experiments, records, strict=True)])
