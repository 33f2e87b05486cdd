"""An explanation in words: the verdict in one sentence, and a page with the evidence."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from recombine.measures.answer import Answer, Contributor
    from recombine.measures.explanation import Explanation, Superposition

MOST = 6  # contributors that are listed


def sentence(found: "Explanation") -> str:
    """The verdict in one sentence, with the numbers that decide it."""
    where = "deep in the hole" if found.deep == "interior" else "in the hole"
    deep = next(section for section in found.sections if section.name == found.deep)
    error = "an nMSE that is not defined" if deep.nmse is None else f"nMSE {deep.nmse:.3g}"
    place = "" if deep.accuracy is None else f", {deep.accuracy:.0%} in their place"
    made = found.superposition
    # A verdict may be reached without some of the numbers, but never without those that decide it.
    told = {
        "composes": f"Composes: the pictures {where} are right ({error}{place})",
        "remembers": f"Draws the pictures {where} rightly ({error}{place})",
        "blank": f"Draws nothing {where}: its ink has {found.ink:.1%} of the energy of the truth ({error})",
        "unlearned": "Has not learned what it was trained on "
        f"({_learned(found)}), so that its failure {where} ({error}) is no failure to compose",
        "superposes": made
        and f"Superposes remembered pictures: {where} its answers look like the sum of those that share x or y "
        f"(correlation {_two(made.memory_correlation)}) rather than like the truth ({_two(made.truth_correlation)}), "
        f"and {made.sharer_weight:.0%} of the weight that makes them up lies on pictures with x or y within one step "
        f"(blind weights: {made.sharer_chance:.0%}){_on_stripes(made)}",
        "placed": f"Draws the right place but not the right picture {where} ({error}{place})",
        "fails": f"Fails {where} ({error}{place}), {_not_by(found)}",
    }[found.finding]
    revealed = "; training showed held-out combinations too, so that this is memory, and no test of composition"
    return f"{told}{revealed * found.revealed}."


def text(found: "Explanation") -> str:
    """The verdict, what is to blame, what the answer is made of, scores by section, superposition and layers."""
    parts = [found.verdict, str(found.blame), _made_of(found.answer)]
    rows = [(each.name, str(each.combinations), _number(each.nmse), _percent(each.accuracy)) for each in found.sections]
    if found.answer.stripes:
        rows.append(("stripes", str(found.answer.stripes), _number(found.stripes_nmse), "undefined"))
    parts.append(table(("section", "pictures", "nMSE", "in place"), rows))
    if found.superposition:
        made = found.superposition
        parts.append(
            f"superposition index {_two(made.index)} (correlation {_two(made.memory_correlation)} with the sum of "
            f"sharers, {_two(made.truth_correlation)} with the truth)\n"
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
        f"y = {answer.y}, x = {answer.x} ({sort}): nMSE {_number(answer.nmse)}, "
        f"correlation with the truth {_two(answer.truth_correlation)}"
    ]
    if not answer.remembered:
        return (
            f"{lines[0]}\ntraining showed no combination and no stripe: there is no remembered picture to compare with"
        )
    if not answer.contributors:
        return f"{lines[0]}\nnone of the {answer.remembered} remembered pictures is in it"
    listed = ", ".join(f"({_part(each)}) {each.weight:.2f}" for each in answer.contributors[:MOST])
    more = len(answer.contributors) - MOST
    lone = f" ({answer.stripes} of them stripes)" if answer.stripes else ""
    lines.append(
        f"made of {len(answer.contributors)} of {answer.remembered} remembered pictures{lone}, which explain "
        f"{answer.energy:.0%} of its energy; weights: {listed}" + (f" and {more} more" if more > 0 else "")
    )
    if answer.trained:
        lines.append("it was trained on, so that it is one of the remembered pictures itself")
    names = {"y": "same y", "x": "same x", "either": "same y or x", "stripes": "stripes, any level"}
    rows = [
        (names[name], *map(_percent, (each.same, each.same_chance, each.near, each.near_chance)))
        for name, each in answer.shares.items()
    ]
    return "\n".join([*lines, table(("weight on", "exactly", "blind", "within one step", "blind"), rows)])


def _part(each: "Contributor") -> str:
    """A remembered picture by its levels: ``y 3, x 12``, or ``stripe x 12``."""
    named = ", ".join(f"{name} {level}" for name, level in (("y", each.y), ("x", each.x)) if level is not None)
    return named if each.y is not None and each.x is not None else f"stripe {named}"


def _learned(found: "Explanation") -> str:
    """The errors on what training showed, by its sort."""
    both = (("combinations", found.shown_nmse), ("stripes", found.stripes_nmse))
    return "nMSE " + ", ".join(f"{_number(error)} on its {sort}" for sort, error in both if error is not None)


def _on_stripes(made: "Superposition") -> str:
    return "" if made.stripe_weight is None else f"; {made.stripe_weight:.0%} of the weight lies on lone stripes"


def _not_by(found: "Explanation") -> str:
    """What a failure is not, as far as it could be told."""
    if found.superposition is None:
        return "not by drawing nothing; there is no remembered picture to compare its answers with"
    return "neither by drawing nothing nor by superposing remembered pictures"


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


def _number(value: float | None, spelling: str = ".3g") -> str:
    if value is None:
        return "undefined"
    told = format(value, spelling)
    return told.removeprefix("-") if float(told) == 0 else told


def _two(value: float | None) -> str:
    return _number(value, ".2f")


def _percent(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.0%}"
