"""Why a forecast says what it says: facts about the training set and the predicted images, in words."""

from dataclasses import dataclass

import numpy as np

from recombine.core.shapes import Bool, Float, Integer
from recombine.theory.additive import additive_fit

SUPERPOSED = 0.5  # at most this share of the additive answer's energy may be missed to be called a superposition
UNFITTED = 0.05  # an nMSE on its own training set above which a kernel has not learned it


@dataclass(frozen=True)
class Reason:
    """One reason: its name, a sentence or two, and the numbers behind them."""

    name: str
    text: str
    evidence: dict[str, float | int | str | list]


def seen_reason(matches: Integer[np.ndarray, " items"], held_out: Bool[np.ndarray, " items"]) -> Reason | None:
    """Held-out combinations whose input is, after all, that of a training example."""
    count, total = int((matches[held_out] >= 0).sum()), int(held_out.sum())
    if count == 0:
        return None
    return Reason(
        "seen",
        f"{count} of {total} held-out combinations have the same input as a training example; "
        "for them the forecast is about memory, not about composition.",
        {"seen": count, "held_out": total},
    )


def alone_reasons(alone: Bool[np.ndarray, " examples"]) -> list[Reason]:
    """What examples that show one factor alone do to a forecast by kernels."""
    count, total = int(alone.sum()), len(alone)
    reasons = []
    if count == total:
        reasons.append(
            Reason(
                "no compositional example",
                f"None of the {total} training examples shows the factors together, "
                "so nothing in the training set says how they combine.",
                {"together": 0, "examples": total},
            )
        )
    if count:
        reasons.append(
            Reason(
                "isolated factors",
                f"{count} of {total} training examples show one factor alone. Kernel regression cannot use them the "
                "way a trained network does, so this forecast is an upper bound of the error: a trained network may do "
                "better.",
                {"alone": count, "examples": total},
            )
        )
    return reasons


def superposition_reason(
    outputs: Float[np.ndarray, "items pixels"],
    train_targets: Float[np.ndarray, "examples pixels"],
    matches: Integer[np.ndarray, " items"],
    held_out: Bool[np.ndarray, " items"],
    grid: tuple[int, int],
    blank: float,
) -> Reason | None:
    """The predicted held-out images are close to a sum of one picture per factor.

        distance = Σ (output − additive)² / Σ (additive − blank)²     over the held-out images

    0: exactly the additive least-squares fit to the training images; 1: as far from it as a blank picture.
    """
    trained = matches >= 0
    if not trained.any():
        return None
    images = np.full((len(matches), train_targets.shape[1]), np.nan)
    images[trained] = train_targets[matches[trained]]
    fit = additive_fit(images.reshape(*grid, 1, -1), ~trained.reshape(grid)).reshape(images.shape)
    answer, additive = outputs[held_out] - blank, fit[held_out] - blank
    energy = float(np.square(additive).sum())
    if energy == 0 or not np.ptp(answer) or not np.ptp(additive):
        return None
    distance = float(np.square(answer - additive).sum()) / energy
    if distance > SUPERPOSED:
        return None
    correlation = float(np.corrcoef(answer.ravel(), additive.ravel())[0, 1])
    return Reason(
        "superposition",
        "The predicted held-out images are close to a sum of one picture per factor "
        f"(relative squared distance {distance:.3f}, correlation {correlation:.3f}); "
        "such an answer is right only where the true images add up.",
        {"distance": distance, "correlation": correlation},
    )


def unfitted_reason(training_errors: dict[str, float]) -> Reason | None:
    """A kernel that does not fit its own training set, so that its forecast is about that failure first."""
    worst = max(training_errors, key=lambda name: training_errors[name])
    if training_errors[worst] <= UNFITTED:
        return None
    return Reason(
        "training set not fitted",
        f"Kernel {worst!r} leaves an nMSE of {training_errors[worst]:.3f} on its own training set: "
        "the inputs do not tell the training examples apart, or their targets disagree.",
        {"kernel": worst, "training_nmse": training_errors[worst]},
    )
