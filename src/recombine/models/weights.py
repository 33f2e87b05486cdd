"""Fresh weights from a generator of one's own, although layers draw theirs from the global one."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch


@contextmanager
def drawn_from(generator: torch.Generator) -> Iterator[None]:
    """Inside, layers built on the CPU draw what ``generator`` says; outside, the global generators are as before.

    One number is taken from ``generator`` and seeds the global CPU generator for the time being. Its state is put
    back at the end. Building happens on the CPU whatever the default device, so that a seed gives the same weights
    on every machine and no generator of another device moves.
    """
    seed = int(torch.randint(2**63 - 1, (), generator=generator, device=generator.device))
    with torch.random.fork_rng(devices=[]), torch.device("cpu"):
        # Not torch.manual_seed: that one also reseeds the generators of every other device, which are not put back.
        torch.default_generator.manual_seed(seed)
        yield
