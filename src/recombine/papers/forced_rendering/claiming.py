"""What the claims of this paper share: the key, numbers of seeds, bounds, and short ways to write claim and control."""

from collections.abc import Mapping
from dataclasses import replace

from recombine.papers.claims import Average, Check, Claim, Control, Scale, Setting

KEY = "forced-rendering"

SEEDS = {Scale.QUICK: 4, Scale.LAPTOP: 5, Scale.PAPER: 5}
MORE_SEEDS = {**SEEDS, Scale.QUICK: 6, Scale.LAPTOP: 10}  # where the effect is close to its bound
FEWER_SEEDS = {**SEEDS, Scale.QUICK: 3}  # of networks that take long

RIGHT_PICTURE = "what a forecast calls composing; the picture must be right, not only its place"
FAILS = 0.5  # nMSE: half as bad as drawing nothing, or worse; a failure by any reading
LAPTOP = Scale.LAPTOP


def claim(
    id: str,
    place: str,
    says: str,
    checks: tuple[Check, ...],
    settings: Setting | Mapping[str, Setting],
    control: Control,
    seeds: Mapping[Scale, int] = SEEDS,
    least: Scale = Scale.QUICK,
) -> Claim:
    named = settings if isinstance(settings, Mapping) else {"main": settings}
    # Errors differ between seeds by factors, not by summands: their geometric mean is judged.
    judged = tuple(
        replace(c, average=Average.GEOMETRIC) if c.quantity.endswith("nmse") and c.minus is None else c for c in checks
    )
    return Claim(id, KEY, place, says, judged, named, control, seeds, least)


def control(says: str, setting: Setting, *others: str) -> Control:
    """The same setting in the place of the claim's own and of its others."""
    return Control(says, dict.fromkeys(("main", *others), setting))
