"""What channels draw and what single units answer to: stripes and one factor, or both at once."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from recombine.core.shapes import Float
from recombine.reports.canvas import COLOURS, framed, image, level_name
from recombine.reports.error_maps import outline
from recombine.reports.kernel_curves import with_arrays
from recombine.reports.markup import Markup
from recombine.reports.numbers import count
from recombine.reports.planes import factors_of, show
from recombine.reports.settings import SettingRuns, problem_of
from recombine.reports.shown_words import hole_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SIDE, MARGIN = 1.2, (0.75, 0.85)  # inches

Maps = Float[np.ndarray, "units y x"]


def activation_figure(setting: SettingRuns) -> Markup | None:
    """The channels that the first seed kept of its first hidden layer, as pictures; None if none kept any."""
    kept = with_arrays(setting, "activation_maps", "activation_combination")
    runs = [run for run in kept if len(run.arrays["activation_maps"]) and run.layers]
    if not runs:
        return None
    run, grid = runs[0], problem_of(setting.work).grid
    maps = run.arrays["activation_maps"].astype(np.float64)
    levels = run.arrays["activation_combination"].tolist()
    asked = ", ".join(
        f"{factor.name} {level_name(factor, level)}" for factor, level in zip(grid.factors, levels, strict=True)
    )
    factors = factors_of(grid, maps.shape[1:])

    def draw(figure: "Figure") -> None:
        axes = figure.subplots(1, len(maps), squeeze=False)[0]
        for place, (here, values) in enumerate(zip(axes, maps, strict=True)):
            show(here, values, factors, place == 0, cmap="viridis")
            here.set_title(f"channel {place + 1}")

    layer, seed, channels = run.layers[1], run.work.seed, count(len(maps), "channel")
    alt = f"Activation maps of {setting.label}, seed {seed}: {channels} of {layer} for {asked}."
    caption = (
        f"After Fig. 4e, seed {seed}: the {channels} of {layer} whose values spread most, for the held-out combination "
        f"{asked}; dark low, bright high, each with its own range. Where factors are rendered alone, channels are "
        "stripes: constant along rows or along columns."
    )
    return framed(image(draw, (SIDE * len(maps) + 0.5, SIDE + 0.55), alt), caption)


def tuning_figure(setting: SettingRuns) -> Markup | None:
    """Units of an early and a late layer over the plane, with their curves below; None if no seed kept them."""
    problem = problem_of(setting.work)
    kept = with_arrays(setting, "tuning_maps")
    runs = [run for run in kept if run.arrays["tuning_maps"].shape[2:] == problem.grid.shape and len(run.layers) > 2]
    if not runs:
        return None
    run, inside = runs[0], problem.parts.held_out.reshape(problem.grid.shape)
    factors = (problem.grid.factors[0], problem.grid.factors[1])
    maps_of = map(distinct, run.arrays["tuning_maps"].astype(np.float64))
    shown = dict(zip(shown_layers(run.layers), maps_of, strict=True))
    most = max(len(maps) for maps in shown.values())

    def draw(figure: "Figure") -> None:
        axes = figure.subplots(2 * len(shown), most, squeeze=False)
        for row, (layer, maps) in enumerate(shown.items()):
            upper, lower = axes[2 * row], axes[2 * row + 1]
            for place in range(most):
                if place >= len(maps):
                    upper[place].set_visible(False)
                    lower[place].set_visible(False)
                    continue
                show(upper[place], maps[place], factors, place == 0, place == 0, cmap="viridis")
                outline(upper[place], inside)
                name, share = tuned_to(maps[place])
                upper[place].set_title(f"{factors[name].name} {share:.0%}", fontsize=8)
                _curves(lower[place], maps[place], (factors[0].name, factors[1].name))
            upper[0].set_ylabel(f"{layer}\n{upper[0].get_ylabel()}")
            lower[0].set_ylabel("mean activation")
            lower[0].set_xlabel(f"level of {factors[1].name}, of {factors[0].name}")
        handles, labels = axes[1, 0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper left", ncols=2, frameon=False)

    told = "; ".join(f"{layer}: {_told(maps, (factors[0].name, factors[1].name))}" for layer, maps in shown.items())
    seed = run.work.seed
    red = hole_words(problem)
    alt = f"Tuning of single units of {setting.label}, seed {seed}. Share of variance one factor explains, {told}."
    caption = (
        f"After Fig. 4f, seed {seed}: the most varied units of {' and of '.join(shown)}. Maps: activation over the "
        f"plane of both factors, dark low, bright high, each with its own range; red line: {red}. Curves: the same "
        f"against {factors[1].name} (mean over {factors[0].name}) and against {factors[0].name} (mean over "
        f"{factors[1].name}). Above each map: the factor that explains more of its variance, and how much; 100% is a "
        "stripe, a unit that is blind to the other factor."
    )
    size = (SIDE * most + MARGIN[0], 2 * len(shown) * (SIDE + 0.2) + MARGIN[1])
    return framed(image(draw, size, alt), caption, wide=True)


def shown_layers(layers: Sequence[str]) -> tuple[str, str]:
    """The first hidden layer and the fourth, or the last where there are fewer; layers have input and output."""
    hidden = layers[1:-1]
    return hidden[0], hidden[min(3, len(hidden) - 1)]


def distinct(maps: Maps) -> Float[np.ndarray, "kept y x"]:
    """The maps, each once, in order of first appearance: few units are repeated to fill an array."""
    first = sorted(np.unique(maps.reshape(len(maps), -1), axis=0, return_index=True)[1])
    return maps[first]


def tuned_to(values: Float[np.ndarray, "y x"]) -> tuple[int, float]:
    """Which axis alone explains more of the variance, 0 for rows (y) and 1 for columns (x), and its share of it.

    1: constant along the other axis; 0 where nothing varies.
    """
    total = float(values.var())
    by_row, by_column = float(values.mean(axis=1).var()), float(values.mean(axis=0).var())
    return (0 if by_row > by_column else 1), max(by_row, by_column) / total if total > 0 else 0.0


def _curves(axes: "Axes", values: Float[np.ndarray, "y x"], names: tuple[str, str]) -> None:
    for axis, line in ((1, "-"), (0, "--")):
        words = f"against {names[axis]}, mean over {names[1 - axis]}"
        axes.plot(values.mean(axis=1 - axis), line, color=COLOURS[1 - axis], label=words, linewidth=1.3)
    axes.tick_params(labelsize=7)
    axes.locator_params(nbins=3)


def _told(maps: Maps, names: tuple[str, str]) -> str:
    found = [tuned_to(each) for each in maps]
    return ", ".join(f"{names[axis]} {share:.0%}" for axis, share in found)
