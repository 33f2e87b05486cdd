"""The Ray executor: stacks as tasks of a Ray cluster, one that is joined by its address or one started here.

Workers are processes of the cluster's nodes, which need recombine (the same version) and nothing of the store: outcomes
come back to the driver, which alone writes. Ray runs a task anew whose worker or node is lost.
"""

import os
import signal
import socket
import sys
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from typing import Any

import recombine
from recombine.core.errors import InputError
from recombine.studies.execution import Executor, Finish, Finished, Move, Settings, homes, work
from recombine.studies.joining import has_token, look, refusal, running
from recombine.studies.processes import WORKER_ENVIRONMENT, script_registers
from recombine.studies.stacks import Stack
from recombine.studies.work import Work

# How often Ray runs a task anew whose worker or node was lost, before its members are suspected and tried alone.
RETRIES = 3
# Tasks in flight for each slot: one that runs and one that waits there, so that no slot idles while outcomes come home.
# Only their outcomes can be in the object store, however large the study.
IN_FLIGHT = 2
EVERY = 0.5  # seconds between two words of a worker about its progress, and between two readings of them
# A cluster is gone when it has missed so many looks, so many seconds apart, each of as many at the most: 20 to 40 s.
# After 60 s Ray itself ends the driver, with the exit code of a negative answer.
MISSES = 10
LOOK = 2.0

Message = tuple[str, float, float]


class RayExecutor(Executor):
    """A cluster: that of ``address`` or of $RAY_ADDRESS, that of the script if it is in one, else one started here.

    ``workers`` is how many stacks may run at once; all that the cluster's processors and GPUs allow, if not given.
    """

    def __init__(self, workers: int | None = None, address: str | None = None, gpus: float = 0.0) -> None:
        super().__init__(workers, gpus)
        self.address = address

    @contextmanager
    def ready(self, moved: Move) -> Iterator[int]:
        if script_registers():
            raise InputError(
                "this script registers things of its own, which the workers of a cluster cannot import; put them into "
                "a module that is installed on every node, or run locally."
            )
        ray = _ray()
        joined = ray.is_initialized()
        try:
            if not joined:
                self._connect(ray)
            self.task = ray.remote(_work)
            # A process that has begun on one GPU cannot change to another, which Ray may give it next: it ends.
            self.gpu_task = ray.remote(max_calls=1)(_work)
            with _watching(ray.get_runtime_context().gcs_address), _telling(ray, moved) as self.told:
                yield self.slots()
        finally:
            if not joined:
                ray.shutdown()

    def _connect(self, ray: Any) -> None:
        address = self.address or os.environ.get("RAY_ADDRESS")
        quiet = {"log_to_driver": False, "logging_level": "ERROR", "configure_logging": False}
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # the coming default, and no word about it
        os.environ.setdefault("RAY_worker_niceness", "0")  # as nice as local workers are
        environment = {"env_vars": WORKER_ENVIRONMENT}
        if address in (None, "local"):
            with _terminated_as_before():
                ray.init("local", num_cpus=self.workers, include_dashboard=False, runtime_env=environment, **quiet)
            return
        look(running(ray) if address == "auto" else address)
        try:
            with _terminated_as_before(later=True):
                ray.init(address, runtime_env=environment, **quiet)
        except (ConnectionError, ValueError, RuntimeError) as error:
            raise InputError(refusal(address, error)) from None

    def processors(self) -> int:
        """Those of the cluster as it is now."""
        return max(1, int(_ray().cluster_resources().get("CPU", 1)))

    def slots(self) -> int:
        """Trainings that can run at once, as the cluster is now."""
        room = self.processors()
        if self.gpus:
            room = min(room, max(1, int(_ray().cluster_resources().get("GPU", 0) / self.gpus + 1e-9)))
        return min(self.workers or room, room)

    def in_flight(self) -> int:
        """Tasks that may be in flight; a cluster may grow and shrink meanwhile."""
        return self.workers or self.processors() * IN_FLIGHT

    def check(self, works: Iterable[Work | Stack]) -> None:
        """Refuse what takes more of a GPU than the cluster has: it would wait for ever."""
        there = _ray().cluster_resources().get("GPU", 0)
        for each in works:
            if (wanted := each.resources(self.gpus).gpus) > there:
                raise InputError(
                    f"{each.title()} takes {wanted:g} GPU, and the cluster has {f'{there:g}' if there else 'none'}; "
                    "join one that has, or let it train on processors."
                )

    def run(self, stacks: Iterator[Stack], finish: Finish, errors: list[Exception]) -> list[Stack]:
        """A task for each stack, a few more in flight than can run; what is lost again and again is returned."""
        ray = _ray()
        flying: dict[Any, Stack] = {}
        suspects: list[Stack] = []
        try:
            while True:
                room = max(0, self.in_flight() - len(flying))
                flying |= {self._submit(stack): stack for stack in islice(stacks, room)}
                if not flying:
                    return suspects
                for reference in ray.wait(list(flying), timeout=10 * EVERY)[0]:
                    stack = flying.pop(reference)
                    try:
                        finished = ray.get(reference)
                    except ray.exceptions.RayTaskError as error:
                        # An error of the training itself; among several members it may be one's alone.
                        suspects.append(stack) if len(stack) > 1 else errors.append(_own(error))
                    except ray.exceptions.RayError:
                        suspects.append(stack)  # lost with its worker or node, more often than Ray tries
                    else:
                        finish(stack, finished)
        except BaseException:
            for reference in flying:
                with suppress(Exception):
                    ray.cancel(reference, force=True)
            raise

    def _submit(self, stack: Stack) -> Any:
        self.check([stack])  # the cluster may have shrunk
        needs = stack.resources(self.gpus)
        task = (self.gpu_task if needs.gpus else self.task).options(
            num_cpus=needs.cpus, num_gpus=needs.gpus, max_retries=RETRIES, name=stack.title()
        )
        return task.remote(recombine.__version__, homes(stack), [m.settings() for m in stack.members], self.told)


def _ray() -> Any:
    if "ray" not in sys.modules and has_token():  # Ray looks once
        os.environ.setdefault("RAY_AUTH_MODE", "token")  # a cluster that asks for none lets it in, too
    try:
        import ray
    except ImportError:
        raise InputError("the executor `ray` needs Ray: pip install 'recombine[ray]', or run locally.") from None
    return ray


@contextmanager
def _terminated_as_before(later: bool = False) -> Iterator[None]:
    """Whoever handled SIGTERM does so again: Ray sets a handler that crashes where its calls are under way.

    With ``later`` the signal waits until the end. Processes that are started inside would inherit that; where Ray
    starts some, its own way to end is turned back into the signal.
    """
    before = signal.getsignal(signal.SIGTERM)
    if threading.current_thread() is not threading.main_thread() or before is None:
        yield
        return
    held = {signal.SIGTERM} if later and hasattr(signal, "pthread_sigmask") else set()
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, held) if held else set()
    try:
        yield
    except SystemExit:
        signal.signal(signal.SIGTERM, before)
        signal.raise_signal(signal.SIGTERM)
        raise
    finally:
        signal.signal(signal.SIGTERM, before)
        if held:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)  # one that came is handled here


@contextmanager
def _watching(address: str) -> Iterator[None]:
    """End the driver with a sentence when the cluster is gone; Ray would end it too, later and without one."""
    host, _, port = address.rpartition(":")
    over = threading.Event()

    def answers() -> bool:
        try:
            socket.create_connection((host.strip("[]"), int(port)), timeout=LOOK).close()
        except (OSError, ValueError):
            return False
        return True

    def watch() -> None:
        missed = 0
        while not over.wait(LOOK):
            missed = 0 if answers() else missed + 1
            if missed == MISSES and not over.is_set():
                with suppress(Exception):
                    sys.stderr.write(
                        f"\nrecombine: the Ray cluster at {address} is gone; finished runs are kept, start again.\n"
                    )
                    sys.stderr.flush()
                os._exit(2)  # calls into Ray would not return

    if answers():  # a cluster behind a proxy cannot be seen from here
        threading.Thread(target=watch, daemon=True).start()
    try:
        yield
    finally:
        over.set()


def _own(error: Any) -> Exception:
    """The error that the training raised, where Ray has wrapped it."""
    cause = getattr(error, "cause", None)
    return cause if isinstance(cause, Exception) else error


def _work(version: str, registered: Sequence[str], settings: Sequence[Settings], told: Any) -> Finished:
    """In a worker of the cluster."""
    import time

    import torch

    if recombine.__version__ != version:
        raise InputError(
            f"a node of the cluster has recombine {recombine.__version__} and the driver {version}; "
            "install the same version on all of them."
        )
    torch.set_num_threads(1)
    last = 0.0

    def moved(name: str, share: float, loss: float) -> None:
        nonlocal last
        if time.monotonic() - last > EVERY:
            last = time.monotonic()
            with suppress(Exception):  # whoever listens may be gone; that is no reason to stop
                told.tell.remote((name, share, loss))

    # A task sees the GPU it was given and no other; without one it trains on a processor.
    given = _ray().get_runtime_context().get_accelerator_ids().get("GPU")
    return work(registered, settings, moved, "cuda:0" if given else "cpu")


class _Told:
    """What workers have said since it was last asked; lives on the driver's node."""

    def __init__(self) -> None:
        self.messages: dict[str, Message] = {}  # the last word about each stack: nothing piles up

    def tell(self, message: Message) -> None:
        self.messages[message[0]] = message

    def heard(self) -> list[Message]:
        found, self.messages = list(self.messages.values()), {}
        return found


@contextmanager
def _telling(ray: Any, moved: Move) -> Iterator[Any]:
    """Something workers can tell of their progress, read by a thread that passes it to ``moved``."""
    here = ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), False)
    told = ray.remote(_Told).options(num_cpus=0, scheduling_strategy=here, max_restarts=-1).remote()
    over = threading.Event()

    def pass_on() -> None:
        while not over.wait(EVERY):
            with suppress(ray.exceptions.RayError):
                for message in ray.get(told.heard.remote(), timeout=10 * EVERY):
                    moved(*message)

    reader = threading.Thread(target=pass_on, daemon=True)
    reader.start()
    try:
        yield told
    finally:
        over.set()
        reader.join()
        with suppress(Exception):
            ray.kill(told)
