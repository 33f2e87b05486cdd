"""The one training loop: data in memory as tensors, no loader, a stream of random numbers per purpose."""

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

from recombine.core.seeds import stream
from recombine.core.shapes import Float
from recombine.data import Examples
from recombine.training.recipe import Recipe

# How often the loss is looked at: for the history, for divergence, for progress.
GLANCES = 100

Progress = Callable[[int, int, float], None]  # step, steps, loss


@dataclass(frozen=True)
class History:
    """What the loss did: the total and the error alone at a hundred or so steps; the reason if it stopped early."""

    steps: Float[np.ndarray, " glances"]
    losses: Float[np.ndarray, " glances"]
    errors: Float[np.ndarray, " glances"]
    seconds: float
    diverged: str | None


def batches(items: int, batch: int, steps: int, seed: int) -> Iterator[np.ndarray]:
    """Indices of ``steps`` full batches, cut from one shuffled epoch after another."""
    rng = stream(seed, "training", "batches")
    waiting = np.empty(0, dtype=np.int64)
    for _ in range(steps):
        while len(waiting) < batch:
            waiting = np.concatenate([waiting, rng.permutation(items)])
        yield waiting[:batch]
        waiting = waiting[batch:]


def optimiser(network: nn.Module, recipe: Recipe) -> torch.optim.Optimizer:
    parameters = list(network.parameters())
    if recipe.optimiser == "sgd":
        return torch.optim.SGD(parameters, lr=recipe.rate, weight_decay=recipe.decay)
    kind = torch.optim.AdamW if recipe.optimiser == "adamw" else torch.optim.Adam
    return kind(parameters, lr=recipe.rate, weight_decay=recipe.decay, fused=True)


def fit(network: nn.Module, examples: Examples, recipe: Recipe, seed: int, progress: Progress | None = None) -> History:
    """Train ``network`` in place. A loss that is no longer finite ends the training and is reported, not raised."""
    started = time.perf_counter()
    codes, targets = torch.from_numpy(examples.codes), torch.from_numpy(examples.targets)
    descent = optimiser(network, recipe)
    every = max(1, recipe.steps // GLANCES)
    glances: list[tuple[float, float, float]] = []
    diverged = None
    network.train()
    for step, rows in enumerate(batches(len(examples), recipe.batch, recipe.steps, seed), start=1):
        pick = torch.from_numpy(rows)
        error = nn.functional.mse_loss(network(codes[pick]), targets[pick])
        loss = error
        for penalty in recipe.penalties:
            loss = loss + penalty.term(network)
        descent.zero_grad(set_to_none=True)
        loss.backward()
        descent.step()
        if step % every == 0 or step == recipe.steps:
            glances.append((step, loss.item(), error.item()))
            if progress:
                progress(step, recipe.steps, glances[-1][1])
            if not math.isfinite(glances[-1][1]):
                diverged = f"the loss became {glances[-1][1]} by step {step} of {recipe.steps}"
                break
    network.eval()
    steps, losses, errors = np.array(glances, dtype=float).T
    return History(steps, losses, errors, time.perf_counter() - started, diverged)
