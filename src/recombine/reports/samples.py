"""What was drawn for some held-out combinations, beside what should have been drawn."""

from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Float

from recombine.reports.canvas import framed, image, level_name
from recombine.reports.markup import Markup
from recombine.reports.numbers import short
from recombine.reports.settings import SeedRun, SettingRuns

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NEEDED = {"sample_combinations", "sample_targets", "sample_outputs"}
COLUMN, ROW, MARGIN = 0.72, 0.72, (0.85, 0.75)  # inches


def samples_figure(setting: SettingRuns) -> Markup | None:
    """Target, output and difference for the samples of the first seed that kept any; None if none did."""
    kept = [
        run for run in setting.with_status("done") if set(run.arrays) >= NEEDED and len(run.arrays["sample_targets"])
    ]
    return _figure(setting.label, kept[0]) if kept else None


def errors_of(
    outputs: Float[np.ndarray, "samples rows columns"], targets: Float[np.ndarray, "samples rows columns"], blank: float
) -> Float[np.ndarray, " samples"]:
    """nMSE of each picture: its squared error over that of a blank. 0: right; 1: as bad as a blank."""
    wrong = np.square(outputs - targets).mean(axis=(1, 2))
    return wrong / np.square(blank - targets).mean(axis=(1, 2))


def _figure(label: str, run: SeedRun) -> Markup:
    task, grid = run.experiment.problem.task, run.experiment.problem.grid
    targets, outputs = (run.arrays[name].astype(np.float64) for name in ("sample_targets", "sample_outputs"))
    errors = errors_of(outputs, targets, task.blank)
    names = [
        [f"{factor.name} {level_name(factor, level)}" for factor, level in zip(grid.factors, combination, strict=True)]
        for combination in run.arrays["sample_combinations"].tolist()
    ]
    low, high = min(0.0, float(targets.min())), max(1.0, float(targets.max()))

    def draw(figure: "Figure") -> None:
        axes = figure.subplots(3, len(targets), squeeze=False)
        rows = (
            ("target", targets, "gray", low, high),
            ("output", outputs, "gray", low, high),
            ("difference", outputs - targets, "RdBu_r", low - high, high - low),
        )
        for line, (title, pictures, colours, least, most) in zip(axes, rows, strict=True):
            for place, picture in zip(line, pictures, strict=True):
                shown = place.imshow(picture, interpolation="nearest", cmap=colours, vmin=least, vmax=most)
                place.set_xticks([])
                place.set_yticks([])
                place.spines[:].set_visible(True)
                place.spines[:].set_color("#888888")
            line[0].set_ylabel(title)
            if title != "target":
                bar = figure.colorbar(shown, ax=line.tolist(), fraction=0.04, pad=0.02, aspect=8)
                bar.ax.tick_params(labelsize=7)
        for place, name, error in zip(range(len(targets)), names, errors, strict=True):
            axes[0, place].set_title("\n".join(name), fontsize=8)
            axes[2, place].set_xlabel(short(float(error)), fontsize=8)

    seed = run.experiment.seed
    listed = "; ".join(
        f"{', '.join(name)}: nMSE {short(float(error))}" for name, error in zip(names, errors, strict=True)
    )
    alt = f"Target, output and difference of {label}, seed {seed}, for held-out combinations. {listed}."
    caption = (
        f"Held-out combinations of seed {seed}: what should be drawn, what is drawn, and output − target "
        "(red too bright, blue too dark). Below each: its nMSE."
    )
    size = (COLUMN * len(targets) + MARGIN[0], ROW * 3 + MARGIN[1])
    return framed(image(draw, size, alt, raster=True), caption)
