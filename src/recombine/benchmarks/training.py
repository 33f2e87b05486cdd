"""Stacks against the plain loop: on one core by CPU seconds, and on all cores by the clock."""

import os
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
import torch

from recombine.benchmarks.measuring import Result, benchmarks, ratios, result
from recombine.benchmarks.plain import plain_training
from recombine.data import Problem, tasks
from recombine.models import ModelSpec, models
from recombine.splits import regions
from recombine.studies.processes import worker_environment
from recombine.training import Plan, Recipe, penalties
from recombine.training.loop import Member, fit
from recombine.training.run import build

SEEDS = 16
# The plain loop takes its seeds one after the other, so a few of them tell its speed.
PLAIN_SEEDS = 4


def plans(problem: Problem, model: ModelSpec, recipe: Recipe, seeds: int) -> list[Plan]:
    return [Plan(problem, model, recipe, seed, ()) for seed in range(seeds)]


def stacked_training(chosen: Sequence[Plan]) -> list[torch.nn.Module]:
    """Train the plans as one stack, or one after the other where the model is not to be stacked."""
    members = [Member.of(build(p.problem, p.model, p.seed), p.problem, p.recipe, p.seed) for p in chosen]
    for part in [members] if chosen[0].model.stackable else [[member] for member in members]:
        fit(part)
    return [member.network for member in members]


def agree(chosen: Sequence[Plan]) -> bool:
    """Both sides end with the same weights, to rounding."""
    pairs = zip(plain_training(chosen), stacked_training(chosen), strict=True)
    return all(
        torch.allclose(left, right, rtol=1e-2, atol=1e-4)
        for plain, ours in pairs
        for left, right in zip(plain.parameters(), ours.parameters(), strict=True)
    )


def compare(name: str, problem: Problem, model: ModelSpec, recipe: Recipe, rounds: int) -> list[Result]:
    """Two results: with all cores (by the clock) and per core (CPU seconds of one thread)."""
    everyone = plans(problem, model, recipe, SEEDS)
    few = everyone[:PLAIN_SEEDS]
    short = Recipe(**{**dict(recipe), "steps": 10})
    same = agree(plans(problem, model, short, 2))
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # for the plain loop in both: networks this small are slower with more
    per_core = ratios(lambda: plain_training(few), lambda: stacked_training(everyone), rounds)
    cores = os.cpu_count() or 1
    shares = [everyone[index::cores] for index in range(cores)]
    # With the environment that workers get, allocator included: it is part of what makes them fast.
    with (
        worker_environment(),
        ProcessPoolExecutor(cores, get_context("spawn"), torch.set_num_threads, (1,)) as pool,
    ):
        warm = [share[:1] for share in shares]
        list(pool.map(_train, warm))
        together = ratios(
            lambda: plain_training(few), lambda: list(pool.map(_train, shares)), rounds, time.perf_counter
        )
    torch.set_num_threads(threads)
    scale = SEEDS / PLAIN_SEEDS
    return [
        result(name, [scale * value for value in together], same),
        result(f"{name}-per-core", [scale * value for value in per_core], same),
    ]


def _train(chosen: Sequence[Plan]) -> float:
    """In a worker: train and give back one number, so that no weights travel."""
    return float(np.sum([next(network.parameters()).detach().sum() for network in stacked_training(chosen)]))


def hole(encoding: str = "bump") -> Problem:
    return Problem(tasks.bump(n=16, encoding=encoding), regions.block(x=(4, 13), y=(4, 13)))


@benchmarks.register("stack-mlp-64")
def stack_mlp_64(rounds: int) -> list[Result]:
    """16 seeds of the MLP decoder, width 64, batch 32, as a stack against the plain loop."""
    return compare("stack-mlp-64", hole(), models.mlp_decoder(width=64), Recipe(steps=200), rounds)


@benchmarks.register("stack-mlp-128")
def stack_mlp_128(rounds: int) -> list[Result]:
    """16 seeds of the MLP decoder, width 128, batch 32, as a stack against the plain loop."""
    return compare("stack-mlp-128", hole(), models.mlp_decoder(width=128), Recipe(steps=200), rounds)


@benchmarks.register("stack-rendering")
def stack_rendering(rounds: int) -> list[Result]:
    """16 seeds of the forced-rendering network, N = 16, with its regulariser, as a stack against the plain loop."""
    recipe = Recipe(steps=60, decay=1e-4, penalties=(penalties.rendering(),))
    return compare("stack-rendering", hole("one-hot"), models.forced_rendering(), recipe, rounds)


@benchmarks.register("stack-cnn")
def stack_cnn(rounds: int) -> list[Result]:
    """16 seeds of the CNN decoder, width 32, one to a process, against the plain loop."""
    return compare("stack-cnn", hole(), models.cnn_decoder(width=32), Recipe(steps=60), rounds)
