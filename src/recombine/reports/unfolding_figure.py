"""How a torus unfolds: the probe's spectrum and its first components at a few steps of training."""

from typing import TYPE_CHECKING

import numpy as np

from recombine.measures.spectrum import TORUS
from recombine.reports.canvas import framed, image
from recombine.reports.kernel_curves import with_arrays
from recombine.reports.markup import Markup
from recombine.reports.numbers import short
from recombine.reports.portrait_figure import PAIRS, ring_spread
from recombine.reports.settings import SettingRuns, problem_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHOWN = 5  # checkpoints, evenly
SIDE = (1.45, 1.4)  # inches


def unfolding_figure(setting: SettingRuns) -> Markup | None:
    """A column for each of a few checkpoints; None where nothing was kept on the way."""
    kept = with_arrays(setting, "course_spectrum_probe", "course_portrait_probe", "course_steps")
    if not kept:
        return None
    run, problem = kept[0], problem_of(setting.work)
    spectra, portraits = (run.arrays[f"course_{name}_probe"].astype(float) for name in ("spectrum", "portrait"))
    steps = run.arrays["course_steps"]
    if portraits.shape[1:] != (problem.grid.size, TORUS):
        return None
    chosen = np.unique(np.linspace(0, len(steps) - 1, min(SHOWN, len(steps))).round().astype(int))
    x = np.indices(problem.grid.shape)[1].ravel()
    pairs = PAIRS[:2]

    def draw(figure: "Figure") -> None:
        grid = figure.subplots(1 + len(pairs), len(chosen), squeeze=False)
        for column, place in enumerate(chosen):
            top, *below = grid[:, column]
            top.bar(np.arange(1, spectra.shape[1] + 1), spectra[place], color="#4c72b0")
            top.axvline(TORUS + 0.5, color="#888888", linewidth=0.8, linestyle=":")
            top.set_ylim(0, spectra[chosen].max() * 1.05)
            top.set_title(f"step {steps[place]:.0f}", fontsize=8)
            for panel, (first, second) in zip(below, pairs, strict=True):
                panel.scatter(*portraits[place][:, [first - 1, second - 1]].T, c=x, cmap="hsv", s=4, linewidths=0)
                panel.set_xlabel(f"component {first}", fontsize=7)
                panel.set_xticks([])
                panel.set_yticks([])
            if column == 0:
                top.set_ylabel("share of variance", fontsize=7)
                for panel, (_, second) in zip(below, pairs, strict=True):
                    panel.set_ylabel(f"component {second}", fontsize=7)
            top.tick_params(labelsize=6, labelleft=column == 0)

    told = "; ".join(
        f"step {steps[place]:.0f}: {short(float(spectra[place][:TORUS].sum()))} in {TORUS} components, spread of radii "
        + " and ".join(short(ring_spread(portraits[place][:, [a - 1, b - 1]])) for a, b in pairs)
        for place in chosen
    )
    caption = (
        f"Seed {run.work.seed}. Above: share of the variance by principal component, dotted after the {TORUS} that two "
        f"rings need. Below: every label along two pairs of components, coloured by x; a ring has a spread of radii of "
        f"0. {told}."
    )
    size = (SIDE[0] * len(chosen) + 0.3, SIDE[1] * (1 + len(pairs)) + 0.3)
    return framed(image(draw, size, f"Spectrum and portraits of {setting.label} in the course of training."), caption)
