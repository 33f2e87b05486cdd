"""Streams: the same purpose gives the same numbers, another purpose other numbers."""

import numpy as np
import pytest

from recombine.core.errors import InputError
from recombine.core.seeds import stream, torch_seed


def test_purposes_are_separate_and_repeatable():
    draws = {
        key: stream(*key).random(4).tolist() for key in [(0, "data"), (0, "init"), (1, "data"), (0, "data", "noise")]
    }
    assert len({tuple(values) for values in draws.values()}) == 4
    assert np.array_equal(stream(0, "data").random(4), draws[(0, "data")])


def test_torch_seeds_fit_and_differ():
    seeds = {torch_seed(seed, "init") for seed in range(20)}
    assert len(seeds) == 20
    assert all(0 <= seed < 2**63 for seed in seeds)


def test_a_negative_seed_is_refused():
    with pytest.raises(InputError, match="seed = -1 must be at least 0"):
        stream(-1, "data")
