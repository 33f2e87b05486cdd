"""The same on Ray: workers, drivers and whole nodes of a cluster killed."""

import os
import random
from typing import Any

from faults.killing import RUNS_A_KILL, killed, the_driver
from faults.tally import Driver, Study, Tally, command, place


def kill_ray_workers(kills: int, seed: int) -> Tally:
    with place() as store:
        study = Study(store, 6 + kills * RUNS_A_KILL, 0.4)
        return killed("Ray worker, kill -9", study, kills, seed, [a_task], "--on=ray", "--workers=2")


def kill_ray_drivers(kills: int, seed: int) -> Tally:
    with place() as store:
        study = Study(store, 6 + kills * RUNS_A_KILL, 0.4)
        return killed("Ray driver, kill -9", study, kills, seed, [the_driver], "--on=ray", "--workers=2")


def a_task(driver: Driver, chances: random.Random) -> int | None:
    """A worker of the driver's own cluster that has a task just now."""
    found = [pid for pid in driver.below() if command(pid).startswith("ray::tick")]
    return chances.choice(found) if found else None


def kill_nodes(kills: int, seed: int) -> Tally:
    """Two nodes beside the head; one after the other is lost with all its processes, and another one joins."""
    from ray.cluster_utils import Cluster

    with place() as store:
        study = Study(store, 6 + kills * RUNS_A_KILL, 0.4)
        os.environ.update(study.environment())  # what nodes and their workers inherit
        cluster: Any = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
        nodes = [cluster.add_node(num_cpus=1) for _ in range(2)]

        def a_node(driver: Driver, chances: random.Random) -> int | None:
            gone = nodes.pop(chances.randrange(len(nodes)))
            cluster.worker_nodes.discard(gone)
            nodes.append(cluster.add_node(num_cpus=1))
            return gone.all_processes["raylet"][0].process.pid

        try:
            where = ("--on=ray", f"--address={cluster.address}")
            return killed("Ray node, kill -9", study, kills, seed, [a_node], *where)
        finally:
            cluster.shutdown()
