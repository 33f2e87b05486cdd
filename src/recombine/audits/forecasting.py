"""What theory expects of the held-out rows: kernel regression from inputs to targets, as numbers or as classes."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from recombine.audits.diagnosing import GOOD, POOR
from recombine.audits.given import INPUTS, TARGETS, Given
from recombine.audits.held_out import KNOWN, HeldOut
from recombine.audits.watching import as_floats
from recombine.core.seeds import stream
from recombine.core.shapes import Bool, Int
from recombine.theory import Forecast, SectionForecast, forecast_images, tangent_kernels
from recombine.theory.forecast import MARGIN

KERNEL_ROWS = 1000  # trained rows, and held-out rows, that a forecast by kernels is made of
KERNEL_NUMBERS = 4096  # numbers of a target that it looks at, drawn by the seed
OOD = "ood"  # the section of all new combinations


def forecast_rows(
    given: Given, targets: Any, classes: bool, held_out: HeldOut | None, seed: int, note: Callable[[str], None]
) -> Forecast | None:
    """The forecast for new combinations on samples of trained and held-out rows; None, and a note, where there is none.

    Of numbers it is the nMSE: the squared error over that of always answering the mean of the trained rows. Of
    ``classes`` it is the share of right ones.
    """
    if given.trained is None or held_out is None or not held_out.held_out:
        return None
    if given.inputs is None or targets is None:
        if not given.unusable & {INPUTS, TARGETS}:  # else it was said why
            note("No forecast is made: it needs inputs and targets.")
        return None
    if not given.trained.any():
        return None  # none of the trained rows is whole, which was said
    asked = {name: rows for name, rows in held_out.sections.items() if name != KNOWN}
    if not asked:
        note("Every held-out combination is also trained on, so that there is nothing to compose.")
        return None
    rng = stream(seed, "audit", "forecast")
    fitted = _some(np.flatnonzero(given.trained), rng)
    scored = np.sort(np.concatenate([_some(np.flatnonzero(rows), rng, len(asked)) for rows in asked.values()]))
    codes, others = (as_floats(given.inputs[rows]).reshape(len(rows), -1) for rows in (fitted, scored))
    middle, spread = codes.mean(axis=0), codes.std() or 1.0
    inputs = (others - middle) / spread, (codes - middle) / spread
    sections = {OOD: np.ones(len(scored), dtype=bool)} | {name: rows[scored] for name, rows in asked.items()}
    alone = given.table.alone[fitted]
    if classes:
        levels, marks = np.unique(targets, return_inverse=True)
        return _of_classes(inputs, marks.reshape(-1)[fitted], marks.reshape(-1)[scored], len(levels), sections, alone)
    wanted, true = (as_floats(targets[rows]).reshape(len(rows), -1).astype(np.float64) for rows in (fitted, scored))
    columns = np.sort(rng.permutation(wanted.shape[1])[:KERNEL_NUMBERS])
    mean = wanted[:, columns].mean(axis=0)
    wanted, true = wanted[:, columns] - mean, true[:, columns] - mean
    if not wanted.any():
        note("Targets of the trained rows are all alike, so that nothing is learned and no error can be forecast.")
        return None
    told = {name: rows for name, rows in sections.items() if true[rows].any()}
    if told.keys() != sections.keys():
        note("Targets of some held-out rows are all the mean of the trained ones; no error is forecast for these.")
    if OOD not in told:
        return None
    return forecast_images(
        *inputs,
        wanted,
        true,
        told,
        0.0,
        dark=False,
        image=None,
        alone=alone,
        nothing="always answering the mean of the trained rows",
    )


def _of_classes(
    inputs: tuple[np.ndarray, np.ndarray],
    wanted: Int[np.ndarray, " fitted"],
    true: Int[np.ndarray, " scored"],
    sorts: int,
    sections: Mapping[str, Bool[np.ndarray, " scored"]],
    alone: Bool[np.ndarray, " fitted"],
) -> Forecast:
    """Regression onto a mark for each class, of which the largest is the answer.

    Expected is the mean accuracy over kernels; low and high are the least and the largest, with the share of wrong
    answers widened as errors of numbers are.
    """
    marks = np.eye(sorts)
    each = [
        forecast_images(*inputs, marks[wanted], marks[true], sections, 0.0, dark=False, image=None, alone=alone,
                        kernels={name: kernel})
        for name, kernel in tangent_kernels().items()
    ]  # fmt: skip
    right = np.stack([one.outputs.argmax(axis=1) == true for one in each if one.outputs is not None])
    found = []
    for name, rows in sections.items():
        shares = right[:, rows].mean(axis=1)
        low, high = 1 - MARGIN[1] * (1 - shares.min()), 1 - MARGIN[0] * (1 - shares.max())
        found.append(SectionForecast(name, float(shares.mean()), max(0.0, float(low)), float(high), None))
    ood, floor = found[0], bool(alone.any())
    composes = True if all(part.low >= GOOD for part in found) else False if ood.high < POOR and not floor else None
    words = {True: "Composes", False: "Does not compose", None: "Undecided"}[composes]
    common = float((true == np.bincount(wanted).argmax()).mean())
    return Forecast(
        composes=composes,
        verdict=f"{words} in the kernel (lazy) regime: held-out accuracy {ood.expected:.2f} ({ood.low:.2f} to "
        f"{ood.high:.2f}; {common:.2f} is always answering the commonest class of the trained rows).",
        reasons=tuple({reason.name: reason for one in each for reason in one.reasons}.values()),
        sections=tuple(found),
        quantity="accuracy",
        method="; ".join(one.method for one in each),
        outputs=None,
        seconds=sum(one.seconds for one in each),
    )


def _some(rows: Int[np.ndarray, " rows"], rng: "np.random.Generator", among: int = 1) -> Int[np.ndarray, " some"]:
    most = KERNEL_ROWS // among
    return rows if len(rows) <= most else np.sort(rng.choice(rows, most, replace=False))
