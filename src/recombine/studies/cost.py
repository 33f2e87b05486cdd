"""What a study will cost, from a few training steps of each kind of run in it."""

import time
from collections.abc import Iterable
from functools import cache

from recombine.core.spec import canonical_json, dump
from recombine.studies.experiment import Experiment
from recombine.studies.stacks import Stack
from recombine.studies.work import change

WARM_UP, TIMED = 3, 8
START_UP = 4.0  # seconds to start a worker, which loads torch; the same sort of guess


def seconds(stacks: Iterable[Stack]) -> dict[str, float]:
    """Expected seconds of one core for each piece of work, by digest: its share of its stack's, and its measuring.

    Stacks of one shape and size that differ in the number of steps only are timed once, and so are networks that train
    alone and differ in what they are shown only. Training that stops early is counted in full.
    """
    known: dict[tuple[str, int], tuple[float, float]] = {}
    expected: dict[str, float] = {}
    for stack in stacks:
        first = stack.members[0]
        if not isinstance(first, Experiment):
            expected |= {member.digest(): member.expected_seconds() for member in stack.members}
            continue
        kind = same_cost(first), len(stack)
        if kind not in known:
            known[kind] = measured(stack) if first.model.trainable else (0.0, 0.0)
        step, afterwards = known[kind]
        share = step * first.recipe.steps / len(stack) + afterwards * (1 + first.checkpoints)
        expected |= {member.digest(): share for member in stack.members}
    return expected


def same_cost(experiment: Experiment) -> str:
    """What experiments have in common that take the same time for each step and for being measured."""
    once = change(experiment, seed=0, recipe=change(experiment.recipe, steps=1))
    if experiment.model.stackable:
        return once.shape()
    task, sizes = once.problem.task, once.problem.grid.shape
    parts = [task.kind, getattr(task, "image", None), sizes, dump(once.model), dump(once.recipe)]
    return canonical_json([*parts, once.measures, once.exhibits])


def measured(stack: Stack) -> tuple[float, float]:
    """CPU seconds of one step of a stack on one thread, after a warm-up, and of observing and measuring a member."""
    import torch

    from recombine.training.loop import Member, fit
    from recombine.training.run import build, measure_network

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        experiments = [member for member in stack.members if isinstance(member, Experiment)]
        parts = [(build(e.problem, e.model, e.seed), e.problem.training_set(e.seed), e) for e in experiments]

        def taking(steps: int) -> float:
            members = [Member(net, shown, change(e.recipe, steps=steps), e.seed) for net, shown, e in parts]
            started = time.process_time()
            fit(members)
            return time.process_time() - started

        taking(WARM_UP)
        step = taking(TIMED) / TIMED
        started = time.process_time()
        measure_network(experiments[0].plan(), parts[0][0])
        return step, time.process_time() - started
    finally:
        torch.set_num_threads(threads)


@cache
def seconds_together(*experiments: Experiment) -> float:
    """Expected seconds of one core for experiments of one shape that train as one stack; for one on its own."""
    return sum(seconds([Stack(experiments)]).values())


def seconds_per_step(stack: Stack) -> float:
    """CPU seconds of one step of a stack on one thread."""
    return measured(stack)[0]
