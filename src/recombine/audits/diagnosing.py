"""What fails in an audit, by name, and the verdict in one sentence."""

import pandas as pd

from recombine.audits.held_out import KNOWN, LACKS, HeldOut
from recombine.audits.scoring import Scores
from recombine.theory import Forecast, Reason

TRAINED = "trained"
GOOD, POOR = 0.8, 0.5  # scores from which on rows count as right, and below which they count as wrong
LOST = 0.1  # a fall of R² from one layer to the next that is worth a word


def diagnose(performance: pd.DataFrame, held_out: HeldOut | None, inside: pd.DataFrame) -> list[Reason]:
    """What fails, by name, each with its numbers; nothing where nothing does."""
    score = dict(zip(performance["section"], performance["score"], strict=True))
    found: list[Reason] = []
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
        text = f"On the {rows} held-out rows in which {LACKS[name]}, the model scores {score[name]:.2f}"
        compared = f", against {score[TRAINED]:.2f} on trained rows." if TRAINED in score else "."
        found.append(Reason(name, text + compared, {"score": float(score[name]), "rows": rows}))
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
                f"{held_out.repeated} held-out rows have the input of a trained row, so that they tell of memory.",
                {"rows": held_out.repeated},
            )
        )
    if fell or not len(performance):
        found += _lost(inside)
    return found


def _lost(inside: pd.DataFrame) -> list[Reason]:
    """The first layer after which held-out rows are no longer the sum of their levels, if there is one."""
    lines = inside[inside["measure"] == "additive_held_out"] if len(inside) else inside
    if len(lines) < 2:
        return []
    values = lines["value"].to_numpy()
    drops = values[:-1] - values[1:]
    place = int(drops.argmax())
    if drops[place] < LOST:
        return []
    before, after = lines["layer"].iloc[place], lines["layer"].iloc[place + 1]
    return [
        Reason(
            "factorisation lost",
            f"From layer {before!r} to {after!r} the R² of a sum of level vectors on held-out rows falls from "
            f"{values[place]:.2f} to {values[place + 1]:.2f}: there factors are mixed, as targets may ask for or not.",
            {"before": str(before), "after": str(after), "fall": float(drops[place])},
        )
    ]


def verdict_of(performance: pd.DataFrame, forecast: Forecast | None, scores: Scores | None) -> str:
    score = dict(zip(performance["section"], performance["score"], strict=True))
    asked = {name: score[name] for name in LACKS if name in score and name != KNOWN}
    if scores is None or not asked:
        told = "No answer of a model was scored on new combinations"
        return f"{told}. By theory: {forecast.verdict}" if forecast is not None else f"{told}."
    worst = min(asked, key=lambda name: asked[name])
    told = f"{scores.quantity} {asked[worst]:.2f} where {LACKS[worst]}"
    if TRAINED in score:
        told += f", {score[TRAINED]:.2f} on trained rows"
    if TRAINED in score and score[TRAINED] < GOOD:
        return f"Undecided: the model has not learned its training rows ({told})."
    if asked[worst] >= GOOD:
        return f"It composes: {told}."
    return f"It does not compose: {told}." if asked[worst] < POOR else f"It composes in part: {told}."
