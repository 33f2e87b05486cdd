"""Figure 4c: how much data is needed, with stripes and without."""

from typing import Any

from recombine.papers.claims import Scale, Setting, setting
from recombine.papers.forced_rendering.data_need import DataNeed
from recombine.papers.forced_rendering.settings.building import LAPTOP, PAPER, QUICK
from recombine.studies import Work


def need(name: str, says: str, **settings: Any) -> Setting:
    """How much data is needed, by size of picture."""

    def made(scale: Scale) -> Work:
        sizes, rest = {
            QUICK: ((8, 12), {"steps": 300}),
            LAPTOP: ((8, 12, 16, 20, 24), {}),
            PAPER: ((12, 16, 20, 24, 28, 32), {"width": 64, "steps": 3150}),
        }[scale]
        return DataNeed(**{"sizes": sizes, **rest, **settings})

    return setting(name, says, made)


need_bumps = need("need_bumps", "Bumps alone, until new places outside the corner are drawn right.")
need_stripes = need("need_stripes", "Stripes and bumps, until places in the corner are.", stripes=True, where="hole")
need_stripes_outside = need("need_stripes_outside", "Stripes and bumps, until new places outside are.", stripes=True)
need_bumps_picture = need("need_bumps_picture", "Bumps alone, until new pictures outside are right.", goal="picture")
need_stripes_picture = need(
    "need_stripes_picture", "Stripes and bumps, until pictures in the corner are right.",
    stripes=True, where="hole", goal="picture",
)  # fmt: skip
need_in_hole = need("need_in_hole", "Bumps alone, until places in the corner are drawn right.", where="hole")
need_in_hole_picture = need(
    "need_in_hole_picture", "Bumps alone, until pictures in the corner are right.", where="hole", goal="picture"
)
