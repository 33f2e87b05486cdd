"""Which experiments train together: those of one shape, that differ in seed or in numbers only."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from recombine.core.spec import canonical_json, dump
from recombine.studies.experiment import Experiment, change

# More members than this gain nothing more on one core, and a lost worker loses more.
MOST = 16


@dataclass(frozen=True)
class Stack:
    """Experiments that one worker trains as one batched model; often just one."""

    experiments: tuple[Experiment, ...]

    def __len__(self) -> int:
        return len(self.experiments)

    @property
    def name(self) -> str:
        """The digest of its first experiment."""
        return self.experiments[0].digest()

    def title(self) -> str:
        first = self.experiments[0]
        return first.title() if len(self) == 1 else f"{first.model.kind} on {first.problem.task.kind}, {len(self)} runs"


def shape(experiment: Experiment) -> str:
    """What experiments of one stack have in common: all but seed, numbers of training, and which examples are shown.

    Numbers of training are the rate, the decay and the strengths of penalties. Measures come after training.
    """
    if not experiment.model.stackable:
        return experiment.digest()
    recipe = experiment.recipe
    alike = change(recipe, rate=1.0, decay=0.0, penalties=())
    penalties = [{**dump(penalty), **dict.fromkeys(penalty.strengths(), 0)} for penalty in recipe.penalties]
    parts = [dump(experiment.problem.task), dump(experiment.model), alike.settings(), penalties]
    return canonical_json(parts)


def plan_stacks(experiments: Iterable[Experiment], workers: int) -> list[Stack]:
    """Experiments grouped into stacks, the larger first, cut so that no worker is left without one."""
    groups: dict[str, list[Experiment]] = {}
    for experiment in experiments:
        groups.setdefault(shape(experiment), []).append(experiment)
    stacks = [Stack(part) for group in groups.values() for part in cut(group, -(-len(group) // MOST))]
    while len(stacks) < workers and len(largest := max(stacks, key=len)) > 1:
        stacks.remove(largest)
        stacks += [Stack(part) for part in cut(largest.experiments, 2)]
    return sorted(stacks, key=len, reverse=True)


def cut(items: Sequence[Experiment], parts: int) -> list[tuple[Experiment, ...]]:
    """As many runs of items as asked for, of sizes that differ by one at the most."""
    ends = [len(items) * part // parts for part in range(parts + 1)]
    return [tuple(items[start:end]) for start, end in pairwise(ends)]
