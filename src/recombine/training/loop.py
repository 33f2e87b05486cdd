"""The one training loop: data in memory as tensors, no loader, a stream of random numbers per purpose."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
import torch
from torch import nn

from recombine.core.seeds import stream, torch_seed
from recombine.core.shapes import Float
from recombine.data import Examples
from recombine.data.drawn import Drawn
from recombine.models.diffusion_network import DiffusionNetwork
from recombine.training.devices import seeded, settle
from recombine.training.feedforward_by_hand import FeedforwardByHand
from recombine.training.mlp_by_hand import MlpByHand
from recombine.training.recipe import Recipe
from recombine.training.steppers import Alone, Mapped, Member, Stepper

# How often the loss is looked at: for the history, for divergence, for progress.
GLANCES = 100

Progress = Callable[[int, int, float], None]  # step, steps, loss
Look = Callable[[int, int], None]  # step, steps: called before the first step and at every glance


@dataclass(frozen=True)
class History:
    """What the loss did: the total and the error alone at a hundred or so steps; the reason if it stopped early."""

    steps: Float[np.ndarray, " glances"]
    losses: Float[np.ndarray, " glances"]
    errors: Float[np.ndarray, " glances"]
    seconds: float  # this member's share of the stack's
    diverged: str | None


def batches(items: int, batch: int, steps: int, seed: int, *part: str) -> Iterator[np.ndarray]:
    """Indices of ``steps`` full batches, cut from one shuffled epoch after another."""
    rng = stream(seed, "training", "batches", *part)
    waiting = np.empty(0, dtype=np.int64)
    for _ in range(steps):
        while len(waiting) < batch:
            waiting = np.concatenate([waiting, rng.permutation(items)])
        yield waiting[:batch]
        waiting = waiting[batch:]


def order_of(member: Member) -> Iterator[np.ndarray]:
    """The batches of one member: as its examples come, or with the share of lone factors that its recipe asks for."""
    steps, lone, whole = member.recipe.steps, member.lone, len(member.examples) - member.lone
    if member.recipe.lone is None or not lone or not whole:
        return batches(len(member.examples), member.batch, steps, member.seed)
    few = member.recipe.lone_of_batch
    together = batches(whole, member.batch - few, steps, member.seed)
    alone = batches(lone, few, steps, member.seed, "lone")
    return (np.concatenate([first, whole + second]) for first, second in zip(together, alone, strict=True))


def stepper_for(members: Sequence[Member]) -> Stepper:
    """The fastest way to step these members together."""
    if members[0].recipe.ema is not None:
        return Alone(members[0])
    by_hand: tuple[type[MlpByHand] | type[FeedforwardByHand], ...] = (MlpByHand, FeedforwardByHand)
    for stepper in by_hand:
        if stepper.fits(members):
            return stepper(members)
    return Alone(members[0]) if len(members) == 1 else Mapped(members)


# What draws by chance, or changes numbers of its own while it trains.
RESTLESS = (nn.modules.dropout._DropoutNd, nn.RReLU, nn.modules.batchnorm._NormBase, DiffusionNetwork)


def can_stack(networks: Sequence[nn.Module]) -> bool:
    """Whether networks can be trained as one: all their parameters are trained, and all else is the same in each."""
    first = dict(networks[0].named_buffers())
    return all(
        not any(isinstance(module, RESTLESS) for module in network.modules())
        and all(parameter.requires_grad for parameter in network.parameters())
        and all(torch.equal(buffer, first[name]) for name, buffer in network.named_buffers())
        for network in networks
    )


def fit(members: Sequence[Member], progress: Progress | None = None, look: Look | None = None) -> list[History]:
    """Train the networks in place, where they are. A loss that is not finite ends that member's training, no other's.

    Members of one call differ in seed, examples, rate, decay and strengths of penalties; the rest is the first's.
    ``look`` is called again and again while a single member trains, whose network then has the weights that training
    would end with.
    """
    apart = members[0].recipe.ema is not None  # a running mean is one network's
    if len(members) > 1 and (apart or not can_stack([member.network for member in members])):
        return [history for member in members for history in fit([member], progress)]
    with seeded(members[0].device, torch_seed(members[0].seed, "training", "dropout")):
        for member in members:
            member.network.train()
        histories = _fit(members, progress, look)
    for member in members:
        member.network.eval()
    return histories


def _fit(members: Sequence[Member], progress: Progress | None, look: Look | None) -> list[History]:
    recipe, device = members[0].recipe, members[0].device
    settle(device)
    started = time.perf_counter()
    codes, pictures, first_row = _table([member.examples for member in members], device)
    orders = [order_of(member) for member in members]
    stepper = stepper_for(members)
    every = max(1, recipe.steps // GLANCES)
    glances: list[np.ndarray] = []
    running = np.ones(len(members), dtype=bool)
    step = 0
    if look:
        look(0, recipe.steps)
    while step < recipe.steps and running.any():
        # As many batches as there are steps to the next glance, at once.
        ahead = min(every, recipe.steps - step)
        rows = np.stack([np.stack(list(islice(order, ahead))) for order in orders], axis=1)
        for place, pick in enumerate(torch.from_numpy(rows + first_row[:, None]).to(device)):
            if recipe.schedule != "constant":
                stepper.set_rates([member.recipe.rate_at(step + place) for member in members])
            chosen = pick.flatten()
            stepper.step(codes[chosen].unflatten(0, pick.shape), pictures(chosen).unflatten(0, pick.shape))
        step += ahead
        glances.append(np.column_stack([np.full(len(members), float(step)), stepper.losses().cpu().double().numpy()]))
        if look:
            with stepper.as_finished():
                look(step, recipe.steps)
        if progress:
            progress(step, recipe.steps, float(np.median(glances[-1][:, 1])))
        losses = glances[-1][:, 1]
        for index in np.flatnonzero(running & (losses <= (recipe.stop or -np.inf))):
            stepper.stop(int(index))
            running[index] = False
        running &= np.isfinite(losses)
    stepper.finish()
    settle(device)
    seconds = (time.perf_counter() - started) / len(members)
    return [_history(seen, recipe, seconds) for seen in np.stack(glances, axis=1)]


Pick = Callable[[torch.Tensor], torch.Tensor]  # the pictures of these rows


def _table(sets: Sequence[Examples], device: torch.device) -> tuple[torch.Tensor, Pick, np.ndarray]:
    """The codes of all examples in one table, equal sets once; their pictures; the row at which each member's begin."""
    starts: dict[bytes, int] = {}
    distinct: list[Examples] = []
    rows = 0
    first_row = []
    for examples in sets:
        key = examples.codes.tobytes() + examples.positions.tobytes()
        if key not in starts:
            starts[key] = rows
            distinct.append(examples)
            rows += len(examples)
        first_row.append(starts[key])
    codes = torch.from_numpy(np.concatenate([examples.codes for examples in distinct])).to(device)
    return codes, _pictures([examples.pictures for examples in distinct], device), np.array(first_row)


def _pictures(sets: Sequence[np.ndarray | Drawn], device: torch.device) -> Pick:
    """Pictures by row over several sets: from one table in memory or, where some are drawn, as they are needed."""
    if not any(isinstance(each, Drawn) for each in sets):
        table = torch.from_numpy(np.concatenate(sets)).to(device)
        return lambda rows: table[rows]
    starts = np.cumsum([0, *(len(each) for each in sets)])

    def drawn(rows: torch.Tensor) -> torch.Tensor:
        wanted = rows.cpu().numpy()
        found = np.empty((len(wanted), *sets[0].shape[1:]), dtype=np.float32)
        source = np.searchsorted(starts, wanted, side="right") - 1
        for place in np.unique(source):
            found[source == place] = sets[place][wanted[source == place] - starts[place]]
        return torch.from_numpy(found).to(device)

    return drawn


def _history(seen: Float[np.ndarray, "glances 3"], recipe: Recipe, seconds: float) -> History:
    """One member's history, up to and including the first loss that is not finite or is low enough to stop."""
    ends = np.flatnonzero(~np.isfinite(seen[:, 1]) | (seen[:, 1] <= (recipe.stop or -np.inf)))
    reason = None
    if len(ends):
        seen = seen[: ends[0] + 1]
    if not np.isfinite(seen[-1, 1]):
        reason = f"the loss became {seen[-1, 1]} by step {seen[-1, 0]:.0f} of {recipe.steps}"
    return History(seen[:, 0], seen[:, 1], seen[:, 2], seconds, reason)
