"""A forecast takes less than ten seconds, whatever the built-in problem and the network."""

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


@pytest.mark.alone
@pytest.mark.parametrize("arguments", LARGEST, ids=lambda arguments: f"{arguments[0]} {arguments[-1]}")
def test_the_largest_forecasts_take_less_than_ten_seconds_of_one_core(arguments):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-m", "recombine.cli", "forecast", *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode == 0, done.stderr
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 10
