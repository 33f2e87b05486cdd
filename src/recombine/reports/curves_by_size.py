"""Errors against the size of a disturbance, beside those of the controls: noise in the units, an input out of range."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from recombine.core.shapes import Float
from recombine.reports.canvas import COLOURS, LINES, MARKS, framed, image, logarithmic
from recombine.reports.markup import Markup
from recombine.reports.numbers import count, short
from recombine.reports.settings import SettingRuns

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WIDTH, HEIGHT, LINE = 3.7, 2.7, 0.17  # inches, the last of a line of the legend
WORDY = 22  # letters of a name beside which another has no room
GREY = "#666666"


@dataclass(frozen=True, eq=False)
class Curve:
    """A measure that is a mapping from a number to a value: a value per seed and number, the numbers rising."""

    name: str
    numbers: tuple[float, ...]
    values: Float[np.ndarray, "seeds numbers"]

    @property
    def means(self) -> Float[np.ndarray, " numbers"]:
        """Geometric means over seeds, exp(mean of log v); 0 where a seed has 0."""
        with np.errstate(divide="ignore"):
            return np.exp(np.log(self.values).mean(axis=0))


@dataclass(frozen=True, slots=True)
class Drawing:
    """What one figure shows: its measures, each with the words that tell it apart, and the words around them."""

    quantities: Mapping[str, str]  # the first is solid, the second dotted
    across: str
    value: str
    caption: str


ROBUSTNESS = Drawing(
    {"noise_robustness": "Poisson-like", "noise_robustness_additive": "additive"},
    "size of the noise on hidden units",
    "mean squared error",
    "Error on trained combinations with noise: a unit that shows a gives a + c √|a| ξ (Poisson-like) or a + c ξ "
    "(additive), ξ standard normal, c the size of the noise.",
)
LEAK = Drawing(
    {"shift_leak": "as trained", "pruned_shift_leak": "pruned"},
    "shift of the first input",
    "mean squared error\nof the other outputs",
    "Error of the other modules' outputs when the inputs of the first are shifted. Level: nothing leaks into them.",
)


def robustness_figure(setting: SettingRuns, controls: Sequence[SettingRuns] = ()) -> Markup | None:
    """Error against the size of noise on hidden units, Poisson-like and additive; None if not measured."""
    return by_size_figure(ROBUSTNESS, setting, controls)


def leak_by_shift_figure(setting: SettingRuns, controls: Sequence[SettingRuns] = ()) -> Markup | None:
    """Error of the other outputs against the shift of the first input, as trained and pruned; None if not measured."""
    return by_size_figure(LEAK, setting, controls)


def curve(setting: SettingRuns, quantity: str) -> Curve | None:
    """The values of a measure by number over the seeds that have it; None if it was not measured so."""
    found = (run.measures.get(quantity) for run in setting.with_status("done"))
    there = [{float(key): float(value) for key, value in each.items()} for each in found if isinstance(each, Mapping)]
    numbers = sorted(set.intersection(*map(set, there))) if there else []
    if not numbers:
        return None
    return Curve(setting.label, tuple(numbers), np.array([[each[number] for number in numbers] for each in there]))


def by_size_figure(drawing: Drawing, setting: SettingRuns, controls: Sequence[SettingRuns]) -> Markup | None:
    """A line for each setting, its own first, and a band over seeds; None if the setting itself has no values."""
    by_setting = [_curves(drawing, each) for each in (setting, *controls)]
    if not by_setting[0]:
        return None
    shown = [found for found in by_setting if found]
    curves = [each for found in shown for each in found.values()]
    positive = [float(value) for each in curves for value in each.values[each.values > 0]]
    floor = min(positive, default=1.0) / 2
    variants = [words for words in drawing.quantities.values() if words and any(words in found for found in shown)]
    names = [*(next(iter(found.values())).name for found in shown if len(shown) > 1), *variants]
    columns = 1 if max(map(len, names), default=0) > WORDY else 2

    def draw(figure: "Figure") -> None:
        axes = figure.add_subplot()
        for place, found in enumerate(shown):
            style = place % len(COLOURS)
            for words, each in found.items():
                named = len(shown) > 1 and words == next(iter(found))
                name: dict[str, Any] = {"label": each.name} if named else {}
                look = _look(drawing, words, style)
                values, means = np.maximum(each.values, floor), np.maximum(each.means, floor)
                axes.plot(each.numbers, means, markersize=4.5, linewidth=1.4, **look, **name)
                ends = values.min(axis=0), values.max(axis=0)
                axes.fill_between(each.numbers, *ends, color=COLOURS[style], alpha=0.14, linewidth=0)
        for words in variants:
            axes.plot([], [], label=words, **{**_look(drawing, words, 0), "color": GREY, "marker": ""})
        logarithmic(axes.xaxis)
        logarithmic(axes.yaxis)
        axes.set_xlabel(drawing.across)
        axes.set_ylabel(drawing.value)
        if names:
            figure.legend(loc="outside upper left", ncols=columns, frameon=False, handlelength=2.6, columnspacing=1.0)

    told = "; ".join(
        f"{each.name}{f', {words}' if words else ''}: {_told(each)}" for found in shown for words, each in found.items()
    )
    seeds = count(max(len(each.values) for each in curves), "seed")
    value = drawing.value.replace("\n", " ")
    caption = f"{drawing.caption} Geometric mean over up to {seeds}; the band is from the least to the largest."
    caption += "".join(f" Dotted, with hollow marks: {words}." for words in variants[1:])
    if any((each.values < floor).any() for each in curves):
        caption += f" What is below {short(floor)} is drawn there."
    size = (WIDTH, HEIGHT + LINE * -(-len(names) // columns))
    return framed(image(draw, size, f"{value} against {drawing.across}. {told}."), caption)


def _curves(drawing: Drawing, setting: SettingRuns) -> dict[str, Curve]:
    """The curves a setting has, by the words that tell them apart."""
    found = {words: curve(setting, quantity) for quantity, words in drawing.quantities.items()}
    return {words: each for words, each in found.items() if each is not None}


def _look(drawing: Drawing, words: str, style: int) -> dict[str, Any]:
    """Colours and marks tell settings apart; lines do so too, unless they tell the measures of a setting apart."""
    look: dict[str, Any] = {"color": COLOURS[style], "marker": MARKS[style]}
    if len(drawing.quantities) == 1:
        return {**look, "linestyle": LINES[style]}
    first = words == next(iter(drawing.quantities.values()))
    return {**look, "linestyle": "-"} if first else {**look, "linestyle": ":", "markerfacecolor": "white"}


def _told(found: Curve) -> str:
    points = zip(found.numbers, found.means, strict=True)
    return ", ".join(f"{short(float(mean))} at {short(number)}" for number, mean in points)
