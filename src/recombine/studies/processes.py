"""Worker processes of this machine: how they start, what they inherit, and that none outlives its driver."""

import os
import signal
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from multiprocessing import connection, get_all_start_methods, get_context, parent_process, resource_tracker
from multiprocessing.context import BaseContext
from typing import Any

from recombine.core.compositions import compositions
from recombine.data import encodings, tasks
from recombine.data.image_sets import image_sets
from recombine.measures import exhibits, measures
from recombine.models import models
from recombine.splits import regions, supports
from recombine.studies.calculation import calculations
from recombine.training import noises, penalties

# By every worker; the first optimiser would load the second, on the clock of the first run.
LOADED = ["torch", "torch._dynamo", "recombine.studies.experiment", "recombine.training.run"]

# What workers inherit: one thread for every library that asks, and an allocator (glibc's) that keeps the large
# arrays of one training step for the next instead of giving them back and faulting them in again, in large pages.
WORKER_ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "MALLOC_MMAP_THRESHOLD_": str(32 * 2**20),
    "MALLOC_TRIM_THRESHOLD_": str(2**30),
    "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1",
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


def processes() -> BaseContext:
    """How workers start: from a server of this process that has loaded what all of them need, where there are such."""
    if "forkserver" not in get_all_start_methods():
        return get_context("spawn")
    context = get_context("forkserver")
    context.set_forkserver_preload(LOADED)
    return context


def registries() -> tuple[Mapping[str, Any], ...]:
    """Everything that a user's script may add to."""
    return (
        tasks, encodings, image_sets, regions, supports, compositions, models, measures, exhibits, penalties, noises,
        calculations,
    )  # fmt: skip


def script_registers() -> bool:
    """Whether the script that is running has registered things of its own."""
    return any(
        getattr(thing, "__module__", "") == "__main__" for registry in registries() for thing in registry.values()
    )


@contextmanager
def main_left_alone() -> Iterator[None]:
    """Processes started inside do not import the user's script again, and never hear of interrupts.

    They would otherwise run an unguarded script once more. A script that registers things of its own is needed by the
    workers, so it is imported there, and must then guard its calls with ``if __name__ == "__main__":``. An interrupt
    meant for this process would otherwise make those that are still loading tell where they were; here it waits.
    """
    with interrupts_held():
        main = sys.modules["__main__"]
        if script_registers():
            yield
            return
        names = [name for name in ("__file__", "__spec__") if name in main.__dict__]
        kept: dict[str, Any] = {name: main.__dict__.pop(name) for name in names}
        main.__dict__["__spec__"] = None
        try:
            yield
        finally:
            main.__dict__.update(kept)


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Interrupts wait until the end, where there are signals to hold; processes started inside never get any.

    So does SIGTERM, which ends a driver as an interrupt does; what is started inside can still be ended by it.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # begun inside, it would let interrupts through again
    came: list[int] = []
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # inherited by what is started
    main = threading.current_thread() is threading.main_thread()  # the one that is told of signals, whoever gets them
    usual: dict[int, Any] = {}
    for number in (signal.SIGINT, signal.SIGTERM) if main else ():
        if signal.getsignal(number) is not None:  # else it was set outside Python, and could not be set again
            usual[number] = signal.signal(number, lambda number, frame: came.append(number))
    try:
        yield
    finally:
        for each, handler in usual.items():
            signal.signal(each, handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        if came:
            signal.raise_signal(came[0])


def start() -> None:
    """What every worker does first: leave interrupts to the driver, and end when it does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the driver decides what an interrupt means
    outlive_nobody()


def outlive_nobody() -> None:
    """Let this process end as soon as the one that started it has."""
    parent = parent_process()
    assert parent is not None
    sentinel = parent.sentinel

    def watch() -> None:
        connection.wait([sentinel])
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
