"""`rc.explain`: which failure a trained run is, with the evidence."""

import operator
import reprlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias, overload

import numpy as np

from recombine.core.errors import InputError
from recombine.data.pictures import Picture
from recombine.measures import Evidence
from recombine.measures.evidence import FACTORS
from recombine.measures.explanation import Explanation, explain_evidence
from recombine.measures.explanation_general import GeneralExplanation
from recombine.measures.remembered import Stripes
from recombine.records.nearest import nearest
from recombine.studies.experiment import Experiment
from recombine.studies.stores import reading_stores
from recombine.studies.training import Run, Runs

SPARE = "runs-with-weights"  # where to train a run again: in the store that has its record, nothing would be trained
TRAIN_ELSEWHERE = (
    "train it again with its problem, model and recipe into another store, "
    f"`runs = rc.train(..., store={SPARE!r})`, then `rc.explain(runs)`"
)


# Of pictures over y and x, with one answer taken apart; of anything else.
AnyExplanation: TypeAlias = Explanation | GeneralExplanation


class NoWeights(InputError):
    """A run whose weights were not kept, so that its answers cannot be computed again."""

    def __init__(self, experiment: Experiment, digest: str, cure: str = TRAIN_ELSEWHERE) -> None:
        super().__init__(f"run {digest} was recorded without its weights, so that nothing can be asked of it; {cure}.")
        self.experiment = experiment
        self.digest = digest


class Explanations(Sequence[AnyExplanation]):
    """The explanation of each seed, in order. Printed, it is their verdicts and the page of the first seed."""

    def __init__(self, seeds: Sequence[int], explanations: Sequence[AnyExplanation]) -> None:
        self.seeds = tuple(seeds)
        self._explanations = tuple(explanations)

    def __getitem__(self, index: Any) -> Any:
        return self._explanations[index]

    def __len__(self) -> int:
        return len(self._explanations)

    def __iter__(self) -> Iterator[AnyExplanation]:
        return iter(self._explanations)

    @property
    def verdict(self) -> str:
        """How many seeds did what: "superposes in 4 of 5 seeds, composes in 1 of 5"."""
        counted = Counter(str(each.finding) for each in self)
        return ", ".join(f"{finding} in {count} of {len(self)} seeds" for finding, count in counted.most_common())

    def __str__(self) -> str:
        if len(self) == 1:
            return str(self[0])
        lines = [f"seed {seed}: {each.verdict}" for seed, each in zip(self.seeds, self, strict=True)]
        return "\n".join([self.verdict, "", *lines, "", f"seed {self.seeds[0]} in full:", str(self[0])])


@overload
def explain(run: Run, at: Mapping[str, int] | None = None) -> AnyExplanation: ...


@overload
def explain(run: Runs, at: Mapping[str, int] | None = None) -> Explanations: ...


def explain(run: object, at: object = None) -> AnyExplanation | Explanations:
    """How much of a trained model's held-out error is due to which failure, with the evidence.

    Of pictures over y and x, one answer is also taken apart into remembered pictures: that to the held-out combination
    deepest in the hole, or to the one with the level indices ``at``: ``{"y": 12, "x": 9}``. One run gives one
    explanation, the runs that `rc.train` returns an explanation for each seed.
    """
    if isinstance(run, Run):
        return _explain(run, at)
    if isinstance(run, Runs) and len(run):
        return Explanations([each.experiment.seed for each in run], [_explain(each, at) for each in run])
    raise InputError(
        f"explain needs trained runs, got {_told(run)}; give `runs` as rc.train returned them or one of them, "
        "`runs[0]`, and for the digest of a recorded run use the command `recombine explain DIGEST`."
    )


def recorded_run(prefix: str, store: Path | None = None) -> Run:
    """The run whose digest begins with ``prefix``, with its weights: the user's own record before a reference one."""
    stores = reading_stores(store)
    homes = {digest: home for home in reversed(stores) for digest in home.digests()}
    found = [prefix] if prefix in homes else sorted(name for name in homes if prefix and name.startswith(prefix))
    if not found:
        near = nearest(prefix, sorted(homes))
        hint = f"did you mean {' or '.join(near)}?" if near else "give a digest or the beginning of one."
        places = " and ".join(str(home.root) for home in stores)
        raise InputError(f"there is no run {prefix!r} among the {len(homes)} in {places}; {hint}")
    if len(found) > 1:
        some = ", ".join(found[:3]) + (", ..." if len(found) > 3 else "")
        raise InputError(f"{prefix!r} is the beginning of {len(found)} runs ({some}); give more of its digits.")
    record = homes[found[0]].read(found[0], weights=True)
    specification = record.body["specification"]
    if "kind" in specification:
        raise InputError(
            f"run {record.digest} is the calculation {specification['kind']!r}, in which nothing was trained; "
            "explain a trained run."
        )
    try:
        return Run(Experiment.read(specification), record)
    except InputError as error:
        reason = str(error).partition(";")[0].rstrip(".")
        raise InputError(
            f"run {record.digest} cannot be built here: {reason}; if a script registered it, explain the run from "
            "that script with rc.explain(runs), where its rc.train gives the recorded runs without training again."
        ) from None


def _explain(run: Run, at: object) -> AnyExplanation:
    experiment, record = run.experiment, run.record
    if record.body["status"] != "done":
        raise InputError(
            f"run {record.digest} failed: {record.body['reason']}; it has nothing to explain, "
            "so change the recipe and train again."
        )
    if experiment.model.trainable and not record.weights:
        raise NoWeights(experiment, record.digest)
    task, problem = experiment.problem.task, experiment.problem
    if not isinstance(task, Picture):
        from recombine.studies.blaming import explain_other

        found = explain_other(run)
        word = f"at: task {task.kind!r} draws no pictures over y and x, so that no answer was taken apart"
        return found if at is None else replace(found, undefined=(*found.undefined, word))
    place = None if at is None else _place(at)
    evidence = run.evidence
    assert isinstance(evidence, Evidence)
    shown = problem.shown(experiment.seed)
    return explain_evidence(evidence, place, shown, _stripes(run, task), problem.trained)


def _stripes(run: Run, task: Picture) -> Stripes | None:
    """The lone stripes that the training set of this seed shows, and what the network draws for them."""
    problem, seed = run.experiment.problem, run.experiment.seed
    if not problem.isolated:
        return None
    examples = problem.training_set(seed)
    absent = task.absent(examples.positions)
    alone = problem.lone(seed) & (absent.sum(axis=1) == 1)  # beyond a border there are blank pictures too
    if not alone.any():
        return None
    levels = np.where(absent, np.nan, task.cells(np.nan_to_num(examples.positions)))[alone]
    targets = examples.targets[alone]
    if not run.experiment.model.trainable:
        return Stripes(levels, targets, targets)
    import torch

    from recombine.models.activations import activations

    drawn = activations(run.network, torch.from_numpy(examples.codes[alone]), ["output"])["output"]
    return Stripes(levels, drawn.numpy().reshape(targets.shape), targets)


def _place(at: object) -> tuple[int, int]:
    if not isinstance(at, Mapping):
        raise InputError(
            f"`at` must be a mapping from factors to level indices, got {_told(at)}; "
            "give both, e.g. at={'y': 12, 'x': 9}."
        )
    for name in at:
        if name not in FACTORS:
            raise InputError(
                f"an answer is taken apart at a y and an x of a picture, and {name!r} is neither; give e.g. y=12,x=9, "
                "or leave it out."
            )
    y, x = (_level(name, at.get(name)) for name in FACTORS)
    return y, x


def _level(name: str, value: object) -> int:
    """A whole number, of Python or NumPy; True is none."""
    try:
        if not isinstance(value, bool):
            return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        pass
    raise InputError(
        f"a combination needs the index of a level of {name}, a whole number, got {_told(value)}; "
        "give both, e.g. y=12,x=9."
    )


def _told(value: object) -> str:
    """What somebody gave, in a few words: a plain value as it is written, else its sort."""
    if value is None or isinstance(value, str | int | float | np.generic):
        return reprlib.repr(value)
    if isinstance(value, Runs):
        return "no runs at all"
    name = type(value).__name__
    return f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"
