"""Measures that have a value for each layer, from input to output, beside those of the controls."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from recombine.core.shapes import Float
from recombine.measures import measures
from recombine.reports.canvas import COLOURS, LINES, MARKS, framed, image
from recombine.reports.markup import Markup
from recombine.reports.numbers import count, short
from recombine.reports.settings import SettingRuns

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# The measures by layer that are drawn, with the words on their axis.
DRAWN = {
    "factorisation": "factorisation score",
    "volume_contrast": "volume contrast",
    "probe_held_out": "R² of a linear probe",
    "spectral_score": "spectral score of the weights",
}


# Where an axis ends: how far below 0 an R² falls says nothing more.
LEAST = {"probe_held_out": -1.0}


@dataclass(frozen=True, eq=False)
class Profile:
    """A measure by layer: a value per seed and layer, the layers from input to output."""

    label: str
    layers: tuple[str, ...]
    values: Float[np.ndarray, "seeds layers"]

    @property
    def depths(self) -> Float[np.ndarray, " layers"]:
        """Where each layer is between input (0) and output (1), so that networks of unequal depth compare."""
        return np.linspace(0.0, 1.0, len(self.layers))


def profile(setting: SettingRuns, quantity: str) -> Profile | None:
    """The values of a measure by layer over the seeds that have it; None if it was not measured by layer."""
    done = setting.with_status("done")
    there = [each for each in (run.measures.get(quantity) for run in done) if isinstance(each, Mapping)]
    # A record's mappings are sorted by name; the order of the layers is kept beside them.
    names = tuple(name for name in (done[0].layers if done else ()) if all(name in each for each in there))
    if not there or len(names) < 2:
        return None
    values = np.array([[float(each[name]) for name in names] for each in there])
    return Profile(setting.label, names, values)


def layer_figures(setting: SettingRuns, controls: Sequence[SettingRuns]) -> list[Markup]:
    """A figure for each measure by layer that the setting has."""
    measured = {name for run in setting.with_status("done") for name in run.measures}
    if not measured & DRAWN.keys():
        return []
    figures = []
    for quantity in DRAWN:
        own, *others = (profile(each, quantity) for each in (setting, *controls))
        if own is not None:
            figures.append(_figure(quantity, [own, *(other for other in others if other is not None)]))
    return figures


def _figure(quantity: str, profiles: Sequence[Profile]) -> Markup:
    words, least = DRAWN[quantity], LEAST.get(quantity, -np.inf)

    def draw(figure: "Figure") -> None:
        axes = figure.add_subplot()
        for place, each in enumerate(profiles):
            style = place % len(COLOURS)
            values = np.maximum(each.values, least)
            look: dict[str, Any] = {"color": COLOURS[style], "marker": MARKS[style], "linestyle": LINES[style]}
            axes.plot(each.depths, values.mean(axis=0), label=each.label, markersize=4, linewidth=1.4, **look)
            ends = values.min(axis=0), values.max(axis=0)
            axes.fill_between(each.depths, *ends, color=COLOURS[style], alpha=0.18, linewidth=0)
        axes.set_xticks(profiles[0].depths, profiles[0].layers, rotation=40, ha="right", rotation_mode="anchor")
        axes.set_ylabel(words)
        figure.legend(loc="outside upper left", ncols=2, frameon=False, handlelength=2.6, columnspacing=1.0)

    told = "; ".join(
        f"{each.label} from {short(float(each.values[:, 0].mean()))} at the {each.layers[0]} "
        f"to {short(float(each.values[:, -1].mean()))} at the {each.layers[-1]}"
        for each in profiles
    )
    seeds = count(max(len(each.values) for each in profiles), "seed")
    known = measures.summaries().get(quantity, quantity)
    caption = f"{known} Mean over up to {seeds}; the band is from the least to the largest."
    if any((each.values < least).any() for each in profiles):
        caption += f" Values below {short(least)} are drawn there."
    if len({each.layers for each in profiles}) > 1:
        caption += f" Layers are those of {profiles[0].label}; others lie at their share of the way to the last."
    return framed(image(draw, (3.5, 3.0), f"{words} by layer: {told}."), caption)
