"""The pictures that a network has learned for single levels of a factor: stripes, and where they stop."""

from typing import TYPE_CHECKING

import numpy as np

from recombine.reports.canvas import colour_bar, framed, image, level_name
from recombine.reports.error_maps import outline
from recombine.reports.kernel_curves import with_arrays
from recombine.reports.markup import Markup
from recombine.reports.planes import factors_of, show
from recombine.reports.settings import SettingRuns, problem_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SIDE, MARGIN = 1.45, (1.2, 0.75)  # inches


def embedding_figure(setting: SettingRuns) -> Markup | None:
    """A row for each factor, a picture for each of its levels that the first seed kept; None if none was kept."""
    problem = problem_of(setting.work)
    names = [factor.name for factor in problem.grid.factors][::-1]  # x before y, as the paper has them
    needed = [word.format(name) for name in names for word in ("embedding_{}", "embedding_levels_{}")]
    runs = with_arrays(setting, *needed)
    if not runs:
        return None
    arrays, by_name = runs[0].arrays, {factor.name: factor for factor in problem.grid.factors}
    kept = {
        name: (arrays[f"embedding_{name}"].astype(np.float64), arrays[f"embedding_levels_{name}"].tolist())
        for name in names
    }
    factors = factors_of(problem.grid, kept[names[0]][0].shape[1:])
    inside = problem.parts.held_out.reshape(problem.grid.shape)
    columns = max(len(levels) for _, levels in kept.values())

    def draw(figure: "Figure") -> None:
        axes = figure.subplots(len(kept), columns, squeeze=False)
        for row, (name, (pictures, levels)) in enumerate(kept.items()):
            for column, here in enumerate(axes[row]):
                if column >= len(levels):
                    here.set_visible(False)
                    continue
                scaled = pictures[column] / max(float(np.abs(pictures[column]).max()), 1e-12)
                last = row == len(kept) - 1
                shown = show(here, scaled, factors, column == 0, last, cmap="RdBu_r", vmin=-1, vmax=1)
                if factors is not None:
                    outline(here, inside)
                here.set_title(f"{name} = {level_name(by_name[name], levels[column])}")
        words = "of the picture's\nlargest size"
        colour_bar(figure, shown, axes, words, ticks=[-1, 0, 1], shrink=0.7, aspect=18)

    told = "; ".join(
        f"{name} {', '.join(level_name(by_name[name], level) for level in levels)}"
        for name, (_, levels) in kept.items()
    )
    seed = runs[0].work.seed
    alt = f"Learned pictures of {setting.label}, seed {seed}, for the levels {told}."
    edge = " Red line: the hole; a stripe that stops there was never drawn any further." if factors is not None else ""
    caption = (
        f"After Fig. 3b, seed {seed}: the picture that stands for one level of a factor before anything is combined, "
        "each divided by its largest size (signs are the network's own). A factor that is rendered alone is a stripe "
        f"through the whole picture, upright for {names[0]}, level for {names[1]}.{edge}"
    )
    size = (SIDE * columns + MARGIN[0], SIDE * len(kept) + MARGIN[1])
    return framed(image(draw, size, alt), caption)
