"""What training lacks: claims on the held-out error that follow from what was shown, whatever the answers are like.

Rows are level indices, one column per factor; NaN is a factor that an example leaves out. Errors of different rows are
compared as if each cost the same to one who knows nothing (`at_scale`): else easy rows would pass for learned ones.
"""

from collections.abc import Sequence

import numpy as np

from recombine.core.failures import Failure
from recombine.core.shapes import Bool, Float, Int, Real
from recombine.measures.blame import NOT_LEARNED, ROUNDING, Claim

LISTED = 6  # levels that a sentence lists


def at_scale(
    errors: Float[np.ndarray, " rows"], costs: Float[np.ndarray, " rows"], scale: float
) -> Float[np.ndarray, " rows"]:
    """Errors on rows where knowing nothing costs less, as they would be where it costs ``scale``.

        errors · max(1, scale / mean cost)

    Where it costs more they stay as they are: what is wrong by so much is not learned, however much more it could be.
    """
    return np.maximum(errors, in_units(errors, costs, scale))


def in_units(
    errors: Float[np.ndarray, " rows"], costs: Float[np.ndarray, " rows"], scale: float
) -> Float[np.ndarray, " rows"]:
    """Errors of another sort of rows, as they would be where knowing nothing costs ``scale``, be it more or less.

    errors · scale / mean cost
    """
    own = float(costs.mean()) if len(costs) else 0.0
    return errors * (scale / own) if own > 0 else errors


def not_learned(
    errors: Float[np.ndarray, " held"],
    shown: Float[np.ndarray, " shown"],
    scale: float = 1.0,
    own: float | None = None,
    what: str = "What was trained on",
) -> Claim | None:
    """As much of the held-out error as there is on what training showed: it has nothing to do with composition.

        share = mean shown error / mean held-out error, at most 1; of every row alike

    For the words, ``scale`` is what knowing nothing costs on held-out rows, ``own`` the shown error in units of what it
    costs on shown ones, as tables have it (None: it costs as much), and ``what`` was trained on.
    """
    if not len(shown) or not errors.mean() > 0:
        return None
    part = min(1.0, float(shown.mean() / errors.mean()))
    there, held = float(shown.mean() / scale), float(errors.mean() / scale)
    own = there if own is None else own
    text = f"{what} is wrong already: its error, {own:.3g}, is "
    if there > own * (1 + ROUNDING):
        text += f"{there:.3g} on what is held out, where knowing nothing costs less: "
    text += (
        f"no less than the held-out one, {held:.3g}." if part == 1 else f"{part:.0%} of the held-out one, {held:.3g}."
    )
    return Claim(NOT_LEARNED, part * errors, text, {"shown_error": float(shown.mean()), "ratio": part})


def too_little_data(
    errors: Float[np.ndarray, " held"], shown: Float[np.ndarray, " shown"], fresh: Float[np.ndarray, " fresh"]
) -> Claim | None:
    """As much of the held-out error as there is on what training could have shown and did not, beyond what it showed.

        share = (mean fresh error − mean shown error) / mean held-out error, from 0 to 1; of every row alike

    Fresh rows are drawn like the training set: more of it would show them, and they ask for no new combination.
    """
    if not len(fresh) or not errors.mean() > 0:
        return None
    learned = float(shown.mean()) if len(shown) else 0.0
    part = float(np.clip((fresh.mean() - learned) / errors.mean(), 0.0, 1.0))
    text = (
        "Other examples of what training draws from, which hold out nothing, are wrong too: their error beyond that "
        f"of the training set is {part:.0%} of the held-out one."
    )
    return Claim(Failure.TOO_LITTLE_DATA, part * errors, text, {"fresh_error": float(fresh.mean()), "ratio": part})


def no_composition(errors: Float[np.ndarray, " held"], shown: Real[np.ndarray, "shown factors"]) -> Claim | None:
    """All of it, where no training example has all factors."""
    if shown.shape[1] < 2 or (len(shown) and not np.isnan(shown).any(axis=1).all()):
        return None
    text = "No training example shows all factors together."
    return Claim(Failure.NO_COMPOSITIONAL_EXAMPLE, errors, text, {"examples": float(len(shown))})


def unseen_level(
    errors: Float[np.ndarray, " held"],
    asked: Int[np.ndarray, "held factors"],
    allowed: Real[np.ndarray, "allowed factors"],
    names: Sequence[str],
) -> Claim | None:
    """The error on rows with a level that nothing training draws from has, alone or with others."""
    lacking = np.zeros(len(asked), dtype=bool)
    told = []
    for name, wanted, there in zip(names, asked.T, allowed.T, strict=True):
        missing = ~np.isin(wanted, there)
        lacking |= missing
        if missing.any():
            levels = np.unique(wanted[missing])
            more = f" and {len(levels) - LISTED} more" if len(levels) > LISTED else ""
            told.append(f"{name} {', '.join(str(level) for level in levels[:LISTED])}{more}")
    if not lacking.any():
        return None
    text = f"Training never shows these levels (by index): {'; '.join(told)}."
    return Claim(Failure.UNSEEN_LEVEL, errors * lacking, text, {"rows": float(lacking.mean())})


def too_little_overlap(
    errors: Float[np.ndarray, " held"],
    asked: Int[np.ndarray, "held factors"],
    allowed: Real[np.ndarray, "allowed factors"],
) -> Claim | None:
    """The error on rows whose levels lie in different parts of the graph that joins levels shown together.

    A level shown alone, or never, is a part of its own. Nothing compares levels of two parts: what is added to all of
    one factor's levels in a part and taken from the other's changes no training answer that is a sum.
    """
    apart, parts = in_parts(asked, allowed)
    if not apart.any():
        return None
    text = f"Levels that training shows together fall into {parts} parts, and these rows join levels of different ones."
    return Claim(Failure.TOO_LITTLE_OVERLAP, errors * apart, text, {"rows": float(apart.mean()), "parts": float(parts)})


def in_parts(
    asked: Int[np.ndarray, "held factors"], allowed: Real[np.ndarray, "allowed factors"]
) -> tuple[Bool[np.ndarray, " held"], int]:
    """Which rows have levels of different connected parts, and the number of parts among levels that are shown."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    tops = [int(max(a.max(initial=0), np.nanmax(b, initial=0))) + 1 for a, b in zip(asked.T, allowed.T, strict=True)]
    starts = np.concatenate([[0], np.cumsum(tops)])
    nodes, ends = allowed + starts[:-1], []
    for first in range(nodes.shape[1]):
        for second in range(first):
            both = nodes[:, [second, first]]
            ends.append(both[~np.isnan(both).any(axis=1)].astype(int))
    edges = np.unique(np.concatenate(ends), axis=0) if ends else np.empty((0, 2), dtype=int)
    size = int(starts[-1])
    graph = coo_array((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=(size, size))
    label = connected_components(graph, directed=False)[1]
    places = label[asked + starts[:-1]]
    shown = np.unique(nodes[~np.isnan(nodes)].astype(int))
    return (places != places[:, :1]).any(axis=1), len(np.unique(label[shown]))
