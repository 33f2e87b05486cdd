"""The layers by which the shape of what a diffusion model holds is compared: their words and looks in all figures."""

from typing import NamedTuple

import numpy as np

from recombine.core.shapes import Float
from recombine.reports.canvas import COLOURS, LINES, MARKS
from recombine.reports.settings import SettingRuns


class Look(NamedTuple):
    """What a layer is called in words, and how it is drawn."""

    words: str
    colour: str
    mark: str
    line: str | tuple[int, tuple[int, ...]]


# What training gave comes first, then what is there without it.
LOOKS = {
    "probe": Look("trained, while drawing", COLOURS[0], MARKS[0], LINES[0]),
    "true": Look("trained, shown true pictures", COLOURS[2], MARKS[2], LINES[3]),
    "untrained": Look("before training", COLOURS[1], MARKS[1], LINES[1]),
    "pixels": Look("true pictures", COLOURS[6], MARKS[3], LINES[2]),
}


def by_seed(setting: SettingRuns, name: str) -> Float[np.ndarray, "seeds *shape"] | None:
    """An array of all seeds that have it, stacked; None if none has. Those of another shape than the first are left."""
    found = [run.arrays[name].astype(np.float64) for run in setting.with_status("done") if name in run.arrays]
    alike = [each for each in found if each.shape == found[0].shape]
    return np.stack(alike) if alike else None
