"""What a network made of its training set: claims on the held-out error that are read off the answers.

Numbers and classes are told apart by conjunctions of components that occur together in what training draws from.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations as choose

import numpy as np

from recombine.core.failures import Failure
from recombine.core.shapes import Bool, Float, Int, Real
from recombine.measures.blame import Claim
from recombine.measures.superposition import decompose

FULL_SLOPE = 0.98  # a slope above is no leak worth a word
PROPORTIONAL = 0.9  # correlation from which answers count as shrunk rather than wrong
FEWEST = 3  # rows that a line must go through to say anything
FOLLOWED = 0.75  # share of held-out answers that agree with a rule from which on a network follows it
INK = 0.01  # of the true energy: with less nothing is drawn, and nothing is a sum of anything
RIGHT = 0.01  # of the variance of true answers: a sum that leaves less is right
ZERO = 1e-9
MOST_COMPONENTS = 6  # their sets double with every further one
LARGEST = 4_000_000  # entries of a matrix through which a sum is fitted


def leak(
    errors: Float[np.ndarray, " held"],
    outputs: Float[np.ndarray, "held outputs"],
    truth: Float[np.ndarray, "held outputs"],
    design: Float[np.ndarray, "held columns"] | None = None,
) -> Claim | None:
    """What shrinking accounts for where answers follow the true ones, shrunk towards a constant.

        answers ≈ a + b t by least squares, t the truth, 0 < b < 0.98, correlation ≥ 0.9
        claim = mean over outputs of (s − t)²,   s = a + b t, or the part of the answers that is a sum over ``design``

    Whole combinations keep different amounts of the answer to different levels, so that one slope is not all of it:
    with ``design``, the conjunctions shown (`shown_conjunctions`), s is the least-squares sum of these, where it has at
    most half as many values as there are rows. Outputs that do not follow the truth so closely claim nothing.
    """
    if len(truth) < FEWEST:
        return None
    columns = None if design is None or 2 * np.linalg.matrix_rank(design) > len(truth) else design
    claimed, slopes, related = np.zeros(len(truth)), [], []
    for answer, wanted in zip(outputs.T, truth.T, strict=True):
        if not (np.ptp(wanted) > 0 and np.ptp(answer) > 0):
            continue
        slope, offset = np.polyfit(wanted, answer, 1)
        correlation = float(np.corrcoef(answer, wanted)[0, 1])
        if 0 < slope < FULL_SLOPE and correlation >= PROPORTIONAL:
            line = offset + slope * wanted
            shrunk = line if columns is None else columns @ np.linalg.lstsq(columns, answer, rcond=None)[0]
            claimed += np.square(shrunk - wanted) / outputs.shape[1]
            slopes.append(float(slope))
            related.append(correlation)
    if not slopes:
        return None
    slope, correlation = float(np.mean(slopes)), float(np.mean(related))
    text = f"Answers are shrunk: slope {slope:.2f} on the true ones, with a correlation of {correlation:.2f}."
    return Claim(Failure.LEAK, np.minimum(claimed, errors), text, {"slope": slope, "correlation": correlation})


def not_additive(
    errors: Float[np.ndarray, " held"],
    truth: Float[np.ndarray, "held outputs"],
    asked: Int[np.ndarray, "held components"],
    allowed: Int[np.ndarray, "allowed components"],
    answers: Float[np.ndarray, "allowed outputs"],
) -> Claim | None:
    """What sums over conjunctions that training shows get wrong, where none of them is right.

        n_i = (t_i − P t_i)²,   P the projection on a constant and the conjunctions shown, on held-out rows
        claim_i = max(n_i, (t_i − p_i)²),   p the smallest least-squares sum through what training shows

    Both are means over outputs. Nothing where Σ n is below 1% of the variance of t: then some sum is right, and what
    goes wrong is not that there is none. p is left out where it is too large to fit. ``answers`` are the true ones of
    ``allowed``.
    """
    if asked.shape[1] > MOST_COMPONENTS:
        return None
    design = shown_conjunctions(asked, allowed)
    least = np.square(truth - design @ np.linalg.lstsq(design, truth, rcond=None)[0]).mean(axis=1)
    varied = float(np.square(truth - truth.mean(axis=0)).mean(axis=1).sum())
    if varied <= ZERO * float(np.square(truth).sum()) or least.sum() <= RIGHT * varied:
        return None
    claimed = least
    if len(allowed) * sum(len(np.unique(allowed[:, m], axis=0)) for m in subsets(asked.shape[1], False)) <= LARGEST:
        columns = shown_conjunctions(np.concatenate([asked, allowed]), allowed, whole=False)
        values = np.linalg.lstsq(columns[len(asked) :], answers, rcond=None)[0]
        claimed = np.maximum(least, np.square(truth - columns[: len(asked)] @ values).mean(axis=1))
    left = float(least.sum() / varied)
    text = f"No sum over what training shows gives the true answers: the best leaves {left:.0%} of their variance."
    return Claim(Failure.NOT_ADDITIVE, claimed, text, {"variance_left": left})


def contradicting(
    errors: Float[np.ndarray, " held"],
    truth: Float[np.ndarray, " held"],
    asked: Int[np.ndarray, "held components"],
    allowed: Int[np.ndarray, "allowed components"],
) -> Claim | None:
    """The error on rows whose classes (−1, 1) exclude each other for every sum over conjunctions that training shows.

        max Σ λ_i,  0 ≤ λ_i ≤ 1,  Σ_i λ_i y_i d_i = 0   (d_i: the conjunctions of row i);   rows with λ_i > 0

    By Farkas's lemma no sum has y_i f_i > 0 on all rows where some λ is positive, and one has where none is.
    """
    from scipy.optimize import linprog

    if asked.shape[1] > MOST_COMPONENTS:
        return None
    design = np.unique(shown_conjunctions(asked, allowed), axis=1)
    rows = len(truth)
    found = linprog(-np.ones(rows), A_eq=(design * truth[:, None]).T, b_eq=np.zeros(design.shape[1]), bounds=(0, 1))
    excluded = np.asarray(found.x) > 1e-6
    if not excluded.any():
        return None
    text = "No sum over what training shows gives all of these held-out rows their class: they exclude each other."
    return Claim(Failure.NOT_ADDITIVE, errors * excluded, text, {"rows": float(excluded.mean())})


def shortcut(
    errors: Float[np.ndarray, " held"],
    outputs: Float[np.ndarray, " held"],
    truth: Float[np.ndarray, " held"],
    asked: Int[np.ndarray, "held components"],
    shown: Int[np.ndarray, "shown components"],
    answers: Float[np.ndarray, " shown"],
    names: Sequence[str],
) -> Claim | None:
    """The error on rows that a rule of training gets wrong, where the network follows that rule.

        rule_J(z) = sign of the mean training answer over examples with the same components J,   J not all components

    A rule is followed when it agrees with at least three quarters of the held-out answers it bears on. Of several, the
    one that accounts for most; of more than six components, rules of the first six.
    """
    best: tuple[float, Claim] | None = None
    for members in subsets(min(asked.shape[1], MOST_COMPONENTS), whole=asked.shape[1] > MOST_COMPONENTS):
        said = _rule(members, asked, shown, answers)
        bears = np.abs(said) > ZERO
        if not bears.any():
            continue
        agrees = float((np.sign(outputs) == np.sign(said))[bears].mean())
        claimed = errors * (bears & (said * truth < 0) & (said * outputs > 0))
        if agrees < FOLLOWED or not claimed.any() or (best is not None and claimed.sum() <= best[0]):
            continue
        rule = " and ".join(names[member] for member in members)
        kept = float((_rule(members, shown, shown, answers) * answers > 0).mean())
        text = (
            f"What training teaches about {rule} alone, right on {kept:.0%} of it, gives {agrees:.0%} of the held-out "
            "answers, and these rows a wrong one."
        )
        evidence = {"followed": agrees, "right_in_training": kept, "components": float(len(members))}
        best = float(claimed.sum()), Claim(Failure.SHORTCUT, claimed, text, evidence)
    return None if best is None else best[1]


def superposed(
    errors: Float[np.ndarray, " held"],
    drawn: Float[np.ndarray, "held pixels"],
    true: Float[np.ndarray, "held pixels"],
    remembered: Float[np.ndarray, "remembered pixels"],
    near: Bool[np.ndarray, "held remembered"],
) -> Claim | None:
    """The error that goes when an answer is compared with a sum of remembered pictures instead of with the truth.

        claim = mean over pixels [(ink − true)² − (ink − s)²],   s = Σ_k w_k ink_k nearest to ink, w ≥ 0, k near

    ``near`` are the remembered pictures that share a level within one step. Nothing where s is nearly blank.
    """
    sums = np.zeros_like(drawn)
    for row, chosen in enumerate(near):
        weights, _ = decompose(drawn[row : row + 1], remembered[chosen])
        sums[row] = (weights @ remembered[chosen])[0]
    inked = np.square(sums).sum(axis=1) >= INK * np.square(true).sum(axis=1)
    gone = inked * np.maximum(errors - np.square(drawn - sums).mean(axis=1), 0.0)
    if not gone.any():
        return None
    size = np.square(drawn).sum()
    energy = 1 - float(np.square(drawn - sums).sum() / size) if size > 0 else 0.0
    text = f"Answers are sums of remembered ones that share a level: these explain {energy:.0%} of their energy."
    return Claim(Failure.SUPERPOSITION, gone, text, {"energy": energy})


def subsets(count: int, whole: bool = True) -> Iterator[tuple[int, ...]]:
    """Every non-empty set of components by order; all of them together only where ``whole``."""
    for order in range(1, count + whole):
        yield from choose(range(count), order)


def shown_conjunctions(
    asked: Int[np.ndarray, "held components"], allowed: Int[np.ndarray, "allowed components"], whole: bool = True
) -> Float[np.ndarray, "held columns"]:
    """Ones, and a column for each conjunction of held-out rows that training draws from: 1 where a row has it.

    Without ``whole`` those of all components, which are whole combinations, have none.
    """
    columns = [np.ones((len(asked), 1))]
    for members in subsets(asked.shape[1], whole):
        found, which = np.unique(asked[:, members], axis=0, return_inverse=True)
        there = set(map(tuple, np.unique(allowed[:, members], axis=0).tolist()))
        kept = [number for number, levels in enumerate(found.tolist()) if tuple(levels) in there]
        columns.append((which.reshape(-1, 1) == np.array(kept, dtype=int)).astype(np.float64))
    return np.concatenate(columns, axis=1)


def _rule(
    members: tuple[int, ...],
    asked: Real[np.ndarray, "asked components"],
    shown: Real[np.ndarray, "shown components"],
    answers: Float[np.ndarray, " shown"],
) -> Float[np.ndarray, " asked"]:
    """The mean training answer of examples that agree in these components; 0 where there are none."""
    both = np.concatenate([shown[:, members], asked[:, members]])
    groups = np.unique(both, axis=0, return_inverse=True)[1].reshape(-1)
    size = np.bincount(groups[: len(shown)], minlength=groups.max() + 1)
    total = np.bincount(groups[: len(shown)], weights=answers, minlength=groups.max() + 1)
    return np.divide(total, size, out=np.zeros(len(size)), where=size > 0)[groups[len(shown) :]]
