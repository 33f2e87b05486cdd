"""How a model is trained: numbers only, so that recipes can be swept."""

import math
from typing import Annotated, Literal

from pydantic import Field, field_validator

from recombine.core.errors import InputError
from recombine.core.spec import MemberOf, Spec
from recombine.training.noise import Noise, noises
from recombine.training.penalties import Penalty
from recombine.training.penalties import penalties as known

WARM_UP = 0.3  # share of the steps of a cycle over which the rate rises


class Recipe(Spec):
    """A loss, plus penalties, lowered by an optimiser for a number of steps.

    ``mse`` is the mean squared error over all pixels, ``mse-l1`` the same plus a tenth of the mean absolute error,
    ``logistic`` the mean of log(1 + exp(-y f)) for classes y of -1 and 1. A gradient whose Euclidean length over all
    parameters exceeds ``clip`` is shortened to it. Batches are cut from a stream of shuffled epochs, so every example
    is shown once before any is shown again and every batch is full; a batch of ``all`` is the whole training set at
    every step. ``lone`` is the share of a batch that shows a factor alone, where the training set has such examples and
    others; without it examples come as often as each other. With ``schedule: cosine`` the rate falls from ``rate`` at
    the first step to ``final`` after the last, along half a wave; with ``one-cycle`` it first rises from a 25th of
    ``rate`` over three tenths of the steps, then falls to a 10,000th of where it began, both along half a wave. ``ema``
    is the share of a running mean of the weights that is kept at every step; the mean is what training leaves. Training
    ends early at the first of a hundred or so glances at which the loss is at or below ``stop``. The defaults are the
    released ones of Liang et al. (2025).
    """

    steps: int = Field(default=3000, ge=1)
    batch: Annotated[int, Field(ge=1, le=1_000_000)] | Literal["all"] = 32
    optimiser: Literal["adamw", "adam", "sgd"] = "adamw"
    rate: float = Field(default=1e-3, gt=0)
    decay: float = Field(default=0.01, ge=0)
    penalties: tuple[Annotated[Penalty, MemberOf(known)], ...] = ()
    loss: Literal["mse", "mse-l1", "logistic"] = "mse"
    momentum: float = Field(default=0.0, ge=0, lt=1)
    stop: float | None = Field(default=None, gt=0)
    clip: float | None = Field(default=None, gt=0)
    noise: Annotated[Noise, MemberOf(noises)] | None = None
    schedule: Literal["constant", "cosine", "one-cycle"] = "constant"
    final: float = Field(default=1e-5, ge=0)
    ema: float | None = Field(default=None, gt=0, lt=1)
    lone: float | None = Field(default=None, gt=0, lt=1)

    @field_validator("penalties", mode="before")
    @classmethod
    def _single(cls, given: object) -> object:
        """One penalty need not stand in a list: ``penalties=weights``."""
        return given if isinstance(given, list | tuple) else (given,)

    def model_post_init(self, context: object) -> None:
        if self.momentum and self.optimiser != "sgd":
            raise InputError(
                f"momentum = {self.momentum:g} is a setting of the optimiser sgd; {self.optimiser} has its own, so "
                "leave it out."
            )
        if self.lone is not None and self.batch == "all":
            raise InputError(
                f"lone = {self.lone:g} is the share of a batch that shows a factor alone, and a batch of all examples "
                "has the share that they have; give batch a number, or leave lone out."
            )
        if self.lone is not None and self.batch != "all" and not 0 < self.lone_of_batch < self.batch:
            raise InputError(
                f"lone = {self.lone:g} of a batch of {self.batch} is {self.lone_of_batch}, and a batch must have lone "
                "factors and others; enlarge batch, or give lone a share nearer to a half."
            )
        if self.schedule == "cosine" and self.final > self.rate:
            raise InputError(
                f"final = {self.final:g} is the rate at the end of a cosine schedule and must be at most "
                f"rate = {self.rate:g}; lower it."
            )

    @property
    def lone_of_batch(self) -> int:
        """How many examples of a batch show a factor alone, where ``lone`` says so."""
        return round((self.lone or 0.0) * (0 if self.batch == "all" else self.batch))

    def rate_at(self, step: int) -> float:
        """The rate of step 0, 1, ..., as the schedule has it."""
        if self.schedule == "constant":
            return self.rate
        if self.schedule == "cosine":
            return between(self.rate, self.final, step / self.steps)
        # Smith & Topin (2018), with the numbers that torch.optim.lr_scheduler.OneCycleLR has unless told otherwise.
        first, top = self.rate / 25, WARM_UP * self.steps - 1
        if step <= top:
            return between(first, self.rate, step / top)
        return between(self.rate, first / 1e4, (step - top) / (self.steps - 1 - top))


def between(start: float, end: float, share: float) -> float:
    """Along half a cosine wave from ``start`` to ``end``."""
    return end + 0.5 * (start - end) * (1 + math.cos(math.pi * share))
