"""When bumps hang together beside when they are learned: a simulation and trained networks, over the same parts."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from recombine.core.shapes import Float
from recombine.papers.diffusion_factorize import canvases
from recombine.papers.diffusion_factorize.percolating import THRESHOLD, neighbours
from recombine.reports.canvas import COLOURS, LINES, MARKS, framed, image
from recombine.reports.findings import Findings
from recombine.reports.markup import Markup, tag
from recombine.reports.numbers import count, short
from recombine.reports.settings import key_of
from recombine.reports.sweep_figure import Series
from recombine.theory import curve

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ACCURACY = "darkest_accuracy.all"
DRAWS = 20  # random orders in which the places of the lattice fill up
COUNTS = 64  # numbers of places at which the largest cluster is looked at


@dataclass(frozen=True, eq=False)
class Simulation:
    """The largest share by sigma over parts of a lattice."""

    side: int  # places along each side
    parts: Float[np.ndarray, " parts"]
    shares: Mapping[float, Float[np.ndarray, " parts"]]

    def at(self, sigma: float, part: float) -> float:
        """The largest share at a part of the lattice, of as many places as training shows."""
        return float(np.interp(round(part * self.side**2) / self.side**2, self.parts, self.shares[sigma]))


def percolation_section(findings: Findings) -> Markup | None:
    """Simulated clusters beside trained accuracy; None where no network of the lattice was trained."""
    trained = trained_of(findings)
    if not trained:
        return None
    simulation = simulation_of(canvases.SIZES[findings.scale].lattice, trained)
    return tag(
        "section",
        tag("h2", "Percolation beside training"),
        tag(
            "p",
            "Bumps that overlap may help each other to be learned. If that is what matters, a diffusion model should "
            "learn a lattice of bumps once the largest cluster of overlapping ones takes over, which wider bumps reach "
            "with fewer places. Left: that cluster, with nothing trained. Right: the places of the whole lattice that "
            "trained networks draw right, after they were shown a part of it.",
        ),
        percolation_panels(simulation, trained),
        id="percolation",
    )


def trained_of(findings: Findings) -> dict[float, Series]:
    """The accuracy of all seeds by part, a series for each sigma that has any."""
    found: dict[float, dict[float, list[float]]] = {}
    for (sigma, part), setting in canvases.lattice.items():
        runs = findings.settings.get(key_of(setting(findings.scale)))
        numbers = runs.numbers(ACCURACY) if runs is not None else []
        if numbers:
            found.setdefault(sigma, {})[part] = numbers
    return {sigma: Series(f"σ = {sigma:g}", points) for sigma, points in found.items()}


def simulation_of(side: int, sigmas: Iterable[float]) -> Simulation:
    """The mean over random orders in which a lattice of this side fills up, the same for all sigmas."""
    counts = np.unique(np.linspace(1, side**2, COUNTS).round())
    parts = counts / side**2
    return Simulation(side, parts, {sigma: _shares(side, sigma, tuple(parts.tolist())) for sigma in sigmas})


@cache
def _shares(side: int, sigma: float, parts: tuple[float, ...]) -> Float[np.ndarray, " parts"]:
    return curve(parts, side, neighbours(sigma, THRESHOLD).reach, seeds=range(DRAWS), spacing=1).mean


def percolation_panels(simulation: Simulation, trained: Mapping[float, Series]) -> Markup:
    """Two panels over the part of the lattice, a line per sigma in each."""

    def draw(figure: "Figure") -> None:
        left, right = figure.subplots(1, 2, sharex=True, sharey=True)
        for place, (sigma, series) in enumerate(trained.items()):
            style = place % len(COLOURS)
            left.plot(simulation.parts, simulation.shares[sigma], color=COLOURS[style], linestyle=LINES[style],
                      linewidth=1.5)  # fmt: skip
            _trained(right, series, style)
        left.set_title(f"simulated, overlap above {THRESHOLD:g}")
        right.set_title("trained")
        left.set_ylabel("share of the largest cluster")
        right.set_ylabel("share of places right")
        right.yaxis.set_tick_params(labelleft=True)
        left.set_ylim(-0.02, 1.03)
        left.set_xlim(0, 1.03)
        for axes in (left, right):
            axes.set_xlabel("part of the lattice")
        figure.legend(loc="outside upper left", ncols=len(trained), frameon=False, handlelength=2.8)

    pairs = [(simulation.at(sigma, part), float(np.mean(values)))
             for sigma, series in trained.items() for part, values in series.points.items()]  # fmt: skip
    agreement = rank_correlation(pairs)
    told = "; ".join(
        f"{series.name}: " + ", ".join(
            f"{short(float(np.mean(values)))} at {short(part)} (cluster {short(simulation.at(sigma, part))})"
            for part, values in sorted(series.points.items())
        )
        for sigma, series in trained.items()
    )  # fmt: skip
    seeds = count(max(len(values) for series in trained.values() for values in series.points.values()), "seed")
    alt = f"Largest cluster and trained accuracy by part of the lattice. Accuracy, {told}."
    side = simulation.side
    caption = (
        f"Both on a lattice of {side} x {side} places. Simulation: mean over {DRAWS} random orders, computed for this "
        f"page. Accuracy by the darkest pixel over all places, marks: mean over up to {seeds}, upright lines: 95% "
        "intervals, dots: single seeds."
    )
    if agreement is not None:
        words = f"{short(agreement)} over {count(len(pairs), 'pair')} of sigma and part"
        caption += f" Rank correlation of cluster and accuracy: {words}."
    return framed(image(draw, (6.4, 3.3), alt), caption, wide=True)


def rank_correlation(pairs: list[tuple[float, float]]) -> float | None:
    """Spearman's, 1 where both rise together; None for fewer than 3 pairs or where one side does not vary."""
    if len(pairs) < 3 or any(len(set(side)) < 2 for side in zip(*pairs, strict=True)):
        return None
    from scipy.stats import spearmanr  # slow to load, and few need it

    simulated_side, trained_side = np.array(pairs).T
    return float(spearmanr(simulated_side, trained_side)[0])


def _trained(axes: "Axes", series: Series, style: int) -> None:
    found = series.intervals()
    colour = COLOURS[style]
    for part, measured in found.items():
        axes.plot([part] * len(series.points[part]), list(series.points[part]), ".", color=colour, alpha=0.4)
        if measured.seeds > 1:
            ends = np.clip([measured.low, measured.high], 0, 1)
            axes.plot([part, part], ends, color=colour, linewidth=1.2)
    axes.plot(
        list(found), [measured.estimate for measured in found.values()], color=colour, marker=MARKS[style],
        linestyle=LINES[style], markersize=4.5, linewidth=1.5, label=series.name,
    )  # fmt: skip
