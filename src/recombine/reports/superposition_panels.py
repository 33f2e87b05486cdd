"""What an answer deep in the hole is made of: the remembered pictures that share x, those that share y, their sum."""

from typing import TYPE_CHECKING

import numpy as np

from recombine.core.shapes import Float
from recombine.reports.canvas import RED, colour_bar, framed, image, level_name
from recombine.reports.kernel_curves import with_arrays
from recombine.reports.markup import Markup
from recombine.reports.numbers import short
from recombine.reports.planes import factors_of, show
from recombine.reports.settings import SettingRuns, problem_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NEEDED = tuple(f"superposition_{part}" for part in ("combinations", "truth", "answer", "y", "x"))
SIDE, MARGIN = 1.15, (1.25, 0.85)  # inches

ANSWER = "network's\nanswer"

Pictures = Float[np.ndarray, "panels rows columns"]


def superposition_figure(setting: SettingRuns) -> Markup | None:
    """A row for each held-out combination of the first seed that kept them; None if none did."""
    runs = [run for run in with_arrays(setting, *NEEDED) if len(run.arrays["superposition_truth"])]
    if not runs:
        return None
    grid, arrays = problem_of(setting.work).grid, runs[0].arrays
    rows, columns = grid.factors
    truth, answer, shared_y, shared_x = (arrays[name].astype(np.float64) for name in NEEDED[1:])
    both = scaled(shared_x + shared_y)
    panels = {
        f"answers with\nthe same {columns.name}": shared_x,
        f"answers with\nthe same {rows.name}": shared_y,
        "sum of\nboth": both,
        ANSWER: scaled(answer),
        "truth": truth,
    }
    names = [
        f"{columns.name} {level_name(columns, x)}, {rows.name} {level_name(rows, y)}"
        for y, x in arrays["superposition_combinations"].tolist()
    ]
    factors = factors_of(grid, truth.shape[1:])

    def draw(figure: "Figure") -> None:
        axes = figure.subplots(len(names), len(panels), squeeze=False)
        for row, name in enumerate(names):
            place = true_place(truth[row])
            for column, (title, pictures) in enumerate(panels.items()):
                here, last = axes[row, column], row == len(names) - 1
                shown = show(here, pictures[row], factors, column == 0, last, cmap="gray_r", vmin=0, vmax=1)
                if row == 0:
                    here.set_title(title)
                if title == ANSWER:
                    most = f"up to {short(round(float(answer[row].max()), 2))}"
                    here.text(0.97, 0.03, most, transform=here.transAxes, ha="right", va="bottom", fontsize=7)
                if place is not None:
                    here.plot(place[1], place[0], "+", color=RED, markersize=9, markeredgewidth=1.6)
            axes[row, 0].set_ylabel(f"asked: {name}\n{axes[row, 0].get_ylabel()}")
        colour_bar(figure, shown, axes, "ink", extend="both", ticks=[0, 0.5, 1], shrink=0.6, aspect=18, pad=0.01)

    with_sum, with_truth = mean_correlation(both, answer), mean_correlation(truth, answer)
    told = f"correlates {short(round(with_sum, 2))} with the sum and {short(round(with_truth, 2))} with the truth"
    seed = runs[0].work.seed
    alt = (
        f"Superposition panels of {setting.label}, seed {seed}, for {'; '.join(names)}: sums of answers that share a "
        f"level, the network's answer and the truth. The answer {told}, on average."
    )
    caption = (
        f"After Fig. 1d, seed {seed}: ink of the answers to trained combinations that share {columns.name} and that "
        f"share {rows.name} with the one asked for, added up, each sum divided by its largest value; so is the answer, "
        f"whose largest value stands in it. Red cross: where "
        f"the truth is darkest. A network that superposes answers like the third column, one that composes like the "
        f"last. Here the answer {told}, on average."
    )
    size = (SIDE * len(panels) + MARGIN[0], SIDE * len(names) + MARGIN[1])
    return framed(image(draw, size, alt), caption, wide=True)


def scaled(pictures: Pictures) -> Pictures:
    """Each picture divided by its maximum; nothing but blank stays blank."""
    return pictures / np.maximum(pictures.max(axis=(1, 2), keepdims=True), 1e-12)


def true_place(picture: Float[np.ndarray, "rows columns"]) -> tuple[int, int] | None:
    """Row and column of the most ink; None where there is none."""
    row, column = np.unravel_index(int(picture.argmax()), picture.shape)
    return (int(row), int(column)) if picture.max() > 0 else None


def mean_correlation(first: Pictures, second: Pictures) -> float:
    """The correlation of pictures, pair by pair, averaged; a pair with a uniform picture counts 0."""
    a, b = (each.reshape(len(each), -1) - each.mean(axis=(1, 2))[:, None] for each in (first, second))
    size = np.sqrt(np.square(a).sum(axis=1) * np.square(b).sum(axis=1))
    return float(np.divide((a * b).sum(axis=1), size, out=np.zeros_like(size), where=size > 0).mean())
