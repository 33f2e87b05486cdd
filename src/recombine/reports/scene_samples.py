"""What was drawn for some scenes, beside what should have been drawn, in colour."""

from typing import TYPE_CHECKING

import numpy as np

from recombine.core.shapes import Float
from recombine.data.sprite_shapes import LATENTS, SHAPES, physical
from recombine.reports.canvas import framed, image
from recombine.reports.kernel_curves import with_arrays
from recombine.reports.markup import Markup
from recombine.reports.numbers import short
from recombine.reports.samples import centres, side_by_side
from recombine.reports.settings import SeedRun, SettingRuns

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NEEDED = ("scene_latents", "scene_targets", "scene_outputs")
COLUMN, ROW, MARGIN = 0.95, 0.95, (0.7, 0.75)  # inches

Pictures = Float[np.ndarray, "scenes rows columns colours"]


def scene_samples_figure(setting: SettingRuns) -> Markup | None:
    """Target, output and difference for the scenes of the first seed that kept any; None if none did."""
    kept = [run for run in with_arrays(setting, *NEEDED) if len(run.arrays["scene_targets"])]
    return _figure(setting.label, kept[0]) if kept else None


def strip_of(pictures: Pictures) -> Float[np.ndarray, "rows width colours"]:
    """All pictures in one, from left to right, cut to [0, 1], with white columns between them."""
    whole = np.stack([side_by_side(pictures[..., colour]) for colour in range(pictures.shape[-1])], axis=-1)
    return np.nan_to_num(whole.clip(0.0, 1.0), nan=1.0)


def shapes_of(latents: Float[np.ndarray, "scenes slots latents"]) -> list[list[str]]:
    """The shapes of the sprites of every scene, the front one first."""
    # The range of sizes does not matter to a shape.
    numbers = physical(latents, (0.0, 1.0))[..., LATENTS.index("shape")].astype(int)
    return [[SHAPES[number] for number in scene] for scene in numbers.tolist()]


def _figure(label: str, run: SeedRun) -> Markup:
    latents, targets, outputs = (run.arrays[name].astype(np.float64) for name in NEEDED)
    errors = np.square(outputs - targets).mean(axis=(1, 2, 3))
    names = shapes_of(latents)
    rows = {"target": targets, "output": outputs, "|difference|": np.abs(outputs - targets)}
    places = centres(targets[..., 0])

    def draw(figure: "Figure") -> None:
        panels = figure.subplots(len(rows), 1)
        for axes, (title, pictures) in zip(panels, rows.items(), strict=True):
            axes.imshow(strip_of(pictures), interpolation="none")
            axes.set_ylabel(title)
            axes.set_xticks([])
            axes.set_yticks([])
            axes.tick_params(length=0)
            axes.spines[:].set_visible(False)
        panels[0].xaxis.tick_top()
        panels[0].set_xticks(places, ["\n".join(name) for name in names])
        panels[-1].set_xticks(places, [short(float(error)) for error in errors])
        panels[-1].set_xlabel("mean squared error")

    seed = run.work.seed
    listed = "; ".join(f"{', '.join(name)}: {short(float(error))}" for name, error in zip(names, errors, strict=True))
    alt = (
        f"Target, output and difference of {label}, seed {seed}, for scenes of the whole space. Mean squared error by "
        f"scene, its sprites from the front: {listed}."
    )
    drawn, true = (f"{short(float(each.min()))} to {short(float(each.max()))}" for each in (outputs, targets))
    caption = (
        f"Scenes of the whole space, seed {seed}, chosen where sprites overlap if they do: what should be drawn, what "
        f"is drawn, and |output − target| in each colour, black where right. Above each: its sprites, the front one "
        f"first; below: its mean squared error. Colours are cut to [0, 1]; outputs run from {drawn}, "
        f"targets from {true}."
    )
    size = (COLUMN * len(targets) + MARGIN[0], ROW * len(rows) + MARGIN[1])
    return framed(image(draw, size, alt), caption, wide=True)
