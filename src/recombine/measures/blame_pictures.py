"""What is to blame for wrong pictures over a grid of two factors."""

from collections.abc import Sequence

import numpy as np

from recombine.core.shapes import Bool, Float, Int
from recombine.measures.answer import defined
from recombine.measures.blame import FINE, SMALL, Blame, Claim, share_out
from recombine.measures.blame_answers import leak, superposed
from recombine.measures.blame_training import (
    at_scale,
    in_units,
    no_composition,
    not_learned,
    too_little_data,
    too_little_overlap,
    unseen_level,
)
from recombine.measures.error import nmse
from recombine.measures.evidence import FACTORS, Evidence
from recombine.measures.remembered import Stripes, remembered
from recombine.measures.superposition import chosen_held_out


def blame_pictures(
    evidence: Evidence,
    shown: Bool[np.ndarray, " combinations"],
    stripes: Stripes | None = None,
    allowed: Bool[np.ndarray, " combinations"] | None = None,
    names: Sequence[str] = FACTORS,
) -> Blame:
    """Shares of the error deep in the hole, over at most 40 evenly spaced held-out combinations.

    ``shown`` are the combinations that training really showed, ``allowed`` those it draws from, by default "id" too.
    Errors are mean squares over pixels, and their scale is what blank pictures cost. Answers that are numbers and no
    pictures may leak, where pictures superpose.
    """
    allowed = shown | evidence.section("id") if allowed is None else shown | allowed
    rows = np.flatnonzero(evidence.section(evidence.deep))[chosen_held_out(evidence)]
    blank = np.full_like(evidence.targets, evidence.blank)
    wrong, cost = (_squares(each, evidence.targets) for each in (evidence.outputs, blank))
    scale, errors = float(cost[rows].mean()) or 1.0, wrong[rows]
    alone = np.empty((0, 2)) if stripes is None else stripes.levels
    learned, own = _learned(wrong[shown], cost[shown], stripes, evidence.blank, scale)
    levels, asked = evidence.levels.astype(np.float64), evidence.levels[rows]
    pool, new = np.concatenate([levels[allowed], alone]), allowed & ~shown
    fresh = at_scale(wrong[new], cost[new], scale)
    claims = [
        not_learned(errors, learned, scale, own, f"What was trained on{'' if stripes is None else ', stripes too,'}"),
        no_composition(errors, np.concatenate([levels[shown], alone])),
        too_little_data(errors, learned, fresh),
        unseen_level(errors, asked, pool, names),
        too_little_overlap(errors, asked, pool),
        _numbers(evidence, errors, rows)
        if evidence.places == "numbers"
        else _made(evidence, errors, rows, shown, stripes),
    ]
    return share_out(
        errors,
        claims,
        scale,
        evidence.deep,
        defined(nmse, evidence, evidence.deep),
        own,
        FINE if evidence.places == "numbers" else SMALL,
    )


def _learned(
    wrong: Float[np.ndarray, " shown"],
    cost: Float[np.ndarray, " shown"],
    stripes: Stripes | None,
    blank: float,
    scale: float,
) -> tuple[Float[np.ndarray, " all_shown"], float]:
    """Errors on what training showed as they would be on what is held out, and their mean in units of their own.

    Beside combinations, which are of the sort that is asked for, stripes count in their own units: they have more ink
    and so larger errors. Alone they are all there is to compare with.
    """
    if stripes is None:
        learned = at_scale(wrong, cost, scale)
        return learned, float(wrong.mean() / (cost.mean() or 1.0)) if len(wrong) else 0.0
    lone = _squares(stripes.outputs, stripes.targets)
    spent = _squares(np.full_like(stripes.targets, blank), stripes.targets)
    if not len(wrong):
        return at_scale(lone, spent, scale), float(lone.mean() / (spent.mean() or 1.0))
    own = np.concatenate([in_units(wrong, cost, 1.0), in_units(lone, spent, 1.0)])
    return np.concatenate([at_scale(wrong, cost, scale), in_units(lone, spent, scale)]), float(own.mean())


def _made(
    evidence: Evidence,
    errors: Float[np.ndarray, " held"],
    rows: Int[np.ndarray, " held"],
    shown: Bool[np.ndarray, " combinations"],
    stripes: Stripes | None,
) -> Claim | None:
    parts = remembered(evidence, shown & ~evidence.section("ood"), stripes)
    if not len(parts.levels):
        return None
    near = parts.apart(evidence, evidence.levels[rows]).min(axis=0) <= 1
    chosen = chosen_held_out(evidence)
    return superposed(
        errors, evidence.ink(evidence.deep)[chosen], evidence.target_ink(evidence.deep)[chosen], parts.ink, near
    )


def _numbers(evidence: Evidence, errors: Float[np.ndarray, " held"], rows: Int[np.ndarray, " held"]) -> Claim | None:
    answers, truth = (each[rows].reshape(len(rows), -1) for each in (evidence.outputs, evidence.targets))
    return leak(errors, answers.astype(np.float64), truth.astype(np.float64))


def _squares(
    outputs: Float[np.ndarray, "pictures rows columns"], targets: Float[np.ndarray, "pictures rows columns"]
) -> Float[np.ndarray, " pictures"]:
    return np.square(np.subtract(outputs, targets, dtype=np.float64)).mean(axis=(1, 2))
