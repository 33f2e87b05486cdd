"""How a model is trained: numbers only, so that recipes can be swept."""

import math
from typing import Annotated, Literal

from pydantic import Field

from recombine.core.errors import InputError
from recombine.core.spec import MemberOf, Spec
from recombine.training.noise import Noise, noises
from recombine.training.penalties import Penalty
from recombine.training.penalties import penalties as known


class Recipe(Spec):
    """A loss, plus penalties, lowered by an optimiser for a number of steps.

    ``mse`` is the mean squared error over all pixels, ``mse-l1`` the same plus a tenth of the mean absolute error,
    ``logistic`` the mean of log(1 + exp(-y f)) for classes y of -1 and 1. A gradient whose Euclidean length over all
    parameters exceeds ``clip`` is shortened to it. Batches are cut from a stream of shuffled epochs, so every example
    is shown once before any is shown again and every batch is full; a batch of ``all`` is the whole training set at
    every step. With ``schedule: cosine`` the rate falls from ``rate`` at the first step to ``final`` after the last,
    along half a wave. Training ends early at the first of a hundred or so glances at which the loss is at or below
    ``stop``. The defaults are the released ones of Liang et al. (2025).
    """

    steps: int = Field(default=3000, ge=1)
    batch: Annotated[int, Field(ge=1)] | Literal["all"] = 32
    optimiser: Literal["adamw", "adam", "sgd"] = "adamw"
    rate: float = Field(default=1e-3, gt=0)
    decay: float = Field(default=0.01, ge=0)
    penalties: tuple[Annotated[Penalty, MemberOf(known)], ...] = ()
    loss: Literal["mse", "mse-l1", "logistic"] = "mse"
    momentum: float = Field(default=0.0, ge=0, lt=1)
    stop: float | None = Field(default=None, gt=0)
    clip: float | None = Field(default=None, gt=0)
    noise: Annotated[Noise, MemberOf(noises)] | None = None
    schedule: Literal["constant", "cosine"] = "constant"
    final: float = Field(default=1e-5, ge=0)

    def model_post_init(self, context: object) -> None:
        if self.momentum and self.optimiser != "sgd":
            raise InputError(
                f"momentum = {self.momentum:g} is a setting of the optimiser sgd; {self.optimiser} has its own, so "
                "leave it out."
            )
        if self.schedule == "cosine" and self.final > self.rate:
            raise InputError(
                f"final = {self.final:g} is the rate at the end of a cosine schedule and must be at most "
                f"rate = {self.rate:g}; lower it."
            )

    def rate_at(self, step: int) -> float:
        """The rate of step 0, 1, ..., as the schedule has it."""
        if self.schedule == "constant":
            return self.rate
        return self.final + 0.5 * (self.rate - self.final) * (1 + math.cos(math.pi * step / self.steps))
