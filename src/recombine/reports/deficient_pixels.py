"""Pixels that a training support does not determine, for each sprite."""

from collections.abc import Mapping
from itertools import count, takewhile
from typing import TYPE_CHECKING

import numpy as np

from recombine.core.shapes import Float
from recombine.reports.canvas import colour_bar, framed, image
from recombine.reports.markup import Markup
from recombine.reports.numbers import count as number_of
from recombine.reports.numbers import short
from recombine.reports.settings import SettingRuns

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# The arrays, less the number of the sprite, with the words above their maps.
COLUMNS = {"deficient": "rank not full\n(as published)", "lacking": "lacks what the\ntest can show"}
SIDE, MARGIN = 1.9, (1.0, 0.5)  # inches

Maps = Mapping[str, Float[np.ndarray, "rows columns"]]


def sprites_of(arrays: Mapping[str, np.ndarray]) -> list[Maps]:
    """The maps of every sprite in order, as long as it has both and there is something in them."""
    named = ({column: f"{column}_{number}" for column in COLUMNS} for number in count(1))
    whole = takewhile(lambda names: all(np.isfinite(arrays.get(name, np.nan)).any() for name in names.values()), named)
    return [{column: arrays[name].astype(np.float64) for column, name in names.items()} for names in whole]


def deficient_pixels_figure(setting: SettingRuns) -> Markup | None:
    """A row for each sprite, with a map for each condition; None where no run has kept them."""
    kept = [found for run in setting.with_status("done") if (found := sprites_of(run.arrays))]
    if not kept:
        return None
    # Seeds draw other values of the same sprites, so that each has as many.
    sprites = [
        {column: np.mean([each[column] for each in seeds], axis=0) for column in COLUMNS}
        for seeds in zip(*kept, strict=False)
    ]

    def draw(figure: "Figure") -> None:
        grid = figure.subplots(len(sprites), len(COLUMNS), squeeze=False)
        for row, maps in enumerate(sprites):
            for axes, (column, shares) in zip(grid[row], maps.items(), strict=True):
                shown = axes.imshow(shares, cmap="viridis", vmin=0.0, vmax=1.0, interpolation="none")
                axes.spines[:].set_visible(True)
                for axis, pixels in ((axes.yaxis, shares.shape[0]), (axes.xaxis, shares.shape[1])):
                    axis.set_ticks([0, pixels - 1])
                axes.set_title(COLUMNS[column] if row == 0 else "")
                axes.set_xlabel("column" if row == len(sprites) - 1 else "")
            grid[row, 0].set_ylabel(f"sprite {row + 1}\nrow")
        colour_bar(figure, shown, grid, "share of component values", ticks=[0, 0.5, 1], shrink=0.8, aspect=20)

    told = ". ".join(_told(number, maps) for number, maps in enumerate(sprites, start=1))
    alt = f"Pixels that the support of {setting.label} leaves open, by sprite. {told}."
    caption = (
        f"For every pixel, the share of the values of a sprite for which training does not determine it, averaged over "
        f"{number_of(len(kept), 'seed')}: left, where "
        f"the rank of the summed derivatives of the composition is not full, as the published condition asks; right, "
        f"where the whole space can show a direction that training lacks. Sprite 1 is in front. {told}."
    )
    size = (SIDE * len(COLUMNS) + MARGIN[0], SIDE * len(sprites) + MARGIN[1])
    return framed(image(draw, size, alt), caption)


def _told(number: int, maps: Maps) -> str:
    """Means and largest values over pixels."""
    words = {"deficient": "rank not full", "lacking": "lacks what is asked"}
    parts = [
        f"{words[column]} for {short(float(np.nanmean(shares)))} of the values on average and "
        f"{short(float(np.nanmax(shares)))} at most"
        for column, shares in maps.items()
    ]
    return f"Sprite {number}: {', '.join(parts)}"
