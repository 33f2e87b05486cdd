"""The shape of what a model of a torus represents: DF1 to DF7 and DF23.

The probe is the block before the last one at the last step of sampling, one row for each label. Angles are those
between principal components of rings, as published; principal angles, which do not depend on the choice of components,
stand beside them. Every check of a shape carries the same quantity of three baselines: the true pictures as they are
("pixels"), the network before training that is shown them ("untrained"), and the trained one that is ("true"); DX6 and
DX7 judge what is there before training.
"""

from typing import ClassVar, Literal

import numpy as np

from recombine.core.shapes import Float
from recombine.measures import (
    circle_fit,
    clifford_torus,
    ring_tests,
    ring_torus,
    torus_distances,
)
from recombine.measures.torus_shape import beside_ideals
from recombine.papers.claims import Check, Range, Scale, Setting, setting
from recombine.papers.diffusion_factorize import canvases as c
from recombine.papers.diffusion_factorize.claiming import claim, shape
from recombine.studies import Calculation, Computed, calculations

PAIRS = ("x-on-y", "x-on-x", "y-on-y")
ENDS = {"clifford": "the Clifford torus", "ring": "a torus of three dimensions"}
OF_ANGLES = {"torus_orthogonality": "x-on-y", "torus_parallelism": "x-on-x", "torus_parallelism_y": "y-on-y"}
OF_RINGS = {
    "components": "angles of principal components, in degrees,",
    "residuals": "shares of rings outside each other's planes",
}


@calculations.register("ideal-shape")
class IdealShape(Calculation):
    """The quantities of a probe, of a known shape: the torus of Clifford, a ring in three dimensions, an open sheet.

    The sheet is (x, y, x², y², xy, sin 3x, sin 3y) for x and y from −1 to 1: bent, and closed in no direction.
    """

    quantities: ClassVar = {
        **{
            f"{name}.probe-{end}": f"how far principal angles of {pair} are from those of {words}, in degrees"
            for name, pair in OF_ANGLES.items()
            for end, words in ENDS.items()
        },
        **{
            f"{name}.probe-nearer": f"by how much the Clifford torus is nearer, {pair}"
            for name, pair in OF_ANGLES.items()
        },
        **{
            f"ring_distances.probe-{pair}-{quantity}-{end}": f"how far {words} are from those of {other}, {pair}"
            for pair in PAIRS
            for quantity, words in OF_RINGS.items()
            for end, other in ENDS.items()
        },
        **{
            f"ring_distances.probe-{pair}-{quantity}-nearer": f"by how much the Clifford torus is nearer, {pair}"
            for pair in PAIRS
            for quantity in OF_RINGS
        },
        **{f"ring_angle.probe-{pair}": f"median principal angle of {pair}" for pair in PAIRS},
        **{
            f"ring_residual.probe-{pair}": f"median share of a ring outside the plane of another, {pair}"
            for pair in PAIRS
        },
        "two_circles.probe": "how well a circle of x and one of y fit the first four principal components",
    }

    form: Literal["clifford", "ring", "sheet"] = "clifford"
    side: int = 16

    def compute(self) -> Computed:
        made = {"clifford": clifford_torus, "ring": ring_torus, "sheet": open_sheet}[self.form](self.side, self.side)
        distances, tests = torus_distances(made), ring_tests(made)
        found = {"two_circles.probe": circle_fit(made)}
        found |= {f"ring_distances.probe-{part}": value for part, value in beside_ideals(distances).items()}
        for name, pair in OF_ANGLES.items():
            clifford, ring = (distances[f"{pair} angles {end}"] for end in ENDS)
            found |= {f"{name}.probe-clifford": clifford, f"{name}.probe-ring": ring}
            found |= {f"{name}.probe-nearer": ring - clifford}
        for pair, test in tests.items():
            found |= {f"ring_angle.probe-{pair}": float(np.median(test.angles))}
            found |= {f"ring_residual.probe-{pair}": float(np.median(test.residuals))}
        return Computed(found)


def open_sheet(rows: int, columns: int) -> Float[np.ndarray, "rows columns 7"]:
    """A bent sheet with a border: its first four principal components hold waves of either factor, and no circle."""
    y, x = np.meshgrid(np.linspace(-1, 1, rows), np.linspace(-1, 1, columns), indexing="ij")
    return np.stack([x, y, x**2, y**2, x * y, np.sin(3 * x), np.sin(3 * y)], axis=-1)


def ideal(form: Literal["clifford", "ring", "sheet"]) -> Setting:
    says = {
        "clifford": "The Clifford torus itself.",
        "ring": "A torus in three dimensions.",
        "sheet": "A bent sheet with a border.",
    }[form]
    return setting(f"ideal_{form}", says, lambda scale: IdealShape(form=form, side=c.SIZES[scale].around))


clifford, ring, sheet = ideal("clifford"), ideal("ring"), ideal("sheet")
START = ("the same network after a hundredth of the steps", {"main": c.torus_start})

# Angles between principal components, by which the paper judges.
ON_Y, ON_X = (f"ring_distances.probe-{pair}-components" for pair in ("x-on-y", "x-on-x"))

# Planes in many dimensions are nearly orthogonal, also those of noise: what is judged must be circles, and drawn.
DRAWN = (
    shape("two_circles.probe", Range(low=0.6), "ours: noise has no circles"),
    Check("strict_accuracy.all", Range(low=0.8), "our notes: 0.95 to 0.97"),
)

TORI = (
    claim(
        "DF1",
        "Fig. 2b",
        "A model of bumps on a torus holds a torus: one component, two loops and one cavity stand out.",
        (
            shape("holes.probe-h2", Range(1.0, 1.0), "Fig. 2b: rank 1"),
            shape("holes.probe-h1", Range(2.0, 2.0), "Fig. 2b: rank 2"),
            shape("holes.probe-h0", Range(1.0, 1.0), "Fig. 2b: rank 1"),
            shape("holes.probe-h2-ratio", Range(low=2.0), "our notes: 4.3 to 5.8 times the next"),
            shape("holes.probe-h1-ratio", Range(low=1.2), "our notes: 1.3 to 1.9; ideal: Clifford 9.0, ring 1.76"),
            shape("holes.probe-torus", Range(low=0.8), "ours, written after these records: by most choices of points"),
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
            shape("participation_end.probe", Range(5.0, 9.0), "text: about 7, above 4; our notes: 7.6 and 7.7"),
            shape("participation_hump.probe", Range(low=0.1), "Fig. 2c: a hump; our notes: 8 to 11, then 7.6"),
            shape("participation_rise.probe", Range(low=0.05), "Fig. 2c: a hump, so a rise before"),
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
            shape("spectral_gap.probe", Range(low=1.5), "Fig. 2d: a visible gap; our notes: 0.141 over 0.043"),
            shape("top_four_share.probe", Range(low=0.55), "our notes: 0.69 and 0.70"),
            shape("top_four_share.probe", Range(low=0.1), "Fig. 2d: it grows", of="main", minus="start"),
        ),
        {"main": c.torus, "start": c.torus_start},
        ("the start beside the end", {"main": c.torus_start, "start": c.torus}),
    ),
    claim(
        "DF4",
        "Fig. 2a, e-g",
        "Seen along four components the labels form two circles, as on a Clifford torus, and no cloud.",
        (shape("two_circles.probe", Range(low=0.8), "Fig. 2g: two clean circles; exact torus 1"),),
        {"main": c.torus},
        ("a bent sheet with a border, whose labels run round nothing", {"main": sheet}),
    ),
    claim(
        "DF5",
        "Fig. 3, top",
        "Rings of x and rings of y lie in mostly orthogonal planes, as on the Clifford torus and not as in three "
        "dimensions.",
        (
            shape(f"{ON_Y}-nearer", Range(low=5.0), "our notes: 6.9 beside 18.5 (11.6 nearer)"),
            shape("ring_angle.probe-x-on-y", Range(low=70.0), "our notes: 84 degrees; Clifford 90, ring 45"),
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
            shape("ring_angle.probe-x-on-x", Range(low=35.0), "our notes: 54 degrees; ideal tori 0"),
            shape("ring_angle.probe-y-on-y", Range(low=35.0), "our notes: 52 degrees; ideal tori 0"),
            shape("ring_residual.probe-x-on-x", Range(low=0.5), "our notes: 0.71; Clifford 0, ring 0.25"),
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
            shape(f"{ON_Y}-nearer", Range(low=0.0), "Fig. 8a: below; our notes: 11.6 nearer"),
            shape(f"{ON_X}-clifford", Range(low=10.0), "our notes: 26.1 degrees away"),
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
