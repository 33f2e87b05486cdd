"""Random streams. Randomness is an argument with a purpose; adding a stream never shifts another."""

from typing import Any
from zlib import crc32

import numpy as np

from recombine.core.errors import InputError


def stream(seed: int, *purpose: str) -> "np.random.Generator":
    """The generator for one purpose of one run, e.g. ``stream(7, "data", "noise")``."""
    if seed < 0:
        raise InputError(f"seed = {seed} must be at least 0.")
    key = tuple(crc32(word.encode()) for word in purpose)
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))


def torch_seed(seed: int, *purpose: str) -> int:
    """A 63-bit seed for a `torch.Generator` that serves the same purpose of the same run."""
    return int(stream(seed, *purpose).integers(2**63))


def chosen(rng: "np.random.Generator", *options: Any) -> Any:
    """One of some options, each as likely as the others."""
    return options[int(rng.integers(len(options)))]
