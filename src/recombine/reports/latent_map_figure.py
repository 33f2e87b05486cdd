"""The error over two latents of the whole space, beside those of the controls, with what is cut out outlined red."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from recombine.core.shapes import Bool, Float
from recombine.measures.scene_exhibits import MAPS
from recombine.reports.canvas import RED, colour_bar, framed, image
from recombine.reports.descriptions import cut_words
from recombine.reports.kernel_curves import with_arrays
from recombine.reports.markup import Markup
from recombine.reports.numbers import count, short
from recombine.reports.settings import SettingRuns, problem_of
from recombine.reports.support_plot import Ranges, cut_box, unit_axes
from recombine.splits import Support
from recombine.splits.support import LATENTS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SIDE, MARGIN = (1.85, 1.75), (1.0, 0.35)  # inches
LETTERS = 20  # of a line of a title

Map = Float[np.ndarray, "up across"]


@dataclass(frozen=True, eq=False)
class Maps:
    """The maps of one setting by name, each averaged over seeds."""

    label: str
    support: Support
    seeds: int
    found: dict[str, Map]

    @property
    def largest(self) -> float:
        return max(float(np.nanmax(each)) for each in self.found.values())


def latents_of(name: str) -> tuple[str, str]:
    """The latents across and up of a map, by name: those of ``x1_y1`` are x1 and y1."""
    across, up = (f"{LATENTS[latent]}{slot + 1}" for slot, latent in MAPS[name])
    return across, up


def mean_map(maps: Sequence[Map]) -> Map:
    """The mean of every cell over the seeds that have one there; NaN where none has."""
    stacked = np.stack(maps).astype(np.float64)
    there = np.isfinite(stacked)
    sums, numbers = np.where(there, stacked, 0.0).sum(axis=0), there.sum(axis=0)
    return np.divide(sums, numbers, out=np.full(sums.shape, np.nan), where=numbers > 0)


def maps_of(setting: SettingRuns) -> Maps | None:
    """The maps of a setting with a support; None if no run has kept any that has an error in it."""
    runs, support = with_arrays(setting, *(f"latent_map_{name}" for name in MAPS)), problem_of(setting.work).support
    if not runs or support is None:
        return None
    found = {name: mean_map([run.arrays[f"latent_map_{name}"] for run in runs]) for name in MAPS}
    empty = any(np.isnan(each).all() for each in found.values())
    return None if empty else Maps(setting.label, support, len(runs), found)


def latent_map_figure(setting: SettingRuns, controls: Sequence[SettingRuns] = ()) -> Markup | None:
    """A column of maps for a setting and for each of its controls, in one scale of colours; None without maps."""
    own = maps_of(setting)
    if own is None:
        return None
    shown = [own, *(found for each in controls if (found := maps_of(each)) is not None)]
    top = max(each.largest for each in shown) or 1.0

    def draw(figure: "Figure") -> None:
        grid = figure.subplots(len(MAPS), len(shown), squeeze=False)
        for column, each in zip(grid.T, shown, strict=True):
            for axes, (name, errors) in zip(column, each.found.items(), strict=True):
                pair = latents_of(name)
                drawn = axes.imshow(
                    errors,
                    cmap="viridis",
                    vmin=0.0,
                    vmax=top,
                    origin="lower",
                    extent=(0, 1, 0, 1),
                    interpolation="none",
                )
                _outline(axes, cut_box(each.support, pair))
                unit_axes(axes, pair)
            if len(shown) > 1:
                column[0].set_title(_lines(each.label), fontsize=8)
        colour_bar(figure, drawn, grid, "mean squared error", shrink=0.8, aspect=22)

    told = "; ".join(_told(each) for each in shown)
    beside = " and of what it is compared with" if len(shown) > 1 else ""
    alt = f"Error over pairs of latents of {setting.label}{beside}. {told}."
    caption = (
        f"Mean squared error on the whole space by two latents, averaged over all others and over seeds, in one scale "
        f"of colours. {told}."
    )
    if any(np.isnan(errors).any() for each in shown for errors in each.found.values()):
        caption += " White: no scene was asked there."
    cut = {cut_words(each.support): None for each in shown if any(cut_box(each.support, latents_of(m)) for m in MAPS)}
    caption += f" Red line: cut out of training, {'; '.join(cut)}." if cut else ""
    size = (SIDE[0] * len(shown) + MARGIN[0], SIDE[1] * len(MAPS) + MARGIN[1])
    return framed(image(draw, size, alt), caption, wide=len(shown) > 2)


def inside_and_outside(errors: Map, box: Ranges) -> tuple[Bool[np.ndarray, "up across"], Bool[np.ndarray, "up across"]]:
    """The cells of a map that lie wholly in a box, and those that lie wholly out of it."""
    within, touching = [], []
    for cells, (low, high) in zip(errors.shape[::-1], box, strict=True):
        # Integers over a number, not a sum of steps, so that the ends of a cell are the floats one would write.
        starts, ends = np.arange(cells) / cells, np.arange(1, cells + 1) / cells
        within.append((low <= starts) & (ends <= high))
        touching.append((starts < high) & (low < ends))
    inside, near = (np.outer(up, across) for across, up in (within, touching))
    return inside, ~near


def _told(maps: Maps) -> str:
    """The numbers of one setting: the ends of its maps, and its means in the cut and out of it."""
    parts = [f"{maps.label} ({count(maps.seeds, 'seed')}):"]
    for name, errors in maps.found.items():
        pair = latents_of(name)
        ends = f"({', '.join(pair)}) from {short(float(np.nanmin(errors)))} to {short(float(np.nanmax(errors)))}"
        box = cut_box(maps.support, pair)
        inside, outside = (_mean(errors, cells) for cells in inside_and_outside(errors, box)) if box else (None, None)
        if inside is not None and outside is not None:
            ends += f", mean {short(inside)} in cells wholly in the cut and {short(outside)} in those out of it"
        parts.append(f"{ends}{',' if name != list(maps.found)[-1] else ''}")
    return " ".join(parts)


def _mean(errors: Map, cells: Bool[np.ndarray, "up across"]) -> float | None:
    there = errors[cells & np.isfinite(errors)]
    return float(there.mean()) if len(there) else None


def _outline(axes: "Axes", box: Ranges | None) -> None:
    from matplotlib.patches import Rectangle

    if box is not None:
        (left, right), (low, high) = box
        corner = (left, low)
        axes.add_patch(
            Rectangle(corner, right - left, high - low, fill=False, edgecolor=RED, linewidth=2.0, clip_on=False)
        )


def _lines(label: str) -> str:
    from textwrap import fill

    return fill(label, LETTERS)
