"""The local executor: worker processes of this machine, one thread each."""

import os
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import Pipe, active_children
from multiprocessing.connection import Connection
from multiprocessing.queues import SimpleQueue

from recombine.core.errors import InputError
from recombine.studies.execution import Executor, Finish, Finished, Move, Settings, homes, work
from recombine.studies.processes import main_left_alone, processes, start, worker_environment
from recombine.studies.stacks import Stack


class LocalExecutor(Executor):
    """As many processes as are asked for, or one a core; they start when they are first needed.

    With GPUs there are no more of them than fit there, and each has its seat on one: what trains does so there, all
    else on a processor.
    """

    def __init__(self, workers: int | None = None, gpus: float = 0.0) -> None:
        super().__init__(workers, gpus)
        at_once = workers or os.cpu_count() or 1
        self.seats = gpu_seats(gpus)[:at_once] if gpus else []
        self.at_once = len(self.seats) or at_once

    @contextmanager
    def ready(self, moved: Move) -> Iterator[int]:
        with worker_environment(), messages(moved) as self.messages:
            yield self.at_once

    def run(self, stacks: Iterator[Stack], finish: Finish, errors: list[Exception]) -> list[Stack]:
        """One pool after another: those that were in flight when a worker died are returned, and the others go on."""
        suspects: list[Stack] = []
        others = set(active_children())  # not ours to end
        held = next(stacks, None)  # taken, and not yet given to a worker
        while held is not None:
            flying: dict[Future[Finished], Stack] = {}
            pool = ProcessPoolExecutor(self.at_once, processes(), _start_worker, (self.messages, self._free_seats()))
            try:
                while flying or (held := held or next(stacks, None)):
                    # No more in flight than there are workers: when one dies, only these can be to blame.
                    while len(flying) < self.at_once and (held := held or next(stacks, None)):
                        trains = held.resources(self.gpus).gpus > 0
                        with main_left_alone():  # a worker starts when it is first needed
                            future = pool.submit(_work, homes(held), [m.settings() for m in held.members], trains)
                        flying[future], held = held, None  # once it is taken: a pool may have died in the meantime
                    for future in wait(flying, return_when=FIRST_COMPLETED).done:
                        try:
                            finished = future.result()
                        except BrokenProcessPool:
                            raise
                        except Exception as error:  # raised once the other stacks are done, if it is a run's own
                            if len(flying[future]) > 1:
                                suspects.append(flying[future])
                            else:
                                errors.append(error)
                        else:
                            finish(flying[future], finished)
                        del flying[future]
            except BrokenProcessPool:
                suspects += flying.values()
                held = held or next(stacks, None)
            except BaseException:
                # Interrupted, or the record of a finished run could not be written: do not wait for the others.
                for worker in set(active_children()) - others:
                    worker.terminate()
                # One that was sending its result leaves a part of it: our own end of the pipe is closed, or the pool
                # would wait for the rest for ever.
                pool._result_queue._writer.close()  # type: ignore[attr-defined]
                raise
            finally:
                pool.shutdown(wait=False, cancel_futures=True)
        return suspects

    def _free_seats(self) -> "SimpleQueue[str] | None":
        """The seats of one pool, of which each of its processes takes one; None where nobody needs any."""
        if not self.seats:
            return None
        seats = processes().SimpleQueue()
        for seat in self.seats:
            seats.put(seat)
        return seats


def gpu_seats(share: float) -> list[str]:
    """A device for each process that fits, where one takes this share of a GPU: the GPUs of this machine in turn."""
    from recombine.training.devices import gpus

    found = gpus()
    if not found:
        raise InputError(
            f"gpus = {share:g} for each training, and torch finds no GPU on this machine; leave it out to train on "
            "processors, or join a Ray cluster that has some with `--on ray --address`."
        )
    return found * int(1 / share + 1e-9)  # ten tenths fit


_messages_out: Connection | None = None
_seat = "cpu"


def _start_worker(messages: Connection, seats: "SimpleQueue[str] | None") -> None:
    """One thread, a seat on a GPU if there are any, and word of its progress into this pipe."""
    global _messages_out, _seat
    _messages_out, _seat = messages, seats.get() if seats else "cpu"
    import torch

    torch.set_num_threads(1)
    start()


def _work(registered: Sequence[str], settings: Sequence[Settings], trains: bool) -> Finished:
    def moved(name: str, share: float, loss: float) -> None:
        assert _messages_out is not None
        _messages_out.send((name, share, loss))

    return work(registered, settings, moved, _seat if trains else "cpu")


@contextmanager
def messages(moved: Move) -> Iterator[Connection]:
    """A pipe from the workers, read by a thread that passes what they say to ``moved``.

    Messages are far smaller than what a pipe takes in one piece, so writers need no lock, and a worker killed in the
    middle of anything cannot leave one locked behind.
    """
    incoming, outgoing = Pipe(duplex=False)

    def pass_on() -> None:
        while (message := incoming.recv()) is not None:
            moved(*message)

    reader = threading.Thread(target=pass_on, daemon=True)
    reader.start()
    try:
        yield outgoing
    finally:
        outgoing.send(None)
        reader.join()
        incoming.close()
        outgoing.close()
