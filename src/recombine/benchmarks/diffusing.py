"""How near diffusion models come to the speed of plain convolutions, and what few sampling steps save."""

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context

import numpy as np
import torch
from torch.nn import functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

from recombine.benchmarks.measuring import Result, benchmarks, ratios, result
from recombine.core.shapes import Float
from recombine.data import Examples
from recombine.models import Interface, ModelSpec, models
from recombine.models.denoiser import Denoiser
from recombine.models.diffusion_network import DiffusionNetwork, Sampler
from recombine.models.light_unet_network import LightBlock
from recombine.models.noise_schedule import NoiseSchedule
from recombine.studies.processes import worker_environment
from recombine.training.recipe import Recipe
from recombine.training.steppers import Alone, Member

# Channels and sides of the plain convolutions, the best of which is the peak.
PLAIN = ((64, 32), (128, 16), (256, 8))
PUBLISHED = 23_790_209  # parameters of the published network, counted layer by layer
SAMPLED = 64


@benchmarks.register("unet-peak")
def unet_peak(rounds: int) -> list[Result]:
    """Operations a second of training, as a share of the best plain 3 x 3 convolution forward and back, on one core.

    The published network on 32 x 32 pixels with batches of 8, and the light one on 16 x 16: with batches of 64 and its
    24 channels, with batches of 128, in which calls of the library take less of a step, and with 32 channels, which
    fill the lanes of a processor. Operations are those of the network as it is defined,
    convolution by convolution, also where the same is computed with fewer: of the light one's, that is one convolution
    (see `LightBlock`). Agree: the first has as many parameters as its layers should have, and all have gradients
    everywhere.
    """
    # In a process with the environment that workers get, allocator included: it is part of what makes them fast.
    with worker_environment(), ProcessPoolExecutor(1, get_context("spawn"), torch.set_num_threads, (1,)) as pool:
        return pool.submit(_shares, rounds).result()


def _shares(rounds: int) -> list[Result]:
    works = {
        "unet-peak": Training(models.diffusion_unet(), 32, 512, 8),
        "unet-peak-light": Training(models.diffusion(), 16, 64, 64),
        "unet-peak-light-128": Training(models.diffusion(), 16, 64, 128),
        "unet-peak-light-32": Training(models.diffusion(width=32), 16, 64, 64),
    }
    plain = [convolution(*each) for each in PLAIN]
    sound = works["unet-peak"].stepper.weights.numel() == PUBLISHED
    found: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(rounds):
        for name, work in works.items():
            reached, *peaks = rates([(work.step, work.operations), *plain])
            found[name].append(reached / max(peaks))
    return [result(name, found[name], sound and work.learns()) for name, work in works.items()]


@contextmanager
def as_defined(network: torch.nn.Module) -> Iterator[None]:
    """Every convolution of a light network is computed as one."""
    blocks = [each for each in network.modules() if isinstance(each, LightBlock)]
    doubled = [block.doubled for block in blocks]
    for block in blocks:
        block.doubled = 0
    try:
        yield
    finally:
        for block, known in zip(blocks, doubled, strict=True):
            block.doubled = known


class Training:
    """Steps of one network on random pictures, as a training takes them."""

    def __init__(self, model: ModelSpec, side: int, inputs: int, batch: int) -> None:
        network = model.build(Interface(inputs, (side, side), (side, side)), torch.Generator().manual_seed(0))
        draw = np.random.default_rng(0)
        shown = Examples(np.zeros((batch, 1)), draw.random((batch, inputs)), draw.random((batch, side, side)))
        self.stepper = Alone(Member(network, shown, Recipe(), seed=0))
        self.batch = [torch.from_numpy(each).float()[None] for each in (shown.codes, shown.targets)]
        # The fused attention is not counted, the plain one is; both do the same operations.
        with FlopCounterMode(display=False) as counted, sdpa_kernel(SDPBackend.MATH), as_defined(network):
            self.step()
        self.operations = counted.get_total_flops()
        self.step()

    def step(self) -> None:
        self.stepper.step(*self.batch)

    def learns(self) -> bool:
        """Whether every array of weights has a gradient."""
        return all(bool(slope.any()) for slope in self.stepper.slopes)


Work = tuple[Callable[[], None], int]  # what is done, and in how many operations


def convolution(channels: int, side: int, batch: int = 16) -> Work:
    """A 3 x 3 convolution forward and back."""
    weights = torch.randn(channels, channels, 3, 3, requires_grad=True)
    pictures = torch.randn(batch, channels, side, side, requires_grad=True)
    upstream = torch.randn(batch, channels, side, side)

    def step() -> None:
        F.conv2d(pictures, weights, padding=1).backward(upstream)

    step()
    return step, 3 * 2 * batch * channels**2 * 9 * side**2


def rates(works: Sequence[Work], seconds: float = 1.0, turns: int = 10) -> list[float]:
    """Operations in a CPU second of each, over about ``seconds`` of each: in turns, since machines are not even."""
    spent, done = [0.0] * len(works), [0] * len(works)
    for _ in range(turns):
        for place, (step, operations) in enumerate(works):
            started = time.process_time()
            while (passed := time.process_time() - started) < seconds / turns:
                step()
                done[place] += operations
            spent[place] += passed
    return [each / time_of for each, time_of in zip(done, spent, strict=True)]


class Knowing(Denoiser):
    """The noise in pictures that are known, after the light network has done its work: it samples what it knows."""

    layer_names, probe = (), ""

    def __init__(self, working: Denoiser, pictures: torch.Tensor, schedule: NoiseSchedule) -> None:
        super().__init__()
        self.working, self.pictures, self.schedule = working, 2 * pictures - 1, schedule

    def stages(
        self,
        pictures: Float[torch.Tensor, "batch rows columns"],
        times: Float[torch.Tensor, " batch"],
        codes: Float[torch.Tensor, "batch units"],
    ) -> Iterator[tuple[str, torch.Tensor]]:
        kept = float(self.schedule.kept[int(times[0])])
        true = (pictures - kept**0.5 * self.pictures) / (1 - kept) ** 0.5
        yield "output", true + 0 * self.working(pictures, times, codes)


@benchmarks.register("sampling")
def sampling(rounds: int) -> list[Result]:
    """Drawing pictures of 16 x 16 pixels by ten DDIM steps against a thousand of DDPM, with the light network.

    Agree: with noise that is predicted exactly both draw the true pictures, to a hundredth; the claim DX3 compares them
    with a trained network.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    network = models.parse("diffusion").build(Interface(64, (16, 16), (16, 16)), torch.Generator().manual_seed(0))
    assert isinstance(network, DiffusionNetwork)
    codes, pictures = torch.rand(SAMPLED, 64), torch.rand(SAMPLED, 16, 16)
    knowing = Knowing(network.denoiser, pictures, network.schedule)
    made = DiffusionNetwork(knowing, (16, 16), network.schedule, Sampler())

    def draw(sampler: Sampler) -> torch.Tensor:
        return dict(made.drawn(codes, sampler))["output"]

    few, all_steps = Sampler(steps=10), Sampler(kind="ddpm")
    agrees = all(bool((draw(way) - pictures).abs().max() < 0.01) for way in (few, all_steps))
    found = ratios(lambda: draw(all_steps), lambda: draw(few), min(rounds, 3))
    torch.set_num_threads(threads)
    return [result("sampling", found, agrees)]
