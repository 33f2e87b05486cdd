"""How the gain depends on the number of seeds and the width, and how time grows with seeds, pictures and runs."""

import tempfile
from functools import partial
from pathlib import Path

import torch

from recombine.benchmarks.measuring import Result, benchmarks, ratios, result
from recombine.benchmarks.plain import plain_training
from recombine.benchmarks.training import PLAIN_SEEDS, agree, hole, plans, stacked_training
from recombine.core.spec import sha256
from recombine.data import Problem, tasks
from recombine.models import models
from recombine.records import Record, Store
from recombine.splits import regions
from recombine.training import Recipe


@benchmarks.register("seeds")
def seeds(rounds: int) -> list[Result]:
    """4, 16 and 64 seeds of MLP decoders of width 64, 128 and 256 as a stack against the plain loop, on one core."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    found = []
    for width in (64, 128, 256):
        model, recipe = models.mlp_decoder(width=width), Recipe(steps=50)
        same = agree(plans(hole(), model, Recipe(steps=5), 2))
        few = plans(hole(), model, recipe, PLAIN_SEEDS)
        for count in (4, 16, 64):
            many = plans(hole(), model, recipe, count)
            times = ratios(partial(plain_training, few), partial(stacked_training, many), rounds)
            found.append(result(f"seeds-{count}-width-{width}", [count / PLAIN_SEEDS * value for value in times], same))
    torch.set_num_threads(threads)
    return found


@benchmarks.register("growth")
def growth(rounds: int) -> list[Result]:
    """How many times longer: 64 seeds than 16, pictures of 32 x 32 than 16 x 16, a store of 400 runs than of 100.

    4 is proportional. For pictures the number of pixels is counted; one step has 32 of them either way.
    """
    model, recipe = models.mlp_decoder(width=64), Recipe(steps=50)
    large = Problem(tasks.bump(n=32), regions.block(x=(8, 26), y=(8, 26)))
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    by_seeds = ratios(
        lambda: stacked_training(plans(hole(), model, recipe, 64)),
        lambda: stacked_training(plans(hole(), model, recipe, 16)),
        rounds,
    )
    by_image = ratios(
        lambda: stacked_training(plans(large, model, recipe, 16)),
        lambda: stacked_training(plans(hole(), model, recipe, 16)),
        rounds,
    )
    torch.set_num_threads(threads)
    short = Recipe(steps=5)
    small_agrees, large_agrees = (agree(plans(problem, model, short, 2)) for problem in (hole(), large))
    with tempfile.TemporaryDirectory() as folder:
        stores = {count: filled(Path(folder) / str(count), count) for count in (100, 400)}
        by_runs = ratios(stores[400].bodies, stores[100].bodies, rounds)
        whole = len(stores[400].bodies()[0]) == 400
    return [
        result("growth-seeds", by_seeds, small_agrees),
        result("growth-image", by_image, large_agrees),
        result("growth-runs", by_runs, whole),
    ]


def filled(root: Path, count: int) -> Store:
    """A store of so many small records, with its index warm."""
    store = Store(root)
    for number in range(count):
        store.commit(Record(sha256(str(number))[:16], {"status": "done", "measures": {"ood_nmse": float(number)}}))
    store.bodies()
    return store
