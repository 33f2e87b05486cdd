"""When pictures of bumps overlap, and when a lattice of them hangs together: computed, with nothing trained.

Section 3.3 and appendices A.5 and D. Widths are the paper's: the ink of a bump is exp(−r²/(4σ²)), and the overlap of
two ink pictures a and b is ‖√(ab)‖₂ / ‖a‖₂.
"""

from functools import cache
from itertools import product
from typing import Annotated, ClassVar, Literal, NamedTuple

import numpy as np
from pydantic import Field

from recombine.core.shapes import Float
from recombine.data import tasks
from recombine.studies import Calculation, Computed, calculations
from recombine.theory.percolation import Curve, critical, curve, overlap, reach

SIDE = 32
WIDTHS = tuple(round(0.1 * step, 1) for step in range(1, 11))
WIDE = 0.5  # the width from which on many pixels show a bump
SHIFTS = np.arange(81) / 20
HALF = slice(8, 13)  # shifts from 0.4 to 0.6
Threshold = Annotated[float, Field(gt=0, lt=1)]
THRESHOLD = 0.005  # the one that the paper finds to fit training best


def short(number: float) -> str:
    """A number as a part of a quantity's name, which has no dot: 0.3 is 03."""
    return f"{number:.1f}".replace(".", "")


def overlaps(sigma: float, shifts: Float[np.ndarray, " shifts"], phase: float = 0.0) -> Float[np.ndarray, " shifts"]:
    """The overlap of a bump that lies ``phase`` pixels beside a pixel with bumps further along one axis, as drawn.

    A bump is a product of two profiles, so that the overlap of bumps that differ in both axes is that of one axis times
    that of the other.
    """
    # The task has a 2 where the paper has a 4. Ink is far from the borders of twice the canvas.
    bump = tasks.bump(n=2 * SIDE, sigma=float(np.sqrt(2) * sigma))
    base, moved = (bump.profile(SIDE + phase + each, 2 * SIDE) for each in (np.zeros(1), shifts))
    return np.sqrt(moved @ base[0] / (base[0] @ base[0]))


class Neighbours(NamedTuple):
    """Places of a lattice, one pixel apart and each on a pixel, whose bumps overlap with that of one of them."""

    line: int  # along one axis
    plane: int
    reach: float  # distance of the nearest place that does not overlap


@cache
def neighbours(sigma: float, threshold: float) -> Neighbours:
    """The neighbours of a place in the middle of a lattice twice as wide as the canvas, by the overlap of drawings."""
    places = np.arange(SIDE)
    along = overlaps(sigma, places.astype(float))
    rows, columns = np.meshgrid(places, places, indexing="ij")
    joined, distance = along[:, None] * along > threshold, np.hypot(rows, columns)
    joined[0, 0] = True
    # A place on an axis stands for two, any other for four.
    times = np.where((rows > 0) & (columns > 0), 4, 2) * (distance > 0)
    nearest = distance.min(where=~joined, initial=2.0 * SIDE)
    return Neighbours(int(2 * joined[0, 1:].sum()), int((times * joined).sum()), float(nearest))


@calculations.register("bump-overlap")
class BumpOverlap(Calculation):
    """How much drawn bumps overlap that lie some pixels apart, beside the formula exp(−D²/(4 c σ²)) (DF14).

    One bump lies on a pixel or ``phase`` pixels beside it, the other at a distance from it along one axis.
    ``denominator`` is the c of the formula alone: bumps are drawn with 4.
    """

    quantities: ClassVar = {
        "deviation_wide": f"largest |drawn − formula| of bumps on a pixel with a width of {WIDE} or more",
        "deviation_narrow": "the same of narrower ones",
        "rise_on_pixel": "largest step upwards with distance of bumps on a pixel; 0: all curves decrease",
        "rise_beside": "the same of bumps beside a pixel",
        "neighbour_slope": f"slope of log neighbours over log width, from {WIDE} on; 1 is linear, 2 an area",
        "line_slope": "the same of the neighbours along one axis",
        **{f"near_half_{short(width)}": "largest overlap about half a pixel away, beside a pixel" for width in WIDTHS},
        **{
            f"neighbours_{short(width)}": "places of the unit lattice that overlap with one of them" for width in WIDTHS
        },
        **{f"line_{short(width)}": "such places along one axis" for width in WIDTHS},
    }

    phase: float = Field(default=0.5, ge=0, le=0.5)
    denominator: float = Field(default=4.0, gt=0)
    threshold: Threshold = THRESHOLD

    def compute(self) -> Computed:
        on_pixel = np.stack([overlaps(width, SHIFTS) for width in WIDTHS])
        beside = np.stack([overlaps(width, SHIFTS, self.phase) for width in WIDTHS])
        formula = np.array([[overlap(float(shift), width, self.denominator) for shift in SHIFTS] for width in WIDTHS])
        counts = np.array([neighbours(width, self.threshold)[:2] for width in WIDTHS])
        wide = np.array(WIDTHS) >= WIDE
        away = np.abs(on_pixel - formula).max(axis=1)
        near_half = beside[:, HALF].max(axis=1)
        measures = {
            "deviation_wide": away[wide].max(),
            "deviation_narrow": away[~wide].max(),
            "rise_on_pixel": max(0.0, np.diff(on_pixel, axis=1).max()),
            "rise_beside": max(0.0, np.diff(beside, axis=1).max()),
            "line_slope": _slope(np.array(WIDTHS)[wide], counts[wide, 0]),
            "neighbour_slope": _slope(np.array(WIDTHS)[wide], counts[wide, 1]),
        }
        for width, near, (line, plane) in zip(WIDTHS, near_half, counts, strict=True):
            measures |= {f"near_half_{short(width)}": near, f"neighbours_{short(width)}": plane}
            measures |= {f"line_{short(width)}": line}
        arrays = {
            "widths": np.array(WIDTHS),
            "distances": SHIFTS,
            "on_pixel": on_pixel.astype(np.float32),
            "beside": beside.astype(np.float32),
            "formula": formula.astype(np.float32),
            "neighbours": counts[:, 1],
            "line": counts[:, 0],
        }
        return Computed({name: float(value) for name, value in measures.items()}, arrays)

    def expected_seconds(self) -> float:
        return 0.1


def _slope(widths: np.ndarray, counts: np.ndarray) -> float:
    """The slope in logarithms; 0 where a count is 0, which has none."""
    return float(np.polyfit(np.log(widths), np.log(counts), 1)[0]) if counts.all() else 0.0


PERCOLATING = (0.1, 0.2, 0.3, 0.5, 1.0)  # widths
SHARES = tuple(round(0.1 * step, 1) for step in range(1, 11))  # of the lattice: the paper's lambda
# Wide bumps hang together when few places are filled, so that steps are finer there.
FINE = tuple(round(float(share), 3) for share in (*np.arange(0.005, 0.1, 0.005), *np.arange(0.1, 1.001, 0.025)))


@calculations.register("lattice-percolation")
class LatticePercolation(Calculation):
    """The largest cluster of bumps on a random part of a 32 x 32 lattice, joined when they overlap enough (DF15).

    Places fill up in one random order for all widths and thresholds, ``draws`` times. ``joined`` by the overlap of
    drawn bumps or by its formula, which for narrow bumps is larger. Shares and where they cross one half are those of
    the first of the ``thresholds``.
    """

    exact: ClassVar[bool] = False
    quantities: ClassVar = {
        **{
            f"share_{short(width)}_{short(share)}": "mean share of the largest cluster: width, part of the lattice"
            for width, share in product(PERCOLATING, SHARES)
        },
        **{
            f"critical_{short(width)}": "part of the lattice from which on it has half: 0 all along, 1 never"
            for width in PERCOLATING
        },
        **{f"delay_{short(width)}": "how much larger that part is at the second threshold" for width in PERCOLATING},
        "threshold_delay": "how much larger it is at the last threshold than at the first, mean over widths",
        "width_gain": "how much smaller it is for a width than for the one before, least over widths",
    }

    thresholds: tuple[Threshold, ...] = Field(default=(THRESHOLD, 0.05, 0.5), min_length=2)
    draws: int = Field(default=5, ge=1)
    joined: Literal["pictures", "formula"] = "pictures"

    def compute(self) -> Computed:
        pairs = list(product(self.thresholds, PERCOLATING))
        radii = [self._radius(threshold, width) for threshold, width in pairs]
        # Several widths and thresholds join the same neighbours.
        curves = {radius: self._curve(radius) for radius in set(radii)}
        shape = (len(self.thresholds), len(PERCOLATING))
        crossings = np.array([critical(curves[radius]).density for radius in radii]).clip(0, 1).reshape(shape)
        means = np.array([curves[radius].mean for radius in radii]).reshape(*shape, -1)
        measures = {
            "threshold_delay": (crossings[-1] - crossings[0]).mean(),
            "width_gain": -np.diff(crossings[0]).max(),
        }
        for place, width in enumerate(PERCOLATING):
            measures |= {f"share_{short(width)}_{short(share)}": means[0, place, FINE.index(share)] for share in SHARES}
            measures[f"critical_{short(width)}"] = crossings[0, place]
            measures[f"delay_{short(width)}"] = crossings[1, place] - crossings[0, place]
        arrays = {
            "widths": np.array(PERCOLATING),
            "thresholds": np.array(self.thresholds),
            "parts": np.array(FINE),
            "shares": means.astype(np.float32),
            "critical": crossings,
            "radii": np.array(radii).reshape(shape),
        }
        return Computed({name: float(value) for name, value in measures.items()}, arrays)

    def _radius(self, threshold: float, width: float) -> float:
        return reach(threshold, width) if self.joined == "formula" else neighbours(width, threshold).reach

    def _curve(self, radius: float) -> Curve:
        first = self.seed * self.draws
        return curve(FINE, SIDE, radius, seeds=range(first, first + self.draws), spacing=1)

    def expected_seconds(self) -> float:
        return 2.0
