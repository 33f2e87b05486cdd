"""What the claims of the kernel theory share: the key, numbers of seeds, and a short way to write claims."""

from recombine.papers.claims import Check, Claim, Control, Range, Scale, Setting

KEY = "kernel-theory"
SEEDS = {Scale.QUICK: 3, Scale.LAPTOP: 5, Scale.PAPER: 10}
IMAGE_SEEDS = {**SEEDS, Scale.LAPTOP: 6}
SYMBOL_SEEDS = {**SEEDS, Scale.QUICK: 4, Scale.LAPTOP: 12}  # symbolic networks, which train together
MORE_SEEDS = {**SYMBOL_SEEDS, Scale.QUICK: 16, Scale.LAPTOP: 24}  # where a range is narrow
LARGER = Scale.LAPTOP

EXACT = Range(high=1e-10)
ROUNDING = "an identity; what is left is rounding"


def claim(
    id: str,
    place: str,
    says: str,
    checks: tuple[Check, ...],
    settings: dict[str, Setting],
    control: tuple[str, dict[str, Setting]],
    seeds: dict[Scale, int] = SEEDS,
    least: Scale = Scale.QUICK,
) -> Claim:
    return Claim(id, KEY, place, says, checks, settings, Control(*control), seeds, least)
