"""What answers are made of: the share of each type of conjunction, as bars."""

from typing import TYPE_CHECKING

from recombine.reports.canvas import COLOURS, framed, image
from recombine.reports.markup import Markup
from recombine.reports.numbers import count, short
from recombine.reports.settings import SettingRuns

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# The names of shares among measures, in runs and in calculations.
STARTS = ("conjunction_shares.", "share_")
ORDER = ("right", "wrong", "context", "sensory", "memorization")  # types of the paper; any others come after them


def shares_of(setting: SettingRuns) -> dict[str, list[float]]:
    """The share of each type of conjunction by seed; empty where they were not measured."""
    found = {
        quantity.removeprefix(start): setting.numbers(quantity)
        for start in STARTS
        for quantity in setting.quantities()
        if quantity.startswith(start)
    }
    names = [*(name for name in ORDER if name in found), *(name for name in found if name not in ORDER)]
    return {name: found[name] for name in names}


def shares_figure(setting: SettingRuns) -> Markup | None:
    """A bar for each type, as long as its mean share, with a line from the least to the largest seed."""
    shares = shares_of(setting)
    if not shares:
        return None
    means = {name: sum(values) / len(values) for name, values in shares.items()}
    seeds = max(len(values) for values in shares.values())

    def draw(figure: "Figure") -> None:
        axes = figure.add_subplot()
        axes.barh(list(means), list(means.values()), color=COLOURS[0], height=0.65)
        for place, values in enumerate(shares.values()):
            axes.plot([min(values), max(values)], [place, place], color="#000000", linewidth=1.6)
        axes.invert_yaxis()
        axes.set_xlim(0, max(0.6, *(max(values) for values in shares.values())) * 1.05)
        axes.set_xlabel("share of mean |coefficient|")

    told = ", ".join(f"{name} {short(mean)}" for name, mean in means.items())
    caption = f"Share of each type of conjunction in the answers: {told}."
    if seeds > 1:
        caption += f" Mean over {count(seeds, 'seed')}; black lines: from the least to the largest."
    return framed(
        image(draw, (3.3, 0.9 + 0.27 * len(means)), f"Conjunction shares of {setting.label}: {told}."), caption
    )
