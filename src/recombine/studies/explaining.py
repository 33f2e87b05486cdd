"""`rc.explain`: which failure a trained run is, with the evidence."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, overload

from recombine.core.errors import InputError, unknown
from recombine.data.pictures import Picture
from recombine.measures import Evidence
from recombine.measures.evidence import FACTORS
from recombine.measures.explanation import Explanation, explain_evidence
from recombine.records.nearest import nearest
from recombine.studies.experiment import Experiment
from recombine.studies.stores import reading_stores
from recombine.studies.training import Run, Runs


class NoWeights(InputError):
    """A run whose weights were not kept, so that its answers cannot be computed again."""

    def __init__(self, experiment: Experiment, digest: str, cure: str = "train it again, settings unchanged") -> None:
        super().__init__(f"run {digest} was recorded without its weights, so that nothing can be asked of it; {cure}.")
        self.experiment = experiment
        self.digest = digest


class Explanations(Sequence[Explanation]):
    """The explanation of each seed, in order. Printed, it is their verdicts and the page of the first seed."""

    def __init__(self, seeds: Sequence[int], explanations: Sequence[Explanation]) -> None:
        self.seeds = tuple(seeds)
        self._explanations = tuple(explanations)

    def __getitem__(self, index: Any) -> Any:
        return self._explanations[index]

    def __len__(self) -> int:
        return len(self._explanations)

    def __iter__(self) -> Iterator[Explanation]:
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
def explain(run: Run, at: Mapping[str, int] | None = None) -> Explanation: ...


@overload
def explain(run: Runs, at: Mapping[str, int] | None = None) -> Explanations: ...


def explain(run: Run | Runs, at: Mapping[str, int] | None = None) -> Explanation | Explanations:
    """Which failure a trained decoder is, and which remembered pictures one of its answers is made of.

    The answer is that to the held-out combination deepest in the hole, or to the one with the level indices ``at``:
    ``{"y": 12, "x": 9}``. One run gives one explanation, the runs that `rc.train` returns an explanation for each seed.
    """
    place = None if at is None else _place(at)
    if isinstance(run, Runs):
        return Explanations([each.experiment.seed for each in run], [_explain(each, place) for each in run])
    return _explain(run, place)


def recorded_run(prefix: str, store: Path | None = None) -> Run:
    """The run whose digest begins with ``prefix``, with its weights: the user's own record before a reference one."""
    stores = reading_stores(store)
    homes = {digest: home for home in reversed(stores) for digest in home.digests()}
    found = [prefix] if prefix in homes else sorted(name for name in homes if prefix and name.startswith(prefix))
    if not found:
        near = nearest(prefix, sorted(homes))
        hint = f"did you mean {' or '.join(near)}" if near else "give a digest or the beginning of one"
        places = " and ".join(str(home.root) for home in stores)
        raise InputError(f"there is no run {prefix!r} among the {len(homes)} in {places}; {hint}.")
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
    return Run(Experiment.read(specification), record)


def _explain(run: Run, at: tuple[int, int] | None) -> Explanation:
    experiment, record = run.experiment, run.record
    task = experiment.problem.task
    if not isinstance(task, Picture):
        raise InputError(
            f"run {record.digest} is of task {task.kind!r}, which draws no pictures over y and x; "
            "explain takes apart pictures, so give a run of e.g. bump."
        )
    if record.body["status"] != "done":
        raise InputError(
            f"run {record.digest} failed: {record.body['reason']}; it has nothing to explain, "
            "so change the recipe and train again."
        )
    if experiment.model.trainable and not record.weights:
        raise NoWeights(experiment, record.digest)
    evidence = run.evidence
    assert isinstance(evidence, Evidence)
    return explain_evidence(evidence, at, experiment.problem.shown(experiment.seed))


def _place(at: Mapping[str, int]) -> tuple[int, int]:
    for name in at:
        if name not in FACTORS:
            raise unknown("factor", name, FACTORS)
    for name in FACTORS:
        if not isinstance(at.get(name), int) or isinstance(at[name], bool):
            raise InputError(
                f"a combination needs the index of a level of {name}, got {at.get(name)!r}; give both, e.g. y=12,x=9."
            )
    return at["y"], at["x"]
