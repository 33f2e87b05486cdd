"""How much drawn bumps overlap by their distance, on a pixel and beside one, with the formula."""

from typing import TYPE_CHECKING

import numpy as np

from recombine.papers.diffusion_factorize.percolating import BumpOverlap
from recombine.reports.canvas import COLOURS, framed, image
from recombine.reports.kernel_curves import with_arrays
from recombine.reports.markup import Markup
from recombine.reports.numbers import MINUS, short
from recombine.reports.settings import SettingRuns

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHOWN = (0.1, 0.2, 0.3, 0.5, 1.0)  # widths; more would hide each other
TOP = 1.7  # of the axes: the narrowest bumps overlap by far more, and would hide the others
NEEDED = ("widths", "distances", "on_pixel", "beside", "formula")


def overlap_figure(setting: SettingRuns) -> Markup | None:
    """Overlap against distance for several widths: a panel on a pixel, one beside it, and the number of neighbours."""
    runs, work = with_arrays(setting, *NEEDED, "neighbours", "line"), setting.work
    if not runs:
        return None
    assert isinstance(work, BumpOverlap)
    arrays = {name: array.astype(np.float64) for name, array in runs[0].arrays.items()}
    widths, distances = arrays["widths"], arrays["distances"]
    chosen = [place for place, width in enumerate(widths) if np.isclose(width, SHOWN).any()]

    def draw(figure: "Figure") -> None:
        first, second, third = figure.subplots(1, 3)
        for axes, drawn, words in ((first, "on_pixel", "one on a pixel"), (second, "beside", _beside(work))):
            for rank, place in enumerate(chosen):
                colour = COLOURS[rank % len(COLOURS)]
                axes.plot(distances, arrays[drawn][place], color=colour, linewidth=1.5, label=f"σ = {widths[place]:g}")
                axes.plot(distances, arrays["formula"][place], ":", color=colour, linewidth=1.1)
            axes.set_title(words)
            axes.set_xlabel("distance, pixels")
            axes.set_ylabel("overlap")
            axes.set_ylim(0, TOP)
        third.plot(widths, arrays["neighbours"], "-o", color=COLOURS[0], markersize=4, label="in the plane")
        third.plot(widths, arrays["line"], "--s", color=COLOURS[1], markersize=4, label="along an axis")
        third.set_title(f"overlap above {work.threshold:g}")
        third.set_xlabel("width σ, pixels")
        third.set_ylabel("neighbours on the unit lattice")
        third.legend(frameon=False)
        figure.legend(*first.get_legend_handles_labels(), loc="outside upper left", ncols=len(chosen), frameon=False)

    away = {name: np.abs(arrays[name] - arrays["formula"]).max(axis=1) for name in ("on_pixel", "beside")}
    told = "; ".join(
        f"σ = {widths[place]:g} by {short(float(away['on_pixel'][place]))} and {short(float(away['beside'][place]))}"
        for place in chosen
    )
    beyond = ", ".join(
        f"σ = {widths[place]:g} goes up to {short(float(arrays['beside'][place].max()))}"
        for place in chosen
        if arrays["beside"][place].max() > TOP
    )
    beyond = f" Beyond the axes, {beyond}." if beyond else ""
    ends = ", ".join(f"{int(arrays['neighbours'][at])} at σ = {widths[at]:g}" for at in (0, -1))
    alt = f"Overlap of bumps by distance. Largest distance from the formula, left and middle: {told}. "
    alt += f"Neighbours in the plane: {ends}."
    caption = (
        "Overlap of two drawn bumps against their distance along an axis, one of them on a pixel (left) and "
        f"{'on a pixel again' if work.phase == 0 else 'beside one'} (middle). Dotted: exp({MINUS}D² / "
        f"({short(4 * work.denominator)} σ²)); drawings are off it at most, left and middle: {told}.{beyond} Right: "
        f"how many places of a lattice one pixel apart overlap by more than {work.threshold:g}: {ends}."
    )
    return framed(image(draw, (8.4, 3.1), alt), caption, wide=True)


def _beside(work: BumpOverlap) -> str:
    return "one on a pixel, again" if work.phase == 0 else f"one {short(work.phase)} pixels beside"
