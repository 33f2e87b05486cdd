"""What the claims of this paper share: the key, numbers of seeds, and short ways to write claims.

Only the abstract and parts of the released code could be read (our notes say which): ``place`` is "abstract", "code" or
"ours", and ranges come from what the code printed or from what was measured for our notes before this was written.
"""

from collections.abc import Mapping
from dataclasses import replace

from recombine.papers.claims import Average, Check, Claim, Control, Scale, Setting

KEY = "poisson-modularity"

# Medians need six seeds or more.
SEEDS = {Scale.QUICK: 5, Scale.LAPTOP: 12, Scale.PAPER: 6}
MORE_SEEDS = {**SEEDS, Scale.LAPTOP: 10, Scale.PAPER: 10}  # where medians are judged, and networks are larger
FEWER_SEEDS = {**SEEDS, Scale.LAPTOP: 5, Scale.PAPER: 5}  # of sweeps and searches over many networks

LAPTOP = Scale.LAPTOP
FACTORS = ("mse", "leak", "robustness", "before", "after")  # quantities that differ between seeds by factors


def claim(
    id: str,
    place: str,
    says: str,
    checks: tuple[Check, ...],
    settings: Mapping[str, Setting],
    control: tuple[str, Mapping[str, Setting]],
    seeds: Mapping[Scale, int] = SEEDS,
    least: Scale = LAPTOP,
    control_seeds: int = 5,
) -> Claim:
    """A claim whose errors, leaks and robustness are judged by their geometric means unless they say otherwise."""
    return Claim(
        id, KEY, place, says, tuple(map(_judged, checks)), settings, Control(*control, control_seeds), seeds, least
    )


def _judged(check: Check) -> Check:
    whole = check.quantity.partition(".")[0]
    by_factors = whole.endswith(FACTORS) or whole.startswith("noise_robustness")
    if check.average is not Average.MEAN or check.minus is not None or not by_factors:
        return check
    return replace(check, average=Average.GEOMETRIC)
