"""An explanation of pictures in words: a page with the verdict and the evidence."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from recombine.measures.blame import spelt
from recombine.measures.explanation_verdict import where

if TYPE_CHECKING:
    from recombine.measures.answer import Answer, Contributor
    from recombine.measures.explanation import Explanation, Superposition

MOST = 6  # contributors that are listed


def text(found: "Explanation") -> str:
    """The verdict, what is to blame, what the answer is made of, scores by section, superposition and layers."""
    parts = [found.verdict, str(found.blame), _made_of(found.answer)]
    rows = [(each.name, str(each.combinations), _error(each.nmse), percent(each.accuracy)) for each in found.sections]
    if found.answer.stripes:
        rows.append(("stripes", str(found.answer.stripes), _error(found.stripes_nmse), "undefined"))
    parts.append(table(("section", "pictures", "nMSE", "in place"), rows))
    if found.superposition:
        made = found.superposition
        parts.append(
            f"superposition index {_two(made.index)} {where(found.deep)} (correlation {_two(made.memory_correlation)} "
            f"with the sum of sharers, {_two(made.truth_correlation)} with the truth)\n"
            f"energy explained by remembered pictures {made.energy:.0%}, "
            f"weight on sharers within one step {made.sharer_weight:.0%} (blind weights: {made.sharer_chance:.0%})"
            f"{_on_stripes(made)}"
        )
    if found.layers:
        rows = [
            (each.name, _number(each.factorisation, ".3f"), _two(each.contrast), _two(each.probe))
            for each in found.layers
        ]
        parts.append(f"{table(('layer', 'F', 'D', 'held-out probe'), rows)}\n{_lost(found)}")
    return "\n\n".join(parts)


def _made_of(answer: "Answer") -> str:
    """What one answer is made of, as a paragraph with two tables."""
    sort = "trained" if answer.trained else "never shown"
    lines = [
        f"the answer to y = {answer.y}, x = {answer.x} ({sort}): nMSE {_error(answer.nmse)}, "
        f"correlation with the truth {_two(answer.truth_correlation)}"
    ]
    if not answer.remembered:
        return (
            f"{lines[0]}\ntraining showed no combination and no stripe: there is no remembered picture to compare with"
        )
    if not answer.contributors:
        return f"{lines[0]}\nnone of the {_pictures(answer.remembered)} is in it"
    listed = ", ".join(f"({_part(each)}) {each.weight:.2f}" for each in answer.contributors[:MOST])
    more = len(answer.contributors) - MOST
    lone = f" ({answer.stripes} of them stripes)" if answer.stripes else ""
    lines.append(
        f"made of {len(answer.contributors)} of {_pictures(answer.remembered)}{lone}, explaining "
        f"{answer.energy:.0%} of its energy; weights: {listed}" + (f" and {more} more" if more > 0 else "")
    )
    if answer.trained:
        lines.append("it was trained on, so that it is one of the remembered pictures itself")
    names = {"y": "same y", "x": "same x", "either": "same y or x", "stripes": "stripes, any level"}
    rows = [
        (names[name], *map(percent, (each.same, each.same_chance, each.near, each.near_chance)))
        for name, each in answer.shares.items()
    ]
    return "\n".join([*lines, table(("weight on", "exactly", "blind", "within one step", "blind"), rows)])


def _pictures(number: int) -> str:
    return f"{number} remembered picture{'' if number == 1 else 's'}"


def _part(each: "Contributor") -> str:
    """A remembered picture by its levels: ``y 3, x 12``, or ``stripe x 12``."""
    named = ", ".join(f"{name} {level}" for name, level in (("y", each.y), ("x", each.x)) if level is not None)
    return named if each.y is not None and each.x is not None else f"stripe {named}"


def _on_stripes(made: "Superposition") -> str:
    return "" if made.stripe_weight is None else f"; {made.stripe_weight:.0%} of the weight lies on lone stripes"


def _lost(found: "Explanation") -> str:
    if found.lost:
        stays = "from there on the hole stands out (|D| of 0.1 or more)"
        return f"by the volume contrast, factorisation is lost at {found.lost}: {stays}"
    if any(layer.contrast is None for layer in found.layers):
        return "where factorisation is lost is not known: D is not defined on this grid"
    return "by the volume contrast, factorisation is lost at no layer: the output has |D| below 0.1"


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in [header, *rows]]
    return "\n".join(line.rstrip() for line in lines)


def _error(value: float | None) -> str:
    return "undefined" if value is None else spelt(value)


def _number(value: float | None, spelling: str) -> str:
    if value is None:
        return "undefined"
    told = format(value, spelling)
    return told.removeprefix("-") if float(told) == 0 else told


def _two(value: float | None) -> str:
    return _number(value, ".2f")


def percent(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.0%}"
