"""Does what training shows of a canvas hang together? Percolation beside the forecast of pictures.

Liang et al. (2024), section 3.3: what is shown at two places helps both when bumps there overlap. This tells whether
the places of a training set form one cluster, and whether held-out places are near it. It decides nothing.
"""

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from time import perf_counter
from typing import Any

import numpy as np

from recombine.core.seeds import stream
from recombine.core.shapes import Bool, Float
from recombine.data import Problem
from recombine.data.locating import Locate
from recombine.data.picture_task import PictureTask
from recombine.data.pictures import Bump, Picture
from recombine.theory import Forecast, Reason
from recombine.theory.percolation import Critical, Curve, clusters, critical, prefix_shares, reach

THRESHOLDS = (0.005, 0.05)  # overlaps above which places are joined: figures 6c and 14b of the paper
DENOMINATOR = 2  # the bumps of our tasks are exp(-r^2 / (2 sigma^2)), the paper's have a 4

DRAWS = 10  # random orders in which centres arrive on an empty canvas
COUNTS = 16  # numbers of centres at which the largest cluster is looked at
# Points anywhere in the plane, n per unit of area and joined when nearer than r, first hang together at this n r^2;
# small canvases and lattices stray from it, by less than these factors.
PLANE, LEAST, MOST = 1.436, 0.15, 3
FIRST = 10  # centres from which on is looked: alone, each is a tenth, and far from half
LAST = 16  # centres up to which is looked however wide the reach
ROUNDING = 1e-9  # pixels

ABOVE, ALWAYS, NEVER = "above critical", "from the first few on", "at no density"


@dataclass(frozen=True)
class Canvas:
    """Where centres of pictures can lie."""

    sides: tuple[float, float]  # of y and x, in pixels
    spacing: float | None  # of the lattice of centres; None: they lie anywhere
    periodic: bool

    @property
    def area(self) -> float:
        """In pixels."""
        return math.prod(self.sides)

    @property
    def period(self) -> tuple[float, float] | None:
        return self.sides if self.periodic else None

    def sites(self) -> Float[np.ndarray, "sites 2"] | None:
        """Every place of the lattice; None where centres lie anywhere."""
        if self.spacing is None:
            return None
        shape = [round(side / self.spacing) for side in self.sides]
        return np.indices(shape).reshape(2, -1).T * self.spacing


def with_percolation(found: Forecast, problem: Problem, seed: int = 0) -> Forecast:
    """The forecast with one more reason, and with the numbers behind it in ``details["percolation"]``.

    Nothing else is changed. Where there are no clusters to count the reason says why; pictures that no factor moves
    across a canvas (`rotated-digit`) leave the forecast as it is.
    """
    started = perf_counter()
    task = problem.task
    told = percolation(problem, seed)
    if told is None:
        why = None if isinstance(task, PictureTask) and not isinstance(task, Picture | Locate) else left_out(problem)
        return found if why is None else replace(found, reasons=(*found.reasons, why))
    return replace(
        found,
        reasons=(*found.reasons, percolation_reason(told)),
        details={**found.details, "percolation": told},
        seconds=found.seconds + perf_counter() - started,
    )


def left_out(problem: Problem) -> Reason:
    """Why there is no percolation of what this problem shows."""
    kind = problem.task.kind
    if bump_of(problem) is not None:
        why = "No example shows both factors, so that there are no centres to join"
    elif isinstance(problem.task, Picture):
        why = (
            f"Pictures of {kind} overlap however far apart their centres lie, as a stripe of one crosses a stripe of "
            "the other, so that there are no clusters of near ones"
        )
    else:
        why = f"Inputs of {kind} are numbers and no pictures that overlap where they are near"
    return Reason("percolation", f"{why}: percolation is left out.", {})


def bump_of(problem: Problem) -> Bump | None:
    """What draws the bumps that a problem shows, as answers or to be read; None where it shows none."""
    task = problem.task.drawn if isinstance(problem.task, Locate) else problem.task
    return task if isinstance(task, Bump) else None


def percolation(problem: Problem, seed: int = 0) -> dict[str, Any] | None:
    """How the training centres of one seed hang together, as JSON values; None without a centre, or without a bump.

    ``examples`` and ``density`` count the training examples that have both factors, per area of a pixel of the canvas
    (margin included, held-out part too). ``thresholds`` has for each overlap: the ``reach`` below which centres are
    joined, the ``largest_share`` of them in one cluster, the shares of each section ``within_reach`` of that cluster
    (the first of equally large ones), and the ``critical`` density from which on centres drawn at random from the whole
    canvas have half of them in one cluster, with its 95 % interval (``low``, ``high``). Where ``critical`` is None,
    ``random`` says whether they have so from the first few on, on a canvas too small for a critical density, or never.
    """
    task = bump_of(problem)
    if task is None:
        return None
    rows, columns = (float(side + 2 * task.margin) for side in task.image)
    spacing = None if problem.centres == "uniform" else problem.spacing or task.step
    canvas = Canvas((rows, columns), spacing, task.periodic)
    shown = problem.training_set(seed).positions
    # Cells begin half a step before their level. Beyond them, where a task has a pad, a factor counts as absent.
    begin = -task.margin - task.step / 2 - ROUNDING
    inside = (begin <= shown) & (shown < begin + np.array(canvas.sides))  # NaN is nowhere
    centres = shown[inside.all(axis=1)]
    if not len(centres):
        return None
    asked = problem.grid.values(problem.grid.combinations())
    return {
        "examples": len(centres),
        "density": len(centres) / canvas.area,
        "thresholds": [_at(threshold, task.sigma, canvas, centres, asked, problem) for threshold in THRESHOLDS],
    }


def _at(
    threshold: float, sigma: float, canvas: Canvas, centres: np.ndarray, asked: np.ndarray, problem: Problem
) -> dict[str, Any]:
    radius = reach(threshold, sigma, DENOMINATOR)
    labels = clusters(centres, radius, canvas.period)
    sizes = np.bincount(labels)
    near = _within(asked, centres[labels == sizes.argmax()], radius, canvas)
    return {
        "threshold": threshold,
        "reach": radius,
        "largest_share": float(sizes.max() / len(centres)),
        "within_reach": {name: float(near[mask].mean()) for name, mask in problem.parts.sections.items()},
        **_critical_numbers(takeover(canvas, radius)),
    }


def _critical_numbers(found: Critical | None) -> dict[str, Any]:
    # Without some of the draws, a crossing that has no interval lies before the first number of centres.
    if found is None or not math.isfinite(found.high):
        never = found is not None and found.density == math.inf
        return {"critical": None, "low": None, "high": None, "random": NEVER if never else ALWAYS}
    return {"critical": found.density, "low": max(0.0, found.low), "high": found.high, "random": ABOVE}


@lru_cache(maxsize=256)  # the problems of a sweep share their canvas
def takeover(canvas: Canvas, radius: float) -> Critical | None:
    """The density from which on half of the centres that arrive at random are in one cluster, on average over draws.

    On a square this is `theory.percolation.curve` with its `critical`. The first few centres are not looked at, since
    the largest cluster of two always has half. None: fewer than three fit.
    """
    sites = canvas.sites()
    reaches = max(canvas.sides) / radius
    # On a strip as narrow as the reach they arrive on a line, which hangs together once no gap is left.
    expected = max(PLANE * canvas.area / radius**2, reaches * math.log1p(reaches))
    enough = max(LAST, math.ceil(MOST * expected))
    most = enough if sites is None else min(enough, len(sites))
    if most < 3:
        return None
    fewest = min(max(FIRST, int(LEAST * expected)), most - 1)
    counts = np.unique(np.rint(np.geomspace(fewest, most, COUNTS)).astype(np.int64))
    shares = []
    for draw in range(DRAWS):
        rng = stream(draw, "percolation")
        points = rng.random((most, 2)) * canvas.sides if sites is None else rng.permutation(sites)[:most]
        shares.append(prefix_shares(points, counts, radius, canvas.period))
    return critical(Curve(counts / canvas.area, counts, np.stack(shares)))


def _within(
    asked: Float[np.ndarray, "items 2"], members: Float[np.ndarray, "members 2"], radius: float, canvas: Canvas
) -> Bool[np.ndarray, " items"]:
    """Which places are nearer than the radius to one of the members."""
    from scipy.spatial import cKDTree

    sides = np.array(canvas.sides) if canvas.periodic else None
    if sides is not None:
        asked, members = (np.mod(places, sides) for places in (asked, members))
        # A tiny negative number rounds up to the period itself, which is 0.
        asked, members = (np.where(places < sides, places, 0.0) for places in (asked, members))
    distance, _ = cKDTree(members, boxsize=sides).query(asked)
    return np.asarray(distance) < radius


def percolation_reason(told: dict[str, Any]) -> Reason:
    """The same in words, a sentence for each threshold."""
    parts, count = told["thresholds"], told["examples"]
    return Reason(
        "percolation",
        f"Training shows {count} centre{'s' * (count != 1)}, {told['density']:.3g} per pixel. "
        + " ".join(_sentence(part) for part in parts),
        {
            "examples": count,
            "density": told["density"],
            **{name: [part[name] for part in parts] for name in ("threshold", "reach", "largest_share", "critical")},
            "within_reach": [part["within_reach"]["ood"] for part in parts],
        },
    )


def _sentence(part: dict[str, Any]) -> str:
    reached, share = part["within_reach"]["ood"], part["largest_share"]
    held_out = {1.0: "all held-out centres are", 0.0: "no held-out centre is"}.get(
        reached, f"{reached:.1%} of the held-out centres are"
    )
    return (
        f"Joined where pictures overlap by more than {part['threshold']:g} (nearer than {part['reach']:.3g} pixels), "
        f"{_together(share)}, and {held_out} within reach of the largest cluster; {_random(part)}."
    )


def _together(share: float) -> str:
    if share == 1:
        return "they all hang together"
    if share >= 0.5:
        return f"most of them hang together ({share:.1%} in the largest cluster)"
    return f"they do not hang together ({share:.1%} in the largest cluster)"


def _random(part: dict[str, Any]) -> str:
    drawn = "centres drawn at random would mostly do so"
    if part["critical"] is not None:
        return f"{drawn} from {part['critical']:.3g} per pixel ({part['low']:.3g} to {part['high']:.3g}) on"
    small = part["random"] == ALWAYS
    return "the canvas is too small beside the pictures for a critical density: " * small + f"{drawn} {part['random']}"
