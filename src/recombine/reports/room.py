"""How large a report may be, and which figures it has room for."""

from collections.abc import Mapping, Sequence

from recombine.reports.markup import Markup
from recombine.reports.settings import SettingRuns

MOST = 5_000_000  # bytes of a report: a file that can be sent and opens at once

# The figures of settings, by key.
Figures = Mapping[str, Sequence[Markup]]


def that_fit(drawn: Figures, settings: Mapping[str, SettingRuns], room: int) -> dict[str, list[Markup]]:
    """The figures that fit into so many bytes, in their order.

    The first figure of every setting comes before the second of any, and controls are a turn behind. One that is too
    large for what is left is passed over, so that smaller ones after it have their place.
    """
    turns = [
        (turn + (not settings[key].serves_a_claim()), place, key, turn)
        for place, (key, figures) in enumerate(drawn.items())
        for turn in range(len(figures))
    ]
    chosen: dict[str, list[int]] = {key: [] for key in drawn}
    for _, _, key, turn in sorted(turns):
        size = len(drawn[key][turn].encode("utf-8", "replace"))
        if size <= room:
            room -= size
            chosen[key].append(turn)
    return {key: [drawn[key][turn] for turn in turns] for key, turns in chosen.items()}
