"""What happened in the course of training: accuracy, directions used, and how near rings are to an ideal torus."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from recombine.core.shapes import Float
from recombine.reports.canvas import COLOURS, LINES, MARKS, framed, image
from recombine.reports.compared_looks import LOOKS, by_seed
from recombine.reports.markup import Markup
from recombine.reports.numbers import count, short
from recombine.reports.settings import SettingRuns

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

IDEALS = {"clifford": "Clifford torus", "ring": "ring in three dimensions"}
STILL = ("untrained", "pixels")  # layers that training does not change
SIDE, MARGIN = (3.3, 2.6), (0.2, 0.2)  # inches
COLUMNS = 2


@dataclass(frozen=True, eq=False)
class Course:
    """One line: a value per seed and checkpoint. One that is ``still`` is the same at all checkpoints."""

    words: str
    values: Float[np.ndarray, "seeds checkpoints"]
    look: dict[str, Any]
    still: bool = False

    @property
    def mean(self) -> Float[np.ndarray, " checkpoints"]:
        return self.values.mean(axis=0)

    def told(self) -> str:
        """Where it starts and ends, and its peak where that is neither."""
        first, last, peak = (float(each) for each in (self.mean[0], self.mean[-1], self.mean.max()))
        if self.still:
            return f"{self.words} {short(last)}"
        between = f" by way of {short(peak)}" if peak > max(first, last) else ""
        return f"{self.words} from {short(first)}{between} to {short(last)}"


@dataclass(frozen=True, eq=False)
class Panel:
    """Lines over the same axis."""

    title: str
    up: str
    lines: list[Course]
    top: float | None = None  # of the axis; None: as high as the lines need

    def told(self) -> str:
        return f"{self.title}: {'; '.join(line.told() for line in self.lines)}"


def panels_of(setting: SettingRuns) -> list[Panel]:
    """The panels for which something was measured in the course of training."""
    placed = [
        _course(setting, "darkest_accuracy.all", "darkest pixel", 0),
        _course(setting, "strict_accuracy.all", "one mark, and right", 1),
    ]
    found = [
        ("Accuracy", "share of pictures in place", placed, 1.04),
        ("Directions in use", "participation ratio", [_participation(setting, layer) for layer in LOOKS], None),
        *(
            (f"Distance of {pair} angles", "degrees from ideal torus", _distances(setting, measure), None)
            for pair, measure in (("x-on-y", "torus_orthogonality"), ("x-on-x", "torus_parallelism"))
        ),
    ]
    panels = [Panel(title, up, [line for line in lines if line is not None], top) for title, up, lines, top in found]
    return [panel for panel in panels if any(not line.still for line in panel.lines)]


def course_figure(setting: SettingRuns) -> Markup | None:
    """A panel for each quantity against training step, mean and range over seeds; None where nothing was watched."""
    steps, panels = by_seed(setting, "course_steps"), panels_of(setting)
    if steps is None or not panels:
        return None
    across = steps[0]
    columns = min(COLUMNS, len(panels))
    rows = -(-len(panels) // columns)

    def draw(figure: "Figure") -> None:
        grid = figure.subplots(rows, columns, squeeze=False)
        for axes in grid.flat[len(panels) :]:
            axes.set_visible(False)
        for axes, panel in zip(grid.flat, panels, strict=False):
            _draw(axes, across, panel)

    told = ". ".join(panel.told() for panel in panels)
    seeds = count(max(len(line.values) for panel in panels for line in panel.lines), "seed")
    alt = f"{setting.label} over {count(len(across), 'checkpoint')} of training. {told}."
    caption = (
        f"At {count(len(across), 'checkpoint')} of training, mean over {seeds}; bands: from the least to the largest. "
        f"Level lines do not change with training; dotted ones beside distances are before it. {told}."
    )
    size = (SIDE[0] * columns + MARGIN[0], SIDE[1] * rows + MARGIN[1])
    return framed(image(draw, size, alt), caption, wide=True)


def _draw(axes: "Axes", steps: Float[np.ndarray, " checkpoints"], panel: Panel) -> None:
    for line in panel.lines:
        if line.still:
            level: dict[str, Any] = {name: value for name, value in line.look.items() if name != "marker"}
            # One that has a line of its own colour beside it needs no words.
            words = line.words if "marker" in line.look else "_"
            axes.axhline(float(line.mean[-1]), linewidth=1.0, label=words, zorder=1, **level)
            continue
        axes.plot(steps, line.mean, markersize=3.5, linewidth=1.4, label=line.words, zorder=3, **line.look)
        ends = line.values.min(axis=0), line.values.max(axis=0)
        axes.fill_between(steps, *ends, color=line.look["color"], alpha=0.18, linewidth=0, zorder=2)
    axes.set_ylim(0, panel.top or 1.08 * axes.get_ylim()[1])
    axes.set_xlabel("training step")
    axes.set_ylabel(panel.up)
    small: dict[str, Any] = {
        "frameon": False,
        "fontsize": 7,
        "title_fontsize": 8,
        "handlelength": 2.4,
        "columnspacing": 1.0,
    }
    axes.legend(loc="lower left", bbox_to_anchor=(-0.05, 1.0), ncols=2, title=panel.title, alignment="left", **small)


def _course(
    setting: SettingRuns, quantity: str, words: str, place: int, look: dict[str, Any] | None = None, still: bool = False
) -> Course | None:
    values, steps = by_seed(setting, f"course_{quantity}"), by_seed(setting, "course_steps")
    if values is None or steps is None or values.shape[1:] != steps.shape[1:]:
        return None
    usual = {"color": COLOURS[place], "marker": MARKS[place], "linestyle": LINES[place]}
    return Course(words, values, look or usual, still)


def _participation(setting: SettingRuns, layer: str) -> Course | None:
    words, colour, mark, line = LOOKS[layer]
    look = {"color": colour, "marker": mark, "linestyle": line}
    return _course(setting, f"participation.{layer}", words, 0, look, layer in STILL)


def _distances(setting: SettingRuns, measure: str) -> list[Course | None]:
    """From both ideals: of the probe, and before training, in the same colour."""
    found = []
    for place, (ideal, words) in enumerate(IDEALS.items()):
        found.append(_course(setting, f"{measure}.probe-{ideal}", words, place))
        look = {"color": COLOURS[place], "linestyle": ":"}
        found.append(_course(setting, f"{measure}.untrained-{ideal}", f"{words}, before training", place, look, True))
    return found
