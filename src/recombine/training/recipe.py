"""How a model is trained: numbers only, so that recipes can be swept."""

from typing import Annotated, Literal

from pydantic import Field

from recombine.core.spec import MemberOf, Spec
from recombine.training.penalties import Penalty
from recombine.training.penalties import penalties as known


class Recipe(Spec):
    """Mean squared error over all pixels, plus penalties, by an Adam-like optimiser for a number of steps.

    Batches are cut from a stream of shuffled epochs, so every example is shown once before any is shown again
    and every batch is full. The defaults are the released ones of Liang et al. (2025).
    """

    steps: int = Field(default=3000, ge=1)
    batch: int = Field(default=32, ge=1)
    optimiser: Literal["adamw", "adam", "sgd"] = "adamw"
    rate: float = Field(default=1e-3, gt=0)
    decay: float = Field(default=0.01, ge=0)
    penalties: tuple[Annotated[Penalty, MemberOf(known)], ...] = ()
