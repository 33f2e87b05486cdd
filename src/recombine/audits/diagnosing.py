"""What fails in an audit, by name, and the verdict in one sentence."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from recombine.audits.counting import counted
from recombine.audits.held_out import KNOWN, LACKS, HeldOut
from recombine.theory import Reason

TRAINED = "trained"
NOT_SCORED = "No answer of a model was scored on new combinations."
COPIES = "copies its input"  # a reason that leaves nothing to judge
GOOD, POOR = 0.8, 0.5  # scores from which on rows count as right, and below which they count as wrong
LOST = 0.1  # a fall of R² from one layer to the next that is worth a word


def diagnose(
    performance: pd.DataFrame, held_out: HeldOut | None, inside: pd.DataFrame, copied: float | None = None
) -> list[Reason]:
    """What fails, by name, each with its numbers; nothing where nothing does.

    ``copied`` is the score of an autoencoder on inputs that show nothing (`answers_to_nothing`); with one at which rows
    count as right it gives back anything.
    """
    score = _known(performance)
    found: list[Reason] = []
    if copied is not None and copied >= GOOD:
        found.append(
            Reason(
                COPIES,
                f"The model gives back even inputs that show nothing, each number of them drawn from another row (R² "
                f"{copied:.2f}), so that giving back new combinations takes no composition.",
                {"score": copied},
            )
        )
    if TRAINED in score and score[TRAINED] < GOOD:
        found.append(
            Reason(
                "not fitted",
                f"The model scores {score[TRAINED]:.2f} on what it was trained on, so that held-out errors say little "
                "about composition: train longer, or check inputs and targets.",
                {"score": float(score[TRAINED])},
            )
        )
    fell = [name for name in LACKS if name in score and score[name] < min(GOOD, score.get(TRAINED, 1.0) - LOST)]
    for name in fell:
        rows = 0 if held_out is None else int(held_out.sections[name].sum())
        text = f"On the {counted(rows, 'held-out row')} in which {LACKS[name]}, the model scores {score[name]:.2f}"
        compared = f", against {score[TRAINED]:.2f} on trained rows." if TRAINED in score else "."
        found.append(Reason(name, text + compared, {"score": float(score[name]), "rows": rows}))
    if held_out is not None and held_out.held_out and held_out.parts == 0:
        found.append(
            Reason(
                "no compositional example",
                f"All {counted(held_out.alone, 'trained row')} show a factor alone, so that nothing says how factors "
                "combine.",
                {"alone": held_out.alone},
            )
        )
    if held_out is not None and held_out.parts > 1:
        found.append(
            Reason(
                "levels apart",
                f"Trained rows leave the levels in {held_out.parts} groups that never meet, so that nothing says how a "
                "level of one goes with one of another.",
                {"parts": held_out.parts},
            )
        )
    if held_out is not None and held_out.repeated:
        found.append(
            Reason(
                "repeated inputs",
                f"{counted(held_out.repeated, 'held-out row')} with the input of a trained row: what the model answers "
                "there is memory.",
                {"rows": held_out.repeated},
            )
        )
    if fell or not len(performance):
        found += _lost(inside)
    return found


def _known(performance: pd.DataFrame) -> dict[str, float]:
    """The score of each section, but of those where nothing varies."""
    lines = performance.dropna(subset="score")
    return dict(zip(lines["section"], lines["score"], strict=True))


def _lost(inside: pd.DataFrame) -> list[Reason]:
    """The step between layers at which held-out rows most cease to be the sum of their levels, if there is one.

    Below 0 there is nothing to lose, nor where shuffled factors do as well.
    """
    lines = inside[inside["measure"] == "additive_held_out"] if len(inside) else inside
    if len(lines) < 2:
        return []
    values = lines["value"].to_numpy()
    worth = np.maximum(values, 0)
    drops = np.where(values > lines["null_high"], worth, 0)[:-1] - worth[1:]
    place = int(drops.argmax())
    if drops[place] < LOST:
        return []
    before, after = lines["layer"].iloc[place], lines["layer"].iloc[place + 1]
    return [
        Reason(
            "factorisation lost",
            f"From layer {before!r} to {after!r} the R² of a sum of level vectors on held-out rows falls from "
            f"{values[place]:.2f} to {values[place + 1]:.2f}: there factors are mixed, as targets may ask for or not.",
            {"before": str(before), "after": str(after), "fall": float(values[place] - values[place + 1])},
        )
    ]


def verdict_of(performance: pd.DataFrame, quantity: str | None, diagnosis: Sequence[Reason]) -> str:
    """What the answers of the model say of composition, in one sentence."""
    score = _known(performance)
    asked = {name: score[name] for name in LACKS if name in score and name != KNOWN}
    if not asked:
        return NOT_SCORED
    worst = min(asked, key=lambda name: asked[name])
    told = f"{quantity} {asked[worst]:.2f} where {LACKS[worst]}"
    if TRAINED in score:
        told += f", {score[TRAINED]:.2f} on trained rows"
    if any(reason.name == COPIES for reason in diagnosis):
        return f"Undecided: the model copies its input ({told})."
    if TRAINED in score and score[TRAINED] < GOOD:
        return f"Undecided: the model has not learned its training rows ({told})."
    if asked[worst] >= GOOD:
        return f"It composes: {told}."
    return f"It does not compose: {told}." if asked[worst] < POOR else f"It composes in part: {told}."
