"""Pictures of a split: the plane of its first two factors, for a page or for a terminal."""

from typing import TYPE_CHECKING

import numpy as np

from recombine.core.errors import InputError
from recombine.core.shapes import Bool
from recombine.factors import Factor, Grid
from recombine.splits.region import Mask
from recombine.splits.split import RESERVED, Split

if TYPE_CHECKING:
    import matplotlib.axes
    import matplotlib.axis

WIDEST = 64  # columns that `text` still prints

# Okabe and Ito's colours, which differ in lightness too, so that they stay apart without hue.
TRAINED, OUTLINE = "#f0f0f0", "#d0021b"
NEAR, DEEP = "#a9d5f2", "#0072b2"
OTHERS = ("#56b4e9", "#e69f00", "#004d73", "#009e73", "#cc79a7", "#f0e442")


def draw(split: Split, ax: "matplotlib.axes.Axes | None" = None) -> "matplotlib.axes.Axes":
    """The factor plane: trained cells grey, held-out sections in colour, what is held out outlined in red.

    Rows are the first factor and columns the second, first level on top and left. The colours show the region's own
    sections if it has any, otherwise rim and interior. With more than two factors a cell shows the share of its
    combinations that is held out, and the outline encloses every cell with some. Draws on ``ax``, or on a new figure.
    """
    import matplotlib.pyplot as plt

    if ax is None:
        _, ax = plt.subplots(layout="constrained")
    held_out = split.held_out.reshape(_plane(split.grid))
    if len(split.grid.shape) > 2:
        image = ax.imshow(held_out.mean(axis=2), cmap="cividis_r", vmin=0, vmax=1)
        ax.figure.colorbar(image, ax=ax, label="share held out")
    else:
        _draw_sections(ax, split)
    _outline(ax, np.asarray(held_out.any(axis=2)))
    *row, column = split.grid.factors[:2]
    _label(ax.xaxis, column)
    if row:
        _label(ax.yaxis, row[0])
    else:
        ax.set_yticks([])
    trained, count = int(split.train.sum()), int(split.held_out.sum())
    ax.set_title(f"{split.region.kind}: {trained} trained, {count} held out ({count / split.grid.size:.0%})")
    return ax


def text(split: Split, shown: Mask | None = None) -> str:
    """The factor plane in characters, a line per level of the first factor.

    · trained, □ held out, ■ held out and interior. Only two-factor grids at most 64 columns wide have one. ``shown``
    marks the combinations that training really shows, where that is not all the split allows.
    """
    if len(split.grid.shape) != 2 or split.grid.shape[1] > WIDEST:
        raise InputError(
            f"a grid of sizes {split.grid.shape} has no picture in characters; that takes two factors and at most "
            f"{WIDEST} columns, so use splits.draw instead."
        )
    cells = np.where(split.held_out, "□", np.where(split.train if shown is None else shown, "·", " "))
    cells[split.sections.get("interior", [])] = "■"
    return "\n".join("".join(line) for line in cells.reshape(split.grid.shape))


def _plane(grid: Grid) -> tuple[int, int, int]:
    """Rows, columns and all the rest; a single factor is one row."""
    rows, columns = grid.shape[:2] if len(grid.shape) > 1 else (1, grid.size)
    return rows, columns, grid.size // (rows * columns)


def _draw_sections(ax: "matplotlib.axes.Axes", split: Split) -> None:
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Patch

    own = [name for name in split.sections if name not in RESERVED]
    names = own or [name for name in ("rim", "interior") if name in split.sections]
    colours = {name: OTHERS[place % len(OTHERS)] for place, name in enumerate(own)} or {"rim": NEAR, "interior": DEEP}
    layers = [("trained", TRAINED, split.train), ("held out", NEAR, split.held_out)]
    layers += [(name, colours[name], split.sections[name]) for name in names]
    codes = np.zeros(split.grid.size, dtype=int)
    for code, (_, _, mask) in enumerate(layers):
        codes[mask] = code
    plane = codes.reshape(_plane(split.grid)[:2])
    ax.imshow(plane, cmap=ListedColormap([colour for _, colour, _ in layers]), vmin=0, vmax=len(layers) - 1)
    shown = [Patch(facecolor=layers[code][1], label=layers[code][0]) for code in np.unique(codes)]
    ax.legend(handles=shown, loc="upper left", bbox_to_anchor=(1.02, 1.0), borderaxespad=0.0)


def _outline(ax: "matplotlib.axes.Axes", inside: Bool[np.ndarray, "rows columns"]) -> None:
    """A red line along every side between a cell inside and one outside."""
    from matplotlib.collections import LineCollection

    framed = np.pad(inside, 1)
    # Cell (row, column) spans half a unit to each side of its centre.
    across = [((x - 0.5, y - 1.5), (x - 0.5, y - 0.5)) for y, x in np.argwhere(framed[:, 1:] != framed[:, :-1])]
    down = [((x - 1.5, y - 0.5), (x - 0.5, y - 0.5)) for y, x in np.argwhere(framed[1:] != framed[:-1])]
    ax.add_collection(LineCollection(across + down, colors=OUTLINE, linewidths=1.8, capstyle="round", clip_on=False))


def _label(axis: "matplotlib.axis.Axis", factor: Factor, most: int = 8) -> None:
    """Name the axis after the factor and mark some levels by their own names."""
    step = -(-len(factor) // most)
    places = range(0, len(factor), step)
    axis.set_ticks(places, [_short(factor.levels[place]) for place in places])
    axis.set_label_text(factor.name)


def _short(level: int | float | str) -> str:
    return level if isinstance(level, str) else f"{level:.4g}"
