"""What the claims of this paper share: the key, numbers of seeds, and a short way to write claims.

Ranges come from the published table and the per-seed numbers released with it ("Table 1", "released"), or from small
runs that were made for our notes before this was written ("our notes").
"""

from collections.abc import Mapping
from dataclasses import replace

from recombine.papers.claims import Average, Check, Claim, Control, Scale, Setting

KEY = "first-principles"
SEEDS = {Scale.QUICK: 3, Scale.LAPTOP: 5, Scale.PAPER: 5}
LAPTOP = Scale.LAPTOP


def claim(
    id: str,
    place: str,
    says: str,
    checks: tuple[Check, ...],
    settings: Mapping[str, Setting],
    control: tuple[str, Mapping[str, Setting]],
    least: Scale = LAPTOP,
    seeds: Mapping[Scale, int] = SEEDS,
) -> Claim:
    """A claim whose errors and their ratios are judged by geometric means unless they say otherwise."""
    return Claim(id, KEY, place, says, tuple(map(_judged, checks)), settings, Control(*control, 3), seeds, least)


def _judged(check: Check) -> Check:
    whole = check.quantity.partition(".")[0]
    by_factors = whole.endswith(("mse", "ratio", "error")) and check.minus is None
    return replace(check, average=Average.GEOMETRIC) if by_factors and check.average is Average.MEAN else check
