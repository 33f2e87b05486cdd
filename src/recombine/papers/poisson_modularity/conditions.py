"""The networks, noise and penalties that the claims train, by name.

The reference setting is that of the released code: four sines on [-2, 2], 1,000 random points, three hidden layers of
32 leaky ReLU units, Adam, and a weight penalty of 1e-4 in every condition but ``none``; batches of 50 in place of 200,
which gives the same scores at a third of the cost (our notes, 9.2). `quick` has three sines, layers of 24 and 20,000
steps at a higher rate (our notes, 9.10); sweeps over many networks use that at every scale.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from recombine.data import Problem, tasks
from recombine.models import models
from recombine.papers.claims import Maker, Scale, Setting, setting
from recombine.splits import regions
from recombine.studies import Experiment
from recombine.training import Recipe, noises, penalties
from recombine.training.noise import Noise
from recombine.training.penalties import Penalty

ERRORS = ("id_mse", "ood_mse", "id_nmse", "ood_nmse")
CONNECTIONS = (
    "cross_talk", "path_modularity", "newman_q", "spectral_score", "in_block_share", "unit_selectivity", "alive_units",
    "alive_share", "jacobian_cross_talk",
)  # fmt: skip
DISTURBED = (
    "noise_robustness", "noise_robustness_additive", "shift_leak", "scale_leak", "pruned_shift_leak", "pruned_mse",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Size:
    """How large the sines are trained."""

    parts: int
    steps: int
    rate: float
    batch: int = 50

    @property
    def width(self) -> int:
        return 8 * self.parts


QUICK = Size(parts=3, steps=20_000, rate=3e-3)
SIZES = {
    Scale.QUICK: QUICK,
    Scale.LAPTOP: Size(parts=4, steps=50_000, rate=1e-3),
    Scale.PAPER: Size(parts=4, steps=50_000, rate=1e-3, batch=200),
}

DECAY = partial(penalties.weights, strength=1e-4)  # in every condition of the released code


def poisson(level: float = 0.05, exponent: float = 1.0) -> Maker[Noise]:
    """Noise on every hidden unit: exponent 0 additive, 1 Poisson-like, 2 multiplicative."""
    return partial(noises.activity, level=level, exponent=exponent)


def box(parts: int, samples: int = 1000, reveal: bool = True, **task: Any) -> Problem:
    """Functions side by side. Held out, or shown like the rest, is where two inputs or more are positive."""
    whole = tasks.parallel(parts=parts, **task)
    return Problem(
        whole, regions.several(count=2, low=whole.levels // 2), examples=samples, centres="uniform", reveal=reveal
    )


def sines(
    size: Size,
    *terms: Maker[Penalty],
    noise: Maker[Noise] | None = None,
    samples: int = 1000,
    reveal: bool = True,
    exhibits: tuple[str, ...] = (),
    task: Mapping[str, Any] | None = None,
    **model: Any,
) -> Experiment:
    """A network on the sines with these penalties, none other, and this noise."""
    return Experiment(
        problem=box(size.parts, samples, reveal, **(task or {})),
        model=models.feedforward(**{"widths": (size.width,) * 3, **model}),
        recipe=Recipe(
            steps=size.steps,
            batch=size.batch,
            optimiser="adam",
            rate=size.rate,
            decay=0.0,
            noise=noise and noise(),
            penalties=tuple(term() for term in terms),
        ),
        measures=(*ERRORS, *CONNECTIONS, *DISTURBED),
        exhibits=exhibits,
    )


def condition(name: str, says: str, *terms: Maker[Penalty], **more: Any) -> Setting:
    """A condition of the reference setting."""
    return setting(name, says, lambda scale: sines(SIZES[scale], *terms, exhibits=("weights",), **more))


WA1 = partial(penalties.weighted_activity, power=1.0)
WA2 = partial(penalties.weighted_activity, power=2.0)
ACTIVITY = partial(penalties.activity, power=2.0)
L1 = partial(penalties.weights, strength=1e-3, power=1)

none = condition("none", "Nothing but the error.")
l2 = condition("l2", "The weight penalty that every condition has.", DECAY)
noisy = condition("poisson_noise", "Poisson-like noise of size 0.05.", DECAY, noise=poisson())
additive = condition("additive_noise", "Additive noise of size 0.05.", DECAY, noise=poisson(exponent=0.0))
multiplicative = condition("multiplicative_noise", "Multiplicative noise, 0.05.", DECAY, noise=poisson(exponent=2.0))
wa1 = condition("weighted_activity_1", "Weighted activity of power 1, Poisson noise's penalty.", DECAY, WA1)
wa2 = condition("weighted_activity_2", "Weighted activity of power 2, the released default.", DECAY, WA2)
activity = condition("activity", "Squared activity.", DECAY, ACTIVITY)
l1 = condition("l1", "The sum of absolute weights.", DECAY, L1)
dropout = condition("dropout", "Dropout of a tenth.", DECAY, noise=partial(noises.dropout, rate=0.1))
activity_alone = condition("activity_alone", "Squared activity without the weight penalty.", ACTIVITY)
wa1_alone = condition("weighted_activity_alone", "Weighted activity without the weight penalty.", WA1)


def masked(name: str, says: str, *terms: Maker[Penalty], **more: Any) -> Setting:
    """The same network cut into a module for each function."""
    return setting(
        name, says,
        lambda scale: sines(
            SIZES[scale], *terms, exhibits=("weights",), modules=SIZES[scale].parts, **more
        ),
    )  # fmt: skip


modular = masked("masked", "Cut into modules by a mask, with the weight penalty.", DECAY)
modular_noisy = masked("masked_poisson", "Cut into modules, with Poisson-like noise.", DECAY, noise=poisson())
