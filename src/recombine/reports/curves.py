"""How the training error fell, a line for each seed."""

from typing import TYPE_CHECKING

import numpy as np

from recombine.reports.canvas import COLOURS, framed, image, logarithmic
from recombine.reports.descriptions import LOSSES
from recombine.reports.markup import Markup
from recombine.reports.numbers import count, short
from recombine.reports.settings import SeedRun, SettingRuns
from recombine.studies import Experiment

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NEEDED = {"steps", "losses", "errors"}
TRAINED, FAILED = COLOURS[0], COLOURS[1]
BRIEF = 24  # letters that an axis has room for


def curves_figure(setting: SettingRuns) -> Markup | None:
    """Training error against step, failed runs too, and the loss where penalties are part of it; None if nothing."""
    runs = [run for run in setting.runs if set(run.arrays) >= NEEDED and _drawable(run.arrays["errors"]).any()]
    if not runs:
        return None
    loss = LOSSES[setting.work.recipe.loss] if isinstance(setting.work, Experiment) else "loss"
    penalised = any(not np.array_equal(run.arrays["losses"], run.arrays["errors"]) for run in runs)

    def draw(figure: "Figure") -> None:
        axes = figure.add_subplot()
        for run in runs:
            colour = FAILED if run.status == "failed" else TRAINED
            mark = "." if len(run.arrays["steps"]) < 3 else ""
            for name, line, width in (("errors", "-", 1.1), *((("losses", ":", 0.9),) if penalised else ())):
                there = _drawable(run.arrays[name])
                steps, values = run.arrays["steps"][there], run.arrays[name][there]
                axes.plot(steps, values, line, color=colour, linewidth=width, marker=mark, alpha=0.8)
                if run.status == "failed" and name == "errors":
                    axes.plot(steps[-1:], values[-1:], "x", color=FAILED, markersize=8, markeredgewidth=2)
        logarithmic(axes.yaxis)
        axes.set_xlabel("training step")
        axes.set_ylabel(f"{loss} of a batch" if len(loss) < BRIEF else "error of a batch")

    failed = [run for run in runs if run.status == "failed"]
    ends = "; ".join(f"seed {run.work.seed}: {short(_last(run))}" for run in runs)
    alt = f"Training {loss} of {setting.label} by step, {count(len(runs), 'seed')}. Last values: {ends}."
    caption = f"Mean {loss} of training batches, a line for each of {count(len(runs), 'seed')}."
    caption += " Dotted: the loss with its penalties." if penalised else ""
    caption += f" Orange, ending in ×: {count(len(failed), 'failed run')}." if failed else ""
    return framed(image(draw, (3.3, 2.6), alt), caption)


def _drawable(values: np.ndarray) -> np.ndarray:
    """Where a value has a place on a logarithmic axis."""
    return np.isfinite(values) & (values > 0)


def _last(run: SeedRun) -> float:
    return float(run.arrays["errors"][-1])
