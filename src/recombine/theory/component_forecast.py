"""What kernel theory says about a task of discrete components before anything is trained.

Each kernel gives an answer for every combination, by least squares and, where answers are classes, by the widest
margin, which is where logistic training ends up. The answers are taken apart by conjunctions to say what went wrong.
True answers of held-out combinations score a prediction and tell whether any readout could be right; no more.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any, TypeAlias

import numpy as np

from recombine.core.errors import InputError
from recombine.core.shapes import Bool, Float, Integer
from recombine.factors import Factor
from recombine.theory.additivity import certificate
from recombine.theory.conjunctions import Components, decompose
from recombine.theory.forecast import COMPOSES_BELOW, FAILS_ABOVE, MARGIN, Forecast, SectionForecast
from recombine.theory.kernels import Readout, random_layers, readout
from recombine.theory.margin import fit_margin
from recombine.theory.overlap_solve import overlap_regression
from recombine.theory.reasons import Reason
from recombine.theory.salience import Similarity
from recombine.theory.solve import regress

# A similarity of combinations by what they share, or the kernel of all combinations as an array.
ComponentKernel: TypeAlias = Similarity | Float[np.ndarray, "items items"]

EXACT = 1000  # trained combinations up to which kernels are written down and the widest margin is sought
LISTED = 1000  # held-out combinations up to which every predicted answer is listed
ZERO = 1e-9  # answers nearer to zero are no decision
MOST_CLASSES = 5000  # held-out classes up to which the certificate is sought among all of them
SAMPLE = 1500  # held-out combinations among which a contradiction is sought first
PROPORTIONAL = 0.9  # correlation of predicted with true answers from which they count as shrunk rather than wrong
FULL_SLOPE = 0.98  # a slope above is no leak worth a word
LEAST_SQUARES, WIDEST_MARGIN = "least squares", "widest margin"


@dataclass(frozen=True)
class Answer:
    """What one kernel and solver say, and how it does on the held-out combinations."""

    kernel: str
    solver: str
    outputs: Float[np.ndarray, " items"]
    contributions: Mapping[Components, Float[np.ndarray, " items"]]  # by conjunction; none for kernels given as arrays


def relu_kernels(components: int, depths: Sequence[int] = (1, 3)) -> dict[str, ComponentKernel]:
    """Wide random ReLU networks of these depths on concatenated one-hot codes, as similarities."""
    start = np.arange(components + 1) / components
    return {f"random ReLU layers: {depth}": random_layers(start, "relu", depth) for depth in depths}


def forecast_components(
    combinations: Integer[np.ndarray, "items components"],
    targets: Float[np.ndarray, " items"],
    seen: Bool[np.ndarray, " items"],
    sections: Mapping[str, Bool[np.ndarray, " items"]],
    kernels: Mapping[str, ComponentKernel] | None = None,
    factors: Sequence[Factor] | None = None,
) -> Forecast:
    """Forecast the answer to every combination by kernel readouts with a free intercept.

    ``targets`` are NaN where the task has no answer; such rows belong to no section. ``sections`` must have "id" and
    "ood". The quantity is the share of wrong classes (an answer of zero counts one half) where all targets are -1
    or 1, else the nMSE: the squared error divided by that of always answering the mean of the training answers
    (where that is right already, by the variance of the training answers).
    Expected is the mean over kernels and solvers; low and high the least and the largest, widened by `MARGIN`.
    The verdict is drawn as for pictures, but what is not additive is never said to compose. ``factors`` give names to
    components and levels.
    """
    start = perf_counter()
    _check(combinations, targets, seen, sections)
    chosen = relu_kernels(combinations.shape[1]) if kernels is None else kernels
    if not chosen:
        raise InputError("a forecast got 0 kernels but needs at least one; leave kernels out for the usual two.")
    named = factors or [
        Factor.numbered(f"component {c}", int(top) + 1) for c, top in enumerate(combinations.max(axis=0))
    ]
    names = [factor.name for factor in named]
    asked = ~np.isnan(targets)
    inseparable: list[str] = []
    binary = bool(np.isin(targets[asked], (-1.0, 1.0)).all())
    answers = [
        answer
        for name, kernel in chosen.items()
        for answer in _answers(name, kernel, combinations, targets, seen, binary, inseparable)
    ]
    scored = tuple(
        _score(name, [error(answer.outputs[mask], targets[mask], targets[seen], binary) for answer in answers], binary)
        for name, mask in sections.items()
    )
    held_out = sections["ood"]
    contradiction, whole = _contradiction(combinations, targets, seen, asked, binary)
    reasons = [
        _certificate_reason(contradiction, combinations, named),
        None if whole else _sample_reason(int((asked & ~seen).sum())),
        _leak_reason(answers, targets, held_out, binary, contradiction is None),
        _shortcut_reason(answers, targets, held_out, names, binary),
        _loss_reason(answers, targets, held_out, binary),
        _size_reason(seen, binary),
        _inseparable_reason(inseparable),
    ]
    composes = _composes(scored, contradiction is None)
    return Forecast(
        composes=composes,
        verdict=_verdict(composes, scored, binary),
        reasons=tuple(reason for reason in reasons if reason is not None),
        sections=scored,
        quantity="error rate" if binary else "nMSE",
        method=f"kernel readouts with a free intercept; kernels: {'; '.join(chosen)}",
        outputs=np.mean([answer.outputs for answer in answers], axis=0)[:, None],
        seconds=perf_counter() - start,
        details={
            "held_out": combinations[held_out].tolist() if held_out.sum() <= LISTED else None,
            "answers": [_summary(answer, targets, held_out, binary) for answer in answers],
            "additive": contradiction is None if whole else None,
            "contradiction": [] if contradiction is None else contradiction.tolist(),
        },
        errors=np.mean(
            [combination_errors(answer.outputs, targets, held_out, seen, binary) for answer in answers], axis=0
        ),
    )


def _answers(
    name: str,
    kernel: ComponentKernel,
    combinations: np.ndarray,
    targets: np.ndarray,
    seen: np.ndarray,
    binary: bool,
    inseparable: list[str],
) -> list[Answer]:
    """By least squares and, for classes, by the widest margin; kernels that have none are added to ``inseparable``."""
    if isinstance(kernel, np.ndarray) and kernel.ndim == 2:
        gram, cross = kernel[np.ix_(seen, seen)], kernel[:, seen]
        found = {LEAST_SQUARES: regress(gram, cross, targets[seen], bias=True).outputs}
        if binary and seen.sum() <= EXACT:
            try:
                found[WIDEST_MARGIN] = fit_margin(gram, cross, targets[seen], bias=True).outputs
            except InputError:
                inseparable.append(name)
        return [Answer(name, solver, outputs, {}) for solver, outputs in found.items()]
    fits: dict[str, Readout] = {}
    if seen.sum() <= EXACT:
        fits[LEAST_SQUARES] = readout(combinations, targets, seen, kernel, "min-norm", bias=True)
        if binary:
            try:
                fits[WIDEST_MARGIN] = readout(combinations, targets, seen, kernel, "max-margin", bias=True)
            except InputError:
                inseparable.append(name)
    else:
        fits[LEAST_SQUARES] = overlap_regression(combinations, targets, seen, kernel, bias=True)
    return [
        Answer(name, solver, fit.outputs, decompose(combinations, fit.weights, seen, kernel, fit.intercept))
        for solver, fit in fits.items()
    ]


def accuracy(outputs: Float[np.ndarray, " items"], classes: Float[np.ndarray, " items"]) -> float:
    """Share of right signs; an answer of zero, to rounding, counts one half."""
    return float(np.where(np.abs(outputs) < ZERO, 0.5, outputs * classes > 0).mean())


def error(
    outputs: Float[np.ndarray, " items"],
    truth: Float[np.ndarray, " items"],
    trained: Float[np.ndarray, " examples"],
    binary: bool,
) -> float:
    """The share of wrong classes, or the squared error over that of always answering the mean of trained answers."""
    if binary:
        return 1.0 - accuracy(outputs, truth)
    power = np.square(truth - trained.mean()).mean() or trained.var() or 1.0
    return float(np.square(outputs - truth).mean() / power)


def combination_errors(
    outputs: Float[np.ndarray, " items"],
    targets: Float[np.ndarray, " items"],
    held_out: Bool[np.ndarray, " items"],
    seen: Bool[np.ndarray, " items"],
    binary: bool,
) -> Float[np.ndarray, " items"]:
    """The `error` of every combination, on the scale of all that is held out, over which its mean is that error."""
    if binary:
        wrong = np.where(np.abs(outputs) < ZERO, 0.5, outputs * targets <= 0)
        return np.where(np.isnan(targets), np.nan, wrong)
    power = np.square(targets[held_out] - targets[seen].mean()).mean() or targets[seen].var() or 1.0
    return np.square(outputs - targets) / power


def _score(name: str, errors: Sequence[float], binary: bool) -> SectionForecast:
    low, high = MARGIN[0] * min(errors), MARGIN[1] * max(errors)
    expected = float(np.mean(errors))
    return SectionForecast(name, expected, low, min(high, 1.0) if binary else high, 1 - expected if binary else None)


def _composes(sections: Sequence[SectionForecast], additive: bool) -> bool | None:
    if additive and all(section.high < COMPOSES_BELOW for section in sections if section.name != "id"):
        return True
    return False if any(section.low > FAILS_ABOVE for section in sections if section.name == "ood") else None


def _verdict(composes: bool | None, sections: Sequence[SectionForecast], binary: bool) -> str:
    ood = next(section for section in sections if section.name == "ood")
    words = {True: "Composes", False: "Does not compose", None: "Undecided"}[composes]
    what = "error rate" if binary else "nMSE"
    scale = "0.5 is chance" if binary else "1 is always answering the mean"
    found = f"held-out {what} {ood.expected:.2f} ({ood.low:.2f} to {ood.high:.2f}; {scale})"
    return f"{words} in the kernel (lazy) regime: {found}."


def slope_and_offset(outputs: Float[np.ndarray, " items"], truth: Float[np.ndarray, " items"]) -> tuple[float, float]:
    """The least-squares line of outputs over true answers; NaN where the true answers do not vary."""
    if len(truth) < 2 or np.ptp(truth) == 0:
        return float("nan"), float("nan")
    slope, offset = np.polyfit(truth, outputs, 1)
    return float(slope), float(offset)


def _summary(answer: Answer, targets: np.ndarray, held_out: np.ndarray, binary: bool) -> dict[str, Any]:
    outputs, truth = answer.outputs[held_out], targets[held_out]
    slope, offset = slope_and_offset(outputs, truth)
    return {
        "kernel": answer.kernel,
        "solver": answer.solver,
        "slope": None if np.isnan(slope) else slope,
        "offset": None if np.isnan(offset) else offset,
        "accuracy": accuracy(outputs, truth) if binary else None,
        "margin": float((outputs * truth).mean()) if binary else None,
        "predicted": outputs.tolist() if len(outputs) <= LISTED else None,
    }


def _contradiction(
    combinations: np.ndarray, targets: np.ndarray, seen: np.ndarray, asked: np.ndarray, binary: bool
) -> tuple[Integer[np.ndarray, " rows"] | None, bool]:
    """Held-out rows that no sum over seen conjunctions gets all right, or None; and whether that is settled.

    A contradiction among some held-out rows is one among all, so a sample of them is tried first. For very many
    classes, whose linear program takes half a minute, that is all: none in the sample does not settle it.
    """
    waiting = np.flatnonzero(asked & ~seen)
    samples = [waiting[:: -(-len(waiting) // SAMPLE)], waiting] if len(waiting) > SAMPLE else [waiting]
    whole = not (binary and len(waiting) > MOST_CLASSES)
    for some in samples if whole else samples[:1]:
        rows = np.concatenate([np.flatnonzero(seen), some])
        proof = certificate(combinations[rows], targets[rows], seen[rows])
        if not proof.additive:
            return np.sort(rows[np.asarray(proof.contradiction)]), True
    return None, whole


def _sample_reason(held_out: int) -> Reason:
    return Reason(
        "certificate from a sample",
        f"Whether all {held_out} held-out answers can be right at once was asked of an even sample of at most {SAMPLE} "
        "of them, in which nothing contradicts; `recombine.theory.certificate` settles it for all.",
        {"held_out": held_out, "sample": SAMPLE},
    )


def _certificate_reason(
    contradiction: np.ndarray | None, combinations: np.ndarray, factors: Sequence[Factor]
) -> Reason | None:
    if contradiction is None:
        return None
    shown = "; ".join(
        ", ".join(f"{f.name} {f.levels[level]}" for f, level in zip(factors, combinations[row], strict=True))
        for row in contradiction[:6]
    )
    more = f" and {len(contradiction) - 6} more" if len(contradiction) > 6 else ""
    return Reason(
        "not additive",
        "No sum over the conjunctions seen in training can give all of these held-out combinations their right answer: "
        f"{shown}{more}. A fixed representation cannot compose this task; feature learning may.",
        {"combinations": contradiction.tolist()},
    )


def _leak_reason(
    answers: Sequence[Answer], targets: np.ndarray, held_out: np.ndarray, binary: bool, additive: bool
) -> Reason | None:
    """Predictions shrunk towards a constant: what training stored in whole combinations is lost on unseen ones.

    Only where the task is additive and predictions follow the truth; otherwise they are wrong, not shrunk.
    """
    truth = targets[held_out]
    if binary or not additive or np.ptp(truth) == 0:
        return None
    outputs = np.mean([answer.outputs[held_out] for answer in answers], axis=0)
    slope, offset = slope_and_offset(outputs, truth)
    related = float(np.corrcoef(outputs, truth)[0, 1]) if np.ptp(outputs) > 0 else 0.0
    if not (0 < slope < FULL_SLOPE and related >= PROPORTIONAL):
        return None
    return Reason(
        "memorisation leak",
        f"Answers to unseen combinations are shrunk: slope {slope:.2f} of the predicted on the true answers, "
        f"offset {offset:.2f}, correlation {related:.2f}. The rest is stored in whole combinations that training has "
        "shown; more partners for every item, or a representation with less weight on conjunctions, raise it.",
        {"slope": slope, "leak": 1 - slope, "correlation": related},
    )


def _shortcut_reason(
    answers: Sequence[Answer], targets: np.ndarray, held_out: np.ndarray, names: Sequence[str], binary: bool
) -> Reason | None:
    """A conjunction that pushes held-out answers the wrong way: mean of y f_J over them is negative."""
    if not binary:
        return None
    # Below chance by more than chance does: twice the standard deviation of as many coin flips.
    low = 0.5 - 1 / np.sqrt(held_out.sum())
    failing = [a for a in answers if a.contributions and accuracy(a.outputs[held_out], targets[held_out]) <= low]
    if not failing:
        return None
    answer = failing[-1]
    pushes = {
        members: float((part * targets)[held_out].mean()) for members, part in answer.contributions.items() if members
    }
    members = min(pushes, key=lambda each: pushes[each])
    if pushes[members] >= -ZERO:
        return None
    rule = " and ".join(names[c] for c in members)
    total = sum(abs(push) for push in pushes.values())
    return Reason(
        "shortcut",
        f"What training teaches about {rule} alone answers the held-out combinations wrongly (by {answer.solver}, "
        f"{answer.kernel}): it moves them by {pushes[members]:.2f} on average, {-pushes[members] / total:.0%} of all "
        "that moves them.",
        {"rule": [names[c] for c in members], "push": pushes[members], "share": -pushes[members] / total},
    )


def _loss_reason(answers: Sequence[Answer], targets: np.ndarray, held_out: np.ndarray, binary: bool) -> Reason | None:
    """The two losses part: least squares and the widest margin disagree about what composes."""
    if not binary:
        return None
    by_solver: dict[str, list[float]] = {}
    for answer in answers:
        by_solver.setdefault(answer.solver, []).append(accuracy(answer.outputs[held_out], targets[held_out]))
    means = {solver: float(np.mean(found)) for solver, found in by_solver.items()}
    if len(means) < 2 or abs(means[LEAST_SQUARES] - means[WIDEST_MARGIN]) < 0.25:
        return None
    return Reason(
        "loss",
        f"The loss decides: held-out accuracy {means[LEAST_SQUARES]:.2f} by least squares (squared error) and "
        f"{means[WIDEST_MARGIN]:.2f} by the widest margin (where logistic loss ends up).",
        {"least_squares": means[LEAST_SQUARES], "widest_margin": means[WIDEST_MARGIN]},
    )


def _size_reason(seen: np.ndarray, binary: bool) -> Reason | None:
    if not binary or seen.sum() <= EXACT:
        return None
    return Reason(
        "least squares only",
        f"{int(seen.sum())} trained combinations are more than the {EXACT} up to which the widest margin is computed, "
        "so this forecast is that of the squared error.",
        {"trained": int(seen.sum())},
    )


def _inseparable_reason(kernels: Sequence[str]) -> Reason | None:
    if not kernels:
        return None
    return Reason(
        "not separable",
        f"The training set cannot be separated by {'; '.join(kernels)}, so there is no widest margin; what is said of "
        "them is by least squares.",
        {"kernels": list(kernels)},
    )


def _check(combinations: np.ndarray, targets: np.ndarray, seen: np.ndarray, sections: Mapping[str, np.ndarray]) -> None:
    for name in ("id", "ood"):
        if name not in sections or not sections[name].any():
            raise InputError(f"sections {sorted(sections)} need {name!r} with at least one combination; give its mask.")
    if len(targets) != len(combinations) or seen.shape != (len(combinations),):
        raise InputError(
            f"{len(combinations)} combinations need as many targets and a mask of that length, got {targets.shape} and "
            f"{seen.shape}."
        )
    if np.isnan(targets[seen]).any():
        raise InputError("a trained combination has no answer; give it one or mark it as not trained.")
