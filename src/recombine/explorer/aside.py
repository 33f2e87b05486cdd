"""A process beside the server that computes one thing at a time, kept warm, and ended when it takes too long."""

import threading
import time
from collections.abc import Callable
from multiprocessing import Pipe, get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

from recombine.core.errors import InputError
from recombine.explorer.refusals import Busy, Left, TooSlow
from recombine.studies.processes import main_left_alone, processes, start, worker_environment

DIED = "the process that computed this died, perhaps for want of memory; make the problem smaller."
WAY_OUT = "use fewer levels, or the command line"
LEFT_AFTER = 2.0  # seconds that a call may take before it is given up once nobody waits for it; a new process takes one
_starting = threading.Lock()  # what is changed around a start (environment, main module) is the whole process's


def start_process(target: Callable[..., None], *arguments: Any, afresh: bool = False) -> BaseProcess:
    """A new process of one thread that ends when this one does, from a server that has loaded torch.

    ``afresh`` starts an empty one instead, which is there much earlier where nothing has been loaded yet.
    """
    with _starting, worker_environment(), main_left_alone():
        context = get_context("spawn") if afresh else processes()
        process = context.Process(target=target, args=arguments, daemon=True)  # type: ignore[attr-defined]
        process.start()
    assert isinstance(process, BaseProcess)
    return process


class Aside:
    """Answers calls of functions in a process of its own, one after another."""

    def __init__(self, afresh: bool = False) -> None:
        self.afresh = afresh
        self._asking = threading.Lock()
        self._process: BaseProcess | None = None
        self._pipe: Connection | None = None
        self._closed = False

    def ask(
        self,
        function: Callable[..., Any],
        *arguments: Any,
        seconds: float,
        wanted: Callable[[], bool] = lambda: True,
        way_out: str = WAY_OUT,
    ) -> Any:
        """What the function returns there; what it raises is raised here. `TooSlow` after so many seconds.

        Whoever comes while another call is computed waits, for no longer than that either. ``wanted`` is asked when
        its turn has come, and now and then in a long call: what nobody waits for any more is not begun, or ended.
        ``way_out`` is said where it is too slow.
        """
        if not self._asking.acquire(timeout=seconds):
            raise Busy(f"this was not begun within {seconds:g} seconds, since others are computed; try again.")
        try:
            if not wanted():
                raise Left("whoever asked for this has left, so that it was not begun.")
            return self._ask(function, arguments, seconds, wanted, way_out)
        finally:
            self._asking.release()

    def _ask(
        self,
        function: Callable[..., Any],
        arguments: tuple[Any, ...],
        seconds: float,
        wanted: Callable[[], bool],
        way_out: str,
    ) -> Any:
        pipe = self._ready()
        end = time.monotonic() + seconds
        try:
            pipe.send((function, arguments))
            while not pipe.poll(max(0.0, min(LEFT_AFTER, end - time.monotonic()))):
                if time.monotonic() >= end:
                    self._end()
                    raise TooSlow(
                        f"this takes longer than the {seconds:g} seconds that the explorer allows; {way_out}."
                    )
                if not wanted():
                    self._end()
                    raise Left("whoever asked for this has left, so that it was given up.")
            fine, found = pipe.recv()
        except (EOFError, OSError):
            self._end()
            raise InputError(DIED) from None
        if not fine:
            raise found
        return found

    def start(self) -> None:
        """Start the process, so that it is there when it is asked."""
        with self._asking:
            self._ready()

    def close(self) -> None:
        """End the process for good."""
        self._closed = True
        self._end()

    def _ready(self) -> Connection:
        if self._closed:
            raise InputError("the server is about to end; start it again.")
        if self._process is None or not self._process.is_alive() or self._pipe is None:
            self._end()
            self._pipe, theirs = Pipe()
            self._process = start_process(_answer, theirs, afresh=self.afresh)
            theirs.close()
        return self._pipe

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.join()
        if self._pipe is not None:
            self._pipe.close()
        self._process = self._pipe = None


def _answer(pipe: Connection) -> None:
    """What the process does: calls until nobody asks any more."""
    start()
    while True:
        try:
            function, arguments = pipe.recv()
        except (EOFError, OSError):
            return
        try:
            answer = True, function(*arguments)
        except Exception as error:
            answer = False, _portable(error)
        pipe.send(answer)


def _portable(error: Exception) -> Exception:
    """An error that can be sent: one of ours as it is, else its words."""
    if isinstance(error, InputError):
        # What has an initialiser of its own may not come through as it is.
        return error if "__init__" not in vars(type(error)) else InputError(str(error))
    if isinstance(error, MemoryError) or "allocate memory" in str(error):
        return InputError("this does not fit in memory; make the problem or the model smaller.")
    if isinstance(error, RecursionError):
        return InputError("the specification is nested too deeply to be read; write it flatter.")
    return RuntimeError(f"{type(error).__name__}: {error}")
