"""Measures that have a value for each layer, from input to output, beside those of the controls."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float

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
}


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
    found = [run.measures.get(quantity) for run in setting.with_status("done")]
    there = [each for each in found if isinstance(each, Mapping) and len(each) > 1]
    there = [each for each in there if each.keys() == there[0].keys()]
    if not there:
        return None
    names = in_order(there[0])
    values = np.array([[float(each[name]) for name in names] for each in there])
    return Profile(setting.label, names, values)


def in_order(names: Mapping[str, object]) -> tuple[str, ...]:
    """Layers from input to output. Records keep them sorted as words, where layer10 comes before layer2."""

    def place(name: str) -> tuple[int, list[tuple[int, str]]]:
        ends = {"input": 0, "output": 2}.get(name, 1)
        return ends, [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", name)]

    return tuple(sorted(names, key=place))


def layer_figures(setting: SettingRuns, controls: Sequence[SettingRuns]) -> list[Markup]:
    """A figure for each measure by layer that the setting has."""
    figures = []
    for quantity, words in DRAWN.items():
        own = profile(setting, quantity)
        if own is not None:
            others = [found for control in controls if (found := profile(control, quantity)) is not None]
            figures.append(_figure(quantity, words, [own, *others]))
    return figures


def _figure(quantity: str, words: str, profiles: Sequence[Profile]) -> Markup:
    def draw(figure: "Figure") -> None:
        axes = figure.add_subplot()
        for place, each in enumerate(profiles):
            style = place % len(COLOURS)
            mean = each.values.mean(axis=0)
            look: dict[str, Any] = {"color": COLOURS[style], "marker": MARKS[style], "linestyle": LINES[style]}
            axes.plot(each.depths, mean, label=each.label, markersize=4, linewidth=1.4, **look)
            least, largest = each.values.min(axis=0), each.values.max(axis=0)
            axes.fill_between(each.depths, least, largest, color=COLOURS[style], alpha=0.18, linewidth=0)
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
    if len({each.layers for each in profiles}) > 1:
        caption += f" Layers are those of {profiles[0].label}; others lie at their share of the way to the output."
    return framed(image(draw, (3.5, 3.0), f"{words} by layer: {told}."), caption)
