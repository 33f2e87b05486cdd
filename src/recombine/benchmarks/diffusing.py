"""How near diffusion models come to the speed of plain convolutions, and what few sampling steps save."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import torch
from torch.nn import functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

from recombine.benchmarks.measuring import Result, benchmarks, ratios, result
from recombine.core.shapes import Float
from recombine.models import Interface, models
from recombine.models.denoiser import Denoiser
from recombine.models.diffusion_network import DiffusionNetwork, Sampler
from recombine.models.noise_schedule import NoiseSchedule
from recombine.studies.processes import worker_environment

# Channels and sides of the plain convolutions, the best of which is the peak.
PLAIN = ((64, 32), (128, 16), (256, 8))
PUBLISHED = 23_790_209  # parameters of the published network, counted layer by layer
SAMPLED = 64


@benchmarks.register("unet-peak")
def unet_peak(rounds: int) -> list[Result]:
    """Operations a second of training, as a share of the best plain 3 x 3 convolution forward and back, on one core.

    The published network on 32 x 32 pixels with batches of 8, and the light one on 16 x 16 with batches of 64. Agree:
    the first has as many parameters as its layers should have, and both have gradients everywhere.
    """
    # In a process with the environment that workers get, allocator included: it is part of what makes them fast.
    with worker_environment(), ProcessPoolExecutor(1, get_context("spawn"), torch.set_num_threads, (1,)) as pool:
        found, agrees = pool.submit(_shares, rounds).result()
    return [result(name, shares, agrees[name]) for name, shares in found.items()]


def _shares(rounds: int) -> tuple[dict[str, list[float]], dict[str, bool]]:
    full = Training("diffusion-unet", 32, 512, 8)
    light = Training("diffusion", 16, 64, 64)
    sound = sum(p.numel() for p in full.network.parameters()) == PUBLISHED
    found: dict[str, list[float]] = {"unet-peak": [], "unet-peak-light": []}
    for _ in range(rounds):
        for name, work in (("unet-peak", full), ("unet-peak-light", light)):
            best = max(plain_rate(*each) for each in PLAIN)
            found[name].append(work.rate() / best)
    return found, {"unet-peak": sound and full.learns(), "unet-peak-light": light.learns()}


class Training:
    """Steps of one network on random pictures."""

    def __init__(self, kind: str, side: int, inputs: int, batch: int) -> None:
        spec = models.parse(kind)
        network = spec.build(Interface(inputs, (side, side), (side, side)), torch.Generator().manual_seed(0))
        assert isinstance(network, DiffusionNetwork)
        self.network = network
        self.codes, self.pictures = torch.rand(batch, inputs), torch.rand(batch, side, side)
        self.descent = torch.optim.AdamW(network.parameters(), fused=True)
        # The fused attention is not counted, the plain one is; both do the same operations.
        with FlopCounterMode(display=False) as counted, sdpa_kernel(SDPBackend.MATH):
            self.step()
        self.operations = counted.get_total_flops()
        self.step()

    def step(self) -> None:
        self.descent.zero_grad(set_to_none=True)
        self.network.error(self.codes, self.pictures).backward()
        self.descent.step()

    def rate(self) -> float:
        """Operations in a CPU second."""
        return rate(self.step, self.operations)

    def learns(self) -> bool:
        return all(p.grad is not None and bool(p.grad.any()) for p in self.network.parameters())


def plain_rate(channels: int, side: int, batch: int = 16) -> float:
    """Operations in a CPU second of a 3 x 3 convolution, forward and back."""
    weights = torch.randn(channels, channels, 3, 3, requires_grad=True)
    pictures = torch.randn(batch, channels, side, side, requires_grad=True)
    upstream = torch.randn(batch, channels, side, side)

    def step() -> None:
        F.conv2d(pictures, weights, padding=1).backward(upstream)

    step()
    return rate(step, 3 * 2 * batch * channels**2 * 9 * side**2)


def rate(work: Callable[[], None], operations: int, seconds: float = 1.0) -> float:
    """Operations in a CPU second, measured over about ``seconds``."""
    started, times = time.process_time(), 0
    while time.process_time() - started < seconds:
        work()
        times += 1
    return times * operations / (time.process_time() - started)


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
