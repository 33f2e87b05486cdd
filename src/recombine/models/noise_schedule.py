"""How a picture turns into noise, step by step, and back: the schedule and the steps of DDPM and DDIM.

Ho, Jain & Abbeel (2020) and Song, Meng & Ermon (2021), written with the share of the picture that is kept,

    ᾱ_t = Π_{s ≤ t} (1 − β_s),     x_t = √ᾱ_t x_0 + √(1 − ᾱ_t) ε,     t = 0 .. T − 1,     ᾱ_{−1} = 1
"""

from dataclasses import dataclass
from functools import cached_property
from numbers import Real

import numpy as np
import torch

from recombine.core.arrays import Given
from recombine.core.errors import InputError
from recombine.core.shapes import Float

FIRST, LAST = 1e-4, 0.02  # variances of the first and the last step, as published


@dataclass(frozen=True)
class NoiseSchedule:
    """Variances β that rise evenly from ``first`` to ``last`` over ``steps`` steps."""

    steps: Given = 1000  # a whole number
    first: Given = FIRST
    last: Given = LAST

    def __post_init__(self) -> None:
        whole = isinstance(self.steps, int) and not isinstance(self.steps, bool)
        if not all(isinstance(end, Real) for end in (self.first, self.last)):
            raise InputError(
                f"variances from {self.first!r} to {self.last!r} of a schedule must be numbers; change them."
            )
        if not whole or self.steps < 1 or not 0 < self.first <= self.last < 1:
            raise InputError(
                f"a schedule of {self.steps} steps with variances from {self.first:g} to {self.last:g} needs a step "
                "at least and variances that rise within 0 and 1; change them."
                if whole
                else f"steps = {self.steps!r} of a schedule must be a whole number; change it."
            )

    @cached_property
    def variances(self) -> Float[np.ndarray, " steps"]:
        """β_t."""
        return np.linspace(self.first, self.last, self.steps)

    @cached_property
    def kept(self) -> Float[np.ndarray, " steps"]:
        """ᾱ_t: the share of a picture's variance that is left after step t."""
        return np.cumprod(1 - self.variances)

    def kept_before(self, step: int) -> float:
        """ᾱ_{t−1}; 1 before the first step."""
        return float(self.kept[step - 1]) if step > 0 else 1.0

    def posterior(self, step: int) -> tuple[float, float, float]:
        """Coefficients of x_0 and x_t in the mean, and the variance, of q(x_{t−1} | x_t, x_0).

        Ho, Jain & Abbeel (2020), Eqs. 6-7.
        """
        beta, now, before = float(self.variances[step]), float(self.kept[step]), self.kept_before(step)
        from_clean = np.sqrt(before) * beta / (1 - now)
        from_noisy = np.sqrt(1 - beta) * (1 - before) / (1 - now)
        return float(from_clean), float(from_noisy), float(beta * (1 - before) / (1 - now))

    def times(self, count: Given) -> list[int]:
        """``count`` steps, evenly from the last to the first; all of them when count is the number of steps."""
        if not isinstance(count, int | np.integer) or not 1 <= count <= self.steps:
            raise InputError(
                f"{count!r} sampling steps cannot be taken from a schedule of {self.steps}; take a whole number from 1 "
                "to all of them."
            )
        return np.linspace(self.steps - 1, 0, count).round().astype(int).tolist()

    def noised(
        self,
        clean: Float[torch.Tensor, "batch rows columns"],
        noise: Float[torch.Tensor, "batch rows columns"],
        times: torch.Tensor,
    ) -> Float[torch.Tensor, "batch rows columns"]:
        """x_t of each picture at a time of its own."""
        kept = torch.from_numpy(self.kept).to(clean)[times][:, None, None]
        return kept.sqrt() * clean + (1 - kept).sqrt() * noise

    def clean(self, noisy: torch.Tensor, noise: torch.Tensor, step: int) -> torch.Tensor:
        """x_0 = (x_t − √(1 − ᾱ_t) ε) / √ᾱ_t, cut to the values a picture has."""
        kept = float(self.kept[step])
        return ((noisy - (1 - kept) ** 0.5 * noise) / kept**0.5).clamp(-1, 1)

    def ddim(
        self,
        noisy: torch.Tensor,
        noise: torch.Tensor,
        step: int,
        following: int | None,
        eta: float,
        fresh: torch.Tensor,
    ) -> torch.Tensor:
        """From step t to an earlier step s; None is the picture itself. Song, Meng & Ermon (2021), Eq. 12.

            x_s = √ᾱ_s x_0 + √(1 − ᾱ_s − σ²) ε + σ z,     σ = η √((1 − ᾱ_s)/(1 − ᾱ_t)) √(1 − ᾱ_t/ᾱ_s)

        ε is taken anew from x_t and the x_0 that was cut to what a picture can have. η = 0: nothing is drawn; η = 1
        over all steps: DDPM with the posterior's variance.
        """
        now = float(self.kept[step])
        then = 1.0 if following is None else float(self.kept[following])
        picture = self.clean(noisy, noise, step)
        direction = (noisy - now**0.5 * picture) / (1 - now) ** 0.5
        sigma = eta * ((1 - then) / (1 - now)) ** 0.5 * (1 - now / then) ** 0.5
        return then**0.5 * picture + max(1 - then - sigma**2, 0.0) ** 0.5 * direction + sigma * fresh

    def ddpm(self, noisy: torch.Tensor, noise: torch.Tensor, step: int, fresh: torch.Tensor) -> torch.Tensor:
        """From step t to t − 1 with variance β_t, none in the last step. Ho, Jain & Abbeel (2020), Algorithm 2.

        x_{t−1} = (x_t − β_t / √(1 − ᾱ_t) ε) / √(1 − β_t) + √β_t z
        """
        beta, kept = float(self.variances[step]), float(self.kept[step])
        mean = (noisy - beta / (1 - kept) ** 0.5 * noise) / (1 - beta) ** 0.5
        return mean + beta**0.5 * fresh if step > 0 else mean
