"""The components that a model makes its pictures of, beside the true ones."""

from typing import TYPE_CHECKING

import numpy as np

from recombine.core.shapes import Float
from recombine.measures.scene_exhibits import COLOURS, REACH
from recombine.models.scene_specs import Compositional
from recombine.reports.canvas import framed, image
from recombine.reports.kernel_curves import with_arrays
from recombine.reports.markup import Markup
from recombine.reports.numbers import short
from recombine.reports.settings import SeedRun, SettingRuns, numbers_of
from recombine.studies import Experiment

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NEEDED = ("component_truths", "component_answers")
SIDE, MARGIN = 1.0, (0.45, 0.35)  # inches

Components = Float[np.ndarray, "scenes slots rows columns colours"]


def component_figure(setting: SettingRuns) -> Markup | None:
    """A row for each scene of the first seed that kept components; None if none did."""
    kept = [run for run in with_arrays(setting, *NEEDED) if len(run.arrays[NEEDED[0]])]
    return _figure(setting.label, kept[0]) if kept else None


def _figure(label: str, run: SeedRun) -> Markup:
    truths, answers = (run.arrays[name].astype(np.float64) for name in NEEDED)
    scenes, slots = truths.shape[:2]

    def draw(figure: "Figure") -> None:
        grid = figure.subplots(scenes, 2 * slots, squeeze=False)
        for row, panels in enumerate(grid):
            for column, axes in enumerate(panels):
                slot, own = divmod(column, 2)
                axes.imshow((answers if own else truths)[row, slot].clip(0.0, 1.0), interpolation="none")
                axes.set_xticks([])
                axes.set_yticks([])
                if row == 0:
                    axes.set_title(f"sprite {slot + 1},\n{'model' if own else 'true'}")
            panels[0].set_ylabel(f"scene {row + 1}")

    told = ". ".join(_told(slot, truths[:, slot], answers[:, slot]) for slot in range(slots))
    seed = run.work.seed
    alt = f"True components and those of {label}, seed {seed}, in {scenes} scenes. {told}."
    caption = (
        f"Seed {seed}: the pictures that each sprite is drawn as before they are composed, true and by the model, cut "
        f"to [0, 1] for display; sprite 1 is in front. {told}. The model is trained on composed pictures only, so they "
        "can be right while components are not."
    )
    caption += _kept_within(answers) + _score(run) + _opacity(run)
    size = (SIDE * 2 * slots + MARGIN[0], SIDE * scenes + MARGIN[1])
    return framed(image(draw, size, alt), caption, wide=True)


def _told(
    slot: int,
    truths: Float[np.ndarray, "scenes rows columns colours"],
    answers: Float[np.ndarray, "scenes rows columns colours"],
) -> str:
    """What numbers one sprite has, and how far off the model's are."""
    true, own = (f"{short(float(each.min()))} to {short(float(each.max()))}" for each in (truths, answers))
    error = short(float(np.square(answers - truths).mean()))
    return f"Sprite {slot + 1} has true values from {true} and the model's from {own}, mean squared difference {error}"


def _kept_within(answers: Components) -> str:
    cut = float(np.mean(np.abs(answers) >= REACH))
    return f" A record keeps values within ±{REACH:g}; {short(100 * cut)}% of the model's reach that." if cut else ""


def _score(run: SeedRun) -> str:
    """How right the composed pictures of this run are."""
    found = numbers_of(run.measures).get("all_r2")
    return f" Its composed pictures of the whole space have an R² of {short(found)}." if found is not None else ""


def _opacity(run: SeedRun) -> str:
    model = run.work.model if isinstance(run.work, Experiment) else None
    if isinstance(model, Compositional) and model.composition.channels > COLOURS:
        return " Components have an opacity too, which is not shown: where it is 0, any colour will do."
    return ""
