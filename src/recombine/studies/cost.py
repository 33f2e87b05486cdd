"""What a study will cost, from a few training steps of each kind of run in it."""

import time
from collections.abc import Iterable

from recombine.studies.experiment import change
from recombine.studies.stacks import Stack, shape

WARM_UP, TIMED = 3, 8
# Observing and measuring a trained network, as a share of its training; a stated rough guess.
AFTERWARDS = 0.1


def seconds(stacks: Iterable[Stack]) -> dict[str, float]:
    """Expected seconds of one core for each experiment, by digest: its share of its stack's.

    Stacks of one shape and size that differ in the number of steps only are timed once.
    """
    speed: dict[tuple[str, int], float] = {}
    expected: dict[str, float] = {}
    for stack in stacks:
        first = stack.experiments[0]
        kind = shape(change(first, seed=0, recipe=change(first.recipe, steps=1))), len(stack)
        if kind not in speed:
            speed[kind] = seconds_per_step(stack) if first.model.trainable else 0.0
        for experiment in stack.experiments:
            share = speed[kind] * experiment.recipe.steps / len(stack)
            expected[experiment.digest()] = share * (1 + AFTERWARDS)
    return expected


def seconds_per_step(stack: Stack) -> float:
    """CPU seconds of one step of a stack on one thread, after a warm-up."""
    import torch

    from recombine.training.loop import Member, fit
    from recombine.training.run import build

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        parts = [(build(e.problem, e.model, e.seed), e.problem.training_set(e.seed), e) for e in stack.experiments]

        def taking(steps: int) -> float:
            members = [Member(net, shown, change(e.recipe, steps=steps), e.seed) for net, shown, e in parts]
            started = time.process_time()
            fit(members)
            return time.process_time() - started

        taking(WARM_UP)
        return taking(TIMED) / TIMED
    finally:
        torch.set_num_threads(threads)
