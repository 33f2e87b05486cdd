"""The scenes that training shows, as dots over pairs of latents."""

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from recombine.core.seeds import stream
from recombine.core.shapes import Float
from recombine.measures import mean_by_cell
from recombine.reports.canvas import COLOURS, RED, framed, image
from recombine.reports.descriptions import cut_words, support_words
from recombine.reports.markup import Markup
from recombine.reports.numbers import count
from recombine.reports.settings import SettingRuns, problem_of
from recombine.splits import Support
from recombine.splits.support import position

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DOTS = 800
# The latents across and up of each panel: the same latent of two sprites, and two latents of one sprite.
PANELS = (
    ("x1", "x2"),
    ("y1", "y2"),
    ("shape1", "shape2"),
    ("scale1", "scale2"),
    ("hue1", "hue2"),
    ("x1", "y1"),
)
PANEL, MARGIN = (1.6, 1.5), 0.15  # inches
SHARP = 128  # pixels per inch of the dots; more make the page heavy

Ranges = tuple[tuple[float, float], tuple[float, float]]


def support_figure(setting: SettingRuns) -> Markup | None:
    """Scenes drawn from the support of a setting, a panel for each pair of latents; None without a support."""
    problem = problem_of(setting.work)
    if problem.support is None:
        return None
    return _figure(problem.support, problem.task.slots, problem.task.latents)


@lru_cache(maxsize=64)  # a page has many settings of few supports
def _figure(support: Support, slots: int, latents: int) -> Markup:
    pairs = [pair for pair in PANELS if all(_there(name, slots, latents) for name in pair)]
    # Drawing the training set itself would draw all of its pictures.
    points = support.points(DOTS, slots, latents, stream(0, "reports", "support"))

    def draw(figure: "Figure") -> None:
        figure.set_dpi(SHARP)
        for axes, pair in zip(figure.subplots(1, len(pairs), squeeze=False)[0], pairs, strict=True):
            across, up = (points[:, *position(name)] for name in pair)
            axes.scatter(across, up, s=3.0, color=COLOURS[0], linewidths=0, rasterized=True)
            shade(axes, support, pair)
            axes.set_xlim(-0.05, 1.05)
            axes.set_ylim(-0.05, 1.05)
            unit_axes(axes, pair)

    reached = ", ".join(f"{_cells(points, pair)} of ({', '.join(pair)})" for pair in pairs)
    words = support_words(support)
    alt = f"Training support: {words}. Of 100 equal cells the dots reach {reached}."
    caption = (
        f"What training shows: {words}. {count(len(points), 'scene')} drawn from it, a dot each, over pairs of unit "
        f"latents; sprite 1 is in front. Of 100 equal cells of a panel the dots reach {reached}."
    )
    if any(cut_box(support, pair) for pair in pairs):
        caption += f" Red: cut out ({_where(support)})."
    size = (PANEL[0] * len(pairs) + MARGIN, PANEL[1])
    return framed(image(draw, size, alt), caption, wide=True)


def cut_box(support: Support, pair: tuple[str, str]) -> Ranges | None:
    """Where the cut of a support lies over two latents: its range of each, all of [0, 1] where it names only one.

    None where it names neither.
    """
    first, second = pair
    whole = (0.0, 1.0)
    named = {first, second} & set(support.without)
    return (support.without.get(first, whole), support.without.get(second, whole)) if named else None


def shade(axes: "Axes", support: Support, pair: tuple[str, str]) -> None:
    """Colour what is cut out."""
    from matplotlib.patches import Rectangle

    box = cut_box(support, pair)
    if box is not None:
        (left, right), (low, high) = box
        axes.add_patch(Rectangle((left, low), right - left, high - low, color=RED, alpha=0.18, linewidth=0))


def unit_axes(axes: "Axes", pair: tuple[str, str]) -> None:
    """Name two axes from 0 to 1 after their latents."""
    axes.set_aspect("equal")
    axes.set_xticks([0, 0.5, 1], ["0", "0.5", "1"])
    axes.set_yticks([0, 0.5, 1], ["0", "0.5", "1"])
    axes.set_xlabel(pair[0])
    axes.set_ylabel(pair[1])
    axes.spines[:].set_visible(True)


def _where(support: Support) -> str:
    """In which scenes the cut is, which a panel of two latents cannot always show."""
    return cut_words(support) + (", all at once" if len(support.without) > 1 else "")


def _there(name: str, slots: int, latents: int) -> bool:
    slot, latent = position(name)
    return slot < slots and latent < latents


def _cells(points: Float[np.ndarray, "items slots latents"], pair: tuple[str, str]) -> int:
    """The number of cells of a panel, of 10 x 10, that have a dot."""
    across, up = (points[:, *position(name)] for name in pair)
    _, counts = mean_by_cell(np.zeros(len(points)), up, across)
    return int(np.count_nonzero(counts))
