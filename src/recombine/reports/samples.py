"""What was drawn for some held-out combinations, beside what should have been drawn."""

from typing import TYPE_CHECKING

import numpy as np

from recombine.core.shapes import Float
from recombine.data.picture_task import picture_task
from recombine.reports.canvas import colour_bar, framed, image, level_name
from recombine.reports.markup import Markup
from recombine.reports.numbers import short
from recombine.reports.settings import SeedRun, SettingRuns, problem_of
from recombine.reports.shown_words import no_combination, shown_instead

if TYPE_CHECKING:
    from matplotlib.axes import Axes
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
    """nMSE of each picture: its squared error over that of a blank.

    0: right; 1: as bad as a blank; NaN: the target itself is blank.
    """
    wrong, cost = (np.square(each - targets).mean(axis=(1, 2)) for each in (outputs, np.full_like(targets, blank)))
    return np.divide(wrong, cost, out=np.full_like(wrong, np.nan), where=cost > 0)


def side_by_side(
    pictures: Float[np.ndarray, "samples rows columns"],
) -> Float[np.ndarray, "rows width"]:
    """All pictures in one, from left to right, with empty columns (NaN) between them."""
    samples, rows, columns = pictures.shape
    gap = np.full((samples, rows, _gap(columns)), np.nan)
    whole = np.concatenate([pictures, gap], axis=2).transpose(1, 0, 2).reshape(rows, -1)
    return whole[:, : -_gap(columns)]


def centres(pictures: Float[np.ndarray, "samples rows columns"]) -> Float[np.ndarray, " samples"]:
    """The middle of each picture along the side."""
    samples, _, columns = pictures.shape
    return np.arange(samples) * (columns + _gap(columns)) + (columns - 1) / 2


def _gap(columns: int) -> int:
    return max(1, columns // 8)


def _frame(axes: "Axes", pictures: Float[np.ndarray, "samples rows columns"]) -> None:
    from matplotlib.patches import Rectangle

    _, rows, columns = pictures.shape
    for middle in centres(pictures):
        corner = (middle - columns / 2, -0.5)
        axes.add_patch(Rectangle(corner, columns, rows, fill=False, edgecolor="#888888", linewidth=0.8, clip_on=False))


def _figure(label: str, run: SeedRun) -> Markup:
    task, grid = picture_task(problem_of(run.work).task), problem_of(run.work).grid
    targets, outputs = (run.arrays[name].astype(np.float64) for name in ("sample_targets", "sample_outputs"))
    errors = errors_of(outputs, targets, task.blank)
    names = [
        [f"{factor.name} {level_name(factor, level)}" for factor, level in zip(grid.factors, combination, strict=True)]
        for combination in run.arrays["sample_combinations"].tolist()
    ]
    low, high = min(0.0, float(targets.min())), max(1.0, float(targets.max()))

    def draw(figure: "Figure") -> None:
        axes = figure.subplots(3, 1)
        rows = (
            ("target", targets, "gray", low, high),
            ("output", outputs, "gray", low, high),
            ("difference", outputs - targets, "RdBu_r", low - high, high - low),
        )
        for place, (title, pictures, colours, least, most) in zip(axes, rows, strict=True):
            shown = place.imshow(side_by_side(pictures), cmap=colours, vmin=least, vmax=most, interpolation="none")
            place.set_ylabel(title)
            place.set_yticks([])
            place.tick_params(length=0)
            place.spines[:].set_visible(False)
            _frame(place, pictures)
            if title != "target":
                both = [axes[0], axes[1]] if title == "output" else [place]
                colour_bar(figure, shown, both, aspect=7 * len(both), fraction=0.05, pad=0.02)
        axes[0].xaxis.tick_top()
        axes[0].set_xticks(centres(targets), ["\n".join(name) for name in names])
        axes[1].set_xticks([])
        axes[2].set_xticks(centres(targets), [short(float(error)) for error in errors])

    seed = run.work.seed
    listed = "; ".join(
        f"{', '.join(name)}: nMSE {short(float(error))}" for name, error in zip(names, errors, strict=True)
    )
    alt = f"Target, output and difference of {label}, seed {seed}, for held-out combinations. {listed}."
    problem = problem_of(run.work)
    which = "Combinations held out elsewhere and shown here" if problem.reveal else "Held-out combinations"
    which = f"Combinations held out in name only ({shown_instead(problem)})" if no_combination(problem) else which
    caption = (
        f"{which}, seed {seed}: what should be drawn, what is drawn, and output − target "
        "(red too bright, blue too dark). Below each: its nMSE."
    )
    size = (COLUMN * len(targets) + MARGIN[0], ROW * 3 + MARGIN[1])
    return framed(image(draw, size, alt), caption, wide=True)
