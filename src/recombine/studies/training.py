"""`rc.train`: a run per seed, recorded like any other, with its network at hand."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from recombine.core.errors import InputError
from recombine.data import Problem
from recombine.data.components import ComponentTask
from recombine.data.functions import FunctionTask
from recombine.data.scenes import Sprites
from recombine.measures import AnyEvidence, ComponentEvidence, Evidence, SceneEvidence, measures
from recombine.models import ModelSpec, models
from recombine.records import Record, user_store
from recombine.studies.execution import Where, execute, executor
from recombine.studies.experiment import Experiment
from recombine.studies.fitting import check_fit as check_fit
from recombine.studies.progress import Progress, progress_for
from recombine.studies.work import vary
from recombine.training import Recipe

if TYPE_CHECKING:
    from torch import nn


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
    def evidence(self) -> "AnyEvidence":
        """Outputs and activations over the whole grid."""
        from recombine.training.observe import observe, truth
        from recombine.training.run import build

        problem, model, seed = self.experiment.problem, self.experiment.model, self.experiment.seed
        if not model.trainable:
            return truth(problem)
        return observe(problem, self.network, build(problem, model, seed), seed)

    def layers(self) -> dict[str, np.ndarray]:
        """The activations of every layer over what is asked: every combination, or tuples of images for it."""
        if not isinstance(self.evidence, ComponentEvidence | SceneEvidence):
            return dict(self.evidence.layers)
        import torch

        from recombine.models.activations import activations

        problem, seed = self.experiment.problem, self.experiment.seed
        examples = problem.everything if problem.task.continuous else problem.task.asked(seed)
        asked = torch.from_numpy(examples.codes)
        return {name: rows.numpy() for name, rows in activations(self.network, asked).items()}


class Runs(Sequence[Run]):
    """The runs of one experiment over its seeds."""

    def __init__(self, runs: Sequence[Run]) -> None:
        self._runs = list(runs)

    def __getitem__(self, index: Any) -> Any:
        return Runs(self._runs[index]) if isinstance(index, slice) else self._runs[index]

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
        """What each seed draws within a section: (seeds, items, rows, columns), of scenes with their channels.

        "all" is every combination; of scenes, those drawn from the whole space.
        """
        pictures = [run.evidence for run in self if isinstance(run.evidence, Evidence | SceneEvidence)]
        if not pictures:
            raise InputError("these runs draw no pictures; ask for their `answers` instead.")
        return np.stack([each.outputs[_section(each, section)] for each in pictures])

    def answers(self, section: str = "ood") -> np.ndarray:
        """What each seed answers within a section: (seeds, combinations), or (seeds, items, outputs) of functions.

        "all" is every combination.
        """
        found = []
        for run in self:
            seen = run.evidence
            if isinstance(seen, Evidence | SceneEvidence):
                raise InputError("these runs draw pictures; ask for their `images` instead.")
            found.append((seen.mean if isinstance(seen, ComponentEvidence) else seen.answers)[_section(seen, section)])
        return np.stack(found)

    def representations(self) -> list[dict[str, np.ndarray]]:
        """For each seed, every layer's activations over what is asked, in order: (examples, features)."""
        return [run.layers() for run in self]


def _section(evidence: AnyEvidence, name: str) -> np.ndarray:
    sections = evidence.sections
    if name == "all" and name not in sections:
        return np.ones_like(sections["id"])
    if name not in sections:
        known = ", ".join(dict.fromkeys((*sections, "all")))
        raise InputError(f"this split has no section {name!r}; it has {known}; use one of these.")
    return sections[name]


MOST_SEEDS = 100_000
CLASSES = (
    "id_accuracy",
    "ood_accuracy",
    "id_margin",
    "ood_margin",
    "additivity_test",
    "conjunction_shares",
    "salience",
)
SUMS = ("slope", "offset", "id_slope", "leak", "id_mse", "ood_mse", "additivity_test", "salience")
OF_MODULES = (
    "cross_talk", "path_modularity", "newman_q", "spectral_score", "in_block_share", "unit_selectivity", "shift_leak",
    "scale_leak", "jacobian_cross_talk",
)  # fmt: skip
FUNCTIONS = ("id_mse", "ood_mse", "id_nmse", "ood_nmse", "noise_robustness", "alive_units", *OF_MODULES)
STANDARD = (
    "id_nmse", "ood_nmse", "rim_nmse", "interior_nmse", "error_plateau", "id_accuracy", "ood_accuracy",
    "interior_accuracy", "superposition_index", "sharer_weight", "sharer_chance", "similarity_advantage_band1",
    "factorisation", "volume_contrast", "probe_held_out", "nmse_by_section",
)  # fmt: skip
OF_UNSEEN = ("seen_r2", "seen_mse", "unseen_mse", "unseen_ratio")
SCENES = (
    "id_r2", "all_r2", "id_mse", "all_mse", "all_overlap_mse", "all_rest_mse", "generalisation_ratio", "component_r2",
    "component_error", "swap_error", *OF_UNSEEN,
)  # fmt: skip
NEEDS = {
    "rim_nmse": {"rim"},
    "interior_nmse": {"interior"},
    "interior_accuracy": {"interior"},
    "error_plateau": {"rim", "interior"},
}

# Where pictures are samples, which may have no mark, or several.
SAMPLED = ("darkest_accuracy", "strict_accuracy", "drawn_status", "denoising_error")


def standard_measures(problem: Problem, model: ModelSpec | None = None) -> tuple[str, ...]:
    """What is measured when nothing is said: the standard measures of the sort of task whose sections the split has.

    What draws from noise is also read by section and coordinate.
    """
    task = problem.task
    if isinstance(task, ComponentTask):
        return (CLASSES if task.binary else SUMS) + (("familiar_accuracy",) if task.images and task.binary else ())
    if isinstance(task, FunctionTask):
        return tuple(name for name in FUNCTIONS if task.modules_out.max() > 0 or name not in OF_MODULES)
    if isinstance(task, Sprites):
        return tuple(name for name in SCENES if name not in OF_UNSEEN or "unseen" in problem.asked_sections)
    sections = set(problem.parts.sections)
    usual = tuple(name for name in STANDARD if NEEDS.get(name, set()) <= sections)
    return usual + (SAMPLED if model is not None and model.generative else ())


def standard_experiment(
    problem: Problem,
    model: str | Mapping[str, Any] | ModelSpec,
    recipe: Recipe | None = None,
    measures: Sequence[str] = (),
    checkpoints: int = 0,
) -> Experiment:
    """The experiment of the first seed, with ``measures`` beside the usual ones; refused if the model does not fit."""
    spec = models.parse(model)
    asked = tuple(dict.fromkeys((*standard_measures(problem, spec), *measures)))
    found = Experiment(problem=problem, model=spec, recipe=recipe or Recipe(), measures=asked, checkpoints=checkpoints)
    check_fit(problem, spec)
    return found


def train(
    problem: Problem,
    model: str | Mapping[str, Any] | ModelSpec,
    seeds: int = 1,
    recipe: Recipe | None = None,
    store: str | Path | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
    measures: Sequence[str] = (),
    checkpoints: int = 0,
    on: Where = "local",
    address: str | None = None,
    gpus: float = 0.0,
) -> Runs:
    """Train a model on a problem once per seed, record each run, and return them. Recorded runs are not repeated.

    ``measures`` are taken beside the usual ones; with ``checkpoints`` a model is measured so often on the way as well.
    ``on`` is "local" or "ray", then with the ``address`` of a cluster unless one is to be started here. ``gpus`` is the
    share of a GPU that each training takes, from 0, none, to 1; records are named the same with and without.
    """
    if not 1 <= seeds <= MOST_SEEDS:
        raise InputError(f"seeds = {seeds} must be at least 1 and at most {MOST_SEEDS}.")
    base = standard_experiment(problem, model, recipe, measures, checkpoints)
    experiments = list(vary(base, seed=range(seeds)))
    home = user_store(Path(store) if store else None)
    execute(experiments, home, executor(on, workers, address, gpus), progress or progress_for())
    records = [home.read(experiment.digest(), weights=True) for experiment in experiments]
    for record in records:
        if record.body["status"] != "done":
            raise InputError(f"run {record.digest} failed: {record.body['reason']}; change the recipe and train again.")
    return Runs([Run(*pair) for pair in zip(experiments, records, strict=True)])
