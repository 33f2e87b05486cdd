"""The local executor: worker processes of this machine, one thread each."""

import os
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import Pipe, active_children
from multiprocessing.connection import Connection

from recombine.studies.execution import Executor, Finish, Finished, Move, Settings, homes, work
from recombine.studies.processes import main_left_alone, processes, start, worker_environment
from recombine.studies.stacks import Stack


class LocalExecutor(Executor):
    """As many processes as are asked for, or one a core; they start when they are first needed."""

    def __init__(self, workers: int | None = None) -> None:
        self.workers = workers or os.cpu_count() or 1

    @contextmanager
    def ready(self, moved: Move) -> Iterator[int]:
        with worker_environment(), messages(moved) as self.messages:
            yield self.workers

    def run(self, stacks: Iterator[Stack], finish: Finish, errors: list[Exception]) -> list[Stack]:
        """One pool after another: those that were in flight when a worker died are returned, and the others go on."""
        suspects: list[Stack] = []
        others = set(active_children())  # not ours to end
        held = next(stacks, None)  # taken, and not yet given to a worker
        while held is not None:
            flying: dict[Future[Finished], Stack] = {}
            pool = ProcessPoolExecutor(self.workers, processes(), _start_worker, (self.messages,))
            try:
                while flying or (held := held or next(stacks, None)):
                    # No more in flight than there are workers: when one dies, only these can be to blame.
                    while len(flying) < self.workers and (held := held or next(stacks, None)):
                        with main_left_alone():  # a worker starts when it is first needed
                            future = pool.submit(_work, homes(held), [member.settings() for member in held.members])
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
                raise
            finally:
                pool.shutdown(wait=False, cancel_futures=True)
        return suspects


_messages_out: Connection | None = None


def _start_worker(messages: Connection) -> None:
    """One thread, and word of its progress into this pipe."""
    global _messages_out
    _messages_out = messages
    import torch

    torch.set_num_threads(1)
    start()


def _work(registered: Sequence[str], settings: Sequence[Settings]) -> Finished:
    def moved(name: str, share: float, loss: float) -> None:
        assert _messages_out is not None
        _messages_out.send((name, share, loss))

    return work(registered, settings, moved)


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
