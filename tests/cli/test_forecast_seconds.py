"""A forecast takes seconds, whatever the built-in problem and the network."""

import os
import resource
import subprocess
import sys

import pytest

HOLE = ("--hold-out", "block:x=6..22,y=6..22")
LARGEST = [
    ("bump", *HOLE, "--model", "cnn-decoder"),
    ("bump", "--hold-out", "block:x=2..25,y=2..25", "--isolated", "all", "--model", "cnn-decoder"),
    ("bump", *HOLE, "--model", "pixel-transformer"),
    (
        "bump",
        "--set",
        "n=40",
        "--hold-out",
        "block:x=8..12,y=8..12",
        "--isolated",
        "all",
        "--model",
        "forced-rendering",
    ),
    ("torus", *HOLE, "--model", "mlp-decoder"),
    ("locate", *HOLE, "--model", "encoder"),
    ("sprites", "--support", "diagonal"),
    ("sprites", "--support", "random"),
]

# What any forecast with a network takes: torch, and some linear algebra.
PLAIN = """
import numpy, scipy.spatial, torch
matrix = numpy.random.default_rng(0).normal(size=(2000, 2000))
for _ in range(3):
    numpy.linalg.solve(matrix, matrix)
"""
MOST = 3  # times as long; the largest took 1.8 to 2.2 times as long beside other work


def seconds_of_a_core(*arguments: str) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode == 0, done.stderr
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@pytest.mark.alone
@pytest.mark.parametrize("arguments", LARGEST, ids=lambda arguments: f"{arguments[0]} {arguments[-1]}")
def test_the_largest_forecasts_take_little_more_than_plain_work_on_the_same_machine(arguments):
    plain = seconds_of_a_core("-c", PLAIN)
    assert seconds_of_a_core("-m", "recombine.cli", "forecast", *arguments) < MOST * plain
