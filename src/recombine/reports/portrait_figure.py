"""Every combination as a point along pairs of principal components: two rings, where there is a torus."""

from typing import TYPE_CHECKING, Any

import numpy as np

from recombine.core.shapes import Bool, Float
from recombine.measures.evidence import FACTORS
from recombine.reports.canvas import colour_bar, framed, image
from recombine.reports.compared_looks import LOOKS
from recombine.reports.kernel_curves import with_arrays
from recombine.reports.markup import Markup
from recombine.reports.numbers import count, short
from recombine.reports.settings import SettingRuns, problem_of
from recombine.reports.shown_words import hole_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PAIRS = ((1, 3), (2, 4), (1, 2), (3, 4))  # principal components, from 1
SHEET = PAIRS[2:]  # enough where there are no rings to be found
LAYERS = ("probe", "untrained")
COLOURED = ("x", "y")
SIDE, MARGIN = (1.35, 1.3), (0.9, 0.6)  # inches


def ring_spread(scores: Float[np.ndarray, "points 2"]) -> float:
    """How far points seen along two components are from a ring around the origin: the spread of their radii.

        spread = standard deviation of r / mean of r,   r the distances from the mean of the points

    0: a circle; √(4/π − 1) = 0.52: a cloud whose components are normal.
    """
    radii = np.hypot(*(scores - scores.mean(axis=0)).T)
    return float(radii.std() / max(float(radii.mean()), 1e-12))


def portrait_figure(setting: SettingRuns) -> Markup | None:
    """Rows for the probe and the untrained network, coloured by x and by y; None where no portrait was kept."""
    kept = with_arrays(setting, *(f"portrait_{name}" for name in LAYERS))
    if not kept:
        return None
    run, problem = kept[0], problem_of(setting.work)
    portraits = {name: run.arrays[f"portrait_{name}"].astype(np.float64) for name in LAYERS}
    if any(each.shape != (problem.grid.size, 4) for each in portraits.values()):
        return None
    unseen = problem.parts.held_out & (not problem.reveal)
    levels = dict(zip(FACTORS, np.indices(problem.grid.shape).reshape(2, -1), strict=True))
    ring = all(each.periodic for each in problem.grid.factors)
    colours, pairs = ("hsv", PAIRS) if ring else ("viridis", SHEET)
    rows = [(name, factor) for name in LAYERS for factor in COLOURED]

    def draw(figure: "Figure") -> None:
        grid = figure.subplots(len(rows), len(pairs), squeeze=False)
        for (name, factor), panels in zip(rows, grid, strict=True):
            for panel, pair in zip(panels, pairs, strict=True):
                # The ends of a ring are one level apart and so are their colours.
                most = levels[factor].max() + ring
                shown = _panel(panel, portraits[name], pair, levels[factor], unseen, cmap=colours, vmin=0, vmax=most)
            panels[0].set_ylabel(f"component {pairs[0][1]}")
            for panel, pair in zip(panels[1:], pairs[1:], strict=True):
                panel.set_ylabel(f"component {pair[1]}")
            panels[0].set_title(f"{LOOKS[name].words}, coloured by {factor}", loc="left")
            colour_bar(figure, shown, list(panels), f"{factor} (level)", aspect=12, fraction=0.04, pad=0.01)
        for panel, pair in zip(grid[-1], pairs, strict=True):
            panel.set_xlabel(f"component {pair[0]}")

    told = "; ".join(
        f"{LOOKS[name].words} "
        + ", ".join(f"{short(ring_spread(scores[:, [a - 1, b - 1]]))} along {a} and {b}" for a, b in pairs)
        for name, scores in portraits.items()
    )
    seed = run.work.seed
    alt = f"Combinations of {setting.label}, seed {seed}, along principal components. Spread of radii: {told}."
    caption = (
        f"Seed {seed}: every combination along pairs of the first four principal components, each layer in its own "
        f"and each panel to its own scale.{' A ring of the torus is a circle in one pair.' if ring else ''} "
        f"Spread of radii, 0 for a circle: {told}."
    )
    caption += f" Crosses: {count(int(unseen.sum()), 'combination')} {hole_words(problem)}." if unseen.any() else ""
    size = (SIDE[0] * len(pairs) + MARGIN[0], SIDE[1] * len(rows) + MARGIN[1])
    return framed(image(draw, size, alt), caption, wide=True)


def _panel(
    axes: "Axes",
    scores: Float[np.ndarray, "points 4"],
    pair: tuple[int, int],
    levels: np.ndarray,
    unseen: Bool[np.ndarray, " points"],
    **look: Any,
) -> Any:
    across, up = (scores[:, component - 1] for component in pair)
    size = max(3.0, 1600 / len(scores))
    # Points are pixels: as shapes they would be most of the page.
    for mark, some in ((".", ~unseen), ("x", unseen)):
        if some.any():
            thick = 0.0 if mark == "." else 0.9
            shown = axes.scatter(
                across[some],
                up[some],
                c=levels[some],
                s=2 * size,
                marker=mark,
                rasterized=True,
                linewidths=thick,
                **look,
            )
    most = 1.08 * max(float(np.abs(scores[:, [component - 1 for component in pair]]).max()), 1e-12)
    axes.set_xlim(-most, most)
    axes.set_ylim(-most, most)
    axes.set_aspect("equal")
    axes.set_xticks([0], [""])
    axes.set_yticks([0], [""])
    axes.spines[:].set_visible(True)
    return shown
