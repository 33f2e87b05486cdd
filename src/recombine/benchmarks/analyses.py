"""Analyses of clouds of points: their loops and cavities, and their clusters."""

import math
import time

import numpy as np

from recombine.benchmarks.measuring import SECONDS, Result, benchmarks, result
from recombine.core.seeds import stream
from recombine.measures import homology
from recombine.measures.homology_bars import long_bars
from recombine.measures.rings import clifford_torus
from recombine.theory.percolation import clusters, largest_share

TORUS = (1, 2, 1)  # long bars by degree
LANDMARKS = 200
POINTS, FEW = 1_000_000, 2_000
CRITICAL = 1.436  # points per unit of area times the squared radius, where clusters of all sizes are there


@benchmarks.register("homology")
def bars(rounds: int) -> list[Result]:
    """CPU seconds of the loops and cavities of 200 furthest points of a 32 x 32 torus. Lower is better.

    They must have the long bars of a torus: 1 component, 2 loops, 1 cavity.
    """
    torus = clifford_torus(32, 32).reshape(-1, 4)
    homology(torus[:8])  # loads what it needs
    seconds, right = [], True
    for turn in range(rounds):
        started = time.process_time()
        found = homology(torus, landmarks=LANDMARKS, seed=turn)
        seconds.append(time.process_time() - started)
        right &= tuple(long_bars(lifetimes).number for lifetimes in found) == TORUS
    return [result("homology", seconds, right, SECONDS)]


@benchmarks.register("percolation")
def percolation(rounds: int) -> list[Result]:
    """CPU seconds of the largest cluster of a million points near the critical density. Lower is better.

    The clusters of 2,000 points must be those of a plain breadth-first search.
    """
    few = stream(0, "benchmark", "few").random((FEW, 2))
    radius = math.sqrt(CRITICAL / FEW)
    right = np.array_equal(_first_members(clusters(few, radius)), _first_members(searched(few, radius)))
    seconds = []
    for turn in range(rounds):
        points = stream(turn, "benchmark", "many").random((POINTS, 2))
        started = time.process_time()
        largest_share(points, math.sqrt(CRITICAL / POINTS))
        seconds.append(time.process_time() - started)
    return [result("percolation", seconds, right, SECONDS)]


def searched(points: np.ndarray, radius: float) -> np.ndarray:
    """The number of each point's cluster, by breadth-first search over the distances of all points."""
    labels = np.full(len(points), -1)
    for start in range(len(points)):
        front = [start] if labels[start] < 0 else []
        labels[front] = start
        while front:
            place = front.pop(0)
            near = np.square(points - points[place]).sum(axis=1) < radius**2
            found = np.flatnonzero(near & (labels < 0))
            labels[found] = start
            front += found.tolist()
    return labels


def _first_members(labels: np.ndarray) -> np.ndarray:
    """The same clusters, each called by the first of its points."""
    _, first, back = np.unique(labels, return_index=True, return_inverse=True)
    return first[back]
