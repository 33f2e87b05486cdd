"""Error on held-out against error on trained combinations, a point per run: who is low on both?"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from recombine.reports.canvas import COLOURS, MARKS, framed, image, logarithmic
from recombine.reports.markup import Markup
from recombine.reports.numbers import count, short

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FLOOR = 1e-6  # on a logarithmic axis zero has no place
GREY = "#666666"


@dataclass(frozen=True, slots=True)
class Cloud:
    """The runs of one setting, or of several with one name: a pair (trained, held out) each."""

    name: str
    points: Sequence[tuple[float, float]]


def ablation_scatter(
    clouds: Sequence[Cloud],
    caption: str,
    across: str = "nMSE, trained (id)",
    up: str = "nMSE, held out (ood)",
    of_errors: bool = True,
    plain: bool = False,
) -> Markup | None:
    """A mark and colour per cloud on logarithmic or ``plain`` axes; None if there is no run at all.

    ``of_errors``: both axes are errors in units of a blank picture's, so that 1 and the corners mean something.
    """
    drawn = [cloud for cloud in clouds if cloud.points]
    if not drawn:
        return None
    lower = not plain and any(min(point) < FLOOR for cloud in drawn for point in cloud.points)

    def draw(figure: "Figure") -> None:
        axes = figure.add_subplot()
        if of_errors:
            axes.axhline(1.0, linestyle="--", linewidth=0.9, color=GREY, zorder=1)
            axes.axvline(1.0, linestyle="--", linewidth=0.9, color=GREY, zorder=1)
        for place, cloud in enumerate(drawn):
            look = style(place)
            points = np.maximum(np.array(cloud.points, dtype=np.float64), -np.inf if plain else FLOOR)
            axes.scatter(
                points[:, 0], points[:, 1], s=30, alpha=0.8, linewidths=0.6, edgecolors="white", zorder=3, **look
            )
            axes.scatter([], [], s=36, label=cloud.name, **look)  # legends have no white edge
        if not plain:
            logarithmic(axes.xaxis)
            logarithmic(axes.yaxis)
        axes.set_xlabel(across)
        axes.set_ylabel(up)
        columns = 2 if max(len(cloud.name) for cloud in drawn) < 26 else 1
        figure.legend(loc="outside upper left", ncols=columns, frameon=False, handletextpad=0.3)

    told = "; ".join(
        f"{cloud.name} ({count(len(cloud.points), 'run')}) {short(middle[0])} and {short(middle[1])}"
        for cloud in drawn
        for middle in [np.median(np.array(cloud.points, dtype=np.float64), axis=0).tolist()]
    )
    words = f"{caption} A point per run, {'plain' if plain else 'logarithmic'} axes"
    words += "; dashed: as bad as a blank picture. Low and left is right everywhere; " if of_errors else "."
    words += "left and high is right only where it was trained." if of_errors else ""
    words += f" Values below {short(FLOOR)} are drawn there." if lower else ""
    alt = f"{up} against {across}. Medians, {'trained and held out' if of_errors else 'across and up'}: {told}."
    rows = -(-len(drawn) // 2)
    return framed(image(draw, (4.7, 3.6 + 0.19 * rows), alt), words)


def style(place: int) -> dict[str, Any]:
    """Colour and mark of a cloud; no two of the first 49 have both in common."""
    return {"color": COLOURS[place % len(COLOURS)], "marker": MARKS[(place + place // len(COLOURS)) % len(MARKS)]}
