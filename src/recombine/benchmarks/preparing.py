"""What comes before training: data, start-up, forecasts, and how fast this machine can multiply at all."""

import resource
import subprocess
import sys
import time

import numpy as np

from recombine.benchmarks.measuring import Result, benchmarks, ratios, result


@benchmarks.register("data")
def data(rounds: int) -> list[Result]:
    """10,240 pictures of 32 x 32 by the renderer against one picture at a time in NumPy."""
    from recombine.benchmarks.plain import plain_pictures
    from recombine.data import tasks

    task = tasks.bump(n=32)
    positions = np.repeat(task.grid.values(task.grid.combinations()), 10, axis=0)
    same = np.allclose(task.pictures(positions[:300]), plain_pictures(task, positions[:300]), atol=1e-6)
    return [
        result("data", ratios(lambda: plain_pictures(task, positions), lambda: task.pictures(positions), rounds), same)
    ]


@benchmarks.register("startup")
def startup(rounds: int) -> list[Result]:
    """CPU seconds of `recombine list` in a process of its own; torch must not be loaded. Lower is better."""
    script = (
        "import sys; from recombine.cli import main\n"
        "try: main(['list'])\n"
        "except SystemExit: sys.exit('torch' in sys.modules)"
    )
    seconds, clean = [], True
    for _ in range(rounds):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run([sys.executable, "-c", script], capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        clean &= done.returncode == 0
    return [result("startup", seconds, clean)]


@benchmarks.register("forecast")
def forecast(rounds: int) -> list[Result]:
    """A forecast of the hole of FR1 at `quick` against training its network (timed over a few steps)."""
    from recombine.papers import Scale
    from recombine.papers.forced_rendering import hole
    from recombine.studies.cost import seconds_per_step
    from recombine.studies.forecasting import forecast as predict
    from recombine.studies.stacks import Stack

    experiment = hole(Scale.QUICK)
    found, verdicts = [], set()
    for _ in range(rounds):
        training = seconds_per_step(Stack((experiment,))) * experiment.recipe.steps
        started = time.process_time()
        verdicts.add(predict(experiment.problem).verdict)
        found.append(training / (time.process_time() - started))
    return [result("forecast", found, len(verdicts) == 1)]


@benchmarks.register("peak")
def peak(rounds: int) -> list[Result]:
    """Share of this machine's own matrix-product speed that a stack of 16 width-128 MLPs reaches, on one thread."""
    import torch

    from recombine.benchmarks.training import hole, plans, stacked_training
    from recombine.models import models
    from recombine.training import Recipe

    chosen = plans(hole(), models.mlp_decoder(width=128), Recipe(steps=60), 16)
    weights = sum(p.numel() for p in stacked_training(chosen[:1])[0].parameters() if p.ndim == 2)
    work = 6 * weights * 32 * 60 * 16  # multiply and add, forward and twice backward
    side = 512
    left, right = torch.rand(side, side), torch.rand(side, side)
    times = max(1, work // (2 * side**3))
    threads = torch.get_num_threads()
    torch.set_num_threads(1)

    def products() -> None:
        for _ in range(times):
            left @ right

    # The same number of floating-point operations on both sides, so the ratio of times is the share of the peak.
    found = [1 / value for value in ratios(lambda: stacked_training(chosen), products, rounds)]
    torch.set_num_threads(threads)
    return [result("peak", found, True)]
