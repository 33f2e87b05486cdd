"""What Ray costs beside local workers, on a cluster of two nodes that are simulated on this machine."""

import os
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from recombine.benchmarks.measuring import Result, benchmarks, result
from recombine.benchmarks.training import hole
from recombine.models import models
from recombine.records import Store
from recombine.studies import Experiment, vary
from recombine.studies.execution import Executor, execute, executor
from recombine.training import Recipe

STEPS = 1200  # of a network that takes ten seconds or more for them
RUNS = 6


@benchmarks.register("ray")
def ray(rounds: int) -> list[Result]:
    """Seconds of a study on Ray (two nodes of one processor) over those with two local workers; 1.1 is 10% overhead.

    Six convolutional decoders, each a stack of its own of ten seconds or more; the cluster is there already. Agree:
    equal records, measure by measure.
    """
    from ray.cluster_utils import Cluster

    os.environ.update(RAY_USAGE_STATS_ENABLED="0", RAY_worker_niceness="0")
    cluster: Any = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    cluster.add_node(num_cpus=1)
    base = Experiment(
        problem=hole(), model=models.cnn_decoder(width=32), recipe=Recipe(steps=STEPS), measures=("id_nmse", "ood_nmse")
    )
    try:
        found, agrees = [], True
        for index in range(min(rounds, 3)):
            sides = {"ray": executor("ray", address=cluster.address), "local": executor(workers=2)}
            seconds, records = {}, {}
            for name in sorted(sides, reverse=bool(index % 2)):
                seconds[name], records[name] = _timed(base, sides[name])
            found.append(seconds["ray"] / seconds["local"])
            agrees &= np.allclose(records["ray"], records["local"], rtol=1e-4)
    finally:
        cluster.shutdown()
    return [result("ray", found, bool(agrees))]


def _timed(base: Experiment, on: Executor) -> tuple[float, list[float]]:
    """Seconds by the clock of the whole study, and what it measured."""
    works = list(vary(base, seed=range(RUNS)))
    with tempfile.TemporaryDirectory() as folder:
        store, started = Store(Path(folder)), time.perf_counter()
        execute(works, store, on)
        taken = time.perf_counter() - started
        bodies = [store.read(work.digest()).body["measures"] for work in works]
    return taken, [float(value) for body in bodies for value in body.values()]
