from pathlib import Path

import numpy as np
import pytest

from recombine.core.seeds import stream
from recombine.records import Record, Store

FIRST = "00f3a8c15b7e9d24"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


@pytest.fixture(scope="session")
def sample():
    """A function that makes a record with everything in it; the seed changes its content."""

    def make(digest: str = FIRST, seed: int = 0) -> Record:
        rng = stream(seed, "test", "records")
        body = {
            "specification": {"problem": {"task": {"kind": "bump", "n": 28 + seed}}, "widths": [64, 32]},
            "measures": {"ood_accuracy": 0.1 + 0.2, "participation_ratio": {"conv.0": 3.5, "dense": 1e-7}},
            "status": "done",
            "seed": seed,
            "seconds": 1.25,
            "note": "σ = 1, “quoted”, \x1f and a \\ backslash",
        }
        arrays = {"heatmap": rng.normal(size=(3, 5)), "seen": rng.random((4, 2)) < 0.5}
        weights = {"layers.0.weight": rng.normal(size=(7, 3)).astype(np.float32), "layers.0.bias": np.zeros(7)}
        return Record(digest, body, arrays, weights)

    return make


@pytest.fixture(scope="session")
def same():
    """A function that says whether two records are equal, types and shapes of arrays included."""

    def arrays_equal(a: dict, b: dict) -> bool:
        return a.keys() == b.keys() and all(
            a[name].dtype == b[name].dtype and a[name].shape == b[name].shape and np.array_equal(a[name], b[name])
            for name in a
        )

    def equal(a: Record, b: Record) -> bool:
        bodies = (a.digest, a.body) == (b.digest, b.body)
        return bodies and arrays_equal(a.arrays, b.arrays) and arrays_equal(a.weights, b.weights)

    return equal
