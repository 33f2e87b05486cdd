"""Networks that predict the noise in a picture, told when and of what: the inside of a diffusion model."""

from abc import ABC, abstractmethod
from collections.abc import Iterator

import torch
from torch import nn

from recombine.core.shapes import Float

BASE = 10_000.0  # the slowest wave of a time's code is this many times as long as the fastest


class Denoiser(nn.Module, ABC):
    """Noisy pictures, times and codes to the noise in them, told stage by stage like a `Network`.

    Subclasses give `stages`, `layer_names` and `probe`.
    """

    @property
    @abstractmethod
    def layer_names(self) -> tuple[str, ...]:
        """Names of the hidden stages, first to last."""

    @property
    @abstractmethod
    def probe(self) -> str:
        """The stage that stands for what the network represents: the block before the last one."""

    @abstractmethod
    def stages(
        self,
        pictures: Float[torch.Tensor, "batch rows columns"],
        times: Float[torch.Tensor, " batch"],
        codes: Float[torch.Tensor, "batch units"],
    ) -> Iterator[tuple[str, torch.Tensor]]:
        """Every hidden stage by name, then ``("output", noise)``, noise of the shape of ``pictures``.

        Pictures are scaled to [-1, 1] before noise is added; times are steps of the schedule, 0, 1, ...
        """

    def forward(
        self,
        pictures: Float[torch.Tensor, "batch rows columns"],
        times: Float[torch.Tensor, " batch"],
        codes: Float[torch.Tensor, "batch units"],
    ) -> Float[torch.Tensor, "batch rows columns"]:
        for _, stage in self.stages(pictures, times, codes):  # noqa: B007
            pass
        return stage


def sinusoids(times: Float[torch.Tensor, " batch"], pairs: int) -> Float[torch.Tensor, "batch units"]:
    """(sin w_k t, cos w_k t) with w_k = BASE^(-k / pairs), k = 0 .. pairs - 1: sines first."""
    frequencies = BASE ** (-torch.arange(pairs, dtype=times.dtype, device=times.device) / pairs)
    angles = times[:, None] * frequencies
    return torch.cat([angles.sin(), angles.cos()], dim=1)
