"""The local executor: worker processes train, one thread each; the driver alone writes records.

Finished runs are committed as they come. A driver that is killed loses only what was still training; started
again, it goes on with what has no record. A worker that dies takes its stack down: its runs are tried once more, each
alone, and a run whose worker dies again is given up for this time, with a note
of the failure in the store; the same command tries it again later.
"""

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, as_completed, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from importlib import import_module
from multiprocessing import (
    Pipe,
    active_children,
    connection,
    current_process,
    get_all_start_methods,
    get_context,
    parent_process,
)
from multiprocessing.connection import Connection
from multiprocessing.context import BaseContext
from typing import Any

from recombine.core.compositions import compositions
from recombine.core.errors import InputError
from recombine.data import Problem, encodings, tasks
from recombine.data.image_sets import image_sets
from recombine.measures import exhibits, measures
from recombine.models import models
from recombine.records import AlreadyRecorded, Record, Store, provenance
from recombine.splits import regions, supports
from recombine.studies.calculation import calculations
from recombine.studies.experiment import Experiment
from recombine.studies.forecasting import told_of
from recombine.studies.progress import Progress
from recombine.studies.stacks import Stack, plan_stacks
from recombine.studies.work import Work, distinct
from recombine.training import Outcome, noises, penalties

Settings = dict[str, Any]

# By every worker; the first optimiser would load the second, on the clock of the first run.
LOADED = ["torch", "torch._dynamo", "recombine.studies.experiment", "recombine.training.run"]
DIED = "its worker process died twice (killed, or out of memory); the same command tries it again"

# What workers inherit: one thread for every library that asks, and an allocator (glibc's) that keeps the large
# arrays of one training step for the next instead of giving them back and faulting them in again.
WORKER_ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "MALLOC_MMAP_THRESHOLD_": str(32 * 2**20),
    "MALLOC_TRIM_THRESHOLD_": str(2**30),
}


@contextmanager
def worker_environment() -> Iterator[None]:
    """Processes started inside inherit `WORKER_ENVIRONMENT`; afterwards the environment is as it was."""
    before = {name: os.environ.get(name) for name in WORKER_ENVIRONMENT}
    os.environ.update(WORKER_ENVIRONMENT)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def missing(works: Iterable[Work], *stores: Store) -> list[Work]:
    """The work without a record in any of the stores, each piece once, in order."""
    return [item for item in distinct(works) if not any(store.has(item.digest()) for store in stores)]


def execute(works: Sequence[Work], store: Store, workers: int | None = None, progress: Progress | None = None) -> int:
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
    errors: list[Exception] = []
    progress = progress or Progress()
    workers = workers or os.cpu_count() or 1
    pending = _forecast(pending, store, workers, progress, errors)
    workers = min(workers, len(pending))
    stacks = plan_stacks(pending, workers)
    with worker_environment(), progress.showing(stacks), _messages(progress) as messages:

        def finish(stack: Stack, outcomes: Sequence[Outcome]) -> None:
            for work, outcome in zip(stack.members, outcomes, strict=True):
                commit(work, outcome, store)
            progress.finished(stack, outcomes)

        suspects = _through_pool(stacks, workers, messages, finish, errors)
        for single in (Stack((work,)) for stack in suspects for work in stack.members):
            progress.again(single)
            if _through_pool([single], 1, messages, finish, errors):
                store.commit_failure(single.name, {"reason": DIED, "specification": single.members[0].settings()})
                errors.append(InputError(f"run {single.name} ({single.title()}) was given up: {DIED}."))
    _raise(errors)
    return len(pending)


def _forecast(
    pending: Sequence[Work], store: Store, workers: int, progress: Progress, errors: list[Exception]
) -> list[Work]:
    """Record every forecast before its first training begins; what is refused there cannot be trained either."""
    problems = {item.forecast_digest: item.problem for item in pending if isinstance(item, Experiment)}
    problems = {digest: problem for digest, problem in problems.items() if store.forecast(str(digest)) is None}
    bad: set[str | None] = set()
    for done, (digest, told) in enumerate(_foretell(problems, min(workers, len(problems))), start=1):
        progress.foretold(done, len(problems))
        if isinstance(told, InputError):
            errors.append(told)
            bad.add(digest)
        elif told is not None:
            store.commit_forecast(str(digest), told)
    return [item for item in pending if item.forecast_digest is None or item.forecast_digest not in bad]


Told = dict[str, Any] | InputError | None


def _foretell(problems: Mapping[str | None, Problem], workers: int) -> Iterator[tuple[str | None, Told]]:
    """The forecast of each problem as it is made, by processes where there are several; a refusal in its place."""
    left = dict(problems)
    if workers > 1:
        with (
            suppress(BrokenProcessPool),  # whoever is left is forecast here
            worker_environment(),
            _main_left_alone(),
            ProcessPoolExecutor(workers, _processes(), _start_forecaster) as pool,
        ):
            try:
                futures = {pool.submit(_told, problem.settings()): digest for digest, problem in left.items()}
                for future in as_completed(futures):
                    told = future.result()
                    del left[futures[future]]
                    yield futures[future], told
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise
    for digest, problem in left.items():
        yield digest, _told(problem)


def _start_forecaster() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the driver decides what an interrupt means
    _outlive_nobody()


def _told(problem: Problem | Settings) -> Told:
    try:
        return told_of(problem if isinstance(problem, Problem) else Problem.read(problem))
    except InputError as error:
        return error


def _raise(errors: Sequence[Exception]) -> None:
    if errors:
        first = errors[0]
        more = f" ({len(errors) - 1} more runs ended in an error.)" if len(errors) > 1 else ""
        raise InputError(f"{first}{more}") if isinstance(first, InputError) else first


def read_work(settings: Mapping[str, Any]) -> Work:
    """The piece of work that settings describe; calculations have a kind."""
    return calculations.parse(settings) if "kind" in settings else Experiment.read(settings)


def commit(work: Work, outcome: Outcome, store: Store) -> None:
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
        "provenance": provenance(),
    }
    try:
        store.commit(Record(work.digest(), body, outcome.arrays, outcome.weights))
    except AlreadyRecorded:
        return


def _processes() -> BaseContext:
    """How workers start: from a server of this process that has loaded what all of them need, where there are such."""
    if "forkserver" not in get_all_start_methods():
        return get_context("spawn")
    context = get_context("forkserver")
    context.set_forkserver_preload(LOADED)
    return context


def _through_pool(
    stacks: Sequence[Stack],
    workers: int,
    messages: Connection,
    finish: Callable[[Stack, Sequence[Outcome]], None],
    errors: list[Exception],
) -> list[Stack]:
    """Run stacks in one pool after another; returns those to be tried again, member by member.

    These were in flight when a worker died, or ended in an error that may be one member's alone.
    """
    waiting = list(reversed(stacks))
    suspects: list[Stack] = []
    others = set(active_children())  # not ours to end
    while waiting:
        flying: dict[Future[list[Outcome]], Stack] = {}
        pool = ProcessPoolExecutor(workers, _processes(), _start_worker, (messages,))
        try:
            while waiting or flying:
                # No more in flight than there are workers: when one dies, only these can be to blame.
                while waiting and len(flying) < workers:
                    with _main_left_alone():  # a worker starts when it is first needed
                        future = pool.submit(_work, _homes(waiting[-1]), [m.settings() for m in waiting[-1].members])
                    flying[future] = waiting.pop()  # once it is taken: a pool may have died in the meantime
                for future in wait(flying, return_when=FIRST_COMPLETED).done:
                    try:
                        outcomes = future.result()
                    except BrokenProcessPool:
                        raise
                    except Exception as error:  # raised once the other stacks are done, if it is a run's own
                        if len(flying[future]) > 1:
                            suspects.append(flying[future])
                        else:
                            errors.append(error)
                    else:
                        finish(flying[future], outcomes)
                    del flying[future]
        except BrokenProcessPool:
            suspects += flying.values()
        except BaseException:
            # Interrupted, or the record of a finished run could not be written: do not wait for the others.
            for worker in set(active_children()) - others:
                worker.terminate()
            raise
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
    return suspects


@contextmanager
def _main_left_alone() -> Iterator[None]:
    """Processes started inside do not import the user's script again.

    They would otherwise run an unguarded script once more. A script that registers things of its own is needed by the
    workers, so it is imported there, and must then guard its calls with ``if __name__ == "__main__":``.
    """
    main = sys.modules["__main__"]
    registries: tuple[Mapping[str, Any], ...] = (
        tasks, encodings, image_sets, regions, supports, compositions, models, measures, exhibits, penalties, noises,
        calculations,
    )  # fmt: skip
    if any(getattr(thing, "__module__", "") == "__main__" for registry in registries for thing in registry.values()):
        yield
        return
    kept: dict[str, Any] = {name: main.__dict__.pop(name) for name in ("__file__", "__spec__") if name in main.__dict__}
    main.__dict__["__spec__"] = None
    try:
        yield
    finally:
        main.__dict__.update(kept)


_messages_out: Connection | None = None


def _start_worker(messages: Connection) -> None:
    """One thread each, and no life after the driver's: a killed driver leaves no orphan waiting for work."""
    global _messages_out
    _messages_out = messages
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the driver decides what an interrupt means
    import torch

    torch.set_num_threads(1)
    _outlive_nobody()


def _outlive_nobody() -> None:
    """Let this process end as soon as the one that started it has."""
    parent = parent_process()
    assert parent is not None
    sentinel = parent.sentinel

    def watch() -> None:
        connection.wait([sentinel])
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _homes(stack: Stack) -> list[str]:
    """The modules in which the kinds of a stack's members are registered; a script's own is seen to elsewhere."""
    return sorted({type(member).__module__ for member in stack.members} - {"__main__"})


def _work(homes: Sequence[str], settings: Sequence[Settings]) -> list[Outcome]:
    for home in homes:
        import_module(home)
    stack = Stack(tuple(read_work(each) for each in settings))

    def tell(step: int, steps: int, loss: float) -> None:
        assert _messages_out is not None
        _messages_out.send((stack.name, step / steps, loss))

    try:
        return type(stack.members[0]).run_together(stack.members, tell)
    except RuntimeError as error:
        if "allocate memory" not in str(error):
            raise
        raise MemoryError(f"{stack.title()} needs more memory than there is: {error}") from None


@contextmanager
def _messages(progress: Progress) -> Iterator[Connection]:
    """A pipe from the workers, read by a thread that passes what they say to ``progress``.

    Messages are far smaller than what a pipe takes in one piece, so writers need no lock, and a worker killed in the
    middle of anything cannot leave one locked behind.
    """
    incoming, messages = Pipe(duplex=False)

    def pass_on() -> None:
        while (message := incoming.recv()) is not None:
            progress.moved(*message)

    reader = threading.Thread(target=pass_on, daemon=True)
    reader.start()
    try:
        yield messages
    finally:
        messages.send(None)
        reader.join()
        incoming.close()
        messages.close()


def check_workers(workers: int | None) -> int | None:
    if workers is not None and workers < 1:
        raise InputError(f"workers = {workers} must be at least 1; leave it out to use every core.")
    return workers
