"""Which combinations are trained on and which are held out; the algebra of held-out regions.

Every registered kind of region is an attribute: ``splits.block(x=(6, 23), y=(6, 23))``.
"""

from collections.abc import Callable

from recombine.core.errors import unknown

# Importing a module registers its kinds. No module is called like a kind, which would hide it.
from recombine.splits import anchored, boxes, designs, lines, listed, sampled  # noqa: F401
from recombine.splits.certificate import Certificate, Touching, certificate, split_digest, touching_training
from recombine.splits.distance import distance_to_training
from recombine.splits.drawing import draw, text
from recombine.splits.parse import parse_region
from recombine.splits.region import Mask, Member, Region, regions
from recombine.splits.split import Split, make_split
from recombine.splits.support import Support, supports
from recombine.splits.unseen import Extrapolation, unseen_levels

__all__ = [
    "Certificate",
    "Extrapolation",
    "Mask",
    "Member",
    "Region",
    "Split",
    "Support",
    "Touching",
    "certificate",
    "distance_to_training",
    "draw",
    "make_split",
    "parse_region",
    "regions",
    "split_digest",
    "supports",
    "text",
    "touching_training",
    "unseen_levels",
]


def __getattr__(name: str) -> Callable[..., Region]:
    """The kind called ``name``, an underscore standing for a hyphen."""
    kind = name.replace("_", "-")
    if kind not in regions:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}: {unknown('split', kind, regions)}")
    return regions[kind]


def __dir__() -> list[str]:
    return sorted({*globals(), *(kind.replace("-", "_") for kind in regions)})
