"""The pictures, training sets and networks that the claims train, by name.

At `paper` scale all is as published where it is said: 32 x 32 pixels, sigma 1, centres every tenth of a pixel, six
pixels beyond the border, the published UNet; the cross takes seven cells of a pixel, [12.5, 19.5] in labels from 1 to
32, where the paper has [13, 19]. At `laptop` pictures have 16 x 16 pixels, sigma is 0.7 (1 on the torus), centres lie
every quarter of a pixel, the cross takes 4 of 16 labels and the network is the light one; lattices have 8 x 8 places.
At `quick` pictures have 8 x 8 pixels (16 x 16 on the torus), and the cross takes 2 of 8. What is claimed is about which
values and combinations are shown, and a stripe stays narrow beside what is held out. Every model of a comparison takes
the same number of steps with batches of the same size.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import sqrt
from typing import Any

from recombine.data import Problem, Task, tasks
from recombine.models import models
from recombine.papers.claims import Scale, Setting, setting
from recombine.splits import Region, regions
from recombine.studies import Experiment, change
from recombine.training import Recipe

MEASURES = (
    "id_nmse", "ood_nmse", "darkest_accuracy", "strict_accuracy", "centroid_accuracy", "marginal_accuracy",
    "near_accuracy", "drawn_status", "crossing_ink", "halo_ink", "stripe_ink", "place_error", "participation",
    "denoising_error",
)  # fmt: skip
SHAPES = (
    "holes", "torus_orthogonality", "torus_parallelism", "torus_parallelism_y", "ring_angle", "ring_residual",
    "ring_distances", "top_four_share", "spectral_gap", "two_circles", "bottleneck_share", "step_similarity",
)  # fmt: skip
COURSE = ("participation_peak", "participation_end", "participation_hump", "participation_rise")


@dataclass(frozen=True, slots=True)
class Size:
    """How large pictures and networks are, and how long is trained. Sigmas are the paper's."""

    n: int
    sigma: float
    pad: int
    cross: tuple[int, int]
    steps: int
    spacing: float = 0.25
    batch: int = 64
    rate: float = 8e-3
    round: float = 1.0  # sigma on the torus
    around: int = 16  # pixels along each side of the torus
    checkpoints: int = 20  # on the torus
    pairs: int = 16
    model: Mapping[str, Any] = field(default_factory=lambda: {"kind": "diffusion"})
    short: float = 0.5  # share of the steps where many networks are trained
    squares: Mapping[str, Any] = field(default_factory=lambda: {"share": 0.5})  # the same around a square
    lattice: int = 8  # pixels along each side of a lattice of places
    long: float = 0.4  # share of the steps on a lattice: narrow bumps are few pixels to learn from


SIZES = {
    Scale.QUICK: Size(8, 0.5, 3, (3, 5), steps=1500, spacing=0.5, checkpoints=0),
    Scale.LAPTOP: Size(16, 0.7, 4, (6, 10), steps=4000, squares={"share": 1.25, "batch": 32}, long=2.5),
    Scale.PAPER: Size(
        32,
        1.0,
        6,
        (12, 19),
        steps=160_000,
        spacing=0.1,
        around=32,
        batch=128,
        rate=3e-4,
        pairs=128,
        model={"kind": "diffusion-unet"},
        short=1.0,
        squares={"share": 1.0},
        lattice=32,
    ),
}


def nothing() -> Region:
    """Held out in name only, where everything is revealed."""
    return regions.block(x=(0, 1), y=(0, 1))


def code(scale: Scale, **more: Any) -> dict[str, Any]:
    """Sines and cosines of a centre, not closed on a ring, as published."""
    return {"kind": "sinusoidal", "pairs": SIZES[scale].pairs, "raw": True, **more}


def canvas(scale: Scale, kind: str, sigma: float | None = None, **more: Any) -> Task:
    """A task of dark pictures; ``sigma`` is the paper's, which stands in exp(-d^2 / (4 sigma^2))."""
    size = SIZES[scale]
    wide = sqrt(2) * (size.sigma if sigma is None else sigma)
    padded = {} if kind == "torus" else {"dark": True, "stripe_ink": 0.5, "pad": size.pad}
    n = size.around if kind == "torus" else size.n
    return tasks.parse({"kind": kind, "n": n, "sigma": wide, "encoding": code(scale), **padded, **more})


def drawn(
    scale: Scale,
    problem: Problem,
    share: float = 1.0,
    model: Mapping[str, Any] | None = None,
    measures: tuple[str, ...] = MEASURES,
    exhibits: tuple[str, ...] = (),
    checkpoints: int = 0,
    batch: int | None = None,
) -> Experiment:
    """A diffusion model trained on a problem for ``share`` of the usual steps."""
    size = SIZES[scale]
    return Experiment(
        problem=problem,
        model=models.parse({**size.model, **(model or {})}),
        recipe=Recipe(steps=round(share * size.steps), batch=batch or size.batch, rate=size.rate, schedule="one-cycle"),
        measures=measures,
        exhibits=exhibits,
        checkpoints=checkpoints,
    )


def cross(scale: Scale, aside: int = 0) -> Region:
    low, high = SIZES[scale].cross
    moved = min(aside, low - 1)  # the smallest pictures have less room
    return regions.cross(x=(low - moved, high - moved), y=(low - moved, high - moved))


def crossed(
    scale: Scale,
    kind: str = "sum-of-stripes",
    stripes: bool = False,
    rim: bool = False,
    whole: float = 1.0,
    reveal: bool = False,
    task: Mapping[str, Any] | None = None,
    spacing: float | None = None,
    aside: int = 0,
    **more: Any,
) -> Experiment:
    """The cross held out; ``stripes`` shows lone stripes, ``whole`` is the share of the rest that is shown.

    ``aside`` moves the cross so many pixels towards the top left.
    """
    size = SIZES[scale]
    held_out = cross(scale, aside)
    region = held_out if stripes else regions.extrapolation(of=held_out)
    problem = Problem(
        canvas(scale, kind, **(task or {})),
        region,
        isolated=("y", "x") if stripes else (),
        rim=rim,
        spacing=spacing or size.spacing,
        reveal=reveal,
    )
    if whole < 1:
        problem = change(problem, examples=round(whole * problem.most_examples))
    return drawn(scale, problem, **more)


def named(name: str, says: str, **settings: Any) -> Setting:
    """A setting with the cross held out."""
    return setting(name, says, lambda scale: crossed(scale, **settings))


# Sums of stripes (Fig. 4, 10)
sums = named("sums", "Sums of stripes outside the cross.")
sums_aside = named("sums_aside", "Sums of stripes outside a cross that lies away from the middle.", aside=4)
sums_revealed = named("sums_revealed", "Sums of stripes, the cross shown too.", reveal=True)
sums_and_stripes = named("sums_and_stripes", "Sums outside the cross, and lone stripes.", stripes=True, rim=True)
stripes = named("stripes", "Lone stripes only.", stripes=True, whole=0.0)
stripes_rim = named("stripes_rim", "Lone stripes, and crossings half beyond the border.", stripes=True, whole=0.0,
                    rim=True)  # fmt: skip

# Bumps (Fig. 4g, 9)
bumps = named("bumps", "Bumps outside the cross.", kind="bump")
bumps_and_stripes = named("bumps_and_stripes", "Bumps outside the cross, and lone stripes.", kind="bump", stripes=True)
few_bumps_and_stripes = named("few_bumps_and_stripes", "A fifth of these bumps, and lone stripes.", kind="bump",
                              stripes=True, whole=0.2)  # fmt: skip
few_bumps = named("few_bumps", "A fifth of the bumps outside the cross.", kind="bump", whole=0.2)
stripes_for_bumps = named("stripes_for_bumps", "Lone stripes only, asked for bumps.", kind="bump", stripes=True,
                          whole=0.0)  # fmt: skip
bumps_revealed = named("bumps_revealed", "Bumps, the cross shown too.", kind="bump", reveal=True)


# The torus (Fig. 2, 3, 8)
def around(scale: Scale, share: float = 1.0, model: Mapping[str, Any] | None = None) -> Experiment:
    """Bumps at every place of a torus."""
    size = SIZES[scale]
    problem = Problem(canvas(scale, "torus", size.round), nothing(), spacing=size.spacing, reveal=True)
    exhibits = ("bars", "spectra", "portraits", "ring_histograms")
    return drawn(scale, problem, share, model, MEASURES + SHAPES + COURSE, exhibits, size.checkpoints)


torus = setting("torus", "Bumps everywhere on a torus.", around)
torus_start = setting(
    "torus_start", "The same network after a hundredth of the steps.", lambda scale: around(scale, 0.01)
)


# Sums of stripes on a torus of their own, whose rings of different x are parallel as pictures.
def around_sums(scale: Scale) -> Experiment:
    """Sums of stripes at every place of a torus; nothing is trained for long, since the pictures matter."""
    size = SIZES[scale]
    task = canvas(scale, "sum-of-stripes", size.round, pad=0, periodic=True)
    problem = Problem(task, nothing(), spacing=size.spacing, reveal=True)
    return drawn(scale, problem, 0.01, measures=MEASURES + SHAPES)


sums_shape = setting("torus_of_sums", "Sums of stripes everywhere on a torus, barely trained.", around_sums)

# Amounts of data (Fig. 6e, 14c, 15): a part of a lattice one pixel apart, the same places for all sigmas
SIGMAS = (0.1, 0.3, 0.5, 1.0)
PARTS = (0.2, 0.4, 0.6, 0.8, 1.0)


def part_of_lattice(scale: Scale, sigma: float, part: float) -> Experiment:
    """Bumps at a part of the pixels, drawn by the seed; a larger part contains a smaller one."""
    size = SIZES[scale]
    task = canvas(scale, "bump", sigma, pad=0, stripe_ink=1.0, n=size.lattice)
    problem = Problem(task, nothing(), examples=round(part * size.lattice**2), reveal=True)
    return drawn(
        scale, problem, size.long, measures=(*MEASURES, "probe_held_out"), exhibits=("portraits",),
        batch=size.batch // 2,
    )  # fmt: skip


lattice = {
    (sigma, part): setting(
        f"lattice_{10 * sigma:02.0f}_{100 * part:.0f}",
        f"Bumps of sigma {sigma:g} at {100 * part:.0f}% of the pixels.",
        lambda scale, sigma=sigma, part=part: part_of_lattice(scale, sigma, part),  # type: ignore[misc]
    )
    for sigma in SIGMAS
    for part in PARTS
}

# What is held out (Fig. 11, 12)
WIDTHS = (1, 2, 3, 4, 6)
SQUARES = (2, 4, 8)


def lesioned(scale: Scale, width: int) -> Experiment:
    """Sums of stripes without a band of x, centred; widths beside the picture are those at 16 x 16.

    The narrowest is one pixel at every size. With that, `paper` has the published 1 and 8 pixels; its 3.5 are no whole
    number of labels.
    """
    size = SIZES[scale]
    wide = 1 if width == 1 else max(1, round(width * size.n / 16))
    low = (size.n - wide) // 2
    region = regions.extrapolation(of=regions.band(factor="x", low=low, high=low + wide))
    problem = Problem(canvas(scale, "sum-of-stripes"), region, spacing=size.spacing)
    return drawn(scale, problem, size.short, exhibits=("portraits",))


lesions = {
    width: setting(
        f"lesion_{width}",
        f"Sums of stripes without a band of x of {f'{width} in 16 pixels' if width > 1 else 'one pixel'}.",
        lambda scale, width=width: lesioned(scale, width),  # type: ignore[misc]
    )
    for width in WIDTHS
}


def without_square(scale: Scale, kind: str, place: str, side: int) -> Experiment:
    """A square held out in the middle or in the corner; sides beside the picture are those at 16 x 16."""
    size = SIZES[scale]
    wide = max(1, round(side * size.n / 16))
    low = (size.n - wide) // 2
    middle = regions.block(x=(low, low + wide), y=(low, low + wide))
    region = middle if place == "middle" else regions.corner(x=size.n - wide, y=size.n - wide)
    return drawn(scale, Problem(canvas(scale, kind), region, spacing=size.spacing), **size.squares)


squares = {
    (kind, place, side): setting(
        f"{kind.partition('-')[0]}_{place}_{side}",
        f"{'Bumps' if kind == 'bump' else 'Sums of stripes'} without {side} x {side} of 16 x 16 in the {place}.",
        lambda scale, kind=kind, place=place, side=side: without_square(scale, kind, place, side),  # type: ignore[misc]
    )
    for kind in ("bump", "sum-of-stripes")
    for place in ("middle", "corner")
    for side in SQUARES
}
