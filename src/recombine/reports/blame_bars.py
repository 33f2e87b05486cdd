"""Shares of the held-out error by cause, as bars."""

from typing import TYPE_CHECKING

from recombine.measures.blame import Blame, spelt
from recombine.measures.explanation_verdict import where
from recombine.reports.canvas import COLOURS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FEWEST = 3  # bars for which there is room
PALE = "#9fb8c9"  # causes other than the largest


def share_bars(axes: "Axes", blame: Blame) -> None:
    """A bar for each cause, the largest on top and darker; a word where there is nothing to blame."""
    told = blame.told
    error = "" if blame.error is None else f"{spelt(blame.error)} {where(blame.section)}"
    if not told:
        nothing = f"an error of\n{error}\nis too small to blame anything" if error else "nothing is held out"
        axes.text(0.5, 0.5, nothing, ha="center", va="center", transform=axes.transAxes)
        axes.set_axis_off()
        return
    names = [str(part.failure).replace(" ", "\n", 1) for part in told]
    colours = [COLOURS[0] if part is told[0] else PALE for part in told]
    axes.barh(names, [part.share for part in told], color=colours, height=0.65)
    axes.set_ylim(max(len(told), FEWEST) - 0.5, -0.5)  # largest on top, and one bar alone as thin as others
    axes.set_xlim(0, 1)
    axes.set_xlabel(f"share of the held-out error,\n{error}")
    axes.set_title("what is to blame")
