"""How much: strengths of noise and penalties, numbers of examples, and what happens after training."""

from functools import partial

from recombine.papers.claims import Maker, Scale, Setting, setting
from recombine.papers.poisson_modularity.conditions import DECAY, QUICK, WA1, poisson, sines
from recombine.papers.poisson_modularity.forgetting import Forgetting
from recombine.papers.poisson_modularity.heads import DigitHeads
from recombine.papers.poisson_modularity.module_need import ModuleNeed
from recombine.studies import Work
from recombine.training import penalties
from recombine.training.noise import Noise
from recombine.training.penalties import Penalty

# Doses and amounts of data, at the quick size


def dose(name: str, *terms: Maker[Penalty], noise: Maker[Noise] | None = None, samples: int = 1000) -> Setting:
    return setting(
        f"dose_{name}",
        "Three sines, at one strength.",
        lambda scale: sines(QUICK, *terms, noise=noise, samples=samples),
    )


STRENGTHS = (1e-5, 1e-4, 1e-3, 1e-2)
WEAKER = STRENGTHS[:-1]  # of activity and L1: no claim asks for more of them
LEVELS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.4)
DOSES: dict[str, dict[float, Setting]] = {
    "Poisson-like noise": {c: dose(f"poisson_{c:g}", DECAY, noise=poisson(c)) for c in LEVELS},
    "additive noise": {c: dose(f"additive_{c:g}", DECAY, noise=poisson(c, 0.0)) for c in LEVELS},
    "weighted activity 1": {
        s: dose(f"wa1_{s:g}", DECAY, partial(penalties.weighted_activity, power=1.0, strength=s)) for s in STRENGTHS
    },
    "weighted activity 2": {
        s: dose(f"wa2_{s:g}", DECAY, partial(penalties.weighted_activity, strength=s)) for s in STRENGTHS
    },
    "activity": {s: dose(f"activity_{s:g}", DECAY, partial(penalties.activity, strength=s)) for s in WEAKER},
    "L1": {s: dose(f"l1_{s:g}", DECAY, partial(penalties.weights, power=1, strength=s)) for s in WEAKER},
    "L2 alone": {s: dose(f"l2_{s:g}", partial(penalties.weights, strength=s)) for s in STRENGTHS},
}
AMOUNTS = (64, 125, 250, 500, 1000)
PHASES: dict[float, dict[int, Setting]] = {
    level: {n: dose(f"noise_{level:g}_of_{n}", DECAY, noise=poisson(level), samples=n) for n in AMOUNTS}
    for level in (0.01, 0.05, 0.2)
}


# Calculations


def computed(name: str, says: str, quick: Maker[Work], laptop: Maker[Work], paper: Maker[Work]) -> Setting:
    makers = {Scale.QUICK: quick, Scale.LAPTOP: laptop, Scale.PAPER: paper}
    return setting(name, says, lambda scale: makers[scale]())


module_need = computed(
    "module_need", "Weighted activity: examples at which modules appear, for 2 to 5 functions.",
    partial(ModuleNeed, parts=(2, 3), samples=(16, 64, 256), steps=3_000), ModuleNeed,
    partial(ModuleNeed, parts=(2, 3, 4, 5, 6), steps=60_000),
)  # fmt: skip
# What a mask cuts stays cut, however long it trains.
built_in = partial(ModuleNeed, masked=True, steps=300)
module_need_masked = computed("module_need_masked", "The same with the modules built in.", built_in, built_in, built_in)


def forgetting(
    name: str, says: str, *terms: Maker[Penalty], noise: Maker[Noise] | None = None, modules: int = 1
) -> Setting:
    def make(scale: Scale) -> Work:
        made = sines(QUICK, *terms, noise=noise, modules=modules)
        return Forgetting(problem=made.problem, model=made.model, recipe=made.recipe)

    return setting(f"forgetting_{name}", says, make)


forgets_l2 = forgetting("l2", "Dense, weight penalty; then one function is replaced.", DECAY)
forgets_noisy = forgetting(
    "poisson", "Dense, trained with noise; then one function is replaced.", DECAY, noise=poisson()
)
forgets_wa1 = forgetting("wa1", "Dense, weighted activity; then one function is replaced.", DECAY, WA1)
forgets_masked = forgetting("masked", "Cut into modules; then one function is replaced.", DECAY, modules=QUICK.parts)

heads = computed(
    "digit_heads", "A head that reads several digits at once, with weighted activity.",
    partial(DigitHeads, frames=(2, 3), steps=400), DigitHeads,
    partial(DigitHeads, frames=(2, 3, 4, 5, 6, 7, 8), steps=16_000),
)  # fmt: skip
heads_plain = computed(
    "digit_heads_plain", "The same head without any penalty.",
    partial(DigitHeads, frames=(2, 3), steps=400, strength=0.0, decay=0.0),
    partial(DigitHeads, strength=0.0, decay=0.0),
    partial(DigitHeads, frames=(2, 3, 4, 5, 6, 7, 8), steps=16_000, strength=0.0, decay=0.0),
)  # fmt: skip
