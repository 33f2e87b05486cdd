"""Figure 4: stripes."""

from functools import cache
from typing import Any

from recombine.papers.claims import Scale, Setting, setting
from recombine.papers.forced_rendering.settings.building import (
    ANSWERS,
    BUDGET,
    BUMPS,
    BY_DEPTH,
    GEOMETRY,
    LAPTOP,
    PAPER,
    PERFORMANCE,
    QUICK,
    SMALL,
    STRIPES,
    TUNING,
    corner,
    decoder,
)
from recombine.studies import Experiment


@cache
def quarter(scale: Scale, **changes: Any) -> Experiment:
    """The same CNN with the upper corner held out; every other bump is shown, and no stripe."""
    n, steps = {QUICK: (16, 1500), LAPTOP: (20, 2000), PAPER: (28, 3150)}[scale]
    looked_at = (*PERFORMANCE, *ANSWERS, *GEOMETRY, *BY_DEPTH, *TUNING)
    return decoder(corner(n, **changes), scale, steps, measures=looked_at, exhibits=("activations", "tuning", "volume"))


@cache
def stripes(scale: Scale) -> Experiment:
    """2N lone stripes and 50 bumps outside the corner."""
    return quarter(scale, isolated=STRIPES, examples=BUMPS)


@cache
def few_bumps(scale: Scale) -> Experiment:
    """The same 50 bumps without stripes."""
    return quarter(scale, examples=BUMPS)


@cache
def many_bumps(scale: Scale) -> Experiment:
    """2N lone stripes and 7N bumps, the budget of Fig. 4c."""
    return quarter(scale, isolated=STRIPES, examples=BUDGET[scale])


@cache
def many_bumps_alone(scale: Scale) -> Experiment:
    """7N bumps without stripes."""
    return quarter(scale, examples=BUDGET[scale])


def amount(levels: int, bumps: int, factors: tuple[str, ...] = STRIPES) -> Setting:
    """A corner of small pictures with stripes of some levels of these factors and some bumps."""
    alone = {"isolated": factors, "isolated_levels": levels} if levels else {}
    of = "each factor" if factors == STRIPES else f"{factors[0]} only"
    return setting(
        f"stripes_{levels}_{''.join(factors)}_bumps_{bumps}",
        f"{levels} stripes of {of} and {bumps} bumps.",
        lambda scale: decoder(corner(SMALL, examples=bumps, **alone), scale, 1000),
    )


STRIPE_COUNTS, BUMP_COUNTS = (0, 4, 8, 16), (10, 50, 150)
PLANE: dict[int, dict[int, Setting]] = {
    levels: {bumps: amount(levels, bumps) for bumps in BUMP_COUNTS} for levels in STRIPE_COUNTS
}
only_x = amount(SMALL, BUMPS, ("x",))
