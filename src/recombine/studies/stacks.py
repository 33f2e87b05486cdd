"""Which pieces of work run together: those of one shape, that differ in seed or in numbers only."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from recombine.studies.experiment import Experiment
from recombine.studies.work import Resources, Work

# More members than this gain nothing more on one core, and a lost worker loses more.
MOST = 16


@dataclass(frozen=True)
class Stack:
    """Pieces of work of one shape that one worker runs together, as one batched model; often just one."""

    members: tuple[Work, ...]

    def __len__(self) -> int:
        return len(self.members)

    @property
    def name(self) -> str:
        """The digest of its first member."""
        return self.members[0].digest()

    def title(self) -> str:
        first = self.members[0]
        if len(self) == 1 or not isinstance(first, Experiment):
            return first.title()
        return f"{first.model.kind} on {first.problem.task.kind}, {len(self)} runs"

    def resources(self, gpus: float = 0.0) -> Resources:
        """What it takes of a machine: as much as the most demanding of its members."""
        needs = [member.resources(gpus) for member in self.members]
        return Resources(max(each.cpus for each in needs), max(each.gpus for each in needs))


def plan_stacks(works: Iterable[Work], workers: int) -> list[Stack]:
    """Work grouped into stacks, the larger first, cut so that no worker is left without one."""
    groups: dict[str, list[Work]] = {}
    for work in works:
        groups.setdefault(work.shape(), []).append(work)
    stacks = [Stack(part) for group in groups.values() for part in cut(group, _parts(len(group), workers))]
    while stacks and len(stacks) < workers and len(largest := max(stacks, key=len)) > 1:
        stacks.remove(largest)
        stacks += [Stack(part) for part in cut(largest.members, 2)]
    return sorted(stacks, key=len, reverse=True)


def _parts(count: int, workers: int) -> int:
    """Stacks for a group of so many: one if it fits, else a multiple of the workers, so that none waits at the end."""
    return 1 if count <= MOST else -(-count // (MOST * workers)) * workers


def cut(items: Sequence[Work], parts: int) -> list[tuple[Work, ...]]:
    """As many runs of items as asked for, of sizes that differ by one at the most."""
    ends = [len(items) * part // parts for part in range(parts + 1)]
    return [tuple(items[start:end]) for start, end in pairwise(ends)]
