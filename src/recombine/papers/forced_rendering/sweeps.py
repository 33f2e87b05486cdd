"""Figures of the forced-rendering paper that arrange many settings: along a number, over a plane, or as a cloud."""

from recombine.papers.forced_rendering import settings as s
from recombine.papers.forced_rendering.claiming import KEY
from recombine.papers.sweeps import Sweep

SWEEPS = (
    Sweep(
        "ablations",
        KEY,
        "Right on what was shown, and right in the hole",
        "Fig. 3e",
        "ood_nmse",
        "nMSE on trained pairs",
        {
            "rendering, regularised": {0: s.rendering},
            "rendering, not regularised": {0: s.unregularised},
            "entropy term alone": {0: s.entropy_only},
            "variance term alone": {0: s.variance_only},
            "total variation": {0: s.total_variation},
            "shared along the stripe": {0: s.shared_stripes},
            "CNN": {0: s.hole},
            "MLP": {0: s.perceptron_converged},
        },
        kind="scatter",
    ),
    Sweep(
        "data-need",
        KEY,
        "Images needed for 90% of places within a pixel, against the size of the picture",
        "Fig. 4c",
        "need",
        "side N of the picture (pixels)",
        {
            "stripes and bumps, in the hole": {0: s.need_stripes},
            "stripes and bumps, outside the hole": {0: s.need_stripes_outside},
            "bumps alone, outside the hole": {0: s.need_bumps},
            "bumps alone, outside, whole picture": {0: s.need_bumps_picture},
            "stripes and bumps, in the hole, whole picture": {0: s.need_stripes_picture},
        },
        kind="scaling",
        value_label="smallest training set, pictures",
    ),
    Sweep(
        "stripes-and-bumps",
        KEY,
        "How many stripes and how many bumps",
        "Fig. 4b, extended",
        "ood_accuracy",
        "bumps shown",
        {f"{levels}": dict(row) for levels, row in s.PLANE.items()},
        kind="plane",
        series_label="stripes of each factor",
    ),
    Sweep(
        "depth",
        KEY,
        "Depth does not rescue",
        "code: depth sweeps",
        "interior_nmse",
        "hidden layers",
        {kind: dict(depths) for kind, depths in s.DEPTHS.items()},
    ),
    Sweep(
        "size-and-hole",
        KEY,
        "Size of the picture and share of the hole",
        "code: scaling_exps",
        "ood_nmse",
        "hole, as a share of the side",
        {f"{n}": dict(shares) for n, shares in s.SIZED.items()},
        kind="plane",
        series_label="side N of the picture (pixels)",
    ),
    Sweep(
        "code-width",
        KEY,
        "Wider input bumps",
        "code: wider codes",
        "ood_nmse",
        "variance of the input bump, as a multiple of the released one",
        {"CNN": dict(s.CODE_WIDTHS)},
    ),
)
