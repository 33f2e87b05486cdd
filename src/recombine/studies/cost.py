"""What a study will cost, from a few training steps of each kind of run in it."""

import time
from collections.abc import Iterable

from recombine.studies.experiment import Experiment, change

WARM_UP, TIMED = 3, 8
# Observing and measuring a trained network, as a share of its training; a stated rough guess.
AFTERWARDS = 0.1


def seconds(experiments: Iterable[Experiment]) -> dict[str, float]:
    """Expected seconds of one core for each experiment, by digest.

    Experiments that differ only in seed or in the number of steps are timed once.
    """
    speed: dict[str, float] = {}
    expected: dict[str, float] = {}
    for experiment in experiments:
        kind = change(experiment, seed=0, recipe=change(experiment.recipe, steps=1)).digest()
        if kind not in speed:
            speed[kind] = seconds_per_step(experiment) if experiment.model.trainable else 0.0
        expected[experiment.digest()] = speed[kind] * experiment.recipe.steps * (1 + AFTERWARDS)
    return expected


def seconds_per_step(experiment: Experiment) -> float:
    """CPU seconds of one training step on one thread, after a warm-up."""
    import torch

    from recombine.training.loop import Member, fit
    from recombine.training.run import build

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        network = build(experiment.problem, experiment.model, experiment.seed)
        examples = experiment.problem.training_set(experiment.seed)

        def taking(steps: int) -> float:
            member = Member(network, examples, change(experiment.recipe, steps=steps), experiment.seed)
            started = time.process_time()
            fit([member])
            return time.process_time() - started

        taking(WARM_UP)
        return taking(TIMED) / TIMED
    finally:
        torch.set_num_threads(threads)
