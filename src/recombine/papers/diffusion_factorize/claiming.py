"""What the claims of this paper share: the key, numbers of seeds, and a short way to write claims.

The paper gives few numbers in words ("text"); ranges come from those, from what a published figure shows in shape
("Fig."), or from single small runs that were made for our notes before this was written ("our notes").
"""

from collections.abc import Mapping
from dataclasses import replace

from recombine.papers.claims import BASELINES, Average, Check, Claim, Control, Range, Scale, Setting

KEY = "diffusion-factorize"
SEEDS = {Scale.QUICK: 3, Scale.LAPTOP: 5, Scale.PAPER: 3}
MANY = {Scale.QUICK: 3, Scale.LAPTOP: 10, Scale.PAPER: 3}  # where five left a check undecided
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
    """A claim that is asked from `laptop` on unless it says otherwise; ratios are judged by geometric means."""
    judged = tuple(each if each.over is None else replace(each, average=Average.GEOMETRIC) for each in checks)
    return Claim(id, KEY, place, says, judged, settings, Control(*control, 3), seeds, least)


def shape(
    quantity: str, expected: Range, source: str, of: str = "main", minus: str | None = None, over: str | None = None
) -> Check:
    """A check of a shape, with what pictures and an untrained network have of it."""
    return Check(quantity, expected, source, of, minus, over=over, baselines=tuple(BASELINES))
