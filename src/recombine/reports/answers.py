"""What was answered to every combination of components, beside the right answers."""

from typing import TYPE_CHECKING, Any

import numpy as np

from recombine.core.shapes import Float
from recombine.data.components import ComponentTask
from recombine.measures.slope import fitted_line
from recombine.reports.canvas import COLOURS, colour_bar, framed, image, label_levels, level_name
from recombine.reports.error_maps import outline
from recombine.reports.markup import Markup
from recombine.reports.numbers import count, short
from recombine.reports.settings import SettingRuns, problem_of
from recombine.reports.shown_words import hole_words

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ZERO = 1e-9  # answers nearer to zero are no decision
MOST = 4  # maps side by side


def answers_figure(setting: SettingRuns) -> Markup | None:
    """For sums the answers over the true ones, for classes a map of accuracy; None if no seed kept its answers."""
    task, answers = problem_of(setting.work).task, answers_of(setting)
    assert isinstance(task, ComponentTask)
    if not len(answers):
        return None
    return _classes(setting, task, answers) if task.binary else _sums(setting, task, answers)


def answers_of(setting: SettingRuns) -> Float[np.ndarray, "seeds combinations"]:
    """The mean answer to every combination, for each seed that kept them."""
    size = problem_of(setting.work).grid.size
    kept = [run.arrays["answers"] for run in setting.with_status("done") if "answers" in run.arrays]
    return np.array([each for each in kept if each.shape == (size,)], dtype=np.float64).reshape(-1, size)


def right_share(
    answers: Float[np.ndarray, "seeds combinations"], labels: Float[np.ndarray, " combinations"]
) -> Float[np.ndarray, " combinations"]:
    """The share of seeds whose mean answer has the right sign; an answer of zero counts one half.

    1: all are right; 0: all are wrong; NaN: there is no right answer.
    """
    decided = np.where(np.abs(answers) < ZERO, 0.5, (answers * labels > 0).astype(np.float64))
    return np.where(np.isnan(labels), np.nan, decided.mean(axis=0))


def _sums(setting: SettingRuns, task: ComponentTask, answers: Float[np.ndarray, "seeds combinations"]) -> Markup | None:
    parts, mean = problem_of(setting.work).parts, answers.mean(axis=0)
    truth = task.labels
    if not np.ptp(truth[parts.held_out]):  # one right answer alone has no slope
        return None
    slope, offset = fitted_line(mean[parts.held_out], truth[parts.held_out])
    slopes = [fitted_line(each[parts.held_out], truth[parts.held_out])[0] for each in answers]

    def draw(figure: "Figure") -> None:
        axes = figure.add_subplot()
        ends = np.array([truth.min(), truth.max()])
        axes.plot(ends, ends, "--", color="#666666", linewidth=1, label="right")
        axes.plot(truth[parts.train], mean[parts.train], "s", color="#999999", markersize=3.5, label="trained")
        held: dict[str, Any] = {"color": COLOURS[0], "alpha": 0.7, "markersize": 4.5, "markeredgewidth": 0}
        axes.plot(truth[parts.held_out], mean[parts.held_out], "o", label="held out", **held)
        axes.plot(ends, slope * ends + offset, color=COLOURS[1], linewidth=1.4, label=f"slope {short(slope)}")
        axes.locator_params(integer=True, steps=[1, 2, 4, 5, 10])
        axes.set_xlabel("right answer")
        axes.set_ylabel("answer, mean over seeds")
        figure.legend(loc="outside upper left", ncols=2, frameon=False)

    seeds = count(len(answers), "seed")
    over = f"{short(min(slopes))} to {short(max(slopes))} over {seeds}"
    line = f"the line through the held-out answers has slope {short(slope)} ({over}) and offset {short(offset)}"
    alt = f"Answers of {setting.label} over right answers: {line}."
    caption = f"The answer to every combination, averaged over {seeds}: {line}. Slope 1 is right, below 1 is a leak."
    return framed(image(draw, (3.3, 3.1), alt), caption)


def _classes(setting: SettingRuns, task: ComponentTask, answers: Float[np.ndarray, "seeds combinations"]) -> Markup:
    problem = problem_of(setting.work)
    *above, rows, columns = problem.grid.factors
    shape = (-1, len(rows), len(columns))
    share, held_out = right_share(answers, task.labels), problem.parts.held_out
    maps, inside = share.reshape(shape)[:MOST], held_out.reshape(shape)[:MOST]

    def draw(figure: "Figure") -> None:
        panels = figure.subplots(1, len(maps), squeeze=False)[0]
        for place, axes in enumerate(panels):
            shown = axes.imshow(maps[place], cmap="cividis", vmin=0, vmax=1, interpolation="none")
            outline(axes, inside[place])
            label_levels(axes.xaxis, columns, most=10)
            label_levels(axes.yaxis, rows, most=10)
            axes.spines[:].set_visible(True)
            if len(above) == 1:
                axes.set_title(f"{above[0].name} {level_name(above[0], place)}")
            if place:
                axes.set_ylabel("")
        colour_bar(figure, shown, list(panels), "share of seeds right", ticks=[0, 0.5, 1], shrink=0.8)

    seeds = count(len(answers), "seed")
    trained, held = (short(float(share[mask].mean())) for mask in (problem.parts.train, held_out))
    alt = f"Accuracy of {setting.label} by combination over {seeds}: {trained} trained, {held} held out."
    red = hole_words(problem)
    caption = f"How many of {seeds} give a mean answer of the right sign: mean {trained} for trained combinations, "
    caption += f"{held} for held-out ones. Red line: {red}."
    return framed(image(draw, (1.7 + 1.75 * len(maps), 2.6), alt), caption)
