"""Numbers to expect of networks, section by section and network by network, from a fitted process."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from recombine.core.shapes import Bool
from recombine.theory.calibration import Calibration
from recombine.theory.outlook import Expectation, Outlook

Facts = Mapping[str, float]


def expectations(known: Calibration, asked: Mapping[str, Mapping[str, Facts]], named: bool) -> Outlook:
    """What is expected in each section, of networks that are as likely as each other; by network where these are named.

    ``asked`` has the features by section and by name of the network. The section "ood" is all that is held out.
    """
    sections = [Expectation(name, *known.expect(list(each.values()))) for name, each in asked.items()]
    by_network = [Expectation(name, *known.expect([each])) for name, each in asked["ood"].items()] if named else []
    return Outlook(tuple(sections), (), True, networks=tuple(by_network))


def sorts_of(
    known: Calibration,
    names: Sequence[str],
    chosen: Bool[np.ndarray, " trials"],
    words: Callable[[str, Facts], str],
) -> dict[str, Facts]:
    """The sorts of networks among chosen trials, told apart by these features: their names, and their features."""
    places = [known.names.index(name) for name in names]
    rows, kinds = known.rows[chosen][:, places], [each for each, own in zip(known.models, chosen, strict=True) if own]
    sorts, first = np.unique(rows, axis=0, return_index=True)
    found = [
        (kinds[place], dict(zip(names, row.tolist(), strict=True))) for row, place in zip(sorts, first, strict=True)
    ]
    return {words(kind, row): row for kind, row in found}
