"""The process of one training: it is told what to train, tells what it sees, and waits when it is asked to.

It writes nothing. What it sends, each with a name: "forecast" (then it waits for "go", so that the forecast is written
down before training begins), "running", "moved", "seen", "paused", and last "finished" or "failed".
"""

import time
from collections.abc import Mapping
from dataclasses import replace
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any

from recombine.core.errors import InputError

if TYPE_CHECKING:
    from torch import nn

    from recombine.explorer.watching import Seen

GO, STOP, RESUME = "go", "stop", "resume"


def work(pipe: Connection) -> None:
    """What the process does, from its first order to its end."""
    import torch

    from recombine.studies.processes import start

    torch.set_num_threads(1)
    start()
    try:
        settings, forecast = pipe.recv()
        pipe.send(("finished", train(settings, forecast, pipe)))
    except (EOFError, OSError):
        return  # the server is gone
    except InputError as error:
        pipe.send(("failed", str(error)))
    except Exception as error:
        memory = isinstance(error, MemoryError) or "allocate memory" in str(error)
        words = "it does not fit in memory; make the model or the batch smaller" if memory else repr(error)
        pipe.send(("failed", words))


def train(settings: Mapping[str, Any], forecast: bool, pipe: Connection) -> Any:
    """Train one experiment as any executor would, and look at it on the way; returns what came out and its origin."""
    from recombine.explorer.watching import Watcher
    from recombine.records import provenance
    from recombine.studies.execution import Finished
    from recombine.studies.experiment import Experiment
    from recombine.studies.forecasting import told_of
    from recombine.training import run

    experiment, orders = Experiment.read(settings), Orders(pipe)
    if forecast:
        pipe.send(("forecast", told_of(experiment.problem)))
        orders.wait_for_go()
    pipe.send(("running", None))
    watcher = Watcher(experiment.problem, experiment.seed)
    apart = 0.0  # seconds in which nothing was trained
    last: nn.Module | None = None  # the network, which is trained in place

    def moved(step: int, steps: int, loss: float) -> None:
        pipe.send(("moved", (step, steps, loss)))
        if step < steps:
            wait()

    def watch(network: "nn.Module", step: int, steps: int) -> None:
        nonlocal apart, last
        last = network
        began = time.perf_counter()
        tell(watcher.look(network, step))
        apart += time.perf_counter() - began
        if step == 0:
            wait()

    def tell(seen: "Seen | None") -> None:
        if seen is not None:
            pipe.send(("seen", seen))

    def wait() -> None:
        nonlocal apart
        began = time.perf_counter()
        orders.obey()
        apart += time.perf_counter() - began

    outcome = run(experiment.plan(), moved, watch)
    if last is not None and outcome.status == "done":
        tell(watcher.last_look(last, int(outcome.arrays["steps"][-1])))
    # What was looked at and waited for is no cost of the training.
    cost = {name: seconds - apart * name.endswith("seconds") for name, seconds in outcome.cost.items()}
    return Finished([replace(outcome, cost=cost)], provenance())


class Orders:
    """What the server says while training goes on: the last of stop and resume counts."""

    def __init__(self, pipe: Connection) -> None:
        self.pipe = pipe
        self.stopped = False

    def wait_for_go(self) -> None:
        while (order := self.pipe.recv()) != GO:
            self.stopped = order == STOP

    def obey(self) -> None:
        """Do nothing for as long as training is stopped."""
        while self.pipe.poll():
            self.stopped = self.pipe.recv() == STOP
        if not self.stopped:
            return
        self.pipe.send(("paused", None))
        while self.stopped:
            self.stopped = self.pipe.recv() == STOP
        self.pipe.send(("running", None))
