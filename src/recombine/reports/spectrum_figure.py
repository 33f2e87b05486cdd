"""How the variance of what a diffusion model holds falls over principal components, beside what is there untrained."""

from typing import TYPE_CHECKING

import numpy as np

from recombine.measures.spectrum import TORUS
from recombine.reports.canvas import framed, image, logarithmic
from recombine.reports.compared_looks import LOOKS, by_seed
from recombine.reports.markup import Markup
from recombine.reports.numbers import count, short
from recombine.reports.settings import SettingRuns

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def spectrum_figure(setting: SettingRuns) -> Markup | None:
    """The share of each of the first components, a line per layer; None where no spectrum was kept."""
    found = {name: values for name in LOOKS if (values := by_seed(setting, f"spectrum_{name}")) is not None}
    if not found:
        return None

    def draw(figure: "Figure") -> None:
        axes = figure.add_subplot()
        axes.axvline(TORUS + 0.5, color="#888888", linewidth=0.8, linestyle=":")
        for name, values in found.items():
            words, colour, mark, line = LOOKS[name]
            there = (values > 0).all(axis=0)  # no share has no place on a logarithmic axis
            numbers = np.arange(1, values.shape[1] + 1)[there]
            drawn = values[:, there]
            axes.plot(
                numbers, drawn.mean(axis=0), label=words, color=colour, marker=mark, linestyle=line, markersize=3.5,
                linewidth=1.4,
            )  # fmt: skip
            axes.fill_between(numbers, drawn.min(axis=0), drawn.max(axis=0), color=colour, alpha=0.18, linewidth=0)
        logarithmic(axes.yaxis)
        axes.set_xticks(range(1, max(values.shape[1] for values in found.values()) + 1, 2))
        axes.set_xlabel("principal component")
        axes.set_ylabel("share of the variance")
        figure.legend(loc="outside upper left", ncols=2, frameon=False, handlelength=2.6, columnspacing=1.0)

    told = "; ".join(f"{LOOKS[name].words}: {_told(values.mean(axis=0))}" for name, values in found.items())
    seeds = count(max(len(values) for values in found.values()), "seed")
    alt = f"Share of the variance by principal component of {setting.label}. {told}."
    caption = (
        f"Share of the variance in each principal component, mean over {seeds}; bands: from the least to the largest. "
        f"Dotted: after the {TORUS} that two rings need. {told}."
    )
    return framed(image(draw, (4.1, 3.3), alt), caption)


def _told(shares: np.ndarray) -> str:
    """What the first four hold together, and how far the fifth is below the fourth."""
    together = f"{short(float(shares[:TORUS].sum()))} in the first {TORUS}"
    if len(shares) <= TORUS or not shares[TORUS] > 0:
        return together
    return f"{together}, the fourth {short(float(shares[TORUS - 1] / shares[TORUS]))} times the fifth"
