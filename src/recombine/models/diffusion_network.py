"""A conditional diffusion model as a network from codes to pictures: its forward pass draws a sample."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal
from zlib import crc32

import torch
from torch.nn import functional as F

from recombine.core.shapes import Float, Int
from recombine.models.denoiser import Denoiser
from recombine.models.network import Network, Through, device_of, unchanged
from recombine.models.noise_schedule import NoiseSchedule

Pictures = Float[torch.Tensor, "batch rows columns"]
Codes = Float[torch.Tensor, "batch units"]
Times = Literal["uniform", "logit-normal"]


@dataclass(frozen=True)
class Sampler:
    """How pictures are drawn from noise: steps of the schedule, DDIM with its η or DDPM, and guidance.

    With guidance w the noise is ε(without code) + w (ε(with code) − ε(without code)); 1 is no guidance.
    """

    kind: Literal["ddim", "ddpm"] = "ddim"
    steps: int = 10
    eta: float = 0.0
    guidance: float = 1.0


class DiffusionNetwork(Network):
    """A denoiser with its schedule; pictures have values from 0 to 1, and are scaled to [-1, 1] inside.

    `error` is what training lowers. `stages` draws a picture for each code and tells the stages of the last step. The
    noise it starts from is determined by the code and the weights, so that networks of different seeds do not share it
    and, unless noise is added on the way, a picture does not depend on what else is drawn. ``drop`` is the share of
    training examples without their code, ``times`` how often each step of noise is trained.
    """

    def __init__(
        self,
        denoiser: Denoiser,
        image: tuple[int, int],
        schedule: NoiseSchedule,
        sampler: Sampler,
        drop: float = 0.0,
        times: Times = "uniform",
    ) -> None:
        super().__init__()
        self.denoiser, self.image = denoiser, image
        self.schedule, self.sampler = schedule, sampler
        self.drop, self.times = drop, times

    @property
    def layer_names(self) -> tuple[str, ...]:
        return self.denoiser.layer_names

    @property
    def probe(self) -> str:
        """The stage that stands for what the network represents."""
        return self.denoiser.probe

    def error(self, codes: Codes, pictures: Pictures) -> Float[torch.Tensor, ""]:
        """mean (ε − ε̂(x_t, t, code))² at a time drawn for each picture: Ho, Jain & Abbeel (2020), Eq. 14.

        Times and noise come from the CPU's global generator, which training seeds.
        """
        times = trained_times(self.schedule.steps, len(codes), self.times).to(codes.device)
        noise = torch.randn(pictures.shape, dtype=pictures.dtype).to(pictures.device)
        if self.drop > 0:
            codes = codes * (torch.rand(len(codes), 1) >= self.drop).to(codes.device)
        return self.missed(codes, pictures, times, noise).mean()

    def missed(self, codes: Codes, pictures: Pictures, times: Int[torch.Tensor, " batch"], noise: Pictures) -> Pictures:
        """(ε − ε̂)² of each pixel, at given times with given noise."""
        noisy = self.schedule.noised(2 * pictures - 1, noise, times)
        return F.mse_loss(self.denoiser(noisy, times.to(codes.dtype), codes), noise, reduction="none")

    def stages(self, codes: Codes, through: Through = unchanged) -> Iterator[tuple[str, torch.Tensor]]:
        for name, stage in self.drawn(codes, self.sampler):
            yield name, stage.detach()  # where calls are checked, `no_grad` does not see that `drawn` is a generator

    @torch.no_grad()
    def drawn(self, codes: Codes, sampler: Sampler) -> Iterator[tuple[str, torch.Tensor]]:
        """The hidden stages at the last step of sampling, then the pictures.

        Noise that is added on the way, by DDPM or with an η, is drawn for all codes together.
        """
        generator = torch.Generator()
        rows = codes.float().cpu().numpy()
        last_weights = [weight.detach().float().cpu().numpy() for weight in list(self.parameters())[-1:]]
        weights = crc32(b"".join(weight.tobytes() for weight in last_weights))
        starts = [
            torch.randn(self.image, generator=generator.manual_seed(crc32(row.tobytes(), weights))) for row in rows
        ]
        pictures = torch.stack(starts).to(codes)
        shape = pictures.shape
        generator.manual_seed(crc32(rows.tobytes(), weights))
        times = self.schedule.times(self.schedule.steps if sampler.kind == "ddpm" else sampler.steps)
        for place, step in enumerate(times):
            last = place == len(times) - 1
            told = codes.new_full((len(codes),), float(step))
            noise = pictures
            for name, stage in self.denoiser.stages(pictures, told, codes):
                if name == "output":
                    noise = stage
                elif last:
                    yield name, stage
            if sampler.guidance != 1:
                free = self.denoiser(pictures, told, torch.zeros_like(codes))
                noise = free + sampler.guidance * (noise - free)
            fresh = noise
            if sampler.kind == "ddpm" or sampler.eta > 0:
                fresh = torch.randn(shape, generator=generator).to(codes)
            if sampler.kind == "ddpm":
                pictures = self.schedule.ddpm(pictures, noise, step, fresh)
            else:
                following = None if last else times[place + 1]
                pictures = self.schedule.ddim(pictures, noise, step, following, sampler.eta, fresh)
        yield "output", (pictures.clamp(-1, 1) + 1) / 2

    @torch.no_grad()
    def represented(
        self, codes: Codes, pictures: Pictures, time: int = 0, noise: Pictures | None = None
    ) -> torch.Tensor:
        """The probe of given pictures at a time of the schedule, flat; they are noised first where noise is given.

        All of them are on the CPU, wherever the network is.
        """
        codes, seen = codes.to(device_of(self)), (2 * pictures - 1).to(device_of(self))
        times = torch.full((len(codes),), time, device=codes.device)
        if noise is not None:
            seen = self.schedule.noised(seen, noise.to(codes.device), times)
        for name, stage in self.denoiser.stages(seen, times.to(codes.dtype), codes):
            if name == self.probe:
                return stage.flatten(1).cpu()
        raise AssertionError("a denoiser tells its probe")


def trained_times(steps: int, count: int, kind: Times) -> Int[torch.Tensor, " count"]:
    """Times 0 .. steps - 1 at which noise is to be predicted.

    ``uniform``: each as often as any other, as published. ``logit-normal``: t = floor(T / (1 + exp(-z))) with z normal,
    so that half of them lie in the middle third; every time is still drawn, and what has the least error at each of
    them is the same. Esser et al. (2024), Sec. 3.1, with mean 0 and variance 1; their time goes evenly from picture to
    noise, here it is the place in a schedule of T steps.
    """
    if kind == "uniform":
        return torch.randint(steps, (count,))
    return (steps * torch.randn(count).sigmoid()).long().clamp(max=steps - 1)  # a sigmoid may round to 1
