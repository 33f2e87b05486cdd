"""What can be said before training, as numbers and as words.

The forecast is that of the kernel (lazy) regime: networks so wide that training hardly changes what their layers
represent. True images of held-out combinations are used to score a prediction and for nothing else.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import isnan
from time import perf_counter
from typing import Any, TypeAlias

import numpy as np

from recombine.core.errors import InputError
from recombine.core.shapes import Bool, Float, Integer, Real
from recombine.theory.outlook import Outlook
from recombine.theory.reasons import Reason, alone_reasons, seen_reason, superposition_reason, unfitted_reason
from recombine.theory.scores import blank_error, item_errors, place_accuracy
from recombine.theory.solve import regress
from recombine.theory.tangent import relu_tangent_kernel

Kernel: TypeAlias = Callable[[np.ndarray, np.ndarray], np.ndarray]

# A modelling choice, not an interval of confidence: networks of finite width and other kernels stray from the
# kernels that were tried, and by this much we let them.
MARGIN = (0.8, 1.25)
COMPOSES_BELOW = 0.1  # nMSE; every held-out section must stay below
FAILS_ABOVE = 0.3  # nMSE over all held-out combinations
BLANK_PICTURE = "a blank picture"  # has an nMSE of 1
# Numbers in the largest matrix of a forecast. About 15 of its size are held at once (kernels, their angles, copies for
# the eigenvectors, the pictures), so that this bound is some 4 GB: 76 x 76 levels drawn at 76 x 76 pixels.
LARGEST_MATRIX = 6_000**2


class TooLarge(InputError):
    """A forecast that would not fit in memory. Training, which sees a batch at a time, may fit all the same."""


@dataclass(frozen=True)
class SectionForecast:
    """The error forecast for one section: the mean over kernels, and the range over kernels with its margin."""

    name: str
    expected: float  # NaN when the true images are not known; so are low and high
    low: float
    high: float
    accuracy: float | None  # share of images with the extreme pixel in place; None when that is not defined

    def to_dict(self) -> dict[str, Any]:
        numbers = {"expected": self.expected, "low": self.low, "high": self.high}
        known = {name: None if isnan(value) else value for name, value in numbers.items()}
        return {"name": self.name, **known, "accuracy": self.accuracy}


@dataclass(frozen=True)
class KernelAnswer:
    """What regression with one kernel says of every item, and the nMSE of what it says of the training examples."""

    outputs: Float[np.ndarray, "items pixels"]
    training_error: float


@dataclass(frozen=True)
class Forecast:
    """What kernel theory says about a training set before anything is trained."""

    composes: bool | None  # None: the forecast does not decide
    verdict: str
    reasons: tuple[Reason, ...]
    sections: tuple[SectionForecast, ...]
    quantity: str  # what the sections forecast
    method: str
    outputs: Float[np.ndarray, "items pixels"] | None = field(compare=False, repr=False)  # mean over kernels
    seconds: float = field(compare=False)
    details: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)  # more numbers, as JSON values
    outlook: Outlook | None = field(default=None, compare=False, repr=False)  # what to expect of trained networks
    # Of every item, the mean over kernels; the mean over "ood" is what is expected there. NaN where nothing is known.
    errors: Float[np.ndarray, " items"] | None = field(default=None, compare=False, repr=False)
    # By the name of the kernel, so that a forecast of the same problem by fewer or more kernels need not ask again.
    answers: Mapping[str, KernelAnswer] = field(default_factory=dict, compare=False, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Everything but the predicted images, as JSON values."""
        return {
            "composes": self.composes,
            "verdict": self.verdict,
            "reasons": [{"name": r.name, "text": r.text, "evidence": dict(r.evidence)} for r in self.reasons],
            "sections": [section.to_dict() for section in self.sections],
            "quantity": self.quantity,
            "method": self.method,
            "seconds": self.seconds,
            **({"details": dict(self.details)} if self.details else {}),
            **({"outlook": self.outlook.to_dict()} if self.outlook else {}),
        }


def tangent_kernels(depths: tuple[int, ...] = (1, 3)) -> dict[str, Kernel]:
    """The tangent kernels a forecast uses unless told otherwise: wide ReLU networks of these depths.

    Biases enter as one more input that is always 1. That is the wide limit of the usual initialisation, where
    weights and biases of a layer are drawn alike: hidden biases then vanish beside the sum over many units.
    """

    def of_depth(depth: int) -> Kernel:
        return lambda a, b: relu_tangent_kernel(_with_constant(a), _with_constant(b), depth)

    return {f"ReLU tangent kernel, hidden layers: {depth}": of_depth(depth) for depth in depths}


def forecast_images(
    codes: Real[np.ndarray, "items inputs"],
    train: Real[np.ndarray, "examples inputs"],
    train_targets: Real[np.ndarray, "examples pixels"],
    truth: Real[np.ndarray, "items pixels"],
    sections: Mapping[str, Bool[np.ndarray, " items"]],
    blank: float,
    *,
    dark: bool,
    image: tuple[int, int] | None,
    kernels: Mapping[str, Kernel] | None = None,
    grid: tuple[int, int] | None = None,
    alone: Bool[np.ndarray, " examples"] | None = None,
    periodic: bool = False,
    nothing: str = BLANK_PICTURE,
    known: Mapping[str, KernelAnswer] | None = None,
) -> Forecast:
    """Forecast the image of every combination by kernel regression on the training examples.

    `codes` are the inputs of all combinations in grid order, `train` and `train_targets` the training examples.
    `truth` scores the prediction and is never read by it; rows that are not known may be NaN. `sections` must have
    "ood"; all but "id" count as held out. `blank` is the pixel value of an empty picture. `grid` gives the
    levels of (y, x) where combinations form one, so that the additive answer can be compared; `alone` marks the
    training examples that show one factor alone; `image` gives (rows, columns) where places are to be scored;
    `nothing` is what an nMSE of 1 means, in words; `known` the `answers` of an earlier forecast from the same arrays,
    whose kernels are not asked again.

    Expected is the mean nMSE over `kernels`; low and high are the least and the largest, widened by `MARGIN`.
    The verdict: composes when every held-out section's high is below `COMPOSES_BELOW`; fails when the low of
    "ood" is above `FAILS_ABOVE` and no example shows a factor alone, since networks use those in ways kernels
    cannot (FR11 of forced rendering); else undecided. The predicted images are the mean over kernels.
    """
    start = perf_counter()
    _check(codes, train, train_targets, truth, sections, image, grid, alone)
    chosen = tangent_kernels() if kernels is None else kernels
    if not chosen:
        raise InputError("a forecast got 0 kernels but needs at least one; leave kernels out for the usual two.")
    inputs, examples = np.asarray(codes, dtype=np.float64), np.asarray(train, dtype=np.float64)
    targets, true_images = np.asarray(train_targets, dtype=np.float64), np.asarray(truth, dtype=np.float64)

    answers: dict[str, KernelAnswer] = {}
    for name, kernel in chosen.items():
        if known and name in known:
            answers[name] = known[name]
            continue
        gram, cross = kernel(examples, examples), kernel(inputs, examples)
        if gram.shape != (len(examples), len(examples)) or cross.shape != (len(inputs), len(examples)):
            raise InputError(
                f"kernel {name!r} gave arrays of shapes {gram.shape} and {cross.shape}; called with (a, b) it must "
                "give a row per input of a and a column per input of b, so check its arguments."
            )
        regression = regress(gram, cross, targets, bias=True)
        fitted = np.asarray(gram, dtype=np.float64) @ regression.weights + regression.intercept
        answers[name] = KernelAnswer(regression.outputs, blank_error(fitted, targets, blank, "the training set"))

    outputs = [answer.outputs for answer in answers.values()]
    scored = tuple(
        _score(name, mask, outputs, true_images, blank, dark, image, periodic) for name, mask in sections.items()
    )
    mean = np.mean(outputs, axis=0)
    held_out = sections["ood"]
    shown_alone = np.zeros(len(train), dtype=bool) if alone is None else alone
    matches = _matches(inputs, examples)
    reasons = [
        superposition_reason(mean, targets, matches, held_out, grid, blank) if grid is not None else None,
        seen_reason(matches, held_out),
        *alone_reasons(shown_alone),
        unfitted_reason({name: answer.training_error for name, answer in answers.items()}),
    ]
    composes = _composes(scored, bound=bool(shown_alone.any()))
    return Forecast(
        composes=composes,
        verdict=_verdict(composes, scored, bool(shown_alone.any()), nothing),
        reasons=tuple(reason for reason in reasons if reason is not None),
        sections=scored,
        quantity="nMSE",
        method=f"kernel regression with a free intercept; kernels: {'; '.join(chosen)}",
        outputs=mean,
        seconds=perf_counter() - start,
        errors=item_errors(outputs, true_images, blank, held_out),
        answers=answers,
    )


def check_size(combinations: int, examples: int, pixels: int) -> None:
    """Refuse a forecast whose largest matrix would have more than `LARGEST_MATRIX` numbers; makes no array itself.

    Kernels are (combinations or examples, examples), pictures (combinations or examples, pixels).
    """
    rows, columns = max(combinations, examples), max(examples, pixels)
    if rows * columns > LARGEST_MATRIX:
        fewer = "" if combinations * pixels > LARGEST_MATRIX else ", or fewer training `examples`"
        raise TooLarge(
            f"a forecast for {combinations} combinations by {examples} training examples of {pixels} pixels needs "
            f"matrices of {rows} x {columns} numbers, {rows * columns * 8 / 1e9:.1f} GB each; at most "
            f"{LARGEST_MATRIX * 8 / 1e9:.1f} GB are allowed, so use fewer levels or pixels{fewer}."
        )


def _score(
    name: str,
    mask: Bool[np.ndarray, " items"],
    outputs: list[np.ndarray],
    truth: Float[np.ndarray, "items pixels"],
    blank: float,
    dark: bool,
    image: tuple[int, int] | None,
    periodic: bool,
) -> SectionForecast:
    errors = [blank_error(each[mask], truth[mask], blank, f"section {name!r}") for each in outputs]
    accuracy = None
    if image is not None:
        places = [place_accuracy(each[mask], truth[mask], image, dark, periodic) for each in outputs]
        known = [place for place in places if place is not None]
        accuracy = float(np.mean(known)) if known else None
    return SectionForecast(
        name=name,
        expected=float(np.mean(errors)),
        low=MARGIN[0] * min(errors),
        high=MARGIN[1] * max(errors),
        accuracy=accuracy,
    )


def _composes(sections: tuple[SectionForecast, ...], bound: bool) -> bool | None:
    """The verdict rule. Comparisons with NaN are false, so what is not known is undecided."""
    held_out = [section for section in sections if section.name != "id"]
    if all(section.high < COMPOSES_BELOW for section in held_out):
        return True
    fails = any(section.low > FAILS_ABOVE for section in held_out if section.name == "ood")
    return False if fails and not bound else None


def _verdict(
    composes: bool | None, sections: tuple[SectionForecast, ...], bound: bool, nothing: str = BLANK_PICTURE
) -> str:
    ood = next(section for section in sections if section.name == "ood")
    if isnan(ood.expected):
        return "Undecided: the true images of held-out combinations are not known, so no error can be forecast."
    found = f"held-out nMSE {ood.expected:.2f} ({ood.low:.2f} to {ood.high:.2f}; 1 is {nothing})"
    may_beat = "; isolated factors make this an upper bound, which a trained network may beat"
    hint = may_beat if bound and not composes else ""
    words = {True: "Composes", False: "Does not compose", None: "Undecided"}[composes]
    return f"{words} in the kernel (lazy) regime: {found}{hint}."


def _with_constant(codes: Float[np.ndarray, "items inputs"]) -> Float[np.ndarray, "items inputs_and_one"]:
    return np.column_stack([codes, np.ones(len(codes))])


def _matches(
    codes: Float[np.ndarray, "items inputs"], train: Float[np.ndarray, "examples inputs"]
) -> Integer[np.ndarray, " items"]:
    """For every combination a training example with exactly its input, or -1."""
    # Adding 0 turns -0.0 into 0.0, which are equal numbers with unequal bytes.
    places = {row.tobytes(): place for place, row in enumerate(train + 0.0)}
    return np.array([places.get(row.tobytes(), -1) for row in codes + 0.0], dtype=np.int64)


def _check(
    codes: np.ndarray,
    train: np.ndarray,
    train_targets: np.ndarray,
    truth: np.ndarray,
    sections: Mapping[str, np.ndarray],
    image: tuple[int, int] | None,
    grid: tuple[int, int] | None,
    alone: np.ndarray | None,
) -> None:
    check_size(len(codes), len(train), truth.shape[1])
    if codes.shape[1] != train.shape[1] or len(train) != len(train_targets) or len(codes) != len(truth):
        raise InputError(
            f"codes {codes.shape}, train {train.shape}, train_targets {train_targets.shape} and truth {truth.shape} "
            "do not belong together; give one target per training example and one true image per combination."
        )
    if train_targets.shape[1] != truth.shape[1]:
        raise InputError(
            f"training images have {train_targets.shape[1]} pixels and true images {truth.shape[1]}; "
            "render both at one size."
        )
    if "ood" not in sections:
        raise InputError(f"sections {sorted(sections)} lack 'ood'; name the mask of all held-out combinations 'ood'.")
    for name, mask in sections.items():
        if mask.dtype != np.bool_ or mask.shape != (len(codes),) or not mask.any():
            raise InputError(
                f"section {name!r} must be a boolean mask over {len(codes)} combinations with at least one of them, "
                f"got {int(mask.sum())} in a {mask.dtype} array of shape {mask.shape}; leave empty sections out."
            )
    if image is not None and image[0] * image[1] != truth.shape[1]:
        raise InputError(f"image = {image} does not have {truth.shape[1]} pixels; give (rows, columns) of the images.")
    if grid is not None and grid[0] * grid[1] != len(codes):
        raise InputError(f"grid = {grid} does not have {len(codes)} combinations; give the levels of (y, x).")
    if alone is not None and alone.shape != (len(train),):
        raise InputError(f"alone has shape {alone.shape} but there are {len(train)} training examples; mark each one.")
