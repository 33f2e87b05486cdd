"""The picture on the front page, from reference records: two networks that fail on new pairs, and their cures."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from recombine.papers import Scale, papers
from recombine.records import Record, Store
from recombine.reports.canvas import RED, colour_bar, svg
from recombine.reports.error_maps import TOP, outline
from recombine.reports.settings import problem_of
from recombine.studies import Work

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SIZE = (9.0, 4.4)  # inches
# What was done, in words; the claim and the setting whose records show it.
SHOWN = {
    "a decoder, 50 pairs shown": ("FR11", "none"),
    "… and lone stripes": ("FR11", "main"),
    "each factor rendered alone": ("FR8", "none"),
    "… and regularised": ("FR8", "main"),
}
SAMPLE = 3  # of the pictures that a record keeps: one far inside the corner that is held out


def front_picture(store: Store) -> str:
    """Error over all pairs, the held-out ones framed, and one of these as it was drawn, as an SVG file."""
    found = {words: _records(*where, store) for words, where in SHOWN.items()}
    return svg(lambda figure: _draw(figure, found), SIZE)


def _records(claim: str, setting: str, store: Store) -> dict[Work, Record]:
    """The records of a setting's seeds, by their work."""
    works = papers.claims([claim])[0].runs(Scale.LAPTOP)[setting]
    return {work: store.read(work.digest()) for work in works}


def _draw(figure: "Figure", found: Mapping[str, Mapping[Work, Record]]) -> None:
    axes: Any = figure.subplots(2, len(found), squeeze=False)
    for column, (words, records) in enumerate(found.items()):
        above, below = axes[:, column]
        shown = _errors(above, records)
        error = np.mean([record.body["measures"]["ood_nmse"] for record in records.values()])
        above.set_title(f"{words}\nheld-out error {error:.2f}")
        _sample(below, *next(iter(records.items())))
    axes[0, 0].set_ylabel("error of every pair (y, x)")
    axes[1, 0].set_ylabel("a held-out pair, as drawn")
    axes[1, 0].set_xlabel("ring: where it belongs")
    colour_bar(figure, shown, axes, "0 right, 1 blank", extend="max", ticks=[0, 1, 2], shrink=0.42, anchor=(0, 0.95))
    for axis in axes.ravel():
        axis.set_xticks([])
        axis.set_yticks([])
        axis.spines[:].set_visible(True)


def _errors(axis: "Axes", records: Mapping[Work, Record]) -> Any:
    maps = [record.arrays["error_map"] for record in records.values()]
    shown = axis.imshow(np.mean(maps, axis=0), cmap="viridis", vmin=0, vmax=TOP, interpolation="none")
    problem = problem_of(next(iter(records)))
    outline(axis, problem.parts.held_out.reshape(problem.grid.shape))
    return shown


def _sample(axis: "Axes", work: Work, record: Record) -> None:
    y, x = record.arrays["sample_combinations"][SAMPLE]
    dark = getattr(problem_of(work).task, "dark", True)
    ink = "gray" if dark else "gray_r"
    axis.imshow(record.arrays["sample_outputs"][SAMPLE], cmap=ink, vmin=0, vmax=1, interpolation="none")
    axis.plot(x, y, "o", markersize=14, markerfacecolor="none", markeredgecolor=RED)
