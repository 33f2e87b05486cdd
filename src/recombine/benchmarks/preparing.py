"""What comes before training: data, start-up, forecasts, and how fast this machine can multiply at all."""

import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from recombine.benchmarks.measuring import GIGAFLOPS, SECONDS, Result, Work, benchmarks, ratios, result
from recombine.training import Plan, Recipe


@benchmarks.register("data")
def data(rounds: int) -> list[Result]:
    """10,240 pictures of 32 x 32 by the renderer against one picture at a time in NumPy."""
    from recombine.benchmarks.plain import plain_pictures
    from recombine.data import tasks

    task = tasks.bump(n=32)
    positions = np.repeat(task.grid.values(task.grid.combinations()), 10, axis=0)
    same = np.allclose(task.pictures(positions)[:300], plain_pictures(task, positions[:300]), atol=1e-6)
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
    return [result("startup", seconds, clean, SECONDS)]


@benchmarks.register("forecast")
def forecast(rounds: int) -> list[Result]:
    """A forecast of the hole of FR1 at `quick` against training its network (timed over a few steps)."""
    from recombine.papers import Scale
    from recombine.papers.forced_rendering.settings import hole
    from recombine.studies.cost import seconds_per_step
    from recombine.studies.forecasting import forecast as predict

    experiment = hole(Scale.QUICK)
    found, composes = [], set()
    for _ in range(rounds):
        training = seconds_per_step([experiment]) * experiment.recipe.steps
        started = time.process_time()
        composes.add(predict(experiment.problem).composes)
        found.append(training / (time.process_time() - started))
    return [result("forecast", found, composes == {False})]  # what training shows: FR1


@benchmarks.register("peak")
def peak(rounds: int) -> list[Result]:
    """Share of the machine's own speed, one thread: 16 MLPs of its matrix products, a CNN of its convolutions.

    The MLPs have width 128; the convolutions are 3 x 3 over 32 channels, forward and backward. `gflops-gemm` and
    `gflops-convolution` are that speed itself, in billions of floating-point operations a second.
    """
    import torch
    from torch.nn.functional import conv2d

    from recombine.benchmarks.training import agree, hole, plans, stacked_training
    from recombine.models import models

    square = torch.rand(512, 512)
    right = torch.allclose((square @ square).double(), square.double() @ square.double(), rtol=1e-4)
    pictures = torch.rand(32, 32, 32, 32).to(memory_format=torch.channels_last).requires_grad_()
    kernel = torch.rand(32, 32, 3, 3, requires_grad=True)
    sides = {
        "peak": (plans(hole(), models.mlp_decoder(width=128), Recipe(steps=60), 16), lambda: square @ square),
        "peak-convolution": (
            plans(hole(), models.cnn_decoder(width=32), Recipe(steps=12), 1),
            lambda: conv2d(pictures, kernel, padding=1).sum().backward(),
        ),
    }
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    found = []
    for name, (chosen, product) in sides.items():
        each = _count(product)
        times = round(_operations(chosen) / each)
        stacked_training(chosen[:1])

        def products(product: Work = product, times: int = times) -> None:
            for _ in range(times):
                product()

        # The same number of floating-point operations on both sides, so the ratio of times is the share of the peak.
        shares = [1 / value for value in ratios(partial(stacked_training, chosen), products, rounds)]
        same = right and agree([_shorter(plan) for plan in chosen[:2]])
        found.append(result(name, shares, same))
        speeds = [times * each / _seconds(products) / 1e9 for _ in range(rounds)]
        speed = "gflops-gemm" if name == "peak" else "gflops-convolution"
        found.append(result(speed, speeds, same, GIGAFLOPS))
    torch.set_num_threads(threads)
    return found


def _shorter(plan: Plan) -> Plan:
    return replace(plan, recipe=Recipe(**{**dict(plan.recipe), "steps": 5}))


def _seconds(work: Work) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


def _operations(chosen: Sequence[Plan]) -> int:
    """Floating-point operations of training these plans: one step of one of them, counted by torch, times all."""
    import torch

    from recombine.training.run import build

    plan = chosen[0]
    network, codes = build(plan.problem, plan.model, 0), torch.from_numpy(plan.problem.everything.codes)
    step = _count(lambda: network(codes[: plan.recipe.batch]).sum().backward())
    return step * plan.recipe.steps * len(chosen)


def _count(work: Work) -> int:
    from torch.utils.flop_counter import FlopCounterMode

    with FlopCounterMode(display=False) as counter:
        work()
    return counter.get_total_flops()
