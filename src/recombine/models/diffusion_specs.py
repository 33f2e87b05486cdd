"""Diffusion models by name: a noise schedule, a UNet that is told the factors, and how samples are drawn."""

import math
from abc import abstractmethod
from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from recombine.core.errors import InputError
from recombine.models.catalogue import ModelSpec, models
from recombine.models.interface import Interface

if TYPE_CHECKING:
    import torch

    from recombine.models.denoiser import Denoiser

MOST_STEPS = 100_000  # of noise
MOST_PAIRS, MOST_HEADS = 65_536, 4_096


class DiffusionSpec(ModelSpec):
    """What diffusion models share (Liang et al. 2024)."""

    stackable: ClassVar[bool] = False  # bound by its convolutions
    generative: ClassVar[bool] = True

    steps: int = Field(1000, ge=2, le=MOST_STEPS)  # of noise
    samples: int = Field(10, ge=1)  # how many of these steps drawing takes with DDIM
    eta: float = Field(0.0, ge=0, le=1)  # how much noise DDIM draws anew at every step; 0: none
    sampler: Literal["ddim", "ddpm"] = "ddim"  # `ddpm` takes all steps
    guidance: float = Field(1.0, ge=0)  # weight of the code against none; other than 1 it needs `drop`
    drop: float = Field(0.0, ge=0, lt=1)  # share of training examples that come without their code
    times: Literal["uniform", "logit-normal"] = "uniform"  # how often each step of noise is trained
    pairs: int = Field(16, ge=1, le=MOST_PAIRS)  # sines and cosines in the code of a time
    heads: int = Field(4, ge=1, le=MOST_HEADS)  # of attention

    fewest: ClassVar[int] = 8  # sides must be multiples of it

    def model_post_init(self, context: object) -> None:
        if self.samples > self.steps and self.sampler == "ddim":
            raise InputError(
                f"{self.kind}: samples = {self.samples} is more than the {self.steps} steps of noise; set samples = "
                f"{self.steps} or fewer."
            )
        if self.samples == 1 and self.sampler == "ddim":
            raise InputError(
                f"{self.kind}: samples = 1 draws in a single step from pure noise, so that what it holds at the last "
                "step is noise too; take 2 samples or more."
            )
        if self.guidance != 1 and not self.drop:
            raise InputError(
                f"{self.kind}: guidance = {self.guidance:g} needs a model that also learned without codes; set drop, "
                "e.g. to 0.1, or guidance to 1."
            )

    def check_heads(self, width: int, times: int, multiple: int) -> None:
        """Refuse heads that do not divide ``times`` the width, a multiple of ``multiple``."""
        channels = times * width
        if channels % self.heads == 0:
            return
        fewer = max(heads for heads in range(1, min(self.heads, channels) + 1) if channels % heads == 0)
        step = math.lcm(multiple, self.heads // math.gcd(self.heads, times))  # between widths that fit
        raise InputError(
            f"{self.kind} cuts its {channels} channels (width = {width}) into heads = {self.heads} equal parts; set "
            f"heads = {fewer}, or width = {(width // step + 1) * step}."
        )

    def check(self, interface: Interface) -> None:
        rows, columns = interface.image
        if rows % self.fewest or columns % self.fewest or interface.channels != 1:
            raise InputError(
                f"{self.kind} halves its picture again and again, so both sides must be multiples of {self.fewest} and "
                f"pixels single numbers, got {rows} x {columns} with {interface.channels} channels; use a task whose "
                "pictures are so, e.g. bump with n = 16."
            )

    @property
    def passes(self) -> int:
        return self.steps if self.sampler == "ddpm" else self.samples

    def in_passes(self, count: int) -> "ModelSpec":
        return self.model_copy(update={"samples": count, "sampler": "ddim"})

    @abstractmethod
    def denoiser(self, interface: Interface) -> "Denoiser":
        """A new network that predicts noise."""

    def network(self, interface: Interface) -> "torch.nn.Module":
        from recombine.models.diffusion_network import DiffusionNetwork, Sampler
        from recombine.models.noise_schedule import NoiseSchedule

        sampler = Sampler(self.sampler, self.samples, self.eta, self.guidance)
        schedule = NoiseSchedule(self.steps)
        return DiffusionNetwork(self.denoiser(interface), interface.image, schedule, sampler, self.drop, self.times)


@models.register("diffusion")
class Diffusion(DiffusionSpec):
    """Diffusion with a light UNet for CPUs: two by two pixels as channels, two halvings, attention on the smallest."""

    width: int = Field(24, ge=2, multiple_of=2)  # channels; 2 width further down

    def model_post_init(self, context: object) -> None:
        super().model_post_init(context)
        self.check_heads(self.width, times=2, multiple=2)

    def denoiser(self, interface: Interface) -> "Denoiser":
        from recombine.models.light_unet_network import LightUnetDenoiser

        return LightUnetDenoiser(interface.inputs, self.width, self.pairs, self.heads)


@models.register("diffusion-unet")
class DiffusionUnet(DiffusionSpec):
    """Diffusion with the published UNet: three halvings, double convolutions, attention after every block.

    ``attention`` is the most pixels of a grid on which there is attention; none: on every grid, as published. What it
    represents is layer 4 after its attention or, with ``before``, before it; the paper does not say which.
    """

    width: int = Field(64, ge=4, multiple_of=4)  # channels of the stem
    pairs: int = Field(128, ge=1, le=MOST_PAIRS)
    attention: int | None = Field(None, ge=1)
    before: bool = False

    def model_post_init(self, context: object) -> None:
        super().model_post_init(context)
        self.check_heads(self.width, times=1, multiple=4)

    def check(self, interface: Interface) -> None:
        super().check(interface)
        places = interface.image[0] * interface.image[1] // 4
        if self.before and self.attention is not None and self.attention < places:
            raise InputError(
                f"{self.kind}: before = true reads layer 4 before its attention, and with attention = {self.attention} "
                f"that layer of {places} pixels has none; raise attention to {places}, or leave before out."
            )

    def denoiser(self, interface: Interface) -> "Denoiser":
        from recombine.models.unet_network import UnetDenoiser

        return UnetDenoiser(
            interface.inputs, interface.image, self.width, self.pairs, self.attention, self.heads, self.before
        )
