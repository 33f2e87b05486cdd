"""How a forecast is scored against the true images: error in blank units, and whether the place is right."""

from collections.abc import Sequence

import numpy as np

from recombine.core.errors import InputError
from recombine.core.shapes import Bool, Float

TOLERANCE = 1  # pixels, in each direction


def blank_error(
    outputs: Float[np.ndarray, "items pixels"],
    truth: Float[np.ndarray, "items pixels"],
    blank: float,
    where: str = "these pictures",
) -> float:
    """Mean squared error in units of what a blank picture would cost (nMSE).

        nMSE = mean (output − truth)² / mean (blank − truth)²

    0: right; 1: as bad as drawing nothing; above 1: drew the wrong thing. NaN: the truth is not known. `where` says in
    an error which pictures are meant.
    """
    cost = float(np.square(truth - blank).mean())
    if cost == 0:
        raise InputError(
            f"nothing is to be drawn in {where}: all {len(truth)} true images equal the blank value {blank:g}, so an "
            "error in blank units is undefined; move the hold-out, or lower the task's margin."
        )
    return float(np.square(outputs - truth).mean()) / cost


def item_errors(
    outputs: Sequence[Float[np.ndarray, "items pixels"]],
    truth: Float[np.ndarray, "items pixels"],
    blank: float,
    scale: Bool[np.ndarray, " items"],
) -> Float[np.ndarray, " items"]:
    """The squared error of every item in units of a blank's mean one over the items of ``scale``, mean over outputs.

    Its mean over these items is their `blank_error`, mean over outputs.
    """
    cost = float(np.square(truth[scale] - blank).mean())
    return np.mean([np.square(each - truth).mean(axis=1) for each in outputs], axis=0) / cost


def place_accuracy(
    outputs: Float[np.ndarray, "items pixels"],
    truth: Float[np.ndarray, "items pixels"],
    image: tuple[int, int],
    dark: bool,
    periodic: bool = False,
) -> float | None:
    """Share of images whose extreme pixel lies within one pixel of the true one, along rows and along columns.

    Extreme is the darkest pixel when `dark`, else the brightest. 1: every place is right; 0: none. An output
    whose extreme value is shared by several pixels, such as a blank, names no place and counts as wrong. None: the
    truth is not known. On a periodic image opposite edges touch.
    """
    if np.isnan(truth).any():
        return None
    sign = -1.0 if dark else 1.0
    drawn, wanted = sign * outputs, sign * truth
    clear = (drawn == drawn.max(axis=1, keepdims=True)).sum(axis=1) == 1
    found = np.stack(np.divmod(drawn.argmax(axis=1), image[1]))
    right = np.stack(np.divmod(wanted.argmax(axis=1), image[1]))
    away = np.abs(found - right)
    if periodic:
        away = np.minimum(away, np.array(image)[:, None] - away)
    return float((clear & (away <= TOLERANCE).all(axis=0)).mean())
