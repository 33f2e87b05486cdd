"""The local executor: worker processes train, one thread each; the driver alone writes records.

Finished runs are committed as they come. A driver that is killed loses only what was still training; started
again, it goes on with what has no record. A worker that dies takes its stack down: its runs are tried once more, each
alone, and a run whose worker dies again is recorded as failed.
"""

import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import connection, get_context, parent_process
from multiprocessing.queues import SimpleQueue
from typing import Any

from recombine.core.errors import InputError
from recombine.records import AlreadyRecorded, Record, Store, provenance
from recombine.studies.experiment import Experiment, distinct
from recombine.studies.forecasting import record_forecast
from recombine.studies.progress import Progress
from recombine.studies.stacks import Stack, plan_stacks
from recombine.training import Outcome, run_stack

Settings = dict[str, Any]

# What workers inherit: one thread for every library that asks, and an allocator (glibc's) that keeps the large
# arrays of one training step for the next instead of giving them back and faulting them in again.
WORKER_ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "MALLOC_MMAP_THRESHOLD_": str(32 * 2**20),
    "MALLOC_TRIM_THRESHOLD_": str(2**30),
}


def missing(experiments: Iterable[Experiment], *stores: Store) -> list[Experiment]:
    """The experiments without a record in any of the stores, each once, in order."""
    return [item for item in distinct(experiments) if not any(store.has(item.digest()) for store in stores)]


def execute(
    experiments: Sequence[Experiment], store: Store, workers: int | None = None, progress: Progress | None = None
) -> int:
    """Run what has no record yet and commit each run as it ends; returns how many were run.

    Every forecast is recorded before its first training begins. An error in one run lets the others finish and
    is raised at the end.
    """
    pending = missing(experiments, store)
    if not pending:
        return 0
    for problem in {item.problem.digest(): item.problem for item in pending}.values():
        record_forecast(problem, store)
    workers = min(workers or os.cpu_count() or 1, len(pending))
    stacks = plan_stacks(pending, workers)
    progress = progress or Progress()
    errors: list[Exception] = []
    with progress.showing(stacks), _messages(progress) as messages:

        def finish(stack: Stack, outcomes: Sequence[Outcome | InputError]) -> None:
            for experiment, outcome in zip(stack.experiments, outcomes, strict=True):
                if isinstance(outcome, InputError):
                    errors.append(outcome)
                else:
                    commit(experiment, outcome, store)
            progress.finished(stack, outcomes)

        suspects = _through_pool(stacks, workers, messages, finish, errors)
        for single in (Stack((experiment,)) for stack in suspects for experiment in stack.experiments):
            if _through_pool([single], 1, messages, finish, errors):
                finish(single, [Outcome("failed", "its worker process died twice", {}, {})])
    if errors:
        raise errors[0]
    return len(pending)


def commit(experiment: Experiment, outcome: Outcome, store: Store) -> None:
    """Write the record of one run; another driver's record of the same experiment stands."""
    body = {
        "specification": experiment.settings(),
        "seed": experiment.seed,
        "status": outcome.status,
        "reason": outcome.reason,
        "measures": outcome.measures,
        "cost": outcome.cost,
        "layers": list(outcome.layers),
        "forecast": experiment.problem.digest(),
        "provenance": provenance(),
    }
    try:
        store.commit(Record(experiment.digest(), body, outcome.arrays, outcome.weights))
    except AlreadyRecorded:
        return


def _through_pool(
    stacks: Sequence[Stack],
    workers: int,
    messages: "SimpleQueue[Any]",
    finish: Callable[[Stack, Sequence[Outcome | InputError]], None],
    errors: list[Exception],
) -> list[Stack]:
    """Run stacks in one pool after another; returns those that were in flight when a worker died."""
    waiting = list(reversed(stacks))
    suspects: list[Stack] = []
    while waiting:
        flying: dict[Future[list[Outcome | InputError]], Stack] = {}
        pool = ProcessPoolExecutor(workers, get_context("spawn"), _start_worker, (messages,))
        try:
            while waiting or flying:
                # No more in flight than there are workers: when one dies, only these can be to blame.
                while waiting and len(flying) < workers:
                    stack = waiting.pop()
                    flying[pool.submit(_work, [item.settings() for item in stack.experiments])] = stack
                for future in wait(flying, return_when=FIRST_COMPLETED).done:
                    try:
                        outcomes = future.result()
                    except BrokenProcessPool:
                        raise
                    except Exception as error:  # kept and raised once the other stacks are done
                        errors.append(error)
                    else:
                        finish(flying[future], outcomes)
                    del flying[future]
        except BrokenProcessPool:
            suspects += flying.values()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
    return suspects


_messages_out: "SimpleQueue[Any] | None" = None


def _start_worker(messages: "SimpleQueue[Any]") -> None:
    """One thread each, and no life after the driver's: a killed driver leaves no orphan waiting for work."""
    global _messages_out
    _messages_out = messages
    import torch

    torch.set_num_threads(1)
    parent = parent_process()
    assert parent is not None
    sentinel = parent.sentinel

    def outlive_nobody() -> None:
        connection.wait([sentinel])
        os._exit(1)

    threading.Thread(target=outlive_nobody, daemon=True).start()


def _work(settings: Sequence[Settings]) -> list[Outcome | InputError]:
    stack = Stack(tuple(Experiment.read(each) for each in settings))

    def tell(step: int, steps: int, loss: float) -> None:
        assert _messages_out is not None
        _messages_out.put((stack.name, step / steps, loss))

    return run_stack([experiment.plan() for experiment in stack.experiments], tell)


@contextmanager
def _messages(progress: Progress) -> Iterator["SimpleQueue[Any]"]:
    """A queue from the workers, read by a thread that passes what they say to ``progress``."""
    for name, value in WORKER_ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    messages: SimpleQueue[Any] = get_context("spawn").SimpleQueue()

    def pass_on() -> None:
        while (message := messages.get()) is not None:
            progress.moved(*message)

    reader = threading.Thread(target=pass_on, daemon=True)
    reader.start()
    try:
        yield messages
    finally:
        messages.put(None)
        reader.join()


def check_workers(workers: int | None) -> int | None:
    if workers is not None and workers < 1:
        raise InputError(f"workers = {workers} must be at least 1; leave it out to use every core.")
    return workers
