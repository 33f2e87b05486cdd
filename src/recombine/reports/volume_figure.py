"""How much room every combination has in each layer, from input to output: does the hole stand out?"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from recombine.core.shapes import Float
from recombine.reports.canvas import colour_bar, framed, image
from recombine.reports.error_maps import outline
from recombine.reports.kernel_curves import with_arrays
from recombine.reports.markup import Markup
from recombine.reports.numbers import short
from recombine.reports.planes import show
from recombine.reports.settings import SettingRuns, problem_of
from recombine.reports.shown_words import hole_words

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SIDE, MARGIN = 1.3, (1.1, 1.05)  # inches
IN_A_ROW = 8  # maps
REACH = 3.0  # standard deviations that the colours span to each side


def volume_figure(setting: SettingRuns) -> Markup | None:
    """A map for each layer of the first seed that kept them, the hole inside a red line; None if none did."""
    problem = problem_of(setting.work)
    grid = problem.grid
    kept = with_arrays(setting, "volume_maps")
    runs = [run for run in kept if run.arrays["volume_maps"].shape == (len(run.layers), *grid.shape)]
    if not runs:
        return None
    run, rows_and_columns = runs[0], (grid.factors[0], grid.factors[1])
    maps = run.arrays["volume_maps"].astype(np.float64)
    inside = problem.parts.held_out.reshape(grid.shape)
    found = run.measures.get("volume_contrast")
    contrasts: Mapping[str, float] = found if isinstance(found, Mapping) else {}
    columns = min(len(maps), IN_A_ROW)
    rows = -(-len(maps) // columns)

    def draw(figure: "Figure") -> None:
        axes = figure.subplots(rows, columns, squeeze=False)
        for place, here in enumerate(axes.flat):
            if place >= len(maps):
                here.set_visible(False)
                continue
            name, values = run.layers[place], maps[place]
            lowest = place + columns >= len(maps)
            look = {"cmap": "RdBu_r", "vmin": -REACH, "vmax": REACH}
            shown = show(here, standardised(values), rows_and_columns, place % columns == 0, lowest, **look)
            outline(here, inside)
            contrast = f"\nD = {_rounded(contrasts[name], 3)}" if name in contrasts else ""
            here.set_title(f"{name}{contrast}\n{_spread(values)}", fontsize=8)
        colour_bar(
            figure, shown, axes, "sd from the\nlayer's mean", extend="both", ticks=[-3, 0, 3], shrink=0.9, aspect=12,
            pad=0.01,
        )  # fmt: skip

    told = ", ".join(f"{name} {_rounded(contrasts[name], 3)}" for name in run.layers if name in contrasts)
    seed = run.work.seed
    red = hole_words(problem)
    alt = f"Volume maps of {setting.label}, seed {seed}, layer by layer. Volume contrast D: {told or 'not measured'}."
    caption = (
        f"After Fig. 2e-f, 3d and 4d, seed {seed}: log10 of the room that a step in both factors takes in each layer "
        "(red more, blue less). Every layer has its own range of colours, its mean ± 3 standard deviations; mean ± "
        f"standard deviation stand in the title. D is the mean inside the red line ({red}) minus the mean outside, "
        "without the border of the plane: 0 is flat, −1 a tenth of the room."
    )
    size = (SIDE * columns + MARGIN[0], (SIDE + MARGIN[1]) * rows)
    return framed(image(draw, size, alt), caption, wide=True)


def standardised(values: Float[np.ndarray, "y x"]) -> Float[np.ndarray, "y x"]:
    """Distance from the mean in standard deviations; 0 throughout where nothing varies."""
    spread = values.std()
    # Half precision leaves a flat map flat to its last digit.
    return (values - values.mean()) / spread if spread > 0 else np.zeros_like(values)


def _spread(values: Float[np.ndarray, "y x"]) -> str:
    return f"{_rounded(float(values.mean()), 2)} ± {_rounded(float(values.std()), 2)}"


def _rounded(value: float, digits: int) -> str:
    return short(round(value, digits) + 0.0)  # no minus before a zero
