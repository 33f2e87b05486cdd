"""The shape of what a model of a torus represents: DF1 to DF7 and DF23.

The probe is the block before the last one at the last step of sampling, one row for each label. Our notes measured
angles between components, where we measure principal angles, which do not depend on the choice of components. Every run
also holds the same quantities of three baselines: the true pictures as they are ("pixels"), the network before training
that is shown them ("untrained"), and the trained one that is ("true"); DX6 and DX7 judge what is there before training.
"""

from typing import ClassVar, Literal

import numpy as np

from recombine.measures import (
    circle_share,
    clifford_torus,
    ring_tests,
    ring_torus,
    torus_distances,
)
from recombine.papers.claims import Check, Range, Scale, Setting, setting
from recombine.papers.diffusion_factorize import canvases as c
from recombine.papers.diffusion_factorize.claiming import claim
from recombine.studies import Calculation, Computed, calculations


@calculations.register("ideal-torus")
class IdealTorus(Calculation):
    """The quantities of a probe, of an ideal torus: that of Clifford, or a ring in three dimensions."""

    quantities: ClassVar = {
        "torus_orthogonality.probe-clifford": "how far x-on-y angles are from those of the Clifford torus, in degrees",
        "torus_orthogonality.probe-ring": "how far they are from those of a torus of three dimensions",
        "torus_orthogonality.probe-nearer": "by how much the Clifford torus is nearer",
        "torus_parallelism.probe-clifford": "the same of x-on-x",
        "torus_parallelism.probe-ring": "the same of x-on-x",
        "torus_parallelism.probe-nearer": "the same of x-on-x",
        "ring_angle.probe-x-on-y": "median principal angle of x-on-y",
        "ring_angle.probe-x-on-x": "median principal angle of x-on-x",
        "ring_angle.probe-y-on-y": "median principal angle of y-on-y",
        "ring_residual.probe-x-on-x": "median share of a ring outside the plane of another of other x",
        "ring_residual.probe-y-on-y": "the same of other y",
        "circles.probe": "share of the first four principal components that is two circles",
    }

    torus: Literal["clifford", "ring"] = "clifford"
    side: int = 16

    def compute(self) -> Computed:
        made = clifford_torus(self.side, self.side) if self.torus == "clifford" else ring_torus(self.side, self.side)
        distances, tests = torus_distances(made), ring_tests(made)
        found = {"circles.probe": circle_share(made)}
        for name, pair in (("torus_orthogonality", "x-on-y"), ("torus_parallelism", "x-on-x")):
            clifford, ring = (distances[f"{pair} angles {ideal}"] for ideal in ("clifford", "ring"))
            found |= {f"{name}.probe-clifford": clifford, f"{name}.probe-ring": ring}
            found |= {f"{name}.probe-nearer": ring - clifford}
        for pair, test in tests.items():
            found |= {f"ring_angle.probe-{pair}": float(np.median(test.angles))}
            found |= {f"ring_residual.probe-{pair}": float(np.median(test.residuals))}
        return Computed({name: value for name, value in found.items() if name in self.quantities})


def ideal(torus: Literal["clifford", "ring"]) -> Setting:
    says = {"clifford": "The Clifford torus itself.", "ring": "A torus in three dimensions."}[torus]
    return setting(f"ideal_{torus}", says, lambda scale: IdealTorus(torus=torus, side=c.SIZES[scale].around))


clifford, ring = ideal("clifford"), ideal("ring")
START = ("the same network after a hundredth of the steps", {"main": c.torus_start})

# Planes in many dimensions are nearly orthogonal, also those of noise: what is judged must be circles, and drawn.
DRAWN = (
    Check("circles.probe", Range(low=0.6), "ours: noise has no circles"),
    Check("strict_accuracy.all", Range(low=0.8), "our notes: 0.95 to 0.97"),
)

TORI = (
    claim(
        "DF1",
        "Fig. 2b",
        "A model of bumps on a torus holds a torus: one component, two loops and one cavity stand out.",
        (
            Check("loops.probe-h2", Range(1.0, 1.0), "Fig. 2b: rank 1"),
            Check("loops.probe-h1", Range(2.0, 2.0), "Fig. 2b: rank 2"),
            Check("loops.probe-h0", Range(1.0, 1.0), "Fig. 2b: rank 1"),
            Check("loops.probe-h2-ratio", Range(low=2.0), "our notes: 4.3 to 5.8 times the next"),
            Check("loops.probe-h1-ratio", Range(low=1.2), "our notes: 1.3 to 1.9 times the next; ideal 1.85 and 4.1"),
        ),
        {"main": c.torus},
        START,
        least=Scale.QUICK,
    ),
    claim(
        "DF2",
        "Fig. 2c",
        "While accuracy rises, the effective dimension rises and falls again, to about 7.",
        (
            Check("participation_end.probe", Range(5.0, 9.0), "text: about 7, above 4; our notes: 7.6 and 7.7"),
            Check("participation_hump.probe", Range(low=0.1), "Fig. 2c: a hump; our notes: 8 to 11, then 7.6"),
            Check("participation_rise.probe", Range(low=0.05), "Fig. 2c: a hump, so a rise before"),
            Check("strict_accuracy.all", Range(low=0.8), "Fig. 2c: to convergence; our notes: 0.95 to 0.97"),
        ),
        {"main": c.torus},
        START,
    ),
    claim(
        "DF3",
        "Fig. 2d, B.2",
        "Four principal components stand out at the end, and take more of the variance than at the start.",
        (
            Check("spectral_gap.probe", Range(low=1.5), "Fig. 2d: a visible gap; our notes: 0.141 over 0.043"),
            Check("top_four_share.probe", Range(low=0.55), "our notes: 0.69 and 0.70"),
            Check("top_four_share.probe", Range(low=0.1), "Fig. 2d: it grows", of="main", minus="start"),
        ),
        {"main": c.torus, "start": c.torus_start},
        ("the start beside the end", {"main": c.torus_start, "start": c.torus}),
    ),
    claim(
        "DF4",
        "Fig. 2a, e-g",
        "Seen along four components the labels form two circles, as on a Clifford torus, and no cloud.",
        (Check("circles.probe", Range(low=0.8), "Fig. 2g: two clean circles; exact torus 1"),),
        {"main": c.torus},
        START,
    ),
    claim(
        "DF5",
        "Fig. 3, top",
        "Rings of x and rings of y lie in mostly orthogonal planes, as on the Clifford torus and not as in three "
        "dimensions.",
        (
            Check("torus_orthogonality.probe-nearer", Range(low=5.0), "our notes: 6.9 beside 18.5 (11.6 nearer)"),
            Check("ring_angle.probe-x-on-y", Range(low=70.0), "our notes: 84 degrees; Clifford 90, ring 45"),
            *DRAWN,
        ),
        {"main": c.torus},
        ("a torus in three dimensions", {"main": ring}),
    ),
    claim(
        "DF6",
        "Fig. 3, middle and bottom",
        "Rings of different x are far from parallel, and so are those of different y.",
        (
            Check("ring_angle.probe-x-on-x", Range(low=35.0), "our notes: 54 degrees; ideal tori 0"),
            Check("ring_angle.probe-y-on-y", Range(low=35.0), "our notes: 52 degrees; ideal tori 0"),
            Check("ring_residual.probe-x-on-x", Range(low=0.5), "our notes: 0.71; Clifford 0, ring 0.25"),
            *DRAWN,
        ),
        {"main": c.torus},
        ("a Clifford torus", {"main": clifford}),
    ),
    claim(
        "DF7",
        "Fig. 8",
        "Angles of x-on-y end nearer to the Clifford torus than to the ring, those of x-on-x do not come near it.",
        (
            Check("torus_orthogonality.probe-nearer", Range(low=0.0), "Fig. 8a: below; our notes: 11.6 nearer"),
            Check("torus_parallelism.probe-clifford", Range(low=10.0), "our notes: 26.1 degrees away"),
            Check("torus_parallelism.probe-nearer", Range(high=0.0), "our notes: 26.1 beside 15.0"),
            *DRAWN,
        ),
        {"main": c.torus},
        ("a Clifford torus", {"main": clifford}),
    ),
    claim(
        "DF23",
        "A.1, A.3",
        "The bottleneck carries less of the signal than the probe, and the probe holds labels alike half-way through "
        "the noise and at its end.",
        (
            Check("bottleneck_share", Range(high=0.5), "text: far less than the probe"),
            Check("step_similarity.500", Range(low=0.8), "text: barely depends on the step"),
        ),
        {"main": c.torus},
        START,
    ),
)  # fmt: skip
