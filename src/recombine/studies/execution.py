"""The driver: it plans stacks, lets an executor run them wherever that is, and alone writes records.

Finished runs are committed as they come. A driver that is killed loses only what was still training; started
again, it goes on with what has no record. Where a worker dies, the runs of its stack are tried once more, each as a
stack of its own; those that are lost again are tried one after another with nothing beside them, and a run whose worker
dies even then is given up for this time, with a note of the failure in the store; the same command tries it again.
"""

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from importlib import import_module
from multiprocessing import current_process
from typing import Any, Literal

from recombine.core.errors import InputError
from recombine.records import AlreadyRecorded, Record, Store, provenance
from recombine.studies.calculation import calculations
from recombine.studies.experiment import Experiment
from recombine.studies.foretelling import record_forecasts
from recombine.studies.progress import Progress
from recombine.studies.stacks import Stack, plan_stacks
from recombine.studies.work import Work, distinct
from recombine.training import Outcome

Settings = dict[str, Any]
Where = Literal["local", "ray"]

LEAST = 0.01  # of a GPU that a training may take

DIED = "its worker process died twice (killed, or out of memory); the same command tries it again"


@dataclass(frozen=True)
class Finished:
    """What a worker hands back: the outcome of each member of a stack, and where they came from."""

    outcomes: list[Outcome]
    origin: dict[str, Any]


Finish = Callable[[Stack, Finished], None]
Move = Callable[[str, float, float], None]  # the name of a stack, the share of its steps that is done, its loss


class Executor(ABC):
    """Runs stacks somewhere and hands back what came out. It never writes a record.

    ``workers`` is how many stacks may run at once, None for as many as there is room for; ``gpus`` the share of a GPU
    that each training takes.
    """

    def __init__(self, workers: int | None = None, gpus: float = 0.0) -> None:
        self.workers, self.gpus = workers, gpus

    @abstractmethod
    def ready(self, moved: Move) -> AbstractContextManager[int]:
        """Around the work: workers that can be given stacks; yields how many run at once, to plan by."""

    def check(self, works: Iterable[Work]) -> None:  # noqa: B027 (there may be nothing to refuse)
        """Refuse work that could never be run, once workers are ready and before anything is done for it."""

    @abstractmethod
    def run(self, stacks: Iterator[Stack], finish: Finish, errors: list[Exception]) -> list[Stack]:
        """Run stacks, calling ``finish`` for each as it ends; returns those to be tried again, member by member.

        Stacks are taken one by one, when there is room for them: another driver may do some in the meantime. Those
        that are returned lost their worker, or ended in an error that may be one member's alone; an error that is a
        run's own goes to ``errors``, and does not keep the others from running.
        """


def executor(
    on: Where = "local", workers: int | None = None, address: str | None = None, gpus: float = 0.0
) -> Executor:
    """The executor of this name; ``gpus`` is the share of a GPU that each training takes, 0 for none, 1 for a whole."""
    if workers is not None and workers < 1:
        raise InputError(f"workers = {workers} must be at least 1; leave it out to use every core.")
    if address is not None and on != "ray":
        raise InputError(f"address = {address!r} is of a Ray cluster; say on = ray as well, or leave it out.")
    if gpus and not LEAST <= gpus <= 1:
        raise InputError(
            f"gpus = {gpus:g} is the share of a GPU that each training takes and must be 0, none, or from {LEAST:g} to "
            "1, a whole one; a training uses no more."
        )
    if on == "ray":
        from recombine.studies.ray import RayExecutor

        return RayExecutor(workers, address, gpus)
    from recombine.studies.local import LocalExecutor

    return LocalExecutor(workers, gpus)


def missing(works: Iterable[Work], *stores: Store) -> list[Work]:
    """The work without a record in any of the stores, each piece once, in order."""
    return [item for item in distinct(works) if not any(store.has(item.digest()) for store in stores)]


def execute(works: Sequence[Work], store: Store, on: Executor | None = None, progress: Progress | None = None) -> int:
    """Run what has no record yet and commit each run as it ends; returns how many were run.

    Every forecast is recorded before its first training begins. An error in one run lets the others finish and
    is raised at the end.
    """
    if getattr(current_process(), "_inheriting", False):
        raise InputError(
            "a script that registers things of its own is imported by the workers too, so its calls must stand under "
            "`if __name__ == '__main__':`."
        )
    pending = missing(works, store)
    if not pending:
        return 0
    on = on or executor()
    progress = progress or Progress()
    errors: list[Exception] = []
    cores = os.cpu_count() or 1
    with on.ready(progress.moved) as slots:
        on.check(pending)
        store.check_writable()  # not only when the first training is done
        pending = record_forecasts(pending, store, min(on.workers or cores, cores), progress, errors)
        stacks = plan_stacks(pending, slots)

        def finish(stack: Stack, finished: Finished) -> None:
            for work, outcome in zip(stack.members, finished.outcomes, strict=True):
                commit(work, outcome, store, finished.origin)
            progress.finished(stack, finished.outcomes)

        with progress.showing(stacks):
            suspects = on.run(_left(stacks, store, progress), finish, errors)
            singles = [Stack((work,)) for stack in suspects for work in stack.members]
            if len(singles) > 1:  # apart, but at once: most of them are innocent, and only who is lost again is left
                singles = on.run(_announced(singles, progress), finish, errors)
            for single in _announced(singles, progress):
                # With nothing beside it, so that nobody is blamed for what another did to the worker or the node.
                if on.run(iter([single]), finish, errors):
                    store.commit_failure(single.name, {"reason": DIED, "specification": single.members[0].settings()})
                    errors.append(InputError(f"run {single.name} ({single.title()}) was given up: {DIED}."))
    _raise(errors)
    return len(pending)


def _left(stacks: Iterable[Stack], store: Store, progress: Progress) -> Iterator[Stack]:
    """Stacks when their turn comes, without the members that another driver has recorded in the meantime."""
    for stack in stacks:
        done = {work.digest() for work in stack.members if store.has(work.digest())}
        if done:
            progress.finished(Stack(tuple(work for work in stack.members if work.digest() in done)), [])
        if len(done) < len(stack):
            yield Stack(tuple(work for work in stack.members if work.digest() not in done))


def _announced(singles: Iterable[Stack], progress: Progress) -> Iterator[Stack]:
    for single in singles:
        progress.again(single)
        yield single


def _raise(errors: Sequence[Exception]) -> None:
    if errors:
        first = errors[0]
        more = f" ({len(errors) - 1} more runs ended in an error.)" if len(errors) > 1 else ""
        raise InputError(f"{first}{more}") if isinstance(first, InputError) else first


def read_work(settings: Mapping[str, Any]) -> Work:
    """The piece of work that settings describe; calculations have a kind."""
    return calculations.parse(settings) if "kind" in settings else Experiment.read(settings)


def commit(work: Work, outcome: Outcome, store: Store, origin: Mapping[str, Any] | None = None) -> None:
    """Write the record of one run; another driver's record of the same work stands."""
    body = {
        "specification": work.settings(),
        "seed": work.seed,
        "exact": work.exact,
        "status": outcome.status,
        "reason": outcome.reason,
        "measures": outcome.measures,
        "cost": outcome.cost,
        "layers": list(outcome.layers),
        "parameters": sum(array.size for array in outcome.weights.values()),
        "undefined": outcome.undefined,
        "forecast": work.forecast_digest,
        "provenance": dict(origin or provenance()),
    }
    try:
        store.commit(Record(work.digest(), body, outcome.arrays, outcome.weights))
    except AlreadyRecorded:
        return


# What follows is done by workers.


def homes(stack: Stack) -> list[str]:
    """The modules in which the kinds of a stack's members are registered; a script's own is seen to elsewhere."""
    return sorted({type(member).__module__ for member in stack.members} - {"__main__"})


def work(registered: Sequence[str], settings: Sequence[Settings], moved: Move, device: str = "cpu") -> Finished:
    """Run the stack of these members here, what trains on this device."""
    from recombine.training.devices import device_named, name_of

    for home in registered:
        import_module(home)
    stack = Stack(tuple(read_work(each) for each in settings))

    def tell(step: int, steps: int, loss: float) -> None:
        moved(stack.name, step / steps, loss)

    try:
        outcomes = type(stack.members[0]).run_together(stack.members, tell, device)
        return Finished(outcomes, {**provenance(), "device": name_of(device_named(device))})
    except RuntimeError as error:
        if "allocate memory" not in str(error) and "out of memory" not in str(error):  # a processor's, a GPU's
            raise
        raise MemoryError(f"{stack.title()} needs more memory than there is: {error}") from None
