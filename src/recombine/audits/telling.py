"""An audit in words, as a terminal shows it."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from recombine.audits.counting import NAMED, counted
from recombine.audits.diagnosing import verdict_of
from recombine.audits.held_out import LACKS, HeldOut
from recombine.core.arrays import as_array

if TYPE_CHECKING:
    from recombine.audits.audit import Audit


def text_of(found: "Audit") -> str:
    """What was refused, the verdict, what fails, the data, the forecast, scores and notes; every sentence once."""
    lines = [f"Refused: {words}" for words in found.refused]
    lines.append(verdict_of(found.performance, found.quantity, found.diagnosis))
    lines += [f"- {reason.name}: {reason.text}" for reason in found.diagnosis]
    lines.append(f"Data: {data_words(found)}")
    if found.held_out is None and found.factors:
        lines.append(f"Balance: {balance_words(found)}")
    if found.held_out is not None:
        lines.append(f"Held out: {held_out_words(found.held_out)}")
        lines.append(f"Certificate: {certificate_words(found)}")
        lines += [
            f"- {name}: {counted(int(mask.sum()), 'held-out row')}; {LACKS[name]}."
            for name, mask in found.held_out.sections.items()
        ]
    if found.forecast is not None:
        lines.append(f"Forecast: {found.forecast.verdict}")
    if not found.performance.empty:
        rows = [
            (line["section"], str(line["rows"]), f"{line['score']:.3g}", f"{line['low']:.3g} to {line['high']:.3g}")
            for line in found.scores
        ]
        lines += ["", *_columns([("rows", "number", str(found.quantity), "between"), *rows])]
    lines += [f"Note: {words}" for words in found.notes]
    return "\n".join(lines)


def data_words(found: "Audit") -> str:
    """How many examples there are, and of which factors."""
    if not found.factors:
        return f"{counted(found.examples, 'example')} without factors."
    factors = ", ".join(f"{name} ({counted(levels, 'level')})" for name, levels in found.factors.items())
    return f"{counted(found.examples, 'example')} of {counted(len(found.factors), 'factor')}: {factors}."


def balance_words(found: "Audit") -> str:
    """Which combinations there are, and how often the levels of each factor: what is known without a mask."""
    possible = math.prod(found.factors.values())
    levels = ", ".join(
        f"{name} {low:,}" if low == high else f"{name} {low:,} to {high:,}"
        for name, (low, high) in found.balance.items()
    )
    return f"{found.combinations:,} of {counted(possible, 'possible combination')}; rows of a level: {levels}."


def held_out_words(held: HeldOut) -> str:
    """How many rows and combinations are trained on, and how many are not."""
    alone = f" ({held.alone:,} of them show a factor alone)" if held.alone else ""
    rows = f"{counted(held.held_out, 'row')}, and {held.trained:,} trained on{alone}"
    if not held.held_out:
        rows = f"nothing, since all {counted(held.trained, 'row')} are trained on{alone}"
    return f"{rows}; {held.trained_combinations:,} of {counted(held.combinations, 'combination')} are trained on."


def certificate_words(found: "Audit") -> str:
    """What training shows of the levels: those it lacks, and whether its rows tie the others together."""
    held = found.held_out
    if held is None:
        return "without a training mask there is none."
    if not held.held_out:
        return "nothing is held out, so that no answer can tell composition from memory."
    lacking = [f"{name} {level_words(levels)}" for name, levels in held.unseen.items()]
    shown = f"training never shows {'; '.join(lacking)}" if lacking else "training shows every level"
    if len(found.factors) == 1:
        return f"{shown}."
    groups = "in one group" if held.parts == 1 else f"in {held.parts} groups"
    return f"{shown}; its rows tie levels together {groups}." if held.parts else f"{shown}, each alone."


def input_words(inputs: Any) -> str:
    """Shape and type of an input: ``12 x 12 of float32``."""
    first = as_array(inputs, "inputs")[0]
    return f"{' x '.join(map(str, first.shape)) or 'a number'} of {first.dtype}"


def level_words(levels: Sequence[Any]) -> str:
    """The first few levels, fractions with four digits, and how many more there are."""
    first = [f"{each:.4g}" if isinstance(each, float) and each % 1 else str(each) for each in levels[:NAMED]]
    return ", ".join(first) + (f" and {len(levels) - NAMED:,} more" if len(levels) > NAMED else "")


def _columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Columns as wide as their cells; the last one runs free."""
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
