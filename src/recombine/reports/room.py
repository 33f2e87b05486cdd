"""How large a report may be, and which figures it has room for."""

from collections.abc import Mapping, Sequence

from recombine.reports.markup import Markup
from recombine.reports.settings import SettingRuns

MOST = 5_000_000  # bytes of a report: a file that can be sent and opens at once
LARGE = 10_000  # bytes of a figure that takes the place of two others

# The figures of settings, by key.
Figures = Mapping[str, Sequence[Markup]]


def that_fit(drawn: Figures, settings: Mapping[str, SettingRuns], room: int) -> dict[str, list[Markup]]:
    """The figures that fit into so many bytes, in their order.

    The first figure of every setting comes before the second of any; controls are a turn behind, and so are large
    figures, one for every 10,000 bytes. One that is too large for what is left is passed over, so that smaller ones
    after it have their place.
    """
    sizes = {key: [len(figure.encode("utf-8", "replace")) for figure in figures] for key, figures in drawn.items()}
    turns = [
        (number + size // LARGE + (not settings[key].serves_a_claim()), place, key, number)
        for place, key in enumerate(drawn)
        for number, size in enumerate(sizes[key])
    ]
    chosen: dict[str, list[int]] = {key: [] for key in drawn}
    for _, _, key, number in sorted(turns):
        if sizes[key][number] <= room:
            room -= sizes[key][number]
            chosen[key].append(number)
    return {key: [drawn[key][number] for number in sorted(numbers)] for key, numbers in chosen.items()}
