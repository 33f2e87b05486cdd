"""Scenes of sprites: drawing them beside training on them, and checking a support."""

import time

import numpy as np

from recombine.benchmarks.measuring import SECONDS, Result, benchmarks, ratios, result
from recombine.data import Problem, tasks
from recombine.models import models

ANCHORS, COMPLETIONS = 40, 64


@benchmarks.register("sprites")
def sprites(rounds: int) -> list[Result]:
    """A training step of the paper's compositional network on 64 scenes of 64 x 64 against drawing them. One thread."""
    import torch

    from recombine.splits import supports
    from recombine.training import Recipe
    from recombine.training.run import build

    task = tasks.sprites(size=64, scales=(0.09, 0.22), raster="touched", composition="hard", inputs="physical")
    problem = Problem(task, support=supports.planes(), examples=100_000)
    shown = problem.training_set(0)  # 4.9 GB of pictures, none of which is drawn yet
    rows = np.arange(64)
    same = all(np.array_equal(shown.pictures[rows][row], shown.pictures[int(row)]) for row in rows[:8])
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    network = build(problem, models.compositional(width=256, maps=32, kernel=2), 0)
    descent = torch.optim.AdamW(network.parameters(), Recipe().rate)
    codes, targets = torch.from_numpy(shown.codes[rows]), torch.from_numpy(shown.pictures[rows])

    def step() -> None:
        descent.zero_grad()
        torch.nn.functional.mse_loss(network(codes), targets).backward()
        descent.step()

    step()
    found = ratios(step, lambda: shown.pictures[rows], rounds)
    torch.set_num_threads(threads)
    return [result("sprites", found, same)]


@benchmarks.register("support-check")
def support_check(rounds: int) -> list[Result]:
    """CPU seconds of checking a support of 16 x 16 scenes at 40 values and 64 scenes for each. Lower is better."""
    from recombine.splits import supports
    from recombine.studies.supporting import check_support

    # The whole space: every value has as many scenes as are asked for, which on planes it has not.
    problem = Problem(tasks.sprites(size=16, composition="soft"), support=supports.random(), examples=1)
    seconds, right = [], True
    check_support(problem, anchors=2)  # loads what derivatives need
    for _ in range(rounds):
        started = time.process_time()
        found = check_support(problem, anchors=ANCHORS, completions=COMPLETIONS)
        seconds.append(time.process_time() - started)
        looked_at = np.concatenate([slot.found for slot in found.slots])
        right &= found.sufficient and looked_at.tolist() == [COMPLETIONS] * ANCHORS * len(found.slots)
    return [result("support-check", seconds, right, SECONDS)]
