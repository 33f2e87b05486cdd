"""Correlations that have an answer for constant data too: nothing varies together with a constant, so it is 0."""

import numpy as np

from recombine.core.shapes import Float

FLAT = 1e-12  # what is left of a constant after its mean is taken off, relative to the constant, is rounding


def pearson(a: Float[np.ndarray, "items values"], b: Float[np.ndarray, "items values"]) -> Float[np.ndarray, " items"]:
    """Pearson correlation of each row of ``a`` with the same row of ``b``.

        r = ⟨a − ā, b − b̄⟩ / (‖a − ā‖ ‖b − b̄‖)

    1: one is a rising straight line of the other; −1: a falling one; 0: unrelated, or one of the two is constant.
    """
    return np.clip((_standard(a) * _standard(b)).sum(axis=1), -1.0, 1.0)


def rank_correlation(a: Float[np.ndarray, " values"], b: Float[np.ndarray, " values"]) -> float:
    """Spearman correlation: Pearson's of the ranks, ties sharing their mean rank.

    1: both rise together; −1: one falls as the other rises; 0: unrelated, or one of the two is constant.
    """
    return float(pearson(_ranks(a)[None], _ranks(b)[None])[0])


def _standard(rows: Float[np.ndarray, "items values"]) -> Float[np.ndarray, "items values"]:
    """Rows with mean 0 and length 1; constant rows become 0."""
    centred = rows - rows.mean(axis=1, keepdims=True)
    length = np.linalg.norm(centred, axis=1, keepdims=True)
    flat = length <= FLAT * np.linalg.norm(rows, axis=1, keepdims=True)
    return np.where(flat, 0.0, centred / np.where(flat, 1.0, length))


def _ranks(values: Float[np.ndarray, " values"]) -> Float[np.ndarray, " values"]:
    below = (values[None] < values[:, None]).sum(axis=1)
    equal = (values[None] == values[:, None]).sum(axis=1)
    return below + (equal + 1) / 2
